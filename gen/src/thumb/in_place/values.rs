//! Every value of a kernel by itself: what it is made from, and which word of the array it becomes.

use crate::ir::{Op, Place, Var};
use crate::unroll::Segment;
use std::collections::BTreeMap;
use std::ops::Range;

/// A value of a block, rotated left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    /// Number of the value.
    pub value: usize,
    /// 0..=31.
    pub rotl: u32,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    /// What a variable is when the block begins.
    Entry(Var),
    /// `a ^ b`.
    Xor(Operand, Operand),
    /// `a & !b`.
    AndNot(Operand, Operand),
    /// A constant of the repetition.
    Constant(u32),
}

/// A word of the array gets a new value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Renewed {
    /// Number of the word.
    pub word: u32,
    /// Its value, never rotated.
    pub value: usize,
}

/// A step: its title and its values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// For the reader.
    pub title: String,
    /// The values it computes.
    pub values: Range<usize>,
}

/// A segment by its values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Block {
    /// How often it is executed.
    pub count: u32,
    /// All values, those of each step together; entries are anywhere.
    pub defs: Vec<Def>,
    /// In order.
    pub steps: Vec<Step>,
    /// What variables are at the end, if they have been changed.
    pub ends: BTreeMap<Var, Operand>,
    /// New values of words, in order.
    pub renewed: Vec<Renewed>,
    /// Words that are stored at the end, and where.
    pub stored: Vec<(Var, Place)>,
}

impl Block {
    /// The values of a segment; `word` tells which word of the array a variable stands for. `None` if an operation has no place in such a kernel.
    pub fn new(segment: &Segment, word: &dyn Fn(Var) -> Option<u32>) -> Option<Block> {
        let mut block = Block { count: segment.count, ..Block::default() };
        for step in &segment.steps {
            let from = block.defs.len();
            step.ops.iter().try_for_each(|op| block.op(op, word))?;
            let values = from..block.defs.len();
            block.steps.push(Step { title: step.title.clone(), values });
        }
        Some(block)
    }

    fn op(&mut self, op: &Op, word: &dyn Fn(Var) -> Option<u32>) -> Option<()> {
        let (d, operand) = match *op {
            Op::Xor(d, a, b) => (d, self.define(a, b, Def::Xor)),
            Op::AndNot(d, a, b) => (d, self.define(a, b, Def::AndNot)),
            Op::Constant(d, k) => (d, self.push(Def::Constant(k))),
            Op::Rotl(d, a, n) => {
                let from = self.get(a);
                (d, Operand { rotl: (from.rotl + n) % 32, ..from })
            }
            Op::Copy(d, a) => (d, self.get(a)),
            Op::Store(s, place) => {
                self.get(s);
                self.stored.push((s, place));
                return Some(());
            }
            Op::Add(..) | Op::Load(..) => return None,
        };
        if let Some(word) = word(d) {
            let plain = matches!(op, Op::Copy(..)) && operand.rotl == 0;
            self.renewed.push(Renewed { word, value: operand.value });
            plain.then_some(())?;
        }
        self.ends.insert(d, operand);
        Some(())
    }

    fn define(&mut self, a: Var, b: Var, def: impl Fn(Operand, Operand) -> Def) -> Operand {
        let (a, b) = (self.get(a), self.get(b));
        self.push(def(a, b))
    }

    fn push(&mut self, def: Def) -> Operand {
        self.defs.push(def);
        Operand { value: self.defs.len() - 1, rotl: 0 }
    }

    fn get(&mut self, var: Var) -> Operand {
        if let Some(&operand) = self.ends.get(&var) {
            return operand;
        }
        let operand = self.push(Def::Entry(var));
        self.ends.insert(var, operand);
        operand
    }
}

impl Def {
    /// What it is made from.
    pub fn operands(&self) -> impl Iterator<Item = Operand> {
        let two = match *self {
            Def::Xor(a, b) | Def::AndNot(a, b) => [Some(a), Some(b)],
            Def::Entry(_) | Def::Constant(_) => [None, None],
        };
        two.into_iter().flatten()
    }
}
