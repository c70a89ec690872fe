//! From halfwords to an instruction.

use super::encode::{attempt, it_condition};
use super::rules::refusal;
use super::table::Table;
use super::{Control, Inst, Op, Pattern, Width};
use std::fmt;

/// Why halfwords are no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// No row has this pattern.
    Undefined {
        /// The bits; of a 32-bit instruction the first halfword is the upper one.
        bits: u32,
    },
    /// A row has the pattern, with operands whose effect is unpredictable.
    Unpredictable {
        /// The bits, as above.
        bits: u32,
        /// The row.
        op: Op,
        /// The reason.
        why: &'static str,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DecodeError::Undefined { bits } => write!(f, "{bits:#06x} is no instruction"),
            DecodeError::Unpredictable { bits, op, why } => write!(f, "{bits:#06x} is an unpredictable {op:?}: {why}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// The length in bytes of the instruction that begins with this halfword.
pub const fn length(first: u16) -> u32 {
    if first >> 11 >= 0b11101 { 4 } else { 2 }
}

/// Decodes one instruction and tells its length in bytes. `second` matters only if [`length`] of `first` is 4. `it` is the
/// IT state before it as in EPSR (first condition and mask), 0 outside a block; it gives the instruction its condition.
///
/// The width is `Any` where encoding would choose this length by itself, and `Wide` where it would not.
///
/// # Errors
/// If the bits are no instruction of this architecture, or one with an unpredictable effect.
pub fn decode(first: u16, second: u16, it: u8) -> Result<(Inst, u32), DecodeError> {
    let length = length(first);
    let bits = if length == 4 { u32::from(first) << 16 | u32::from(second) } else { u32::from(first) };
    let mut error = DecodeError::Undefined { bits };
    for form in Table::get().candidates(first).filter(|form| form.matches(bits)) {
        match decode_as(form, bits, it) {
            Ok(inst) => return Ok((inst, length)),
            Err(why) => error = DecodeError::Unpredictable { bits, op: form.op, why },
        }
    }
    Err(error)
}

/// Decodes `bits`, which match the form's pattern.
pub(super) fn decode_as(form: &Pattern, bits: u32, it: u8) -> Result<Inst, &'static str> {
    let condition = it_condition(it);
    let mut inst = form.to_inst(&form.gather(bits), condition).ok_or("reserved bits")?;
    if let Some(why) = form.rules.iter().find_map(|&rule| refusal(rule, &inst, condition.is_some())) {
        return Err(why);
    }
    if it & 7 != 0 && inst.control() != Control::Next {
        return Err("a jump inside an IT block must be its last instruction");
    }
    if form.length == 4 && has_narrow(&inst, condition.is_some()) {
        inst.width = Width::Wide;
    }
    Ok(inst)
}

/// True if a 16-bit encoding exists for the instruction.
pub(super) fn has_narrow(inst: &Inst, in_it: bool) -> bool {
    let mut narrow = Table::get().of(inst.op).iter().take_while(|form| form.length == 2);
    narrow.any(|form| attempt(form, inst, in_it).is_ok())
}
