//! A kernel's parts by themselves: what is before, in and after its repetitions. An order that was found for one repetition serves for all.

use super::homes::{self, Home};
use super::order::{self, Item, NAMES_MAX, Name};
use super::values::{Block, Def};
use crate::compile::CompileError;
use crate::ir::{InPlace, Var};
use crate::plan::PlanError;
use crate::thumb::check;
use std::collections::{BTreeMap, BTreeSet};

/// A part, in the kernel's order and in that in which it is done.
pub struct Piece {
    /// Its values.
    pub block: Block,
    /// What is done with them; the number after the last value stands for the address of the constants.
    pub items: Vec<Item>,
}

/// What all parts have in common.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// What they work on.
    pub in_place: InPlace,
    /// Which word of the array a variable stands for.
    pub word: &'a dyn Fn(Var) -> Option<u32>,
    /// Variables that go from part to part and are no words of the array.
    pub carried: &'a [Var],
    /// Those of them that are in registers between the parts.
    pub resting: &'a BTreeSet<Var>,
    /// Slots are floating-point registers.
    pub fast_slots: bool,
    /// Registers for values.
    pub registers: u32,
    /// Short code is wanted rather than fast code.
    pub short: bool,
}

/// Variables that had better be in registers between repetitions of this block: those that its last step computes.
pub fn resting(block: &Block, carried: &[Var]) -> BTreeSet<Var> {
    let last = block.steps.iter().map(|step| &step.values).rfind(|values| !values.is_empty());
    let late = |var: &Var| last.is_some_and(|last| block.ends.get(var).is_some_and(|end| last.contains(&end.value)));
    carried.iter().copied().filter(late).collect()
}

impl Piece {
    /// Finds an order.
    ///
    /// # Errors
    /// If none is found for so few registers, or if the block is not of this kind.
    pub fn new(block: Block, around: Surroundings<'_>) -> Result<Piece, CompileError> {
        let problem = problem(&block, around)?;
        let items = order::order(&problem).ok_or(PlanError::None)?;
        check::order(&problem, &items)?;
        Ok(Piece { block, items })
    }
}

/// What an order is searched for.
pub fn problem(block: &Block, around: Surroundings<'_>) -> Result<order::Problem, CompileError> {
    Ok(Draft::new(block, around).ok_or(PlanError::None)?.problem())
}

/// A block with what has to be known for its first, simple order.
struct Draft<'a> {
    block: &'a Block,
    around: Surroundings<'a>,
    /// Values that are words of the array at first.
    entries: BTreeMap<usize, Home>,
    /// Each new word with the one whose place it takes.
    replaced: BTreeMap<usize, Option<usize>>,
    /// Values that wait in slots at first.
    waiting: BTreeSet<usize>,
    /// Values that shall be in slots at last.
    kept: BTreeSet<usize>,
    /// Values that steps other than their own use, by how many.
    uses: BTreeMap<usize, usize>,
}

impl<'a> Draft<'a> {
    fn new(block: &'a Block, around: Surroundings<'a>) -> Option<Draft<'a>> {
        let busy = block.defs.iter().any(|def| !matches!(def, Def::Entry(_)));
        if block.defs.len() >= NAMES_MAX || busy && around.carried.iter().any(|var| !block.ends.contains_key(var)) {
            return None;
        }
        let entries = homes::entries(block, around.word);
        let replaced = homes::replaced(block, around.in_place, &entries).into_iter().collect();
        let (mut waiting, mut uses) = (BTreeSet::new(), BTreeMap::new());
        for (v, def) in block.defs.iter().enumerate() {
            if matches!(def, Def::Entry(var) if (around.word)(*var).is_none() && !around.resting.contains(var)) {
                waiting.insert(v);
            }
        }
        for step in &block.steps {
            let read: BTreeSet<usize> =
                block.defs[step.values.clone()].iter().flat_map(Def::operands).map(|o| o.value).collect();
            read.into_iter().filter(|v| !step.values.contains(v)).for_each(|v| *uses.entry(v).or_default() += 1);
        }
        let still = around.carried.iter().filter(|var| !around.resting.contains(var));
        let kept = still.filter_map(|var| Some(block.ends.get(var)?.value)).collect();
        Some(Draft { block, around, entries, replaced, waiting, kept, uses })
    }

    /// Words are loaded at the beginning of a step; values that several steps use are saved at once and loaded where they are used.
    fn problem(&self) -> order::Problem {
        let table = self.block.defs.len() as Name;
        let mut items = Vec::new();
        for step in &self.block.steps {
            let mut loaded = BTreeSet::new();
            let operands = || self.block.defs[step.values.clone()].iter().flat_map(Def::operands).map(|o| o.value);
            for v in operands().filter(|v| self.entries.contains_key(v)) {
                if loaded.insert(v) {
                    items.push(Item::Load(v as Name));
                }
            }
            for v in step.values.clone() {
                match self.block.defs[v] {
                    Def::Entry(_) => {}
                    Def::Constant(_) => items.extend([Item::Load(table), Item::Constant(v as Name, table)]),
                    Def::Xor(a, b) | Def::AndNot(a, b) => {
                        let operands = [a.value, b.value];
                        for o in operands
                            .into_iter()
                            .filter(|&o| self.in_slot(o) && !step.values.contains(&o) || self.waiting.contains(&o))
                        {
                            if loaded.insert(o) {
                                items.push(Item::Load(o as Name));
                            }
                        }
                        items.push(Item::Run(v as Name, operands.map(|o| o as Name)));
                        if let Some(old) = self.replaced.get(&v) {
                            items.push(Item::Store(v as Name, old.map_or(Name::MAX, |old| old as Name)));
                        }
                        if self.in_slot(v) {
                            items.push(Item::Save(v as Name));
                        }
                    }
                }
            }
        }
        let names = |values: &BTreeSet<usize>| values.iter().map(|&v| v as Name).collect();
        let resting = |v: &usize| matches!(self.block.defs[*v], Def::Entry(var) if self.around.resting.contains(&var));
        let ends = self.around.resting.iter().filter_map(|var| Some(self.block.ends.get(var)?.value as Name));
        let mut waiting: Vec<Name> = names(&self.waiting);
        waiting.push(table);
        order::Problem {
            items,
            before: (0..self.block.defs.len()).filter(resting).map(|v| v as Name).collect(),
            waiting,
            after: ends.collect(),
            kept: names(&self.kept),
            fast_slots: self.around.fast_slots,
            registers: self.around.registers,
            short: self.around.short,
        }
    }

    fn in_slot(&self, v: usize) -> bool {
        self.kept.contains(&v)
            || self.uses.get(&v).is_some_and(|&steps| steps > 1) && !matches!(self.block.defs[v], Def::Entry(_))
    }
}
