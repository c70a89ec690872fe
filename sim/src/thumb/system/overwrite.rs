//! A handler that is not there: what any interrupt may do to the code that it interrupts.

use super::entry::{BASIC, EXTENDED};
use crate::call::Junk;
use crate::error::SimError;
use crate::thumb::machine::Machine;
use isa::thumb::Core;

/// Bytes that a handler uses beside the frame: at least, and beyond that a multiple of 8 up to the difference.
const LEAST: u32 = 64;
const MOST: u32 = 256;

impl Machine {
    /// Overwrites what lies below sp as an interrupt's frame and its handler's stack would. Registers are as before, since
    /// hardware and handler restore them; an exclusive access has to be begun anew.
    pub(super) fn overwrite_below_sp(&mut self) -> Result<(), SimError> {
        self.state.exclusive = None;
        let mut junk = Junk::new(self.executed());
        let choice = junk.next();
        let fp = self.core == Core::M4f && choice & 1 != 0;
        let handler = LEAST + (choice >> 1) % ((MOST - LEAST) / 8 + 1) * 8;
        let sp = self.state.r[13];
        let top = sp & !7;
        let low = top.wrapping_sub(handler + if fp { EXTENDED } else { BASIC });
        let Some(address) = self.memory.overwrite_range(low, sp, || junk.next()) else { return Ok(()) };
        let site = Box::new(self.site_at(self.state.r[15]));
        let why = self.memory.describe(address, 4);
        let access = "an interrupt's frame and handler".to_string();
        let register = format!("sp is {sp:#010x}");
        Err(SimError::Memory { site, access, address, why, register })
    }
}
