//! What is alignment fill.

use crate::image::{Content, Section};
use std::ops::Range;

/// How many bytes at the end of `range` are alignment fill: no-operations or zeros, fewer than the alignment that the
/// place behind them has. 0 if there are more of them than alignment explains.
pub fn trailing_fill(section: &Section<'_>, patterns: &[&[u8]], range: Range<u64>) -> u64 {
    let end_address = section.address.wrapping_add(range.end);
    // The lowest set bit: what the place is aligned to. An address of 0 is aligned to everything.
    let aligned_to = 1_u64.checked_shl(end_address.trailing_zeros()).unwrap_or(u64::MAX);
    let most = section.align.min(aligned_to).saturating_sub(1);
    let mut fill = 0;
    for (part, content) in section.contents(range).into_iter().rev() {
        let bytes = part_bytes(section, &part);
        let found = match content {
            // Fewer bytes than a literal has.
            Some(Content::Data) if bytes.len() < 4 => fill_at_end(bytes, &[&[0]]),
            Some(Content::Data) => fill_at_end(bytes, &[NOP_PAIR]),
            _ if section.executable => fill_at_end(bytes, patterns),
            _ => fill_at_end(bytes, &[&[0]]),
        };
        fill += found;
        if found < part.end - part.start || fill > most {
            break;
        }
    }
    if fill > most { 0 } else { fill }
}

/// How many bytes at the end of instructions before data are fill: nothing that runs on into data can be executed, so
/// that a no-operation there only aligns the data.
pub fn fill_before_data(section: &Section<'_>, patterns: &[&[u8]], code: Range<u64>) -> u64 {
    let found = fill_at_end(part_bytes(section, &code), patterns);
    if found < DATA_ALIGN_BYTES { found } else { 0 }
}

/// How many zeros at the start of data between instructions align the words behind them: GNU as counts them as data. A
/// table of branch offsets never begins with zeros, since every entry skips the table itself.
pub fn fill_at_start_of_data(section: &Section<'_>, data: Range<u64>) -> u64 {
    let misaligned = section.address.wrapping_add(data.start) % DATA_ALIGN_BYTES;
    let missing = (DATA_ALIGN_BYTES - misaligned) % DATA_ALIGN_BYTES;
    let bytes = part_bytes(section, &data);
    let filled = bytes.get(..missing as usize).is_some_and(|start| start.iter().all(|byte| *byte == 0));
    if filled { missing } else { 0 }
}

/// The alignment of a literal pool.
const DATA_ALIGN_BYTES: u64 = 4;

/// Two narrow Thumb no-operations, which clang puts behind a literal pool without a mapping symbol. A single one
/// could be the upper half of a floating-point number.
const NOP_PAIR: &[u8] = &[0x00, 0xbf, 0x00, 0xbf];

/// Empty for a section without contents.
fn part_bytes<'a>(section: &Section<'a>, range: &Range<u64>) -> &'a [u8] {
    section.bytes.get(range.start as usize..range.end as usize).unwrap_or_default()
}

fn fill_at_end(bytes: &[u8], patterns: &[&[u8]]) -> u64 {
    let mut rest = bytes;
    while let Some(shorter) = patterns.iter().find_map(|pattern| rest.strip_suffix(*pattern)) {
        rest = shorter;
    }
    (bytes.len() - rest.len()) as u64
}
