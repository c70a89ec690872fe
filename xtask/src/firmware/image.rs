//! What of an ELF file goes into flash, and whether the core can start from there.

use super::choice::Chosen;
use crate::CheckFailed;
use anyhow::{Context, bail};
use object::LittleEndian;
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use sim::{BoardMemory, MemoryKind};

/// Bytes at the address from which they are loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Address of the first byte, in flash.
    pub address: u32,
    /// The bytes, at least one.
    pub bytes: Vec<u8>,
}

impl Segment {
    /// Address behind the last byte.
    pub fn end(&self) -> u64 {
        u64::from(self.address) + self.bytes.len() as u64
    }
}

/// What is written into flash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// By address; they do not overlap.
    pub segments: Vec<Segment>,
    /// Where debuggers begin.
    pub entry: u32,
}

impl Image {
    /// Reads the loaded segments of an ELF file.
    ///
    /// # Errors
    /// If it is no 32-bit little-endian ELF file, has nothing to load, or segments that overlap.
    pub fn from_elf(elf: &[u8]) -> anyhow::Result<Image> {
        let header = FileHeader32::<LittleEndian>::parse(elf).context("no 32-bit little-endian ELF file")?;
        let endian = LittleEndian;
        let mut segments = Vec::new();
        for program in header.program_headers(endian, elf).context("program headers")? {
            let bytes = program.data(endian, elf).ok().context("a segment is not in the file")?;
            if program.p_type(endian) == PT_LOAD && !bytes.is_empty() {
                segments.push(Segment { address: program.p_paddr(endian), bytes: bytes.to_vec() });
            }
        }
        segments.sort_by_key(|segment| segment.address);
        if segments.is_empty() {
            bail!("nothing in it is loaded");
        }
        if let Some(pair) = segments.windows(2).find(|pair| pair[0].end() > u64::from(pair[1].address)) {
            bail!("segments overlap at {:#010x}", pair[1].address);
        }
        Ok(Image { segments, entry: header.e_entry(endian) })
    }

    /// The word at an address, if it is loaded.
    fn word(&self, address: u32) -> Option<u32> {
        let segment = self.segments.iter().rfind(|segment| segment.address <= address)?;
        let at = (address - segment.address) as usize;
        Some(u32::from_le_bytes(segment.bytes.get(at..at + 4)?.try_into().ok()?))
    }

    /// The stack pointer and the address with which the core starts from a vector table at `flash`.
    pub fn vectors(&self, flash: u32) -> Option<[u32; 2]> {
        Some([self.word(flash)?, self.word(flash.checked_add(4)?)?])
    }

    /// Checks that a board can start from it.
    ///
    /// # Errors
    /// [`CheckFailed`] says everything that is wrong.
    pub fn check(&self, chosen: &Chosen) -> Result<(), CheckFailed> {
        let wrong = self.findings(chosen);
        if wrong.is_empty() {
            return Ok(());
        }
        Err(CheckFailed(format!("the image does not start on {}:\n  {}", chosen.board.name, wrong.join("\n  "))))
    }

    fn findings(&self, chosen: &Chosen) -> Vec<String> {
        let (Some(flash), Some(ram)) = (chosen.flash(), chosen.ram()) else {
            return vec!["the board has no flash, or no RAM".to_owned()];
        };
        let flashes = || chosen.board.memory.iter().filter(|memory| memory.kind == MemoryKind::Flash);
        let outside = self.segments.iter().filter(|segment| !flashes().any(|flash| holds(flash, segment)));
        let mut wrong: Vec<String> = outside
            .map(|segment| format!("{:#010x}..{:#010x} is loaded, but not in flash", segment.address, segment.end()))
            .collect();
        let Some([stack, reset]) = self.vectors(flash.start) else {
            wrong.push(format!("there is no vector table at {:#010x}", flash.start));
            return wrong;
        };
        let (bottom, top) = (u64::from(ram.start), u64::from(ram.start) + u64::from(ram.length));
        if !(bottom + 1..=top).contains(&u64::from(stack)) || !stack.is_multiple_of(8) {
            wrong.push(format!("the stack starts at {stack:#010x}; expected a multiple of 8 up to {top:#010x}"));
        }
        let code = reset & !1;
        if code < flash.start || u64::from(code) >= u64::from(flash.start) + u64::from(flash.length) {
            wrong.push(format!("the reset vector {reset:#010x} is not in flash"));
        }
        if reset & 1 == 0 {
            wrong.push(format!("the reset vector {reset:#010x} is even: it lacks the Thumb bit"));
        }
        if self.entry | 1 != reset {
            wrong.push(format!("the entry point {:#010x} is not the reset vector {reset:#010x}", self.entry));
        }
        wrong
    }
}

fn holds(memory: &BoardMemory, segment: &Segment) -> bool {
    segment.address >= memory.start && segment.end() <= u64::from(memory.start) + u64::from(memory.length)
}

#[cfg(test)]
mod tests {
    use super::super::choice;
    use super::*;

    /// An image of a vector table for the STM32F407, its stack at the end of SRAM1.
    fn image(stack: u32, reset: u32, entry: u32, segments: &[(u32, usize)]) -> Image {
        let vectors = [stack, reset].map(u32::to_le_bytes).concat();
        let mut segments: Vec<Segment> =
            segments.iter().map(|(address, length)| Segment { address: *address, bytes: vec![0; *length] }).collect();
        for segment in segments.iter_mut().filter(|segment| segment.address == 0x0800_0000) {
            segment.bytes[..8].copy_from_slice(&vectors);
        }
        Image { segments, entry }
    }

    /// Planted faults.
    #[test]
    fn what_no_core_starts_from_is_found() {
        let chosen = choice::board("stm32f407-discovery").unwrap();
        let whole: &[(u32, usize)] = &[(0x0800_0000, 0x400), (0x0800_0400, 0x100)];
        for (stack, reset, entry, segments, expected) in [
            (0x2001_c000, 0x0800_0401, 0x0800_0401, whole, ""),
            (0x2001_c000, 0x0800_0401, 0x0800_0400, whole, ""),
            (0x2000_0000, 0x0800_0401, 0x0800_0401, whole, "the stack starts at 0x20000000; expected"),
            (0x2001_c008, 0x0800_0401, 0x0800_0401, whole, "a multiple of 8 up to 0x2001c000"),
            (0x2001_bffc, 0x0800_0401, 0x0800_0401, whole, "the stack starts at 0x2001bffc"),
            (0x2001_c000, 0x0800_0400, 0x0800_0401, whole, "lacks the Thumb bit"),
            (0x2001_c000, 0x0000_0401, 0x0000_0401, whole, "the reset vector 0x00000401 is not in flash"),
            (0x2001_c000, 0x0810_0001, 0x0810_0001, whole, "the reset vector 0x08100001 is not in flash"),
            (0x2001_c000, 0x0800_0401, 0x0800_0501, whole, "the entry point 0x08000501 is not the reset vector"),
            (0, 0, 0, &[(0x0800_0004, 0x400)], "no vector table at 0x08000000"),
            (0, 0, 0, &[(0x0800_0000, 0x10), (0x2000_0000, 4)], "0x20000000..0x20000004 is loaded, but not in flash"),
            (0, 0, 0, &[(0x0800_0000, 0x10_0001)], "0x08000000..0x08100001 is loaded, but not in flash"),
        ] {
            let image = image(stack, reset, entry, segments);
            match image.check(&chosen) {
                Ok(()) => assert_eq!(expected, "", "{entry:#x}"),
                Err(CheckFailed(why)) => assert!(!expected.is_empty() && why.contains(expected), "{expected}: {why}"),
            }
        }
    }

    /// An ELF file of nothing but segments: load address and bytes.
    fn elf(segments: &[(u32, &[u8])]) -> Vec<u8> {
        let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0\x01\0\0\0".to_vec();
        let words = |file: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| file.extend(word.to_le_bytes()));
        words(&mut file, &[0x101, 52, 0, 0x0500_0000, 52 | 32 << 16, segments.len() as u32 | 40 << 16, 0]);
        let mut offset = 52 + 32 * segments.len() as u32;
        for (address, bytes) in segments {
            let length = bytes.len() as u32;
            words(&mut file, &[1, offset, 0x2000_0000, *address, length, length + 4, 5, 4]);
            offset += length;
        }
        segments.iter().for_each(|(_, bytes)| file.extend(*bytes));
        file
    }

    #[test]
    fn segments_are_read_by_load_address() {
        let image = Image::from_elf(&elf(&[(0x108, &[5, 6]), (0x100, &[1, 2, 3, 4]), (0x200, &[])])).unwrap();
        let segment = |address: u32, bytes: &[u8]| Segment { address, bytes: bytes.to_vec() };
        assert_eq!(
            image,
            Image { segments: vec![segment(0x100, &[1, 2, 3, 4]), segment(0x108, &[5, 6])], entry: 0x101 }
        );
        let cut = elf(&[(0, &[1, 2, 3, 4])]);
        for (file, expected) in [
            (b"MZ".to_vec(), "no 32-bit little-endian ELF file"),
            (elf(&[]), "nothing in it is loaded"),
            (elf(&[(0x100, &[1, 2]), (0x101, &[3])]), "segments overlap at 0x00000101"),
            (cut[..cut.len() - 1].to_vec(), "a segment is not in the file"),
        ] {
            let error = format!("{:#}", Image::from_elf(&file).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
