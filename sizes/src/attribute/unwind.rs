//! Exception index tables of ARM: each entry belongs to the function that it unwinds.

use super::claims::{Claims, Owner};
use crate::image::{Image, Machine, Place, Section, Target};

/// Bytes of an entry: the function's address, and its unwinding or where that is (EHABI32, 6).
const ENTRY_BYTES: u64 = 8;

/// Gives the entries of `.ARM.exidx*`, and what they point to in `.ARM.extab*`, to the functions they are about.
pub fn give_to_functions(image: &Image<'_>, claims: &mut Claims) {
    if !matches!(image.machine, Machine::Arm { .. }) {
        return;
    }
    let mut tables: Vec<(Place, Owner)> = Vec::new();
    for (index, section) in image.sections.iter().enumerate() {
        if !section.name.starts_with(".ARM.exidx") {
            continue;
        }
        for entry in (0..section.bytes.len() as u64).step_by(ENTRY_BYTES as usize) {
            let owner = target(image, section, entry).and_then(|place| owner_of(image, claims, place));
            let Some(owner) = owner else { continue };
            claims.claim(index, entry..entry + ENTRY_BYTES, owner);
            // Bit 31 says that the unwinding is in the entry itself; 1 that there is none.
            let inline = section.word(entry + 4).is_none_or(|word| word & 0x8000_0000 != 0 || word == 1);
            if let Some(place) = target(image, section, entry + 4).filter(|_| !inline) {
                tables.push((place, owner));
            }
        }
    }
    give_tables(image, claims, tables);
}

/// A table reaches to the next one of its section.
fn give_tables(image: &Image<'_>, claims: &mut Claims, mut tables: Vec<(Place, Owner)>) {
    tables.sort_unstable();
    for (n, (place, owner)) in tables.iter().enumerate() {
        let next = tables.get(n + 1).filter(|(next, _)| next.section == place.section);
        let end = next.map_or(image.sections[place.section].size, |(next, _)| next.offset);
        if image.sections[place.section].name.starts_with(".ARM.extab") {
            claims.claim(place.section, place.offset..end, *owner);
        }
    }
}

fn owner_of(image: &Image<'_>, claims: &Claims, place: Place) -> Option<Owner> {
    // Bit 0 may be a Thumb bit.
    let offset = place.offset & !1;
    image.sections[place.section].executable.then(|| claims.map(place.section).owner_of(offset)).flatten()
}

/// Where the 31-bit relative offset at `at` points to: by relocation in objects, by value in what is linked.
fn target(image: &Image<'_>, section: &Section<'_>, at: u64) -> Option<Place> {
    let word = section.word(at)?;
    let offset = i64::from((word << 1) as i32 >> 1);
    if image.relocatable {
        let relocation = section.relocations.iter().find(|relocation| {
            // An `R_ARM_NONE` for the personality routine stands at the same place.
            relocation.offset == at && relocation.kind == R_ARM_PREL31
        })?;
        let Target::Place { place, .. } = &relocation.target else { return None };
        let addend = if relocation.implicit_addend { offset } else { relocation.addend };
        return Some(Place { offset: place.offset.wrapping_add_signed(addend), ..*place });
    }
    image.place_of(section.address.wrapping_add(at).wrapping_add_signed(offset) & 0xffff_ffff)
}

/// AAELF32, 5.6.1.1.
const R_ARM_PREL31: u32 = 42;
