//! Sums, extremes and comparisons of lanes, and pins.

use super::super::super::{Inst, State, Vector};
use super::super::{NEXT, Step};
use super::lanes::{Sign, each, saturate};
use super::{x, y};

/// `f` of each pair of signed lanes, or the nearest number that a lane can hold.
fn saturated<const N: usize>(state: &State, inst: &Inst, f: impl Fn(i64, i64) -> i64) -> u128 {
    let sources = [x(state, inst), y(state, inst)];
    each::<N>(sources, Sign::Signed, |x, y| saturate(f(x, y), 128 / N, Sign::Signed))
}

/// EE.VADDS.
pub(super) fn adds<const N: usize>(state: &State, inst: &Inst) -> u128 {
    saturated::<N>(state, inst, |x, y| x + y)
}

/// EE.VSUBS.
pub(super) fn subs<const N: usize>(state: &State, inst: &Inst) -> u128 {
    saturated::<N>(state, inst, |x, y| x - y)
}

/// EE.VMAX.
pub(super) fn max<const N: usize>(state: &State, inst: &Inst) -> u128 {
    saturated::<N>(state, inst, i64::max)
}

/// EE.VMIN.
pub(super) fn min<const N: usize>(state: &State, inst: &Inst) -> u128 {
    saturated::<N>(state, inst, i64::min)
}

/// All ones where `holds`, else 0.
pub(super) fn compared<const N: usize>(state: &State, inst: &Inst, holds: fn(i64, i64) -> bool) -> u128 {
    each::<N>([x(state, inst), y(state, inst)], Sign::Signed, |x, y| if holds(x, y) { -1 } else { 0 })
}

/// Changes state of the extension.
pub(super) fn put_state(state: &mut State, change: fn(&mut Vector)) -> Step {
    change(&mut state.vector);
    NEXT
}

/// Sets the pins of `mask`, eight of them, to the bits of `value`.
pub(super) fn set_pins(state: &mut State, mask: u32, value: u32) -> Step {
    let (mask, pins) = (mask & 0xff, &mut state.vector.gpio_out);
    *pins = *pins & !mask | value & mask;
    NEXT
}
