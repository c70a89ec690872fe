//! What each row does: registers, flags, memory (DDI 0403, A7.7, by its pseudo-code).
//!
//! One file per group of rows, the commonest group first; each group hands the rows that it does not know to the next:
//! [`data`] → [`memory`] → [`branch`] → [`multiply`] → [`parallel`] → [`system`] → [`fp`] → [`fp_move`].

mod alu;
mod branch;
mod convert;
mod data;
mod float;
mod fp;
mod fp_move;
mod memory;
mod multiply;
mod parallel;
mod system;

use super::{Bus, Cond, Fault, Inst, Op, Outcome, Reg, State};

/// Executes one instruction of `length` bytes (2 or 4) that stands at `state.r[15]`.
///
/// Inside an IT block (`state.it` not 0) the condition is the block's and `inst.cond` is not looked at, nor does a 16-bit
/// instruction set flags by its S suffix there, so that an instruction can be decoded without knowing where it stands.
/// Outside, only `B` looks at `inst.cond`; other rows execute always.
///
/// # Errors
///
/// A [`Fault`] leaves `state` as it was. Memory too, except that a store of several words which the bus refuses half-way has
/// written the words before.
#[inline]
pub fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    if state.it != 0 {
        return in_block(state, bus, inst, length);
    }
    if inst.op == Op::B && !holds(state, inst.cond) {
        state.r[15] = state.r[15].wrapping_add(length);
        return Ok(Outcome::Skipped);
    }
    unconditional(state, bus, inst, length)
}

/// Executes an instruction of an IT block.
fn in_block<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    let after = if state.it & 7 == 0 { 0 } else { state.it & 0xe0 | state.it << 1 & 0x1f };
    let condition = Cond::ALL[usize::from(state.it >> 4).min(Cond::Al as usize)];
    let outcome = if inst.op == Op::Bkpt || holds(state, condition) {
        let inst = Inst { set_flags: inst.set_flags && length == 4, ..*inst };
        unconditional(state, bus, &inst, length)?
    } else {
        state.r[15] = state.r[15].wrapping_add(length);
        Outcome::Skipped
    };
    state.it = after;
    Ok(outcome)
}

/// Executes whatever the condition. Within it, r15 reads as the architecture has it: this instruction's address + 4.
#[inline]
fn unconditional<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    let here = state.r[15];
    let next = here.wrapping_add(length);
    state.r[15] = here.wrapping_add(4);
    let result = data::execute(state, bus, inst, next);
    match result {
        Ok(Outcome::Jumped) => {}
        Ok(_) => state.r[15] = next,
        Err(_) => state.r[15] = here,
    }
    result
}

/// Whether a condition holds (DDI 0403, A7.3).
#[inline]
fn holds(state: &State, cond: Cond) -> bool {
    match cond {
        Cond::Eq => state.z,
        Cond::Ne => !state.z,
        Cond::Cs => state.c,
        Cond::Cc => !state.c,
        Cond::Mi => state.n,
        Cond::Pl => !state.n,
        Cond::Vs => state.v,
        Cond::Vc => !state.v,
        Cond::Hi => state.c && !state.z,
        Cond::Ls => !state.c || state.z,
        Cond::Ge => state.n == state.v,
        Cond::Lt => state.n != state.v,
        Cond::Gt => !state.z && state.n == state.v,
        Cond::Le => state.z || state.n != state.v,
        Cond::Al => true,
    }
}

/// The value of a core register.
#[inline]
fn get(state: &State, reg: Reg) -> u32 {
    state.r[usize::from(reg.0 & 15)]
}

/// Sets a core register other than PC; the stack pointer's two lowest bits are always 0.
#[inline]
fn put(state: &mut State, reg: Reg, value: u32) {
    let value = if reg == Reg::SP { value & !3 } else { value };
    state.r[usize::from(reg.0 & 15)] = value;
}

/// Sets N and Z.
#[inline]
fn set_nz(state: &mut State, result: u32) {
    state.n = result >> 31 != 0;
    state.z = result == 0;
}

/// Jumps; bit 0 of the target is not looked at (`BranchWritePC()`).
#[inline]
fn jump(state: &mut State, target: u32) -> Outcome {
    state.r[15] = target & !1;
    Outcome::Jumped
}

/// The address to jump to for a value whose bit 0 selects the instruction set (`BXWritePC()`, `LoadWritePC()`).
#[inline]
fn thumb_target(target: u32) -> Result<u32, Fault> {
    if target & 1 == 0 { Err(Fault::ArmState { target }) } else { Ok(target & !1) }
}
