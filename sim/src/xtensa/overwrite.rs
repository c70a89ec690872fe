//! A handler that is not there: what any interrupt may do to the code that it interrupts.

use super::Abi;
use super::machine::Machine;
use super::windows::SAVE_AREA;
use crate::call::Junk;
use crate::error::{Access, SimError};
use isa::xtensa::{BusFault, sr};

/// Bytes that a handler and what it saves use: at least, and beyond that a multiple of 16 up to the difference.
const LEAST: u32 = 64;
const MOST: u32 = 512;

impl Machine {
    /// Overwrites what lies below sp. The save area right under it belongs to the caller's registers: it is overwritten as long
    /// as those are not saved there.
    #[cold]
    pub(super) fn overwrite_below_sp(&mut self) -> Result<(), SimError> {
        let mut junk = Junk::new(self.instructions);
        let bytes = LEAST + junk.next() % ((MOST - LEAST) / 16 + 1) * 16;
        let sp = self.state.a(1) & !3;
        let kept = if self.abi == Abi::Windowed && self.caller_is_saved() { SAVE_AREA } else { 0 };
        let top = sp.wrapping_sub(kept);
        let wrong = self.memory.overwrite_range(top.wrapping_sub(bytes), top, || junk.next());
        let Some(address) = wrong else { return Ok(()) };
        let site = self.program.site(self.state.pc, "?".into());
        let access = Access { address, size: 4, write: true, why: BusFault::Unmapped };
        Err(self.memory.refused(site.into(), access, format!("an interrupt's handler writes below sp, {sp:#010x}")))
    }

    /// The frame below the current one is not in registers.
    fn caller_is_saved(&self) -> bool {
        let start = self.state.special[sr::WINDOWSTART];
        (1..4).all(|below| start >> ((self.window + 16 - below) % 16) & 1 == 0)
    }
}
