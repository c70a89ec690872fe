//! From bytes to an instruction.

use super::rules::refusal;
use super::table::Table;
use super::{Inst, Op, Pattern};
use std::fmt;

/// Why bytes are no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// The bytes end before the instruction does.
    Short {
        /// Bytes that are there.
        have: u32,
        /// Bytes that the instruction has; 1 if there are none at all.
        need: u32,
    },
    /// No row has this pattern.
    Undefined {
        /// The bits, as a little-endian number.
        bits: u32,
    },
    /// A row has the pattern, with operands whose effect is not defined.
    Forbidden {
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
            DecodeError::Short { have, need } => write!(f, "an instruction of {need} bytes is cut off after {have}"),
            DecodeError::Undefined { bits } => write!(f, "{bits:#08x} is no instruction"),
            DecodeError::Forbidden { bits, op, why } => write!(f, "{bits:#08x} is a {op:?} that is not defined: {why}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// The length in bytes of the instruction that begins with this byte: 2, 3, or 4. All that has four belongs to the vector
/// extension of the ESP32-S3; of the lowest four bits of such a word, the lowest is part of an operand.
pub const fn length(first: u8) -> u32 {
    match first & 15 {
        0..8 => 3,
        8..14 => 2,
        _ => 4,
    }
}

/// Decodes the instruction at the beginning of `bytes` and tells its length in bytes; what follows it does not matter.
///
/// # Errors
/// If the bytes are no instruction of these cores, or too few.
pub fn decode(bytes: &[u8]) -> Result<(Inst, u32), DecodeError> {
    let have = bytes.len().min(4) as u32;
    let length = bytes.first().map_or(1, |&first| length(first));
    if have < length {
        return Err(DecodeError::Short { have, need: length });
    }
    let bits = bytes[..length as usize].iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
    let mut error = DecodeError::Undefined { bits };
    for pattern in Table::get().matching(bits, length) {
        match decode_as(pattern, bits) {
            Ok(inst) => return Ok((inst, length)),
            Err(why) => error = DecodeError::Forbidden { bits, op: pattern.op, why },
        }
    }
    Err(error)
}

/// Decodes `bits`, which match the pattern.
pub(super) fn decode_as(pattern: &Pattern, bits: u32) -> Result<Inst, &'static str> {
    let inst = pattern.to_inst(&pattern.gather(bits)).ok_or("reserved bits")?;
    pattern.rules.iter().find_map(|&rule| refusal(rule, &inst)).map_or(Ok(inst), Err)
}
