//! Special registers.

use super::super::{Inst, State};
use super::{NEXT, Step};

// SYSm of the special registers (DDI 0403, B5.1.1). 0..=7 are the program status register in parts.
const IPSR: usize = 5;
const MSP: usize = 8;
const PSP: usize = 9;
const PRIMASK: usize = 16;
const BASEPRI: usize = 17;
const BASEPRI_MAX: usize = 18;
const FAULTMASK: usize = 19;
const CONTROL: usize = 20;

/// CONTROL: unprivileged.
const N_PRIV: u32 = 1;
/// CONTROL: r13 is the process stack pointer.
const SP_SEL: u32 = 2;

/// In an exception handler, which is always privileged.
fn handles(state: &State) -> bool {
    state.special[IPSR] != 0
}

fn privileged(state: &State) -> bool {
    handles(state) || state.special[CONTROL] & N_PRIV == 0
}

/// Whether a stack pointer (MSP, PSP) is the one that r13 is.
fn is_active(state: &State, stack_pointer: usize) -> bool {
    (state.special[CONTROL] & SP_SEL != 0) == (stack_pointer == PSP)
}

/// APSR's flags in their places (DDI 0403, B1.4.2).
fn apsr(state: &State) -> u32 {
    let flags = [state.n, state.z, state.c, state.v, state.q];
    let top = flags.iter().fold(0, |bits, &flag| bits << 1 | u32::from(flag)) << 27;
    top | u32::from(state.ge & 15) << 16
}

/// What MRS reads. EPSR is 0; so is what takes privilege.
pub(super) fn special(state: &State, number: usize) -> u32 {
    match number {
        0..=7 => {
            let flags = if number & 4 == 0 { apsr(state) } else { 0 };
            flags | if number & 1 != 0 { state.special[IPSR] } else { 0 }
        }
        CONTROL => state.special[CONTROL],
        _ if !privileged(state) => 0,
        MSP | PSP if is_active(state, number) => state.r[13],
        BASEPRI_MAX => state.special[BASEPRI],
        MSP | PSP | PRIMASK | BASEPRI | FAULTMASK => state.special[number],
        _ => 0,
    }
}

/// What MSR writes: `mask` selects flags (2) and GE (1) of APSR. What takes privilege is left alone without.
pub(super) fn set_special(state: &mut State, number: usize, mask: i32, value: u32) -> Step {
    match number {
        0..=3 => set_apsr(state, mask, value),
        _ if !privileged(state) => {}
        MSP | PSP if is_active(state, number) => state.r[13] = value & !3,
        MSP | PSP => state.special[number] = value & !3,
        PRIMASK | FAULTMASK => state.special[number] = value & 1,
        BASEPRI => state.special[BASEPRI] = value & 0xff,
        BASEPRI_MAX => {
            let (old, new) = (state.special[BASEPRI], value & 0xff);
            if new != 0 && (new < old || old == 0) {
                state.special[BASEPRI] = new;
            }
        }
        CONTROL => set_control(state, value),
        _ => {}
    }
    NEXT
}

fn set_apsr(state: &mut State, mask: i32, value: u32) {
    if mask & 2 != 0 {
        let bit = |at: u32| value >> at & 1 != 0;
        (state.n, state.z, state.c, state.v, state.q) = (bit(31), bit(30), bit(29), bit(28), bit(27));
    }
    if mask & 1 != 0 {
        state.ge = (value >> 16 & 15) as u8;
    }
}

/// Another SPSEL makes the other stack pointer r13; in a handler it stays.
fn set_control(state: &mut State, value: u32) {
    let kept = if handles(state) { SP_SEL } else { 0 };
    let value = value & !kept | state.special[CONTROL] & kept;
    if (state.special[CONTROL] ^ value) & SP_SEL != 0 {
        let (old, new) = if value & SP_SEL != 0 { (MSP, PSP) } else { (PSP, MSP) };
        state.special[old] = state.r[13];
        state.r[13] = state.special[new];
    }
    state.special[CONTROL] = value & 7;
}

/// CPS.
pub(super) fn change_masks(state: &mut State, inst: &Inst) -> Step {
    if !privileged(state) {
        return NEXT;
    }
    let value = u32::from(inst.imm != 0);
    if inst.imm2 & 2 != 0 {
        state.special[PRIMASK] = value;
    }
    if inst.imm2 & 1 != 0 {
        state.special[FAULTMASK] = value;
    }
    NEXT
}
