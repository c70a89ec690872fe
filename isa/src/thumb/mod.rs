//! Thumb-2: ARMv7-M, the DSP extension (ARMv7E-M) and single-precision FPv4-SP, as on Cortex-M3, M4 and M4F.
//!
//! Source of everything here: Arm, *ARMv7-M Architecture Reference Manual*, DDI 0403, chapters A5 to A7.

mod codec;
mod decode;
mod effects;
mod encode;
mod exec;
mod flags;
mod immediate;
mod inst;
mod print;
#[cfg(any(test, feature = "testing"))]
pub mod random;
mod rows;
mod rules;
mod state;
mod syntax;
mod table;
mod timing;

pub use crate::access::{Access, Direction};
pub use crate::bus::{Bus, BusFault};
pub use decode::{DecodeError, decode, length};
pub use effects::{Control, Effects, MemoryAccess};
pub use encode::{EncodeError, Encoding, encode};
pub use exec::execute;
pub use flags::{FlagUse, Flags, SetsWhen};
pub use immediate::{modified_constant, modified_constant_carry};
pub use inst::*;
pub use print::register_name;
pub use rows::{Form, Op, Row, Rule};
pub use state::*;
pub use timing::{Core, Extension, Timing};

/// An encoding of the table.
type Pattern = crate::pattern::Pattern<Op, Rule>;
