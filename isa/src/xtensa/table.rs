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

#[cfg(test)]
mod tests {
    use super::super::decode::decode_as;
    use super::super::random::Rng;
    use super::super::syntax::{Keyword, Syntax, Token};
    use super::super::{Class, Field, Rule, length};
    use super::*;

    /// What is wrong with one row by itself.
    fn faults(pattern: &Pattern, text: &'static str, syntax: &Syntax) -> Vec<&'static str> {
        let bits = text.bytes().filter(u8::is_ascii_alphanumeric).count() as u32;
        let mut letters = text.bytes().filter(u8::is_ascii_alphabetic);
        let mac = |letter| letter == b'w' || letter == b'x' || letter == b'y';
        let operand = |field: Field, letter: u8| {
            let is = |token: &Token| {
                matches!(*token, Token::Register(f, class, _)
                if f == field && (class == Class::Mac) == mac(letter))
            };
            syntax.tokens.iter().any(is)
        };
        let fields = [(Field::R, b'r'), (Field::R, b'x'), (Field::S, b's'), (Field::T, b't'), (Field::T, b'y')];
        let mut fields = fields.into_iter().chain([(Field::W, b'w')]);
        let keyword = |wanted: fn(&Keyword) -> bool| {
            syntax.tokens.iter().filter(|token| matches!(token, Token::Keyword(keyword) if wanted(keyword))).count()
        };
        let imms = keyword(|&keyword| keyword != Keyword::Imm2);
        let rule_without_bits = pattern.rules.iter().any(|&rule| match rule {
            Rule::Group(field, _) | Rule::Under(field, _) => !pattern.has(b"rstw"[field as usize]),
            Rule::PlusOne | Rule::Constant | Rule::ConstantUnsigned | Rule::FieldInWord => !pattern.has(b'k'),
            Rule::Special(_) => keyword(|&keyword| keyword == Keyword::Special) == 0,
            Rule::User => keyword(|&keyword| keyword == Keyword::User) == 0,
            _ => !pattern.has(b'i'),
        });
        let checks = [
            (bits == 8 * length(pattern.value as u8) && pattern.mask & 15 == 15, "wrong length"),
            (letters.all(|letter| b"rstwxyijkl".contains(&letter)), "unknown letter"),
            (!syntax.tokens.iter().any(|token| matches!(token, Token::Unknown(_))), "unknown operand"),
            (fields.all(|(f, letter)| operand(f, letter) == pattern.has(letter)), "registers differ from the syntax"),
            (imms == usize::from(pattern.has(b'i')), "immediate differs from the syntax"),
            (keyword(|&k| k == Keyword::Imm2) == usize::from(pattern.has(b'k')), "imm2 differs from the syntax"),
            (pattern.has(b'j') <= pattern.has(b'i') && pattern.has(b'l') <= pattern.has(b'k'), "upper bits alone"),
            (!rule_without_bits, "a rule about nothing"),
        ];
        checks.into_iter().filter(|check| !check.0).map(|check| check.1).collect()
    }

    /// Rows that share a word.
    fn overlaps(patterns: &[Pattern]) -> Vec<(Op, Op)> {
        let overlap = |p: &Pattern, q: &Pattern| p.length == q.length && (p.value ^ q.value) & p.mask & q.mask == 0;
        let before = |i: usize| patterns[..i].iter().filter(move |q| overlap(&patterns[i], q));
        (0..patterns.len()).flat_map(|i| before(i).map(move |q| (q.op, patterns[i].op))).collect()
    }

    #[test]
    fn every_row_is_well_formed() {
        for pattern in &Table::get().patterns {
            let faults = faults(pattern, pattern.op.row().pattern, Syntax::of(pattern.op));
            assert!(faults.is_empty(), "{:?}: {faults:?}", pattern.op);
        }
    }

    #[test]
    fn no_two_rows_overlap() {
        assert_eq!(overlaps(&Table::get().patterns), []);
    }

    #[test]
    fn every_row_is_reached() {
        let mut rng = Rng::new(5);
        for pattern in &Table::get().patterns {
            let free = !pattern.mask & ((1 << (8 * pattern.length)) - 1);
            let reached = (0..100_000).any(|_| decode_as(pattern, pattern.value | rng.bits() & free).is_ok());
            assert!(reached, "{:?}: no legal instruction", pattern.op);
        }
    }

    #[test]
    fn planted_faults_are_found() {
        let cases: [(&str, &str, &'static [Rule], &str); 9] = [
            ("1000 0000 rrrr ssss ttt 0000", "=ar, as, at", &[], "wrong length"),
            ("1000 0000 rrrr ssss tttt 1000", "=ar, as, at", &[], "wrong length"),
            ("1000 qqqq rrrr ssss tttt 0000", "=ar, as, at", &[], "unknown letter"),
            ("1000 0000 rrrr ssss tttt 0000", "=ar, as, az", &[], "unknown operand"),
            ("1000 0000 rrrr ssss tttt 0000", "=ar, as", &[], "registers differ from the syntax"),
            ("0110 0100 0r00 0000 tttt 0100", "mx, at", &[], "registers differ from the syntax"),
            ("iiiiiiii 1100 ssss tttt 0010", "=at, as", &[], "immediate differs from the syntax"),
            ("kkkk 0100 rrrr jjjj tttt 0000", "=ar, at, imm2", &[], "upper bits alone"),
            ("1000 0000 rrrr ssss tttt 0000", "=ar, as, at", &[Rule::Signed], "a rule about nothing"),
        ];
        for (text, syntax, rules, fault) in cases {
            let found = faults(&Pattern::new(Op::Add, text, rules), text, &Syntax::parse(syntax));
            assert!(found.contains(&fault), "{text} {syntax}: {found:?}");
        }
        // NEG's pattern without its fixed field takes ABS too.
        let wrong = Pattern::new(Op::Neg, "0110 0000 rrrr ssss tttt 0000", &[]);
        let right = Pattern::new(Op::Abs, Op::Abs.row().pattern, &[]);
        assert_eq!(overlaps(&[wrong, right]), [(Op::Neg, Op::Abs)]);
    }
}
