//! Single-precision arithmetic, comparison and conversion.

use super::super::{Inst, Reg, State};
use super::convert::to_half;
use super::{NEXT, Step};
use crate::float::{self, Integer, Rounding, from_fixed, to_fixed};

/// The value of a single-precision register.
#[inline(always)]
pub(super) fn single(state: &State, reg: Reg) -> u32 {
    state.s[usize::from(reg.0 & 31)]
}

/// Sets a single-precision register.
#[inline(always)]
pub(super) fn put_single(state: &mut State, reg: Reg, value: u32) -> Step {
    state.s[usize::from(reg.0 & 31)] = value;
    NEXT
}

/// d = f(source).
pub(super) fn unary(state: &mut State, inst: &Inst, source: Reg, f: fn(u32, &mut u32) -> u32) -> Step {
    let value = f(single(state, source), &mut state.fpscr);
    put_single(state, inst.d, value)
}

/// d = f(n, m).
pub(super) fn binary(state: &mut State, inst: &Inst, f: fn(u32, u32, &mut u32) -> u32) -> Step {
    let value = f(single(state, inst.n), single(state, inst.m), &mut state.fpscr);
    put_single(state, inst.d, value)
}

/// d = d + n × m, each rounded; the addend and the product are negated by their masks.
pub(super) fn chained(state: &mut State, inst: &Inst, negate_addend: u32, negate_product: u32) -> Step {
    let product = float::mul(single(state, inst.n), single(state, inst.m), &mut state.fpscr) ^ negate_product;
    let value = float::add(single(state, inst.d) ^ negate_addend, product, &mut state.fpscr);
    put_single(state, inst.d, value)
}

/// d = d + n × m, rounded once; the addend and n are negated by their masks.
pub(super) fn fused(state: &mut State, inst: &Inst, negate_addend: u32, negate_n: u32) -> Step {
    let (addend, n) = (single(state, inst.d) ^ negate_addend, single(state, inst.n) ^ negate_n);
    let value = float::mul_add(addend, n, single(state, inst.m), &mut state.fpscr);
    put_single(state, inst.d, value)
}

/// Compares d with `y` into FPSCR's flags.
pub(super) fn compare_singles(state: &mut State, inst: &Inst, y: u32, quiet_too: bool) -> Step {
    let flags = float::compare(single(state, inst.d), y, quiet_too, &mut state.fpscr);
    state.fpscr = state.fpscr & 0x0fff_ffff | flags;
    NEXT
}

/// d = `source` with `imm` fraction bits, as an integer.
pub(super) fn to_integer(state: &mut State, inst: &Inst, source: Reg, format: Integer, rounding: Rounding) -> Step {
    let value = to_fixed(single(state, source), inst.imm as u32, format, rounding, &mut state.fpscr);
    put_single(state, inst.d, value)
}

/// d = the integer in `source`, which has `imm` fraction bits.
pub(super) fn from_integer(state: &mut State, inst: &Inst, source: Reg, format: Integer, rounding: Rounding) -> Step {
    let value = from_fixed(format.value(single(state, source)), inst.imm as u32, rounding, &mut state.fpscr);
    put_single(state, inst.d, value)
}

/// The half of d at bit `at` becomes m in half precision.
pub(super) fn to_half_at(state: &mut State, inst: &Inst, at: u32) -> Step {
    let half = to_half(single(state, inst.m), &mut state.fpscr);
    put_single(state, inst.d, single(state, inst.d) & !(0xffff << at) | half << at)
}
