//! Branches, loops, jumps, and calls without windows.

use super::super::{Inst, Reg, State, sr};
use super::{NEXT, Step, get, jump, set};

/// The target of a branch or jump, or the end of a loop.
#[inline(always)]
pub(super) fn label(state: &State, inst: &Inst) -> u32 {
    state.pc.wrapping_add(4).wrapping_add(inst.imm as u32)
}

/// The target of a call.
#[inline(always)]
pub(super) fn function(state: &State, inst: &Inst) -> u32 {
    (state.pc & !3).wrapping_add(4).wrapping_add(inst.imm as u32)
}

/// Branches if `taken`.
#[inline(always)]
pub(super) fn branch(state: &mut State, inst: &Inst, taken: bool) -> Step {
    if !taken {
        return NEXT;
    }
    let target = label(state, inst);
    jump(state, target)
}

/// Whether bit `at` (modulo 32) is set.
#[inline(always)]
pub(super) fn bit(x: u32, at: u32) -> bool {
    x >> (at & 31) & 1 != 0
}

/// LOOP and its kin: the loop behind it is executed `count` times, or not at all if `skipped`.
pub(super) fn begin_loop(state: &mut State, inst: &Inst, next: u32, skipped: impl Fn(i32) -> bool) -> Step {
    let (count, end) = (get(state, inst.s), label(state, inst));
    state.special[sr::LBEG] = next;
    state.special[sr::LEND] = end;
    state.special[sr::LCOUNT] = count.wrapping_sub(1);
    if skipped(count as i32) {
        return jump(state, end);
    }
    NEXT
}

/// CALL0 and CALLX0.
pub(super) fn call(state: &mut State, target: u32, next: u32) -> Step {
    set(state, Reg::RETURN, next)?;
    jump(state, target)
}
