//! Relocations of code and data.

mod thumb;
mod xtensa;

use super::Family;
use object::elf::RelocationType;

/// Why a relocation was not applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// The type is not known here, or its field is cut off.
    Unsupported,
    /// The value does not fit.
    Range,
}

/// What a relocation computes with.
pub(super) struct Inputs {
    /// Address of the symbol; of Thumb code with bit 0 clear.
    pub symbol: u32,
    /// Bit 0 of the value: 1 if the symbol is a function of Thumb code.
    pub thumb: u32,
    /// Address of the field.
    pub place: u32,
    /// The addend, or `None` if it stands in the field.
    pub addend: Option<i32>,
}

/// Name of a relocation type.
pub(super) fn name(family: Family, kind: RelocationType) -> String {
    let known = match family {
        Family::Thumb => thumb::name(kind),
        Family::Xtensa => xtensa::name(kind),
    };
    known.map_or_else(|| format!("type {}", kind.0), str::to_owned)
}

/// Patches the field at the start of `field`.
pub(super) fn apply(family: Family, kind: RelocationType, field: &mut [u8], inputs: &Inputs) -> Result<(), Refusal> {
    match family {
        Family::Thumb => thumb::apply(kind, field, inputs),
        Family::Xtensa => xtensa::apply(kind, field, inputs),
    }
}
