//! Coefficients that are changed one by one, or two at a time.

use super::code::{Constant, Emit, Held, Lanes};
use super::noise;
use crate::compile::V;
use crate::map::Change;
use isa::thumb::{Inst, Op as Row, Shift, ShiftKind};

/// The lowest bit of each half.
const LOWEST: u32 = 0x0001_0001;

/// The constants that stay in registers.
pub fn constants(by: &Change, lanes: Lanes) -> Vec<Constant> {
    match by {
        Change::Noise(_, eta) => noise::constants(*eta, lanes).to_vec(),
        Change::Bits(_, number) => vec![Constant::Number(*number)],
        Change::Minus(_) => Vec::new(),
    }
}

impl Emit<'_> {
    /// See [`Op::Change`](crate::map::Op::Change).
    pub fn changed(&mut self, group: usize, from: &[Held], by: &Change) -> Vec<Held> {
        match by {
            Change::Noise(bits, eta) => {
                let bits = self.held[&(group, *bits)].register();
                self.noise(from, bits, *eta)
            }
            Change::Bits(bits, number) => {
                let bits = self.held[&(group, *bits)].register();
                let number = self.constant(Constant::Number(*number));
                self.with_bits(from, bits, number)
            }
            Change::Minus(others) => {
                let others: Vec<Held> = others.iter().map(|other| self.held[&(group, *other)]).collect();
                self.less(from, &others)
            }
        }
    }

    /// Pairs of coefficients, of which each is computed with a register of two others.
    pub fn pairs(&mut self, row: Row, from: &[Held], others: impl Fn(&mut Self, usize) -> V) -> Vec<Held> {
        let pairs = from.as_chunks().0.iter().enumerate().map(|(pair, [lower, upper])| {
            let other = others(self, pair);
            let old = self.joined(*lower, *upper);
            self.op(row, old, other, V::default())
        });
        pairs.flat_map(|new| [Held::Lower(new), Held::Upper(new)]).collect()
    }

    /// With a number added where a bit is 1.
    fn with_bits(&mut self, from: &[Held], bits: V, number: V) -> Vec<Held> {
        match self.body.lanes {
            Lanes::One => {
                let sum = |(at, from): (u32, &Held)| {
                    let bit = self.bits(Row::Ubfx, bits, at, 1);
                    Held::All(self.op(Row::Mla, bit, number, from.register()))
                };
                (0..).zip(from).map(sum).collect()
            }
            Lanes::Two => self.pairs(Row::Sadd16, from, |emit, pair| {
                let two = if pair == 0 { bits } else { emit.dropped(bits, 2 * pair as u32) };
                let [spread, n] = [emit.fresh(), emit.fresh()];
                // The lower half's second bit comes to the lowest place of the upper half.
                let shift = Shift { kind: ShiftKind::Lsl, amount: 15 };
                emit.push(Inst { d: spread, n: two, m: two, shift, ..Inst::new(Row::Pkhbt) });
                emit.push(Inst { d: n, n: spread, imm: LOWEST.cast_signed(), ..Inst::new(Row::AndImm) });
                emit.op(Row::Mul, n, number, V::default())
            }),
        }
    }

    fn less(&mut self, from: &[Held], others: &[Held]) -> Vec<Held> {
        match self.body.lanes {
            Lanes::One => {
                let both = from.iter().zip(others).map(|(from, other)| [from.register(), other.register()]);
                both.map(|[n, m]| Held::All(self.op(Row::SubReg, n, m, V::default()))).collect()
            }
            Lanes::Two => {
                self.pairs(Row::Ssub16, from, |emit, pair| emit.joined(others[2 * pair], others[2 * pair + 1]))
            }
        }
    }
}
