//! An order of what is done in a block that works in place.

use super::error;
use crate::compile::CompileError;
use crate::thumb::in_place::order::{Item, Name, Problem};
use std::collections::{BTreeMap, BTreeSet};

/// Checks that everything is computed and stored once, from values that are in registers, that nothing is loaded from where it is not, and that there
/// are enough registers.
pub fn order(problem: &Problem, items: &[Item]) -> Result<(), CompileError> {
    let done = |items: &[Item]| {
        let once = |item: &&Item| matches!(item, Item::Run(..) | Item::Store(..));
        let mut done: Vec<String> = items.iter().filter(once).map(|item| format!("{item:?}")).collect();
        done.sort_unstable();
        done
    };
    if done(items) != done(&problem.items) {
        return error("order", "what is computed and stored is not what should be".to_owned());
    }
    let mut state = State::new(problem);
    for (at, &item) in items.iter().enumerate() {
        if let Err(what) = state.item(at, item) {
            return error("order", format!("{item:?}, number {at}: {what}"));
        }
    }
    state.end(problem, items.len()).or_else(|what| error("order", what))
}

struct State {
    /// Values that are not words of the array at first.
    others: BTreeSet<Name>,
    saved: BTreeSet<Name>,
    /// Words whose place another one has taken.
    replaced: BTreeSet<Name>,
    /// For each value in a register when it came there and when it was read last; those that are gone too.
    stays: Vec<(usize, usize)>,
    present: BTreeMap<Name, usize>,
}

impl State {
    fn new(problem: &Problem) -> State {
        let computed = problem.items.iter().filter_map(|item| match item {
            Item::Run(v, _) | Item::Constant(v, _) => Some(*v),
            _ => None,
        });
        let mut state = State {
            others: computed.chain(problem.waiting.iter().chain(&problem.before).copied()).collect(),
            saved: problem.waiting.iter().copied().collect(),
            replaced: BTreeSet::new(),
            stays: Vec::new(),
            present: BTreeMap::new(),
        };
        problem.before.iter().for_each(|&v| state.comes(v, 0));
        state
    }

    /// Positions are between items: `at` is before item `at`.
    fn comes(&mut self, v: Name, at: usize) {
        self.present.insert(v, self.stays.len());
        self.stays.push((at, at));
    }

    fn read(&mut self, v: Name, at: usize) -> Result<(), String> {
        let stay = self.present.get(&v).ok_or_else(|| format!("value {v} is in no register"))?;
        self.stays[*stay].1 = at;
        Ok(())
    }

    fn item(&mut self, at: usize, item: Item) -> Result<(), String> {
        match item {
            Item::Run(d, operands) => {
                operands.into_iter().try_for_each(|v| self.read(v, at))?;
                self.comes(d, at + 1);
            }
            Item::Constant(d, address) => {
                self.read(address, at)?;
                self.comes(d, at + 1);
            }
            Item::Load(v) if self.others.contains(&v) && !self.saved.contains(&v) => {
                return Err("it was not saved before".to_owned());
            }
            Item::Load(v) if self.replaced.contains(&v) => return Err("another word is there already".to_owned()),
            Item::Load(v) => self.comes(v, at + 1),
            Item::Save(v) => {
                self.read(v, at)?;
                self.saved.insert(v);
            }
            Item::Store(v, old) => {
                self.read(v, at)?;
                self.replaced.insert(old);
            }
        }
        Ok(())
    }

    fn end(&mut self, problem: &Problem, last: usize) -> Result<(), String> {
        problem.after.iter().try_for_each(|&v| self.read(v, last))?;
        if let Some(v) = problem.kept.iter().find(|v| !self.saved.contains(v)) {
            return Err(format!("value {v} is in no slot at the end"));
        }
        for at in 0..=last {
            let count = self.stays.iter().filter(|(from, to)| *from <= at && at <= *to).count();
            if count as u32 > problem.registers {
                return Err(format!("{count} values are in registers before number {at}"));
            }
        }
        Ok(())
    }
}
