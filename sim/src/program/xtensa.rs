//! Firmware images for Xtensa: what they load, and the memory that they find.

use super::elf::{Elf, functions, merge, segments};
use super::{Family, LoadError, Program, Segment};
use crate::memory::Permissions;
use object::Object;

/// Where QEMU's machine `sim` starts with its core dc233c, whatever the image says: in its ROM.
pub(crate) const SIMULATOR_RESET: u32 = 0xfe00_0000;

/// RAM that an image finds if it loads anything into it or into its neighbours: base and bytes.
const RAM: [&[(u32, usize)]; 3] = [
    // QEMU's machine `sim`, of whose 128 MiB these are enough.
    &[(0, 4 << 20)],
    // ESP32: data RAM, instruction RAM.
    &[(0x3ffa_e000, 0x5_2000), (0x4007_0000, 0x3_0000)],
    // ESP32-S3: data RAM, instruction RAM. (That it is the same memory in part is not modelled.)
    &[(0x3fc8_8000, 0x7_8000), (0x4037_0000, 0x7_0000)],
];

pub(super) fn firmware(file: &Elf<'_>, data: &[u8]) -> Result<Program, LoadError> {
    let mut segments = segments(file, data)?;
    for segment in &mut segments {
        segment.permissions =
            if segment.base >= SIMULATOR_RESET { Permissions::READ_EXECUTE } else { Permissions::ALL };
    }
    merge(&mut segments);
    let starts_in_rom = segments.iter().any(|segment| segment.base == SIMULATOR_RESET);
    let entry = if starts_in_rom { SIMULATOR_RESET } else { file.entry() as u32 };
    for group in RAM {
        let within =
            |segment: &Segment| group.iter().any(|(base, bytes)| (segment.base.wrapping_sub(*base) as usize) < *bytes);
        if starts_in_rom && group[0].0 == 0 || segments.iter().any(within) {
            group.iter().for_each(|&(base, bytes)| add(&mut segments, base, bytes));
        }
    }
    if !segments.iter().any(|segment| (entry.wrapping_sub(segment.base) as usize) < segment.bytes.len()) {
        return Err(LoadError::NoVectors(format!("nothing is loaded at {entry:#010x}, where it starts")));
    }
    Ok(Program { segments, entry, symbols: functions(Family::Xtensa, file) })
}

/// Memory around what is loaded into it.
fn add(segments: &mut Vec<Segment>, base: u32, length: usize) {
    let mut ram =
        Segment { name: format!("RAM {base:#010x}"), base, bytes: vec![0; length], permissions: Permissions::ALL };
    segments.retain(|segment| {
        let offset = segment.base.wrapping_sub(base) as usize;
        let Some(place) = ram.bytes.get_mut(offset..).and_then(|rest| rest.get_mut(..segment.bytes.len())) else {
            return true;
        };
        place.copy_from_slice(&segment.bytes);
        false
    });
    segments.push(ram);
}
