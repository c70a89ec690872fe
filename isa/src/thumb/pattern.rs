//! Bit patterns of the table, parsed once: fixed bits, and where each letter's number lies.

use super::Op;
use super::rows::{Form, Rule};

/// The number of each letter, indexed by [`slot`].
pub(super) type Numbers = [u32; 64];

/// Where a letter's number is kept in [`Numbers`].
pub(super) const fn slot(letter: u8) -> usize {
    (letter & 63) as usize
}

/// A run of bits that belongs to one letter.
#[derive(Clone, Copy, Debug)]
struct Run {
    slot: u8,
    shift: u8,
    width: u8,
}

/// A parsed encoding.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) op: Op,
    pub(super) rules: &'static [Rule],
    /// 2 or 4 bytes.
    pub(super) length: u32,
    /// Bits that are fixed; a 32-bit instruction has its first halfword on top.
    pub(super) mask: u32,
    /// Their values.
    pub(super) value: u32,
    runs: Vec<Run>,
    widths: [u8; 64],
}

impl Pattern {
    /// Parses a row's pattern; characters other than `0`, `1` and letters separate.
    pub(super) fn new(op: Op, form: &'static Form) -> Pattern {
        let bits: Vec<u8> = form.pattern.bytes().filter(u8::is_ascii_alphanumeric).collect();
        let mut pattern = Pattern {
            op,
            rules: form.rules,
            length: if bits.len() > 16 { 4 } else { 2 },
            mask: 0,
            value: 0,
            runs: Vec::new(),
            widths: [0; 64],
        };
        for (i, &c) in bits.iter().enumerate() {
            let shift = (bits.len() - 1 - i) as u8;
            match c {
                b'0' | b'1' => {
                    pattern.mask |= 1 << shift;
                    pattern.value |= u32::from(c == b'1') << shift;
                }
                letter => pattern.add_bit(letter, shift),
            }
        }
        pattern
    }

    fn add_bit(&mut self, letter: u8, shift: u8) {
        let slot = slot(letter);
        self.widths[slot] += 1;
        match self.runs.last_mut() {
            Some(run) if run.slot == slot as u8 && run.shift == shift + 1 => {
                run.shift = shift;
                run.width += 1;
            }
            _ => self.runs.push(Run { slot: slot as u8, shift, width: 1 }),
        }
    }

    /// How many bits the letter has; 0 if it is not in the pattern.
    pub(super) fn width(&self, letter: u8) -> u32 {
        u32::from(self.widths[slot(letter)])
    }

    /// True if the letter is in the pattern.
    pub(super) fn has(&self, letter: u8) -> bool {
        self.width(letter) != 0
    }

    /// True if the fixed bits are there.
    pub(super) fn matches(&self, word: u32) -> bool {
        word & self.mask == self.value
    }

    /// The numbers of all letters in `word`.
    pub(super) fn gather(&self, word: u32) -> Numbers {
        let mut numbers = [0; 64];
        for run in &self.runs {
            let bits = word >> run.shift & ((1 << run.width) - 1);
            let number = &mut numbers[run.slot as usize];
            *number = *number << run.width | bits;
        }
        numbers
    }

    /// The instruction with these numbers; what does not fit a letter's bits is lost.
    pub(super) fn scatter(&self, mut numbers: Numbers) -> u32 {
        self.runs.iter().rev().fold(self.value, |word, run| {
            let number = &mut numbers[run.slot as usize];
            let bits = *number & ((1 << run.width) - 1);
            *number >>= run.width;
            word | bits << run.shift
        })
    }

    /// True if the rule is among this encoding's.
    pub(super) fn rule(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }
}
