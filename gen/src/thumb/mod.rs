//! The Thumb-2 backend: from shaped steps to a finished function.

mod assign;
mod check;
mod finish;
mod fold;
mod in_place;
mod lower;
mod map;
mod plantard;
mod problem;
mod registers;
mod rejection;
mod schedule;
mod stream;
mod transform;

pub use lower::compile;

use crate::compile::V;
use isa::thumb::Inst;

/// The stack pointer.
pub const SP: V = V(13);

/// Instructions of one step.
pub type Group = crate::compile::Group<Inst<V>>;
