//! From an instruction to its bytes.

use super::rules::refusal;
use super::table::Table;
use super::{Inst, Op};
use std::fmt;

/// Machine code of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Encoding {
    /// 2 to 4 bytes.
    pub len: u32,
    /// The bits, as a little-endian number.
    pub bits: u32,
}

impl Encoding {
    /// The bytes in memory order; the first [`len`](Self::len) count.
    pub const fn array(self) -> [u8; 4] {
        self.bits.to_le_bytes()
    }

    /// The bytes in memory order.
    pub fn bytes(self) -> impl ExactSizeIterator<Item = u8> {
        self.array().into_iter().take(self.len as usize)
    }
}

/// Why an instruction cannot be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodeError {
    /// An operand has no place in the encoding.
    Operand {
        /// The row.
        op: Op,
        /// Field of [`Inst`].
        operand: &'static str,
        /// What it holds; for a register its number.
        value: i64,
    },
    /// The operands fit, but the architecture does not define them.
    Forbidden {
        /// The row.
        op: Op,
        /// The reason.
        why: &'static str,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EncodeError::Operand { op, operand, value } => {
                write!(f, "{op:?}: {operand} {value} ({value:#x}) cannot be encoded")
            }
            EncodeError::Forbidden { op, why } => write!(f, "{op:?}: {why}"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// Encodes an instruction.
///
/// # Errors
/// If an operand does not fit or is not defined; the error names it.
pub fn encode(inst: &Inst) -> Result<Encoding, EncodeError> {
    let op = inst.op;
    let pattern = Table::get().of(op);
    let bits = pattern.scatter(pattern.to_numbers(inst));
    let got = pattern.to_inst(&pattern.gather(bits));
    // Numbers that are reserved come from immediates only.
    let got = got.ok_or(EncodeError::Operand { op, operand: "imm", value: inst.imm })?;
    if let Some((operand, value)) = misfit(inst, &got) {
        return Err(EncodeError::Operand { op, operand, value });
    }
    match pattern.rules.iter().find_map(|&rule| refusal(rule, &got)) {
        Some(why) => Err(EncodeError::Forbidden { op, why }),
        None => Ok(Encoding { len: pattern.length, bits }),
    }
}

/// The first operand that did not survive.
fn misfit(wanted: &Inst, got: &Inst) -> Option<(&'static str, i64)> {
    let register = |name, wanted: super::Reg, got: super::Reg| (name, wanted.0.into(), got.0.into());
    let operands: [(&'static str, i64, i64); 10] = [
        register("register r", wanted.r, got.r),
        register("register s", wanted.s, got.s),
        register("register t", wanted.t, got.t),
        register("register w", wanted.w, got.w),
        register("register x", wanted.x, got.x),
        register("register y", wanted.y, got.y),
        register("register z", wanted.z, got.z),
        ("imm", wanted.imm, got.imm),
        ("imm2", wanted.imm2, got.imm2),
        ("imm3", wanted.imm3.into(), got.imm3.into()),
    ];
    operands.into_iter().find(|(_, wanted, got)| wanted != got).map(|(name, wanted, _)| (name, wanted))
}
