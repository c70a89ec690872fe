//! Runs a firmware image from its reset vector: its console, and how it ends.

use crate::error::SimError;
use crate::exit::{End, Exit};
use crate::thumb::board::Board;
use crate::thumb::machine::{Machine, Stop};
use crate::thumb::secrets;
use crate::thumb::system::System;
use isa::thumb::Bus;
use std::io::Write;

/// Semihosting operations (Arm, *Semihosting for AArch32 and AArch64*, 2.0).
mod op {
    pub const OPEN: u32 = 0x01;
    pub const CLOSE: u32 = 0x02;
    pub const WRITEC: u32 = 0x03;
    pub const WRITE0: u32 = 0x04;
    pub const WRITE: u32 = 0x05;
    pub const READ: u32 = 0x06;
    pub const ISTTY: u32 = 0x09;
    pub const ERRNO: u32 = 0x13;
    pub const EXIT: u32 = 0x18;
    pub const EXIT_EXTENDED: u32 = 0x20;
}

/// The application ended as it should.
const APPLICATION_EXIT: u32 = 0x20026;
/// The immediate of a breakpoint that is a semihosting call.
const SEMIHOSTING: u8 = 0xab;
/// More text in one call than any console needs.
const MAX_TEXT: u32 = 1 << 20;

impl Machine {
    /// Boots images on this board from now on. Its memory comes with the program ([`Program::on_board`]).
    ///
    /// [`Program::on_board`]: crate::Program::on_board
    pub fn set_board(&mut self, board: Board) {
        self.board = Some(board);
    }

    /// Boots the image: memory as loaded, sp and the first address from the words at address 0. Runs until it exits by
    /// semihosting, or stops otherwise ([`End`]); what it writes to its console goes to `console`.
    ///
    /// # Errors
    ///
    /// If it locks up, lets a secret decide what takes time ([`SimError::Leak`]), does not end, or wants something of the host that the simulator does not have.
    pub fn boot(&mut self, console: &mut dyn Write) -> Result<Exit, SimError> {
        let result = self.boot_once(console);
        self.print_uart(console)?;
        let fault = self.memory.system.as_mut().and_then(|system| system.last_fault.take());
        let exit = match result {
            Ok(end) => Ok(self.exit(end)),
            Err(SimError::Leak(leak)) => Err(SimError::Leak(self.with_source(leak))),
            Err(error) => Err(error),
        };
        Exit::told(exit, fault)
    }

    fn boot_once(&mut self, console: &mut dyn Write) -> Result<End, SimError> {
        self.memory.truncate(self.program.segments.len());
        self.forget_code();
        self.memory.reload(&self.program);
        self.memory.publish();
        self.marks.restart();
        self.memory.system = Some(Box::new(System::new(self.core, self.board.as_ref())));
        self.reset()?;
        self.run_image(console)
    }

    /// Boots once more, up to so many instructions. Nobody sees what it says.
    pub(super) fn boot_quietly(&mut self, instructions: u64) -> Result<End, SimError> {
        let limit = std::mem::replace(&mut self.limit, instructions);
        let trace = self.trace.take();
        let end = self.boot_once(&mut std::io::sink());
        (self.limit, self.trace) = (limit, trace);
        end
    }

    fn exit(&self, end: End) -> Exit {
        Exit {
            end,
            cycles: self.cycles(),
            instructions: self.executed(),
            taken_branches: self.taken_branches,
            stack_bytes: self.sp_start.saturating_sub(self.main_sp_low()),
            last_fault: None,
            marked: self.marks.said(),
        }
    }

    fn main_sp_low(&self) -> u32 {
        if self.on_process_stack { self.other_sp_low } else { self.sp_low }
    }

    fn reset(&mut self) -> Result<(), SimError> {
        let vector = |machine: &mut Machine, address| {
            machine
                .memory
                .read(address, 4)
                .map_err(|_| SimError::Layout("nothing is mapped at the vector table".into()))
        };
        let (sp, reset) = (vector(self, 0)?, vector(self, 4)?);
        if reset & 1 == 0 {
            return Err(SimError::Layout(format!("the reset vector {reset:#010x} has bit 0 clear")));
        }
        self.settle_log();
        self.start(reset & !1, sp & !3);
        self.watch_marks();
        Ok(())
    }

    fn run_image(&mut self, console: &mut dyn Write) -> Result<End, SimError> {
        let semihosting = self.memory.system.as_ref().is_some_and(|system| system.semihosting);
        loop {
            let stop = self.execute::<true>()?;
            self.print_uart(console)?;
            let next = |machine: &Machine| machine.site_at(machine.state.r[15]);
            match stop {
                Stop::Text => {}
                Stop::Breakpoint(SEMIHOSTING) if semihosting => {
                    let code = self.semihost(console)?;
                    self.settle_log();
                    if let Some(code) = code {
                        return Ok(End::Exit(code));
                    }
                }
                Stop::Breakpoint(immediate) => {
                    let site = self.site_at(self.state.r[15].wrapping_sub(2));
                    return Ok(End::Breakpoint { immediate, site });
                }
                Stop::Asleep => return Ok(End::Asleep { site: next(self) }),
                Stop::Reset => return Ok(End::Reset { site: next(self) }),
                Stop::Returned(_) => return Err(self.here("returned from the reset handler".into())),
            }
        }
    }

    /// Writes out what the UART has sent.
    fn print_uart(&mut self, console: &mut dyn Write) -> Result<(), SimError> {
        let text = self.memory.system.as_mut().map(|system| std::mem::take(&mut system.console)).unwrap_or_default();
        if text.is_empty() { Ok(()) } else { self.print(console, &text).map(drop) }
    }

    /// An error at the instruction that has just been executed, a 16-bit one.
    pub(crate) fn here(&self, what: String) -> SimError {
        SimError::Instruction { site: self.site_at(self.state.r[15].wrapping_sub(2)).into(), what }
    }

    /// Does what a semihosting call asks for; `Some` if it is to exit.
    fn semihost(&mut self, console: &mut dyn Write) -> Result<Option<u32>, SimError> {
        let (operation, block) = (self.state.r[0], self.state.r[1]);
        let result = match operation {
            // Only the console can be opened, and it has one handle.
            op::OPEN => {
                let (name, length) = (self.word(block)?, self.word(block.wrapping_add(8))?);
                if self.text(name, length)? == b":tt" { 1 } else { u32::MAX }
            }
            op::CLOSE | op::ERRNO => 0,
            op::ISTTY => 1,
            op::WRITEC => {
                let text = self.text(block, 1)?;
                self.print(console, &text)?
            }
            op::WRITE0 => {
                let length = (0..MAX_TEXT).find(|&i| self.memory.read(block.wrapping_add(i), 1) == Ok(0)).unwrap_or(0);
                let text = self.text(block, length)?;
                self.print(console, &text)?
            }
            op::WRITE => {
                let (from, length) = (self.word(block.wrapping_add(4))?, self.word(block.wrapping_add(8))?);
                let text = self.text(from, length)?;
                self.print(console, &text)?
            }
            // Nothing was read: all of it is left.
            op::READ => self.word(block.wrapping_add(8))?,
            op::EXIT => return Ok(Some(u32::from(block != APPLICATION_EXIT))),
            op::EXIT_EXTENDED => {
                let (reason, code) = (self.word(block)?, self.word(block.wrapping_add(4))?);
                return Ok(Some(if reason == APPLICATION_EXIT { code } else { 1 }));
            }
            secrets::op::PUBLIC..=secrets::op::ASK => self.semihost_secrets(operation, block)?,
            other => return Err(self.here(format!("semihosting operation {other:#x} is not supported"))),
        };
        self.answer(result);
        Ok(None)
    }

    fn print(&self, console: &mut dyn Write, text: &[u8]) -> Result<u32, SimError> {
        let written = console.write_all(text).and_then(|()| console.flush());
        written.map(|()| 0).map_err(|error| self.here(format!("the console cannot be written to: {error}")))
    }

    pub(super) fn word(&mut self, address: u32) -> Result<u32, SimError> {
        let word = self.memory.read(address, 4);
        word.map_err(|_| self.here(format!("semihosting: no parameter block at {address:#010x}")))
    }

    pub(super) fn text(&mut self, from: u32, length: u32) -> Result<Vec<u8>, SimError> {
        let bytes = (0..length.min(MAX_TEXT)).map(|i| self.memory.read(from.wrapping_add(i), 1).map(|byte| byte as u8));
        let bytes: Result<Vec<u8>, _> = bytes.collect();
        bytes.map_err(|_| self.here(format!("semihosting: no {length} bytes of text at {from:#010x}")))
    }
}
