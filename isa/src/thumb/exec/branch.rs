//! Branches, table branches, IT.

use super::super::{Bus, Fault, Inst, Op, Outcome, Reg, State};
use super::{get, holds, jump, memory, multiply, thumb_target};

#[inline(always)]
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst, next: u32) -> Result<Outcome, Fault> {
    let target = |state: &State| state.r[15].wrapping_add(inst.imm as u32);
    match inst.op {
        Op::B if !holds(state, inst.cond) => Ok(Outcome::Skipped),
        Op::B => Ok(jump(state, target(state))),
        Op::Cbz => Ok(if get(state, inst.n) == 0 { jump(state, target(state)) } else { Outcome::Next }),
        Op::Cbnz => Ok(if get(state, inst.n) != 0 { jump(state, target(state)) } else { Outcome::Next }),
        Op::Bl => {
            state.r[usize::from(Reg::LR.0)] = next | 1;
            Ok(jump(state, target(state)))
        }
        Op::Bx => {
            let target = thumb_target(get(state, inst.m))?;
            Ok(jump(state, target))
        }
        Op::BlxReg => {
            let target = thumb_target(get(state, inst.m))?;
            state.r[usize::from(Reg::LR.0)] = next | 1;
            Ok(jump(state, target))
        }
        Op::Tbb => {
            let entry = memory::read(bus, get(state, inst.n).wrapping_add(get(state, inst.m)), 1)?;
            Ok(jump(state, state.r[15].wrapping_add(2 * entry)))
        }
        Op::Tbh => {
            let entry = memory::read(bus, get(state, inst.n).wrapping_add(get(state, inst.m) << 1), 2)?;
            Ok(jump(state, state.r[15].wrapping_add(2 * entry)))
        }
        Op::It => {
            state.it = (inst.cond as u8) << 4 | (inst.imm2 & 15) as u8;
            Ok(Outcome::Next)
        }
        _ => multiply::execute(state, bus, inst, next),
    }
}
