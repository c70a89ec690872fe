//! What each row does: registers, flags, memory (DDI 0403, A7.7, by its pseudo-code).
//!
//! [`dispatch`] has a line per row; the functions that it names are grouped by file.

mod alu;
mod branch;
mod convert;
mod data;
mod dispatch;
mod fp;
mod fp_move;
mod memory;
mod multiply;
mod parallel;
mod system;

use super::{Bus, BusFault, Cond, Fault, Inst, Op, Outcome, Reg, State};

/// What executing an instruction gives.
type Step = Result<Outcome, Failure>;

/// A [`Fault`] so small that a [`Step`] fits a register.
#[derive(Clone, Copy)]
enum Failure {
    Bus { address: u32, size: u8, write: bool, why: BusFault },
    Unaligned { address: u32 },
    ArmState { target: u32 },
    Undefined,
    NoCoprocessor,
}

impl From<Failure> for Fault {
    #[cold]
    fn from(failure: Failure) -> Fault {
        match failure {
            Failure::Bus { address, size, write, why } => Fault::Bus { address, size: size.into(), write, why },
            Failure::Unaligned { address } => Fault::Unaligned { address },
            Failure::ArmState { target } => Fault::ArmState { target },
            Failure::Undefined => Fault::Undefined,
            Failure::NoCoprocessor => Fault::NoCoprocessor,
        }
    }
}

/// The next instruction follows.
const NEXT: Step = Ok(Outcome::Next);

/// Executes one instruction of `length` bytes (2 or 4) that stands at `state.r[15]`.
///
/// Inside an IT block (`state.it` not 0) the condition is the block's, and a 16-bit instruction sets no flags by its S
/// suffix, so that an instruction can be decoded without knowing where it stands. Only `B` looks at `inst.cond`: inside a
/// block that is the block's condition or `Al`.
///
/// # Errors
///
/// A [`Fault`] leaves `state` as it was. Memory too, except that a store of several words which the bus refuses half-way has
/// written the words before.
#[inline(always)]
pub fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    let it = state.it;
    let next = state.r[15].wrapping_add(length);
    let silent;
    let inst = if it == 0 {
        inst
    } else {
        match in_block(state, inst, length) {
            Some(inst) => silent = inst,
            None => return Ok(Outcome::Skipped),
        }
        &silent
    };
    let outcome = dispatch::semantics::<B>(inst.op)(state, bus, inst, next)?;
    if outcome != Outcome::Jumped {
        state.r[15] = next;
    }
    // The stack pointer's two lowest bits are always 0; this is cheaper than to look at every destination.
    if state.r[13] & 3 != 0 {
        state.r[13] &= !3;
    }
    if it != 0 {
        state.it = it_advanced(it);
    }
    Ok(outcome)
}

/// The instruction as it is to be executed in an IT block, or `None` after skipping it.
#[inline(never)]
fn in_block(state: &mut State, inst: &Inst, length: u32) -> Option<Inst> {
    let condition = Cond::ALL[usize::from(state.it >> 4).min(Cond::Al as usize)];
    if inst.op == Op::Bkpt || holds(state, condition) {
        return Some(Inst { set_flags: inst.set_flags && length == 4, ..*inst });
    }
    state.r[15] = state.r[15].wrapping_add(length);
    state.it = it_advanced(state.it);
    None
}

/// `ITAdvance()`.
fn it_advanced(it: u8) -> u8 {
    if it & 7 == 0 { 0 } else { it & 0xe0 | it << 1 & 0x1f }
}

/// Whether a condition holds (DDI 0403, A7.3).
#[inline(always)]
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

/// The value of a core register other than PC.
#[inline(always)]
fn get(state: &State, reg: Reg) -> u32 {
    state.r[usize::from(reg.0 & 15)]
}

/// What the program counter reads as.
#[inline(always)]
fn program_counter(state: &State) -> u32 {
    state.r[15].wrapping_add(4)
}

/// The value of a core register, in the few rows that may name PC.
#[inline(always)]
fn get_or_pc(state: &State, reg: Reg) -> u32 {
    if reg == Reg::PC { program_counter(state) } else { get(state, reg) }
}

/// Sets a core register other than PC.
#[inline(always)]
fn put(state: &mut State, reg: Reg, value: u32) {
    state.r[usize::from(reg.0 & 15)] = value;
}

/// Sets the destination.
#[inline(always)]
fn set(state: &mut State, inst: &Inst, value: u32) -> Step {
    put(state, inst.d, value);
    NEXT
}

/// Sets N and Z.
#[inline(always)]
fn set_nz(state: &mut State, result: u32) {
    state.n = result >> 31 != 0;
    state.z = result == 0;
}

/// Jumps; bit 0 of the target is not looked at (`BranchWritePC()`).
#[inline(always)]
fn jump(state: &mut State, target: u32) -> Step {
    state.r[15] = target & !1;
    Ok(Outcome::Jumped)
}

/// The address to jump to for a value whose bit 0 selects the instruction set (`BXWritePC()`, `LoadWritePC()`).
#[inline(always)]
fn thumb_target(target: u32) -> Result<u32, Failure> {
    if target & 1 == 0 { Err(Failure::ArmState { target }) } else { Ok(target & !1) }
}
