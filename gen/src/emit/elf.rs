//! The object file: ELF32, relocatable, written without any toolchain.
//!
//! Sources: Arm, *ELF for the Arm Architecture* (AAELF32): Thumb bit (5.5.3), mapping symbols (5.5.5), relocations (5.6). For
//! Xtensa, what GNU binutils read and write.
//!
//! An object for Xtensa has no property tables (`.xt.prop`) and no relocations of its code: with them GNU ld, which by default
//! rewrites what it links, could change the code that was verified; without them it moves the section as a whole.

use crate::emit::{EmitError, attributes, frame, info};
use crate::function::Function;
use crate::target::{Abi, Isa};
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, FileFlags, RelocationFlags, SectionFlags, SectionKind, SymbolFlags,
    SymbolKind, SymbolScope, elf,
};

/// Alignment of code and constants: LDR of a literal and fetches of whole words want it.
const ALIGN: u64 = 4;

/// The flags of every object that GNU as writes. A linker clears those that an object lacks in all of the image.
const XTENSA_FLAGS: elf::FileFlags = elf::FileFlags(0x300);

/// Which memory a function is executed from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Placement {
    /// Flash: its section is `.text.<symbol>`.
    #[default]
    Flash,
    /// RAM. For ARMv7-M its section is `.data.<symbol>`, which is writable, so that start-up code copies it there with the
    /// variables; for Xtensa it is `.iram1.<symbol>`, which Espressif's linker scripts place in the RAM for instructions.
    Ram,
}

/// The object file of one function.
pub fn object(function: &Function, placement: Placement) -> Result<Vec<u8>, EmitError> {
    let thumb = function.target.isa() == Isa::Thumb;
    let (architecture, e_flags) =
        if thumb { (Architecture::Arm, elf::EF_ARM_EABI_VER5) } else { (Architecture::Xtensa, XTENSA_FLAGS) };
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    object.flags = FileFlags::Elf { os_abi: elf::ELFOSABI_NONE, abi_version: 0, e_flags };
    let symbol = &function.symbol;
    let (folder, extra) = match placement {
        Placement::Flash => (".text", elf::SectionFlags(0)),
        Placement::Ram if thumb => (".data", elf::SHF_WRITE),
        Placement::Ram => (".iram1", elf::SectionFlags(0)),
    };
    let text = add_section(&mut object, format!("{folder}.{symbol}"), SectionKind::Text, &contents(function), ALIGN);
    let sh_flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR | extra;
    object.section_mut(text).flags = SectionFlags::Elf { sh_type: elf::SHT_PROGBITS, sh_flags };
    // Behind the literals.
    let entry = 4 * function.literals.len() as u64;
    if thumb {
        if !function.literals.is_empty() {
            mapping_symbol(&mut object, "$d", text, 0);
        }
        mapping_symbol(&mut object, "$t", text, entry);
    }
    if !function.rodata.is_empty() {
        let name = format!(".rodata.{symbol}");
        let constants = add_section(&mut object, name, SectionKind::ReadOnlyData, &function.rodata, ALIGN);
        if thumb {
            mapping_symbol(&mut object, "$d", constants, 0);
        }
    }
    object.add_symbol(Symbol {
        name: symbol.clone().into_bytes(),
        // Of the entry, with the Thumb bit.
        value: entry + u64::from(thumb),
        size: function.code.len() as u64,
        kind: SymbolKind::Text,
        scope: SymbolScope::Dynamic, // STV_DEFAULT, like everything an assembler makes global
        weak: false,
        section: SymbolSection::Section(text),
        flags: SymbolFlags::None,
    });
    // ENTRY gives registers other names, which call-frame information cannot say; debuggers find the frame by a0.
    if function.abi != Abi::Windowed {
        add_frame(&mut object, function, text)?;
    }
    let (name, bytes, sh_type) = if thumb {
        (".ARM.attributes", attributes::section(function), elf::SHT_ARM_ATTRIBUTES)
    } else {
        (".xtensa.info", info::section(function.abi), elf::SHT_NOTE)
    };
    let section = add_section(&mut object, name.to_string(), SectionKind::Other, &bytes, 1);
    object.section_mut(section).flags = SectionFlags::Elf { sh_type, sh_flags: elf::SectionFlags(0) };
    if !thumb {
        add_section(&mut object, ".note.GNU-stack".to_string(), SectionKind::Other, &[], 1);
    }
    object.write().map_err(|error| EmitError::object(symbol, error))
}

/// Literals and code. For ARMv7-M up to a whole number of words, as GNU as fills every section there up to its alignment: behind
/// the function's end there may be a NOP, which does not belong to it.
fn contents(function: &Function) -> Vec<u8> {
    let thumb = function.target.isa() == Isa::Thumb;
    let fill: &[u8] = if thumb && function.code.len() as u64 % ALIGN == 2 { &[0x00, 0xbf] } else { &[] };
    [function.section().as_slice(), fill].concat()
}

fn add_section(object: &mut Object<'_>, name: String, kind: SectionKind, bytes: &[u8], align: u64) -> SectionId {
    let section = object.add_section(Vec::new(), name.into_bytes(), kind);
    object.append_section_data(section, bytes, align);
    section
}

/// Marks where code (`$t`) or data (`$d`) begins.
fn mapping_symbol(object: &mut Object<'_>, name: &str, section: SectionId, value: u64) {
    object.add_symbol(Symbol {
        name: name.as_bytes().to_vec(),
        value,
        size: 0,
        kind: SymbolKind::Label,
        scope: SymbolScope::Compilation,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    });
}

fn add_frame(object: &mut Object<'_>, function: &Function, text: SectionId) -> Result<(), EmitError> {
    let frame = frame::frame(function)?;
    let r_type = if function.target.isa() == Isa::Thumb { elf::R_ARM_ABS32 } else { elf::R_XTENSA_32 };
    let section = add_section(object, ".debug_frame".to_string(), SectionKind::Debug, &frame.bytes, 4);
    for relocation in frame.relocations {
        let symbol: SymbolId = match relocation.target {
            gimli::write::RelocationTarget::Symbol(_) => object.section_symbol(text),
            gimli::write::RelocationTarget::Section(_) => object.section_symbol(section),
        };
        let relocation = Relocation {
            offset: relocation.offset as u64,
            symbol,
            addend: relocation.addend,
            flags: RelocationFlags::Elf { r_type },
        };
        object.add_relocation(section, relocation).map_err(|error| EmitError::object(&function.symbol, error))?;
    }
    Ok(())
}
