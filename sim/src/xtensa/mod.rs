//! How Xtensa LX6 (ESP32) and LX7 (ESP32-S3) run.

mod call;
mod checks;
mod effects;
mod firmware;
mod machine;
mod marks;
mod overwrite;
pub(crate) mod set;
mod slot;
mod system;
mod windows;

pub use isa::xtensa::Core;
pub use machine::Machine;

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Abi {
    /// By CALL8: ENTRY and RETW rotate the window of registers, and exceptions move callers' registers to the stack and back.
    Windowed,
    /// By CALL0: a0 is the return address, and a12 to a15 are left as they were.
    Call0,
}
