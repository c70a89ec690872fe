//! Decoded instructions, kept from the first time that they are executed.

use crate::cycles::thumb::{Core, Timing};
use crate::memory::Region;
use crate::slots::{Located, NoSlot};
use crate::thumb::effects::{Effects, IN_BLOCK};
use isa::thumb::{Extension, Inst, decode, length};
use std::ops::Range;

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub effects: Effects,
    pub inst: Inst,
    pub timing: Timing,
    pub address: u32,
    /// Number of the slot after it, once that is known; 0 before.
    pub next: u32,
    /// IT state before it.
    pub it: u8,
}

impl Located for Slot {
    fn range(&self) -> Range<u32> {
        self.address..self.address.wrapping_add(self.timing.size.into())
    }
}

fn undefined(what: String) -> NoSlot {
    NoSlot::Undefined { what, fp: false }
}

pub(crate) fn decode_at(region: &Region, core: Core, address: u32, it: u8) -> Result<Slot, NoSlot> {
    let half = |offset: u32| {
        let at = (address - region.base + offset) as usize;
        let bytes = region.bytes.get(at..at + 2).ok_or_else(|| undefined("cut off by the end of memory".into()))?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    };
    let first = half(0)?;
    let second = if length(first) == 4 { half(2)? } else { 0 };
    let (inst, length) = decode(first, second, it).map_err(|error| undefined(error.to_string()))?;
    let extension = inst.op.row().extension;
    if !core.has(extension) {
        let what = format!("`{inst}` needs {extension:?}, which {core:?} does not have");
        return Err(NoSlot::Undefined { what, fp: extension == Extension::Fp });
    }
    let mut effects = Effects::of(&inst, core);
    effects.sensitive |= if it != 0 { IN_BLOCK } else { 0 };
    Ok(Slot { effects, inst, timing: Timing::of(&inst, length, core), address, next: 0, it })
}
