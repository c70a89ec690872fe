//! All encodings, found by row and by first halfword.

use super::{Op, Pattern};
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
            patterns.extend(op.row().forms.iter().map(|form| Pattern::new(op, form.pattern, form.rules)));
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

#[cfg(test)]
mod tests {
    use super::super::SetsWhen;
    use super::super::decode::decode_as;
    use super::super::random::Rng;
    use super::super::rows::{Form, Rule};
    use super::super::syntax::Syntax;
    use super::*;

    /// What is wrong with one encoding by itself.
    fn faults(pattern: &Pattern, form: &Form) -> Vec<&'static str> {
        let bits = form.pattern.bytes().filter(u8::is_ascii_alphanumeric).count();
        let wide_prefix = pattern.mask >> 27 == 0x1f && pattern.value >> 27 >= 0b11101;
        let narrow_prefix = pattern.mask >> 13 & 7 == 7 && pattern.value >> 13 == 7;
        let mut letters = form.pattern.bytes().filter(u8::is_ascii_alphabetic);
        let operand = |letter: u8| {
            let field = b"dnma".iter().position(|&c| c == letter);
            Syntax::of(pattern.op).operands().any(|(f, _, _)| Some(f as usize) == field)
        };
        let fixed = |letter: u8| {
            let field = |f| b"dnma".get(f as usize) == Some(&letter);
            form.rules.iter().any(|rule| matches!(rule, Rule::Same(f, _) | Rule::Is(f, _) if field(*f)))
        };
        let given = |letter: u8| pattern.has(letter) || fixed(letter);
        let checks = [
            (bits == 16 || bits == 32, "neither 16 nor 32 bits"),
            (if bits == 32 { wide_prefix } else { !narrow_prefix || pattern.value >> 11 == 0b11100 }, "wrong length"),
            (letters.all(|c| b"dnmaDNMeijkwUWPSchtrlLCgfFvpoxyzqX".contains(&c)), "unknown letter"),
            (b"dnma".iter().all(|&c| operand(c) == given(c)), "operands differ from the syntax"),
            (pattern.has(b'S') <= (pattern.op.row().flags.when == SetsWhen::Suffix), "S bit without flags"),
        ];
        checks.into_iter().filter(|check| !check.0).map(|check| check.1).collect()
    }

    /// Words that two encodings both take for legal instructions.
    fn overlaps(patterns: &[Pattern], rng: &mut Rng) -> Vec<(Op, Op, u32)> {
        let mut found = Vec::new();
        for (i, p) in patterns.iter().enumerate() {
            for q in patterns[..i].iter().filter(|q| q.length == p.length) {
                if (p.value ^ q.value) & p.mask & q.mask != 0 {
                    continue;
                }
                let legal = |word: u32, it: u8| decode_as(p, word, it).is_ok() && decode_as(q, word, it).is_ok();
                let words = (0..200).map(|_| p.value | q.value | rng.bits() & !(p.mask | q.mask));
                let words: Vec<u32> = words.map(|w| if p.length == 4 { w } else { w & 0xffff }).collect();
                let both = words.into_iter().find(|&word| [0, 0x18].iter().any(|&it| legal(word, it)));
                found.extend(both.map(|word| (q.op, p.op, word)));
            }
        }
        found
    }

    #[test]
    fn every_encoding_is_well_formed() {
        for &op in Op::ALL {
            let patterns = Table::get().of(op);
            for (pattern, form) in patterns.iter().zip(op.row().forms) {
                let faults = faults(pattern, form);
                assert!(faults.is_empty(), "{op:?} {}: {faults:?}", form.name);
            }
            let lengths: Vec<u32> = patterns.iter().map(|pattern| pattern.length).collect();
            assert!(lengths.is_sorted(), "{op:?}: a 16-bit encoding after a 32-bit one");
        }
    }

    #[test]
    fn no_two_encodings_overlap() {
        assert_eq!(overlaps(&Table::get().patterns, &mut Rng::new(4)), []);
    }

    #[test]
    fn every_encoding_is_reached() {
        let mut rng = Rng::new(5);
        for pattern in &Table::get().patterns {
            let free = !pattern.mask & if pattern.length == 4 { u32::MAX } else { 0xffff };
            let reached = (0..100_000).any(|_| decode_as(pattern, pattern.value | rng.bits() & free, 0).is_ok());
            assert!(reached, "{:?}: no legal instruction with {:08x}/{:08x}", pattern.op, pattern.value, pattern.mask);
        }
    }

    #[test]
    fn planted_faults_are_found() {
        let form = |pattern| Form { name: "T1", pattern, rules: &[] };
        let check = |pattern: &'static str, fault: &str| {
            let form: &'static Form = Box::leak(Box::new(form(pattern)));
            let found = faults(&Pattern::new(Op::AndReg, form.pattern, form.rules), form);
            assert!(found.contains(&fault), "{pattern}: {found:?}");
        };
        check("010000 0000 mmm dd", "neither 16 nor 32 bits");
        check("11101 00000 mmm ddd", "wrong length");
        check("010000 0000 mmm ddb", "unknown letter");
        check("010000 0000 mmm ddd", "operands differ from the syntax");
        check("0100 aaa nnn mmm ddd", "operands differ from the syntax");
        // MVN's pattern with ORR's operation.
        let wrong: &'static Form = Box::leak(Box::new(form("010000 1100 mmm ddd")));
        let right = &Op::OrrReg.row().forms[0];
        let new = |op, form: &'static Form| Pattern::new(op, form.pattern, form.rules);
        let patterns = [new(Op::MvnReg, wrong), new(Op::OrrReg, right)];
        assert!(!overlaps(&patterns, &mut Rng::new(6)).is_empty());
    }
}
