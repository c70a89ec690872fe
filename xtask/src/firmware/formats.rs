//! An image as plain bytes, for st-flash, and as Intel HEX.

use super::image::{Image, Segment};
use std::fmt::Write as _;

/// What erased flash holds.
const ERASED: u8 = 0xff;
/// Data bytes of a record.
const RECORD_BYTES: usize = 16;

/// Record types of Intel HEX (Intel, Hexadecimal Object File Format Specification, revision A, 1988).
#[derive(Clone, Copy)]
enum Record {
    Data = 0,
    End = 1,
    /// The upper half of addresses that follow.
    UpperAddress = 4,
    /// Where execution begins.
    Start = 5,
}

/// Everything from the lowest address to the highest; gaps are filled as if erased.
pub fn binary(image: &Image) -> Vec<u8> {
    let mut bytes = Vec::new();
    let first = image.segments.first().map_or(0, |segment| segment.address);
    for segment in &image.segments {
        bytes.resize((segment.address - first) as usize, ERASED);
        bytes.extend(&segment.bytes);
    }
    bytes
}

/// Intel HEX with 32-bit addresses.
pub fn intel_hex(image: &Image) -> String {
    let mut text = String::new();
    let mut upper = None;
    for (address, bytes) in image.segments.iter().flat_map(records) {
        let [high, low] = [address >> 16, address & 0xffff].map(|half| half as u16);
        if upper.replace(high) != Some(high) {
            record(&mut text, 0, Record::UpperAddress, &high.to_be_bytes());
        }
        record(&mut text, low, Record::Data, bytes);
    }
    record(&mut text, 0, Record::Start, &image.entry.to_be_bytes());
    record(&mut text, 0, Record::End, &[]);
    text
}

/// The bytes of a segment in pieces that cross no multiple of 16: so none wraps the 16 bits of a record's address.
fn records(segment: &Segment) -> impl Iterator<Item = (u32, &[u8])> {
    let to_boundary = segment.address.next_multiple_of(RECORD_BYTES as u32).wrapping_sub(segment.address) as usize;
    let (head, rest) = segment.bytes.split_at(to_boundary.min(segment.bytes.len()));
    let head = Some((segment.address, head)).filter(|(_, bytes)| !bytes.is_empty());
    let start = segment.address.wrapping_add(to_boundary as u32);
    let rest = rest.chunks(RECORD_BYTES).enumerate();
    head.into_iter().chain(rest.map(move |(at, bytes)| (start.wrapping_add((at * RECORD_BYTES) as u32), bytes)))
}

fn record(text: &mut String, address: u16, kind: Record, bytes: &[u8]) {
    let [high, low] = address.to_be_bytes();
    let head = [bytes.len() as u8, high, low, kind as u8];
    let sum = head.iter().chain(bytes).fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    text.push(':');
    for byte in head.iter().chain(bytes).chain([&sum.wrapping_neg()]) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(segments: &[(u32, &[u8])], entry: u32) -> Image {
        let segments = segments.iter().map(|(address, bytes)| Segment { address: *address, bytes: bytes.to_vec() });
        Image { segments: segments.collect(), entry }
    }

    /// The sums are worked out by hand.
    #[test]
    fn records_are_as_specified() {
        let cases: [(&str, Image, &[u8]); 4] = [
            (
                ":020000040000FA\n:040100000102030 4F1\n:0400000500000101F5\n:00000001FF\n",
                image(&[(0x100, &[1, 2, 3, 4])], 0x101),
                &[1, 2, 3, 4],
            ),
            // A gap.
            (
                ":020000040800F2\n:01000000AA55\n:01000300BB41\n:0400000508000001EE\n:00000001FF\n",
                image(&[(0x0800_0000, &[0xaa]), (0x0800_0003, &[0xbb])], 0x0800_0001),
                &[0xaa, 0xff, 0xff, 0xbb],
            ),
            // Over the end of 64 KiB.
            (
                ":020000040000FA\n:01FFFF0011F0\n:020000040001F9\n:0100000022DD\n:0400000500000000F7\n:00000001FF\n",
                image(&[(0xffff, &[0x11, 0x22])], 0),
                &[0x11, 0x22],
            ),
            // Full records begin at multiples of 16.
            (
                ":020000040000FA\n:02000E000000F0\n:1000100000000000000000000000000000000000E0\n:0100200000DF\n\
                 :0400000500000000F7\n:00000001FF\n",
                image(&[(0xe, &[0; 19])], 0),
                &[0; 19],
            ),
        ];
        for (hex, image, bytes) in cases {
            assert_eq!(intel_hex(&image), hex.replace(' ', ""));
            assert_eq!(binary(&image), bytes);
        }
    }
}
