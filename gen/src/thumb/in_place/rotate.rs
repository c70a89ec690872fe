//! Rotations disappear into second operands, here with a choice at every operation: see [`fold`](crate::thumb::fold) for the principle.
//!
//! A register or word of memory holds R where the value is `ror(R, pending)`. Of `a ^ b` either operand can be the one that stays as it
//! is, whose pending rotation the result inherits. Only at the ends of a block words must stand plainly, so the choices, and the few rotations
//! that remain, are made so that as few as possible remain.

use super::values::{Block, Def, Operand, Step};
use crate::compile::V;
use crate::ir::Var;
use crate::made::Made;
use crate::thumb::Group;
use isa::thumb::{Inst, Op as Row, Shift};
use std::collections::BTreeMap;

/// Which operand of each value stays as it is, and which values are rotated at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    first: Vec<bool>,
    settle: Vec<bool>,
}

/// A block to make choices for, by the variables that are wanted at its end.
type Question = (Block, Vec<Var>);

/// Choices made so far: cores share them.
static MADE: Made<Question, Choices> = Made::new();

/// Trials of another choice.
const TRIALS: u32 = 150_000;
/// How many instructions worse a trial may be, at first.
const HEAT: f64 = 1.5;

/// The best choices found for a block.
pub fn choose(block: &Block, wanted: &[Var]) -> Choices {
    MADE.get((block.clone(), wanted.to_vec()), |(block, wanted)| Search::new(block, wanted).run())
}

/// What follows from choices.
struct Pending {
    /// By value, after it was rotated.
    of: Vec<u32>,
    /// By value: how far it is rotated when it is made.
    by: Vec<u32>,
    /// How many are.
    rotated: u32,
}

struct Search<'a> {
    block: &'a Block,
    /// By value: how it is used first; the rotation that should be pending there.
    plain: Vec<u32>,
    /// Values that must stand plainly.
    forced: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(block: &'a Block, wanted: &[Var]) -> Self {
        let mut plain = vec![0; block.defs.len()];
        for operand in block.defs.iter().flat_map(Def::operands) {
            plain[operand.value] = operand.rotl;
        }
        let mut forced = vec![false; block.defs.len()];
        for operand in wanted.iter().filter_map(|var| block.ends.get(var)) {
            forced[operand.value] = true;
            plain[operand.value] = operand.rotl;
        }
        Search { block, plain, forced }
    }

    fn pending(&self, choices: &Choices) -> Pending {
        let n = self.block.defs.len();
        let mut p = Pending { of: vec![0; n], by: vec![0; n], rotated: 0 };
        for v in 0..n {
            let left = |o: Operand| (32 + p.of[o.value] - o.rotl) % 32;
            let inherited = match self.block.defs[v] {
                Def::Xor(a, b) => left(if self.keeps_first(choices, v, a, b) { a } else { b }),
                Def::AndNot(a, _) => left(a),
                Def::Entry(_) | Def::Constant(_) => 0,
            };
            p.of[v] = inherited;
            if (choices.settle[v] || self.forced[v]) && inherited != self.plain[v] {
                p.by[v] = (32 + inherited - self.plain[v]) % 32;
                p.of[v] = self.plain[v];
                p.rotated += 1;
            }
        }
        p
    }

    /// A constant has whatever rotation is wanted.
    fn keeps_first(&self, choices: &Choices, v: usize, a: Operand, b: Operand) -> bool {
        match (self.block.defs[a.value], self.block.defs[b.value]) {
            (_, Def::Constant(_)) => true,
            (Def::Constant(_), _) => false,
            _ => choices.first[v],
        }
    }

    /// Simulated annealing, the same for the same block.
    fn run(&self) -> Choices {
        let n = self.block.defs.len();
        let mut choices = Choices { first: vec![true; n], settle: vec![false; n] };
        let xors: Vec<usize> = (0..n).filter(|&v| matches!(self.block.defs[v], Def::Xor(..))).collect();
        let mut now = self.pending(&choices).rotated;
        let mut best = (now, choices.clone());
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random >> 11
        };
        for trial in 0..if now == 0 { 0 } else { TRIALS } {
            let v = xors[(next() % xors.len() as u64) as usize];
            let flip = |choices: &mut Choices, settle: bool| {
                let flag = if settle { &mut choices.settle[v] } else { &mut choices.first[v] };
                *flag = !*flag;
            };
            let settle = next() % 4 == 0;
            flip(&mut choices, settle);
            let found = self.pending(&choices).rotated;
            let heat = HEAT * f64::from(TRIALS - trial) / f64::from(TRIALS);
            let limit = f64::from(now) + heat * -((next() % 1024 + 1) as f64 / 1025.0).ln() / 3.0;
            if f64::from(found) <= limit {
                now = found;
            } else {
                flip(&mut choices, settle);
            }
            if now < best.0 {
                best = (now, choices.clone());
            }
        }
        best.1
    }
}

/// A block in instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotated {
    /// By value: the instructions that compute it.
    pub insts: Vec<Vec<Inst<V>>>,
    /// The variable of each value.
    pub var: Vec<Var>,
    /// By the number of a constant: how far the one in the table is rotated left.
    pub constants: BTreeMap<u32, u32>,
    /// Rotations that remain.
    pub rotations: u32,
}

/// Makes the instructions. New variables are numbered from `vars` on; `table` is the variable with the address of the constants.
pub fn rotate(block: &Block, choices: &Choices, wanted: &[Var], vars: &mut u16, table: Var) -> Rotated {
    let search = Search::new(block, wanted);
    let pending = search.pending(choices);
    let mut var = Vec::new();
    for def in &block.defs {
        var.push(match *def {
            Def::Entry(var) => var,
            _ => {
                *vars += 1;
                Var(*vars - 1)
            }
        });
    }
    let mut rotated = Rotated { insts: Vec::new(), var, constants: BTreeMap::new(), rotations: pending.rotated };
    for v in 0..block.defs.len() {
        let insts = rotated.value(&search, choices, &pending, v, table);
        rotated.insts.push(insts);
    }
    rotated
}

impl Rotated {
    /// The block in its own order.
    pub fn groups(&self, block: &Block) -> Vec<Group> {
        let group = |step: &Step| Group {
            title: step.title.clone(),
            insts: self.insts[step.values.clone()].concat(),
            touches: Vec::new(),
        };
        block.steps.iter().map(group).collect()
    }

    fn value(
        &mut self,
        search: &Search<'_>,
        choices: &Choices,
        pending: &Pending,
        v: usize,
        table: Var,
    ) -> Vec<Inst<V>> {
        let mut insts = Vec::new();
        let d = V::of(self.var[v]);
        let left = |o: Operand| (32 + pending.of[o.value] - o.rotl) % 32;
        let inst = |row, kept: Operand, other: Operand| {
            let shift = Shift::ror((32 + left(other) - left(kept)) % 32);
            Inst { d, n: V::of(self.var[kept.value]), m: V::of(self.var[other.value]), shift, ..Inst::new(row) }
        };
        match search.block.defs[v] {
            Def::Entry(_) => {}
            Def::Constant(k) => {
                insts.push(Inst { d, n: V::of(table), imm: 4 * k as i32, ..Inst::new(Row::LdrImm) });
            }
            Def::AndNot(a, b) => insts.push(inst(Row::BicReg, a, b)),
            Def::Xor(a, b) => {
                let (kept, other) = if search.keeps_first(choices, v, a, b) { (a, b) } else { (b, a) };
                let mut eor = inst(Row::EorReg, kept, other);
                if let Def::Constant(k) = search.block.defs[other.value] {
                    eor.shift = Shift::NONE;
                    self.constants.insert(k, left(kept));
                }
                insts.push(eor);
            }
        }
        if pending.by[v] != 0 {
            insts.push(Inst { d, m: d, shift: Shift::ror(pending.by[v]), ..Inst::new(Row::RorImm) });
        }
        insts
    }
}
