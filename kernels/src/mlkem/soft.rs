//! The portable polynomials: 16-bit coefficients, Montgomery's reduction with R = 2^16.

use super::backend::{MlKemBackend, Poly, Term};
use super::encodings::{self, barrett, high};
use super::low_stack::{Compact, PIECE_BYTES};
use crate::backend::Soft;
use crate::params::mlkem::{Bits, Eta, N, PIECE, POLY_BYTES, Q, SEED_BYTES, ZETAS};
use hybrid_array::Array;
use hybrid_array::sizes::U168;
use zeroize::Zeroize;

/// The inverse of q modulo R.
const Q_INVERSE: i16 = -3327;

/// R² mod q: a factor that, multiplied in by Montgomery, leaves R.
const R_SQUARED: i16 = power_of_two(32);

/// R² / 128 mod q: the same, and the last step of the inverse transform (FIPS 203 algorithm 10).
const R_SQUARED_OVER_128: i16 = power_of_two(25);

/// The powers of zeta times R, modulo q, from -q/2 to q/2.
const TWIDDLES: [i16; N / 2] = {
    let mut table = ZETAS;
    let mut i = 0;
    while i < table.len() {
        table[i] = centred((ZETAS[i] as i32) << 16);
        i += 1;
    }
    table
};

/// `value`, which is not negative, modulo q, from -q/2 to q/2.
const fn centred(value: i32) -> i16 {
    let least = (value % Q as i32) as i16;
    if least > Q / 2 { least - Q } else { least }
}

/// 2^`exponent` modulo q.
const fn power_of_two(exponent: u32) -> i16 {
    let mut value = 1;
    let mut i = 0;
    while i < exponent {
        value = value * 2 % Q as i32;
        i += 1;
    }
    centred(value)
}

/// a·b/R modulo q, for any a and b. From -(|a·b|/R + q/2) to the same: less than 0.76q if |b| ≤ q/2, as with constants.
///
/// The lower halves of a·b and of q·(a·b/q mod R) are equal, so that the difference of the products is that of their
/// upper halves.
#[inline(always)]
fn montgomery(a: i16, b: i16) -> i16 {
    high(a, b) - high(a.wrapping_mul(b).wrapping_mul(Q_INVERSE), Q)
}

/// x/R modulo q: from -(|x|/R + q/2) to the same.
#[inline(always)]
fn montgomery_wide(x: i32) -> i16 {
    let factor = (x as i16).wrapping_mul(Q_INVERSE);
    ((x - i32::from(factor) * i32::from(Q)) >> 16) as i16
}

/// Sums in full width, so that each coefficient is reduced once; and where the polynomial goes that they become.
#[derive(Debug)]
pub struct SoftSum {
    /// At most 4 · 2 · 4095 · q/2 < q · R/2.
    wide: [i32; N],
    poly: Poly,
}

impl Default for SoftSum {
    fn default() -> Self {
        SoftSum { wide: [0; N], poly: Poly::default() }
    }
}

impl Zeroize for SoftSum {
    fn zeroize(&mut self) {
        self.wide.zeroize();
        self.poly.zeroize();
    }
}

impl SoftSum {
    /// The sum times `factor`/R, which takes out the R that a product lacks: less than 0.76q.
    #[inline(always)]
    fn reduce(&mut self) -> &mut Poly {
        for (x, wide) in self.poly.0.iter_mut().zip(&self.wide) {
            *x = montgomery_wide(*wide);
        }
        &mut self.poly
    }
}

impl MlKemBackend for Soft {
    type Operand = Poly;
    type Sum = SoftSum;
    type Bytes = Array<u8, U168>;

    fn add_noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly) {
        encodings::add_noise(eta, bytes, poly);
    }

    /// Each of the seven layers adds less than 0.76q, so that no coefficient passes 6.4q; what comes out is at most q/2.
    fn ntt(&self, poly: &mut Poly) {
        let mut twiddles = TWIDDLES[1..].iter();
        for layer in 0..7 {
            let half = N >> (layer + 1);
            for (block, twiddle) in poly.0.chunks_exact_mut(2 * half).zip(&mut twiddles) {
                let (low, high) = block.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) {
                    let turned = montgomery(*b, *twiddle);
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
        }
        poly.0.iter_mut().for_each(|x| *x = barrett(*x));
    }

    fn prepare(&self, operand: &mut Poly) {
        self.ntt(operand);
    }

    #[inline]
    fn sample(&self, poly: &mut Poly, filled: usize, block: &[u8]) -> usize {
        encodings::sample(&mut poly.0, filled, block)
    }

    fn decode(&self, bytes: &[u8; POLY_BYTES], poly: &mut Poly) {
        encodings::decode(bytes, &mut poly.0);
    }

    fn encode(&self, poly: &Poly, bytes: &mut [u8; POLY_BYTES]) {
        encodings::encode(poly, bytes);
    }

    fn multiply(&self, term: Term, a: &Poly, b: &Poly, sum: &mut SoftSum) {
        if term == Term::First {
            sum.wide.fill(0);
        }
        let quads = sum.wide.as_chunks_mut().0.iter_mut().zip(a.0.as_chunks().0).zip(b.0.as_chunks().0);
        for (((s, a), b), twiddle) in quads.zip(&TWIDDLES[N / 4..]) {
            let [s0, s1, s2, s3]: &mut [i32; 4] = s;
            let [a0, a1, a2, a3]: [i32; 4] = <[i16; 4]>::map(*a, i32::from);
            let turned: [i32; 2] = [b[1], b[3]].map(|x| montgomery(x, *twiddle).into());
            let [b0, b1, b2, b3]: [i32; 4] = <[i16; 4]>::map(*b, i32::from);
            *s0 += a0 * b0 + a1 * turned[0];
            *s1 += a0 * b1 + a1 * b0;
            *s2 += a2 * b2 - a3 * turned[1];
            *s3 += a2 * b3 + a3 * b2;
        }
    }

    fn normalise<'a>(&self, sum: &'a mut SoftSum) -> &'a mut Poly {
        let poly = sum.reduce();
        self.normalise_compact(poly);
        poly
    }

    fn inverse<'a>(&self, sum: &'a mut SoftSum) -> &'a mut Poly {
        let poly = sum.reduce();
        self.inverse_compact(poly);
        poly
    }

    fn compress(&self, bits: Bits, poly: &Poly, bytes: &mut [u8]) {
        match bits {
            Bits::D4 => encodings::compress::<4>(poly, bytes),
            Bits::D5 => encodings::compress::<5>(poly, bytes),
            Bits::D10 => encodings::compress::<10>(poly, bytes),
            Bits::D11 => encodings::compress::<11>(poly, bytes),
        }
    }

    fn compare(&self, bits: Bits, poly: &mut Poly, bytes: &[u8]) -> u32 {
        match bits {
            Bits::D4 => encodings::compare::<4>(poly, bytes),
            Bits::D5 => encodings::compare::<5>(poly, bytes),
            Bits::D10 => encodings::compare::<10>(poly, bytes),
            Bits::D11 => encodings::compare::<11>(poly, bytes),
        }
    }

    fn decompress(&self, bits: Bits, bytes: &[u8], poly: &mut Poly) {
        match bits {
            Bits::D4 => encodings::decompress::<4>(bytes, poly),
            Bits::D5 => encodings::decompress::<5>(bytes, poly),
            Bits::D10 => encodings::decompress::<10>(bytes, poly),
            Bits::D11 => encodings::decompress::<11>(bytes, poly),
        }
    }

    fn add_message(&self, message: &[u8; SEED_BYTES], poly: &mut Poly) {
        for (eight, byte) in poly.0.as_chunks_mut::<8>().0.iter_mut().zip(message) {
            for (i, x) in eight.iter_mut().enumerate() {
                *x += -i16::from(byte >> i & 1) & ((Q + 1) / 2);
            }
        }
    }

    fn message(&self, poly: &Poly, message: &mut [u8; SEED_BYTES]) {
        encodings::message(poly, message);
    }
}

impl Compact for Soft {
    #[inline]
    fn sample_piece(&self, piece: &mut [i16; 2 * PIECE], filled: usize, bytes: &[u8; PIECE_BYTES]) -> usize {
        encodings::sample(piece, filled, bytes)
    }

    /// A product is less than 2 · 4095 · 5q/R + q/2 < 1.2q before it is added to what is at most q/2.
    fn add_piece(&self, a: &[i16; PIECE], number: usize, b: &Poly, sum: &mut Poly) {
        let (sums, factors) = (sum.0.as_chunks_mut().0.iter_mut(), b.0.as_chunks().0);
        let first = number.min(N / PIECE - 1) * PIECE / 4;
        let quads = sums.zip(factors).zip(&TWIDDLES[N / 4..]).skip(first);
        for (((s, b), twiddle), a) in quads.zip(a.as_chunks().0) {
            let [s0, s1, s2, s3]: &mut [i16; 4] = s;
            let [a0, a1, a2, a3]: [i32; 4] = <[i16; 4]>::map(*a, i32::from);
            let turned: [i32; 2] = [b[1], b[3]].map(|x: i16| montgomery(x, *twiddle).into());
            let [b0, b1, b2, b3]: [i32; 4] = <[i16; 4]>::map(*b, i32::from);
            *s0 = barrett(*s0 + montgomery_wide(a0 * b0 + a1 * turned[0]));
            *s1 = barrett(*s1 + montgomery_wide(a0 * b1 + a1 * b0));
            *s2 = barrett(*s2 + montgomery_wide(a2 * b2 - a3 * turned[1]));
            *s3 = barrett(*s3 + montgomery_wide(a2 * b3 + a3 * b2));
        }
    }

    fn normalise_compact(&self, poly: &mut Poly) {
        poly.0.iter_mut().for_each(|x| *x = montgomery(*x, R_SQUARED));
    }

    /// Coefficients begin below 0.76q, which is what a twiddled one comes to; the others double in each layer. Reduced to q/2
    /// after the third they end below 8q.
    fn inverse_compact(&self, poly: &mut Poly) {
        let mut twiddles = TWIDDLES[1..].iter().rev();
        for layer in 0..7 {
            let half = 2 << layer;
            for (block, twiddle) in poly.0.chunks_exact_mut(2 * half).zip(&mut twiddles) {
                let (low, high) = block.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) {
                    (*a, *b) = (*a + *b, montgomery(*b - *a, *twiddle));
                }
            }
            if layer == 2 {
                poly.0.iter_mut().for_each(|x| *x = barrett(*x));
            }
        }
        poly.0.iter_mut().for_each(|x| *x = montgomery(*x, R_SQUARED_OVER_128));
    }
}
