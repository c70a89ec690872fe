//! Loads and stores, exclusive accesses, preload hints.

use super::super::{Bus, Fault, Inst, Mode, Op, Outcome, Reg, State};
use super::{branch, get, jump, put, system, thumb_target};

#[inline(always)]
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let word = |x| x;
    let signed_byte = |x: u32| x as i8 as u32;
    let signed_half = |x: u32| x as i16 as u32;
    match inst.op {
        Op::LdrImm | Op::Ldrt => load(state, bus, inst, 4, address(state, inst), word),
        Op::LdrReg => load(state, bus, inst, 4, indexed(state, inst), word),
        Op::LdrLit => load(state, bus, inst, 4, literal(state, inst), word),
        Op::LdrbImm | Op::Ldrbt => load(state, bus, inst, 1, address(state, inst), word),
        Op::LdrbReg => load(state, bus, inst, 1, indexed(state, inst), word),
        Op::LdrbLit => load(state, bus, inst, 1, literal(state, inst), word),
        Op::LdrhImm | Op::Ldrht => load(state, bus, inst, 2, address(state, inst), word),
        Op::LdrhReg => load(state, bus, inst, 2, indexed(state, inst), word),
        Op::LdrhLit => load(state, bus, inst, 2, literal(state, inst), word),
        Op::LdrsbImm | Op::Ldrsbt => load(state, bus, inst, 1, address(state, inst), signed_byte),
        Op::LdrsbReg => load(state, bus, inst, 1, indexed(state, inst), signed_byte),
        Op::LdrsbLit => load(state, bus, inst, 1, literal(state, inst), signed_byte),
        Op::LdrshImm | Op::Ldrsht => load(state, bus, inst, 2, address(state, inst), signed_half),
        Op::LdrshReg => load(state, bus, inst, 2, indexed(state, inst), signed_half),
        Op::LdrshLit => load(state, bus, inst, 2, literal(state, inst), signed_half),
        Op::StrImm | Op::Strt => store(state, bus, inst, 4, address(state, inst)),
        Op::StrReg => store(state, bus, inst, 4, indexed(state, inst)),
        Op::StrbImm | Op::Strbt => store(state, bus, inst, 1, address(state, inst)),
        Op::StrbReg => store(state, bus, inst, 1, indexed(state, inst)),
        Op::StrhImm | Op::Strht => store(state, bus, inst, 2, address(state, inst)),
        Op::StrhReg => store(state, bus, inst, 2, indexed(state, inst)),
        _ => several(state, bus, inst, next),
    }
}

/// The rows on several registers.
#[inline(always)]
fn several<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    match inst.op {
        Op::Ldm => load_many(state, bus, inst.n, inst.list, Direction::Up, inst.mode),
        Op::Ldmdb => load_many(state, bus, inst.n, inst.list, Direction::Down, inst.mode),
        Op::Pop => load_many(state, bus, Reg::SP, inst.list, Direction::Up, Mode::PreIndex),
        Op::Stm => store_many(state, bus, inst.n, inst.list, Direction::Up, inst.mode),
        Op::Stmdb => store_many(state, bus, inst.n, inst.list, Direction::Down, inst.mode),
        Op::Push => store_many(state, bus, Reg::SP, inst.list, Direction::Down, Mode::PreIndex),
        Op::LdrdImm => load_two(state, bus, inst, address(state, inst)),
        Op::LdrdLit => load_two(state, bus, inst, literal(state, inst)),
        Op::StrdImm => store_two(state, bus, inst, address(state, inst)),
        _ => branch::execute(state, bus, inst, next),
    }
}

/// The rows on the exclusive monitor, and hints that do nothing here.
pub(super) fn exclusive<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    match inst.op {
        Op::Ldrex => load_exclusive(state, bus, inst, 4),
        Op::Ldrexb => load_exclusive(state, bus, inst, 1),
        Op::Ldrexh => load_exclusive(state, bus, inst, 2),
        Op::Strex => store_exclusive(state, bus, inst, 4),
        Op::Strexb => store_exclusive(state, bus, inst, 1),
        Op::Strexh => store_exclusive(state, bus, inst, 2),
        Op::Clrex => {
            state.exclusive = None;
            Ok(Outcome::Next)
        }
        Op::PldImm | Op::PldLit | Op::PldReg | Op::PliImm | Op::PliLit | Op::PliReg => Ok(Outcome::Next),
        _ => system::execute(state, bus, inst, next),
    }
}

/// Reads memory; the bus's refusal becomes a fault that names the access.
#[inline]
pub(super) fn read<B: Bus>(bus: &mut B, address: u32, size: u32) -> Result<u32, Fault> {
    bus.read(address, size).map_err(|why| Fault::Bus { address, size, write: false, why })
}

/// Writes memory; the bus's refusal becomes a fault that names the access.
#[inline]
pub(super) fn write<B: Bus>(bus: &mut B, address: u32, size: u32, value: u32) -> Result<(), Fault> {
    bus.write(address, size, value).map_err(|why| Fault::Bus { address, size, write: true, why })
}

/// The address itself, if it is a multiple of `size`.
#[inline]
pub(super) fn aligned(address: u32, size: u32) -> Result<u32, Fault> {
    if address.is_multiple_of(size) { Ok(address) } else { Err(Fault::Unaligned { address }) }
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
fn indexed(state: &State, inst: &Inst) -> Address {
    let at = get(state, inst.n).wrapping_add(get(state, inst.m) << (inst.shift.amount & 31));
    Address { at, base: at }
}

/// The aligned program counter and immediate.
#[inline]
pub(super) fn literal(state: &State, inst: &Inst) -> Address {
    let at = (state.r[15] & !3).wrapping_add(inst.imm as u32);
    Address { at, base: at }
}

#[inline]
fn write_back(state: &mut State, inst: &Inst, address: Address) {
    if inst.mode != Mode::Offset {
        put(state, inst.n, address.base);
    }
}

#[inline]
fn load<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    size: u32,
    address: Address,
    extend: impl Fn(u32) -> u32,
) -> Result<Outcome, Fault> {
    let value = extend(read(bus, address.at, size)?);
    if inst.d == Reg::PC {
        let target = thumb_target(value)?;
        write_back(state, inst, address);
        return Ok(jump(state, target));
    }
    write_back(state, inst, address);
    put(state, inst.d, value);
    Ok(Outcome::Next)
}

#[inline]
fn store<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32, address: Address) -> Result<Outcome, Fault> {
    write(bus, address.at, size, get(state, inst.d))?;
    write_back(state, inst, address);
    Ok(Outcome::Next)
}

fn load_two<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, address: Address) -> Result<Outcome, Fault> {
    let at = aligned(address.at, 4)?;
    let first = read(bus, at, 4)?;
    let second = read(bus, at.wrapping_add(4), 4)?;
    write_back(state, inst, address);
    put(state, inst.d, first);
    put(state, inst.a, second);
    Ok(Outcome::Next)
}

fn store_two<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, address: Address) -> Result<Outcome, Fault> {
    let at = aligned(address.at, 4)?;
    write(bus, at, 4, get(state, inst.d))?;
    write(bus, at.wrapping_add(4), 4, get(state, inst.a))?;
    write_back(state, inst, address);
    Ok(Outcome::Next)
}

/// Which way several words lie from the base.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}

/// The lowest address of `words` words, and what the base becomes if it is written back.
#[inline]
pub(super) fn span(base: u32, words: u32, direction: Direction) -> Result<(u32, u32), Fault> {
    let (start, end) = match direction {
        Direction::Up => (base, base.wrapping_add(4 * words)),
        Direction::Down => (base.wrapping_sub(4 * words), base.wrapping_sub(4 * words)),
    };
    Ok((aligned(start, 4)?, end))
}

/// Nothing is set before the last word is there.
fn load_many<B: Bus>(
    state: &mut State,
    bus: &mut B,
    base: Reg,
    list: u32,
    direction: Direction,
    mode: Mode,
) -> Result<Outcome, Fault> {
    let (mut at, end) = span(get(state, base), list.count_ones(), direction)?;
    let mut loaded = state.r;
    let mut rest = list & 0xffff;
    while rest != 0 {
        loaded[rest.trailing_zeros() as usize & 15] = read(bus, at, 4)?;
        at = at.wrapping_add(4);
        rest &= rest - 1;
    }
    let jumps = list >> 15 & 1 != 0;
    if jumps {
        loaded[15] = thumb_target(loaded[15])?;
    }
    state.r = loaded;
    if mode != Mode::Offset {
        put(state, base, end);
    }
    Ok(if jumps { Outcome::Jumped } else { Outcome::Next })
}

fn store_many<B: Bus>(
    state: &mut State,
    bus: &mut B,
    base: Reg,
    list: u32,
    direction: Direction,
    mode: Mode,
) -> Result<Outcome, Fault> {
    let (mut at, end) = span(get(state, base), list.count_ones(), direction)?;
    let mut rest = list & 0xffff;
    while rest != 0 {
        write(bus, at, 4, state.r[rest.trailing_zeros() as usize & 15])?;
        at = at.wrapping_add(4);
        rest &= rest - 1;
    }
    if mode != Mode::Offset {
        put(state, base, end);
    }
    Ok(Outcome::Next)
}

fn load_exclusive<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32) -> Result<Outcome, Fault> {
    let address = aligned(address(state, inst).at, size)?;
    let value = read(bus, address, size)?;
    state.exclusive = Some(address);
    put(state, inst.d, value);
    Ok(Outcome::Next)
}

/// Stores only to the address that the last exclusive load marked; the mark is gone in any case.
fn store_exclusive<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32) -> Result<Outcome, Fault> {
    let address = aligned(address(state, inst).at, size)?;
    let marked = state.exclusive == Some(address);
    if marked {
        write(bus, address, size, get(state, inst.m))?;
    }
    state.exclusive = None;
    put(state, inst.d, u32::from(!marked));
    Ok(Outcome::Next)
}
