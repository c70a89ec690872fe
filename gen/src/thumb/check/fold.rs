//! Folded code against the steps it was made from, on concrete words.

use super::error;
use crate::compile::CompileError;
use crate::ir::{Op, Place, Var};
use crate::thumb::fold::Folded;
use crate::thumb::{Group, V};
use crate::unroll::Shaped;
use isa::thumb::{Inst, Op as Row, Shift, ShiftKind};
use std::collections::BTreeMap;

/// Where inputs come from.
#[derive(Clone, Copy, Debug)]
enum Words {
    /// The same word everywhere.
    All(u32),
    /// Different ones; the number chooses which.
    Mixed(u32),
}

const TRIALS: [Words; 6] =
    [Words::All(0), Words::All(u32::MAX), Words::Mixed(1), Words::Mixed(2), Words::Mixed(3), Words::Mixed(4)];

/// Checks that the folded segments store the same words in the same places as the steps, for the chosen inputs.
pub fn fold(shaped: &Shaped, folded: &[Folded]) -> Result<(), CompileError> {
    let counts = |s: &mut dyn Iterator<Item = u32>| s.collect::<Vec<_>>();
    if counts(&mut shaped.segments.iter().map(|s| s.count)) != counts(&mut folded.iter().map(|f| f.count)) {
        return error("fold", "the repetitions are not those of the kernel");
    }
    for words in TRIALS {
        let (mut wanted, mut found) = (Run::new(words, shaped), Run::new(words, shaped));
        for segment in &shaped.segments {
            (0..segment.count).for_each(|_| segment.steps.iter().flat_map(|s| &s.ops).for_each(|op| wanted.op(op)));
        }
        for segment in folded {
            for _ in 0..segment.count {
                segment.groups.iter().try_for_each(|group| found.group(group))?;
            }
        }
        if let Some((place, word)) = wanted.stored.iter().find(|(place, word)| found.stored.get(place) != Some(word)) {
            let other = found.stored.get(place).map_or("nothing".to_owned(), |w| format!("{w:#010x}"));
            return error("fold", format!("{} gets {other} instead of {word:#010x} for {words:?}", named(*place)));
        }
        if let Some(place) = found.stored.keys().find(|place| !wanted.stored.contains_key(place)) {
            return error("fold", format!("{} is written, which the kernel does not", named(*place)));
        }
    }
    Ok(())
}

fn named((base, offset): (u16, u32)) -> String {
    format!("word {} of parameter {base}", offset / 4)
}

struct Run {
    words: Words,
    vars: BTreeMap<Var, u32>,
    stored: BTreeMap<(u16, u32), u32>,
}

impl Run {
    fn new(words: Words, shaped: &Shaped) -> Run {
        let mut run = Run { words, vars: BTreeMap::new(), stored: BTreeMap::new() };
        for &(var, place) in &shaped.inputs {
            let word = run.load(place);
            run.vars.insert(var, word);
        }
        run
    }

    fn load(&self, place: Place) -> u32 {
        let key = (place.base.0, place.offset);
        let initial = match self.words {
            Words::All(word) => word,
            Words::Mixed(seed) => mix(mix(mix(seed) ^ u32::from(key.0)) ^ key.1),
        };
        self.stored.get(&key).copied().unwrap_or(initial)
    }

    /// A variable without a value is as good as any other word: no two runs agree by it.
    fn get(&self, var: Var) -> u32 {
        self.vars.get(&var).copied().unwrap_or(0x5555_5555)
    }

    fn op(&mut self, op: &Op) {
        let (d, word) = match *op {
            Op::Add(d, a, b) => (d, self.get(a).wrapping_add(self.get(b))),
            Op::Xor(d, a, b) => (d, self.get(a) ^ self.get(b)),
            Op::Rotl(d, a, n) => (d, self.get(a).rotate_left(n)),
            Op::Load(d, place) => (d, self.load(place)),
            Op::Store(s, place) => {
                self.stored.insert((place.base.0, place.offset), self.get(s));
                return;
            }
        };
        self.vars.insert(d, word);
    }

    fn group(&mut self, group: &Group) -> Result<(), CompileError> {
        for inst in &group.insts {
            if self.inst(inst).is_none() {
                return error("fold", format!("step {:?}: {:?} is not understood here", group.title, inst.op));
            }
        }
        Ok(())
    }

    fn operand(&self, v: V) -> Option<u32> {
        Some(self.get(v.var()?))
    }

    fn inst(&mut self, inst: &Inst<V>) -> Option<()> {
        let place = || Some(Place { base: inst.n.var()?, offset: u32::try_from(inst.imm).ok()? });
        let word = match inst.op {
            Row::AddReg => self.operand(inst.n)?.wrapping_add(shifted(self.operand(inst.m)?, inst.shift)?),
            Row::EorReg => self.operand(inst.n)? ^ shifted(self.operand(inst.m)?, inst.shift)?,
            Row::RorImm | Row::MovReg => shifted(self.operand(inst.m)?, inst.shift)?,
            Row::LdrImm => self.load(place()?),
            Row::StrImm => {
                let (place, word) = (place()?, self.operand(inst.d)?);
                self.stored.insert((place.base.0, place.offset), word);
                return Some(());
            }
            _ => return None,
        };
        self.vars.insert(inst.d.var()?, word);
        Some(())
    }
}

fn shifted(word: u32, shift: Shift) -> Option<u32> {
    match shift {
        Shift::NONE => Some(word),
        Shift { kind: ShiftKind::Ror, amount } => Some(word.rotate_right(u32::from(amount))),
        _ => None,
    }
}

/// Spreads a word over all bits: a multiplication by an odd number, and the upper half into the lower, twice.
fn mix(word: u32) -> u32 {
    let half = |w: u32| (w ^ w >> 16).wrapping_mul(0x9e37_79b1);
    half(half(word.wrapping_add(0x7f4a_7c15)))
}
