//! Moves, loads and stores of floating-point registers.

use super::super::{Bus, Inst, Reg, State};
use super::memory::{Direction, aligned, read, span, write};
use super::{NEXT, Step, get, put};

/// The bits of FPSCR that exist in FPv4-SP.
const FPSCR_BITS: u32 = 0xf7c0_009f;

/// VMSR.
pub(super) fn set_fpscr(state: &mut State, value: u32) -> Step {
    state.fpscr = value & FPSCR_BITS;
    NEXT
}

/// VMRS to APSR.
pub(super) fn flags_from_fpscr(state: &mut State) -> Step {
    let bit = |at: u32| state.fpscr >> at & 1 != 0;
    (state.n, state.z, state.c, state.v) = (bit(31), bit(30), bit(29), bit(28));
    NEXT
}

/// The number of a single-precision register.
pub(super) fn first_single(reg: Reg) -> usize {
    usize::from(reg.0 & 31)
}

/// The number of a double-precision register's lower half.
pub(super) fn first_of_double(reg: Reg) -> usize {
    2 * usize::from(reg.0 & 15)
}

/// The half of a double-precision register that `imm` names.
pub(super) fn lane(reg: Reg, inst: &Inst) -> Reg {
    Reg(2 * (reg.0 & 15) + (inst.imm & 1) as u8)
}

/// Two singles become n and a.
pub(super) fn from_core(state: &mut State, inst: &Inst, first: usize) -> Step {
    state.s[first] = get(state, inst.n);
    state.s[(first + 1) & 31] = get(state, inst.a);
    NEXT
}

/// d and a become two singles.
pub(super) fn to_core(state: &mut State, inst: &Inst, first: usize) -> Step {
    let (low, high) = (state.s[first], state.s[(first + 1) & 31]);
    put(state, inst.d, low);
    put(state, inst.a, high);
    NEXT
}

/// Loads consecutive singles; they get their values back should a word not come.
pub(super) fn load_singles<B: Bus>(state: &mut State, bus: &mut B, first: usize, words: u32, at: u32) -> Step {
    let at = aligned(at, 4)?;
    let saved = state.s;
    for i in 0..words {
        match read(bus, at.wrapping_add(4 * i), 4) {
            Ok(value) => state.s[(first + i as usize) & 31] = value,
            Err(failure) => {
                state.s = saved;
                return Err(failure);
            }
        }
    }
    NEXT
}

/// Stores consecutive singles.
pub(super) fn store_singles<B: Bus>(state: &mut State, bus: &mut B, first: usize, words: u32, at: u32) -> Step {
    let at = aligned(at, 4)?;
    for i in 0..words {
        write(bus, at.wrapping_add(4 * i), 4, state.s[(first + i as usize) & 31])?;
    }
    NEXT
}

/// The first single and the number of singles of a list.
pub(super) fn singles(inst: &Inst) -> (usize, u32) {
    (inst.list.trailing_zeros() as usize & 31, inst.list.count_ones())
}

/// The first single and the number of singles of a list of doubles.
pub(super) fn doubles(inst: &Inst) -> (usize, u32) {
    let (first, count) = singles(inst);
    (2 * first, 2 * count)
}

/// VLDM, VPOP.
pub(super) fn load_list<B: Bus>(
    state: &mut State,
    bus: &mut B,
    base: Reg,
    (first, words): (usize, u32),
    direction: Direction,
    writes_back: bool,
) -> Step {
    let (start, end) = span(get(state, base), words, direction)?;
    load_singles(state, bus, first, words, start)?;
    if writes_back {
        put(state, base, end);
    }
    NEXT
}

/// VSTM, VPUSH.
pub(super) fn store_list<B: Bus>(
    state: &mut State,
    bus: &mut B,
    base: Reg,
    (first, words): (usize, u32),
    direction: Direction,
    writes_back: bool,
) -> Step {
    let (start, end) = span(get(state, base), words, direction)?;
    store_singles(state, bus, first, words, start)?;
    if writes_back {
        put(state, base, end);
    }
    NEXT
}
