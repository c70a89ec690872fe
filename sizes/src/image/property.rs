//! Xtensa property tables (`.xt.prop`, `.xt.lit`): which bytes are instructions, and which are literals or data.

use super::parse::Position;
use super::{Content, Image, Machine};
use object::read::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget};
use std::collections::BTreeMap;

/// Flags of a property (binutils' `include/elf/xtensa.h` names them): literal, instructions, data.
const LITERAL: u32 = 1;
const INSTRUCTIONS: u32 = 2;
const DATA: u32 = 4;

/// Adds what the property tables say to the sections' mapping. A damaged table says nothing.
pub(super) fn read(file: &File<'_>, image: &mut Image<'_>, position: &Position) {
    if image.machine != Machine::Xtensa {
        return;
    }
    for section in file.sections() {
        let Ok(name) = section.name() else { continue };
        // A word each: address, size and, in `.xt.prop`, flags.
        let (words, fixed) = match name {
            name if name.starts_with(".xt.prop") => (3, None),
            name if name.starts_with(".xt.lit") => (2, Some(LITERAL)),
            _ => continue,
        };
        let Ok(bytes) = section.data() else { continue };
        let targets = targets(file, &section, position);
        for (number, entry) in bytes.chunks_exact(4 * words).enumerate() {
            let word = |at: usize| entry[4 * at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let flags = fixed.unwrap_or_else(|| word(2));
            let content = match flags {
                _ if flags & INSTRUCTIONS != 0 => Content::Code,
                _ if flags & (LITERAL | DATA) != 0 => Content::Data,
                _ => continue,
            };
            let place = match targets.get(&(4 * (words * number) as u64)) {
                Some(&(section, offset)) => Some((section, offset + u64::from(word(0)))),
                None => image.place_of(u64::from(word(0))).map(|place| (place.section, place.offset)),
            };
            if let Some((section, offset)) = place.filter(|_| word(1) > 0) {
                image.sections[section].mapping.push((offset, content));
            }
        }
    }
}

/// In objects the addresses of a table are filled in by relocations: section and offset by place in the table.
fn targets(file: &File<'_>, section: &object::Section<'_, '_>, position: &Position) -> BTreeMap<u64, (usize, u64)> {
    let mut found = BTreeMap::new();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(index) else { continue };
        let Some(&at) = symbol.section_index().and_then(|index| position.get(&index)) else { continue };
        found.insert(offset, (at, symbol.address().wrapping_add_signed(relocation.addend())));
    }
    found
}
