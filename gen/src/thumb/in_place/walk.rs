//! What is done in a block of any shape: the order that was found for a piece, again for each time that it occurs.

use super::order::{Item, Name};
use super::pieces::Piece;
use super::registers::{Act, Line};
use super::rotate::Rotated;
use super::values::{Block, Def};
use crate::ir::Var;
use std::collections::{BTreeMap, BTreeSet};

/// Nothing for the reader.
pub fn untitled(acts: impl IntoIterator<Item = Act>) -> Vec<Line> {
    acts.into_iter().map(|act| Line { act, title: String::new() }).collect()
}

/// What is done in a block.
pub struct Lines {
    /// In order.
    pub lines: Vec<Line>,
    /// Each value that is a variable's at the end of a piece, and the variable.
    pub becomes: BTreeMap<Var, Var>,
}

/// A way through a block, piece by piece.
pub struct Walk<'a> {
    block: &'a Block,
    rotated: &'a Rotated,
    carried: &'a [Var],
    /// The address of the constants.
    table: Var,
    /// Each variable's present value.
    now: BTreeMap<Var, usize>,
    /// See [`Lines`].
    pub becomes: BTreeMap<Var, Var>,
    /// The next step.
    pub step: usize,
}

impl<'a> Walk<'a> {
    /// At the beginning; `table` is the address of the constants.
    pub fn new(block: &'a Block, rotated: &'a Rotated, carried: &'a [Var], table: Var) -> Walk<'a> {
        let entry = |(v, def): (usize, &Def)| if let Def::Entry(var) = def { Some((*var, v)) } else { None };
        let now = block.defs.iter().enumerate().filter_map(entry).collect();
        Walk { block, rotated, carried, table, now, becomes: BTreeMap::new(), step: 0 }
    }

    /// The next steps, which are those of this piece.
    pub fn piece(&mut self, piece: &Piece, lines: &mut Vec<Line>) {
        let computed = |block: &Block, step: usize| -> Vec<usize> {
            block.steps[step].values.clone().filter(|v| !matches!(block.defs[*v], Def::Entry(_))).collect()
        };
        let mut value = vec![0; piece.block.defs.len()];
        for (v, def) in piece.block.defs.iter().enumerate() {
            if let Def::Entry(var) = def {
                value[v] = self.now.get(var).copied().unwrap_or_default();
            }
        }
        let mut titles: BTreeMap<usize, &str> = BTreeMap::new();
        for (k, step) in piece.block.steps.iter().enumerate() {
            for (of_piece, v) in computed(&piece.block, k).into_iter().zip(computed(self.block, self.step + k)) {
                value[of_piece] = v;
                titles.insert(v, &step.title);
            }
        }
        let mut said = BTreeSet::new();
        let var = |name: Name| value.get(name as usize).map_or(self.table, |&v| self.rotated.var[v]);
        for item in &piece.items {
            match *item {
                Item::Run(name, _) | Item::Constant(name, _) => {
                    let v = value[name as usize];
                    let title = titles.get(&v).copied().unwrap_or_default();
                    let title = if said.insert(title) { title } else { "" };
                    let start = lines.len();
                    lines.extend(untitled(self.rotated.insts[v].iter().copied().map(Act::Run)));
                    lines[start].title = title.to_owned();
                }
                Item::Load(name) => lines.extend(untitled([Act::Load(var(name))])),
                Item::Save(name) => lines.extend(untitled([Act::Save(var(name))])),
                Item::Store(name, _) => lines.extend(untitled([Act::Store(var(name))])),
            }
        }
        let value_of = |var: &Var| Some((self.rotated.var[value[piece.block.ends.get(var)?.value]], *var));
        self.becomes.extend(self.carried.iter().filter_map(value_of));
        self.now.extend(piece.block.ends.iter().map(|(var, end)| (*var, value[end.value])));
        self.step += piece.block.steps.len();
    }
}
