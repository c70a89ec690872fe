//! What each row does: registers of all files, memory, PC (ISA manual, chapter 6, by the operation of each page).
//!
//! [`dispatch`] has a line per row; the functions that it names are grouped by file.
//!
//! A load or store at an address that is no multiple of its size goes to the bus as it is: both cores split it in hardware
//! (`XCHAL_UNALIGNED_LOAD_HW` and `XCHAL_UNALIGNED_STORE_HW` of their configurations). Only accesses that synchronise are
//! refused.

mod branch;
mod dispatch;
mod fp;
mod memory;
mod multiply;
mod shift;
mod system;
mod vector;
mod window;

use super::{Bus, BusFault, Fault, Inst, Outcome, Reg, State, ps, sr};

/// What executing an instruction gives.
type Step = Result<Outcome, Fault>;

/// The next instruction follows.
const NEXT: Step = Ok(Outcome::Next);

/// Executes one instruction of `length` bytes (2 to 4) that stands at `state.pc`.
///
/// The instruction must be one that can be encoded. Changes of special registers take effect at once, without the barrier that hardware asks for.
///
/// # Errors
///
/// A [`Fault`] leaves `state` and memory as they were.
#[inline(always)]
pub fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    if window::has_frames_above(state) {
        window::check(state, inst)?;
    }
    let next = state.pc.wrapping_add(length);
    let outcome = dispatch::semantics::<B>(inst.op)(state, bus, inst, next)?;
    if outcome == Outcome::Jumped {
        return Ok(outcome);
    }
    if next == state.special[sr::LEND] && loops_back(state) {
        state.special[sr::LCOUNT] -= 1;
        state.pc = state.special[sr::LBEG];
        return Ok(if outcome == Outcome::Next { Outcome::LoopedBack } else { outcome });
    }
    state.pc = next;
    Ok(outcome)
}

/// Whether an instruction before LEND goes on at LBEG.
fn loops_back(state: &State) -> bool {
    state.special[sr::LCOUNT] != 0 && state.special[sr::PS] & ps::EXCM == 0
}

/// The value of a register of the window.
#[inline(always)]
fn get(state: &State, reg: Reg) -> u32 {
    state.a(reg.0)
}

/// Sets a register of the window.
#[inline(always)]
fn set(state: &mut State, reg: Reg, value: u32) -> Step {
    state.set_a(reg.0, value);
    NEXT
}

/// Jumps.
#[inline(always)]
fn jump(state: &mut State, target: u32) -> Step {
    state.pc = target;
    Ok(Outcome::Jumped)
}

/// The value of a boolean register.
fn get_bool(state: &State, reg: Reg) -> bool {
    state.special[sr::BR] >> (reg.0 & 15) & 1 != 0
}

/// Sets a boolean register.
fn set_bool(state: &mut State, reg: Reg, value: bool) -> Step {
    let at = reg.0 & 15;
    state.special[sr::BR] = state.special[sr::BR] & !(1 << at) | u32::from(value) << at;
    NEXT
}

/// `count` boolean registers from this one, as the low bits.
fn bools(state: &State, first: Reg, count: u32) -> u32 {
    state.special[sr::BR] >> (first.0 & 15) & ((1 << count) - 1)
}
