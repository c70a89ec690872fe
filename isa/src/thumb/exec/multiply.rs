//! Multiplication, multiplication of halfwords, division.

use super::super::{Bus, Fault, Inst, Op, Outcome, State};
use super::{get, parallel, put, set_nz};

#[inline(always)]
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let (n, m, a) = (get(state, inst.n), get(state, inst.m), get(state, inst.a));
    let value = match inst.op {
        Op::Mul => {
            let result = n.wrapping_mul(m);
            if inst.set_flags {
                set_nz(state, result);
            }
            result
        }
        Op::Mla => n.wrapping_mul(m).wrapping_add(a),
        Op::Mls => a.wrapping_sub(n.wrapping_mul(m)),
        Op::Sdiv => (n as i32).checked_div(m as i32).map_or(if m == 0 { 0 } else { n }, |quotient| quotient as u32),
        Op::Udiv => n.checked_div(m).unwrap_or(0),
        Op::Smmul => upper(product(n, m)),
        Op::Smmulr => upper(product(n, m).wrapping_add(HALF)),
        Op::Smmla => upper(pair(0, a).wrapping_add(product(n, m))),
        Op::Smmlar => upper(pair(0, a).wrapping_add(product(n, m)).wrapping_add(HALF)),
        Op::Smmls => upper(pair(0, a).wrapping_sub(product(n, m))),
        Op::Smmlsr => upper(pair(0, a).wrapping_sub(product(n, m)).wrapping_add(HALF)),
        Op::Umull | Op::Smull | Op::Umlal | Op::Smlal | Op::Umaal => return Ok(long(state, inst)),
        _ => return halfwords(state, bus, inst, next),
    };
    put(state, inst.d, value);
    Ok(Outcome::Next)
}

/// The rows with a result in RdLo, RdHi.
#[inline(always)]
fn long(state: &mut State, inst: &Inst) -> Outcome {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    let (low, high) = (get(state, inst.d), get(state, inst.a));
    let unsigned = u64::from(n) * u64::from(m);
    let result = match inst.op {
        Op::Umull => unsigned,
        Op::Smull => product(n, m) as u64,
        Op::Umlal => unsigned.wrapping_add(pair(low, high) as u64),
        Op::Smlal => product(n, m).wrapping_add(pair(low, high)) as u64,
        _ => unsigned + u64::from(low) + u64::from(high),
    };
    put_pair(state, inst, result);
    Outcome::Next
}

/// The rows on 16-bit factors.
fn halfwords<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let (n, m, a) = (get(state, inst.n), get(state, inst.m), i64::from(get(state, inst.a) as i32));
    let crossed = m.rotate_right(16);
    let value = match inst.op {
        Op::Smulbb => bottom(n) * bottom(m),
        Op::Smulbt => bottom(n) * top(m),
        Op::Smultb => top(n) * bottom(m),
        Op::Smultt => top(n) * top(m),
        Op::Smlabb => bottom(n) * bottom(m) + a,
        Op::Smlabt => bottom(n) * top(m) + a,
        Op::Smlatb => top(n) * bottom(m) + a,
        Op::Smlatt => top(n) * top(m) + a,
        Op::Smulwb => (i64::from(n as i32) * bottom(m)) >> 16,
        Op::Smulwt => (i64::from(n as i32) * top(m)) >> 16,
        Op::Smlawb => ((i64::from(n as i32) * bottom(m)) >> 16) + a,
        Op::Smlawt => ((i64::from(n as i32) * top(m)) >> 16) + a,
        Op::Smuad => dual(n, m, 1),
        Op::Smuadx => dual(n, crossed, 1),
        Op::Smusd => dual(n, m, -1),
        Op::Smusdx => dual(n, crossed, -1),
        Op::Smlad => dual(n, m, 1) + a,
        Op::Smladx => dual(n, crossed, 1) + a,
        Op::Smlsd => dual(n, m, -1) + a,
        Op::Smlsdx => dual(n, crossed, -1) + a,
        _ => return long_halfwords(state, bus, inst, next),
    };
    state.q |= value != i64::from(value as i32);
    put(state, inst.d, value as u32);
    Ok(Outcome::Next)
}

/// The rows that add products of 16-bit factors to RdLo, RdHi.
fn long_halfwords<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let (n, m) = (get(state, inst.n), get(state, inst.m));
    let crossed = m.rotate_right(16);
    let term = match inst.op {
        Op::Smlalbb => bottom(n) * bottom(m),
        Op::Smlalbt => bottom(n) * top(m),
        Op::Smlaltb => top(n) * bottom(m),
        Op::Smlaltt => top(n) * top(m),
        Op::Smlald => dual(n, m, 1),
        Op::Smlaldx => dual(n, crossed, 1),
        Op::Smlsld => dual(n, m, -1),
        Op::Smlsldx => dual(n, crossed, -1),
        _ => return parallel::execute(state, bus, inst, next),
    };
    let accumulator = pair(get(state, inst.d), get(state, inst.a));
    put_pair(state, inst, accumulator.wrapping_add(term) as u64);
    Ok(Outcome::Next)
}

/// One half of the lower word, for rounding.
const HALF: i64 = 1 << 31;

fn product(n: u32, m: u32) -> i64 {
    i64::from(n as i32) * i64::from(m as i32)
}

fn pair(low: u32, high: u32) -> i64 {
    (u64::from(high) << 32 | u64::from(low)) as i64
}

fn upper(value: i64) -> u32 {
    (value >> 32) as u32
}

fn put_pair(state: &mut State, inst: &Inst, value: u64) {
    put(state, inst.d, value as u32);
    put(state, inst.a, (value >> 32) as u32);
}

fn bottom(x: u32) -> i64 {
    i64::from(x as i16)
}

fn top(x: u32) -> i64 {
    bottom(x >> 16)
}

/// The product of the bottom halves, and `sign` times that of the top halves.
fn dual(n: u32, m: u32, sign: i64) -> i64 {
    bottom(n) * bottom(m) + sign * top(n) * top(m)
}
