//! Loads and stores.

use super::super::super::{Bus, Direction, Fault, Inst, Outcome, State, Vector};
use super::super::{NEXT, Step, fp, get, set};
use super::lanes::{BYTES, HALVES, Sign, WORDS, join, split};
use super::{imm, put, q, w};
use crate::xtensa::exec::memory::{read, write};

/// Bytes of a whole vector.
pub(super) const WHOLE: u32 = 16;
/// Bytes of half of it.
pub(super) const HALF: u32 = 8;

/// What a load makes of the bytes and of what the vector register held.
pub(super) type Make = fn(u128, u128) -> u128;

/// Reads `size` bytes (a power of two up to 16) at an address that is aligned to them.
fn read_aligned<B: Bus>(bus: &mut B, address: u32, size: u32) -> Result<u128, Fault> {
    let address = address & !(size - 1);
    let mut value = 0;
    for at in (0..size).step_by(4) {
        value |= u128::from(read(bus, address + at, size.min(4))?) << (8 * at);
    }
    Ok(value)
}

/// Writes them. A bus that refuses some of 16 aligned bytes and takes others may have taken the lower words.
fn write_aligned<B: Bus>(bus: &mut B, address: u32, size: u32, value: u128) -> Result<(), Fault> {
    let address = address & !(size - 1);
    (0..size).step_by(4).try_for_each(|at| write(bus, address + at, size.min(4), (value >> (8 * at)) as u32))
}

/// Loads `size` bytes, gives them to `take`, and moves the base by `step`.
pub(super) fn load<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    [size, step]: [u32; 2],
    take: impl Fn(&mut State, u128),
) -> Step {
    let base = get(state, inst.s);
    let value = read_aligned(bus, base, size)?;
    take(state, value);
    set(state, inst.s, base.wrapping_add(step))
}

/// Loads into field `w`.
pub(super) fn load_into<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, access: [u32; 2], make: Make) -> Step {
    load(state, bus, inst, access, |state, value| put(state, inst.w, make(value, w(state, inst))))
}

/// The same for state of the extension.
pub(super) fn load_state<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    access: [u32; 2],
    take: impl Fn(&mut Vector, u128),
) -> Step {
    load(state, bus, inst, access, |state, value| take(&mut state.vector, value))
}

/// Stores `size` bytes of `value` and moves the base by `step`.
pub(super) fn store<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, [size, step]: [u32; 2], value: u128) -> Step {
    let base = get(state, inst.s);
    write_aligned(bus, base, size, value)?;
    set(state, inst.s, base.wrapping_add(step))
}

/// LD.QR: the base stays.
pub(super) fn load_from_frame<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    let value = read_aligned(bus, get(state, inst.s).wrapping_add(imm(inst)), WHOLE)?;
    put(state, inst.w, value);
    NEXT
}

/// ST.QR.
pub(super) fn store_to_frame<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    write_aligned(bus, get(state, inst.s).wrapping_add(imm(inst)), WHOLE, w(state, inst))?;
    NEXT
}

pub(super) fn whole(value: u128, _: u128) -> u128 {
    value
}

/// The low half; the high one stays.
pub(super) fn low(value: u128, old: u128) -> u128 {
    old >> 64 << 64 | value
}

/// The high half; the low one stays.
pub(super) fn high(value: u128, old: u128) -> u128 {
    value << 64 | u128::from(old as u64)
}

pub(super) fn all_bytes(value: u128, _: u128) -> u128 {
    join([value as i64; BYTES])
}

pub(super) fn all_halves(value: u128, _: u128) -> u128 {
    join([value as i64; HALVES])
}

pub(super) fn all_words(value: u128, _: u128) -> u128 {
    join([value as i64; WORDS])
}

/// Loads a vector and notes how far from alignment its address is.
pub(super) fn load_unaligned<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, step: u32) -> Step {
    let offset = get(state, inst.s) % WHOLE;
    load(state, bus, inst, [WHOLE, step], |state, value| {
        put(state, inst.w, value);
        state.vector.sar_byte = offset;
    })
}

/// EE.VLDHBC.16.INCP: every halfword twice, in two registers.
pub(super) fn load_twice<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    load(state, bus, inst, [WHOLE, WHOLE], |state, value| {
        let halves = split::<HALVES>(value, Sign::Unsigned);
        put(state, inst.w, join::<HALVES>(std::array::from_fn(|i| halves[i / 2])));
        put(state, inst.r, join::<HALVES>(std::array::from_fn(|i| halves[i / 2 + 4])));
    })
}

/// The address whose index is a halfword of a vector.
fn indexed(state: &State, inst: &Inst) -> u32 {
    let index = q(state, inst.x) >> (16 * (inst.imm2 as u32 & 7)) & 0xffff;
    get(state, inst.s).wrapping_add(4 * index as u32)
}

/// EE.LDXQ.32.
pub(super) fn load_indexed<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    let value = read_aligned(bus, indexed(state, inst), 4)?;
    put(state, inst.w, with_word(w(state, inst), inst, value as u32));
    NEXT
}

/// EE.STXQ.32.
pub(super) fn store_indexed<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    write_aligned(bus, indexed(state, inst), 4, word(w(state, inst), inst).into())?;
    NEXT
}

/// The word that the immediate selects.
pub(super) fn word(vector: u128, inst: &Inst) -> u32 {
    (vector >> (32 * (imm(inst) & 3))) as u32
}

/// The vector with another word there.
pub(super) fn with_word(vector: u128, inst: &Inst, word: u32) -> u128 {
    let at = 32 * (imm(inst) & 3);
    vector & !(0xffff_ffff << at) | u128::from(word) << at
}

/// Loads floating-point registers, as many as the bytes fill; they belong to another coprocessor.
pub(super) fn load_floats<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, access: [u32; 2]) -> Step {
    fp::check_enabled(state)?;
    load(state, bus, inst, access, |state, value| {
        for (at, reg) in (0..8 * access[0]).step_by(32).zip([inst.w, inst.x, inst.y, inst.z]) {
            state.f[usize::from(reg.0 & 15)] = (value >> at) as u32;
        }
    })
}

/// Stores them.
pub(super) fn store_floats<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, access: [u32; 2]) -> Step {
    fp::check_enabled(state)?;
    let registers = [inst.z, inst.y, inst.x, inst.w].map(|reg| u128::from(state.f[usize::from(reg.0 & 15)]));
    store(state, bus, inst, access, registers.into_iter().fold(0, |all, word| all << 32 | word))
}

/// Words 0 to 3 of an accumulator's five.
pub(super) fn set_words(words: &mut [u32; 5], value: u128) {
    for (word, at) in words.iter_mut().zip([0, 32, 64, 96]) {
        *word = (value >> at) as u32;
    }
}

/// The same, read.
pub(super) fn words(words: &[u32; 5]) -> u128 {
    words[..4].iter().rev().fold(0, |all, &word| all << 32 | u128::from(word))
}

/// A result from registers, together with a load of field `w` or a store of what it holds, or without, as the row says.
pub(super) fn beside<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, value: u128) -> Step {
    match inst.op.row().access {
        Some((Direction::Loads, _)) => load_into(state, bus, inst, [WHOLE, WHOLE], whole)?,
        Some((Direction::Stores, _)) => store(state, bus, inst, [WHOLE, WHOLE], w(state, inst))?,
        None => Outcome::Next,
    };
    put(state, inst.r, value);
    NEXT
}
