//! Decoded instructions, kept from the first time that they are executed.

use super::effects::Effects;
use crate::cycles::xtensa::{Core, Timing};
use crate::memory::Region;
use crate::slots::{Located, NoSlot};
use isa::xtensa::{Inst, decode};
use std::ops::Range;

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub inst: Inst,
    pub timing: Timing,
    pub effects: Effects,
    pub address: u32,
    /// Number of the slot after it, once that is known; 0 before.
    pub next: u32,
    /// How often it was executed.
    pub count: u64,
}

impl Located for Slot {
    fn range(&self) -> Range<u32> {
        self.address..self.address.wrapping_add(self.timing.size.into())
    }
}

pub(crate) fn decode_at(region: &Region, core: Core, address: u32) -> Result<Slot, NoSlot> {
    let undefined = |what: String| NoSlot::Undefined { what, fp: false };
    let bytes = region.bytes.get((address - region.base) as usize..).unwrap_or_default();
    let (inst, length) = decode(bytes).map_err(|error| undefined(error.to_string()))?;
    let extension = inst.extension();
    if !core.has(extension) {
        return Err(undefined(format!("`{inst}` needs {extension:?}, which {core:?} does not have")));
    }
    let (timing, effects) = (Timing::of(&inst, length, core), Effects::of(&inst));
    Ok(Slot { inst, timing, effects, address, next: 0, count: 0 })
}
