//! Loads and stores, exclusive accesses, preload hints.

use super::super::{Bus, Inst, Mode, Reg, State};
use super::{Failure, NEXT, Step, get, jump, program_counter, put, thumb_target};

/// Reads memory; the bus's refusal becomes a fault that names the access.
#[inline(always)]
pub(super) fn read<B: Bus>(bus: &mut B, address: u32, size: u32) -> Result<u32, Failure> {
    bus.read(address, size).map_err(|why| Failure::Bus { address, size: size as u8, write: false, why })
}

/// Writes memory; the bus's refusal becomes a fault that names the access.
#[inline(always)]
pub(super) fn write<B: Bus>(bus: &mut B, address: u32, size: u32, value: u32) -> Result<(), Failure> {
    bus.write(address, size, value).map_err(|why| Failure::Bus { address, size: size as u8, write: true, why })
}

/// The address itself, if it is a multiple of `size`.
#[inline]
pub(super) fn aligned(address: u32, size: u32) -> Result<u32, Failure> {
    if address.is_multiple_of(size) { Ok(address) } else { Err(Failure::Unaligned { address }) }
}

/// Where an access goes, and what its base becomes.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) at: u32,
    base: u32,
}

/// Base and immediate, by the row's mode.
#[inline]
pub(super) fn address(state: &State, inst: &Inst) -> Address {
    let base = get(state, inst.n);
    let moved = base.wrapping_add(inst.imm as u32);
    Address { at: if inst.mode == Mode::PostIndex { base } else { moved }, base: moved }
}

/// Base and shifted register.
#[inline]
pub(super) fn indexed(state: &State, inst: &Inst) -> Address {
    let at = get(state, inst.n).wrapping_add(get(state, inst.m) << (inst.shift.amount & 31));
    Address { at, base: at }
}

/// The aligned program counter and immediate.
#[inline]
pub(super) fn literal(state: &State, inst: &Inst) -> Address {
    let at = (program_counter(state) & !3).wrapping_add(inst.imm as u32);
    Address { at, base: at }
}

#[inline(always)]
fn write_back(state: &mut State, inst: &Inst, address: Address) {
    if inst.mode != Mode::Offset {
        put(state, inst.n, address.base);
    }
}

/// Loads one register.
#[inline(always)]
pub(super) fn load<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    size: u32,
    address: Address,
    extend: impl Fn(u32) -> u32,
) -> Step {
    let value = extend(read(bus, address.at, size)?);
    if inst.d == Reg::PC {
        let target = thumb_target(value)?;
        write_back(state, inst, address);
        return jump(state, target);
    }
    write_back(state, inst, address);
    put(state, inst.d, value);
    NEXT
}

/// Stores one register.
#[inline(always)]
pub(super) fn store<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32, address: Address) -> Step {
    write(bus, address.at, size, get(state, inst.d))?;
    write_back(state, inst, address);
    NEXT
}

/// LDRD.
pub(super) fn load_two<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, address: Address) -> Step {
    let at = aligned(address.at, 4)?;
    let first = read(bus, at, 4)?;
    let second = read(bus, at.wrapping_add(4), 4)?;
    write_back(state, inst, address);
    put(state, inst.d, first);
    put(state, inst.a, second);
    NEXT
}

/// STRD.
pub(super) fn store_two<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, address: Address) -> Step {
    let at = aligned(address.at, 4)?;
    write(bus, at, 4, get(state, inst.d))?;
    write(bus, at.wrapping_add(4), 4, get(state, inst.a))?;
    write_back(state, inst, address);
    NEXT
}

/// Which way several words lie from the base.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}

/// The lowest address of `words` words, and what the base becomes if it is written back.
#[inline]
pub(super) fn span(base: u32, words: u32, direction: Direction) -> Result<(u32, u32), Failure> {
    let (start, end) = match direction {
        Direction::Up => (base, base.wrapping_add(4 * words)),
        Direction::Down => (base.wrapping_sub(4 * words), base.wrapping_sub(4 * words)),
    };
    Ok((aligned(start, 4)?, end))
}

/// LDM, POP. Registers are set as their words come, and get their values back should a word not come.
pub(super) fn load_many<B: Bus>(
    state: &mut State,
    bus: &mut B,
    base: Reg,
    list: u32,
    direction: Direction,
    writes_back: bool,
) -> Step {
    let (start, end) = span(get(state, base), list.count_ones(), direction)?;
    let saved = state.r;
    let step = load_list(state, bus, list, start);
    match step {
        Ok(_) if writes_back => put(state, base, end),
        Ok(_) => {}
        Err(_) => state.r = saved,
    }
    step
}

#[inline(always)]
fn load_list<B: Bus>(state: &mut State, bus: &mut B, list: u32, mut at: u32) -> Step {
    let mut rest = list & 0x7fff;
    while rest != 0 {
        state.r[rest.trailing_zeros() as usize & 15] = read(bus, at, 4)?;
        at = at.wrapping_add(4);
        rest &= rest - 1;
    }
    if list >> 15 & 1 == 0 {
        return NEXT;
    }
    let target = thumb_target(read(bus, at, 4)?)?;
    jump(state, target)
}

/// STM, PUSH.
pub(super) fn store_many<B: Bus>(
    state: &mut State,
    bus: &mut B,
    base: Reg,
    list: u32,
    direction: Direction,
    writes_back: bool,
) -> Step {
    let (mut at, end) = span(get(state, base), list.count_ones(), direction)?;
    let mut rest = list & 0xffff;
    while rest != 0 {
        write(bus, at, 4, state.r[rest.trailing_zeros() as usize & 15])?;
        at = at.wrapping_add(4);
        rest &= rest - 1;
    }
    if writes_back {
        put(state, base, end);
    }
    NEXT
}

/// LDREX and its narrow forms.
pub(super) fn load_exclusive<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32) -> Step {
    let address = aligned(address(state, inst).at, size)?;
    let value = read(bus, address, size)?;
    state.exclusive = Some(address);
    put(state, inst.d, value);
    NEXT
}

/// STREX and its narrow forms. Stores only to the address that the last exclusive load marked; the mark is gone in any case.
pub(super) fn store_exclusive<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32) -> Step {
    let address = aligned(address(state, inst).at, size)?;
    let marked = state.exclusive == Some(address);
    if marked {
        write(bus, address, size, get(state, inst.m))?;
    }
    state.exclusive = None;
    put(state, inst.d, u32::from(!marked));
    NEXT
}

/// CLREX.
pub(super) fn clear_exclusive(state: &mut State) -> Step {
    state.exclusive = None;
    NEXT
}
