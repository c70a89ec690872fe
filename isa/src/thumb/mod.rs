//! Thumb-2: ARMv7-M, the DSP extension (ARMv7E-M) and single-precision FPv4-SP, as on Cortex-M3, M4 and M4F.
//!
//! Source of everything here: Arm, *ARMv7-M Architecture Reference Manual*, DDI 0403, chapters A5 to A7.

mod exec;
mod inst;
mod op;
mod state;

pub use exec::execute;
pub use inst::*;
pub use op::Op;
pub use state::*;
