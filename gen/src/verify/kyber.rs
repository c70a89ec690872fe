//! What the functions on Kyber's polynomials have to compute, by FIPS 203 and in numbers without bounds.
//!
//! A result is right if each coefficient is congruent to what it should be, and within the bounds that the interface states.

use super::runner::{Arg, Measured, Ran, Runner};
use super::{Oracle, VerifyError, halfwords};
use crate::kernels::kyber;
use kernels::params::mlkem::{self, N, ZETAS};
use kernels::testing::Random;

const Q: i32 = mlkem::Q as i32;

/// What is divided by when a sum is reduced after Plantard.
pub const REDUCTION: i64 = -(1 << 32);

/// A polynomial.
type Poly = [i16; N];

/// Random polynomials of each kind.
const RANDOM: usize = 120;

/// Code that is any good needs less than a tenth of this.
const INSTRUCTIONS_MAX: u64 = 100_000;

/// One of the functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// `kyber_ntt`.
    Ntt,
    /// `kyber_invntt`.
    InverseNtt,
    /// `kyber_invntt_sum`.
    InverseNttOfSum,
}

impl Kernel {
    /// The kernel of this name, if it is one of Kyber's.
    pub fn parse(name: &str) -> Option<Kernel> {
        match name {
            "kyber_ntt" => Some(Kernel::Ntt),
            "kyber_invntt" => Some(Kernel::InverseNtt),
            "kyber_invntt_sum" => Some(Kernel::InverseNttOfSum),
            _ => None,
        }
    }

    /// The largest coefficients before, and after.
    fn bounds(self) -> (u32, u32) {
        match self {
            Kernel::Ntt => (kyber::BEFORE, kyber::AFTER_NTT),
            Kernel::InverseNtt | Kernel::InverseNttOfSum => (kyber::BEFORE, kyber::AFTER_INVERSE_NTT),
        }
    }

    fn expected(self, poly: &Poly) -> [i32; N] {
        let mut f = poly.map(|x| i32::from(x).rem_euclid(Q));
        match self {
            Kernel::Ntt => ntt(&mut f),
            Kernel::InverseNtt => inverse_ntt(&mut f),
            Kernel::InverseNttOfSum => {
                inverse_ntt(&mut f);
                f = f.map(|x| (i64::from(x) * REDUCTION).rem_euclid(Q.into()) as i32);
            }
        }
        f
    }
}

impl Oracle for Kernel {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        let (most, after) = self.bounds();
        for (index, poly) in polynomials(most as i16).enumerate() {
            let expected = self.expected(&poly);
            // Words, but sometimes across words.
            let offset = [0, 4, 8, 2][index % 4];
            let args = [Arg::Out { before: &halfwords(&poly), offset }];
            runner.judge(
                &args,
                |ran| wrong(ran, &expected, after),
                || format!("polynomial {poly:?} at {offset} mod 16"),
            )?;
        }
        Ok(())
    }

    /// Runs the call whose cycles are stated: a polynomial at a multiple of 4.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        runner.measure(&[Arg::Out { before: &[1; 2 * N], offset: 0 }])
    }
}

/// FIPS 203 algorithm 9.
pub(crate) fn ntt(f: &mut [i32; N]) {
    let mut i = 1;
    for len in [128, 64, 32, 16, 8, 4, 2] {
        for start in (0..N).step_by(2 * len) {
            for j in start..start + len {
                let turned = i32::from(ZETAS[i]) * f[j + len];
                f[j + len] = (f[j] - turned).rem_euclid(Q);
                f[j] = (f[j] + turned).rem_euclid(Q);
            }
            i += 1;
        }
    }
}

/// FIPS 203 algorithm 10.
pub(crate) fn inverse_ntt(f: &mut [i32; N]) {
    let mut i = 127;
    for len in [2, 4, 8, 16, 32, 64, 128] {
        for start in (0..N).step_by(2 * len) {
            for j in start..start + len {
                let old = f[j];
                f[j] = (old + f[j + len]).rem_euclid(Q);
                f[j + len] = (i32::from(ZETAS[i]) * (f[j + len] - old)).rem_euclid(Q);
            }
            i -= 1;
        }
    }
    f.iter_mut().for_each(|x| *x = *x * kyber::LAST_FACTOR as i32 % Q);
}

/// Polynomials whose coefficients are from -`most` to `most`: all the largest, all the smallest, basis vectors times each, random signs, random
/// ones, and what comes from small numbers.
fn polynomials(most: i16) -> impl Iterator<Item = Poly> {
    let mut random = Random::new(4);
    let constant = [0, 1, -1, most, -most, most - 1, 1 - most].map(|x| [x; N]);
    let basis = (0..N).flat_map(move |i| {
        [1, most, -most].map(|x| {
            let mut poly = [0; N];
            poly[i] = x;
            poly
        })
    });
    let kinds = (0..RANDOM).flat_map(move |_| {
        let mut word = || i32::from(random.next_u32() as u16);
        let span = 2 * i32::from(most) + 1;
        let sign = |bit: i32| if bit & 1 == 1 { most } else { -most };
        let signs = [0; N].map(|_: i16| sign(word()));
        let uniform = [0; N].map(|_: i16| (word() % span - i32::from(most)) as i16);
        let small = [0; N].map(|_: i16| (word() % 7 - 3) as i16);
        [signs, uniform, small]
    });
    // Each output is a sum of all inputs with signs: these make one of them as large as it can be at first.
    let rows = (0..N).map(move |i| {
        let mut k = 0;
        [0; N].map(|_: i16| {
            k += 1;
            if (i & (k - 1)).count_ones() % 2 == 1 { -most } else { most }
        })
    });
    constant.into_iter().chain(basis).chain(rows).chain(kinds)
}

/// The first number that is not congruent to what is expected when it is multiplied by `factor`, or that is larger than `most` or smaller than -`most`.
pub fn congruent(
    found: impl Iterator<Item = i64>,
    expected: impl Iterator<Item = i64>,
    factor: i64,
    most: i64,
) -> Option<String> {
    found.zip(expected).enumerate().find_map(|(i, (found, expected))| {
        if (found * factor - expected) % i64::from(Q) != 0 {
            let divided = if factor == 1 { String::new() } else { format!(" divided by {factor}") };
            Some(format!("coefficient {i} is {found}, which is not congruent to {expected}{divided}"))
        } else if found.abs() > most {
            Some(format!("coefficient {i} is {found}, which is out of bounds: {most}"))
        } else {
            None
        }
    })
}

fn wrong(ran: &Ran, expected: &[i32; N], most: u32) -> Option<String> {
    let found = ran.out.as_chunks().0.iter().map(|&two| i16::from_le_bytes(two).into());
    congruent(found, expected.iter().map(|&x| x.into()), 1, most.into())
}
