//! Runs a firmware image from its reset vector: its console, and how it ends.

use super::machine::{Machine, Stop};
use super::system::System;
use crate::error::SimError;
use crate::exit::{End, Exit};
use crate::program::xtensa::SIMULATOR_RESET;
use isa::xtensa::{Bus, ps, sr};
use std::io::Write;

/// What SIMCALL asks for, in a2 (Tensilica's libgloss, as QEMU has it).
mod call {
    pub const EXIT: u32 = 1;
    pub const WRITE: u32 = 4;
}
/// Not implemented, in a3.
const ENOSYS: u32 = 88;
/// No such file, in a3.
const EBADF: u32 = 9;
/// Where the vectors are after reset: of QEMU's dc233c, and of both chips.
const SIMULATOR_VECTORS: u32 = 0x2000;
const CHIP_VECTORS: u32 = 0x4000_0000;
/// More text in one call than any console needs.
const MAX_TEXT: u32 = 1 << 20;

impl Machine {
    /// Boots the image: memory as loaded, registers as after reset. Runs until it exits by SIMCALL, or stops otherwise
    /// ([`End`]); what it writes by SIMCALL goes to `console`. The ABI of the machine does not matter here.
    ///
    /// # Errors
    ///
    /// If its handlers cannot run, if it does not end, or wants something that the simulator does not have.
    pub fn boot(&mut self, console: &mut dyn Write) -> Result<Exit, SimError> {
        if self.interrupts.is_some_and(|(_, irq)| irq.is_some_and(|irq| !Machine::is_clearable(irq))) {
            let what = "only interrupts 7, 10, 22, 28, 29 and 30 stay pending until the firmware clears them";
            return Err(SimError::Layout(what.into()));
        }
        self.memory.truncate(self.program.segments.len());
        self.forget_code();
        self.memory.reload(&self.program);
        self.start(self.program.entry, 0);
        self.reset();
        let end = self.run_image(console);
        let fault = self.system.take().and_then(|system| system.last_fault);
        let exit = end.map(|end| Exit {
            end,
            cycles: self.pipeline.cycles(),
            instructions: self.instructions,
            taken_branches: self.taken_branches,
            stack_bytes: self.sp_start.saturating_sub(self.sp_low),
            last_fault: None,
            marked: Vec::new(),
        });
        Exit::told(exit, fault)
    }

    fn reset(&mut self) {
        self.system = Some(Box::new(System::new()));
        let special = &mut self.state.special;
        special[sr::PS] = ps::INTLEVEL | ps::EXCM;
        special[sr::WINDOWSTART] = 1;
        let simulated = self.program.entry == SIMULATOR_RESET;
        special[sr::VECBASE] = if simulated { SIMULATOR_VECTORS } else { CHIP_VECTORS };
        (self.sp, self.sp_low, self.sp_start) = (0, u32::MAX, 0);
    }

    fn run_image(&mut self, console: &mut dyn Write) -> Result<End, SimError> {
        loop {
            match self.execute()? {
                Stop::Simcall(number) => {
                    if let Some(code) = self.simcall(number, console)? {
                        return Ok(End::Exit(code));
                    }
                }
                Stop::Breakpoint(number, immediate) => {
                    return Ok(End::Breakpoint { immediate, site: self.site(number) });
                }
                Stop::Asleep => return Ok(End::Asleep { site: self.site_at(self.state.pc) }),
                Stop::Returned(number) => {
                    let what = "returned from nothing that was called".into();
                    return Err(SimError::Instruction { site: self.site(number).into(), what });
                }
            }
        }
    }

    /// Does what a SIMCALL asks for; `Some` if it is to exit.
    fn simcall(&mut self, number: u32, console: &mut dyn Write) -> Result<Option<u32>, SimError> {
        let [what, first, second, third] = [2, 3, 4, 5].map(|register| self.state.a(register));
        let (result, error) = match (what, first) {
            (call::EXIT, code) => return Ok(Some(code)),
            (call::WRITE, 1 | 2) => {
                let text = self.text(number, second, third.min(MAX_TEXT))?;
                let written = console.write_all(&text).and_then(|()| console.flush());
                written.map_err(|error| self.here(number, format!("the console cannot be written to: {error}")))?;
                (text.len() as u32, 0)
            }
            (call::WRITE, _) => (u32::MAX, EBADF),
            _ => (u32::MAX, ENOSYS),
        };
        self.state.set_a(2, result);
        self.state.set_a(3, error);
        Ok(None)
    }

    fn text(&mut self, number: u32, from: u32, length: u32) -> Result<Vec<u8>, SimError> {
        let bytes = (0..length).map(|i| self.memory.read(from.wrapping_add(i), 1).map(|byte| byte as u8));
        let bytes: Result<Vec<u8>, _> = bytes.collect();
        self.memory.log.first = u32::MAX;
        bytes.map_err(|_| self.here(number, format!("no {length} bytes of text at {from:#010x}")))
    }

    fn here(&self, number: u32, what: String) -> SimError {
        SimError::Instruction { site: self.site(number).into(), what }
    }
}
