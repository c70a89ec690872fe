//! Shifts, and what counts or clamps bits.

use super::super::{State, sr};
use super::{NEXT, Step};

/// The shift amount.
#[inline(always)]
fn amount(state: &State) -> u32 {
    state.special[sr::SAR] & 63
}

/// Sets the shift amount.
#[inline(always)]
pub(super) fn set_amount(state: &mut State, amount: u32) -> Step {
    state.special[sr::SAR] = amount;
    NEXT
}

/// The low word of `high` and `low` as one number, shifted right by SAR: what SLL, SRL and SRC do. (SLL and SRL for SAR
/// beyond 32 are not defined; the formula of the manual is taken as it stands.)
#[inline(always)]
pub(super) fn funnel(state: &State, high: u32, low: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> amount(state)) as u32
}

/// SRA.
pub(super) fn arithmetic(state: &State, x: u32) -> u32 {
    (i64::from(x as i32) >> amount(state)) as u32
}

/// SEXT: bit `sign` becomes all bits above.
pub(super) fn extended(x: u32, sign: i64) -> u32 {
    let unused = 31 - sign as u32;
    ((x << unused) as i32 >> unused) as u32
}

/// CLAMPS: the nearest number of `bits` bits and a sign.
pub(super) fn clamped(x: u32, bits: i64) -> u32 {
    let end = 1i32 << bits;
    (x as i32).clamp(-end, end - 1) as u32
}

/// NSA: how often the sign bit is repeated below itself.
pub(super) fn redundant_signs(x: u32) -> u32 {
    (x ^ (x as i32 >> 31) as u32).leading_zeros() - 1
}

/// EXTUI: `width` bits from bit `at` up.
pub(super) fn field(x: u32, at: i64, width: i64) -> u32 {
    x >> at & (u32::MAX >> (32 - width))
}
