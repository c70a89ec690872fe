//! Data processing: arithmetic, logic, shifts, bit fields, saturation.

use super::super::immediate::modified_constant_carry;
use super::super::{Inst, Reg, ShiftKind, State};
use super::alu::{add_with_carry, shift_c, shifted, signed_sat, unsigned_sat};
use super::{NEXT, Step, get, get_or_pc, jump, program_counter, set, set_nz};

/// The shifted second operand.
#[inline(always)]
pub(super) fn second(state: &State, inst: &Inst) -> u32 {
    shifted(get(state, inst.m), inst.shift, state.c)
}

/// The second operand rotated by 0, 8, 16 or 24.
#[inline(always)]
pub(super) fn rotated(state: &State, inst: &Inst) -> u32 {
    get(state, inst.m).rotate_right(inst.shift.amount.into())
}

/// Sets Q when saturated.
#[inline]
pub(super) fn sticky(state: &mut State, (value, saturated): (u32, bool)) -> u32 {
    state.q |= saturated;
    value
}

/// The destination becomes x + y + carry.
#[inline(always)]
pub(super) fn sum(state: &mut State, inst: &Inst, x: u32, y: u32, carry: bool) -> Step {
    if inst.set_flags {
        let result = flags_of_sum(state, x, y, carry);
        set(state, inst, result)
    } else {
        set(state, inst, x.wrapping_add(y).wrapping_add(carry.into()))
    }
}

/// ADD (register), which may add to PC.
#[inline(always)]
pub(super) fn add(state: &mut State, inst: &Inst) -> Step {
    let x = get_or_pc(state, inst.n);
    let y = if inst.m == Reg::PC { program_counter(state) } else { second(state, inst) };
    if inst.d == Reg::PC { jump(state, x.wrapping_add(y)) } else { sum(state, inst, x, y, false) }
}

/// MOV (register), which may set PC.
#[inline(always)]
pub(super) fn mov(state: &mut State, inst: &Inst) -> Step {
    let value = get_or_pc(state, inst.m);
    if inst.d == Reg::PC {
        return jump(state, value);
    }
    if inst.set_flags {
        set_nz(state, value);
    }
    set(state, inst, value)
}

/// Flags of n + y + carry.
#[inline(always)]
pub(super) fn compare(state: &mut State, inst: &Inst, y: u32, carry: bool) -> Step {
    flags_of_sum(state, get(state, inst.n), y, carry);
    NEXT
}

#[inline(always)]
fn flags_of_sum(state: &mut State, x: u32, y: u32, carry: bool) -> u32 {
    let (result, carry, overflow) = add_with_carry(x, y, carry);
    set_nz(state, result);
    state.c = carry;
    state.v = overflow;
    result
}

/// A logical function of n and a constant.
#[inline(always)]
pub(super) fn logic_imm(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) -> Step {
    let result = f(get(state, inst.n), inst.imm as u32);
    if inst.set_flags {
        flags_of_constant(state, inst, result);
    }
    set(state, inst, result)
}

/// A logical function of n and the shifted register.
#[inline(always)]
pub(super) fn logic_reg(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) -> Step {
    if inst.set_flags {
        let result = flags_of_shifted(state, inst, f);
        set(state, inst, result)
    } else {
        set(state, inst, f(get(state, inst.n), second(state, inst)))
    }
}

/// Flags of a logical function of n and a constant.
#[inline(always)]
pub(super) fn test_imm(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) -> Step {
    flags_of_constant(state, inst, f(get(state, inst.n), inst.imm as u32));
    NEXT
}

/// Flags of a logical function of n and the shifted register.
#[inline(always)]
pub(super) fn test_reg(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) -> Step {
    flags_of_shifted(state, inst, f);
    NEXT
}

#[inline(always)]
fn flags_of_constant(state: &mut State, inst: &Inst, result: u32) {
    set_nz(state, result);
    state.c = modified_constant_carry(inst.imm as u32).unwrap_or(state.c);
}

#[inline(always)]
fn flags_of_shifted(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) -> u32 {
    let (operand, carry) = shift_c(get(state, inst.m), inst.shift.kind, inst.shift.amount.into(), state.c);
    let result = f(get(state, inst.n), operand);
    set_nz(state, result);
    state.c = carry;
    result
}

/// A shift as an instruction of its own.
#[inline(always)]
pub(super) fn shift(state: &mut State, inst: &Inst, value: u32, kind: ShiftKind, amount: u32) -> Step {
    let (result, carry) = shift_c(value, kind, amount, state.c);
    if inst.set_flags {
        set_nz(state, result);
        state.c = carry;
    }
    set(state, inst, result)
}

/// m shifted by a constant.
#[inline(always)]
pub(super) fn shift_by_constant(state: &mut State, inst: &Inst, kind: ShiftKind) -> Step {
    shift(state, inst, get(state, inst.m), kind, inst.shift.amount.into())
}

/// n shifted by the low byte of m.
#[inline(always)]
pub(super) fn shift_by_register(state: &mut State, inst: &Inst, kind: ShiftKind) -> Step {
    shift(state, inst, get(state, inst.n), kind, get(state, inst.m) & 0xff)
}

/// ADR.
#[inline(always)]
pub(super) fn adr(state: &mut State, inst: &Inst) -> Step {
    set(state, inst, (program_counter(state) & !3).wrapping_add(inst.imm as u32))
}

/// The bits of the field at `imm` of `imm2` bits.
#[inline(always)]
fn field(inst: &Inst) -> u32 {
    let below = ((1u64 << (inst.imm2 & 63)) - 1) as u32;
    below << (inst.imm & 31)
}

/// BFI, and BFC with 0 for n.
#[inline(always)]
pub(super) fn insert(state: &mut State, inst: &Inst, n: u32) -> Step {
    let field = field(inst);
    set(state, inst, get(state, inst.d) & !field | n << (inst.imm & 31) & field)
}

/// UBFX.
#[inline(always)]
pub(super) fn extract(state: &mut State, inst: &Inst) -> Step {
    set(state, inst, (get(state, inst.n) & field(inst)) >> (inst.imm & 31))
}

/// SBFX.
#[inline(always)]
pub(super) fn extract_signed(state: &mut State, inst: &Inst) -> Step {
    let unused = 32u32.wrapping_sub(inst.imm2);
    let above = unused.wrapping_sub(inst.imm as u32);
    set(state, inst, ((get(state, inst.n) << (above & 31)) as i32 >> (unused & 31)) as u32)
}

/// SSAT.
pub(super) fn ssat(state: &mut State, inst: &Inst) -> Step {
    let source = shifted(get(state, inst.n), inst.shift, false) as i32;
    let value = sticky(state, signed_sat(source.into(), inst.imm2.clamp(1, 32)));
    set(state, inst, value)
}

/// USAT.
pub(super) fn usat(state: &mut State, inst: &Inst) -> Step {
    let source = shifted(get(state, inst.n), inst.shift, false) as i32;
    let value = sticky(state, unsigned_sat(source.into(), inst.imm2.min(32)));
    set(state, inst, value)
}
