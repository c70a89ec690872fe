//! Source files of functions, from the compile units of DWARF 2 to 5.
//!
//! Only the root entry of each unit is read: its name and its ranges. What is damaged, compressed or in another file
//! tells nothing; no byte depends on it.

use crate::image::{Image, Kind};
use gimli::Section as _;
use gimli::{
    Abbreviations, AttributeValue, DebugAbbrev, DebugAddrBase, DebugLocListsBase, DebugRngListsBase,
    DebugStrOffsetsBase, Dwarf, DwarfFileType, EndianSlice, Reader, Relocate, RelocateReader, RunTimeEndian, SectionId,
    Unit, UnitHeader,
};
use object::read::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// More ranges than these are not read; a program has a few for each function at most.
const RANGES_MAX: usize = 1 << 20;
/// In objects each section is taken to have addresses of its own, so that one address means one place; this is the
/// first of them.
const FIRST: u64 = 0x1000;

/// The ranges of a unit, and its name.
type Named = (Vec<Range<u64>>, String);

/// Notes the source file of each function of an image that debug information tells. `data` is its file.
pub fn add(data: &[u8], image: &mut Image<'_>) {
    let Ok(file) = File::parse(data) else { return };
    let mut units = if image.relocatable { of_object(&file, image) } else { of_linked(&file) };
    if let ([(ranges, _)], true) = (&mut units[..], image.relocatable) {
        // All of an object with one unit is from there, whether its ranges can be read or not.
        ranges.clear();
        ranges.push(0..u64::MAX);
    }
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut ranges: Vec<(u64, u64, usize)> = Vec::new();
    for (unit, name) in units {
        let index = *names.entry(name).or_insert_with_key(|name| {
            image.source_files.push(name.clone());
            image.source_files.len() - 1
        });
        ranges.extend(unit.into_iter().map(|range| (range.start, range.end, index)));
    }
    ranges.sort_unstable();
    ranges.dedup();
    let bases = addresses(image);
    for (section, base) in image.sections.iter_mut().zip(bases).filter(|(section, _)| section.executable) {
        for symbol in section.symbols.iter_mut().filter(|symbol| symbol.kind != Kind::Data) {
            symbol.source = unit_at(&ranges, base.wrapping_add(symbol.offset)).or(symbol.source);
        }
    }
}

/// Where the addresses of each section begin.
fn addresses(image: &Image<'_>) -> Vec<u64> {
    let mut next = FIRST;
    let address = |section: &crate::image::Section<'_>| {
        if !image.relocatable {
            return section.address;
        }
        let address = next;
        // Apart, so that the end of one is not the beginning of another.
        next = next.saturating_add(section.size).saturating_add(FIRST);
        address
    };
    image.sections.iter().map(address).collect()
}

/// The unit that an address belongs to: that of the range which begins last before it. Where units of several names
/// begin at one place (functions that the linker dropped seem to be at 0) it is not known.
fn unit_at(ranges: &[(u64, u64, usize)], address: u64) -> Option<usize> {
    let after = ranges.partition_point(|(start, ..)| *start <= address);
    let mut candidates = ranges[..after].iter().rev().take(NESTED_MAX).filter(|(_, end, _)| address < *end);
    let (start, _, name) = candidates.next()?;
    candidates.take_while(|(other, ..)| other == start).all(|(.., other)| other == name).then_some(*name)
}

/// So many ranges that begin before an address are looked at.
const NESTED_MAX: usize = 16;

fn of_linked(file: &File<'_>) -> Vec<Named> {
    let endian = endian(file);
    let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(EndianSlice::new(section(file, id).1, endian)));
    dwarf.map_or_else(|_| Vec::new(), |dwarf| read(&dwarf))
}

/// As in a linked file, with relocations applied to what is read.
fn of_object(file: &File<'_>, image: &Image<'_>) -> Vec<Named> {
    let endian = endian(file);
    let bases = bases(file, image);
    let mut maps: HashMap<SectionId, Relocations> = HashMap::new();
    for id in [
        SectionId::DebugInfo,
        SectionId::DebugAddr,
        SectionId::DebugAranges,
        SectionId::DebugRanges,
        SectionId::DebugRngLists,
        SectionId::DebugStrOffsets,
    ] {
        maps.insert(
            id,
            section(file, id).0.map_or_else(Relocations::default, |section| relocations(file, &section, &bases)),
        );
    }
    let none = Relocations::default();
    let dwarf = Dwarf::load(|id| {
        let relocations = maps.get(&id).unwrap_or(&none);
        Ok::<_, gimli::Error>(RelocateReader::new(EndianSlice::new(section(file, id).1, endian), relocations))
    });
    dwarf.map_or_else(|_| Vec::new(), |dwarf| read(&dwarf))
}

fn endian(file: &File<'_>) -> RunTimeEndian {
    if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big }
}

/// A section with its bytes; none if it is compressed. Line programs are not needed.
fn section<'data, 'file>(
    file: &'file File<'data>,
    id: SectionId,
) -> (Option<object::Section<'data, 'file>>, &'data [u8]) {
    let found = file.section_by_name_bytes(id.name().as_bytes()).filter(|_| id != SectionId::DebugLine);
    let plain = |section: &object::Section<'data, 'file>| {
        let range = section.compressed_file_range().ok()?;
        if range.format == object::CompressionFormat::None { section.data().ok() } else { None }
    };
    let bytes = found.as_ref().and_then(plain).unwrap_or(&[]);
    (found, bytes)
}

/// What relocations make of values, by offset in the section.
#[derive(Default, Debug)]
struct Relocations(HashMap<usize, Fixed>);

#[derive(Clone, Copy, Debug)]
struct Fixed {
    value: u64,
    /// True if what stands there is to be added.
    implicit_addend: bool,
}

impl Relocations {
    fn apply(&self, offset: usize, value: u64) -> u64 {
        self.0
            .get(&offset)
            .map_or(value, |fixed| fixed.value.wrapping_add(if fixed.implicit_addend { value } else { 0 }))
    }
}

impl Relocate for &Relocations {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        Ok(self.apply(offset, value))
    }

    fn relocate_offset(&self, offset: usize, value: usize) -> gimli::Result<usize> {
        usize::try_from(self.apply(offset, value as u64)).map_err(|_| gimli::Error::UnsupportedOffset)
    }
}

/// Where the addresses of each section of an object are taken to begin.
fn bases(file: &File<'_>, image: &Image<'_>) -> HashMap<SectionIndex, u64> {
    let by_place: HashMap<u64, u64> = image
        .sections
        .iter()
        .zip(addresses(image))
        .filter(|(section, _)| !section.bytes.is_empty())
        .map(|(section, address)| (section.file_offset, address))
        .collect();
    let base = |section: object::Section<'_, '_>| {
        Some((section.index(), *by_place.get(&section.file_range()?.0).filter(|_| section.size() > 0)?))
    };
    file.sections().filter_map(base).collect()
}

fn relocations(file: &File<'_>, section: &object::Section<'_, '_>, bases: &HashMap<SectionIndex, u64>) -> Relocations {
    let mut found = HashMap::new();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(index) else { continue };
        // Of a function's address bit 0 may be a Thumb bit.
        let value = match symbol.kind() {
            object::SymbolKind::Text => symbol.address() & !1,
            _ => symbol.address(),
        };
        let base = symbol.section_index().and_then(|section| bases.get(&section)).copied().unwrap_or(0);
        let value = base.wrapping_add(value).wrapping_add_signed(relocation.addend());
        found.insert(offset as usize, Fixed { value, implicit_addend: relocation.has_implicit_addend() });
    }
    Relocations(found)
}

/// The units of a file that have a name and ranges.
fn read<R: Reader<Offset = usize>>(dwarf: &Dwarf<R>) -> Vec<Named> {
    let mut headers = Vec::new();
    let mut units = dwarf.units();
    // What follows a damaged unit cannot be found.
    while let Ok(Some(header)) = units.next() {
        headers.push(header);
    }
    // Units that share a table of abbreviations one after the other; each table is read once, up to the next.
    headers.sort_by_key(|header| header.debug_abbrev_offset().0);
    let offsets: Vec<usize> = headers.iter().map(|header| header.debug_abbrev_offset().0).collect();
    let mut last: Option<(usize, Option<Arc<Abbreviations>>)> = None;
    let mut left = RANGES_MAX;
    let mut found = Vec::new();
    for header in headers {
        let offset = header.debug_abbrev_offset().0;
        if last.as_ref().is_none_or(|(read, _)| *read != offset) {
            let next = offsets[offsets.partition_point(|other| *other <= offset)..].first().copied();
            last = Some((offset, abbreviations(dwarf, &header, next).map(Arc::new)));
        }
        let Some((_, Some(abbreviations))) = &last else { continue };
        if let Ok(Some((ranges, name))) = named(dwarf, header, abbreviations.clone(), left) {
            left -= ranges.len();
            found.push((ranges, name));
        }
    }
    found
}

fn abbreviations<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    header: &UnitHeader<R>,
    end: Option<usize>,
) -> Option<Abbreviations> {
    let mut section = dwarf.debug_abbrev.reader().clone();
    if let Some(end) = end {
        section.truncate(end).ok()?;
    }
    header.abbreviations(&DebugAbbrev::from(section)).ok()
}

/// Name and ranges of a unit, of these at most so many.
fn named<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    header: UnitHeader<R>,
    abbreviations: Arc<Abbreviations>,
    ranges_max: usize,
) -> gimli::Result<Option<Named>> {
    let encoding = header.encoding();
    let (kind, address_bytes) = (DwarfFileType::Main, encoding.address_size);
    let mut unit = Unit {
        abbreviations,
        name: None,
        comp_dir: None,
        low_pc: 0,
        str_offsets_base: DebugStrOffsetsBase::default_for_encoding_and_file(encoding, kind),
        addr_base: DebugAddrBase(0),
        loclists_base: DebugLocListsBase::default_for_encoding_and_file(encoding, kind),
        rnglists_base: DebugRngListsBase::default_for_encoding_and_file(encoding, kind),
        line_program: None,
        dwo_id: None,
        header,
    };
    let abbreviations = unit.abbreviations.clone();
    let root = {
        let mut entries = unit.header.entries_raw(&abbreviations, None)?;
        let Some(abbreviation) = entries.read_abbreviation()? else { return Ok(None) };
        let mut attributes = Vec::new();
        entries.read_attributes(abbreviation.attributes(), &mut attributes)?;
        attributes
    };
    // What others are relative to.
    for attribute in &root {
        match attribute.value() {
            AttributeValue::DebugStrOffsetsBase(base) => unit.str_offsets_base = base,
            AttributeValue::DebugAddrBase(base) => unit.addr_base = base,
            AttributeValue::DebugRngListsBase(base) => unit.rnglists_base = base,
            _ => {}
        }
    }
    let value = |name| root.iter().find(|attribute| attribute.name() == name).map(gimli::Attribute::value);
    let address = |unit: &Unit<R>, value| dwarf.attr_address(unit, value).map(Option::unwrap_or_default);
    let Some(name) = value(gimli::DW_AT_name) else { return Ok(None) };
    let name = shown(&dwarf.attr_string(&unit, name)?.to_string_lossy()?);
    if let Some(low) = value(gimli::DW_AT_low_pc) {
        unit.low_pc = address(&unit, low)?;
    }
    let mut ranges = Vec::new();
    if let Some(list) = value(gimli::DW_AT_ranges).map(|list| dwarf.attr_ranges(&unit, list)).transpose()?.flatten() {
        let mut list = list;
        while let Some(range) = list.next()? {
            if ranges.len() == ranges_max {
                return Ok(None);
            }
            ranges.push(range.begin..range.end);
        }
    } else if let Some(high) = value(gimli::DW_AT_high_pc) {
        let end = match high.udata_value() {
            Some(size) => unit.low_pc.saturating_add(size),
            None => address(&unit, high)?,
        };
        ranges.push(unit.low_pc..end);
    }
    // What the linker dropped may be at -1 or -2.
    let tombstones = if address_bytes == 8 { u64::MAX - 1 } else { (1 << (8 * u32::from(address_bytes.min(4)))) - 2 };
    ranges.retain(|range| range.start < range.end && !(tombstones..=tombstones + 1).contains(&range.start));
    Ok(Some((ranges, name)))
}

/// A unit's name; rustc appends its own name of the part of the crate.
fn shown(name: &str) -> String {
    name.split_once("/@/").map_or(name, |(file, _)| file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{shown, unit_at};

    #[test]
    fn the_nearest_range_tells_and_ties_do_not() {
        let ranges = [(0, 0x100, 0), (0, 0x80, 1), (0x40, 0x60, 2), (0x200, 0x300, 3), (0x200, 0x280, 3)];
        for (address, expected) in [
            (0x40, Some(2)),
            (0x5f, Some(2)),
            (0x60, None),
            (0x90, Some(0)),
            (0x100, None),
            (0x210, Some(3)),
            (0x300, None),
        ] {
            let mut sorted = ranges;
            sorted.sort_unstable();
            assert_eq!(unit_at(&sorted, address), expected, "{address:#x}");
        }
    }

    #[test]
    fn a_name_is_a_file() {
        for (name, file) in [("src/a.c", "src/a.c"), ("src/lib.rs/@/mine.1f2e-cgu.0", "src/lib.rs"), ("", "")] {
            assert_eq!(shown(name), file);
        }
    }
}
