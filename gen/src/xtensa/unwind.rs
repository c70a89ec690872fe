//! What debuggers have to know of functions that are called by CALL0: where the frame and the caller's registers are.
//!
//! With register windows there is nothing to say: debuggers read ENTRY.

use crate::function::{Inst, Line};
use isa::xtensa::{self, Op as Row, Reg, sr};
use std::collections::BTreeMap;

/// a0, and a12 to a15: what the caller expects to find again.
const OF_CALLER: u16 = 0xf001;

/// Where a register of the caller is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// So many bytes below the frame's upper end.
    Below(u32),
    /// In the special register of this number.
    Special(u8),
}

/// What is known behind an instruction.
#[derive(Default)]
struct Unwinder {
    /// Bytes from sp to the frame's upper end.
    cfa: u32,
    written: u16,
    kept: BTreeMap<u8, Kept>,
}

/// The lines, with call-frame information behind each instruction that changes something of it.
pub fn annotated(lines: Vec<Line>) -> Vec<Line> {
    let mut unwinder = Unwinder::default();
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        let said = match &line {
            Line::Inst { inst: Inst::Xtensa(inst), .. } => unwinder.after(inst),
            _ => None,
        };
        all.push(line);
        all.extend(said);
    }
    all
}

impl Unwinder {
    fn after(&mut self, inst: &xtensa::Inst) -> Option<Line> {
        let place = || self.cfa.checked_sub(u32::try_from(inst.imm).ok()?).map(Kept::Below);
        let said = match inst.op {
            Row::Addi if inst.t == Reg::SP && inst.s == Reg::SP => {
                self.cfa = self.cfa.wrapping_sub(inst.imm as u32);
                Some(Line::CfaOffset(self.cfa))
            }
            Row::S32i | Row::S32iN if inst.s == Reg::SP => place().and_then(|kept| self.keeps(inst.t, kept)),
            Row::L32i | Row::L32iN if inst.s == Reg::SP => place().and_then(|kept| self.restores(inst.t, kept)),
            Row::Wsr if is_mac(inst.imm) => self.keeps(inst.t, Kept::Special(inst.imm as u8)),
            Row::Rsr if is_mac(inst.imm) => self.restores(inst.t, Kept::Special(inst.imm as u8)),
            _ => None,
        };
        self.written |= inst.effects().writes.core;
        said
    }

    fn keeps(&mut self, register: Reg, kept: Kept) -> Option<Line> {
        let reg = register.0;
        let is_callers = (OF_CALLER & !self.written) >> reg & 1 == 1;
        is_callers.then(|| {
            self.kept.insert(reg, kept);
            match kept {
                Kept::Below(below_cfa) => Line::SavedAt { reg, below_cfa },
                Kept::Special(number) => Line::SavedInSpecial { reg, number },
            }
        })
    }

    fn restores(&mut self, register: Reg, kept: Kept) -> Option<Line> {
        (self.kept.get(&register.0) == Some(&kept)).then_some(Line::Restored(register.0))
    }
}

/// True if this is the number of a register of MAC16.
fn is_mac(special: i64) -> bool {
    (sr::M0 as i64..sr::M0 as i64 + 4).contains(&special)
}
