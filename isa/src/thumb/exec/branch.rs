//! Branches, table branches, IT.

use super::super::{Bus, Inst, Outcome, Reg, State};
use super::{NEXT, Step, get, get_or_pc, holds, jump, memory, program_counter, thumb_target};

/// The address that a branch names.
#[inline(always)]
fn target(state: &State, inst: &Inst) -> u32 {
    program_counter(state).wrapping_add(inst.imm as u32)
}

/// B.
#[inline(always)]
pub(super) fn branch(state: &mut State, inst: &Inst) -> Step {
    if holds(state, inst.cond) { jump(state, target(state, inst)) } else { Ok(Outcome::Skipped) }
}

/// CBZ and CBNZ.
#[inline(always)]
pub(super) fn branch_if(state: &mut State, inst: &Inst, zero: bool) -> Step {
    if (get(state, inst.n) == 0) == zero { jump(state, target(state, inst)) } else { NEXT }
}

/// BL.
#[inline(always)]
pub(super) fn call(state: &mut State, inst: &Inst, next: u32) -> Step {
    let target = target(state, inst);
    state.r[usize::from(Reg::LR.0)] = next | 1;
    jump(state, target)
}

/// BX.
#[inline(always)]
pub(super) fn to_register(state: &mut State, inst: &Inst) -> Step {
    let target = thumb_target(get_or_pc(state, inst.m))?;
    jump(state, target)
}

/// BLX.
pub(super) fn call_register(state: &mut State, inst: &Inst, next: u32) -> Step {
    let target = thumb_target(get_or_pc(state, inst.m))?;
    state.r[usize::from(Reg::LR.0)] = next | 1;
    jump(state, target)
}

/// TBB and TBH, with entries of `size` bytes.
pub(super) fn table<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, size: u32) -> Step {
    let entry = get_or_pc(state, inst.n).wrapping_add(get(state, inst.m).wrapping_mul(size));
    let distance = 2 * memory::read(bus, entry, size)?;
    jump(state, program_counter(state).wrapping_add(distance))
}

/// IT.
pub(super) fn it(state: &mut State, inst: &Inst) -> Step {
    state.it = (inst.cond as u8) << 4 | (inst.imm2 & 15) as u8;
    NEXT
}
