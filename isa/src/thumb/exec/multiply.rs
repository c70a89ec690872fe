//! Multiplication, multiplication of halfwords, division.

use super::super::{Inst, State};
use super::{NEXT, Step, get, put, set, set_nz};

/// MUL.
#[inline(always)]
pub(super) fn mul(state: &mut State, inst: &Inst) -> Step {
    let result = get(state, inst.n).wrapping_mul(get(state, inst.m));
    if inst.set_flags {
        set_nz(state, result);
    }
    set(state, inst, result)
}

/// SDIV; the one quotient that does not fit wraps.
pub(super) fn sdiv(n: u32, m: u32) -> u32 {
    if m == 0 { 0 } else { (n as i32).wrapping_div(m as i32) as u32 }
}

/// UDIV.
pub(super) fn udiv(n: u32, m: u32) -> u32 {
    n.checked_div(m).unwrap_or(0)
}

/// The product of n and m, unsigned.
#[inline(always)]
pub(super) fn unsigned(state: &State, inst: &Inst) -> u64 {
    u64::from(get(state, inst.n)) * u64::from(get(state, inst.m))
}

/// The product of n and m, signed.
#[inline(always)]
pub(super) fn signed(state: &State, inst: &Inst) -> u64 {
    (i64::from(get(state, inst.n) as i32) * i64::from(get(state, inst.m) as i32)) as u64
}

/// RdHi, RdLo become `value`.
#[inline(always)]
pub(super) fn set_pair(state: &mut State, inst: &Inst, value: u64) -> Step {
    put(state, inst.d, value as u32);
    put(state, inst.a, (value >> 32) as u32);
    NEXT
}

/// RdHi, RdLo become themselves plus `value`.
#[inline(always)]
pub(super) fn add_pair(state: &mut State, inst: &Inst, value: u64) -> Step {
    let pair = u64::from(get(state, inst.a)) << 32 | u64::from(get(state, inst.d));
    set_pair(state, inst, pair.wrapping_add(value))
}

/// UMAAL.
#[inline(always)]
pub(super) fn umaal(state: &mut State, inst: &Inst) -> Step {
    let value = unsigned(state, inst) + u64::from(get(state, inst.d)) + u64::from(get(state, inst.a));
    set_pair(state, inst, value)
}

/// One half of the lower word, for rounding.
pub(super) const HALF: u64 = 1 << 31;

/// The upper word of `value` plus the accumulator's place there.
#[inline(always)]
pub(super) fn upper(state: &mut State, inst: &Inst, accumulator: u32, value: u64) -> Step {
    let sum = (u64::from(accumulator) << 32).wrapping_add(value);
    set(state, inst, (sum >> 32) as u32)
}

/// The destination becomes `value`, and Q is set if it does not fit.
#[inline(always)]
pub(super) fn set_or_overflow(state: &mut State, inst: &Inst, value: i64) -> Step {
    state.q |= value != i64::from(value as i32);
    set(state, inst, value as u32)
}

/// The accumulator as a number.
#[inline(always)]
pub(super) fn accumulator(state: &State, inst: &Inst) -> i64 {
    i64::from(get(state, inst.a) as i32)
}

/// The lower (0) or upper (16) half of n times that of m.
#[inline(always)]
pub(super) fn halves(state: &State, inst: &Inst, of_n: u32, of_m: u32) -> i64 {
    half(get(state, inst.n), of_n) * half(get(state, inst.m), of_m)
}

/// The upper 32 of 48 bits of n times a half of m.
#[inline(always)]
pub(super) fn word_by_half(state: &State, inst: &Inst, of_m: u32) -> i64 {
    (i64::from(get(state, inst.n) as i32) * half(get(state, inst.m), of_m)) >> 16
}

/// Whether the halves of m change places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Straight,
    Crossed,
}

/// The sum of the products of the halves.
#[inline(always)]
pub(super) fn dual_sum(state: &State, inst: &Inst, order: Order) -> i64 {
    let (bottom, top) = products(state, inst, order);
    bottom + top
}

/// The product of the lower halves minus that of the upper ones.
#[inline(always)]
pub(super) fn dual_difference(state: &State, inst: &Inst, order: Order) -> i64 {
    let (bottom, top) = products(state, inst, order);
    bottom - top
}

#[inline(always)]
fn products(state: &State, inst: &Inst, order: Order) -> (i64, i64) {
    match order {
        Order::Straight => (halves(state, inst, 0, 0), halves(state, inst, 16, 16)),
        Order::Crossed => (halves(state, inst, 0, 16), halves(state, inst, 16, 0)),
    }
}

#[inline(always)]
fn half(x: u32, at: u32) -> i64 {
    i64::from((x >> at) as i16)
}
