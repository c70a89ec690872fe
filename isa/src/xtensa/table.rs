//! All encodings, found by row and by word.

use super::{Op, Pattern};
use std::sync::OnceLock;

/// Bits of a word by which it is looked up: the lowest four, and the highest eight of 24.
const KEYS: usize = 1 << 12;

/// Every encoding of the table, with an index.
pub(super) struct Table {
    /// In the order of the rows.
    pub(super) patterns: Vec<Pattern>,
    /// The encodings that a word with each key may have.
    candidates: Vec<Vec<u16>>,
}

fn key(word: u32) -> usize {
    (word & 15 | word >> 12 & 0xff0) as usize
}

impl Table {
    /// The table, built when first asked for.
    pub(super) fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(Table::new)
    }

    fn new() -> Table {
        let new = |&op: &Op| Pattern::new(op, op.row().pattern, op.row().rules);
        let patterns: Vec<Pattern> = Op::ALL.iter().map(new).collect();
        let fits = |k: usize, pattern: &Pattern| (k ^ key(pattern.value)) & key(pattern.mask) == 0;
        let of_key = |k| {
            let all = patterns.iter().enumerate();
            all.filter(|(_, pattern)| fits(k, pattern)).map(|(i, _)| i as u16).collect()
        };
        let candidates = (0..KEYS).map(of_key).collect();
        Table { patterns, candidates }
    }

    /// The encoding of a row.
    pub(super) fn of(&self, op: Op) -> &Pattern {
        &self.patterns[op as usize]
    }

    /// The encodings that this word matches.
    pub(super) fn matching(&self, word: u32) -> impl Iterator<Item = &Pattern> {
        let candidates = self.candidates[key(word)].iter().map(|&i| &self.patterns[usize::from(i)]);
        candidates.filter(move |pattern| pattern.matches(word))
    }
}
