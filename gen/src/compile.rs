//! What the backends have in common, and the choice between them.

use crate::function::Function;
use crate::ir::{Kernel, Var};
use crate::plan::PlanError;
use crate::target::{Abi, Isa, Shape, Target};
use crate::thumb;
use crate::unroll::UnrollError;
use crate::xtensa;
use thiserror::Error;

/// Why a kernel could not be compiled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CompileError {
    /// The unroll factor does not fit.
    #[error(transparent)]
    Unroll(#[from] UnrollError),
    /// The planner gave up.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The backend was asked for what it does not make code for.
    #[error("there is no code for {target} with the {abi} calling convention")]
    Target {
        /// The core.
        target: Target,
        /// The calling convention.
        abi: Abi,
    },
    /// A pass left code that its checker refuses.
    #[error("{pass}: {what}")]
    Check {
        /// The pass.
        pass: &'static str,
        /// What is wrong.
        what: String,
    },
}

/// Called with the name and the output of each pass.
pub type Trace<'a> = &'a mut dyn FnMut(&str, String);

/// Compiles a kernel; cycles and cases of the result are still zero.
///
/// # Errors
/// If the shape does not fit the kernel, the target has no such calling convention, or a check after a pass fails.
pub fn compile(
    kernel: &Kernel,
    target: Target,
    abi: Abi,
    shape: Shape,
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    match target.isa() {
        Isa::Thumb if abi == Abi::Aapcs => thumb::compile(kernel, target, shape, trace),
        Isa::Xtensa if target.abis().contains(&abi) => xtensa::compile(kernel, target, abi, shape, trace),
        Isa::Thumb | Isa::Xtensa => Err(CompileError::Target { target, abi }),
    }
}

/// A register operand before allocation: one of the core's own (below 16), or a variable of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct V(pub u16);

impl V {
    /// The operand that stands for a kernel variable.
    pub const fn of(var: Var) -> V {
        V(var.0 + 16)
    }

    /// The variable, if it is one.
    pub const fn var(self) -> Option<Var> {
        if self.0 < 16 { None } else { Some(Var(self.0 - 16)) }
    }
}

/// Instructions of one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group<I> {
    /// For the reader.
    pub title: String,
    /// In order.
    pub insts: Vec<I>,
    /// Variables that the step wants in registers although no instruction of it names them.
    pub touches: Vec<Var>,
}

/// A segment in instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folded<I> {
    /// How often it is executed.
    pub count: u32,
    /// In order.
    pub groups: Vec<Group<I>>,
}
