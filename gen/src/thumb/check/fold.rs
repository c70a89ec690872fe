//! What folded instructions do to concrete words.

use crate::check::{self, Words};
use crate::compile::{CompileError, V};
use crate::ir::Place;
use crate::thumb::fold::Folded;
use crate::unroll::Shaped;
use isa::thumb::{Inst, Op as Row, Shift, ShiftKind};

/// Checks that the folded segments store the same words in the same places as the steps.
pub fn fold(shaped: &Shaped, folded: &[Folded], constants: &[u32]) -> Result<(), CompileError> {
    check::fold(shaped, folded, constants, &execute)
}

fn execute(words: &mut Words, inst: &Inst<V>) -> Option<()> {
    let operand = |words: &Words, v: V| Some(words.get(v.var()?));
    let place = || Some(Place { base: inst.n.var()?, offset: u32::try_from(inst.imm).ok()? });
    let word = match inst.op {
        Row::AddReg => operand(words, inst.n)?.wrapping_add(shifted(operand(words, inst.m)?, inst.shift)?),
        Row::BicReg => operand(words, inst.n)? & !shifted(operand(words, inst.m)?, inst.shift)?,
        Row::AndImm => operand(words, inst.n)? & inst.imm as u32,
        Row::AddImm => operand(words, inst.n)?.wrapping_add_signed(inst.imm),
        Row::Adr => inst.imm as u32,
        Row::CmpReg => return Some(()),
        Row::EorReg => operand(words, inst.n)? ^ shifted(operand(words, inst.m)?, inst.shift)?,
        Row::RorImm | Row::MovReg => shifted(operand(words, inst.m)?, inst.shift)?,
        Row::LslImm => operand(words, inst.m)? << inst.shift.amount,
        Row::LsrImm => operand(words, inst.m)? >> inst.shift.amount,
        Row::LdrImm => words.word(place()?)?,
        Row::LdrbImm => words.byte(place()?)?,
        Row::StrImm => {
            words.store(place()?, operand(words, inst.d)?);
            return Some(());
        }
        _ => return None,
    };
    words.set(inst.d.var()?, word);
    Some(())
}

fn shifted(word: u32, shift: Shift) -> Option<u32> {
    match shift {
        Shift::NONE => Some(word),
        Shift { kind: ShiftKind::Ror, amount } => Some(word.rotate_right(u32::from(amount))),
        _ => None,
    }
}
