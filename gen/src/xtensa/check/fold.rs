//! What folded instructions do to concrete words.

use crate::check::{self, Words};
use crate::compile::{CompileError, V};
use crate::ir::{Place, Var};
use crate::unroll::Shaped;
use crate::xtensa::fold::Folded;
use isa::xtensa::{Inst, Op as Row};

/// Stands for SAR.
const SAR: Var = Var(u16::MAX - 16);

/// Checks that the folded segments store the same words in the same places as the steps.
pub fn fold(shaped: &Shaped, folded: &[Folded]) -> Result<(), CompileError> {
    check::fold(shaped, folded, &[], &execute)
}

fn execute(words: &mut Words, inst: &Inst<V>) -> Option<()> {
    let operand = |words: &Words, v: V| Some(words.get(v.var()?));
    let place = || Some(Place { base: inst.s.var()?, offset: u32::try_from(inst.imm).ok()? });
    let (to, word) = match inst.op {
        Row::Add => (inst.r.var()?, operand(words, inst.s)?.wrapping_add(operand(words, inst.t)?)),
        Row::Xor => (inst.r.var()?, operand(words, inst.s)? ^ operand(words, inst.t)?),
        Row::Src => {
            let both = u64::from(operand(words, inst.s)?) << 32 | u64::from(operand(words, inst.t)?);
            (inst.r.var()?, (both >> (words.get(SAR) & 63)) as u32)
        }
        Row::Ssai => (SAR, u32::try_from(inst.imm).ok()?),
        Row::L32i => (inst.t.var()?, words.load(place()?)),
        Row::S32i => {
            words.store(place()?, operand(words, inst.t)?);
            return Some(());
        }
        _ => return None,
    };
    words.set(to, word);
    Some(())
}
