//! One line per row: what executes it.

use super::super::{Bus, Inst, Mode, Op, Outcome, Reg, ShiftKind, State};
use super::branch::*;
use super::convert::{S16, U16, from_half};
use super::data::*;
use super::fp::*;
use super::fp_move::*;
use super::memory::*;
use super::multiply::*;
use super::parallel::*;
use super::{Failure, NEXT, Step, get, set, system};
use crate::float::{self, Rounding, S32, SIGN, U32};

const BYTE: u32 = 1;
const HALF_WORD: u32 = 2;
const WORD: u32 = 4;

fn whole(x: u32) -> u32 {
    x
}

fn signed_byte(x: u32) -> u32 {
    x as i8 as u32
}

fn signed_half(x: u32) -> u32 {
    x as i16 as u32
}

fn byte(x: u32) -> u32 {
    x & 0xff
}

fn half_word(x: u32) -> u32 {
    x & 0xffff
}

fn imm(i: &Inst) -> u32 {
    i.imm as u32
}

fn writes_back(i: &Inst) -> bool {
    i.mode != Mode::Offset
}

fn n(s: &State, i: &Inst) -> u32 {
    get(s, i.n)
}

fn m(s: &State, i: &Inst) -> u32 {
    get(s, i.m)
}

/// What executes a row; its last argument is the address of the instruction behind.
pub(super) type Semantics<B> = fn(&mut State, &mut B, &Inst, u32) -> Step;

/// What executes a row. The compiler makes one table of functions of it.
#[inline(always)]
#[allow(unused_variables)]
pub(super) fn semantics<B: Bus>(op: Op) -> Semantics<B> {
    use Direction::{Down, Up};
    use Effect::{Halve, Saturate, Wrap};
    use Lanes::{Add8, Add16, Asx, Sax, Sub8, Sub16};
    use Order::{Crossed, Straight};
    rows! { op(s, bus, i, next)
        // Sums
        Op::AdcImm => sum(s, i, n(s, i), imm(i), s.c),
        Op::AdcReg => sum(s, i, n(s, i), second(s, i), s.c),
        Op::AddImm | Op::AddwImm => sum(s, i, n(s, i), imm(i), false),
        Op::AddReg => add(s, i),
        Op::Adr => adr(s, i),
        Op::RsbImm => sum(s, i, !n(s, i), imm(i), true),
        Op::RsbReg => sum(s, i, !n(s, i), second(s, i), true),
        Op::SbcImm => sum(s, i, n(s, i), !imm(i), s.c),
        Op::SbcReg => sum(s, i, n(s, i), !second(s, i), s.c),
        Op::SubImm | Op::SubwImm => sum(s, i, n(s, i), !imm(i), true),
        Op::SubReg => sum(s, i, n(s, i), !second(s, i), true),
        Op::CmnImm => compare(s, i, imm(i), false),
        Op::CmnReg => compare(s, i, second(s, i), false),
        Op::CmpImm => compare(s, i, !imm(i), true),
        Op::CmpReg => compare(s, i, !second(s, i), true),

        // Logic and moves
        Op::AndImm => logic_imm(s, i, |n, y| n & y),
        Op::AndReg => logic_reg(s, i, |n, y| n & y),
        Op::BicImm => logic_imm(s, i, |n, y| n & !y),
        Op::BicReg => logic_reg(s, i, |n, y| n & !y),
        Op::EorImm => logic_imm(s, i, |n, y| n ^ y),
        Op::EorReg => logic_reg(s, i, |n, y| n ^ y),
        Op::MovImm => logic_imm(s, i, |_, y| y),
        Op::MovReg => mov(s, i),
        Op::Movw => set(s, i, imm(i) & 0xffff),
        Op::Movt => set(s, i, get(s, i.d) & 0xffff | imm(i) << 16),
        Op::MvnImm => logic_imm(s, i, |_, y| !y),
        Op::MvnReg => logic_reg(s, i, |_, y| !y),
        Op::OrnImm => logic_imm(s, i, |n, y| n | !y),
        Op::OrnReg => logic_reg(s, i, |n, y| n | !y),
        Op::OrrImm => logic_imm(s, i, |n, y| n | y),
        Op::OrrReg => logic_reg(s, i, |n, y| n | y),
        Op::TeqImm => test_imm(s, i, |n, y| n ^ y),
        Op::TeqReg => test_reg(s, i, |n, y| n ^ y),
        Op::TstImm => test_imm(s, i, |n, y| n & y),
        Op::TstReg => test_reg(s, i, |n, y| n & y),

        // Shifts, bit fields, bits and bytes
        Op::AsrImm => shift_by_constant(s, i, ShiftKind::Asr),
        Op::AsrReg => shift_by_register(s, i, ShiftKind::Asr),
        Op::LslImm => shift_by_constant(s, i, ShiftKind::Lsl),
        Op::LslReg => shift_by_register(s, i, ShiftKind::Lsl),
        Op::LsrImm => shift_by_constant(s, i, ShiftKind::Lsr),
        Op::LsrReg => shift_by_register(s, i, ShiftKind::Lsr),
        Op::RorImm => shift_by_constant(s, i, ShiftKind::Ror),
        Op::RorReg => shift_by_register(s, i, ShiftKind::Ror),
        Op::Rrx => shift_by_constant(s, i, ShiftKind::Rrx),
        Op::Bfc => insert(s, i, 0),
        Op::Bfi => insert(s, i, n(s, i)),
        Op::Sbfx => extract_signed(s, i),
        Op::Ubfx => extract(s, i),
        Op::Clz => set(s, i, m(s, i).leading_zeros()),
        Op::Rbit => set(s, i, m(s, i).reverse_bits()),
        Op::Rev => set(s, i, m(s, i).swap_bytes()),
        Op::Rev16 => set(s, i, m(s, i).swap_bytes().rotate_left(16)),
        Op::Revsh => set(s, i, signed_half((m(s, i) as u16).swap_bytes().into())),
        Op::Sxtb => set(s, i, signed_byte(rotated(s, i))),
        Op::Sxth => set(s, i, signed_half(rotated(s, i))),
        Op::Uxtb => set(s, i, byte(rotated(s, i))),
        Op::Uxth => set(s, i, half_word(rotated(s, i))),
        Op::Ssat => ssat(s, i),
        Op::Usat => usat(s, i),

        // Products and quotients
        Op::Mul => mul(s, i),
        Op::Mla => set(s, i, n(s, i).wrapping_mul(m(s, i)).wrapping_add(get(s, i.a))),
        Op::Mls => set(s, i, get(s, i.a).wrapping_sub(n(s, i).wrapping_mul(m(s, i)))),
        Op::Umull => set_pair(s, i, unsigned(s, i)),
        Op::Smull => set_pair(s, i, signed(s, i)),
        Op::Umlal => add_pair(s, i, unsigned(s, i)),
        Op::Smlal => add_pair(s, i, signed(s, i)),
        Op::Umaal => umaal(s, i),
        Op::Sdiv => set(s, i, sdiv(n(s, i), m(s, i))),
        Op::Udiv => set(s, i, udiv(n(s, i), m(s, i))),

        // Loads and stores of one register
        Op::LdrImm | Op::Ldrt => load(s, bus, i, WORD, address(s, i), whole),
        Op::LdrLit => load(s, bus, i, WORD, literal(s, i), whole),
        Op::LdrReg => load(s, bus, i, WORD, indexed(s, i), whole),
        Op::LdrbImm | Op::Ldrbt => load(s, bus, i, BYTE, address(s, i), whole),
        Op::LdrbLit => load(s, bus, i, BYTE, literal(s, i), whole),
        Op::LdrbReg => load(s, bus, i, BYTE, indexed(s, i), whole),
        Op::LdrhImm | Op::Ldrht => load(s, bus, i, HALF_WORD, address(s, i), whole),
        Op::LdrhLit => load(s, bus, i, HALF_WORD, literal(s, i), whole),
        Op::LdrhReg => load(s, bus, i, HALF_WORD, indexed(s, i), whole),
        Op::LdrsbImm | Op::Ldrsbt => load(s, bus, i, BYTE, address(s, i), signed_byte),
        Op::LdrsbLit => load(s, bus, i, BYTE, literal(s, i), signed_byte),
        Op::LdrsbReg => load(s, bus, i, BYTE, indexed(s, i), signed_byte),
        Op::LdrshImm | Op::Ldrsht => load(s, bus, i, HALF_WORD, address(s, i), signed_half),
        Op::LdrshLit => load(s, bus, i, HALF_WORD, literal(s, i), signed_half),
        Op::LdrshReg => load(s, bus, i, HALF_WORD, indexed(s, i), signed_half),
        Op::StrImm | Op::Strt => store(s, bus, i, WORD, address(s, i)),
        Op::StrReg => store(s, bus, i, WORD, indexed(s, i)),
        Op::StrbImm | Op::Strbt => store(s, bus, i, BYTE, address(s, i)),
        Op::StrbReg => store(s, bus, i, BYTE, indexed(s, i)),
        Op::StrhImm | Op::Strht => store(s, bus, i, HALF_WORD, address(s, i)),
        Op::StrhReg => store(s, bus, i, HALF_WORD, indexed(s, i)),

        // Loads and stores of several registers
        Op::Ldm => load_many(s, bus, i.n, i.list, Up, writes_back(i)),
        Op::Ldmdb => load_many(s, bus, i.n, i.list, Down, writes_back(i)),
        Op::Pop => load_many(s, bus, Reg::SP, i.list, Up, true),
        Op::Stm => store_many(s, bus, i.n, i.list, Up, writes_back(i)),
        Op::Stmdb => store_many(s, bus, i.n, i.list, Down, writes_back(i)),
        Op::Push => store_many(s, bus, Reg::SP, i.list, Down, true),
        Op::LdrdImm => load_two(s, bus, i, address(s, i)),
        Op::LdrdLit => load_two(s, bus, i, literal(s, i)),
        Op::StrdImm => store_two(s, bus, i, address(s, i)),

        // Branches
        Op::B => branch(s, i),
        Op::Bl => call(s, i, next),
        Op::Bx => to_register(s, i),
        Op::BlxReg => call_register(s, i, next),
        Op::Cbnz => branch_if(s, i, false),
        Op::Cbz => branch_if(s, i, true),
        Op::Tbb => table(s, bus, i, BYTE),
        Op::Tbh => table(s, bus, i, HALF_WORD),
        Op::It => it(s, i),

        // Halfwords and bytes of the DSP extension
        Op::Pkhbt => set(s, i, n(s, i) & 0xffff | second(s, i) & 0xffff_0000),
        Op::Pkhtb => set(s, i, n(s, i) & 0xffff_0000 | second(s, i) & 0xffff),
        Op::Sxtab => set(s, i, n(s, i).wrapping_add(signed_byte(rotated(s, i)))),
        Op::Sxtah => set(s, i, n(s, i).wrapping_add(signed_half(rotated(s, i)))),
        Op::Uxtab => set(s, i, n(s, i).wrapping_add(byte(rotated(s, i)))),
        Op::Uxtah => set(s, i, n(s, i).wrapping_add(half_word(rotated(s, i)))),
        Op::Sxtab16 => extend_halves(s, i, n(s, i), signed_byte),
        Op::Sxtb16 => extend_halves(s, i, 0, signed_byte),
        Op::Uxtab16 => extend_halves(s, i, n(s, i), byte),
        Op::Uxtb16 => extend_halves(s, i, 0, byte),
        Op::Sel => select(s, i),
        Op::Ssat16 => ssat16(s, i),
        Op::Usat16 => usat16(s, i),
        Op::Usad8 => set(s, i, differences(s, i)),
        Op::Usada8 => set(s, i, get(s, i.a).wrapping_add(differences(s, i))),
        Op::Qadd => saturating(s, i, false, false),
        Op::Qdadd => saturating(s, i, true, false),
        Op::Qsub => saturating(s, i, false, true),
        Op::Qdsub => saturating(s, i, true, true),

        // Lanes
        Op::Sadd16 => signed_lanes(s, i, Add16, Wrap),
        Op::Sadd8 => signed_lanes(s, i, Add8, Wrap),
        Op::Sasx => signed_lanes(s, i, Asx, Wrap),
        Op::Ssax => signed_lanes(s, i, Sax, Wrap),
        Op::Ssub16 => signed_lanes(s, i, Sub16, Wrap),
        Op::Ssub8 => signed_lanes(s, i, Sub8, Wrap),
        Op::Qadd16 => signed_lanes(s, i, Add16, Saturate),
        Op::Qadd8 => signed_lanes(s, i, Add8, Saturate),
        Op::Qasx => signed_lanes(s, i, Asx, Saturate),
        Op::Qsax => signed_lanes(s, i, Sax, Saturate),
        Op::Qsub16 => signed_lanes(s, i, Sub16, Saturate),
        Op::Qsub8 => signed_lanes(s, i, Sub8, Saturate),
        Op::Shadd16 => signed_lanes(s, i, Add16, Halve),
        Op::Shadd8 => signed_lanes(s, i, Add8, Halve),
        Op::Shasx => signed_lanes(s, i, Asx, Halve),
        Op::Shsax => signed_lanes(s, i, Sax, Halve),
        Op::Shsub16 => signed_lanes(s, i, Sub16, Halve),
        Op::Shsub8 => signed_lanes(s, i, Sub8, Halve),
        Op::Uadd16 => unsigned_lanes(s, i, Add16, Wrap),
        Op::Uadd8 => unsigned_lanes(s, i, Add8, Wrap),
        Op::Uasx => unsigned_lanes(s, i, Asx, Wrap),
        Op::Usax => unsigned_lanes(s, i, Sax, Wrap),
        Op::Usub16 => unsigned_lanes(s, i, Sub16, Wrap),
        Op::Usub8 => unsigned_lanes(s, i, Sub8, Wrap),
        Op::Uqadd16 => unsigned_lanes(s, i, Add16, Saturate),
        Op::Uqadd8 => unsigned_lanes(s, i, Add8, Saturate),
        Op::Uqasx => unsigned_lanes(s, i, Asx, Saturate),
        Op::Uqsax => unsigned_lanes(s, i, Sax, Saturate),
        Op::Uqsub16 => unsigned_lanes(s, i, Sub16, Saturate),
        Op::Uqsub8 => unsigned_lanes(s, i, Sub8, Saturate),
        Op::Uhadd16 => unsigned_lanes(s, i, Add16, Halve),
        Op::Uhadd8 => unsigned_lanes(s, i, Add8, Halve),
        Op::Uhasx => unsigned_lanes(s, i, Asx, Halve),
        Op::Uhsax => unsigned_lanes(s, i, Sax, Halve),
        Op::Uhsub16 => unsigned_lanes(s, i, Sub16, Halve),
        Op::Uhsub8 => unsigned_lanes(s, i, Sub8, Halve),

        // Products of the DSP extension
        Op::Smulbb => set(s, i, halves(s, i, 0, 0) as u32),
        Op::Smulbt => set(s, i, halves(s, i, 0, 16) as u32),
        Op::Smultb => set(s, i, halves(s, i, 16, 0) as u32),
        Op::Smultt => set(s, i, halves(s, i, 16, 16) as u32),
        Op::Smlabb => set_or_overflow(s, i, halves(s, i, 0, 0) + accumulator(s, i)),
        Op::Smlabt => set_or_overflow(s, i, halves(s, i, 0, 16) + accumulator(s, i)),
        Op::Smlatb => set_or_overflow(s, i, halves(s, i, 16, 0) + accumulator(s, i)),
        Op::Smlatt => set_or_overflow(s, i, halves(s, i, 16, 16) + accumulator(s, i)),
        Op::Smulwb => set(s, i, word_by_half(s, i, 0) as u32),
        Op::Smulwt => set(s, i, word_by_half(s, i, 16) as u32),
        Op::Smlawb => set_or_overflow(s, i, word_by_half(s, i, 0) + accumulator(s, i)),
        Op::Smlawt => set_or_overflow(s, i, word_by_half(s, i, 16) + accumulator(s, i)),
        Op::Smuad => set_or_overflow(s, i, dual_sum(s, i, Straight)),
        Op::Smuadx => set_or_overflow(s, i, dual_sum(s, i, Crossed)),
        Op::Smusd => set(s, i, dual_difference(s, i, Straight) as u32),
        Op::Smusdx => set(s, i, dual_difference(s, i, Crossed) as u32),
        Op::Smlad => set_or_overflow(s, i, dual_sum(s, i, Straight) + accumulator(s, i)),
        Op::Smladx => set_or_overflow(s, i, dual_sum(s, i, Crossed) + accumulator(s, i)),
        Op::Smlsd => set_or_overflow(s, i, dual_difference(s, i, Straight) + accumulator(s, i)),
        Op::Smlsdx => set_or_overflow(s, i, dual_difference(s, i, Crossed) + accumulator(s, i)),
        Op::Smmul => upper(s, i, 0, signed(s, i)),
        Op::Smmulr => upper(s, i, 0, signed(s, i).wrapping_add(HALF)),
        Op::Smmla => upper(s, i, get(s, i.a), signed(s, i)),
        Op::Smmlar => upper(s, i, get(s, i.a), signed(s, i).wrapping_add(HALF)),
        Op::Smmls => upper(s, i, get(s, i.a), signed(s, i).wrapping_neg()),
        Op::Smmlsr => upper(s, i, get(s, i.a), HALF.wrapping_sub(signed(s, i))),
        Op::Smlalbb => add_pair(s, i, halves(s, i, 0, 0) as u64),
        Op::Smlalbt => add_pair(s, i, halves(s, i, 0, 16) as u64),
        Op::Smlaltb => add_pair(s, i, halves(s, i, 16, 0) as u64),
        Op::Smlaltt => add_pair(s, i, halves(s, i, 16, 16) as u64),
        Op::Smlald => add_pair(s, i, dual_sum(s, i, Straight) as u64),
        Op::Smlaldx => add_pair(s, i, dual_sum(s, i, Crossed) as u64),
        Op::Smlsld => add_pair(s, i, dual_difference(s, i, Straight) as u64),
        Op::Smlsldx => add_pair(s, i, dual_difference(s, i, Crossed) as u64),

        // Exclusive accesses and hints
        Op::Ldrex => load_exclusive(s, bus, i, WORD),
        Op::Ldrexb => load_exclusive(s, bus, i, BYTE),
        Op::Ldrexh => load_exclusive(s, bus, i, HALF_WORD),
        Op::Strex => store_exclusive(s, bus, i, WORD),
        Op::Strexb => store_exclusive(s, bus, i, BYTE),
        Op::Strexh => store_exclusive(s, bus, i, HALF_WORD),
        Op::Clrex => clear_exclusive(s),
        Op::PldImm | Op::PldLit | Op::PldReg | Op::PliImm | Op::PliLit | Op::PliReg => NEXT,
        Op::Nop | Op::Yield | Op::Sev | Op::Dbg | Op::Dmb | Op::Dsb | Op::Isb => NEXT,

        // System
        Op::Wfe | Op::Wfi => Ok(Outcome::Wait),
        Op::Svc => Ok(Outcome::Supervisor(i.imm as u8)),
        Op::Bkpt => Ok(Outcome::Breakpoint(i.imm as u8)),
        Op::Udf => Err(Failure::Undefined),
        Op::Mrs => set(s, i, system::special(s, i.imm2 as usize)),
        Op::Msr => system::set_special(s, i.imm2 as usize, i.imm, n(s, i)),
        Op::Cps => system::change_masks(s, i),
        Op::Cdp | Op::Cdp2 | Op::Mcr | Op::Mcr2 | Op::Mrc | Op::Mrc2 => Err(Failure::NoCoprocessor),
        Op::Mcrr | Op::Mcrr2 | Op::Mrrc | Op::Mrrc2 => Err(Failure::NoCoprocessor),
        Op::Ldc | Op::Ldc2 | Op::Stc | Op::Stc2 => Err(Failure::NoCoprocessor),

        // Moves, loads and stores of floating-point registers
        Op::VmovImmS => put_single(s, i.d, imm(i)),
        Op::VmovS => put_single(s, i.d, single(s, i.m)),
        Op::VmovSR => put_single(s, i.d, n(s, i)),
        Op::VmovRS => set(s, i, single(s, i.n)),
        Op::VmovSSRR => from_core(s, i, first_single(i.d)),
        Op::VmovDRR => from_core(s, i, first_of_double(i.d)),
        Op::VmovRRSS => to_core(s, i, first_single(i.n)),
        Op::VmovRRD => to_core(s, i, first_of_double(i.n)),
        Op::VmovLaneR => put_single(s, lane(i.d, i), n(s, i)),
        Op::VmovRLane => set(s, i, single(s, lane(i.n, i))),
        Op::Vmrs => set(s, i, s.fpscr),
        Op::Vmsr => set_fpscr(s, n(s, i)),
        Op::VmrsApsr => flags_from_fpscr(s),
        Op::VldrS => load_singles(s, bus, first_single(i.d), 1, address(s, i).at),
        Op::VldrD => load_singles(s, bus, first_of_double(i.d), 2, address(s, i).at),
        Op::VldrLitS => load_singles(s, bus, first_single(i.d), 1, literal(s, i).at),
        Op::VldrLitD => load_singles(s, bus, first_of_double(i.d), 2, literal(s, i).at),
        Op::VstrS => store_singles(s, bus, first_single(i.d), 1, address(s, i).at),
        Op::VstrD => store_singles(s, bus, first_of_double(i.d), 2, address(s, i).at),
        Op::VldmS => load_list(s, bus, i.n, singles(i), Up, writes_back(i)),
        Op::VldmD => load_list(s, bus, i.n, doubles(i), Up, writes_back(i)),
        Op::VldmdbS => load_list(s, bus, i.n, singles(i), Down, writes_back(i)),
        Op::VldmdbD => load_list(s, bus, i.n, doubles(i), Down, writes_back(i)),
        Op::VpopS => load_list(s, bus, Reg::SP, singles(i), Up, true),
        Op::VpopD => load_list(s, bus, Reg::SP, doubles(i), Up, true),
        Op::VstmS => store_list(s, bus, i.n, singles(i), Up, writes_back(i)),
        Op::VstmD => store_list(s, bus, i.n, doubles(i), Up, writes_back(i)),
        Op::VstmdbS => store_list(s, bus, i.n, singles(i), Down, writes_back(i)),
        Op::VstmdbD => store_list(s, bus, i.n, doubles(i), Down, writes_back(i)),
        Op::VpushS => store_list(s, bus, Reg::SP, singles(i), Down, true),
        Op::VpushD => store_list(s, bus, Reg::SP, doubles(i), Down, true),

        // Floating-point arithmetic
        Op::VaddS => binary(s, i, float::add),
        Op::VsubS => binary(s, i, float::sub),
        Op::VmulS => binary(s, i, float::mul),
        Op::VnmulS => binary(s, i, |x, y, fpscr| float::mul(x, y, fpscr) ^ SIGN),
        Op::VdivS => binary(s, i, float::div),
        Op::VmlaS => chained(s, i, 0, 0),
        Op::VmlsS => chained(s, i, 0, SIGN),
        Op::VnmlaS => chained(s, i, SIGN, SIGN),
        Op::VnmlsS => chained(s, i, SIGN, 0),
        Op::VfmaS => fused(s, i, 0, 0),
        Op::VfmsS => fused(s, i, 0, SIGN),
        Op::VfnmaS => fused(s, i, SIGN, SIGN),
        Op::VfnmsS => fused(s, i, SIGN, 0),
        Op::VsqrtS => unary(s, i, i.m, float::sqrt),
        Op::VabsS => put_single(s, i.d, single(s, i.m) & !SIGN),
        Op::VnegS => put_single(s, i.d, single(s, i.m) ^ SIGN),
        Op::VcmpS => compare_singles(s, i, single(s, i.m), false),
        Op::VcmpeS => compare_singles(s, i, single(s, i.m), true),
        Op::VcmpZeroS => compare_singles(s, i, 0, false),
        Op::VcmpeZeroS => compare_singles(s, i, 0, true),

        // Floating-point conversions; those to and from fixed point take their operand from d
        Op::VcvtS32F32 => to_integer(s, i, i.m, S32, Rounding::Zero),
        Op::VcvtU32F32 => to_integer(s, i, i.m, U32, Rounding::Zero),
        Op::VcvtrS32F32 => to_integer(s, i, i.m, S32, Rounding::of(s.fpscr)),
        Op::VcvtrU32F32 => to_integer(s, i, i.m, U32, Rounding::of(s.fpscr)),
        Op::VcvtS16F32Fix => to_integer(s, i, i.d, S16, Rounding::Zero),
        Op::VcvtU16F32Fix => to_integer(s, i, i.d, U16, Rounding::Zero),
        Op::VcvtS32F32Fix => to_integer(s, i, i.d, S32, Rounding::Zero),
        Op::VcvtU32F32Fix => to_integer(s, i, i.d, U32, Rounding::Zero),
        Op::VcvtF32S32 => from_integer(s, i, i.m, S32, Rounding::of(s.fpscr)),
        Op::VcvtF32U32 => from_integer(s, i, i.m, U32, Rounding::of(s.fpscr)),
        Op::VcvtF32S16Fix => from_integer(s, i, i.d, S16, Rounding::Nearest),
        Op::VcvtF32U16Fix => from_integer(s, i, i.d, U16, Rounding::Nearest),
        Op::VcvtF32S32Fix => from_integer(s, i, i.d, S32, Rounding::Nearest),
        Op::VcvtF32U32Fix => from_integer(s, i, i.d, U32, Rounding::Nearest),
        Op::VcvtbF32F16 => unary(s, i, i.m, from_half),
        Op::VcvttF32F16 => unary(s, i, i.m, |x, fpscr| from_half(x >> 16, fpscr)),
        Op::VcvtbF16F32 => to_half_at(s, i, 0),
        Op::VcvttF16F32 => to_half_at(s, i, 16),
    }
}
