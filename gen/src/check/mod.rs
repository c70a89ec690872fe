//! What the checks after the passes of all backends have in common.

mod fold;
mod plan;
mod terms;

pub use fold::{Words, fold};
pub use plan::plan;
pub use terms::{Address, At, Id, Term, Terms};

use crate::compile::CompileError;

/// The error of a check after `pass`.
pub fn error<T>(pass: &'static str, what: impl Into<String>) -> Result<T, CompileError> {
    Err(CompileError::Check { pass, what: what.into() })
}
