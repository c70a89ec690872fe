//! The memory map: regions with permissions, and a shadow byte for each byte of memory.

use crate::thumb::system::System;
use isa::thumb::{Bus, BusFault};

/// Shadow bit: the byte is secret.
pub const SECRET: u8 = 1;
/// Shadow bit: never written, or dead because the stack pointer has moved above it.
pub const UNDEFINED: u8 = 2;
/// Shadow bit: written, with the content of a register that had no defined content. It may be copied back, not used.
pub const COPIED: u8 = 4;

/// What a region may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// Loads.
    pub read: bool,
    /// Stores.
    pub write: bool,
    /// Instruction fetches.
    pub execute: bool,
}

impl Permissions {
    /// Constants and input buffers.
    pub const READ: Permissions = Permissions { read: true, write: false, execute: false };
    /// Code with its literal pools.
    pub const READ_EXECUTE: Permissions = Permissions { read: true, write: false, execute: true };
    /// Data and stack.
    pub const READ_WRITE: Permissions = Permissions { read: true, write: true, execute: false };
    /// The RAM of a firmware image.
    pub const ALL: Permissions = Permissions { read: true, write: true, execute: true };
}

/// A contiguous piece of mapped memory.
#[derive(Clone, Debug)]
pub struct Region {
    /// What it is, for messages.
    pub name: String,
    /// Address of its first byte.
    pub base: u32,
    /// Its content.
    pub bytes: Vec<u8>,
    /// What it may be used for.
    pub permissions: Permissions,
    pub(crate) shadow: Vec<u8>,
    /// Stores here need more than the store: it is the stack, or code was decoded in it.
    pub(crate) watched: bool,
}

impl Region {
    /// A region of defined, public bytes.
    pub fn new(name: impl Into<String>, base: u32, bytes: Vec<u8>, permissions: Permissions) -> Region {
        let shadow = vec![0; bytes.len()];
        Region { name: name.into(), base, bytes, permissions, shadow, watched: false }
    }

    /// Index of `address`, if `size` bytes from it are inside.
    fn offset(&self, address: u32, size: u32) -> Option<usize> {
        let offset = address.wrapping_sub(self.base) as usize;
        (offset + size as usize <= self.bytes.len()).then_some(offset)
    }

    /// Brings the content back to what it was, all of it defined and public.
    pub(crate) fn renew(&mut self, bytes: &[u8]) {
        self.bytes.copy_from_slice(bytes);
        self.shadow.fill(0);
    }

    /// True if the address lies inside.
    pub fn contains(&self, address: u32) -> bool {
        self.offset(address, 1).is_some()
    }
}

/// Address bits below which a page of the look-up table lies: 1 MiB pages.
const PAGE_SHIFT: u32 = 20;
/// Nothing is mapped in the page.
const NONE: u16 = u16::MAX;
/// Several regions are mapped in the page.
const SEVERAL: u16 = u16::MAX - 1;

/// All mapped memory, and what the last instruction did to it.
#[derive(Clone, Debug)]
pub struct Memory {
    regions: Vec<Region>,
    /// Region of each page, or one of the marks above.
    pages: Vec<u16>,
    /// The region that is the stack.
    stack: u16,
    pub(crate) log: AccessLog,
    /// What a read of the cycle counter gives; `None` if the machine has to be asked.
    pub(crate) cycle_counter: Option<u32>,
    pub(crate) wants_cycles: bool,
    /// Registers and peripherals of a booted image.
    pub(crate) system: Option<Box<System>>,
}

/// What an instruction did, gathered as it executes; the machine clears it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessLog {
    /// Address of the first access; of several words the lowest.
    pub first: u32,
    /// All shadow bits of what was read.
    pub loaded: u8,
    /// An access was split because its address was no multiple of its size.
    pub unaligned: bool,
    /// Lowest address written in the stack, ever, and since it was last cleared.
    pub stack_low: u32,
    pub stack_wrote: u32,
    /// Range written in a region in which code was decoded.
    pub code_wrote: Option<(u32, u32)>,
}

impl AccessLog {
    pub(crate) const CLEAR: AccessLog = AccessLog {
        first: u32::MAX,
        loaded: 0,
        unaligned: false,
        stack_low: u32::MAX,
        stack_wrote: u32::MAX,
        code_wrote: None,
    };
}

/// The DWT cycle counter's address.
const CYCCNT: u32 = 0xe000_1004;

impl Default for Memory {
    fn default() -> Self {
        Memory {
            regions: Vec::new(),
            pages: vec![NONE; 1 << (32 - PAGE_SHIFT)],
            stack: NONE,
            log: AccessLog::CLEAR,
            cycle_counter: None,
            wants_cycles: false,
            system: None,
        }
    }
}

impl Memory {
    /// Maps a region.
    ///
    /// # Errors
    ///
    /// A message naming both regions if it overlaps one that is mapped, or if it does not fit below the end of memory.
    pub fn map(&mut self, region: Region) -> Result<usize, String> {
        let (first, end) = (u64::from(region.base), u64::from(region.base) + region.bytes.len() as u64);
        if end > 1 << 32 {
            return Err(format!("{} at {:#010x} reaches beyond the address space", region.name, region.base));
        }
        for other in &self.regions {
            let (start, stop) = (u64::from(other.base), u64::from(other.base) + other.bytes.len() as u64);
            if first < stop && start < end {
                return Err(format!("{} at {:#010x} overlaps {} at {:#010x}", region.name, first, other.name, start));
            }
        }
        let index = self.regions.len();
        if index >= usize::from(SEVERAL) {
            return Err(format!("too many memory regions at {}", region.name));
        }
        for page in first >> PAGE_SHIFT..end.div_ceil(1 << PAGE_SHIFT) {
            let entry = &mut self.pages[page as usize];
            *entry = if *entry == NONE { index as u16 } else { SEVERAL };
        }
        self.regions.push(region);
        Ok(index)
    }

    /// Removes all regions from `count` on.
    pub(crate) fn truncate(&mut self, count: usize) {
        let mut kept = std::mem::take(&mut self.regions);
        kept.truncate(count);
        self.pages.fill(NONE);
        for (index, region) in kept.iter().enumerate() {
            let end = u64::from(region.base) + region.bytes.len() as u64;
            for page in u64::from(region.base) >> PAGE_SHIFT..end.div_ceil(1 << PAGE_SHIFT) {
                let entry = &mut self.pages[page as usize];
                *entry = if *entry == NONE { index as u16 } else { SEVERAL };
            }
        }
        self.regions = kept;
    }
}

impl Memory {
    /// The mapped regions, in the order in which they were mapped.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    pub(crate) fn region_mut(&mut self, index: usize) -> &mut Region {
        &mut self.regions[index]
    }

    /// Index of the region in which all of `size` bytes from `address` lie.
    #[inline]
    pub(crate) fn find(&self, address: u32, size: u32) -> Option<usize> {
        match self.pages[(address >> PAGE_SHIFT) as usize] {
            NONE => None,
            SEVERAL => self.regions.iter().position(|region| region.offset(address, size).is_some()),
            index => self.regions[usize::from(index)].offset(address, size).map(|_| usize::from(index)),
        }
    }

    /// Declares a region the stack, none of which is defined yet.
    pub(crate) fn set_stack(&mut self, index: usize) {
        self.stack = index as u16;
        let region = &mut self.regions[index];
        region.watched = true;
        region.shadow.fill(UNDEFINED);
        self.log = AccessLog { stack_low: region.base, ..AccessLog::CLEAR };
    }

    /// Makes all of the stack that was written undefined again, filled by `junk`.
    pub(crate) fn renew_stack(&mut self, mut junk: impl FnMut() -> u32) {
        let Some(region) = self.regions.get_mut(usize::from(self.stack)) else { return };
        let from = (self.log.stack_low.saturating_sub(region.base) as usize).min(region.bytes.len()) & !3;
        region.shadow[from..].fill(UNDEFINED);
        for word in region.bytes[from..].chunks_exact_mut(4) {
            word.copy_from_slice(&junk().to_le_bytes());
        }
        self.log = AccessLog::CLEAR;
    }

    /// Nothing is secret any more.
    pub(crate) fn publish(&mut self) {
        self.regions.iter_mut().for_each(|region| region.shadow.fill(0));
    }

    /// Marks the bytes of the stack from `from` up to `to` as dead.
    pub(crate) fn bury(&mut self, from: u32, to: u32) {
        if let Some(region) = self.regions.get_mut(usize::from(self.stack)) {
            let index = |address: u32| (address.saturating_sub(region.base) as usize).min(region.shadow.len());
            let (from, to) = (index(from), index(to));
            if from < to {
                // What is dead cannot be read, but a secret in it is still there.
                region.shadow[from..to].iter_mut().for_each(|bits| *bits = UNDEFINED | *bits & SECRET);
            }
        }
    }

    /// Bytes of the stack that hold something secret.
    pub(crate) fn secret_stack_bytes(&self) -> u32 {
        let Some(region) = self.regions.get(usize::from(self.stack)) else { return 0 };
        let from = (self.log.stack_low.saturating_sub(region.base) as usize).min(region.shadow.len());
        region.shadow[from..].iter().filter(|bits| **bits & SECRET != 0).count() as u32
    }

    /// Shadow bits of `size` bytes, or'ed; 0 where nothing is mapped.
    pub(crate) fn shadow(&self, address: u32, size: u32) -> u8 {
        let Some(index) = self.find(address, size) else { return 0 };
        let region = &self.regions[index];
        let offset = (address - region.base) as usize;
        region.shadow[offset..offset + size as usize].iter().fold(0, |all, bits| all | bits)
    }

    /// Replaces the shadow bits of `size` bytes.
    #[inline]
    pub(crate) fn set_shadow(&mut self, address: u32, size: u32, bits: u8) {
        if let Some(index) = self.find(address, size) {
            let region = &mut self.regions[index];
            let offset = (address - region.base) as usize;
            region.shadow[offset..offset + size as usize].fill(bits);
        }
    }

    /// Writes a word whatever the permissions, defined and public; nothing if it is not mapped.
    pub(crate) fn poke(&mut self, address: u32, value: u32) {
        if let Some(index) = self.find(address, 4) {
            let region = &mut self.regions[index];
            let offset = (address - region.base) as usize;
            region.bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
            region.shadow[offset..offset + 4].fill(0);
        }
    }

    /// Names what is at an access of `size` bytes, for messages: the region, or the nearest one.
    pub(crate) fn describe(&self, address: u32, size: u32) -> String {
        if let Some(region) = self.regions.iter().find(|region| region.contains(address)) {
            let (start, length) = (address - region.base, region.bytes.len());
            let reaches = start as usize + size as usize > length;
            let how = if reaches { format!("reaches beyond its {length} bytes") } else { "is inside".into() };
            return format!("{} bytes into {} and {how}", start, region.name);
        }
        let distance = |region: &Region| {
            let end = region.base.wrapping_add(region.bytes.len() as u32);
            if address >= end { address - end } else { region.base.saturating_sub(address) }
        };
        match self.regions.iter().min_by_key(|region| distance(region)) {
            Some(region) if distance(region) < 4096 => {
                let end = region.base.wrapping_add(region.bytes.len() as u32);
                let (side, length) = if address >= end {
                    ("past the end of", region.bytes.len())
                } else {
                    ("before", region.bytes.len())
                };
                format!("{} bytes {side} {} ({length} bytes)", distance(region), region.name)
            }
            _ => "nothing is mapped near it".to_string(),
        }
    }

    /// Loads where nothing is mapped. Registers need to know the time: without it the load is refused, to be tried again.
    #[cold]
    fn load_register(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        if let Some(system) = &mut self.system {
            self.wants_cycles = system.now.is_none();
            return system.read(address, size);
        }
        if address != CYCCNT {
            return Err(BusFault::Unmapped);
        }
        self.wants_cycles = self.cycle_counter.is_none();
        self.cycle_counter.take().ok_or(BusFault::Unmapped)
    }

    /// Stores where nothing is mapped.
    #[cold]
    fn store_register(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let Some(system) = &mut self.system else { return Err(BusFault::Unmapped) };
        self.wants_cycles = system.now.is_none();
        system.write(address, size, value)
    }

    /// Writes a word of the stack of which the checks know nothing. False if it cannot be written.
    pub(crate) fn overwrite(&mut self, address: u32, value: u32) -> bool {
        let Some(index) = self.find(address, 4).filter(|index| self.regions[*index].permissions.write) else {
            return false;
        };
        let region = &mut self.regions[index];
        let offset = (address - region.base) as usize;
        region.bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        true
    }

    /// The same for all words of a range; the address of the first that cannot be written, if any.
    pub(crate) fn overwrite_range(&mut self, from: u32, to: u32, mut junk: impl FnMut() -> u32) -> Option<u32> {
        let words = (0..to.wrapping_sub(from) / 4).map(|index| from.wrapping_add(4 * index));
        words.into_iter().find(|address| !self.overwrite(*address, junk()))
    }

    /// A word, whatever is known of it; `None` if it is not mapped.
    pub(crate) fn peek(&self, address: u32) -> Option<u32> {
        let region = &self.regions[self.find(address, 4)?];
        Some(word(&region.bytes, (address - region.base) as usize))
    }

    /// Why an access is refused.
    #[cold]
    fn refusal(&self, address: u32) -> BusFault {
        if self.find(address, 1).is_some() && self.find(address, 4).is_some() {
            BusFault::Permission
        } else {
            BusFault::Unmapped
        }
    }
}

impl Bus for Memory {
    #[inline]
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let Some(index) = self.find(address, size) else { return self.load_register(address, size) };
        let region = &self.regions[index];
        if !region.permissions.read {
            return Err(self.refusal(address));
        }
        self.log.first = self.log.first.min(address);
        self.log.unaligned |= address & (size - 1) != 0;
        let offset = (address - region.base) as usize;
        let (value, shadow) = match size {
            1 => (u32::from(region.bytes[offset]), u32::from(region.shadow[offset])),
            2 => (u32::from(half(&region.bytes, offset)), u32::from(half(&region.shadow, offset))),
            _ => (word(&region.bytes, offset), word(&region.shadow, offset)),
        };
        if shadow != 0 {
            self.log.loaded |= (shadow | shadow >> 8 | shadow >> 16 | shadow >> 24) as u8;
        }
        Ok(value)
    }

    #[inline]
    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let Some(index) = self.find(address, size) else { return self.store_register(address, size, value) };
        let region = &mut self.regions[index];
        if !region.permissions.write {
            return Err(self.refusal(address));
        }
        self.log.first = self.log.first.min(address);
        self.log.unaligned |= address & (size - 1) != 0;
        let offset = (address - region.base) as usize;
        let bytes = value.to_le_bytes();
        match size {
            1 => (region.bytes[offset], region.shadow[offset]) = (bytes[0], 0),
            2 => {
                region.bytes[offset..offset + 2].copy_from_slice(&bytes[..2]);
                region.shadow[offset..offset + 2].fill(0);
            }
            _ => {
                region.bytes[offset..offset + 4].copy_from_slice(&bytes);
                region.shadow[offset..offset + 4].fill(0);
            }
        }
        if region.watched {
            self.watch(index, address, size);
        }
        Ok(())
    }
}

impl Memory {
    /// Notes a store to the stack or to memory that may hold code.
    #[inline]
    fn watch(&mut self, index: usize, address: u32, size: u32) {
        if index == usize::from(self.stack) {
            self.log.stack_low = self.log.stack_low.min(address);
            self.log.stack_wrote = self.log.stack_wrote.min(address);
        }
        if self.regions[index].permissions.execute {
            // Code was decoded here.
            let (low, high) = self.log.code_wrote.unwrap_or((address, address));
            self.log.code_wrote = Some((low.min(address), high.max(address + size)));
        }
    }
}

fn half(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([bytes[offset], bytes[offset + 1]])
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[offset..offset + 4]);
    u32::from_le_bytes(four)
}
