//! What tests need to run Xtensa code on another machine, QEMU, without an assembler or linker.

mod assembly;
mod calls;
mod machine;
mod vectors;

pub use assembly::{Assembly, Label};
pub use calls::{Argument, Call, Convention, Function, MAX_DEPTH, Returned, call_all};
pub use machine::{Image, Segment, exit, run, write_results};
pub use vectors::window_vectors;

use super::{Inst, Op, Reg};

/// An instruction with its three register fields and its immediate; what the row does not have must be 0.
pub fn inst(op: Op, r: u8, s: u8, t: u8, imm: i64) -> Inst {
    Inst { r: Reg(r), s: Reg(s), t: Reg(t), imm, ..Inst::new(op) }
}
