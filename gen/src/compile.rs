//! What the backends have in common, and the choice between them.

use crate::function::Function;
use crate::ir::{Kernel, Var};
use crate::plan::PlanError;
use crate::target::{Abi, Isa, Shape, Target};
use crate::thumb;
use crate::unroll::UnrollError;
use crate::xtensa;
use std::fmt::Write as _;
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
    /// The backend makes no code for kernels that work on an array in memory.
    #[error(
        "there is no code for {kernel} on {target}: it works on an array in memory, which only ARMv7-M code does so far"
    )]
    InPlace {
        /// The kernel.
        kernel: String,
        /// The core.
        target: Target,
    },
    /// The core lacks an extension that the kernel takes.
    #[error("there is no code for {kernel} on {target}: it takes the DSP extension, which that core does not have")]
    Extension {
        /// The kernel.
        kernel: String,
        /// The core.
        target: Target,
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

/// A function with the cycles that the model gives its code without calls around it: good for comparing two forms of one function.
pub type Rated = (u64, Function);

/// Cycles and bytes, the function, and what its passes said.
type Candidate = ((u64, usize), Function, Vec<(String, String)>);

/// Builds a function in each of its forms and keeps the fastest, the shortest among equals.
///
/// # Errors
/// If a form cannot be built.
pub fn best(
    forms: usize,
    trace: Trace<'_>,
    build: impl Fn(usize, Trace<'_>) -> Result<Rated, CompileError>,
) -> Result<Function, CompileError> {
    let mut best: Option<Candidate> = None;
    for form in 0..forms {
        let mut passes = Vec::new();
        let (cycles, function) = build(form, &mut |pass, text| passes.push((pass.to_owned(), text)))?;
        let rank = (cycles, function.code.len());
        if best.as_ref().is_none_or(|b| rank < b.0) {
            best = Some((rank, function, passes));
        }
    }
    let (_, function, passes) = best.ok_or(PlanError::None)?;
    passes.into_iter().for_each(|(pass, text)| trace(&pass, text));
    Ok(function)
}

/// The kernel's name of a variable, if the operand is one.
pub fn variable_name(kernel: &Kernel, v: V) -> Option<String> {
    let name = |var: Var| kernel.vars.get(var.0 as usize).map_or(format!("v{}", var.0), |d| d.name.clone());
    v.var().map(name)
}

/// Folded code as text.
pub fn folded_listing<I>(segments: &[Folded<I>], print: impl Fn(&I) -> String) -> String {
    let mut text = String::new();
    for segment in segments {
        let _ = writeln!(text, "{} times:", segment.count);
        for group in &segment.groups {
            let _ = writeln!(text, "  {}", group.title);
            for inst in &group.insts {
                let _ = writeln!(text, "    {}", print(inst));
            }
        }
    }
    text
}

/// Placed code as text: instructions, each with the title of the step that begins there or an empty one. `mark` begins comments.
pub fn placed_listing<'a>(mark: &str, code: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut text = String::new();
    for (title, inst) in code {
        if !title.is_empty() {
            let _ = writeln!(text, "{mark} {title}");
        }
        let _ = writeln!(text, "    {inst}");
    }
    text
}
