//! Parallel arithmetic on bytes and halfwords, and what goes with it.

use super::super::{Inst, State};
use super::alu::{signed_sat, unsigned_sat};
use super::data::{rotated, sticky};
use super::{Step, get, set};

/// What is done with the exact sum or difference of a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Kept modulo the lane, with GE set.
    Wrap,
    /// Saturated to the lane.
    Saturate,
    /// Halved.
    Halve,
}

/// What happens in the lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    Add16,
    Sub16,
    /// Exchange, subtract below, add above.
    Asx,
    /// Exchange, add below, subtract above.
    Sax,
    Add8,
    Sub8,
}

/// A row on signed lanes.
pub(super) fn signed_lanes(state: &mut State, inst: &Inst, lanes: Lanes, effect: Effect) -> Step {
    by_width::<true>(state, inst, lanes, effect)
}

/// A row on unsigned lanes.
pub(super) fn unsigned_lanes(state: &mut State, inst: &Inst, lanes: Lanes, effect: Effect) -> Step {
    by_width::<false>(state, inst, lanes, effect)
}

#[inline(always)]
fn by_width<const SIGNED: bool>(state: &mut State, inst: &Inst, lanes: Lanes, effect: Effect) -> Step {
    match lanes {
        Lanes::Add16 => in_lanes::<16, SIGNED>(state, inst, false, 0b00, effect),
        Lanes::Sub16 => in_lanes::<16, SIGNED>(state, inst, false, 0b11, effect),
        Lanes::Asx => in_lanes::<16, SIGNED>(state, inst, true, 0b01, effect),
        Lanes::Sax => in_lanes::<16, SIGNED>(state, inst, true, 0b10, effect),
        Lanes::Add8 => in_lanes::<8, SIGNED>(state, inst, false, 0b0000, effect),
        Lanes::Sub8 => in_lanes::<8, SIGNED>(state, inst, false, 0b1111, effect),
    }
}

/// Lanes of `BITS` bits; those with a bit in `subtract` subtract.
#[inline(always)]
fn in_lanes<const BITS: u32, const SIGNED: bool>(
    state: &mut State,
    inst: &Inst,
    exchange: bool,
    subtract: u32,
    effect: Effect,
) -> Step {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    let m = if exchange { m.rotate_right(16) } else { m };
    let mask = (1u32 << BITS) - 1;
    let lane = |x: u32, at: u32| {
        let raw = x >> at & mask;
        if SIGNED { (raw << (32 - BITS)) as i32 >> (32 - BITS) } else { raw as i32 }
    };
    let (mut result, mut ge) = (0, 0);
    for i in 0..32 / BITS {
        let (x, y, subtracts) = (lane(n, i * BITS), lane(m, i * BITS), subtract >> i & 1 != 0);
        let exact = if subtracts { x - y } else { x + y };
        let enough = if SIGNED || subtracts { 0 } else { 1 << BITS };
        if exact >= enough {
            ge |= ((1u32 << (BITS / 8)) - 1) << (i * BITS / 8);
        }
        let value = match effect {
            Effect::Wrap => exact as u32,
            Effect::Saturate if SIGNED => signed_sat(exact.into(), BITS).0,
            Effect::Saturate => unsigned_sat(exact.into(), BITS).0,
            Effect::Halve => (exact >> 1) as u32,
        };
        result |= (value & mask) << (i * BITS);
    }
    if effect == Effect::Wrap {
        state.ge = ge as u8;
    }
    set(state, inst, result)
}

/// SEL.
#[inline(always)]
pub(super) fn select(state: &mut State, inst: &Inst) -> Step {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    let mask = (0..4).fold(0, |mask, i| mask | if state.ge >> i & 1 != 0 { 0xff << (8 * i) } else { 0 });
    set(state, inst, n & mask | m & !mask)
}

/// The sum of the absolute differences of the bytes of n and m.
pub(super) fn differences(state: &State, inst: &Inst) -> u32 {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    (0..32).step_by(8).map(|at| (n >> at & 0xff).abs_diff(m >> at & 0xff)).sum()
}

/// Adds bytes 0 and 2 of the rotated m, extended, to the halves of `n`.
#[inline(always)]
pub(super) fn extend_halves(state: &mut State, inst: &Inst, n: u32, extend: impl Fn(u32) -> u32) -> Step {
    let x = rotated(state, inst);
    let low = n.wrapping_add(extend(x)) & 0xffff;
    let high = (n >> 16).wrapping_add(extend(x >> 16)) << 16;
    set(state, inst, high | low)
}

/// SSAT16.
pub(super) fn ssat16(state: &mut State, inst: &Inst) -> Step {
    saturate_halves(state, inst, |x| signed_sat(x, inst.imm2.clamp(1, 16)))
}

/// USAT16.
pub(super) fn usat16(state: &mut State, inst: &Inst) -> Step {
    saturate_halves(state, inst, |x| unsigned_sat(x, inst.imm2.min(16)))
}

#[inline(always)]
fn saturate_halves(state: &mut State, inst: &Inst, saturate: impl Fn(i64) -> (u32, bool)) -> Step {
    let n = get(state, inst.n);
    let low = sticky(state, saturate((n as i16).into()));
    let high = sticky(state, saturate(((n >> 16) as i16).into()));
    set(state, inst, high << 16 | low & 0xffff)
}

/// m + n or m - n, n doubled first if so, saturated each time.
pub(super) fn saturating(state: &mut State, inst: &Inst, double: bool, subtract: bool) -> Step {
    let signed = |x: u32| i64::from(x as i32);
    let (m, mut n) = (signed(get(state, inst.m)), signed(get(state, inst.n)));
    if double {
        n = signed(sticky(state, signed_sat(2 * n, 32)));
    }
    let value = sticky(state, signed_sat(if subtract { m - n } else { m + n }, 32));
    set(state, inst, value)
}
