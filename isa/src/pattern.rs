//! Bit patterns of a table's rows, parsed once: fixed bits, and where each letter's number lies.

/// The number of each letter, indexed by [`slot`].
pub(crate) type Numbers = [u32; 64];

/// Where a letter's number is kept in [`Numbers`].
pub(crate) const fn slot(letter: u8) -> usize {
    (letter & 63) as usize
}

/// A run of bits that belongs to one letter.
#[derive(Clone, Copy, Debug)]
struct Run {
    slot: u8,
    shift: u8,
    width: u8,
}

/// A parsed encoding of row `O`, with rules `R` about what its bits do not say.
#[derive(Debug)]
pub(crate) struct Pattern<O, R: 'static> {
    pub(crate) op: O,
    pub(crate) rules: &'static [R],
    /// Bytes: 2 to 4.
    pub(crate) length: u32,
    /// Bits that are fixed, in the order of the pattern.
    pub(crate) mask: u32,
    /// Their values.
    pub(crate) value: u32,
    runs: Vec<Run>,
    widths: [u8; 64],
}

impl<O, R: PartialEq> Pattern<O, R> {
    /// Parses a row's pattern, most significant bit first; characters other than `0`, `1` and letters separate.
    pub(crate) fn new(op: O, pattern: &str, rules: &'static [R]) -> Self {
        let bits: Vec<u8> = pattern.bytes().filter(u8::is_ascii_alphanumeric).collect();
        let mut pattern = Pattern {
            op,
            rules,
            length: bits.len().div_ceil(8) as u32,
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
    pub(crate) fn width(&self, letter: u8) -> u32 {
        u32::from(self.widths[slot(letter)])
    }

    /// True if the letter is in the pattern.
    pub(crate) fn has(&self, letter: u8) -> bool {
        self.width(letter) != 0
    }

    /// True if the fixed bits are there.
    pub(crate) fn matches(&self, word: u32) -> bool {
        word & self.mask == self.value
    }

    /// The numbers of all letters in `word`.
    pub(crate) fn gather(&self, word: u32) -> Numbers {
        let mut numbers = [0; 64];
        for run in &self.runs {
            let bits = word >> run.shift & ((1 << run.width) - 1);
            let number = &mut numbers[run.slot as usize];
            *number = *number << run.width | bits;
        }
        numbers
    }

    /// The instruction with these numbers; what does not fit a letter's bits is lost.
    pub(crate) fn scatter(&self, mut numbers: Numbers) -> u32 {
        self.runs.iter().rev().fold(self.value, |word, run| {
            let number = &mut numbers[run.slot as usize];
            let bits = *number & ((1 << run.width) - 1);
            *number >>= run.width;
            word | bits << run.shift
        })
    }

    /// The bits that are not fixed.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn free(&self) -> u32 {
        !self.mask & u32::MAX >> (32 - 8 * self.length)
    }

    /// True if the rule is among this encoding's.
    pub(crate) fn rule(&self, rule: R) -> bool {
        self.rules.contains(&rule)
    }
}
