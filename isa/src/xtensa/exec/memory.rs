//! Loads and stores.

use super::super::{Bus, Inst, Op, Reg, State, sr};
use super::fp::check_enabled;
use super::{BusFault, Fault, NEXT, Step, get, set};

/// What the bus's refusal becomes.
#[cold]
fn refused(address: u32, size: u32, write: bool, why: BusFault) -> Fault {
    Fault::Bus { address, size: size as u8, write, why }
}

/// Reads memory.
#[inline(always)]
pub(super) fn read<B: Bus>(bus: &mut B, address: u32, size: u32) -> Result<u32, Fault> {
    bus.read(address, size).map_err(|why| refused(address, size, false, why))
}

/// Writes memory.
#[inline(always)]
pub(super) fn write<B: Bus>(bus: &mut B, address: u32, size: u32, value: u32) -> Result<(), Fault> {
    bus.write(address, size, value).map_err(|why| refused(address, size, true, why))
}

/// The base register plus the immediate.
#[inline(always)]
pub(super) fn address(state: &State, inst: &Inst) -> u32 {
    get(state, inst.s).wrapping_add(inst.imm as u32)
}

/// The base register plus `at`.
pub(super) fn indexed(state: &State, inst: &Inst) -> u32 {
    get(state, inst.s).wrapping_add(get(state, inst.t))
}

/// Loads a register; `extend` gets the bytes as an unsigned number.
#[inline(always)]
pub(super) fn load<B: Bus>(
    state: &mut State,
    bus: &mut B,
    inst: &Inst,
    size: u32,
    extend: impl Fn(u32) -> u32,
) -> Step {
    let value = read(bus, address(state, inst), size)?;
    set(state, inst.t, extend(value))
}

/// Stores a register.
#[inline(always)]
pub(super) fn store<B: Bus>(state: &State, bus: &mut B, inst: &Inst, size: u32) -> Step {
    write(bus, address(state, inst), size, get(state, inst.t))?;
    NEXT
}

/// L32R.
#[inline(always)]
pub(super) fn load_literal<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    let at = (state.pc.wrapping_add(3) & !3).wrapping_add(inst.imm as u32);
    let value = read(bus, at, 4)?;
    set(state, inst.t, value)
}

/// The address of an access that other cores see as one.
fn synchronized(state: &State, inst: &Inst) -> Result<u32, Fault> {
    let address = address(state, inst);
    if address & 3 == 0 { Ok(address) } else { Err(Fault::Unaligned { address }) }
}

/// L32AI.
pub(super) fn load_acquire<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    synchronized(state, inst)?;
    load(state, bus, inst, 4, |x| x)
}

/// S32RI.
pub(super) fn store_release<B: Bus>(state: &State, bus: &mut B, inst: &Inst) -> Step {
    synchronized(state, inst)?;
    store(state, bus, inst, 4)
}

/// S32C1I: stores if memory holds what SCOMPARE1 does; the register gets what memory held.
pub(super) fn compare_and_store<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    let address = synchronized(state, inst)?;
    let old = read(bus, address, 4)?;
    if old == state.special[sr::SCOMPARE1] {
        write(bus, address, 4, get(state, inst.t))?;
    }
    set(state, inst.t, old)
}

/// The register that a floating-point load or store moves: `t`, or `r` if `t` is an index.
fn float_register(inst: &Inst) -> Reg {
    if matches!(inst.op, Op::Lsx | Op::Lsxp | Op::Ssx | Op::Ssxp) { inst.r } else { inst.t }
}

/// Loads a floating-point register from `effective`; the base register becomes `base`.
pub(super) fn load_float<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, effective: u32, base: u32) -> Step {
    check_enabled(state)?;
    state.f[usize::from(float_register(inst).0 & 15)] = read(bus, effective, 4)?;
    set(state, inst.s, base)
}

/// Stores a floating-point register to `effective`; the base register becomes `base`.
pub(super) fn store_float<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, effective: u32, base: u32) -> Step {
    check_enabled(state)?;
    write(bus, effective, 4, state.f[usize::from(float_register(inst).0 & 15)])?;
    set(state, inst.s, base)
}
