//! What the planner has to know of Xtensa: registers, shift amounts, what moves cost, and the variables of an instruction.

use super::{Group, V};
use crate::ir::Var;
use crate::lockstep::Costs;
use crate::problem::Operands;
use isa::xtensa::{Inst, Op as Row};

/// Registers that can hold variables: a0, whose return address is elsewhere meanwhile, and a2 to a15.
pub const REGISTERS: u32 = 15;

/// What moving a variable out and back costs by one kind of place, in issue slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Out.
    pub save: u32,
    /// Back.
    pub load: u32,
    /// Another one out and this one back.
    pub exchange: u32,
}

/// By a register of MAC16: WSR, RSR, XSR. GCC's description of the pipeline, which nobody has measured, says that each takes a slot and
/// that a result of RSR and XSR is there a cycle late; the scheduler fills that cycle.
pub const MAC: Moves = Moves { save: 1, load: 1, exchange: 1 };

/// By a word of the frame: S32I, L32I. If MAC registers turn out to be slower than this, it is enough to say so above. That was tried: with the
/// frame `chacha20_permute` takes 25 cycles more unrolled and 32 more looped, `chacha20_xor` 0.3 and 0.5 cycles more per byte.
pub const FRAME: Moves = Moves { save: 1, load: 1, exchange: 2 };

/// True if MAC16's registers are the better places.
pub const fn prefer_mac() -> bool {
    MAC.exchange <= FRAME.exchange && MAC.save + MAC.load <= FRAME.save + FRAME.load
}

/// What the planner decides by. An SSAI takes a slot.
pub const fn costs() -> Costs {
    let moves = if prefer_mac() { MAC } else { FRAME };
    Costs { mode: 1, load: moves.load, save: moves.save, exchange: moves.exchange }
}

/// The shift amount that a group needs.
pub fn mode(group: &Group) -> Option<u8> {
    group.insts.iter().find(|i| i.op == Row::Ssai).map(|i| i.imm as u8)
}

impl Operands for Inst<V> {
    fn touched(&self) -> (Vec<Var>, Vec<Var>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (field, _, access) in self.fields() {
            let Some(var) = self.reg(field).var() else { continue };
            if access.reads() {
                reads.push(var);
            }
            if access.writes() {
                writes.push(var);
            }
        }
        (reads, writes)
    }
}
