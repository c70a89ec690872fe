//! ELF objects for the tests, written without any toolchain.

use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_NOBITS, SHT_PROGBITS, SectionFlags as Flags};
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope,
};

/// An object under construction.
pub struct Fixture {
    object: Object<'static>,
}

/// Type and binding of a symbol, as an assembler would write them.
#[derive(Clone, Copy)]
pub enum As {
    /// `.type x, %function`, `.global`
    Function,
    /// `.type x, %function`
    LocalFunction,
    /// `.type x, %function`, `.weak`
    WeakFunction,
    /// `.type x, %object`, `.global`
    Data,
    /// `.global`
    Global,
    /// nothing
    Local,
}

impl Fixture {
    pub fn new(architecture: Architecture) -> Fixture {
        let endian = Endianness::Little;
        Fixture { object: Object::new(BinaryFormat::Elf, architecture, endian) }
    }

    fn section(&mut self, name: &str, bytes: &[u8], align: u64, kind: SectionKind, flags: Flags) -> SectionId {
        let id = self.object.add_section(Vec::new(), name.as_bytes().to_vec(), kind);
        let section = self.object.section_mut(id);
        let sh_type = if kind == SectionKind::UninitializedData { SHT_NOBITS } else { SHT_PROGBITS };
        section.flags = SectionFlags::Elf { sh_type, sh_flags: flags };
        match kind {
            SectionKind::UninitializedData => drop(section.append_bss(bytes.len() as u64, align)),
            _ => section.set_data(bytes.to_vec(), align),
        }
        id
    }

    /// An executable section.
    pub fn text(&mut self, name: &str, bytes: &[u8], align: u64) -> SectionId {
        self.section(name, bytes, align, SectionKind::Text, SHF_ALLOC | SHF_EXECINSTR)
    }

    /// A section of constants.
    pub fn rodata(&mut self, name: &str, bytes: &[u8], align: u64) -> SectionId {
        self.section(name, bytes, align, SectionKind::ReadOnlyData, SHF_ALLOC)
    }

    /// A section without bytes in the file.
    pub fn bss(&mut self, name: &str, size: usize) -> SectionId {
        self.section(name, &vec![0; size], 4, SectionKind::UninitializedData, SHF_ALLOC | SHF_WRITE)
    }

    /// A section that is not loaded.
    pub fn debug(&mut self, name: &str, bytes: &[u8]) -> SectionId {
        self.section(name, bytes, 1, SectionKind::Debug, Flags(0))
    }

    /// Constants with initial values that the program may change.
    pub fn data(&mut self, name: &str, bytes: &[u8], align: u64) -> SectionId {
        self.section(name, bytes, align, SectionKind::Data, SHF_ALLOC | SHF_WRITE)
    }

    /// A symbol at `value` (bit 0 set for Thumb functions).
    pub fn symbol(&mut self, section: SectionId, name: &str, value: u64, size: u64, kind: As) -> SymbolId {
        self.add(SymbolSection::Section(section), name, value, size, kind)
    }

    /// A symbol that is in no section.
    pub fn absolute(&mut self, name: &str, value: u64, size: u64, kind: As) -> SymbolId {
        self.add(SymbolSection::Absolute, name, value, size, kind)
    }

    /// A symbol that another file must define.
    pub fn undefined(&mut self, name: &str) -> SymbolId {
        self.add(SymbolSection::Undefined, name, 0, 0, As::Global)
    }

    /// A variable that the linker makes room for.
    pub fn common(&mut self, name: &str, size: u64, align: u64) {
        self.add(SymbolSection::Common, name, align, size, As::Data);
    }

    /// The symbol of a section.
    pub fn section_symbol(&mut self, section: SectionId) -> SymbolId {
        self.object.section_symbol(section)
    }

    /// A relocation of kind `r_type`. `addend` is written to the relocation on Xtensa; on ARM it has to be in the
    /// section's bytes already.
    pub fn relocation(&mut self, section: SectionId, offset: u64, symbol: SymbolId, r_type: u32, addend: i64) {
        let flags = RelocationFlags::Elf { r_type: object::elf::RelocationType(r_type) };
        self.object.add_relocation(section, Relocation { offset, symbol, addend, flags }).unwrap();
    }

    fn add(&mut self, section: SymbolSection, name: &str, value: u64, size: u64, kind: As) -> SymbolId {
        let (st_type, bind) = match kind {
            As::Function => (object::elf::STT_FUNC, object::elf::STB_GLOBAL),
            As::LocalFunction => (object::elf::STT_FUNC, object::elf::STB_LOCAL),
            As::WeakFunction => (object::elf::STT_FUNC, object::elf::STB_WEAK),
            As::Data => (object::elf::STT_OBJECT, object::elf::STB_GLOBAL),
            As::Global => (object::elf::STT_NOTYPE, object::elf::STB_GLOBAL),
            As::Local => (object::elf::STT_NOTYPE, object::elf::STB_LOCAL),
        };
        let local = bind == object::elf::STB_LOCAL;
        self.object.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value,
            size,
            kind: SymbolKind::Unknown,
            scope: if local { SymbolScope::Compilation } else { SymbolScope::Dynamic },
            weak: bind == object::elf::STB_WEAK,
            section,
            flags: SymbolFlags::Elf {
                st_info: object::elf::SymbolInfo::new(bind, st_type),
                st_other: object::elf::SymbolOther(0),
            },
        })
    }

    /// The file.
    pub fn write(self) -> Vec<u8> {
        self.object.write().unwrap()
    }
}

/// An archive in the common format with these members, names of at most 15 characters.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let name = format!("{name}/");
        bytes.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len()).into_bytes());
        bytes.extend(*data);
        if data.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}
