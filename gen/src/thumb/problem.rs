//! What the planner has to know of Thumb-2: registers, and the variables of an instruction.

use crate::compile::V;
use crate::ir::Var;
use crate::problem::Operands;
use isa::thumb::{Access, Field, Inst};

/// Registers that can hold variables: r0 to r12 and lr.
pub const REGISTERS: u32 = 14;

impl Operands for Inst<V> {
    fn touched(&self) -> (Vec<Var>, Vec<Var>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        self.map(|_: Field, _, access, v: V| {
            if let Some(var) = v.var() {
                if matches!(access, Access::Read | Access::ReadWrite) {
                    reads.push(var);
                }
                if matches!(access, Access::Write | Access::ReadWrite) {
                    writes.push(var);
                }
            }
            v
        });
        (reads, writes)
    }
}
