//! Every pass is checked again, by code that shares nothing with the passes.
//!
//! - [`fold()`]: both sides are run on concrete words.
//! - [`plan()`]: the actions are replayed.
//! - [`Reference::assigned`], [`scheduled`], [`Reference::finished`]: both sides are run on names for values ([`value`]): two places hold the
//!   same name only if they hold the same word whatever the inputs are.

mod code;
mod fold;
mod plan;
#[cfg(test)]
mod tests;
mod value;

pub use code::{Ends, Reference, scheduled};
pub use fold::fold;
pub use plan::plan;

use crate::compile::CompileError;

fn error<T>(pass: &'static str, what: impl Into<String>) -> Result<T, CompileError> {
    Err(CompileError::Check { pass, what: what.into() })
}
