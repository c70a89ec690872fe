//! Shifts of lanes and of whole vectors by bytes, and rearrangement of lanes.

use super::super::super::{Bus, Inst, State};
use super::super::{NEXT, Step, get, set};
use super::lanes::{Sign, WORDS, join, split};
use super::memory::{WHOLE, load, store};
use super::{amount, put, q, x};

/// The first amount by which the shifter gives something else than a shift.
const TOO_FAR: u32 = 32;

/// An arithmetic shift to the right by SAR. The chip gives 0 for 32, of negative numbers too; taken as the rule for all
/// amounts from there on, which the manual leaves open.
pub(super) fn by_amount(value: i64, amount: u32) -> i64 {
    if amount < TOO_FAR { value >> amount } else { 0 }
}

/// EE.VSR.32.
pub(super) fn right(state: &State, inst: &Inst) -> u128 {
    join(split::<WORDS>(x(state, inst), Sign::Signed).map(|lane| by_amount(lane, amount(state))))
}

/// EE.VSL.32. The chip gives the limit of the lane's sign for 32; taken as the rule from there on.
pub(super) fn left(state: &State, inst: &Inst) -> u128 {
    let shifted = |lane: i64| match amount(state) {
        amount if amount < TOO_FAR => lane << amount,
        _ if lane < 0 => i32::MIN.into(),
        _ => i32::MAX.into(),
    };
    join(split::<WORDS>(x(state, inst), Sign::Signed).map(shifted))
}

/// The lower 128 of 256 bits, shifted right by 0 to 15 bytes.
fn shifted_right(low: u128, high: u128, bytes: u32) -> u128 {
    if bytes == 0 { low } else { low >> (8 * bytes) | high << (128 - 8 * bytes) }
}

/// The 16 bytes from byte SAR_BYTE on of qs0 and qs1.
pub(super) fn funnel(state: &State, inst: &Inst) -> u128 {
    shifted_right(q(state, inst.r), q(state, inst.z), state.vector.sar_byte & 15)
}

/// EE.SRC.Q.
pub(super) fn extract(state: &mut State, inst: &Inst) -> Step {
    let value = funnel(state, inst);
    put(state, inst.w, value);
    NEXT
}

/// EE.SRC.Q.QUP.
pub(super) fn extract_and_move_up(state: &mut State, inst: &Inst) -> Step {
    let (value, next) = (funnel(state, inst), q(state, inst.z));
    put(state, inst.w, value);
    put(state, inst.r, next);
    NEXT
}

/// EE.SRC.Q.LD: the extracted bytes replace qs0.
pub(super) fn extract_and_load<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, step: u32) -> Step {
    let value = funnel(state, inst);
    load(state, bus, inst, [WHOLE, step], |state, loaded| {
        put(state, inst.r, value);
        put(state, inst.w, loaded);
    })
}

/// EE.SRCQ.128.ST.INCP.
pub(super) fn extract_and_store<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    let value = funnel(state, inst);
    store(state, bus, inst, [WHOLE, WHOLE], value)
}

/// Shifts qs0 and qs1 together to the left by 1 to 16 bytes.
pub(super) fn left_by_bytes(state: &mut State, inst: &Inst, bytes: u32) -> Step {
    let (low, high) = (q(state, inst.r), q(state, inst.z));
    put(state, inst.r, low.checked_shl(8 * bytes).unwrap_or(0));
    put(state, inst.z, shifted_right(low, high, 16 - bytes));
    NEXT
}

/// Shifts them to the right.
pub(super) fn right_by_bytes(state: &mut State, inst: &Inst, bytes: u32) -> Step {
    let (low, high) = (q(state, inst.r), q(state, inst.z));
    put(state, inst.r, if bytes == 16 { high } else { shifted_right(low, high, bytes) });
    put(state, inst.z, high.checked_shr(8 * bytes).unwrap_or(0));
    NEXT
}

/// The bytes by which a register says to shift.
pub(super) fn bytes(state: &State, inst: &Inst) -> u32 {
    get(state, inst.s) % 16 + 1
}

/// Adds `ad` to that register afterwards.
pub(super) fn moving(state: &mut State, inst: &Inst, shift: fn(&mut State, &Inst, u32) -> Step) -> Step {
    let (bytes, moved) = (bytes(state, inst), get(state, inst.s).wrapping_add(get(state, inst.t)));
    shift(state, inst, bytes)?;
    set(state, inst.s, moved)
}

/// N lanes of qs0 and qs1 by turns, in both.
pub(super) fn zip<const N: usize>(state: &mut State, inst: &Inst) -> Step {
    let [low, high] = [inst.r, inst.z].map(|reg| split::<N>(q(state, reg), Sign::Unsigned));
    let lane = |i: usize| if i.is_multiple_of(2) { low[i / 2] } else { high[i / 2] };
    put(state, inst.r, join::<N>(std::array::from_fn(lane)));
    put(state, inst.z, join::<N>(std::array::from_fn(|i| lane(i + N))));
    NEXT
}

/// The reverse: lanes of even number in qs0, of odd number in qs1.
pub(super) fn unzip<const N: usize>(state: &mut State, inst: &Inst) -> Step {
    let [low, high] = [inst.r, inst.z].map(|reg| split::<N>(q(state, reg), Sign::Unsigned));
    let lane = |i: usize| if i < N { low[i] } else { high[i - N] };
    put(state, inst.r, join::<N>(std::array::from_fn(|i| lane(2 * i))));
    put(state, inst.z, join::<N>(std::array::from_fn(|i| lane(2 * i + 1))));
    NEXT
}
