//! Kinds of memory and how much of each is used.

use crate::image::{Image, Machine, Section};
use crate::report::RegionTotal;
use std::ops::Range;

/// A range of addresses with the name that the vendor's size tool gives to its memory.
struct Region {
    addresses: Range<u64>,
    name: &'static str,
}

const fn region(start: u64, end: u64, name: &'static str) -> Region {
    Region { addresses: start..end, name }
}

/// ESP32 Technical Reference Manual, 1.3.2 and 1.3.3.
const ESP32: [Region; 6] = [
    region(0x3f40_0000, 0x3f80_0000, "Flash Data"),
    region(0x3ffa_e000, 0x4000_0000, "DRAM"),
    region(0x4007_0000, 0x400a_0000, "IRAM"),
    region(0x400c_0000, 0x400c_2000, "RTC FAST"),
    region(0x400d_0000, 0x4040_0000, "Flash Code"),
    region(0x5000_0000, 0x5000_2000, "RTC SLOW"),
];

/// ESP32-S3 Technical Reference Manual, 4.3.2 and 4.3.3. Of its internal memory, the part in the middle can be reached
/// as data and as instructions.
const ESP32_S3: [Region; 6] = [
    region(0x3c00_0000, 0x3e00_0000, "Flash Data"),
    region(0x3fc8_8000, 0x3fd0_0000, "DIRAM"),
    region(0x4037_0000, 0x4037_8000, "IRAM"),
    region(0x4037_8000, 0x403e_0000, "DIRAM"),
    region(0x4200_0000, 0x4400_0000, "Flash Code"),
    region(0x5000_0000, 0x5000_2000, "RTC SLOW"),
];

/// `ROM` and `RAM`, and in linked files for a known chip the memories that it has.
pub fn totals(image: &Image<'_>, rom_bytes: u64, ram_bytes: u64) -> Vec<RegionTotal> {
    let total = |name: &str, bytes| RegionTotal { name: name.to_owned(), bytes };
    let mut totals = vec![total("ROM", rom_bytes), total("RAM", ram_bytes)];
    for region in chip(image) {
        let inside = |section: &&Section<'_>| region.addresses.contains(&section.address);
        let bytes = image.sections.iter().filter(inside).map(|section| section.size).sum();
        match totals.iter_mut().find(|known| known.name == region.name) {
            Some(known) => known.bytes += bytes,
            None if bytes > 0 => totals.push(total(region.name, bytes)),
            None => {}
        }
    }
    totals
}

/// The memories of the chip that a file is linked for. Only the ESP32-S3 has flash where the first two are.
fn chip(image: &Image<'_>) -> &'static [Region] {
    if image.machine != Machine::Xtensa || image.relocatable {
        return &[];
    }
    let only_s3 = |section: &Section<'_>| {
        ["Flash Data", "Flash Code", "DIRAM"].iter().any(|name| {
            let region = ESP32_S3.iter().find(|region| region.name == *name);
            region.is_some_and(|region| region.addresses.contains(&section.address))
        })
    };
    if image.sections.iter().any(only_s3) { &ESP32_S3 } else { &ESP32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regions are told apart by address alone, so that those of one chip must not overlap.
    #[test]
    fn regions_of_a_chip_are_disjoint() {
        for chip in [&ESP32, &ESP32_S3] {
            for pair in chip.windows(2) {
                assert!(pair[0].addresses.end <= pair[1].addresses.start, "{} {}", pair[0].name, pair[1].name);
            }
        }
    }
}
