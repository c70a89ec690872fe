//! What an ELF file says about itself, reduced to what attribution needs.

use crate::Error;
use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS};
use object::read::{File, Object, ObjectSection, ObjectSymbol, SectionIndex};
use object::{Architecture, SectionFlags, SymbolKind};
use std::collections::HashMap;

/// The parts of an ELF file that take space in ROM.
#[derive(Debug)]
pub struct Image<'data> {
    /// Allocated sections with bytes in the file, in the file's order.
    pub sections: Vec<Section<'data>>,
}

/// An allocated section with its symbols.
#[derive(Debug)]
pub struct Section<'data> {
    /// Name, with what is not UTF-8 replaced.
    pub name: String,
    /// Address of the first byte; 0 in objects.
    pub address: u64,
    /// Alignment in bytes, at least 1.
    pub align: u64,
    /// True if it holds instructions.
    pub executable: bool,
    /// Its bytes.
    pub bytes: &'data [u8],
    /// Byte patterns that assemblers and linkers put between functions to align them, longest first.
    pub fill: Fill,
    /// Symbols that may own bytes.
    pub symbols: Vec<Symbol>,
    /// ARM mapping symbols in ascending order of offset: from there on, what the bytes are.
    pub mapping: Vec<(u64, Content)>,
}

/// Byte patterns of alignment fill.
pub type Fill = &'static [&'static [u8]];

/// Thumb `nop.w`, ARM `nop`, ARM `mov r0, r0`, Thumb `nop`, zeros. A single zero byte may be half an instruction.
const ARM_FILL: Fill =
    &[&[0xaf, 0xf3, 0x00, 0x80], &[0x00, 0xf0, 0x20, 0xe3], &[0x00, 0x00, 0xa0, 0xe1], &[0x00, 0xbf], &[0x00, 0x00]];
/// `nop`, `nop.n`, zeros.
const XTENSA_FILL: Fill = &[&[0xf0, 0x20, 0x00], &[0x3d, 0xf0], &[0x00]];
/// Machines that are not known here.
const OTHER_FILL: Fill = &[&[0x00]];

/// What bytes are, by a mapping symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Instructions (`$t`, `$a`, `$x`).
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
}

impl<'data> Image<'data> {
    /// Parses an ELF file of any machine, class and byte order.
    pub fn parse(data: &'data [u8]) -> Result<Self, Error> {
        let file = File::parse(data).map_err(|why| Error::corrupt("ELF header", why))?;
        let mut sections = Vec::new();
        let mut position = HashMap::new();
        let fill = match file.architecture() {
            Architecture::Arm => ARM_FILL,
            Architecture::Xtensa => XTENSA_FILL,
            _ => OTHER_FILL,
        };
        for section in file.sections() {
            if let Some(parsed) = parse_section(&section, fill)? {
                position.insert(section.index(), sections.len());
                sections.push(parsed);
            }
        }
        read_symbols(&file, &mut sections, &position)?;
        Ok(Image { sections })
    }
}

/// `None` if it takes no ROM: not allocated, no bytes in the file, or empty.
fn parse_section<'data>(section: &object::Section<'data, '_>, fill: Fill) -> Result<Option<Section<'data>>, Error> {
    let SectionFlags::Elf { sh_type, sh_flags } = section.flags() else { return Ok(None) };
    if !sh_flags.contains(SHF_ALLOC) || sh_type == SHT_NOBITS || section.size() == 0 {
        return Ok(None);
    }
    let name = section.name_bytes().map_err(|why| Error::corrupt("a section's name", why))?;
    let name = String::from_utf8_lossy(name).into_owned();
    let bytes = section.data().map_err(|why| {
        let (offset, size) = section.file_range().unwrap_or_default();
        Error::corrupt(format!("section {name} ({size} bytes at file offset {offset})"), why)
    })?;
    Ok(Some(Section {
        address: section.address(),
        align: section.align().max(1),
        executable: sh_flags.contains(SHF_EXECINSTR),
        bytes,
        fill,
        symbols: Vec::new(),
        mapping: Vec::new(),
        name,
    }))
}

fn read_symbols(
    file: &File<'_>,
    sections: &mut [Section<'_>],
    position: &HashMap<SectionIndex, usize>,
) -> Result<(), Error> {
    let arm = matches!(file.architecture(), Architecture::Arm | Architecture::Aarch64);
    for symbol in file.symbols() {
        let Some(&at) = symbol.section_index().and_then(|index| position.get(&index)) else { continue };
        let section = &mut sections[at];
        let name = symbol.name_bytes().map_err(|why| Error::corrupt("a symbol's name", why))?;
        // Bit 0 of a Thumb function's address is the instruction set, not part of the address. Data may be odd.
        let thumb = u64::from(file.architecture() == Architecture::Arm && symbol.kind() == SymbolKind::Text);
        let Some(offset) = (symbol.address() & !thumb).checked_sub(section.address) else { continue };
        if offset >= section.bytes.len() as u64 {
            continue;
        }
        if let Some(content) = mapping_content(name).filter(|_| arm && symbol.is_local()) {
            section.mapping.push((offset, content));
        } else if let Some(kind) = owner_kind(&symbol, section.executable) {
            let binding = if symbol.is_local() { 2 } else { u8::from(symbol.is_weak()) };
            let name = String::from_utf8_lossy(name).into_owned();
            section.symbols.push(Symbol { name, offset, size: symbol.size(), kind, binding });
        }
    }
    for section in sections {
        section.mapping.sort_by_key(|(offset, _)| *offset);
    }
    Ok(())
}

/// Mapping symbols of the ARM ELF ABI (AAELF32, 5.5.5): `$a`, `$t`, `$d`, also with `.anything` behind.
fn mapping_content(name: &[u8]) -> Option<Content> {
    match name {
        [b'$', kind, rest @ ..] if rest.is_empty() || rest[0] == b'.' => match kind {
            b'a' | b't' | b'x' => Some(Content::Code),
            b'd' => Some(Content::Data),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a symbol may own bytes, and as what. A local label without a size marks a place inside a function and owns
/// nothing; a global one in code is how assembly without `.type` names a function.
fn owner_kind(symbol: &object::Symbol<'_, '_>, executable: bool) -> Option<Kind> {
    match symbol.kind() {
        SymbolKind::Text => Some(Kind::Function),
        SymbolKind::Data | SymbolKind::Tls => Some(Kind::Data),
        SymbolKind::Unknown if symbol.size() > 0 || (executable && symbol.is_global()) => Some(Kind::Label),
        _ => None,
    }
}
