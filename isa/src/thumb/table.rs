//! All encodings, found by row and by first halfword.

use super::Op;
use super::pattern::Pattern;
use std::ops::Range;
use std::sync::OnceLock;

/// Every encoding of the table, with both indices.
pub(super) struct Table {
    /// In the order of the rows.
    pub(super) patterns: Vec<Pattern>,
    by_op: Vec<Range<usize>>,
    /// Candidates of first halfword h: `candidates[starts[h]..starts[h + 1]]`.
    starts: Vec<u32>,
    candidates: Vec<u16>,
}

impl Table {
    /// The table, built when first asked for.
    pub(super) fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(Table::new)
    }

    fn new() -> Table {
        let mut patterns = Vec::new();
        let mut by_op = Vec::new();
        for &op in Op::ALL {
            let start = patterns.len();
            patterns.extend(op.row().forms.iter().map(|form| Pattern::new(op, form)));
            by_op.push(start..patterns.len());
        }
        let mut pairs: Vec<(u16, u16)> = Vec::new();
        for (i, pattern) in patterns.iter().enumerate() {
            pairs.extend(first_halfwords(pattern).map(|first| (first, i as u16)));
        }
        pairs.sort_unstable();
        let mut starts = vec![0u32; 0x1_0001];
        for &(first, _) in &pairs {
            starts[usize::from(first) + 1] += 1;
        }
        for h in 0..0x1_0000 {
            starts[h + 1] += starts[h];
        }
        Table { patterns, by_op, starts, candidates: pairs.into_iter().map(|(_, i)| i).collect() }
    }

    /// The encodings of a row, the preferred one first.
    pub(super) fn of(&self, op: Op) -> &[Pattern] {
        &self.patterns[self.by_op[op as usize].clone()]
    }

    /// The encodings that an instruction with this first halfword may have.
    pub(super) fn candidates(&self, first: u16) -> impl Iterator<Item = &Pattern> {
        let h = usize::from(first);
        let range = self.starts[h] as usize..self.starts[h + 1] as usize;
        self.candidates[range].iter().map(|&i| &self.patterns[usize::from(i)])
    }
}

/// Every first halfword that fits the pattern: the fixed bits with each subset of the free ones.
fn first_halfwords(pattern: &Pattern) -> impl Iterator<Item = u16> {
    let down = if pattern.length == 4 { 16 } else { 0 };
    let (mask, value) = ((pattern.mask >> down) as u16, (pattern.value >> down) as u16);
    let free = !mask;
    let mut next = Some(0u16);
    std::iter::from_fn(move || {
        let subset = next?;
        let following = (subset | mask).wrapping_add(1) & free;
        next = (following != 0).then_some(following);
        Some(value | subset)
    })
}
