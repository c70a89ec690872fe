//! One line per row: what executes it.

use super::super::{Bus, Fault, Inst, Op, Outcome, State, sr};
use super::branch::*;
use super::memory::*;
use super::multiply::*;
use super::shift::*;
use super::{NEXT, Step, bools, fp, get, get_bool, jump, set, set_bool, system, vector, window};
use crate::float::{self, Rounding, S32, SIGN, U32};

/// What the register in field `s` holds.
#[inline(always)]
fn x(s: &State, i: &Inst) -> u32 {
    get(s, i.s)
}

/// What the register in field `t` holds.
#[inline(always)]
fn y(s: &State, i: &Inst) -> u32 {
    get(s, i.t)
}

#[inline(always)]
fn imm(i: &Inst) -> u32 {
    i.imm as u32
}

/// The constant or the number of the bit that a branch looks at.
#[inline(always)]
fn constant(i: &Inst) -> u32 {
    i.imm2 as u32
}

/// r = s if `condition` holds.
#[inline(always)]
fn move_if(s: &mut State, i: &Inst, condition: bool) -> Step {
    if condition { set(s, i.r, x(s, i)) } else { NEXT }
}

/// What executes a row; its last argument is the address of the instruction behind.
pub(super) type Semantics<B> = fn(&mut State, &mut B, &Inst, u32) -> Step;

/// What executes a row. The compiler makes one table of functions of it.
#[inline(always)]
#[allow(unused_variables)]
pub(super) fn semantics<B: Bus>(op: Op) -> Semantics<B> {
    use fp::Order::{Equal, Less, Unordered};
    rows! { op(s, bus, i, next)
        // Arithmetic and logic
        Op::Add | Op::AddN => set(s, i.r, x(s, i).wrapping_add(y(s, i))),
        Op::Addx2 => set(s, i.r, (x(s, i) << 1).wrapping_add(y(s, i))),
        Op::Addx4 => set(s, i.r, (x(s, i) << 2).wrapping_add(y(s, i))),
        Op::Addx8 => set(s, i.r, (x(s, i) << 3).wrapping_add(y(s, i))),
        Op::Sub => set(s, i.r, x(s, i).wrapping_sub(y(s, i))),
        Op::Subx2 => set(s, i.r, (x(s, i) << 1).wrapping_sub(y(s, i))),
        Op::Subx4 => set(s, i.r, (x(s, i) << 2).wrapping_sub(y(s, i))),
        Op::Subx8 => set(s, i.r, (x(s, i) << 3).wrapping_sub(y(s, i))),
        Op::Addi | Op::Addmi => set(s, i.t, x(s, i).wrapping_add(imm(i))),
        Op::AddiN => set(s, i.r, x(s, i).wrapping_add(imm(i))),
        Op::Neg => set(s, i.r, y(s, i).wrapping_neg()),
        Op::Abs => set(s, i.r, (y(s, i) as i32).wrapping_abs() as u32),
        Op::And => set(s, i.r, x(s, i) & y(s, i)),
        Op::Or => set(s, i.r, x(s, i) | y(s, i)),
        Op::Xor => set(s, i.r, x(s, i) ^ y(s, i)),

        // Moves
        Op::Movi => set(s, i.t, imm(i)),
        Op::MoviN => set(s, i.s, imm(i)),
        Op::MovN => set(s, i.t, x(s, i)),
        Op::Moveqz => move_if(s, i, y(s, i) == 0),
        Op::Movnez => move_if(s, i, y(s, i) != 0),
        Op::Movltz => move_if(s, i, (y(s, i) as i32) < 0),
        Op::Movgez => move_if(s, i, (y(s, i) as i32) >= 0),

        // Shifts and bits
        Op::Extui => set(s, i.r, field(y(s, i), i.imm, i.imm2)),
        Op::Slli => set(s, i.r, x(s, i) << i.imm),
        Op::Srai => set(s, i.r, (y(s, i) as i32 >> i.imm) as u32),
        Op::Srli => set(s, i.r, y(s, i) >> i.imm),
        Op::Sll => set(s, i.r, funnel(s, x(s, i), 0)),
        Op::Srl => set(s, i.r, funnel(s, 0, y(s, i))),
        Op::Sra => set(s, i.r, arithmetic(s, y(s, i))),
        Op::Src => set(s, i.r, funnel(s, x(s, i), y(s, i))),
        Op::Ssr => set_amount(s, x(s, i) & 31),
        Op::Ssl => set_amount(s, 32 - (x(s, i) & 31)),
        Op::Ssa8l => set_amount(s, 8 * (x(s, i) & 3)),
        Op::Ssa8b => set_amount(s, 32 - 8 * (x(s, i) & 3)),
        Op::Ssai => set_amount(s, imm(i)),

        // Minimum, maximum, signs
        Op::Min => set(s, i.r, (x(s, i) as i32).min(y(s, i) as i32) as u32),
        Op::Minu => set(s, i.r, x(s, i).min(y(s, i))),
        Op::Max => set(s, i.r, (x(s, i) as i32).max(y(s, i) as i32) as u32),
        Op::Maxu => set(s, i.r, x(s, i).max(y(s, i))),
        Op::Sext => set(s, i.r, extended(x(s, i), i.imm)),
        Op::Clamps => set(s, i.r, clamped(x(s, i), i.imm)),
        Op::Nsa => set(s, i.t, redundant_signs(x(s, i))),
        Op::Nsau => set(s, i.t, x(s, i).leading_zeros()),

        // Products and quotients
        Op::Mul16u => set(s, i.r, unsigned_halves(x(s, i), y(s, i))),
        Op::Mul16s => set(s, i.r, signed_halves(x(s, i), y(s, i))),
        Op::Mull => set(s, i.r, x(s, i).wrapping_mul(y(s, i))),
        Op::Muluh => set(s, i.r, unsigned_high(x(s, i), y(s, i))),
        Op::Mulsh => set(s, i.r, signed_high(x(s, i), y(s, i))),
        Op::Quou => divide(s, i, |x, y| x / y),
        Op::Quos => divide(s, i, |x, y| (x as i32).wrapping_div(y as i32) as u32),
        Op::Remu => divide(s, i, |x, y| x % y),
        Op::Rems => divide(s, i, |x, y| (x as i32).wrapping_rem(y as i32) as u32),

        // MAC16
        Op::UmulAaLl => put(s, unsigned(aa(s, i), 0, 0)),
        Op::UmulAaHl => put(s, unsigned(aa(s, i), 16, 0)),
        Op::UmulAaLh => put(s, unsigned(aa(s, i), 0, 16)),
        Op::UmulAaHh => put(s, unsigned(aa(s, i), 16, 16)),
        Op::MulAaLl => put(s, ll(aa(s, i))),
        Op::MulAaHl => put(s, hl(aa(s, i))),
        Op::MulAaLh => put(s, lh(aa(s, i))),
        Op::MulAaHh => put(s, hh(aa(s, i))),
        Op::MulAdLl => put(s, ll(ad(s, i))),
        Op::MulAdHl => put(s, hl(ad(s, i))),
        Op::MulAdLh => put(s, lh(ad(s, i))),
        Op::MulAdHh => put(s, hh(ad(s, i))),
        Op::MulDaLl => put(s, ll(da(s, i))),
        Op::MulDaHl => put(s, hl(da(s, i))),
        Op::MulDaLh => put(s, lh(da(s, i))),
        Op::MulDaHh => put(s, hh(da(s, i))),
        Op::MulDdLl => put(s, ll(dd(s, i))),
        Op::MulDdHl => put(s, hl(dd(s, i))),
        Op::MulDdLh => put(s, lh(dd(s, i))),
        Op::MulDdHh => put(s, hh(dd(s, i))),
        Op::MulaAaLl => add(s, ll(aa(s, i))),
        Op::MulaAaHl => add(s, hl(aa(s, i))),
        Op::MulaAaLh => add(s, lh(aa(s, i))),
        Op::MulaAaHh => add(s, hh(aa(s, i))),
        Op::MulaAdLl => add(s, ll(ad(s, i))),
        Op::MulaAdHl => add(s, hl(ad(s, i))),
        Op::MulaAdLh => add(s, lh(ad(s, i))),
        Op::MulaAdHh => add(s, hh(ad(s, i))),
        Op::MulaDaLl => add(s, ll(da(s, i))),
        Op::MulaDaHl => add(s, hl(da(s, i))),
        Op::MulaDaLh => add(s, lh(da(s, i))),
        Op::MulaDaHh => add(s, hh(da(s, i))),
        Op::MulaDdLl => add(s, ll(dd(s, i))),
        Op::MulaDdHl => add(s, hl(dd(s, i))),
        Op::MulaDdLh => add(s, lh(dd(s, i))),
        Op::MulaDdHh => add(s, hh(dd(s, i))),
        Op::MulsAaLl => subtract(s, ll(aa(s, i))),
        Op::MulsAaHl => subtract(s, hl(aa(s, i))),
        Op::MulsAaLh => subtract(s, lh(aa(s, i))),
        Op::MulsAaHh => subtract(s, hh(aa(s, i))),
        Op::MulsAdLl => subtract(s, ll(ad(s, i))),
        Op::MulsAdHl => subtract(s, hl(ad(s, i))),
        Op::MulsAdLh => subtract(s, lh(ad(s, i))),
        Op::MulsAdHh => subtract(s, hh(ad(s, i))),
        Op::MulsDaLl => subtract(s, ll(da(s, i))),
        Op::MulsDaHl => subtract(s, hl(da(s, i))),
        Op::MulsDaLh => subtract(s, lh(da(s, i))),
        Op::MulsDaHh => subtract(s, hh(da(s, i))),
        Op::MulsDdLl => subtract(s, ll(dd(s, i))),
        Op::MulsDdHl => subtract(s, hl(dd(s, i))),
        Op::MulsDdLh => subtract(s, lh(dd(s, i))),
        Op::MulsDdHh => subtract(s, hh(dd(s, i))),
        Op::MulaDaLlLdinc => add_and_load(s, bus, i, ll(da(s, i)), 4),
        Op::MulaDaHlLdinc => add_and_load(s, bus, i, hl(da(s, i)), 4),
        Op::MulaDaLhLdinc => add_and_load(s, bus, i, lh(da(s, i)), 4),
        Op::MulaDaHhLdinc => add_and_load(s, bus, i, hh(da(s, i)), 4),
        Op::MulaDaLlLddec => add_and_load(s, bus, i, ll(da(s, i)), -4),
        Op::MulaDaHlLddec => add_and_load(s, bus, i, hl(da(s, i)), -4),
        Op::MulaDaLhLddec => add_and_load(s, bus, i, lh(da(s, i)), -4),
        Op::MulaDaHhLddec => add_and_load(s, bus, i, hh(da(s, i)), -4),
        Op::MulaDdLlLdinc => add_and_load(s, bus, i, ll(dd(s, i)), 4),
        Op::MulaDdHlLdinc => add_and_load(s, bus, i, hl(dd(s, i)), 4),
        Op::MulaDdLhLdinc => add_and_load(s, bus, i, lh(dd(s, i)), 4),
        Op::MulaDdHhLdinc => add_and_load(s, bus, i, hh(dd(s, i)), 4),
        Op::MulaDdLlLddec => add_and_load(s, bus, i, ll(dd(s, i)), -4),
        Op::MulaDdHlLddec => add_and_load(s, bus, i, hl(dd(s, i)), -4),
        Op::MulaDdLhLddec => add_and_load(s, bus, i, lh(dd(s, i)), -4),
        Op::MulaDdHhLddec => add_and_load(s, bus, i, hh(dd(s, i)), -4),
        Op::Ldinc => load_factor(s, bus, i, 4),
        Op::Lddec => load_factor(s, bus, i, -4),

        // Loads and stores
        Op::L8ui => load(s, bus, i, 1, |x| x),
        Op::L16ui => load(s, bus, i, 2, |x| x),
        Op::L16si => load(s, bus, i, 2, |x| x as i16 as u32),
        Op::L32i | Op::L32iN | Op::L32e => load(s, bus, i, 4, |x| x),
        Op::L32r => load_literal(s, bus, i),
        Op::S8i => store(s, bus, i, 1),
        Op::S16i => store(s, bus, i, 2),
        Op::S32i | Op::S32iN | Op::S32e => store(s, bus, i, 4),
        Op::L32ai => load_acquire(s, bus, i),
        Op::S32ri => store_release(s, bus, i),
        Op::S32c1i => compare_and_store(s, bus, i),

        // Branches
        Op::Beqz | Op::BeqzN => branch(s, i, x(s, i) == 0),
        Op::Bnez | Op::BnezN => branch(s, i, x(s, i) != 0),
        Op::Bltz => branch(s, i, (x(s, i) as i32) < 0),
        Op::Bgez => branch(s, i, (x(s, i) as i32) >= 0),
        Op::Beqi => branch(s, i, x(s, i) == constant(i)),
        Op::Bnei => branch(s, i, x(s, i) != constant(i)),
        Op::Blti => branch(s, i, (x(s, i) as i32) < constant(i) as i32),
        Op::Bgei => branch(s, i, (x(s, i) as i32) >= constant(i) as i32),
        Op::Bltui => branch(s, i, x(s, i) < constant(i)),
        Op::Bgeui => branch(s, i, x(s, i) >= constant(i)),
        Op::Beq => branch(s, i, x(s, i) == y(s, i)),
        Op::Bne => branch(s, i, x(s, i) != y(s, i)),
        Op::Blt => branch(s, i, (x(s, i) as i32) < y(s, i) as i32),
        Op::Bge => branch(s, i, (x(s, i) as i32) >= y(s, i) as i32),
        Op::Bltu => branch(s, i, x(s, i) < y(s, i)),
        Op::Bgeu => branch(s, i, x(s, i) >= y(s, i)),
        Op::Bany => branch(s, i, x(s, i) & y(s, i) != 0),
        Op::Bnone => branch(s, i, x(s, i) & y(s, i) == 0),
        Op::Ball => branch(s, i, !x(s, i) & y(s, i) == 0),
        Op::Bnall => branch(s, i, !x(s, i) & y(s, i) != 0),
        Op::Bbc => branch(s, i, !bit(x(s, i), y(s, i))),
        Op::Bbs => branch(s, i, bit(x(s, i), y(s, i))),
        Op::Bbci => branch(s, i, !bit(x(s, i), constant(i))),
        Op::Bbsi => branch(s, i, bit(x(s, i), constant(i))),
        Op::Bf => branch(s, i, !get_bool(s, i.s)),
        Op::Bt => branch(s, i, get_bool(s, i.s)),
        Op::Loop => begin_loop(s, i, next, |_| false),
        Op::Loopnez => begin_loop(s, i, next, |count| count == 0),
        Op::Loopgtz => begin_loop(s, i, next, |count| count <= 0),

        // Jumps, calls, windows
        Op::J => jump(s, label(s, i)),
        Op::Jx => jump(s, x(s, i)),
        Op::Call0 => call(s, function(s, i), next),
        Op::Callx0 => call(s, x(s, i), next),
        Op::Ret | Op::RetN => jump(s, s.a(0)),
        Op::Call4 => window::call(s, function(s, i), next, 1),
        Op::Call8 => window::call(s, function(s, i), next, 2),
        Op::Call12 => window::call(s, function(s, i), next, 3),
        Op::Callx4 => window::call(s, x(s, i), next, 1),
        Op::Callx8 => window::call(s, x(s, i), next, 2),
        Op::Callx12 => window::call(s, x(s, i), next, 3),
        Op::Entry => window::entry(s, i),
        Op::Retw | Op::RetwN => window::return_to_caller(s),
        Op::Movsp => window::move_stack_pointer(s, i),
        Op::Rotw => window::rotate_window(s, i),
        Op::Rfwo => window::return_from_handler(s, false),
        Op::Rfwu => window::return_from_handler(s, true),

        // Booleans
        Op::Andb => set_bool(s, i.r, get_bool(s, i.s) & get_bool(s, i.t)),
        Op::Andbc => set_bool(s, i.r, get_bool(s, i.s) & !get_bool(s, i.t)),
        Op::Orb => set_bool(s, i.r, get_bool(s, i.s) | get_bool(s, i.t)),
        Op::Orbc => set_bool(s, i.r, get_bool(s, i.s) | !get_bool(s, i.t)),
        Op::Xorb => set_bool(s, i.r, get_bool(s, i.s) ^ get_bool(s, i.t)),
        Op::Any4 => set_bool(s, i.t, bools(s, i.s, 4) != 0),
        Op::All4 => set_bool(s, i.t, bools(s, i.s, 4) == 15),
        Op::Any8 => set_bool(s, i.t, bools(s, i.s, 8) != 0),
        Op::All8 => set_bool(s, i.t, bools(s, i.s, 8) == 255),
        Op::Movf => move_if(s, i, !get_bool(s, i.t)),
        Op::Movt => move_if(s, i, get_bool(s, i.t)),

        // System
        Op::Nop | Op::NopN | Op::Isync | Op::Rsync | Op::Esync | Op::Dsync | Op::Excw | Op::Memw | Op::Extw => NEXT,
        Op::Rsr => system::read_special(s, i),
        Op::Wsr => system::write_special(s, i),
        Op::Xsr => system::exchange_special(s, i),
        Op::Rur => system::read_user(s, i),
        Op::Wur => system::write_user(s, i),
        Op::Ill | Op::IllN => Err(Fault::Illegal),
        Op::Syscall => Err(Fault::Syscall),
        Op::Simcall => Ok(Outcome::Simcall),
        Op::Break | Op::BreakN => Err(Fault::Break(i.imm as u8, i.imm2 as u8)),
        Op::Rfe => system::return_from_exception(s),
        Op::Rfde => jump(s, s.special[sr::DEPC]),
        Op::Rfi => system::return_from_interrupt(s, i),
        Op::Rsil => system::raise_level(s, i),
        Op::Waiti => system::wait(s, i),
        Op::Lddr32P | Op::Sddr32P | Op::Rer | Op::Wer => Err(Fault::NotModelled),
        Op::Ritlb0 | Op::Ritlb1 | Op::Pitlb | Op::Iitlb | Op::Witlb => Err(Fault::NotModelled),
        Op::Rdtlb0 | Op::Rdtlb1 | Op::Pdtlb | Op::Idtlb | Op::Wdtlb => Err(Fault::NotModelled),

        // Moves, loads and stores of floating-point registers; an index or a written base is the address
        Op::Lsi => load_float(s, bus, i, address(s, i), x(s, i)),
        Op::Lsip => load_float(s, bus, i, x(s, i), address(s, i)),
        Op::Lsx => load_float(s, bus, i, indexed(s, i), x(s, i)),
        Op::Lsxp => load_float(s, bus, i, x(s, i), indexed(s, i)),
        Op::Ssi => store_float(s, bus, i, address(s, i), x(s, i)),
        Op::Ssip => store_float(s, bus, i, x(s, i), address(s, i)),
        Op::Ssx => store_float(s, bus, i, indexed(s, i), x(s, i)),
        Op::Ssxp => store_float(s, bus, i, x(s, i), indexed(s, i)),
        Op::MovS => fp::moved(s, i, |x| x),
        Op::AbsS => fp::moved(s, i, |x| x & !SIGN),
        Op::NegS => fp::moved(s, i, |x| x ^ SIGN),
        Op::ConstS => fp::constant(s, i),
        Op::Rfr => fp::read(s, i),
        Op::Wfr => fp::write(s, i),
        Op::MoveqzS => fp::moved_if(s, i, fp::word(i, |t| t == 0)),
        Op::MovnezS => fp::moved_if(s, i, fp::word(i, |t| t != 0)),
        Op::MovltzS => fp::moved_if(s, i, fp::word(i, |t| t < 0)),
        Op::MovgezS => fp::moved_if(s, i, fp::word(i, |t| t >= 0)),
        Op::MovfS => fp::moved_if(s, i, fp::boolean(i, false)),
        Op::MovtS => fp::moved_if(s, i, fp::boolean(i, true)),

        // Floating-point arithmetic, comparisons, conversions
        Op::AddS => fp::binary(s, i, float::add),
        Op::SubS => fp::binary(s, i, float::sub),
        Op::MulS => fp::binary(s, i, float::mul),
        Op::MaddS => fp::fused(s, i, false),
        Op::MsubS => fp::fused(s, i, true),
        Op::UnS => fp::compare(s, i, &[Unordered], false),
        Op::OeqS => fp::compare(s, i, &[Equal], false),
        Op::UeqS => fp::compare(s, i, &[Equal, Unordered], false),
        Op::OltS => fp::compare(s, i, &[Less], true),
        Op::UltS => fp::compare(s, i, &[Less, Unordered], false),
        Op::OleS => fp::compare(s, i, &[Less, Equal], true),
        Op::UleS => fp::compare(s, i, &[Less, Equal, Unordered], false),
        Op::RoundS => fp::to_integer(s, i, S32, Rounding::Nearest),
        Op::TruncS => fp::to_integer(s, i, S32, Rounding::Zero),
        Op::FloorS => fp::to_integer(s, i, S32, Rounding::Down),
        Op::CeilS => fp::to_integer(s, i, S32, Rounding::Up),
        Op::UtruncS => fp::to_unsigned(s, i),
        Op::FloatS => fp::from_integer(s, i, S32),
        Op::UfloatS => fp::from_integer(s, i, U32),
        Op::Div0S | Op::Recip0S | Op::Sqrt0S | Op::Rsqrt0S | Op::Nexp01S => fp::not_modelled(s),
        Op::MksadjS | Op::MkdadjS | Op::AddexpS | Op::AddexpmS | Op::MaddnS | Op::DivnS => fp::not_modelled(s),

        // The vector extension
        _ => vector::execute(s, bus, i),
    }
}
