//! The relocations of Thumb-2 code and its data (Arm IHI 0044, 5.6).

use super::{Inputs, Refusal};
use object::elf::{self, RelocationType};

/// Name of a relocation type, if it is known.
pub(super) fn name(kind: RelocationType) -> Option<&'static str> {
    Some(match kind {
        elf::R_ARM_ABS32 => "R_ARM_ABS32",
        elf::R_ARM_REL32 => "R_ARM_REL32",
        elf::R_ARM_THM_PC22 => "R_ARM_THM_CALL",
        elf::R_ARM_THM_JUMP24 => "R_ARM_THM_JUMP24",
        elf::R_ARM_THM_JUMP19 => "R_ARM_THM_JUMP19",
        elf::R_ARM_THM_PC11 => "R_ARM_THM_JUMP11",
        elf::R_ARM_THM_PC9 => "R_ARM_THM_JUMP8",
        elf::R_ARM_THM_MOVW_ABS_NC => "R_ARM_THM_MOVW_ABS_NC",
        elf::R_ARM_THM_MOVT_ABS => "R_ARM_THM_MOVT_ABS",
        elf::R_ARM_PREL31 => "R_ARM_PREL31",
        elf::R_ARM_TARGET1 => "R_ARM_TARGET1",
        elf::R_ARM_GOT_PREL => "R_ARM_GOT_PREL",
        elf::R_ARM_THM_PC12 => "R_ARM_THM_PC12",
        elf::R_ARM_THM_ALU_PREL_11_0 => "R_ARM_THM_ALU_PREL_11_0",
        _ => return None,
    })
}

/// Patches the field at the start of `field`.
pub(super) fn apply(kind: RelocationType, field: &mut [u8], inputs: &Inputs) -> Result<(), Refusal> {
    let size = match kind {
        elf::R_ARM_NONE | elf::R_ARM_V4BX => return Ok(()),
        elf::R_ARM_THM_PC11 | elf::R_ARM_THM_PC9 => 2,
        _ => 4,
    };
    let field = field.get_mut(..size).ok_or(Refusal::Unsupported)?;
    let value =
        |addend: i32| (inputs.symbol.wrapping_add(inputs.addend.unwrap_or(addend) as u32) | inputs.thumb, inputs.place);
    let relative = |addend: i32| {
        let (value, place) = value(addend);
        value.wrapping_sub(place) as i32 & !1
    };
    let half = |field: &[u8], at: usize| u32::from(u16::from_le_bytes([field[at], field[at + 1]]));
    if size == 2 {
        let old = half(field, 0);
        let bits = if kind == elf::R_ARM_THM_PC11 { 11 } else { 8 };
        let new = short_branch(old, bits, relative(sign_extend((old & ((1 << bits) - 1)) << 1, bits + 1)))?;
        field.copy_from_slice(&(new as u16).to_le_bytes());
        return Ok(());
    }
    let word = half(field, 0) | half(field, 2) << 16;
    let (first, second) = (half(field, 0), half(field, 2));
    let new = match kind {
        elf::R_ARM_ABS32 | elf::R_ARM_TARGET1 => value(word as i32).0,
        elf::R_ARM_REL32 => {
            let (value, place) = value(word as i32);
            value.wrapping_sub(place)
        }
        elf::R_ARM_PREL31 => {
            let (value, place) = value(sign_extend(word & 0x7fff_ffff, 31));
            word & 0x8000_0000 | value.wrapping_sub(place) & 0x7fff_ffff
        }
        elf::R_ARM_THM_PC22 | elf::R_ARM_THM_JUMP24 => long_branch(first, second, relative)?,
        elf::R_ARM_THM_JUMP19 => conditional_branch(first, second, relative)?,
        elf::R_ARM_THM_MOVW_ABS_NC => move_half(first, second, value(move_addend(first, second)).0),
        elf::R_ARM_THM_MOVT_ABS => {
            move_half(first, second, (value(move_addend(first, second)).0 & !inputs.thumb) >> 16)
        }
        _ => return Err(Refusal::Unsupported),
    };
    field.copy_from_slice(&new.to_le_bytes());
    Ok(())
}

fn sign_extend(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)) as i32 >> (32 - bits)
}

fn fits(offset: i32, bits: u32) -> Result<u32, Refusal> {
    if sign_extend(offset as u32, bits) == offset { Ok(offset as u32) } else { Err(Refusal::Range) }
}

/// B T1 and T2: the offset is in `bits` bits, in halfwords.
fn short_branch(old: u32, bits: u32, offset: i32) -> Result<u32, Refusal> {
    let mask = (1 << bits) - 1;
    Ok(old & !mask | fits(offset, bits + 1)? >> 1 & mask)
}

/// BL and B T4. The result has the first halfword in its low half.
fn long_branch(first: u32, second: u32, relative: impl Fn(i32) -> i32) -> Result<u32, Refusal> {
    let s = first >> 10 & 1;
    let (i1, i2) = (!(second >> 13 ^ s) & 1, !(second >> 11 ^ s) & 1);
    let addend = s << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
    let offset = fits(relative(sign_extend(addend, 25)), 25)?;
    let s = offset >> 24 & 1;
    let (j1, j2) = (!(offset >> 23 ^ s) & 1, !(offset >> 22 ^ s) & 1);
    let first = first & 0xf800 | s << 10 | offset >> 12 & 0x3ff;
    let second = second & 0xd000 | j1 << 13 | j2 << 11 | offset >> 1 & 0x7ff;
    Ok(first | second << 16)
}

/// B T3.
fn conditional_branch(first: u32, second: u32, relative: impl Fn(i32) -> i32) -> Result<u32, Refusal> {
    let (s, j1, j2) = (first >> 10 & 1, second >> 13 & 1, second >> 11 & 1);
    let addend = s << 20 | j2 << 19 | j1 << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
    let offset = fits(relative(sign_extend(addend, 21)), 21)?;
    let first = first & 0xfbc0 | (offset >> 20 & 1) << 10 | offset >> 12 & 0x3f;
    let second = second & 0xd000 | (offset >> 18 & 1) << 13 | (offset >> 19 & 1) << 11 | offset >> 1 & 0x7ff;
    Ok(first | second << 16)
}

fn move_addend(first: u32, second: u32) -> i32 {
    let value = (first & 0xf) << 12 | (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | second & 0xff;
    sign_extend(value, 16)
}

/// MOVW and MOVT.
fn move_half(first: u32, second: u32, value: u32) -> u32 {
    let first = first & 0xfbf0 | value >> 12 & 0xf | (value >> 11 & 1) << 10;
    let second = second & 0x8f00 | (value >> 8 & 7) << 12 | value & 0xff;
    first | second << 16
}
