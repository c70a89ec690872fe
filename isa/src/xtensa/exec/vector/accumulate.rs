//! The accumulators: ACCX for the sum of all lanes, QACC with one for each lane.

use super::super::super::{Bus, Inst, State, Vector};
use super::super::{NEXT, Step, get, set};
use super::lanes::{BYTES, HALVES, Sign, accumulators, join, saturate, set_accumulators, split};
use super::memory::{Make, load};
use super::shift::funnel;
use super::{put, x, y};

/// Bits of ACCX.
const WIDTH: usize = 40;

/// Sets ACCX to the low bits of a number.
pub(super) fn set_accx(vector: &mut Vector, value: i64) {
    vector.accx = value as u64 & ((1 << WIDTH) - 1);
}

fn accx(vector: &Vector, sign: Sign) -> i64 {
    let unused = 64 - WIDTH;
    match sign {
        Sign::Signed => (vector.accx << unused) as i64 >> unused,
        Sign::Unsigned => vector.accx as i64,
    }
}

/// What adds to an accumulator.
pub(super) type Sum = fn(&mut State, &Inst);

/// The lanes of both sources.
fn factors<const N: usize>(state: &State, inst: &Inst, sign: Sign) -> [[i64; N]; 2] {
    [x(state, inst), y(state, inst)].map(|vector| split::<N>(vector, sign))
}

/// Adds the products of all lanes to ACCX; only the last sum is saturated.
fn to_accx<const N: usize>(state: &mut State, inst: &Inst, sign: Sign) {
    let [x, y] = factors::<N>(state, inst, sign);
    let sum = x.iter().zip(y).map(|(x, y)| x * y).sum::<i64>();
    let value = accx(&state.vector, sign) + sum;
    set_accx(&mut state.vector, saturate(value, WIDTH, sign));
}

/// Adds each lane's product to its accumulator, of 20 bits for bytes and of 40 for halfwords, and saturates.
fn add<const N: usize>(state: &mut State, [x, y]: [[i64; N]; 2], sign: Sign) {
    let old = accumulators::<N>(&state.vector, sign);
    let sums = std::array::from_fn(|i| saturate(old[i] + x[i] * y[i], 320 / N, sign));
    set_accumulators::<N>(&mut state.vector, sums);
}

fn to_qacc<const N: usize>(state: &mut State, inst: &Inst, sign: Sign) {
    add::<N>(state, factors::<N>(state, inst, sign), sign);
}

/// The same with one lane of the second source for all.
fn scaled_to_qacc<const N: usize>(state: &mut State, inst: &Inst) {
    let [x, y] = factors::<N>(state, inst, Sign::Signed);
    add::<N>(state, [x, [y[inst.imm as usize % N]; N]], Sign::Signed);
}

pub(super) const ACCX_S8: Sum = |state, inst| to_accx::<BYTES>(state, inst, Sign::Signed);
pub(super) const ACCX_S16: Sum = |state, inst| to_accx::<HALVES>(state, inst, Sign::Signed);
pub(super) const ACCX_U8: Sum = |state, inst| to_accx::<BYTES>(state, inst, Sign::Unsigned);
pub(super) const ACCX_U16: Sum = |state, inst| to_accx::<HALVES>(state, inst, Sign::Unsigned);
pub(super) const QACC_S8: Sum = |state, inst| to_qacc::<BYTES>(state, inst, Sign::Signed);
pub(super) const QACC_S16: Sum = |state, inst| to_qacc::<HALVES>(state, inst, Sign::Signed);
pub(super) const QACC_U8: Sum = |state, inst| to_qacc::<BYTES>(state, inst, Sign::Unsigned);
pub(super) const QACC_U16: Sum = |state, inst| to_qacc::<HALVES>(state, inst, Sign::Unsigned);
pub(super) const SCALED_S8: Sum = scaled_to_qacc::<BYTES>;
pub(super) const SCALED_S16: Sum = scaled_to_qacc::<HALVES>;

/// A sum alone.
pub(super) fn sum(state: &mut State, inst: &Inst, sum: Sum) -> Step {
    sum(state, inst);
    NEXT
}

/// A sum, and a load into field `w` of what `make` makes of the bytes.
pub(super) fn sum_load<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    (sum, access, make): (Sum, [u32; 2], Make),
) -> Step {
    load(state, bus, inst, access, |state, value| {
        sum(state, inst);
        put(state, inst.w, make(value, 0));
    })
}

/// The same, and 16 bytes of unaligned data into qs0.
pub(super) fn sum_load_funnel<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    (sum, access, make): (Sum, [u32; 2], Make),
) -> Step {
    let moved = funnel(state, inst);
    sum_load(state, bus, inst, (sum, access, make))?;
    put(state, inst.r, moved);
    NEXT
}

/// QACC from the lanes of a vector.
pub(super) fn spread<const N: usize>(vector: &mut Vector, value: u128, sign: Sign) {
    set_accumulators::<N>(vector, split::<N>(value, sign));
}

/// EE.MOV.QACC.
pub(super) fn spread_source<const N: usize>(state: &mut State, inst: &Inst, sign: Sign) -> Step {
    let value = x(state, inst);
    spread::<N>(&mut state.vector, value, sign);
    NEXT
}

/// EE.SRCMB: shifts all accumulators right, where they stay as they are then, and gives them saturated to a lane's bits. Of
/// the register five bits count for bytes and six for halfwords. (The immediate 1 is not described; taken as 0.)
pub(super) fn read_qacc<const N: usize>(state: &mut State, inst: &Inst) -> Step {
    let amount = get(state, inst.s) & if N == BYTES { 31 } else { 63 };
    let shifted = accumulators::<N>(&state.vector, Sign::Signed).map(|lane| lane >> amount);
    set_accumulators::<N>(&mut state.vector, shifted);
    put(state, inst.r, join(shifted.map(|lane| saturate(lane, 128 / N, Sign::Signed))));
    NEXT
}

/// EE.SRS.ACCX: the same with ACCX and 32 bits.
pub(super) fn read_accx(state: &mut State, inst: &Inst) -> Step {
    let shifted = accx(&state.vector, Sign::Signed) >> (get(state, inst.s) & 63);
    set_accx(&mut state.vector, shifted);
    set(state, inst.t, saturate(shifted, 32, Sign::Signed) as u32)
}
