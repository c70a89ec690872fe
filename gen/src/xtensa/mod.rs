//! The Xtensa backend: from shaped steps to a finished function.

mod assign;
mod check;
mod finish;
mod fold;
mod hoist;
mod lower;
mod problem;
mod schedule;
mod stream;
mod unwind;

pub use lower::compile;

use crate::compile::V;
use isa::xtensa::{Inst, Op as Row};

/// The stack pointer.
pub const SP: V = V(1);

/// Instructions of one step, or of a part of it that needs one shift amount.
pub type Group = crate::compile::Group<Inst<V>>;

/// The 16-bit form of an instruction, if there is one for its operands.
fn dense(inst: Inst) -> Inst {
    let narrow = match inst.op {
        Row::Add => Row::AddN,
        Row::L32i => Row::L32iN,
        Row::S32i => Row::S32iN,
        Row::Ret => Row::RetN,
        Row::Retw => Row::RetwN,
        Row::Addi => {
            let short = Inst { r: inst.t, t: Default::default(), ..inst };
            return if matches!(inst.imm, -1 | 1..=15) { Inst { op: Row::AddiN, ..short } } else { inst };
        }
        Row::Movi => {
            let short = Inst { s: inst.t, t: Default::default(), ..inst };
            return if (-32..=95).contains(&inst.imm) { Inst { op: Row::MoviN, ..short } } else { inst };
        }
        Row::Or if inst.s == inst.t => return Inst { op: Row::MovN, t: inst.r, r: Default::default(), ..inst },
        _ => return inst,
    };
    let short = Inst { op: narrow, ..inst };
    if isa::xtensa::encode(&short).is_ok() { short } else { inst }
}

/// The 24-bit form of a 16-bit instruction, if there is one.
fn wide(inst: Inst) -> Option<Inst> {
    let op = match inst.op {
        Row::AddN => Row::Add,
        Row::L32iN => Row::L32i,
        Row::S32iN => Row::S32i,
        Row::RetN => Row::Ret,
        Row::RetwN => Row::Retw,
        Row::AddiN => return Some(Inst { op: Row::Addi, t: inst.r, r: Default::default(), ..inst }),
        Row::MoviN => return Some(Inst { op: Row::Movi, t: inst.s, s: Default::default(), ..inst }),
        Row::MovN => return Some(Inst { op: Row::Or, r: inst.t, t: inst.s, ..inst }),
        _ => return None,
    };
    Some(Inst { op, ..inst })
}
