//! Where the words of the array are while it is worked on.
//!
//! A step that reads a word of each column and computes one of each column puts the new ones where the old ones were. Which word is where
//! then changes from repetition to repetition; if after all repetitions of a block every word is where it was, one array is enough.
//! Otherwise there are two, and each repetition goes from one to the other.

use super::values::{Block, Def};
use crate::ir::{InPlace, Var};
use std::collections::BTreeMap;

/// A place for a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Home {
    /// 0: where words are at first; 1: the other array.
    pub array: usize,
    /// Number of the word there.
    pub word: u32,
}

/// The places of all values of a block that are words of the array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Homes {
    /// By value.
    pub of: BTreeMap<usize, Home>,
    /// True if the words are in the other array at the end.
    pub crossed: bool,
}

impl Homes {
    /// Places for the words of a block: one array if that will do.
    pub fn new(block: &Block, in_place: InPlace, word: &dyn Fn(Var) -> Option<u32>) -> Homes {
        let entries = entries(block, word);
        one_array(block, in_place, entries.clone()).unwrap_or_else(|| two_arrays(block, in_place, entries))
    }

    /// True if there has to be another array.
    pub fn two(&self) -> bool {
        self.of.values().any(|home| home.array == 1)
    }
}

/// The places of the words that there are at first.
pub fn entries(block: &Block, word: &dyn Fn(Var) -> Option<u32>) -> BTreeMap<usize, Home> {
    (0..).zip(&block.defs).filter_map(|(v, def)| Some((v, entry(def, word)?))).collect()
}

fn entry(def: &Def, word: &dyn Fn(Var) -> Option<u32>) -> Option<Home> {
    match *def {
        Def::Entry(var) => Some(Home { array: 0, word: word(var)? }),
        _ => None,
    }
}

/// `None` if a word is not where it was at the end.
fn one_array(block: &Block, in_place: InPlace, mut of: BTreeMap<usize, Home>) -> Option<Homes> {
    // Values are made in order, so that the words a step reads have their places when the step is reached.
    for (v, old) in replaced(block, in_place, &of) {
        let home = *of.get(&old?)?;
        of.insert(v, home);
    }
    let last: BTreeMap<u32, usize> = block.renewed.iter().map(|r| (r.word, r.value)).collect();
    last.iter().all(|(word, v)| of[v].word == *word).then_some(Homes { of, crossed: false })
}

/// The new words of a block, in order, each with the one whose place it can take: that of its column which its step reads.
pub fn replaced(block: &Block, in_place: InPlace, of: &BTreeMap<usize, Home>) -> Vec<(usize, Option<usize>)> {
    let mut column: BTreeMap<usize, u32> = of.iter().map(|(&v, home)| (v, in_place.column(home.word))).collect();
    column.extend(block.renewed.iter().map(|r| (r.value, in_place.column(r.word))));
    let mut pairs = Vec::new();
    for step in &block.steps {
        let read = || block.defs[step.values.clone()].iter().flat_map(Def::operands).map(|o| o.value);
        for v in step.values.clone().filter(|v| block.renewed.iter().any(|r| r.value == *v)) {
            let mut old = read().filter(|r| !step.values.contains(r) || matches!(block.defs[*r], Def::Entry(_)));
            pairs.push((v, old.find(|r| column.get(r) == column.get(&v))));
        }
    }
    pairs
}

fn two_arrays(block: &Block, in_place: InPlace, mut of: BTreeMap<usize, Home>) -> Homes {
    let mut array = 0;
    for round in block.renewed.chunks(in_place.words as usize) {
        array ^= 1;
        of.extend(round.iter().map(|r| (r.value, Home { array, word: r.word })));
    }
    Homes { of, crossed: array == 1 }
}
