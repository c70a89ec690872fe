//! Moves, loads and stores of floating-point registers.

use super::super::{Bus, Inst, Mode, Op, Reg, State};
use super::fp::{put_single, single};
use super::memory::{Direction, address, aligned, literal, read, span, write};
use super::{Failure, NEXT, Step, get, put};

/// The bits of FPSCR that exist in FPv4-SP.
const FPSCR_BITS: u32 = 0xf7c0_009f;

/// The rows that compute nothing. A row unknown here is unknown everywhere.
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    match inst.op {
        Op::VldrS => load(state, bus, first_single(inst.d), 1, address(state, inst).at)?,
        Op::VldrD => load(state, bus, first_of_double(inst.d), 2, address(state, inst).at)?,
        Op::VldrLitS => load(state, bus, first_single(inst.d), 1, literal(state, inst).at)?,
        Op::VldrLitD => load(state, bus, first_of_double(inst.d), 2, literal(state, inst).at)?,
        Op::VstrS => store(state, bus, first_single(inst.d), 1, address(state, inst).at)?,
        Op::VstrD => store(state, bus, first_of_double(inst.d), 2, address(state, inst).at)?,
        Op::VldmS | Op::VldmD => load_many(state, bus, inst, inst.n, Direction::Up, inst.mode)?,
        Op::VldmdbS | Op::VldmdbD => load_many(state, bus, inst, inst.n, Direction::Down, inst.mode)?,
        Op::VpopS | Op::VpopD => load_many(state, bus, inst, Reg::SP, Direction::Up, Mode::PreIndex)?,
        Op::VstmS | Op::VstmD => store_many(state, bus, inst, inst.n, Direction::Up, inst.mode)?,
        Op::VstmdbS | Op::VstmdbD => store_many(state, bus, inst, inst.n, Direction::Down, inst.mode)?,
        Op::VpushS | Op::VpushD => store_many(state, bus, inst, Reg::SP, Direction::Down, Mode::PreIndex)?,
        _ => return between(state, inst),
    }
    NEXT
}

/// Moves between registers.
fn between(state: &mut State, inst: &Inst) -> Step {
    match inst.op {
        Op::VmovImmS => put_single(state, inst.d, inst.imm as u32),
        Op::VmovS => put_single(state, inst.d, single(state, inst.m)),
        Op::VmovSR => put_single(state, inst.d, get(state, inst.n)),
        Op::VmovRS => put(state, inst.d, single(state, inst.n)),
        Op::VmovSSRR => from_core(state, inst, first_single(inst.d)),
        Op::VmovDRR => from_core(state, inst, first_of_double(inst.d)),
        Op::VmovRRSS => to_core(state, inst, first_single(inst.n)),
        Op::VmovRRD => to_core(state, inst, first_of_double(inst.n)),
        Op::VmovLaneR => {
            let at = first_of_double(inst.d) + (inst.imm as usize & 1);
            state.s[at & 31] = get(state, inst.n);
        }
        Op::VmovRLane => {
            let at = first_of_double(inst.n) + (inst.imm as usize & 1);
            put(state, inst.d, state.s[at & 31]);
        }
        Op::Vmrs => put(state, inst.d, state.fpscr),
        Op::Vmsr => state.fpscr = get(state, inst.n) & FPSCR_BITS,
        Op::VmrsApsr => {
            let bit = |at: u32| state.fpscr >> at & 1 != 0;
            (state.n, state.z, state.c, state.v) = (bit(31), bit(30), bit(29), bit(28));
        }
        _ => return Err(Failure::Undefined),
    }
    NEXT
}

fn first_single(reg: Reg) -> usize {
    usize::from(reg.0 & 31)
}

fn first_of_double(reg: Reg) -> usize {
    2 * usize::from(reg.0 & 15)
}

fn from_core(state: &mut State, inst: &Inst, first: usize) {
    state.s[first] = get(state, inst.n);
    state.s[(first + 1) & 31] = get(state, inst.a);
}

fn to_core(state: &mut State, inst: &Inst, first: usize) {
    let (low, high) = (state.s[first], state.s[(first + 1) & 31]);
    put(state, inst.d, low);
    put(state, inst.a, high);
}

/// Loads consecutive singles; none is set before the last word is there.
fn load<B: Bus>(state: &mut State, bus: &mut B, first: usize, words: u32, at: u32) -> Result<(), Failure> {
    let at = aligned(at, 4)?;
    let mut loaded = state.s;
    for i in 0..words {
        loaded[(first + i as usize) & 31] = read(bus, at.wrapping_add(4 * i), 4)?;
    }
    state.s = loaded;
    Ok(())
}

fn store<B: Bus>(state: &State, bus: &mut B, first: usize, words: u32, at: u32) -> Result<(), Failure> {
    let at = aligned(at, 4)?;
    for i in 0..words {
        write(bus, at.wrapping_add(4 * i), 4, state.s[(first + i as usize) & 31])?;
    }
    Ok(())
}

/// The first single and the number of words of a list.
fn singles(inst: &Inst) -> (usize, u32) {
    let (first, count) = (inst.list.trailing_zeros() as usize & 31, inst.list.count_ones());
    match inst.op {
        Op::VldmD | Op::VldmdbD | Op::VstmD | Op::VstmdbD | Op::VpushD | Op::VpopD => (2 * first, 2 * count),
        _ => (first, count),
    }
}

fn load_many<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    base: Reg,
    direction: Direction,
    mode: Mode,
) -> Result<(), Failure> {
    let (first, words) = singles(inst);
    let (start, end) = span(get(state, base), words, direction)?;
    load(state, bus, first, words, start)?;
    if mode != Mode::Offset {
        put(state, base, end);
    }
    Ok(())
}

fn store_many<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    base: Reg,
    direction: Direction,
    mode: Mode,
) -> Result<(), Failure> {
    let (first, words) = singles(inst);
    let (start, end) = span(get(state, base), words, direction)?;
    store(state, bus, first, words, start)?;
    if mode != Mode::Offset {
        put(state, base, end);
    }
    Ok(())
}
