//! Products, quotients, and MAC16 with its 40-bit accumulator.

use super::super::{Bus, Fault, Inst, Reg, State, sr};
use super::memory::read;
use super::{NEXT, Step, get, set};

/// The low half as a signed number.
fn low(x: u32) -> i64 {
    i64::from(x as i16)
}

/// The high half as a signed number.
fn high(x: u32) -> i64 {
    i64::from((x >> 16) as i16)
}

/// MUL16S.
pub(super) fn signed_halves(x: u32, y: u32) -> u32 {
    (low(x) * low(y)) as u32
}

/// MUL16U.
pub(super) fn unsigned_halves(x: u32, y: u32) -> u32 {
    (x & 0xffff) * (y & 0xffff)
}

/// MULUH.
pub(super) fn unsigned_high(x: u32, y: u32) -> u32 {
    ((u64::from(x) * u64::from(y)) >> 32) as u32
}

/// MULSH.
pub(super) fn signed_high(x: u32, y: u32) -> u32 {
    ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32
}

/// QUOU, QUOS, REMU, REMS: r = f(s, t), t not 0.
pub(super) fn divide(state: &mut State, inst: &Inst, f: impl Fn(u32, u32) -> u32) -> Step {
    match get(state, inst.t) {
        0 => Err(Fault::DivideByZero),
        divisor => set(state, inst.r, f(get(state, inst.s), divisor)),
    }
}

/// The value of m0..m3.
fn factor(state: &State, reg: Reg) -> u32 {
    state.special[sr::M0 + usize::from(reg.0 & 3)]
}

/// The factors `as` and `at`.
pub(super) fn aa(state: &State, inst: &Inst) -> (u32, u32) {
    (get(state, inst.s), get(state, inst.t))
}

/// The factors `as` and `my`.
pub(super) fn ad(state: &State, inst: &Inst) -> (u32, u32) {
    (get(state, inst.s), factor(state, inst.t))
}

/// The factors `mx` and `at`.
pub(super) fn da(state: &State, inst: &Inst) -> (u32, u32) {
    (factor(state, inst.r), get(state, inst.t))
}

/// The factors `mx` and `my`.
pub(super) fn dd(state: &State, inst: &Inst) -> (u32, u32) {
    (factor(state, inst.r), factor(state, inst.t))
}

/// Low half by low half.
pub(super) fn ll((x, y): (u32, u32)) -> i64 {
    low(x) * low(y)
}

/// High half of the first by low half of the second.
pub(super) fn hl((x, y): (u32, u32)) -> i64 {
    high(x) * low(y)
}

/// Low half of the first by high half of the second.
pub(super) fn lh((x, y): (u32, u32)) -> i64 {
    low(x) * high(y)
}

/// High half by high half.
pub(super) fn hh((x, y): (u32, u32)) -> i64 {
    high(x) * high(y)
}

/// Halves of both as unsigned numbers, from bits `first` and `second` up.
pub(super) fn unsigned((x, y): (u32, u32), first: u32, second: u32) -> i64 {
    i64::from(unsigned_halves(x >> first, y >> second))
}

/// ACC, sign-extended.
fn accumulator(state: &State) -> i64 {
    i64::from(state.special[sr::ACCHI] as i8) << 32 | i64::from(state.special[sr::ACCLO])
}

/// ACC = the low 40 bits.
pub(super) fn put(state: &mut State, value: i64) -> Step {
    state.special[sr::ACCLO] = value as u32;
    state.special[sr::ACCHI] = (value >> 32) as i8 as u32;
    NEXT
}

/// ACC = ACC + product.
pub(super) fn add(state: &mut State, product: i64) -> Step {
    put(state, accumulator(state) + product)
}

/// ACC = ACC - product.
pub(super) fn subtract(state: &mut State, product: i64) -> Step {
    put(state, accumulator(state) - product)
}

/// Loads mw from `as` + `by`, to which `as` is changed.
pub(super) fn load_factor<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, by: i32) -> Step {
    let address = get(state, inst.s).wrapping_add_signed(by);
    state.special[sr::M0 + usize::from(inst.w.0 & 3)] = read(bus, address, 4)?;
    set(state, inst.s, address)
}

/// ACC = ACC + product, which was formed before, and a load as above.
pub(super) fn add_and_load<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, product: i64, by: i32) -> Step {
    load_factor(state, bus, inst, by)?;
    add(state, product)
}
