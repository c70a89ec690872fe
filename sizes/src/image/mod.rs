//! What an ELF file says about itself, reduced to what attribution needs.

mod machine;
mod parse;
mod property;
mod symbols;

pub use machine::Machine;

use std::ops::Range;

/// The parts of an ELF file that take space in ROM or RAM.
#[derive(Debug)]
pub struct Image<'data> {
    /// Whose instructions it holds.
    pub machine: Machine,
    /// True if multi-byte values are stored with the low byte first.
    pub little_endian: bool,
    /// True for objects: places are offsets in sections, and relocations tell what they stand for.
    pub relocatable: bool,
    /// True if it has no symbol table.
    pub stripped: bool,
    /// Allocated sections that are not empty, in the file's order. Those with bytes do not overlap in the file.
    pub sections: Vec<Section<'data>>,
    /// Loaded segments with bytes in the file, in the file's order; none in objects.
    pub segments: Vec<Segment<'data>>,
    /// Names of source files (`STT_FILE`).
    pub source_files: Vec<String>,
}

/// An allocated section with its symbols.
#[derive(Default, Debug)]
pub struct Section<'data> {
    /// Name, with what is not UTF-8 replaced.
    pub name: String,
    /// Address of the first byte at run time; 0 in objects.
    pub address: u64,
    /// Bytes at run time.
    pub size: u64,
    /// Alignment in bytes, at least 1.
    pub align: u64,
    /// True if it holds instructions.
    pub executable: bool,
    /// True if the program may write to it.
    pub writable: bool,
    /// True for variables of threads: without contents they take no addresses.
    pub thread_local: bool,
    /// True if its bytes are in ROM: they are in a loaded segment, or will be in one.
    pub loaded: bool,
    /// True if it takes RAM at run time.
    pub in_ram: bool,
    /// Where its bytes are in the file.
    pub file_offset: u64,
    /// Its bytes; none if it has no contents.
    pub bytes: &'data [u8],
    /// Symbols that may own bytes, in ascending order of offset; those at one place in the file's order.
    pub symbols: Vec<Symbol>,
    /// In ascending order of offset: from there on, what the bytes are (mapping symbols, property tables).
    pub mapping: Vec<(u64, Content)>,
    /// In ascending order of offset; only in objects and in what was linked with `--emit-relocs`.
    pub relocations: Vec<Relocation>,
}

impl Section<'_> {
    /// Bytes in ROM.
    pub fn rom_bytes(&self) -> u64 {
        if self.loaded { self.bytes.len() as u64 } else { 0 }
    }

    /// Bytes in RAM.
    pub fn ram_bytes(&self) -> u64 {
        if self.in_ram { self.size } else { 0 }
    }

    /// The symbols at `offset`: their indices.
    pub fn symbols_at(&self, offset: u64) -> Range<usize> {
        let first = self.symbols.partition_point(|symbol| symbol.offset < offset);
        let behind = self.symbols[first..].partition_point(|symbol| symbol.offset == offset);
        first..first + behind
    }

    /// What the byte at `offset` is, where mapping symbols or property tables tell.
    pub fn content(&self, offset: u64) -> Option<Content> {
        let after = self.mapping.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map(|last| self.mapping[last].1)
    }

    /// `range` cut where the content changes.
    pub fn contents(&self, range: Range<u64>) -> Vec<(Range<u64>, Option<Content>)> {
        let after = self.mapping.partition_point(|(offset, _)| *offset <= range.start);
        let mut content = self.content(range.start);
        let mut start = range.start;
        let mut parts = Vec::new();
        for &(offset, next) in self.mapping[after..].iter().take_while(|(offset, _)| *offset < range.end) {
            if Some(next) != content {
                parts.push((start..offset, content));
                (start, content) = (offset, Some(next));
            }
        }
        parts.push((start..range.end, content));
        parts.retain(|(part, _)| part.start < part.end);
        parts
    }

    /// The 32-bit word at `offset`, low byte first.
    pub fn word(&self, offset: u64) -> Option<u32> {
        let at = usize::try_from(offset).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The first relocation in `range`.
    pub fn relocation_in(&self, range: Range<u64>) -> Option<&Relocation> {
        let first = self.relocations.partition_point(|relocation| relocation.offset < range.start);
        self.relocations.get(first).filter(|relocation| relocation.offset < range.end)
    }
}

/// A loaded segment.
#[derive(Debug)]
pub struct Segment<'data> {
    /// Where its bytes are in the file.
    pub file_offset: u64,
    /// Its bytes in the file.
    pub bytes: &'data [u8],
    /// Address at run time (`p_vaddr`).
    pub address: u64,
    /// Address where it is stored (`p_paddr`).
    pub load_address: u64,
}

/// What bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// ARM instructions of four bytes (`$a`).
    Arm,
    /// Thumb instructions (`$t`).
    Thumb,
    /// Instructions of a machine with one instruction set.
    Code,
    /// Literals, tables, fill (`$d`).
    Data,
}

/// What a symbol stands for. The order is the order of preference among symbols at one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `STT_FUNC`.
    Function,
    /// `STT_OBJECT`.
    Data,
    /// No type, as foreign assembly often leaves it.
    Label,
    /// As a label, but local and without a size: it most likely marks a place in a function.
    LocalLabel,
}

/// A symbol inside a section.
#[derive(Debug)]
pub struct Symbol {
    /// Name, with what is not UTF-8 replaced.
    pub name: String,
    /// Offset in the section, Thumb bit cleared.
    pub offset: u64,
    /// Bytes, as the file says; 0 if it does not say.
    pub size: u64,
    /// What it stands for.
    pub kind: Kind,
    /// 0 global, 1 weak, 2 local: the order of preference among symbols at one place.
    pub binding: u8,
    /// True if bit 0 of its value said that it is a Thumb function.
    pub thumb: bool,
    /// Index in [`Image::source_files`], where known.
    pub source: Option<usize>,
}

/// A place in an image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Index in [`Image::sections`].
    pub section: usize,
    /// Offset in the section; at most its size.
    pub offset: u64,
}

/// A word or an instruction that the linker fills in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Offset in the section.
    pub offset: u64,
    /// The machine's number of its kind.
    pub kind: u32,
    /// What is filled in.
    pub target: Target,
    /// What is added to the target.
    pub addend: i64,
    /// True if what is added to the target is in the section's bytes instead.
    pub implicit_addend: bool,
}

/// What a relocation refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A place in this file. `whole_section` is true for a section's symbol, which tells nothing without the addend.
    Place {
        /// The place.
        place: Place,
        /// True for a section's symbol.
        whole_section: bool,
    },
    /// A symbol of another file.
    External(String),
    /// A number, or a section that takes no space.
    Nothing,
}

impl Image<'_> {
    /// The place with this address at run time. `None` in objects, whose sections have no addresses yet, and where
    /// overlays share an address, so that it is not known which of them is meant.
    pub fn place_of(&self, address: u64) -> Option<Place> {
        if self.relocatable {
            return None;
        }
        let mut places = self.sections.iter().enumerate().filter_map(|(index, section)| {
            let offset = address.checked_sub(section.address)?;
            (offset < section.size && !section.thread_local).then_some(Place { section: index, offset })
        });
        let first = places.next();
        first.filter(|_| places.next().is_none())
    }
}

/// A name as text that a terminal shows as it is: what is not UTF-8 is replaced, and control characters and those that
/// turn the direction of writing are written as escapes.
pub fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for letter in String::from_utf8_lossy(bytes).chars() {
        match letter {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                text.extend(letter.escape_unicode())
            }
            letter if letter.is_control() => text.extend(letter.escape_default()),
            letter => text.push(letter),
        }
    }
    text
}
