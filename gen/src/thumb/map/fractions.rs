//! What part of the modulus a coefficient is: a multiplication by a constant, of whose 48 bits the upper 32 are kept.
//!
//! For W = 2^42/q, rounded, (x·W) >> 16 is 2^26·x/q, by at most 1/4 too large or too small for the rounding of W, and by less than 1 too small for what
//! is cut off. The lowest 26 bits are the fraction. Rounded to D bits it is right if no x/q is nearer to the middle between two of them than that:
//! it is at least 2^(26-D)/2q away, since x·2^D/q cannot be the middle itself for an odd q. Multiplied by q, the fraction is x modulo q
//! if something is added that makes it too large, and by less than 1/q.

use super::code::{Constant, Emit, Held};
use crate::compile::V;
use isa::thumb::{Inst, Op as Row, Shift, ShiftKind};

/// Bits of a fraction.
const BITS: u32 = 26;

/// W.
pub fn factor(modulus: u32) -> u32 {
    (((1u64 << (BITS + 16)) + u64::from(modulus / 2)) / u64::from(modulus)) as u32
}

/// What is added to a fraction that is rounded to so many bits; for 0 bits what makes it too large.
pub fn half(bits: u32) -> u32 {
    if bits == 0 { 2 } else { 1 << (BITS - bits - 1) }
}

/// What numbers of so many bits are multiplied by, and what is added, so that the upper half of the sum is the number decompressed.
pub fn expanding(modulus: u32, bits: u32) -> [u32; 2] {
    [modulus << (16 - bits), 1 << 15]
}

/// True if W is positive, and errors of 5/4 neither reach the middle between two values of so many bits nor, for 0 bits, the next coefficient.
pub fn fits(modulus: u32, bits: u32) -> bool {
    let positive = factor(modulus) <= i32::MAX as u32;
    positive
        && modulus % 2 == 1
        && if bits == 0 { 4 * modulus < 1 << BITS } else { 5 * 2 * modulus < 4 << BITS >> bits }
}

impl Emit<'_> {
    /// The fraction of a coefficient, and above it what counts for nothing.
    fn fraction(&mut self, x: Held) -> V {
        let row = if x.is_upper() { Row::Smlawt } else { Row::Smlawb };
        self.op(row, self.constant(Constant::Fraction), x.register(), self.constant(Constant::Half))
    }

    /// Some bits of a register, with or without a sign.
    pub fn bits(&mut self, row: Row, n: V, from: u32, count: u32) -> V {
        let d = self.fresh();
        self.push(Inst { d, n, imm: from as i32, imm2: count, ..Inst::new(row) })
    }

    /// A register without so many of its lowest bits.
    pub fn dropped(&mut self, m: V, bits: u32) -> V {
        let (d, shift) = (self.fresh(), Shift { kind: ShiftKind::Lsr, amount: bits as u8 });
        self.push(Inst { d, m, shift, ..Inst::new(Row::LsrImm) })
    }

    /// A coefficient compressed to so many bits, and above them what counts for nothing.
    pub fn compressed(&mut self, x: Held, bits: u32) -> V {
        let fraction = self.fraction(x);
        self.dropped(fraction, BITS - bits)
    }

    /// A number of so many bits, decompressed.
    pub fn decompressed(&mut self, number: V, bits: u32) -> Held {
        let [factor, half] = expanding(self.body.map.modulus, bits).map(|word| self.constant(Constant::Word(word)));
        Held::Upper(self.op(Row::Mla, number, factor, half))
    }

    /// A coefficient modulo the modulus.
    pub fn canonical(&mut self, x: Held) -> V {
        // A product of 64 bits takes a time that depends on it on cores without the extension, but those have no fractions either.
        let m = self.fraction(x);
        let (shifted, upper) = (self.fresh(), self.fresh());
        let shift = Shift { kind: ShiftKind::Lsl, amount: (32 - BITS) as u8 };
        self.push(Inst { d: shifted, m, shift, ..Inst::new(Row::LslImm) });
        let product =
            Inst { d: shifted, a: upper, n: shifted, m: self.constant(Constant::Modulus), ..Inst::new(Row::Umull) };
        self.push(product);
        upper
    }
}
