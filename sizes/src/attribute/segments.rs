//! Bytes of loaded segments that are in no section.

use super::rows::OwnedRow;
use crate::image::{Image, Segment};
use crate::report::{HEADERS, PADDING, Row, SectionTotal, UNATTRIBUTED};
use std::ops::Range;

/// Bytes in ROM: those of the loaded segments, or in a file without segments those of the sections.
pub fn loaded_bytes(image: &Image<'_>) -> u64 {
    if image.segments.is_empty() {
        image.sections.iter().map(|section| section.rom_bytes()).sum()
    } else {
        image.segments.iter().map(|segment| segment.bytes.len() as u64).sum()
    }
}

/// Adds a section `[segment ADDRESS]` with rows for each segment that holds more than its sections.
pub fn add_what_no_section_has(image: &Image<'_>, rows: &mut Vec<OwnedRow>, sections: &mut Vec<SectionTotal>) {
    for segment in &image.segments {
        let gaps = gaps(image, segment);
        let bytes = gaps.iter().map(|gap| gap.end - gap.start).sum();
        if bytes == 0 {
            continue;
        }
        let name = format!("[segment {:#x}]", segment.address);
        for (row_name, ranges) in sorted(segment, &gaps) {
            rows.push((None, gap_row(&name, row_name, segment, &ranges)));
        }
        sections.push(SectionTotal { name, address: segment.address, bytes, ram_bytes: 0 });
    }
}

/// Where no section is, as offsets in the segment.
fn gaps(image: &Image<'_>, segment: &Segment<'_>) -> Vec<Range<u64>> {
    let len = segment.bytes.len() as u64;
    let mut taken: Vec<Range<u64>> = Vec::new();
    for section in image.sections.iter().filter(|section| section.loaded) {
        let Some(start) = section.file_offset.checked_sub(segment.file_offset) else { continue };
        let end = start.saturating_add(section.bytes.len() as u64);
        if end <= len {
            taken.push(start..end);
        }
    }
    taken.sort_by_key(|range| range.start);
    let mut gaps = Vec::new();
    let mut at = 0;
    for range in taken.into_iter().chain(std::iter::once(len..len)) {
        if at < range.start {
            gaps.push(at..range.start);
        }
        at = at.max(range.end);
    }
    gaps
}

/// The gaps by what they are: the file's headers at its start, fill, or unknown.
fn sorted(segment: &Segment<'_>, gaps: &[Range<u64>]) -> Vec<(&'static str, Vec<Range<u64>>)> {
    let what = |gap: &Range<u64>| {
        let bytes = &segment.bytes[gap.start as usize..gap.end as usize];
        match bytes.first() {
            _ if segment.file_offset + gap.start == 0 => HEADERS,
            Some(first) if matches!(first, 0 | 0xff) && bytes.iter().all(|byte| byte == first) => PADDING,
            _ => UNATTRIBUTED,
        }
    };
    let names = [HEADERS, PADDING, UNATTRIBUTED];
    let of = |name: &'static str| (name, gaps.iter().filter(|gap| what(gap) == name).cloned().collect::<Vec<_>>());
    names.into_iter().map(of).filter(|(_, ranges)| !ranges.is_empty()).collect()
}

fn gap_row(section: &str, name: &str, segment: &Segment<'_>, ranges: &[Range<u64>]) -> Row {
    let bytes = ranges.iter().map(|range| range.end - range.start).sum();
    let address = segment.address.wrapping_add(ranges.first().map_or(0, |range| range.start));
    let mut row =
        Row { name: name.to_owned(), section: section.to_owned(), address, total_bytes: bytes, ..Row::default() };
    if name == PADDING {
        row.padding_bytes = bytes
    } else {
        row.data_bytes = bytes
    }
    row
}
