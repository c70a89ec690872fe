//! Noise of the centred binomial distribution: all bits of a word are counted at once.
//!
//! The bits of a coefficient are two fields, the first of which counts for it and the second against it. With as many ones as there were in place of
//! each field, the second is subtracted from the first: in bytes, or in numbers of three bits and a sign, above which there is always room for a borrow.

use super::code::{Constant, Emit, Held, Lanes, UPPER};
use crate::compile::V;
use isa::thumb::{Inst, Op as Row, Shift, ShiftKind};

/// A word with this in every so many of its lowest `bits` bits.
const fn repeated(field: u32, every: u32, bits: u32) -> u32 {
    let (mut word, mut at) = (0, 0);
    while at < bits {
        word |= field << at;
        at += every;
    }
    word
}

/// The lowest bit of each field of two bits.
const LOWEST_OF_2: u32 = repeated(1, 2, 32);
/// The lowest field of each byte.
const FIRST_OF_BYTE: u32 = repeated(3, 8, 32);
/// The first field of each coefficient.
const FIRST_OF_2: u32 = repeated(3, 4, 32);
/// What no difference of such fields makes negative, and nothing that their lowest three bits would show.
const ABOVE_2: u32 = repeated(8, 4, 32);
/// The lowest bit of each field of three bits, for four coefficients.
const LOWEST_OF_3: u32 = repeated(1, 3, 24);
/// The same as [`ABOVE_2`] for fields of three bits: it is in the second ones.
const ABOVE_3: u32 = repeated(4 << 3, 6, 24);
/// Bits of a difference.
const DIFFERENCE: u32 = 3;

/// The constants that stay in registers.
pub fn constants(eta: u32, lanes: Lanes) -> &'static [Constant] {
    match (eta, lanes) {
        (2, Lanes::One) => &[Constant::Word(LOWEST_OF_2)],
        (2, Lanes::Two) => &[Constant::Word(LOWEST_OF_2), Constant::Word(FIRST_OF_BYTE)],
        _ => &[Constant::Word(LOWEST_OF_3), Constant::Word(ABOVE_3)],
    }
}

impl Emit<'_> {
    /// See [`Change::Noise`](crate::map::Change::Noise).
    pub fn noise(&mut self, from: &[Held], bits: V, eta: u32) -> Vec<Held> {
        if eta == 2 && self.body.lanes == Lanes::Two {
            return self.noise_of_bytes(from, bits);
        }
        let (differences, every) =
            if eta == 2 { (self.differences_of_2(bits), 4) } else { (self.differences_of_3(bits), 6) };
        let difference = |emit: &mut Self, k: usize| emit.bits(Row::Sbfx, differences, (k * every) as u32, DIFFERENCE);
        match self.body.lanes {
            Lanes::One => {
                let sum = |(k, from): (usize, &Held)| {
                    let difference = difference(self, k);
                    Held::All(self.op(Row::AddReg, from.register(), difference, V::default()))
                };
                from.iter().enumerate().map(sum).collect()
            }
            Lanes::Two => self.pairs(Row::Sadd16, from, |emit, pair| {
                let [first, second] = [0, 1].map(|k| Held::All(difference(emit, 2 * pair + k)));
                emit.joined(first, second)
            }),
        }
    }

    fn lower(&mut self, row: Row, n: V, m: V, by: u32) -> V {
        let shift = if by == 0 { Shift::NONE } else { Shift { kind: ShiftKind::Lsr, amount: by as u8 } };
        let d = self.fresh();
        self.push(Inst { d, n, m, shift, ..Inst::new(row) })
    }

    fn imm(&mut self, row: Row, n: V, number: u32) -> V {
        let d = self.fresh();
        self.push(Inst { d, n, imm: number.cast_signed(), ..Inst::new(row) })
    }

    /// How many ones there are in each field of two bits: the field less its upper bit.
    fn ones_of_2(&mut self, bits: V) -> V {
        let upper = self.lower(Row::AndReg, self.constant(Constant::Word(LOWEST_OF_2)), bits, 1);
        self.op(Row::SubReg, bits, upper, V::default())
    }

    /// Eight differences, every four bits.
    fn differences_of_2(&mut self, bits: V) -> V {
        let ones = self.ones_of_2(bits);
        let first = self.imm(Row::AndImm, ones, FIRST_OF_2);
        let second = self.op(Row::EorReg, ones, first, V::default());
        let above = self.imm(Row::AddImm, first, ABOVE_2);
        self.lower(Row::SubReg, above, second, 2)
    }

    /// Four differences, every six bits.
    fn differences_of_3(&mut self, bits: V) -> V {
        let [lowest, above] = [LOWEST_OF_3, ABOVE_3].map(|word| self.constant(Constant::Word(word)));
        let [a, b, c] = [0, 1, 2].map(|by| self.lower(Row::AndReg, lowest, bits, by));
        let two = self.op(Row::AddReg, a, b, V::default());
        let ones = self.op(Row::AddReg, two, c, V::default());
        let raised = self.op(Row::AddReg, ones, above, V::default());
        self.lower(Row::SubReg, raised, ones, 3)
    }

    /// Eight coefficients with noise of two bits: differences in bytes, which are extended and added two at a time.
    fn noise_of_bytes(&mut self, from: &[Held], bits: V) -> Vec<Held> {
        let ones = self.ones_of_2(bits);
        let fields = self.constant(Constant::Word(FIRST_OF_BYTE));
        let [even, odd] = [0, 4].map(|by| {
            let [first, second] = [by, by + 2].map(|by| self.lower(Row::AndReg, fields, ones, by));
            self.op(Row::Ssub8, first, second, V::default())
        });
        // Coefficients 0, 2, 1, 3, and 4, 6, 5, 7.
        let [lower, upper] = [self.fresh(), self.fresh()];
        let shift = Shift { kind: ShiftKind::Lsl, amount: 16 };
        self.push(Inst { d: lower, n: even, m: odd, shift, ..Inst::new(Row::Pkhbt) });
        self.push(Inst { d: upper, n: odd, m: even, shift: UPPER, ..Inst::new(Row::Pkhtb) });
        let extended = [(lower, Shift::NONE), (lower, Shift::ror(8)), (upper, Shift::NONE), (upper, Shift::ror(8))];
        from.as_chunks()
            .0
            .iter()
            .zip(extended)
            .flat_map(|([low, high], (m, shift))| {
                let n = self.joined(*low, *high);
                let d = self.fresh();
                self.push(Inst { d, n, m, shift, ..Inst::new(Row::Sxtab16) });
                [Held::Lower(d), Held::Upper(d)]
            })
            .collect()
    }
}
