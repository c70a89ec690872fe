//! What the checks after the passes of all backends have in common.

mod fold;
mod machine;
mod plan;
mod reference;
mod terms;

pub use fold::{Words, fold};
pub use machine::{Done, Isa, Machine, Next, Rules};
pub use plan::plan;
pub use reference::{Code, Decide, Reference, both, difference};
pub use terms::{At, Id, Term, Terms};

use crate::compile::CompileError;

/// The error of a check after `pass`.
pub fn error<T>(pass: &'static str, what: impl Into<String>) -> Result<T, CompileError> {
    Err(CompileError::Check { pass, what: what.into() })
}
