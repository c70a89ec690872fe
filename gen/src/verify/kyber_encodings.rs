//! What encodings of Kyber's polynomials have to be, by FIPS 203 section 4.2.1 and in numbers without bounds. Every coefficient there is is
//! tried.

use super::runner::{Arg, Measured, Runner};
use super::{Oracle, VerifyError, halfwords};
use kernels::params::mlkem::{self, N};
use kernels::testing::Random;

const Q: i64 = mlkem::Q as i64;
/// Bits of a coefficient that is not compressed.
const WHOLE: usize = 12;
/// Coefficients of 16 bits.
const ALL: usize = 1 << 16;
/// One of so many polynomials is encoded in its own place.
const IN_PLACE_EVERY: usize = 3;
/// Random polynomials.
const RANDOM: usize = 750;
/// Code that is any good needs less than a tenth of this.
const INSTRUCTIONS_MAX: u64 = 50_000;

/// A function that encodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    /// Bits of a coefficient: 12 if it is not compressed.
    bits: usize,
}

impl Kernel {
    /// The kernel of this name, if it is one of these.
    pub fn parse(name: &str) -> Option<Kernel> {
        let bits = match name {
            "kyber_compress4" => 4,
            "kyber_compress5" => 5,
            "kyber_compress10" => 10,
            "kyber_compress11" => 11,
            "kyber_encode" => WHOLE,
            "kyber_message" => 1,
            _ => return None,
        };
        Some(Kernel { bits })
    }

    fn number(self, x: i16) -> i64 {
        let x = i64::from(x).rem_euclid(Q);
        if self.bits == WHOLE { x } else { ((x << (self.bits + 1)) + Q) / (2 * Q) % (1 << self.bits) }
    }

    /// FIPS 203 algorithm 5: bit after bit.
    fn encoded(self, poly: &[i16; N]) -> Vec<u8> {
        let mut bytes = vec![0; N / 8 * self.bits];
        for (i, x) in poly.iter().enumerate() {
            let number = self.number(*x);
            for k in 0..self.bits {
                let bit = i * self.bits + k;
                bytes[bit / 8] |= ((number >> k & 1) as u8) << (bit % 8);
            }
        }
        bytes
    }
}

impl Oracle for Kernel {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        polynomials().enumerate().try_for_each(|(index, poly)| {
            let before = vec![0x5a; N / 8 * self.bits];
            // Bytes anywhere, coefficients sometimes across words.
            let (out, offset) = ((index % 4) as u32, [0, 4, 8, 2][index / 4 % 4]);
            let bytes = halfwords(&poly);
            let mut expected = self.encoded(&poly);
            let args = if index % IN_PLACE_EVERY == 0 {
                // What is behind the bytes stays as it is.
                expected.extend_from_slice(&bytes[expected.len()..]);
                [Arg::Out { before: &bytes, offset }, Arg::SameAs(0)]
            } else {
                [Arg::Out { before: &before, offset: out }, Arg::input(&bytes, offset)]
            };
            runner.expect(&args, None, &expected, || format!("polynomial {index}, {poly:?}"))
        })
    }

    /// Runs the call whose cycles are stated: both arrays at multiples of 4.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let before = vec![0; N / 8 * self.bits];
        runner.measure(&[Arg::Out { before: &before, offset: 0 }, Arg::input(&[1; 2 * N], 0)])
    }
}

/// Every coefficient there is, the extreme ones in all places, and random ones.
fn polynomials() -> impl Iterator<Item = [i16; N]> {
    let mut random = Random::new(9);
    // Turned, so that no place has always the same lowest bits.
    let every = (0..ALL / N).map(|k| std::array::from_fn(|i| (k * N + (i + k) % N) as u16 as i16));
    let extreme = [i16::MIN, -1, 0, 1, (Q / 2) as i16, i16::MAX].map(|x| [x; N]);
    let random = (0..RANDOM).map(move |_| std::array::from_fn(|_| random.next_u32() as i16));
    every.chain(extreme).chain(random)
}
