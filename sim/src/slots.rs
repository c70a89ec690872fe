//! Where decoded instructions are, kept from the first time that they are executed.

use crate::memory::{Memory, Region};
use std::ops::Range;

/// A decoded instruction.
pub(crate) trait Located {
    /// The addresses that it takes up.
    fn range(&self) -> Range<u32>;
}

/// Bytes of the longest instruction.
const LONGEST: u32 = 4;

/// All decoded instructions, and where the one at an address is.
///
/// `SHIFT` is log2 of what an instruction's address is a multiple of.
#[derive(Clone, Debug)]
pub(crate) struct Slots<S, const SHIFT: u32> {
    pub all: Vec<S>,
    /// For each region, the number of the slot at each possible address plus one; empty if nothing was executed there.
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

impl<S: Located, const SHIFT: u32> Slots<S, SHIFT> {
    pub(crate) const fn new() -> Self {
        Slots { all: Vec::new(), maps: Vec::new(), bases: Vec::new(), base: 0, current: 0 }
    }

    /// Number of the slot at an address in the region executed in last, if it is decoded.
    #[inline]
    pub(crate) fn get(&self, address: u32) -> Option<u32> {
        let map = self.maps.get(self.current)?;
        map.get((address.wrapping_sub(self.base) >> SHIFT) as usize)?.checked_sub(1)
    }

    /// Number of the slot at an address, in whatever region, if it is decoded.
    pub(crate) fn number(&self, address: u32) -> Option<u32> {
        let (base, map) = self
            .bases
            .iter()
            .zip(&self.maps)
            .find(|(base, map)| ((address.wrapping_sub(**base) >> SHIFT) as usize) < map.len())?;
        map[(address.wrapping_sub(*base) >> SHIFT) as usize].checked_sub(1)
    }

    /// Finds the slot at an address, decoding it if need be.
    #[cold]
    pub(crate) fn find(
        &mut self,
        memory: &mut Memory,
        address: u32,
        decode: impl FnOnce(&Region) -> Result<S, NoSlot>,
    ) -> Result<u32, NoSlot> {
        let index = memory.find(address, 1 << SHIFT).ok_or(NoSlot::NoCode)?;
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
            self.maps[index].resize(length.div_ceil(1 << SHIFT), 0);
            self.bases[index] = region.base;
            memory.region_mut(index).watched |= region_writable;
        }
        let region = &memory.regions()[index];
        (self.current, self.base) = (index, region.base);
        if let Some(number) = self.get(address) {
            return Ok(number);
        }
        let slot = decode(region)?;
        self.all.push(slot);
        let number = self.all.len() as u32;
        self.maps[index][((address - region.base) >> SHIFT) as usize] = number;
        Ok(number - 1)
    }

    /// True if an instruction that lies in this range of addresses is decoded.
    pub(crate) fn any_in(&self, from: u32, to: u32) -> bool {
        let first = from.saturating_sub(LONGEST - 1) >> SHIFT << SHIFT;
        let decoded = (first..to).step_by(1 << SHIFT).filter_map(|address| self.number(address));
        decoded.map(|number| self.all[number as usize].range()).any(|range| range.end > from)
    }

    /// Forgets all slots.
    pub(crate) fn clear(&mut self) {
        *self = Slots::new();
    }
}
