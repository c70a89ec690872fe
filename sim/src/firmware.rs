//! Runs a firmware image from its reset vector, with semihosting for its console and its end.

use crate::error::SimError;
use crate::machine::{Machine, Stop};
use isa::thumb::Bus;
use std::io::Write;

/// What a firmware image did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// Its exit code: 0 is success.
    pub code: u32,
    /// Cycles since reset.
    pub cycles: u64,
    /// Instructions since reset.
    pub instructions: u64,
    /// Jumps since reset.
    pub taken_branches: u64,
    /// Bytes of stack below the initial sp.
    pub stack_bytes: u32,
}

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
    /// Boots the image: sp and the first address from the words at address 0. Runs until it exits by semihosting; what it
    /// writes to its console goes to `console`.
    ///
    /// # Errors
    ///
    /// If it faults, does not exit, or does something that the simulator does not have.
    pub fn boot(&mut self, console: &mut dyn Write) -> Result<Exit, SimError> {
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
        self.start(reset & !1, sp & !3);
        loop {
            let code = match self.execute()? {
                Stop::Breakpoint(SEMIHOSTING) => self.semihost(console)?,
                Stop::Breakpoint(immediate) => return Err(self.here(format!("breakpoint {immediate:#x}"))),
                Stop::Returned(_) => return Err(self.here("returned from the reset handler".into())),
            };
            if let Some(code) = code {
                let (cycles, instructions) = (self.cycles(), self.executed());
                let stack_bytes = self.sp_start - self.sp_low;
                return Ok(Exit { code, cycles, instructions, taken_branches: self.taken_branches, stack_bytes });
            }
        }
    }

    /// An error at the instruction that has just been executed, a 16-bit one.
    fn here(&self, what: String) -> SimError {
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
            other => return Err(self.here(format!("semihosting operation {other:#x} is not supported"))),
        };
        self.state.r[0] = result;
        Ok(None)
    }

    fn print(&self, console: &mut dyn Write, text: &[u8]) -> Result<u32, SimError> {
        let written = console.write_all(text).and_then(|()| console.flush());
        written.map(|()| 0).map_err(|error| self.here(format!("the console cannot be written to: {error}")))
    }

    fn word(&mut self, address: u32) -> Result<u32, SimError> {
        let word = self.memory.read(address, 4);
        word.map_err(|_| self.here(format!("semihosting: no parameter block at {address:#010x}")))
    }

    fn text(&mut self, from: u32, length: u32) -> Result<Vec<u8>, SimError> {
        let bytes = (0..length.min(MAX_TEXT)).map(|i| self.memory.read(from.wrapping_add(i), 1).map(|byte| byte as u8));
        let bytes: Result<Vec<u8>, _> = bytes.collect();
        bytes.map_err(|_| self.here(format!("semihosting: no {length} bytes of text at {from:#010x}")))
    }
}
