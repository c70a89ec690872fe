//! What the checks after the passes of all backends have in common.

mod fold;
mod machine;
mod plan;
mod reference;
mod terms;

pub use fold::{Words, fold};
pub use machine::{CODE, Done, Isa, Machine, Next, Rules};
pub use plan::plan;
pub use reference::{Code, Decide, Reference, both, difference};
pub use terms::{At, Id, Term, Terms};

use crate::compile::CompileError;

/// The error of a check after `pass`.
pub fn error<T>(pass: &'static str, what: impl Into<String>) -> Result<T, CompileError> {
    Err(CompileError::Check { pass, what: what.into() })
}

/// For tests that plant faults.
#[cfg(test)]
pub mod testing {
    use crate::compile::CompileError;

    /// A fault's name, and how it is planted.
    pub type Fault<T> = (&'static str, fn(&mut T));

    /// The pass that an error names.
    pub fn named(result: Result<(), CompileError>) -> Option<&'static str> {
        match result {
            Err(CompileError::Check { pass, what }) => {
                assert!(!what.is_empty());
                Some(pass)
            }
            _ => None,
        }
    }
}
