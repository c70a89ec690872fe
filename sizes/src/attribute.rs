//! From an image to rows: every byte of every section goes to one row.

use crate::image::{Content, Image, Kind, Section, Symbol};
use crate::range_map::RangeMap;
use crate::report::{FileReport, Row, SectionTotal};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Name of the row for alignment fill between symbols.
pub const PADDING: &str = "[padding]";
/// Name of the row for all other bytes that no symbol claims.
pub const UNATTRIBUTED: &str = "[unattributed]";

/// Attributes every byte of an image. `file` is only carried into the report.
pub fn attribute(file: &str, image: &Image<'_>) -> FileReport {
    let mut symbols: Vec<Row> = image.sections.iter().flat_map(section_rows).collect();
    symbols.sort_by(|a, b| {
        (Reverse(a.total_bytes), &a.name, &a.section, a.address).cmp(&(
            Reverse(b.total_bytes),
            &b.name,
            &b.section,
            b.address,
        ))
    });
    let sections: Vec<SectionTotal> =
        image.sections.iter().map(|s| SectionTotal { name: s.name.clone(), bytes: s.bytes.len() as u64 }).collect();
    let total_bytes = sections.iter().map(|section| section.bytes).sum();
    FileReport { file: file.to_owned(), symbols, sections, total_bytes }
}

fn section_rows(section: &Section<'_>) -> Vec<Row> {
    let mut map = RangeMap::new(section.bytes.len() as u64);
    claim_sized(section, &mut map);
    claim_unsized(section, &mut map);
    let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
    for (range, owner) in map.claims() {
        let symbol = &section.symbols[owner];
        let row = rows.entry(owner).or_insert_with(|| Row::new(&symbol.name, section, range.start));
        add_claimed(row, section, symbol, range);
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.extend(gap_rows(section, &map.gaps()));
    rows
}

/// Symbols that state their size come first. Of several that begin at one place the longest is preferred, then
/// functions, then global ones; an alias gets nothing, so that its bytes are counted once.
fn claim_sized(section: &Section<'_>, map: &mut RangeMap<usize>) {
    let mut order: Vec<usize> = (0..section.symbols.len()).filter(|&i| section.symbols[i].size > 0).collect();
    order.sort_by_key(|&i| {
        let symbol = &section.symbols[i];
        (symbol.offset, Reverse(symbol.size), symbol.kind, symbol.binding, &symbol.name)
    });
    for i in order {
        let symbol = &section.symbols[i];
        map.claim(symbol.offset..symbol.offset.saturating_add(symbol.size), i);
    }
}

/// Symbols without a size reach to the next symbol or the end of the section. Code does so without the alignment fill
/// before it; in data, zeros may well be data.
fn claim_unsized(section: &Section<'_>, map: &mut RangeMap<usize>) {
    let mut order: Vec<usize> = (0..section.symbols.len())
        .filter(|&i| section.symbols[i].size == 0 && !map.is_claimed(section.symbols[i].offset))
        .collect();
    order.sort_by_key(|&i| {
        let symbol = &section.symbols[i];
        (symbol.offset, symbol.kind, symbol.binding, &symbol.name)
    });
    order.dedup_by_key(|&mut i| section.symbols[i].offset);
    let len = section.bytes.len() as u64;
    for (n, &i) in order.iter().enumerate() {
        let start = section.symbols[i].offset;
        let next = order.get(n + 1).map_or(len, |&next| section.symbols[next].offset);
        let end = next.min(map.next_claim(start));
        let is_data = section.symbols[i].kind == Kind::Data;
        let fill = if is_data { 0 } else { trailing_fill(section, start..end) };
        map.claim(start..end - fill, i);
    }
}

fn add_claimed(row: &mut Row, section: &Section<'_>, symbol: &Symbol, range: Range<u64>) {
    let is_data = symbol.kind == Kind::Data || (symbol.kind == Kind::Label && !section.executable);
    for (part, content) in contents(section, range) {
        let bytes = part.end - part.start;
        match (is_data, content) {
            (true, _) => row.data_bytes += bytes,
            (false, Some(Content::Data)) => row.literal_bytes += bytes,
            (false, _) => row.code_bytes += bytes,
        }
        row.total_bytes += bytes;
    }
}

/// At most two rows: all padding of the section, and everything else that has no owner.
fn gap_rows(section: &Section<'_>, gaps: &[Range<u64>]) -> Vec<Row> {
    let mut padding: Option<Row> = None;
    let mut unattributed: Option<Row> = None;
    for gap in gaps {
        let bytes = gap.end - gap.start;
        if trailing_fill(section, gap.clone()) == bytes {
            let row = padding.get_or_insert_with(|| Row::new(PADDING, section, gap.start));
            row.padding_bytes += bytes;
            row.total_bytes += bytes;
            continue;
        }
        let row = unattributed.get_or_insert_with(|| Row::new(UNATTRIBUTED, section, gap.start));
        row.total_bytes += bytes;
        for (part, content) in contents(section, gap.clone()) {
            let bytes = part.end - part.start;
            match content {
                _ if !section.executable => row.data_bytes += bytes,
                Some(Content::Data) => row.literal_bytes += bytes,
                _ => row.code_bytes += bytes,
            }
        }
    }
    padding.into_iter().chain(unattributed).collect()
}

/// `range` cut at the mapping symbols; `None` where no mapping symbol says what the bytes are.
fn contents(section: &Section<'_>, range: Range<u64>) -> Vec<(Range<u64>, Option<Content>)> {
    let after = section.mapping.partition_point(|(offset, _)| *offset <= range.start);
    let mut content = after.checked_sub(1).map(|last| section.mapping[last].1);
    let mut start = range.start;
    let mut parts = Vec::new();
    for &(offset, next) in section.mapping[after..].iter().take_while(|(offset, _)| *offset < range.end) {
        parts.push((start..offset, content));
        (start, content) = (offset, Some(next));
    }
    parts.push((start..range.end, content));
    parts.retain(|(part, _)| part.start < part.end);
    parts
}

/// How many bytes at the end of `range` are alignment fill: no-operations or zeros, fewer than the alignment that the
/// place behind them has. 0 if there are more of them than alignment explains.
fn trailing_fill(section: &Section<'_>, range: Range<u64>) -> u64 {
    let end_address = section.address.wrapping_add(range.end);
    // The lowest set bit: what the place is aligned to. An address of 0 is aligned to everything.
    let aligned_to = 1_u64.checked_shl(end_address.trailing_zeros()).unwrap_or(u64::MAX);
    let most = section.align.min(aligned_to).saturating_sub(1);
    let mut fill = 0;
    for (part, content) in contents(section, range).into_iter().rev() {
        let bytes = &section.bytes[part.start as usize..part.end as usize];
        let found = match content {
            // Fewer bytes than a literal has.
            Some(Content::Data) if bytes.len() < 4 => fill_at_end(bytes, &[&[0]]),
            Some(Content::Data) => fill_at_end(bytes, &[NOP_PAIR]),
            _ if section.executable => fill_at_end(bytes, section.fill),
            _ => fill_at_end(bytes, &[&[0]]),
        };
        fill += found;
        if found < part.end - part.start || fill > most {
            break;
        }
    }
    if fill > most { 0 } else { fill }
}

/// Two narrow Thumb no-operations, which clang puts behind a literal pool without a mapping symbol. A single one
/// could be the upper half of a floating-point number.
const NOP_PAIR: &[u8] = &[0x00, 0xbf, 0x00, 0xbf];

fn fill_at_end(bytes: &[u8], patterns: &[&[u8]]) -> u64 {
    let mut rest = bytes;
    while let Some(shorter) = patterns.iter().find_map(|pattern| rest.strip_suffix(*pattern)) {
        rest = shorter;
    }
    (bytes.len() - rest.len()) as u64
}
