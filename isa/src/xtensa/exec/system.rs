//! Special and user registers, returns from exceptions, interrupt levels.

use super::super::{Extension, Fault, Inst, Outcome, State, ps, sr, state};
use super::fp::check_enabled;
use super::{NEXT, Step, get, jump, set, vector};

/// Interrupts that WSR.INTSET sets: those of software (`XCHAL_INTTYPE_MASK_SOFTWARE` of both cores).
const SOFTWARE: u32 = 0x2000_0080;
/// Interrupts that an edge raises, which WSR.INTCLEAR clears as well (`XCHAL_INTTYPE_MASK_EXTERN_EDGE`).
const EDGE: u32 = 0x5040_0400;
/// The interrupts of CCOMPARE0..2, cleared by writing these (`XCHAL_TIMER0_INTERRUPT` and so on).
const TIMERS: [u32; 3] = [6, 15, 16];
/// Number of the first user register.
const FIRST_USER: usize = 231;
/// FCR: rounding mode and enabled exceptions.
const FCR: u32 = 0x7f;
/// FSR: flags.
const FSR: u32 = 0xf80;

/// The number of the special or user register.
fn number(inst: &Inst) -> usize {
    inst.imm as usize & 0xff
}

/// RSR.
pub(super) fn read_special(state: &mut State, inst: &Inst) -> Step {
    set(state, inst.t, state.special[number(inst)])
}

/// XSR.
pub(super) fn exchange_special(state: &mut State, inst: &Inst) -> Step {
    let (old, new) = (state.special[number(inst)], get(state, inst.t));
    // First the register: writing WINDOWBASE moves the window.
    set(state, inst.t, old)?;
    put_special(state, number(inst), new);
    NEXT
}

/// WSR.
pub(super) fn write_special(state: &mut State, inst: &Inst) -> Step {
    put_special(state, number(inst), get(state, inst.t));
    NEXT
}

/// Sets a special register to what it can hold of `value`.
fn put_special(state: &mut State, number: usize, value: u32) {
    let pending = &mut state.special[sr::INTERRUPT];
    match number {
        sr::INTERRUPT => *pending |= value & SOFTWARE,
        sr::INTCLEAR => *pending &= !(value & (SOFTWARE | EDGE)),
        sr::CCOMPARE0..=sr::CCOMPARE2 => {
            *pending &= !(1 << TIMERS[number - sr::CCOMPARE0]);
            state.special[number] = value;
        }
        sr::ACCHI => state.special[number] = value as i8 as u32,
        _ => state.special[number] = value & writable(number),
    }
}

/// The bits of a special register that exist.
fn writable(number: usize) -> u32 {
    match number {
        sr::SAR => 63,
        sr::BR | sr::WINDOWSTART => 0xffff,
        sr::WINDOWBASE => 15,
        sr::CPENABLE => 0xff,
        sr::PS => ps::ALL,
        _ => u32::MAX,
    }
}

/// The place of a user register in [`State::user`].
fn user(inst: &Inst) -> Result<usize, Fault> {
    number(inst).checked_sub(FIRST_USER).filter(|&place| place < 6).ok_or(Fault::Illegal)
}

/// RUR.
pub(super) fn read_user(state: &mut State, inst: &Inst) -> Step {
    if inst.extension() == Extension::Vector {
        return vector::read_user(state, inst);
    }
    let place = user(inst)?;
    if place == state::FCR || place == state::FSR {
        check_enabled(state)?;
    }
    set(state, inst.r, state.user[place])
}

/// WUR.
pub(super) fn write_user(state: &mut State, inst: &Inst) -> Step {
    if inst.extension() == Extension::Vector {
        return vector::write_user(state, inst);
    }
    let place = user(inst)?;
    let writable = match place {
        state::FCR => FCR,
        state::FSR => FSR,
        _ => u32::MAX,
    };
    if writable != u32::MAX {
        check_enabled(state)?;
    }
    state.user[place] = get(state, inst.t) & writable;
    NEXT
}

/// RFE.
pub(super) fn return_from_exception(state: &mut State) -> Step {
    state.special[sr::PS] &= !ps::EXCM;
    let target = state.special[sr::EPC1];
    jump(state, target)
}

/// RFI.
pub(super) fn return_from_interrupt(state: &mut State, inst: &Inst) -> Step {
    let above_two = (inst.imm as usize).checked_sub(2).filter(|&level| level <= 5).ok_or(Fault::Illegal)?;
    state.special[sr::PS] = state.special[sr::EPS2 + above_two] & ps::ALL;
    let target = state.special[sr::EPC1 + 1 + above_two];
    jump(state, target)
}

/// Sets PS.INTLEVEL.
fn set_level(state: &mut State, inst: &Inst) {
    state.special[sr::PS] = state.special[sr::PS] & !ps::INTLEVEL | inst.imm as u32 & ps::INTLEVEL;
}

/// RSIL.
pub(super) fn raise_level(state: &mut State, inst: &Inst) -> Step {
    let old = state.special[sr::PS];
    set_level(state, inst);
    set(state, inst.t, old)
}

/// WAITI.
pub(super) fn wait(state: &mut State, inst: &Inst) -> Step {
    set_level(state, inst);
    Ok(Outcome::Wait(inst.imm as u8))
}
