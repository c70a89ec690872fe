//! Parallel arithmetic on bytes and halfwords, and what goes with it.

use super::super::{Bus, Fault, Inst, Op, Outcome, State};
use super::alu::{signed_sat, unsigned_sat};
use super::data::{rotated, sticky};
use super::{get, memory, put};

/// What is done with the exact sum or difference of a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Kept modulo the lane, with GE set.
    Wrap,
    Saturate,
    Halve,
}

/// What happens in the lanes.
#[derive(Clone, Copy)]
struct Lanes {
    bits: u32,
    /// Bit i: lane i subtracts.
    subtract: u32,
    /// The second operand's halves are exchanged.
    exchange: bool,
}

const ADD16: Lanes = Lanes { bits: 16, subtract: 0, exchange: false };
const SUB16: Lanes = Lanes { bits: 16, subtract: 3, exchange: false };
const ASX: Lanes = Lanes { bits: 16, subtract: 1, exchange: true };
const SAX: Lanes = Lanes { bits: 16, subtract: 2, exchange: true };
const ADD8: Lanes = Lanes { bits: 8, subtract: 0, exchange: false };
const SUB8: Lanes = Lanes { bits: 8, subtract: 15, exchange: false };

pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    use Effect::{Halve, Saturate, Wrap};
    let (lanes, effect, signed) = match inst.op {
        Op::Sadd16 => (ADD16, Wrap, true),
        Op::Sadd8 => (ADD8, Wrap, true),
        Op::Sasx => (ASX, Wrap, true),
        Op::Ssax => (SAX, Wrap, true),
        Op::Ssub16 => (SUB16, Wrap, true),
        Op::Ssub8 => (SUB8, Wrap, true),
        Op::Qadd16 => (ADD16, Saturate, true),
        Op::Qadd8 => (ADD8, Saturate, true),
        Op::Qasx => (ASX, Saturate, true),
        Op::Qsax => (SAX, Saturate, true),
        Op::Qsub16 => (SUB16, Saturate, true),
        Op::Qsub8 => (SUB8, Saturate, true),
        Op::Shadd16 => (ADD16, Halve, true),
        Op::Shadd8 => (ADD8, Halve, true),
        Op::Shasx => (ASX, Halve, true),
        Op::Shsax => (SAX, Halve, true),
        Op::Shsub16 => (SUB16, Halve, true),
        Op::Shsub8 => (SUB8, Halve, true),
        Op::Uadd16 => (ADD16, Wrap, false),
        Op::Uadd8 => (ADD8, Wrap, false),
        Op::Uasx => (ASX, Wrap, false),
        Op::Usax => (SAX, Wrap, false),
        Op::Usub16 => (SUB16, Wrap, false),
        Op::Usub8 => (SUB8, Wrap, false),
        Op::Uqadd16 => (ADD16, Saturate, false),
        Op::Uqadd8 => (ADD8, Saturate, false),
        Op::Uqasx => (ASX, Saturate, false),
        Op::Uqsax => (SAX, Saturate, false),
        Op::Uqsub16 => (SUB16, Saturate, false),
        Op::Uqsub8 => (SUB8, Saturate, false),
        Op::Uhadd16 => (ADD16, Halve, false),
        Op::Uhadd8 => (ADD8, Halve, false),
        Op::Uhasx => (ASX, Halve, false),
        Op::Uhsax => (SAX, Halve, false),
        Op::Uhsub16 => (SUB16, Halve, false),
        Op::Uhsub8 => (SUB8, Halve, false),
        _ => return others(state, bus, inst, next),
    };
    let value = in_lanes(state, inst, lanes, effect, signed);
    put(state, inst.d, value);
    Ok(Outcome::Next)
}

/// The rows that are no parallel addition.
fn others<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    let value = match inst.op {
        Op::Sel => {
            let mask = (0..4).fold(0, |mask, i| mask | if state.ge >> i & 1 != 0 { 0xff << (8 * i) } else { 0 });
            n & mask | m & !mask
        }
        Op::Usad8 => differences(n, m),
        Op::Usada8 => get(state, inst.a).wrapping_add(differences(n, m)),
        Op::Sxtb16 => each_half(0, rotated(state, inst), |x| x as i8 as u32),
        Op::Uxtb16 => each_half(0, rotated(state, inst), |x| x & 0xff),
        Op::Sxtab16 => each_half(n, rotated(state, inst), |x| x as i8 as u32),
        Op::Uxtab16 => each_half(n, rotated(state, inst), |x| x & 0xff),
        Op::Ssat16 => saturate_halves(state, n, |x| signed_sat(x, inst.imm2.clamp(1, 16))),
        Op::Usat16 => saturate_halves(state, n, |x| unsigned_sat(x, inst.imm2.min(16))),
        Op::Qadd => sticky(state, signed_sat(signed(m) + signed(n), 32)),
        Op::Qsub => sticky(state, signed_sat(signed(m) - signed(n), 32)),
        Op::Qdadd => {
            let doubled = doubled(state, n);
            sticky(state, signed_sat(signed(m) + doubled, 32))
        }
        Op::Qdsub => {
            let doubled = doubled(state, n);
            sticky(state, signed_sat(signed(m) - doubled, 32))
        }
        _ => return memory::exclusive(state, bus, inst, next),
    };
    put(state, inst.d, value);
    Ok(Outcome::Next)
}

#[inline(always)]
fn in_lanes(state: &mut State, inst: &Inst, lanes: Lanes, effect: Effect, signed: bool) -> u32 {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    let m = if lanes.exchange { m.rotate_right(16) } else { m };
    let (mask, sign) = ((1u32 << lanes.bits) - 1, if signed { 1u32 << (lanes.bits - 1) } else { 0 });
    let lane = |x: u32, at: u32| ((x >> at & mask) ^ sign) as i32 - sign as i32;
    let (mut result, mut ge) = (0, 0);
    for at in (0..32).step_by(lanes.bits as usize) {
        let subtract = lanes.subtract >> (at / lanes.bits) & 1 != 0;
        let exact = if subtract { lane(n, at) - lane(m, at) } else { lane(n, at) + lane(m, at) };
        let enough = if signed || subtract { 0 } else { 1 << lanes.bits };
        if exact >= enough {
            ge |= ((1u32 << (lanes.bits / 8)) - 1) << (at / 8);
        }
        let value = match effect {
            Effect::Wrap => exact as u32,
            Effect::Saturate if signed => signed_sat(exact.into(), lanes.bits).0,
            Effect::Saturate => unsigned_sat(exact.into(), lanes.bits).0,
            Effect::Halve => (exact >> 1) as u32,
        };
        result |= (value & mask) << at;
    }
    if effect == Effect::Wrap {
        state.ge = ge as u8;
    }
    result
}

fn signed(x: u32) -> i64 {
    i64::from(x as i32)
}

fn doubled(state: &mut State, x: u32) -> i64 {
    signed(sticky(state, signed_sat(2 * signed(x), 32)))
}

/// The sum of the absolute differences of the bytes.
fn differences(n: u32, m: u32) -> u32 {
    (0..32).step_by(8).map(|at| (n >> at & 0xff).abs_diff(m >> at & 0xff)).sum()
}

/// Adds `extend` of bytes 0 and 2 of `x` to the halves of `n`.
fn each_half(n: u32, x: u32, extend: impl Fn(u32) -> u32) -> u32 {
    let low = n.wrapping_add(extend(x)) & 0xffff;
    let high = (n >> 16).wrapping_add(extend(x >> 16)) << 16;
    high | low
}

fn saturate_halves(state: &mut State, n: u32, saturate: impl Fn(i64) -> (u32, bool)) -> u32 {
    let low = sticky(state, saturate((n as i16).into()));
    let high = sticky(state, saturate(((n >> 16) as i16).into()));
    high << 16 | low & 0xffff
}
