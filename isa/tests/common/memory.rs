//! A little memory for hand-worked cases.

use isa::thumb::{Bus, BusFault};

/// 64 bytes at [`MEMORY`]; byte i holds i.
#[derive(PartialEq, Debug)]
pub struct Memory(pub [u8; 64]);

pub const MEMORY: u32 = 0x100;

impl Memory {
    pub fn new() -> Memory {
        Memory(std::array::from_fn(|i| i as u8))
    }

    fn range(&self, address: u32, size: u32) -> Result<std::ops::Range<usize>, BusFault> {
        let start = address.wrapping_sub(MEMORY) as usize;
        if start < 64 && start + size as usize <= 64 {
            Ok(start..start + size as usize)
        } else {
            Err(BusFault::Unmapped)
        }
    }
}

impl Bus for Memory {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let range = self.range(address, size)?;
        Ok(self.0[range].iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let range = self.range(address, size)?;
        self.0[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}
