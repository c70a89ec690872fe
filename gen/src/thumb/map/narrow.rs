//! 16-bit instructions for short code.

use crate::thumb::finish::Chunk;
use isa::thumb::{Cond, Flags, Inst, Op as Row, encode};

/// Sets flags where an instruction becomes a 16-bit one by that, and nobody wants the flags from before.
pub fn narrow(chunk: &mut Chunk) {
    let wanted = chunk.branch.as_ref().is_some_and(|(branch, _)| branch.cond != Cond::Al);
    let sets = |inst: &Inst| inst.flag_effects().1.meets(Flags::NZCV);
    let decided = chunk.code.iter().rposition(|placed| sets(&placed.inst)).filter(|_| wanted);
    let before = decided.unwrap_or(chunk.code.len());
    for inst in chunk.code[..before].iter_mut().map(|placed| &mut placed.inst) {
        let short = |inst: &Inst| encode(inst, false).is_ok_and(|encoding| encoding.len == 2);
        let forms = [*inst, Inst { set_flags: true, ..*inst }, Inst { set_flags: true, ..exchanged(*inst) }];
        *inst = forms.into_iter().find(short).unwrap_or(*inst);
    }
}

/// The same with its operands exchanged, where that makes no difference.
fn exchanged(inst: Inst) -> Inst {
    let whole = inst.shift == isa::thumb::Shift::NONE;
    match inst.op {
        Row::AndReg | Row::OrrReg | Row::EorReg | Row::AddReg if whole => Inst { n: inst.m, m: inst.n, ..inst },
        Row::Mul => Inst { n: inst.m, m: inst.n, ..inst },
        _ => inst,
    }
}
