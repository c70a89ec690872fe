//! Symbols and relocations.

use super::parse::Position;
use super::{Content, Image, Kind, Machine, Place, Relocation, Section, Symbol, Target, text};
use crate::Error;
use object::read::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget};
use object::{RelocationFlags, SymbolIndex, SymbolKind};

pub(super) fn read(file: &File<'_>, image: &mut Image<'_>, position: &Position) -> Result<(), Error> {
    let mut source = None;
    for symbol in file.symbols() {
        let name = symbol.name_bytes().map_err(|why| Error::corrupt("a symbol's name", why))?;
        if symbol.kind() == SymbolKind::File {
            source = (!name.is_empty()).then_some(image.source_files.len());
            if source.is_some() {
                image.source_files.push(text(name));
            }
            continue;
        }
        let Some(&at) = symbol.section_index().and_then(|index| position.get(&index)) else { continue };
        let machine = image.machine;
        let section = &mut image.sections[at];
        let (value, thumb) = value_of(&symbol, machine);
        let Some(offset) = value.checked_sub(section.address) else { continue };
        if offset >= section.size {
            continue;
        }
        let mapping = mapping_content(name).filter(|_| machine.has_mapping_symbols() && symbol.is_local());
        if let Some(content) = mapping {
            section.mapping.push((offset, content));
        } else if let Some(kind) = owner_kind(&symbol, name, section, image.relocatable) {
            section.symbols.push(Symbol {
                name: text(name),
                offset,
                size: symbol.size(),
                kind,
                binding: if symbol.is_local() { 2 } else { u8::from(symbol.is_weak()) },
                thumb,
                source: source.filter(|_| symbol.is_local()),
            });
        }
    }
    if image.relocatable {
        read_relocations(file, image, position)?;
        image.sections.extend(common(file)?);
    }
    Ok(())
}

/// Variables for which the linker will make room (`SHN_COMMON`), as a section without contents.
fn common(file: &File<'_>) -> Result<Option<Section<'static>>, Error> {
    let mut section =
        Section { name: "COMMON".to_owned(), align: 1, writable: true, in_ram: true, ..Section::default() };
    for symbol in file.symbols().filter(|symbol| symbol.is_common() && symbol.size() > 0) {
        let name = symbol.name_bytes().map_err(|why| Error::corrupt("a symbol's name", why))?;
        let (offset, kind) = (section.size, Kind::Data);
        let size = section.size.checked_add(symbol.size());
        section.size = size.ok_or_else(|| Error::corrupt("a common symbol", "it is larger than memory"))?;
        let name = text(name);
        section.symbols.push(Symbol {
            name,
            offset,
            size: symbol.size(),
            kind,
            binding: 0,
            thumb: false,
            source: None,
        });
    }
    Ok((section.size > 0).then_some(section))
}

/// The value without the Thumb bit, and that bit. Bit 0 of a function's address is the instruction set, not part of the
/// address; data may be odd.
fn value_of(symbol: &object::Symbol<'_, '_>, machine: Machine) -> (u64, bool) {
    let thumb =
        matches!(machine, Machine::Arm { .. }) && symbol.kind() == SymbolKind::Text && symbol.address() & 1 == 1;
    (symbol.address() & !u64::from(thumb), thumb)
}

/// Mapping symbols of the ARM ELF ABI (AAELF32, 5.5.5; AAELF64; RISC-V ELF psABI): `$a`, `$t`, `$d`, `$x`, also with
/// `.anything` behind.
fn mapping_content(name: &[u8]) -> Option<Content> {
    match name {
        [b'$', kind, rest @ ..] if rest.is_empty() || rest[0] == b'.' => match kind {
            b'a' => Some(Content::Arm),
            b't' => Some(Content::Thumb),
            b'x' => Some(Content::Code),
            b'd' => Some(Content::Data),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a symbol may own bytes, and as what. A label is how assembly without `.type` names a function or data. In the
/// data of linked files labels that begin with `_` name nothing: linker scripts set those for their own use.
fn owner_kind(symbol: &object::Symbol<'_, '_>, name: &[u8], section: &Section<'_>, relocatable: bool) -> Option<Kind> {
    match symbol.kind() {
        SymbolKind::Text => Some(Kind::Function),
        SymbolKind::Data | SymbolKind::Tls => Some(Kind::Data),
        SymbolKind::Unknown if symbol.size() > 0 => Some(Kind::Label),
        SymbolKind::Unknown if name.starts_with(b".L") || name.is_empty() => None,
        SymbolKind::Unknown if !section.executable => {
            (symbol.is_global() && (relocatable || !name.starts_with(b"_"))).then_some(Kind::Label)
        }
        SymbolKind::Unknown if symbol.is_global() => Some(Kind::Label),
        SymbolKind::Unknown => Some(Kind::LocalLabel),
        _ => None,
    }
}

fn read_relocations(file: &File<'_>, image: &mut Image<'_>, position: &Position) -> Result<(), Error> {
    for section in file.sections() {
        let Some(&at) = position.get(&section.index()) else { continue };
        let mut found = Vec::new();
        for (offset, relocation) in section.relocations() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let target = match relocation.target() {
                RelocationTarget::Symbol(index) => target_of(file, image.machine, index, position)?,
                _ => Target::Nothing,
            };
            found.push(Relocation {
                offset,
                kind: r_type.0,
                target,
                addend: relocation.addend(),
                implicit_addend: relocation.has_implicit_addend(),
            });
        }
        found.sort_by_key(|relocation| relocation.offset);
        image.sections[at].relocations = found;
    }
    Ok(())
}

fn target_of(file: &File<'_>, machine: Machine, index: SymbolIndex, position: &Position) -> Result<Target, Error> {
    let symbol = file.symbol_by_index(index).map_err(|why| Error::corrupt("a relocation", why))?;
    if symbol.is_undefined() {
        let name = symbol.name_bytes().map_err(|why| Error::corrupt("a symbol's name", why))?;
        return Ok(Target::External(text(name)));
    }
    let Some(&section) = symbol.section_index().and_then(|index| position.get(&index)) else {
        return Ok(Target::Nothing);
    };
    let place = Place { section, offset: value_of(&symbol, machine).0 };
    Ok(Target::Place { place, whole_section: symbol.kind() == SymbolKind::Section })
}
