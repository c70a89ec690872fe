//! Register windows (ISA manual, 4.7.1): which registers are free, calls that rotate the window, and the exceptions that move
//! frames between registers and the stack.

use super::super::syntax::Syntax;
use super::super::{Class, Fault, Field, Inst, Op, Reg, State, ps, sr};
use super::{NEXT, Step, get, jump, set};
use std::sync::OnceLock;

/// Windows that can begin in the file of 64 registers.
const WINDOWS: u32 = 16;
/// Bits of a return address that are part of the address; above them is by how many fours the call has rotated.
const ADDRESS: u32 = 0x3fff_ffff;

/// Which of the three windows above the current one hold a frame: bit 0 is the next.
#[inline(always)]
fn frames_above(state: &State) -> u32 {
    let start = state.special[sr::WINDOWSTART];
    (start | start << WINDOWS) >> (state.special[sr::WINDOWBASE] + 1) & 7
}

/// Which of the three windows below hold a frame: bit 2 is the one before.
fn frames_below(state: &State) -> u32 {
    let start = state.special[sr::WINDOWSTART];
    (start | start << WINDOWS) >> (state.special[sr::WINDOWBASE] + WINDOWS - 3) & 7
}

/// True if window exceptions are taken.
#[inline(always)]
fn is_enabled(state: &State) -> bool {
    state.special[sr::PS] & (ps::WOE | ps::EXCM) == ps::WOE
}

/// True if some of the registers a4..a15 belong to another frame.
#[inline(always)]
pub(super) fn has_frames_above(state: &State) -> bool {
    frames_above(state) != 0 && is_enabled(state)
}

/// `WindowCheck()`: refuses an instruction that names a register of another frame.
#[inline(never)]
pub(super) fn check(state: &State, inst: &Inst) -> Result<(), Fault> {
    let first = frames_above(state).trailing_zeros();
    if u32::from(highest(state, inst)) / 4 <= first {
        return Ok(());
    }
    Err(Fault::WindowOverflow(frame_size(state, first + 1)))
}

/// The number of registers of the frame that begins `above` windows above the current one.
fn frame_size(state: &State, above: u32) -> u8 {
    let start = state.special[sr::WINDOWSTART];
    let behind = (start | start << WINDOWS) >> ((state.special[sr::WINDOWBASE] + above) % WINDOWS + 1);
    // A frame has at most 12; if nothing follows so near, that is what the manual takes.
    4 * (behind.trailing_zeros().min(2) as u8 + 1)
}

/// The highest register of the window that the instruction needs.
fn highest(state: &State, inst: &Inst) -> u8 {
    let fields = core_fields(inst.op);
    let named = Field::ALL.iter().filter(|&&field| fields & 1 << field as u8 != 0);
    let named = named.map(|&field| inst.reg(field).0).max().unwrap_or(0);
    match inst.op {
        Op::Entry => named.max(4 * increment(state)),
        _ => named.max(inst.call_window().unwrap_or(0)),
    }
}

/// A bit for each [`Field`] that names a register of the window.
fn core_fields(op: Op) -> u8 {
    static ALL: OnceLock<Vec<u8>> = OnceLock::new();
    let of = |&op: &Op| {
        let operands = Syntax::of(op).operands().filter(|operand| operand.1 == Class::Core);
        operands.fold(0, |fields, (field, ..)| fields | 1 << field as u8)
    };
    ALL.get_or_init(|| Op::ALL.iter().map(of).collect())[op as usize]
}

/// PS.CALLINC.
fn increment(state: &State) -> u8 {
    (state.special[sr::PS] >> ps::CALLINC_SHIFT & 3) as u8
}

/// Rotates the window by this many fours of registers, modulo 16.
fn rotate(state: &mut State, by: u32) {
    state.special[sr::WINDOWBASE] = state.special[sr::WINDOWBASE].wrapping_add(by) % WINDOWS;
}

/// CALL4, CALL8, CALL12 and their like with a register: the callee's ENTRY will rotate by `fours`.
pub(super) fn call(state: &mut State, target: u32, next: u32, fours: u8) -> Step {
    let processor = &mut state.special[sr::PS];
    *processor = *processor & !(3 << ps::CALLINC_SHIFT) | u32::from(fours) << ps::CALLINC_SHIFT;
    set(state, Reg(4 * fours), u32::from(fours) << 30 | next & ADDRESS)?;
    jump(state, target)
}

/// ENTRY.
pub(super) fn entry(state: &mut State, inst: &Inst) -> Step {
    if !is_enabled(state) {
        return Err(Fault::Illegal);
    }
    let (fours, sp) = (increment(state), get(state, inst.s).wrapping_sub(inst.imm as u32));
    set(state, Reg(4 * fours + (inst.s.0 & 3)), sp)?;
    rotate(state, fours.into());
    state.special[sr::WINDOWSTART] |= 1 << state.special[sr::WINDOWBASE];
    NEXT
}

/// RETW: the caller's window must be `a0 >> 30` fours below, with no frame between.
pub(super) fn return_to_caller(state: &mut State) -> Step {
    let a0 = get(state, Reg::RETURN);
    let (fours, below) = (a0 >> 30, frames_below(state));
    // Bit 2 is one window below.
    let nearest = if below == 0 { 0 } else { below.leading_zeros() - 28 };
    if !is_enabled(state) || fours == 0 || nearest != 0 && nearest != fours {
        return Err(Fault::Illegal);
    }
    if nearest == 0 {
        return Err(Fault::WindowUnderflow(4 * fours as u8));
    }
    state.special[sr::WINDOWSTART] &= !(1 << state.special[sr::WINDOWBASE]);
    rotate(state, fours.wrapping_neg());
    let target = state.pc & !ADDRESS | a0 & ADDRESS;
    jump(state, target)
}

/// MOVSP: allowed only while the caller's frame is in registers, because its save area is under the stack pointer.
pub(super) fn move_stack_pointer(state: &mut State, inst: &Inst) -> Step {
    if frames_below(state) == 0 {
        return Err(Fault::Alloca);
    }
    set(state, inst.t, get(state, inst.s))
}

/// ROTW.
pub(super) fn rotate_window(state: &mut State, inst: &Inst) -> Step {
    rotate(state, inst.imm as u32);
    NEXT
}

/// RFWO and RFWU: the frame at the current window is no longer (`holds` false) or again in registers.
pub(super) fn return_from_handler(state: &mut State, holds: bool) -> Step {
    let bit = 1 << state.special[sr::WINDOWBASE];
    let start = &mut state.special[sr::WINDOWSTART];
    *start = *start & !bit | if holds { bit } else { 0 };
    state.special[sr::WINDOWBASE] = state.special[sr::PS] >> ps::OWB_SHIFT & (WINDOWS - 1);
    state.special[sr::PS] &= !ps::EXCM;
    let target = state.special[sr::EPC1];
    jump(state, target)
}

impl State {
    /// Goes to the handler of a window exception: saves PC in EPC1 and WINDOWBASE in PS.OWB, sets PS.EXCM, rotates to the frame
    /// that is to be stored or loaded, and sets PC to the handler's place behind VECBASE. False, and nothing done, for other
    /// faults.
    pub fn enter_window_handler(&mut self, fault: Fault) -> bool {
        let (vector, by) = match fault {
            Fault::WindowOverflow(size) => (0x20 * u32::from(size - 4), frames_above(self).trailing_zeros() + 1),
            Fault::WindowUnderflow(size) => (0x20 * u32::from(size - 4) + 0x40, u32::from(size / 4).wrapping_neg()),
            _ => return false,
        };
        let owb = self.special[sr::WINDOWBASE] << ps::OWB_SHIFT;
        self.special[sr::PS] = self.special[sr::PS] & !((WINDOWS - 1) << ps::OWB_SHIFT) | owb | ps::EXCM;
        self.special[sr::EPC1] = self.pc;
        rotate(self, by);
        self.pc = self.special[sr::VECBASE].wrapping_add(vector);
        true
    }
}
