//! Decoded instructions, kept from the first time that they are executed.

use crate::cycles::{Core, Timing};
use crate::effects::{Effects, IN_BLOCK};
use crate::memory::{Memory, Region};
use isa::thumb::{Extension, Inst, decode, length};

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

/// All decoded instructions, and where the one at an address is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    pub all: Vec<Slot>,
    /// For each region, the number of the slot at each halfword plus one; empty if nothing was executed there.
    maps: Vec<Vec<u32>>,
    /// Base address of each of these regions.
    bases: Vec<u32>,
    /// The region executed in last.
    base: u32,
    current: usize,
}

/// Why there is no instruction at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NoSlot {
    /// Nothing is mapped there, or it cannot be executed.
    NoCode,
    /// The bits are no instruction.
    Undefined {
        what: String,
        /// They would be one with an FPU.
        fp: bool,
    },
}

impl Slots {
    /// Number of the slot at an address in the region executed in last, if it is decoded.
    #[inline]
    pub(crate) fn get(&self, address: u32) -> Option<u32> {
        let map = self.maps.get(self.current)?;
        map.get((address.wrapping_sub(self.base) >> 1) as usize)?.checked_sub(1)
    }

    /// Number of the slot at an address, in whatever region, if it is decoded.
    pub(crate) fn number(&self, address: u32) -> Option<u32> {
        let (base, map) = self
            .bases
            .iter()
            .zip(&self.maps)
            .find(|(base, map)| ((address.wrapping_sub(**base) >> 1) as usize) < map.len())?;
        map[(address.wrapping_sub(*base) >> 1) as usize].checked_sub(1)
    }

    /// Finds the slot at an address, decoding it if need be.
    #[cold]
    pub(crate) fn find(&mut self, memory: &mut Memory, core: Core, address: u32, it: u8) -> Result<u32, NoSlot> {
        let index = memory.find(address, 2).ok_or(NoSlot::NoCode)?;
        let region = &memory.regions()[index];
        if !region.permissions.execute {
            return Err(NoSlot::NoCode);
        }
        let region_writable = region.permissions.write;
        let length = region.bytes.len();
        if self.maps.len() <= index {
            self.maps.resize(index + 1, Vec::new());
            self.bases.resize(index + 1, 0);
        }
        if self.maps[index].is_empty() {
            self.maps[index].resize(length.div_ceil(2), 0);
            self.bases[index] = region.base;
            memory.region_mut(index).watched |= region_writable;
        }
        let region = &memory.regions()[index];
        (self.current, self.base) = (index, region.base);
        if let Some(number) = self.get(address) {
            return Ok(number);
        }
        let slot = decode_at(region, core, address, it)?;
        self.all.push(slot);
        let number = self.all.len() as u32;
        self.maps[index][((address - region.base) >> 1) as usize] = number;
        Ok(number - 1)
    }

    /// True if an instruction that lies in this range of addresses is decoded.
    pub(crate) fn any_in(&self, from: u32, to: u32) -> bool {
        let first = from.saturating_sub(2) & !1;
        let decoded = (first..to).step_by(2).filter_map(|address| self.number(address));
        decoded.map(|number| &self.all[number as usize]).any(|slot| slot.address + u32::from(slot.timing.size) > from)
    }

    /// Forgets all slots.
    pub(crate) fn clear(&mut self) {
        *self = Slots::default();
    }
}

fn undefined(what: String) -> NoSlot {
    NoSlot::Undefined { what, fp: false }
}

fn decode_at(region: &Region, core: Core, address: u32, it: u8) -> Result<Slot, NoSlot> {
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
