//! Every pass is checked again, by code that shares nothing with the passes.
//!
//! - [`fold()`]: both sides are run on concrete words.
//! - [`plan()`]: the actions are replayed.
//! - [`order()`]: what is in registers and slots is followed.
//! - [`Reference::assigned`], [`scheduled`], [`Reference::finished`]: both sides are run on names for values ([`value`]): two places hold the
//!   same name only if they hold the same word whatever the inputs are.

mod code;
mod fold;
mod order;
#[cfg(test)]
mod tests;
mod value;

use crate::check::error;
pub use crate::check::plan;
pub use code::{Ends, Reference, scheduled};
pub use fold::fold;
pub use order::order;
