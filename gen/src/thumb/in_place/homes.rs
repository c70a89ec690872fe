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
        let entries: BTreeMap<usize, Home> =
            (0..).zip(&block.defs).filter_map(|(v, def)| Some((v, entry(def, word)?))).collect();
        one_array(block, in_place, entries.clone()).unwrap_or_else(|| two_arrays(block, in_place, entries))
    }

    /// True if there has to be another array.
    pub fn two(&self) -> bool {
        self.of.values().any(|home| home.array == 1)
    }
}

fn entry(def: &Def, word: &dyn Fn(Var) -> Option<u32>) -> Option<Home> {
    match *def {
        Def::Entry(var) => Some(Home { array: 0, word: word(var)? }),
        _ => None,
    }
}

/// `None` if a word is not where it was at the end.
fn one_array(block: &Block, in_place: InPlace, mut of: BTreeMap<usize, Home>) -> Option<Homes> {
    let word_of: BTreeMap<usize, u32> = block.renewed.iter().map(|r| (r.value, r.word)).collect();
    // Values are made in order, so that the words a step reads have their places when the step is reached.
    let mut column: BTreeMap<usize, u32> = of.iter().map(|(&v, home)| (v, in_place.column(home.word))).collect();
    column.extend(word_of.iter().map(|(&v, &word)| (v, in_place.column(word))));
    for step in &block.steps {
        let read: Vec<usize> =
            block.defs[step.values.clone()].iter().flat_map(Def::operands).map(|o| o.value).collect();
        for v in step.values.clone().filter(|v| word_of.contains_key(v)) {
            let mut old = read.iter().filter(|r| !step.values.contains(r) || matches!(block.defs[**r], Def::Entry(_)));
            let home = *of.get(old.find(|r| column.get(r) == column.get(&v))?)?;
            of.insert(v, home);
        }
    }
    let last: BTreeMap<u32, usize> = block.renewed.iter().map(|r| (r.word, r.value)).collect();
    last.iter().all(|(word, v)| of[v].word == *word).then_some(Homes { of, crossed: false })
}

fn two_arrays(block: &Block, in_place: InPlace, mut of: BTreeMap<usize, Home>) -> Homes {
    let mut array = 0;
    for round in block.renewed.chunks(in_place.words as usize) {
        array ^= 1;
        of.extend(round.iter().map(|r| (r.value, Home { array, word: r.word })));
    }
    Homes { of, crossed: array == 1 }
}
