//! The vector extension of the ESP32-S3 (Technical Reference Manual, chapter 1, by the operation of each instruction; where it
//! leaves something open or differs from the chip, by what was measured on it).
//!
//! Everything is read before anything is written: what an instruction stores, multiplies or moves is what its registers held
//! before it. Addresses are aligned by clearing bits, and no address is refused for its alignment; what is added to a base
//! is added to the base as it was, with these bits.

mod accumulate;
mod alu;
mod dispatch;
mod lanes;
mod memory;
mod multiply;
mod shift;
mod user;

use super::super::{Bus, Fault, Inst, Reg, State, sr};
use super::{NEXT, Step, get};

pub(super) use user::{read_user, write_user};

/// The number of the coprocessor.
const COPROCESSOR: u8 = 3;

/// Refuses while the coprocessor is not enabled.
fn check_enabled(state: &State) -> Result<(), Fault> {
    let enabled = state.special[sr::CPENABLE] >> COPROCESSOR & 1 != 0;
    if enabled { Ok(()) } else { Err(Fault::CoprocessorDisabled(COPROCESSOR)) }
}

/// Executes an instruction of the extension.
#[inline(never)]
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    check_enabled(state)?;
    dispatch::semantics::<B>(inst.op)(state, bus, inst)
}

/// The value of a vector register.
fn q(state: &State, reg: Reg) -> u128 {
    state.vector.q[usize::from(reg.0 & 7)]
}

/// Sets a vector register.
fn put(state: &mut State, reg: Reg, value: u128) {
    state.vector.q[usize::from(reg.0 & 7)] = value;
}

/// Sets the result, field `r`.
fn result(state: &mut State, inst: &Inst, value: u128) -> Step {
    put(state, inst.r, value);
    NEXT
}

/// The first source.
fn x(state: &State, inst: &Inst) -> u128 {
    q(state, inst.x)
}

/// The second source.
fn y(state: &State, inst: &Inst) -> u128 {
    q(state, inst.y)
}

/// What is loaded or stored.
fn w(state: &State, inst: &Inst) -> u128 {
    q(state, inst.w)
}

/// SAR, all six bits.
fn amount(state: &State) -> u32 {
    state.special[sr::SAR] & 63
}

/// By how much an immediate moves the base.
fn imm(inst: &Inst) -> u32 {
    inst.imm as u32
}

/// By how much `ad` moves the base.
fn ad(state: &State, inst: &Inst) -> u32 {
    get(state, inst.t)
}
