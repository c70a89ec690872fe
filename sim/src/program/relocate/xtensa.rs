//! The relocations of Xtensa code and its data, as GNU's linker does them: there is no other document of them.

use super::{Inputs, Refusal};
use isa::xtensa::{decode, encode};
use object::elf::{self, RelocationType};

/// Name of a relocation type, if it is known.
pub(super) fn name(kind: RelocationType) -> Option<&'static str> {
    Some(match kind {
        elf::R_XTENSA_32 => "R_XTENSA_32",
        elf::R_XTENSA_PLT => "R_XTENSA_PLT",
        elf::R_XTENSA_32_PCREL => "R_XTENSA_32_PCREL",
        elf::R_XTENSA_SLOT0_OP => "R_XTENSA_SLOT0_OP",
        elf::R_XTENSA_SLOT0_ALT => "R_XTENSA_SLOT0_ALT",
        _ => return None,
    })
}

/// Patches the field at the start of `field`.
pub(super) fn apply(kind: RelocationType, field: &mut [u8], inputs: &Inputs) -> Result<(), Refusal> {
    let target = inputs.symbol.wrapping_add(inputs.addend.unwrap_or(0) as u32);
    match kind {
        // What only a linker that shortens code needs: the fields are right as they are.
        elf::R_XTENSA_NONE | elf::R_XTENSA_ASM_EXPAND | elf::R_XTENSA_ASM_SIMPLIFY => Ok(()),
        elf::R_XTENSA_DIFF8 | elf::R_XTENSA_DIFF16 | elf::R_XTENSA_DIFF32 => Ok(()),
        _ if (elf::R_XTENSA_PDIFF8.0..=elf::R_XTENSA_NDIFF32.0).contains(&kind.0) => Ok(()),
        elf::R_XTENSA_32 | elf::R_XTENSA_PLT => add(field, target),
        elf::R_XTENSA_32_PCREL => add(field, target.wrapping_sub(inputs.place)),
        elf::R_XTENSA_SLOT0_OP => operand(field, target, inputs.place),
        _ => Err(Refusal::Unsupported),
    }
}

/// A word to which the value is added.
fn add(field: &mut [u8], value: u32) -> Result<(), Refusal> {
    let word = field.first_chunk_mut::<4>().ok_or(Refusal::Unsupported)?;
    *word = u32::from_le_bytes(*word).wrapping_add(value).to_le_bytes();
    Ok(())
}

/// The operand of an instruction that is relative to its address: a literal, or where a branch, jump or call goes.
fn operand(field: &mut [u8], target: u32, place: u32) -> Result<(), Refusal> {
    let (mut inst, length) = decode(field).map_err(|_| Refusal::Unsupported)?;
    let origin = inst.origin(place).ok_or(Refusal::Unsupported)?;
    inst.imm = i64::from(target.wrapping_sub(origin) as i32);
    let encoding = encode(&inst).map_err(|_| Refusal::Range)?;
    field.iter_mut().zip(encoding.bytes().take(length as usize)).for_each(|(old, new)| *old = new);
    Ok(())
}
