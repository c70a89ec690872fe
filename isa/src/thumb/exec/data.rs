//! Data processing: arithmetic, logic, shifts, bit fields, extension, saturation.

use super::super::{Bus, Fault, Inst, Op, Outcome, Reg, ShiftKind, State};
use super::alu::{add_with_carry, immediate_carry, shift_c, shifted, signed_sat, unsigned_sat};
use super::{get, jump, memory, put, set_nz};

#[inline(always)]
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let imm = inst.imm as u32;
    match inst.op {
        Op::AddImm | Op::AddwImm => sum(state, inst, get(state, inst.n), imm, false),
        Op::AddReg if inst.d == Reg::PC => {
            let target = get(state, inst.n).wrapping_add(second(state, inst));
            return Ok(jump(state, target));
        }
        Op::AddReg => sum(state, inst, get(state, inst.n), second(state, inst), false),
        Op::SubImm | Op::SubwImm => sum(state, inst, get(state, inst.n), !imm, true),
        Op::SubReg => sum(state, inst, get(state, inst.n), !second(state, inst), true),
        Op::AdcImm => sum(state, inst, get(state, inst.n), imm, state.c),
        Op::AdcReg => sum(state, inst, get(state, inst.n), second(state, inst), state.c),
        Op::SbcImm => sum(state, inst, get(state, inst.n), !imm, state.c),
        Op::SbcReg => sum(state, inst, get(state, inst.n), !second(state, inst), state.c),
        Op::RsbImm => sum(state, inst, !get(state, inst.n), imm, true),
        Op::RsbReg => sum(state, inst, !get(state, inst.n), second(state, inst), true),
        Op::CmpImm => compare(state, inst, !imm, true),
        Op::CmpReg => compare(state, inst, !second(state, inst), true),
        Op::CmnImm => compare(state, inst, imm, false),
        Op::CmnReg => compare(state, inst, second(state, inst), false),
        Op::Adr => put(state, inst.d, (state.r[15] & !3).wrapping_add(imm)),
        Op::AndImm => logic_imm(state, inst, |n, y| n & y),
        Op::AndReg => logic_reg(state, inst, |n, y| n & y),
        Op::BicImm => logic_imm(state, inst, |n, y| n & !y),
        Op::BicReg => logic_reg(state, inst, |n, y| n & !y),
        Op::EorImm => logic_imm(state, inst, |n, y| n ^ y),
        Op::EorReg => logic_reg(state, inst, |n, y| n ^ y),
        Op::OrrImm => logic_imm(state, inst, |n, y| n | y),
        Op::OrrReg => logic_reg(state, inst, |n, y| n | y),
        Op::OrnImm => logic_imm(state, inst, |n, y| n | !y),
        Op::OrnReg => logic_reg(state, inst, |n, y| n | !y),
        Op::MovImm => logic_imm(state, inst, |_, y| y),
        Op::MovReg if inst.d == Reg::PC => {
            let target = get(state, inst.m);
            return Ok(jump(state, target));
        }
        Op::MovReg => logic_reg(state, inst, |_, y| y),
        Op::MvnImm => logic_imm(state, inst, |_, y| !y),
        Op::MvnReg => logic_reg(state, inst, |_, y| !y),
        Op::TstImm => test_imm(state, inst, |n, y| n & y),
        Op::TstReg => test_reg(state, inst, |n, y| n & y),
        Op::TeqImm => test_imm(state, inst, |n, y| n ^ y),
        Op::TeqReg => test_reg(state, inst, |n, y| n ^ y),
        Op::Movw => put(state, inst.d, imm & 0xffff),
        Op::Movt => put(state, inst.d, get(state, inst.d) & 0xffff | imm << 16),
        Op::LslImm | Op::LsrImm | Op::AsrImm | Op::RorImm => {
            shift(state, inst, get(state, inst.m), inst.shift.kind, u32::from(inst.shift.amount))
        }
        Op::Rrx => shift(state, inst, get(state, inst.m), ShiftKind::Rrx, 1),
        Op::LslReg => shift_by_reg(state, inst, ShiftKind::Lsl),
        Op::LsrReg => shift_by_reg(state, inst, ShiftKind::Lsr),
        Op::AsrReg => shift_by_reg(state, inst, ShiftKind::Asr),
        Op::RorReg => shift_by_reg(state, inst, ShiftKind::Ror),
        _ => return bits(state, bus, inst, next),
    }
    Ok(Outcome::Next)
}

/// The rows on bits, fields, bytes and halfwords of one register.
#[inline(always)]
fn bits<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let (n, m) = (|| get(state, inst.n), || get(state, inst.m));
    let value = match inst.op {
        Op::Bfc => get(state, inst.d) & !field(inst),
        Op::Bfi => get(state, inst.d) & !field(inst) | n() << (inst.imm & 31) & field(inst),
        Op::Ubfx => (n() & field(inst)) >> (inst.imm & 31),
        Op::Sbfx => {
            let above = 32u32.wrapping_sub(inst.imm as u32).wrapping_sub(inst.imm2);
            ((n() << (above & 31)) as i32 >> (32u32.wrapping_sub(inst.imm2) & 31)) as u32
        }
        Op::Clz => m().leading_zeros(),
        Op::Rbit => m().reverse_bits(),
        Op::Rev => m().swap_bytes(),
        Op::Rev16 => m().swap_bytes().rotate_left(16),
        Op::Revsh => (m() as u16).swap_bytes() as i16 as u32,
        Op::Sxtb => rotated(state, inst) as i8 as u32,
        Op::Sxth => rotated(state, inst) as i16 as u32,
        Op::Uxtb => rotated(state, inst) & 0xff,
        Op::Uxth => rotated(state, inst) & 0xffff,
        Op::Sxtab => n().wrapping_add(rotated(state, inst) as i8 as u32),
        Op::Sxtah => n().wrapping_add(rotated(state, inst) as i16 as u32),
        Op::Uxtab => n().wrapping_add(rotated(state, inst) & 0xff),
        Op::Uxtah => n().wrapping_add(rotated(state, inst) & 0xffff),
        Op::Pkhbt => n() & 0xffff | second(state, inst) & 0xffff_0000,
        Op::Pkhtb => n() & 0xffff_0000 | second(state, inst) & 0xffff,
        Op::Ssat => {
            let source = shifted(get(state, inst.n), inst.shift, false) as i32;
            sticky(state, signed_sat(source.into(), inst.imm2.clamp(1, 32)))
        }
        Op::Usat => {
            let source = shifted(get(state, inst.n), inst.shift, false) as i32;
            sticky(state, unsigned_sat(source.into(), inst.imm2.min(32)))
        }
        _ => return memory::execute(state, bus, inst, next),
    };
    put(state, inst.d, value);
    Ok(Outcome::Next)
}

/// The shifted second operand.
#[inline]
fn second(state: &State, inst: &Inst) -> u32 {
    shifted(get(state, inst.m), inst.shift, state.c)
}

/// The second operand rotated by 0, 8, 16 or 24.
#[inline]
pub(super) fn rotated(state: &State, inst: &Inst) -> u32 {
    get(state, inst.m).rotate_right(inst.shift.amount.into())
}

/// The bits of the field at `imm` of `imm2` bits.
#[inline]
fn field(inst: &Inst) -> u32 {
    let below = |width: u32| ((1u64 << (width & 63)) - 1) as u32;
    below(inst.imm2) << (inst.imm & 31)
}

/// Sets Q when saturated.
#[inline]
pub(super) fn sticky(state: &mut State, (value, saturated): (u32, bool)) -> u32 {
    state.q |= saturated;
    value
}

#[inline]
fn sum(state: &mut State, inst: &Inst, x: u32, y: u32, carry: bool) {
    if inst.set_flags {
        let result = flags_of_sum(state, x, y, carry);
        put(state, inst.d, result);
    } else {
        put(state, inst.d, x.wrapping_add(y).wrapping_add(carry.into()));
    }
}

#[inline]
fn compare(state: &mut State, inst: &Inst, y: u32, carry: bool) {
    flags_of_sum(state, get(state, inst.n), y, carry);
}

#[inline]
fn flags_of_sum(state: &mut State, x: u32, y: u32, carry: bool) -> u32 {
    let (result, carry, overflow) = add_with_carry(x, y, carry);
    set_nz(state, result);
    state.c = carry;
    state.v = overflow;
    result
}

#[inline]
fn logic_imm(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) {
    let result = f(get(state, inst.n), inst.imm as u32);
    if inst.set_flags {
        test_imm(state, inst, f);
    }
    put(state, inst.d, result);
}

#[inline]
fn logic_reg(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) {
    let result = f(get(state, inst.n), second(state, inst));
    if inst.set_flags {
        test_reg(state, inst, f);
    }
    put(state, inst.d, result);
}

#[inline]
fn test_imm(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) {
    set_nz(state, f(get(state, inst.n), inst.imm as u32));
    state.c = immediate_carry(inst.imm as u32, state.c);
}

#[inline]
fn test_reg(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) {
    let (operand, carry) = shift_c(get(state, inst.m), inst.shift.kind, inst.shift.amount.into(), state.c);
    set_nz(state, f(get(state, inst.n), operand));
    state.c = carry;
}

#[inline]
fn shift(state: &mut State, inst: &Inst, value: u32, kind: ShiftKind, amount: u32) {
    let (result, carry) = shift_c(value, kind, amount, state.c);
    if inst.set_flags {
        set_nz(state, result);
        state.c = carry;
    }
    put(state, inst.d, result);
}

#[inline]
fn shift_by_reg(state: &mut State, inst: &Inst, kind: ShiftKind) {
    shift(state, inst, get(state, inst.n), kind, get(state, inst.m) & 0xff);
}
