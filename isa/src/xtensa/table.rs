//! All encodings, found by row and by word.

use super::{Op, Pattern};
use std::sync::OnceLock;

/// Bits of a word by which it is looked up: the lowest four, and the highest eight of 24 or 32.
const KEYS: usize = 1 << 12;

/// Every encoding of the table, with an index.
pub(super) struct Table {
    /// In the order of the rows.
    pub(super) patterns: Vec<Pattern>,
    /// The encodings that a word with each key may have.
    candidates: Vec<Vec<u16>>,
}

fn key(word: u32, length: u32) -> usize {
    let highest = if length == 4 { word >> 24 } else { word >> 16 & 0xff };
    (word & 15 | highest << 4) as usize
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
        let fits = |k: usize, pattern: &Pattern| {
            (k ^ key(pattern.value, pattern.length)) & key(pattern.mask, pattern.length) == 0
        };
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

    /// The encodings of this length in bytes that this word matches.
    pub(super) fn matching(&self, word: u32, length: u32) -> impl Iterator<Item = &Pattern> {
        let candidates = self.candidates[key(word, length)].iter().map(|&i| &self.patterns[usize::from(i)]);
        candidates.filter(move |pattern| pattern.length == length && pattern.matches(word))
    }
}

#[cfg(test)]
mod tests {
    use super::super::codec::REGISTERS;
    use super::super::decode::decode_as;
    use super::super::random::Rng;
    use super::super::syntax::{Keyword, Syntax, Token};
    use super::super::{Class, Field, Rule, length};
    use super::*;

    /// What is wrong with one row by itself.
    fn faults(pattern: &Pattern, text: &'static str, syntax: &Syntax) -> Vec<&'static str> {
        let bits = text.bytes().filter(u8::is_ascii_alphanumeric).count() as u32;
        let mut letters = text.bytes().filter(u8::is_ascii_alphabetic);
        let operand = |field: Field, letter: u8| {
            let is = |token: &Token| {
                matches!(*token, Token::Register(f, class, _)
                if f == field && (class == Class::Mac && field != Field::W) == b"mn".contains(&letter))
            };
            syntax.tokens.iter().any(is)
        };
        let keyword = |wanted: fn(&Keyword) -> bool| {
            syntax.tokens.iter().filter(|token| matches!(token, Token::Keyword(keyword) if wanted(keyword))).count()
        };
        let imms = keyword(|&keyword| keyword != Keyword::Imm2 && keyword != Keyword::Imm3);
        let has = |field: Field| pattern.has(b"rstwxyz"[field as usize]);
        let upper = |letter: u8| pattern.has(letter.to_ascii_uppercase()) <= pattern.has(letter);
        let rule_without_bits = pattern.rules.iter().any(|&rule| match rule {
            Rule::Group(field, _) | Rule::Under(field, _) => !has(field),
            Rule::Apart(one, other) => !has(one) || !has(other),
            Rule::PlusOne | Rule::Constant | Rule::ConstantUnsigned | Rule::FieldInWord => !pattern.has(b'k'),
            Rule::Special(_) => keyword(|&keyword| keyword == Keyword::Special) == 0,
            Rule::User => keyword(|&keyword| keyword == Keyword::User) == 0,
            _ => !pattern.has(b'i'),
        });
        let checks = [
            (
                bits == 8 * length(pattern.value as u8) && (pattern.mask | u32::from(bits == 32)) & 15 == 15,
                "wrong length",
            ),
            (letters.all(|letter| b"rstwxyzRSTWXYZmnijklc".contains(&letter)), "unknown letter"),
            (!syntax.tokens.iter().any(|token| matches!(token, Token::Unknown(_))), "unknown operand"),
            (
                REGISTERS.iter().all(|&(letter, field, _)| operand(field, letter) == pattern.has(letter)),
                "registers differ from the syntax",
            ),
            (imms == usize::from(pattern.has(b'i')), "immediate differs from the syntax"),
            (keyword(|&k| k == Keyword::Imm2) == usize::from(pattern.has(b'k')), "imm2 differs from the syntax"),
            (keyword(|&k| k == Keyword::Imm3) == usize::from(pattern.has(b'c')), "imm3 differs from the syntax"),
            (pattern.has(b'j') <= pattern.has(b'i') && pattern.has(b'l') <= pattern.has(b'k'), "upper bits alone"),
            (b"rstwxyz".iter().all(|&letter| upper(letter)), "upper bits alone"),
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
            let reached = (0..100_000).any(|_| decode_as(pattern, pattern.value | rng.bits() & pattern.free()).is_ok());
            assert!(reached, "{:?}: no legal instruction", pattern.op);
        }
    }

    #[test]
    fn planted_faults_are_found() {
        let cases: [(&str, &str, &'static [Rule], &str); 13] = [
            ("1000 0000 rrrr ssss ttt 0000", "=ar, as, at", &[], "wrong length"),
            ("1000 0000 rrrr ssss tttt 1000", "=ar, as, at", &[], "wrong length"),
            ("1000 qqqq rrrr ssss tttt 0000", "=ar, as, at", &[], "unknown letter"),
            ("1000 0000 rrrr ssss tttt 0000", "=ar, as, av", &[], "unknown operand"),
            ("1000 0000 rrrr ssss tttt 0000", "=ar, as", &[], "registers differ from the syntax"),
            ("0110 0100 0r00 0000 tttt 0100", "mx, at", &[], "registers differ from the syntax"),
            ("0110 0100 0m00 0000 tttt 0100", "qx, at", &[], "registers differ from the syntax"),
            (
                "1110 0000 rrrr ssss tttt 0000 0000 1110",
                "=ar, as, at",
                &[Rule::Apart(Field::R, Field::X)],
                "a rule about nothing",
            ),
            ("1110 0000 rrrr ssss tttt 0000 0000 1100", "=ar, as, at", &[], "wrong length"),
            ("1000 00RR 00rr ssss 00TT 0000", "=ar, as, at", &[], "upper bits alone"),
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
