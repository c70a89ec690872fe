//! Xtensa as configured in the LX6 cores of the ESP32 and the LX7 cores of the ESP32-S3.
//!
//! Source of everything here: Tensilica, *Xtensa Instruction Set Architecture (ISA) Reference Manual*; for the floating-point
//! coprocessor and the presence of options, the configuration of the two chips as assemblers know it.

mod codec;
mod decode;
mod effects;
mod encode;
mod exec;
mod inst;
mod print;
#[cfg(any(test, feature = "testing"))]
pub mod random;
mod rows;
mod rules;
mod special;
mod state;
mod states;
mod syntax;
mod table;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod timing;

pub use crate::access::{Access, Direction};
pub use crate::bus::{Bus, BusFault};
pub use decode::{DecodeError, decode, length};
pub use effects::{Control, Effects, MemoryAccess, Registers};
pub use encode::{EncodeError, Encoding, encode};
pub use exec::execute;
pub use inst::*;
pub use print::register_name;
pub use rows::{Op, Row, Rule};
pub use special::{special_register, user_register};
pub use state::{Fault, Outcome, State, Vector, ps, sr};
pub use states::{StateUse, States};
pub use timing::{Core, Extension, Timing};

/// An encoding of the table.
type Pattern = crate::pattern::Pattern<Op, Rule>;
