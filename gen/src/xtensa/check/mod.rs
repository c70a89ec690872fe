//! Every pass is checked again, by code that shares nothing with the passes: see [`crate::check`] for what is common to all backends.
//!
//! - [`fold()`]: both sides are run on concrete words.
//! - [`plan()`]: the actions are replayed.
//! - [`Reference::assigned`], [`scheduled`], [`Reference::finished`]: both sides are run on names for values ([`value`]), with shift amounts
//!   and loops.

mod code;
mod fold;
#[cfg(test)]
mod tests;
mod value;

pub use crate::check::plan;
pub use code::{Ends, Reference, scheduled};
pub use fold::fold;

use crate::check::error;
