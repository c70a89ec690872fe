//! The Thumb-2 backend: from shaped steps to a finished function.

mod assign;
mod check;
mod finish;
mod fold;
mod lower;
mod problem;
mod schedule;
mod stream;

pub use lower::{CompileError, compile};

use isa::thumb::Inst;

/// A register operand before allocation: one of the core's own (below 16), or a variable of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct V(pub u16);

impl V {
    /// The stack pointer.
    pub const SP: V = V(13);

    /// The operand that stands for a kernel variable.
    pub const fn of(var: crate::ir::Var) -> V {
        V(var.0 + 16)
    }

    /// The variable, if it is one.
    pub const fn var(self) -> Option<crate::ir::Var> {
        if self.0 < 16 { None } else { Some(crate::ir::Var(self.0 - 16)) }
    }
}

/// Instructions of one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// For the reader.
    pub title: String,
    /// In order.
    pub insts: Vec<Inst<V>>,
    /// Variables that the step wants in registers although no instruction of it names them.
    pub touches: Vec<crate::ir::Var>,
}
