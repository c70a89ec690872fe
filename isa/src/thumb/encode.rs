//! From an instruction to its bytes.

use super::rules::refusal;
use super::table::Table;
use super::{Cond, Inst, Op, Pattern, Width};
use std::fmt;

/// Machine code of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Encoding {
    /// 2 or 4 bytes.
    pub len: u32,
    /// The bits; of a 32-bit instruction the first halfword is the upper one.
    pub bits: u32,
}

impl Encoding {
    /// The halfwords in memory order, each little-endian; the first [`len`](Self::len) bytes count.
    pub const fn array(self) -> [u8; 4] {
        if self.len == 4 {
            let [b3, b2, b1, b0] = self.bits.to_be_bytes();
            [b2, b3, b0, b1]
        } else {
            self.bits.to_le_bytes()
        }
    }

    /// The bytes in memory order.
    pub fn bytes(self) -> impl ExactSizeIterator<Item = u8> {
        self.array().into_iter().take(self.len as usize)
    }

    /// First and second halfword; the second of a 16-bit instruction is 0.
    pub const fn halfwords(self) -> (u16, u16) {
        if self.len == 4 { ((self.bits >> 16) as u16, self.bits as u16) } else { (self.bits as u16, 0) }
    }
}

/// Why an instruction cannot be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodeError {
    /// The row has no encoding of the length asked for.
    NoForm {
        /// The row.
        op: Op,
        /// The length asked for.
        width: Width,
    },
    /// An operand has no place in any encoding.
    Operand {
        /// The row.
        op: Op,
        /// Field of [`Inst`] and what it stands for.
        operand: &'static str,
        /// What it holds; for a register its number, for modes and the like the place in their list.
        value: i64,
    },
    /// The operands fit, but the architecture forbids them.
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
            EncodeError::NoForm { op, width } => write!(f, "{op:?}: there is no {width:?} encoding"),
            EncodeError::Operand { op, operand, value } => {
                write!(f, "{op:?}: {operand} {value} ({value:#x}) cannot be encoded with these operands")
            }
            EncodeError::Forbidden { op, why } => write!(f, "{op:?}: {why}"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// Encodes an instruction that stands inside or outside an IT block.
///
/// # Errors
/// If it has no encoding of the width it asks for; the error names the operand that does not fit, or the rule it breaks.
pub fn encode(inst: &Inst, in_it: bool) -> Result<Encoding, EncodeError> {
    let mut forms = Table::get().of(inst.op).iter().filter(|form| has_width(form, inst.width));
    if let Some(encoding) = forms.clone().find_map(|form| attempt(form, inst, in_it).ok()) {
        return Ok(encoding);
    }
    let none = EncodeError::NoForm { op: inst.op, width: inst.width };
    let best = forms.try_fold((usize::MAX, none), |best, form| match attempt(form, inst, in_it) {
        Err((misfits, error)) if misfits <= best.0 => Some((misfits, error)),
        _ => Some(best),
    });
    Err(best.map_or(none, |(_, error)| error))
}

pub(super) fn has_width(form: &Pattern, width: Width) -> bool {
    match width {
        Width::Any => true,
        Width::Narrow => form.length == 2,
        Width::Wide => form.length == 4,
    }
}

/// One encoding: on failure, how many operands do not fit, and the first of them.
pub(super) fn attempt(form: &Pattern, inst: &Inst, in_it: bool) -> Result<Encoding, (usize, EncodeError)> {
    let wanted = Inst { width: Width::Any, ..*inst };
    let bits = form.scatter(form.to_numbers(&wanted));
    let it = in_it.then_some(inst.cond);
    let Some(got) = form.to_inst(&form.gather(bits), it) else {
        let misfit = EncodeError::Operand { op: inst.op, operand: "imm or shift", value: i64::from(inst.imm) };
        return Err((1, misfit));
    };
    if got != wanted {
        let mut misfits = misfits(&wanted, &got);
        let first = misfits.next().map(|(operand, value)| EncodeError::Operand { op: inst.op, operand, value });
        let error = first.unwrap_or(EncodeError::NoForm { op: inst.op, width: inst.width });
        return Err((1 + misfits.count(), error));
    }
    match form.rules.iter().find_map(|&rule| refusal(rule, &got, in_it)) {
        Some(why) => Err((0, EncodeError::Forbidden { op: inst.op, why })),
        None => Ok(Encoding { len: form.length, bits }),
    }
}

fn misfits(wanted: &Inst, got: &Inst) -> impl Iterator<Item = (&'static str, i64)> {
    let pairs = [
        ("cond (only in an IT block, except for a branch),", wanted.cond as i64, got.cond as i64),
        ("set_flags", i64::from(wanted.set_flags), i64::from(got.set_flags)),
        ("register d", i64::from(wanted.d.0), i64::from(got.d.0)),
        ("register n", i64::from(wanted.n.0), i64::from(got.n.0)),
        ("register m", i64::from(wanted.m.0), i64::from(got.m.0)),
        ("register a", i64::from(wanted.a.0), i64::from(got.a.0)),
        ("imm", i64::from(wanted.imm), i64::from(got.imm)),
        ("imm2", i64::from(wanted.imm2), i64::from(got.imm2)),
        ("shift kind", wanted.shift.kind as i64, got.shift.kind as i64),
        ("shift amount", i64::from(wanted.shift.amount), i64::from(got.shift.amount)),
        ("register list", i64::from(wanted.list), i64::from(got.list)),
        ("addressing mode", wanted.mode as i64, got.mode as i64),
    ];
    pairs.into_iter().filter(|(_, wanted, got)| wanted != got).map(|(name, wanted, _)| (name, wanted))
}

/// The condition of the next instruction, if EPSR-like IT state says that it is in a block.
pub(super) fn it_condition(it: u8) -> Option<Cond> {
    (it & 15 != 0).then(|| Cond::ALL.get(usize::from(it >> 4)).copied().unwrap_or(Cond::Al))
}
