//! What the windowed ABI asks of the stack, and the handlers of window exceptions, which the machine does itself for called
//! functions (ISA manual, 4.7.1.4 and 8.1: every frame saves a0 to a3 of its caller right under its stack pointer, and a4 to
//! a11, if the call has left them to the caller, at the top of the caller's frame, under that place).

use super::Abi;
use super::machine::Machine;
use crate::error::{Access, Rule, SimError};
use crate::memory::{COPIED, SECRET};
use isa::xtensa::{BusFault, Fault, ps, sr};

/// Bytes right under a stack pointer in which the caller's a0 to a3 are saved.
pub(super) const SAVE_AREA: u32 = 16;
/// What a stack pointer is a multiple of.
const STACK_ALIGN: u32 = 16;
/// Windows in the file.
const WINDOWS: u32 = 16;

impl Machine {
    /// The window may have moved, or the stack pointer.
    #[cold]
    pub(crate) fn stack_moved(&mut self, number: u32) {
        let fours = self.state.special[sr::WINDOWBASE].wrapping_sub(self.window) % WINDOWS;
        if self.system.is_some() {
            self.window = self.state.special[sr::WINDOWBASE];
            return self.stack_moved_in_image();
        }
        if fours != 0 {
            self.rotated(fours);
        }
        let sp = self.state.a(1);
        if sp > self.sp {
            self.memory.bury(self.sp, sp);
        }
        if !sp.is_multiple_of(STACK_ALIGN) {
            self.report(number, Rule::StackAlign, format!("sp is {sp:#010x}"));
        }
        (self.sp, self.sp_low) = (sp, self.sp_low.min(sp));
    }

    /// An image sets its stack pointer once; handlers of windows and exceptions may have other things in a1.
    fn stack_moved_in_image(&mut self) {
        let sp = self.state.a(1);
        if sp != 0 && self.state.special[sr::PS] & ps::EXCM == 0 {
            self.sp_start = if self.sp_start == 0 { sp } else { self.sp_start };
            self.sp_low = self.sp_low.min(sp);
        }
    }

    /// The window has moved up by so many fours of registers, modulo 16.
    fn rotated(&mut self, fours: u32) {
        self.window = self.state.special[sr::WINDOWBASE];
        self.secret.rotate(fours);
        self.undefined.rotate(fours);
        let enters = fours < WINDOWS / 2;
        if enters {
            // ENTRY: what is behind the arguments holds what other functions have left there.
            self.callers.push(self.sp);
            self.forget(8..16);
        } else {
            // RETW: a callee's registers are the caller's to use again, but hold nothing but results: four words at most.
            self.callers.pop();
            let callee = 4 * (WINDOWS - fours);
            self.forget(callee..callee + 2);
            self.forget(callee + 6..16);
        }
    }

    /// Registers of the window that have no content any more, unless they are those of a frame above.
    fn forget(&mut self, registers: std::ops::Range<u32>) {
        let start = self.state.special[sr::WINDOWSTART];
        let free = (1..4).take_while(|above| start >> ((self.window + above) % WINDOWS) & 1 == 0).count() as u32;
        for register in registers.start..registers.end.min(4 * (free + 1)) {
            self.undefined.put(register, true);
        }
    }

    /// A store has written to the stack.
    #[cold]
    pub(crate) fn stack_written(&mut self, number: u32) {
        let from = std::mem::replace(&mut self.memory.log.stack_wrote, u32::MAX);
        if from < self.sp {
            // Nothing below sp is there for long: an interrupt may overwrite it.
            self.memory.bury(from, self.sp);
        }
        if self.abi == Abi::Windowed {
            let to = self.memory.log.first.wrapping_add(self.slot(number).effects.bytes.into());
            let saved = |sp: &u32| from < *sp && to > sp.wrapping_sub(SAVE_AREA);
            if let Some(sp) = self.callers.iter().copied().chain([self.sp]).find(saved) {
                let place = i64::from(from) - i64::from(sp);
                let whose = if sp == self.sp { "sp" } else { "the caller's sp" };
                self.report(number, Rule::SaveArea, format!("{from:#010x}, {whose} {place:+}"));
            }
        }
    }

    /// From a call on, the handler may save registers of the calling frame at the frame's top.
    #[cold]
    pub(crate) fn reserve_for_callee(&mut self, number: u32) {
        let kept = self.slot(number).inst.call_window().unwrap_or(0);
        if let Some(top) = self.callers.last().filter(|_| kept > 4) {
            let top = top.wrapping_sub(SAVE_AREA);
            self.memory.bury(top.wrapping_sub(4 * (u32::from(kept) - 4)), top);
        }
    }

    /// Does what the handlers of window exceptions do: stores the oldest frame in the way, or loads the caller's.
    #[cold]
    pub(crate) fn move_frame(&mut self, number: u32, fault: Fault) -> Result<(), SimError> {
        let start = self.state.special[sr::WINDOWSTART];
        let live = |above: &u32| start >> ((self.window + above) % WINDOWS) & 1 != 0;
        let (above, size, stores) = match fault {
            Fault::WindowOverflow(size) => ((1..4).find(live).unwrap_or(1), size, true),
            Fault::WindowUnderflow(size) => (WINDOWS - u32::from(size) / 4, size, false),
            // Of the caller of a function that moves its stack pointer.
            _ => {
                let fours = self.state.a(0) >> 30;
                (WINDOWS - fours, 4 * fours as u8, false)
            }
        };
        let bit = 1 << ((self.window + above) % WINDOWS);
        self.transfer(number, 4 * above, size.into(), stores)?;
        let start = &mut self.state.special[sr::WINDOWSTART];
        *start = if stores { *start & !bit } else { *start | bit };
        self.pipeline.interrupted(self.costs.window_exception(size));
        Ok(())
    }

    /// Stores or loads `size` registers from the one `first` behind a0 on.
    fn transfer(&mut self, number: u32, first: u32, size: u32, stores: bool) -> Result<(), SimError> {
        let sp = |machine: &Machine, register: u32| machine.state.a(((first + register) & 63) as u8);
        // a1 of the frame that it calls.
        let callee = sp(self, size + 1);
        for register in 0..4 {
            self.transfer_one(number, first + register, callee.wrapping_sub(SAVE_AREA) + 4 * register, stores)?;
        }
        if size == 4 {
            return Ok(());
        }
        let own = sp(self, 1);
        let caller = self.peek(number, own.wrapping_sub(12))?;
        for register in 4..size {
            let place = caller.wrapping_sub(SAVE_AREA + 4 * (size - register));
            self.transfer_one(number, first + register, place, stores)?;
        }
        Ok(())
    }

    fn transfer_one(&mut self, number: u32, register: u32, address: u32, stores: bool) -> Result<(), SimError> {
        let place = self.state.place((register & 63) as u8);
        if !stores {
            self.state.ar[place] = self.peek(number, address)?;
            let bits = self.memory.shadow(address, 4);
            self.secret.put(register, bits & SECRET != 0);
            self.undefined.put(register, bits & COPIED != 0);
            return Ok(());
        }
        if !self.memory.overwrite(address, self.state.ar[place]) {
            return Err(self.no_stack(number, address, true));
        }
        let secret = if self.secret.has(register) { SECRET } else { 0 };
        let bits = secret | if self.undefined.has(register) { COPIED } else { 0 };
        self.memory.set_shadow(address, 4, bits);
        self.memory.log.stack_low = self.memory.log.stack_low.min(address);
        self.undefined.put(register, true);
        Ok(())
    }

    fn peek(&self, number: u32, address: u32) -> Result<u32, SimError> {
        self.memory.peek(address).ok_or_else(|| self.no_stack(number, address, false))
    }

    fn no_stack(&self, number: u32, address: u32, write: bool) -> SimError {
        let access = Access { address, size: 4, write, why: BusFault::Unmapped };
        let register = format!("a register of a window is moved, a1 is {:#010x}", self.state.a(1));
        self.memory.refused(self.site(number).into(), access, register)
    }
}
