//! What products of Kyber's polynomials and their sums have to be, by FIPS 203 algorithms 11 and 12 and in numbers without bounds.
//!
//! Sums are compared exactly; what is reduced is right if it is congruent to what it should be, and within the bounds that the interface
//! states.

use super::kyber::{REDUCTION, congruent};
use super::runner::{Arg, Measured, Ran, Runner};
use super::{Oracle, VerifyError, halfwords};
use crate::kernels::kyber_products::{A, B, CACHE, PLAIN, PRODUCT, REDUCED, SUM};
use kernels::params::mlkem::{self, N, PIECE, ZETA};
use kernels::testing::Random;

const Q: i64 = mlkem::Q as i64;
/// Random polynomials of each kind.
const RANDOM: usize = 250;
/// Code that is any good needs less than a tenth of this.
const INSTRUCTIONS_MAX: u64 = 50_000;
/// Addresses modulo 16: words, and for what consists of halfwords also across words.
const OFFSETS: [u32; 4] = [0, 4, 8, 2];

/// One of the functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// `kyber_mulcache`.
    Mulcache,
    /// `kyber_basemul`.
    First,
    /// `kyber_basemul_acc`.
    Next,
    /// `kyber_basemul_end`.
    Last,
    /// `kyber_basemul_end_plain`.
    LastPlain,
    /// `kyber_reduce`.
    Reduce,
    /// `kyber_reduce_plain`.
    ReducePlain,
    /// `kyber_basemul_piece`.
    Piece,
    /// `kyber_restore`.
    Restore,
}

/// What a product is made of.
struct Input {
    sum: [i32; N],
    a: [i16; N],
    b: [i16; N],
    cache: [i16; N / 2],
}

impl Kernel {
    /// The kernel of this name, if it is one of these.
    pub fn parse(name: &str) -> Option<Kernel> {
        Some(match name {
            "kyber_mulcache" => Kernel::Mulcache,
            "kyber_basemul" => Kernel::First,
            "kyber_basemul_acc" => Kernel::Next,
            "kyber_basemul_end" => Kernel::Last,
            "kyber_basemul_end_plain" => Kernel::LastPlain,
            "kyber_reduce" => Kernel::Reduce,
            "kyber_reduce_plain" => Kernel::ReducePlain,
            "kyber_basemul_piece" => Kernel::Piece,
            "kyber_restore" => Kernel::Restore,
            _ => return None,
        })
    }

    fn case(self, runner: &mut Runner, index: usize, input: &Input) -> Result<(), VerifyError> {
        let (memory, offset, apart) = (Memory::new(input), OFFSETS[index % 4], index.is_multiple_of(2));
        let piece = index % (N / PIECE);
        let args = self.args(&memory, offset, apart, piece);
        runner.judge(&args, |ran| self.wrong(ran, input, piece), || format!("case {index} at {offset} mod 16"))
    }

    fn args<'a>(self, memory: &'a Memory, offset: u32, apart: bool, piece: usize) -> Vec<Arg<'a>> {
        let words = Arg::Out { before: &memory.sum, offset: offset & !3 };
        match self {
            Kernel::Mulcache => {
                vec![Arg::Out { before: &memory.cache, offset }, Arg::input(&memory.b, offset)]
            }
            Kernel::Reduce | Kernel::ReducePlain if apart => {
                vec![Arg::Out { before: &memory.a, offset }, Arg::input(&memory.sum, offset & !3)]
            }
            Kernel::Reduce | Kernel::ReducePlain => vec![words, Arg::SameAs(0)],
            Kernel::Piece => {
                let a = &memory.a[size_of::<[i16; PIECE]>() * piece..][..size_of::<[i16; PIECE]>()];
                let r = Arg::Out { before: &memory.r, offset };
                vec![r, Arg::input(a, offset), Arg::input(&memory.b, offset), Arg::Value(piece as u32)]
            }
            Kernel::Restore => vec![Arg::Out { before: &memory.b, offset }],
            Kernel::First | Kernel::Next | Kernel::Last | Kernel::LastPlain => {
                let factors = [&memory.a, &memory.b, &memory.cache];
                [words].into_iter().chain(factors.map(|bytes| Arg::input(bytes, offset))).collect()
            }
        }
    }

    fn wrong(self, ran: &Ran, input: &Input, piece: usize) -> Option<String> {
        let coefficients = || ran.out.as_chunks().0.iter().map(|&two| i64::from(i16::from_le_bytes(two)));
        let words = || ran.out.as_chunks().0.iter().map(|&four| i64::from(i32::from_le_bytes(four)));
        let reduced = |expected: &mut dyn Iterator<Item = i64>, factor: i64, most: i32| {
            let all = N.min(ran.out.len() / 2);
            congruent(coefficients().take(all), expected, factor, most.into()).or_else(|| {
                // What is behind the coefficients is none of the function's business.
                words()
                    .skip(N / 2)
                    .zip(&input.sum[N / 2..])
                    .position(|(found, &before)| found != i64::from(before))
                    .map(|k| format!("word {} has changed", N / 2 + k))
            })
        };
        let plus = if self == Kernel::First { [0; N] } else { input.sum.map(i64::from) };
        let mut sums = input.products().zip(plus).map(|(product, sum)| product + sum);
        match self {
            Kernel::Mulcache => reduced(&mut input.turned(), 1, CACHE),
            Kernel::First | Kernel::Next => {
                let found = words().zip(sums).enumerate().find(|(_, (found, sum))| found != sum);
                found.map(|(i, (found, sum))| format!("coefficient {i} is {found}, not {sum}"))
            }
            Kernel::Piece => {
                let (old, piece) = (input.r(), piece * PIECE..(piece + 1) * PIECE);
                let mut sums =
                    input.by_the_standard().zip(old).map(|(product, old)| product + i64::from(old) * REDUCTION);
                let mut sums = sums.by_ref().skip(piece.start).take(PIECE);
                let new = coefficients().skip(piece.start).take(PIECE);
                congruent(new, &mut sums, REDUCTION, REDUCED.into()).or_else(|| {
                    let mut others = coefficients().zip(old).enumerate().filter(|(i, _)| !piece.contains(i));
                    let (changed, _) = others.find(|(_, (new, old))| *new != i64::from(*old))?;
                    Some(format!("coefficient {changed} has changed"))
                })
            }
            Kernel::Restore => reduced(&mut input.b.into_iter().map(|b| i64::from(b) * REDUCTION), 1, REDUCED),
            Kernel::Last => reduced(&mut sums, REDUCTION, REDUCED),
            Kernel::LastPlain => reduced(&mut sums, 1, PLAIN),
            Kernel::Reduce => reduced(&mut input.sum.into_iter().map(i64::from), REDUCTION, REDUCED),
            Kernel::ReducePlain => reduced(&mut input.sum.into_iter().map(i64::from), 1, PLAIN),
        }
    }
}

impl Oracle for Kernel {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        inputs().enumerate().try_for_each(|(index, input)| self.case(runner, index, &input))
    }

    /// Runs the call whose cycles are stated: arrays at multiples of 4.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let input = Input { sum: [1; N], a: [1; N], b: [1; N], cache: [1; N / 2] };
        let memory = Memory::new(&input);
        runner.measure(&self.args(&memory, 0, false, 0))
    }
}

/// Gamma of a pair (FIPS 203 algorithm 11).
fn gamma(pair: usize) -> i64 {
    let exponent = 2 * ((pair as u8).reverse_bits() >> 1) + 1;
    (0..exponent).fold(1, |power, _| power * i64::from(ZETA) % Q)
}

impl Input {
    /// What a cache of `b` has to be.
    fn turned(&self) -> impl Iterator<Item = i64> {
        self.b.as_chunks::<2>().0.iter().enumerate().map(|(pair, [_, odd])| i64::from(*odd) * gamma(pair))
    }

    /// FIPS 203 algorithm 12 for each pair.
    fn by_the_standard(&self) -> impl Iterator<Item = i64> {
        let pairs = self.a.as_chunks::<2>().0.iter().zip(self.b.as_chunks::<2>().0).enumerate();
        pairs.flat_map(|(pair, (a, b))| {
            let ([a0, a1], [b0, b1]) = (a.map(i64::from), b.map(i64::from));
            [a0 * b0 + a1 * b1 * gamma(pair), a0 * b1 + a1 * b0]
        })
    }

    /// A reduced sum that is as large as it may be where the sum is.
    fn r(&self) -> [i16; N] {
        let most = Q as i32;
        self.sum.map(|x| if x.abs() == SUM - PRODUCT { (x.signum() * most) as i16 } else { (x % (most + 1)) as i16 })
    }

    /// FIPS 203 algorithm 12 for each pair, with the cache for what is multiplied by gamma.
    fn products(&self) -> impl Iterator<Item = i64> {
        let pairs = self.a.as_chunks::<2>().0.iter().zip(self.b.as_chunks::<2>().0).zip(self.cache);
        pairs.flat_map(|((a, b), turned)| {
            let ([a0, a1], [b0, b1]) = (a.map(i64::from), b.map(i64::from));
            [a0 * b0 + a1 * i64::from(turned), a0 * b1 + a1 * b0]
        })
    }
}

/// An input as bytes.
struct Memory {
    sum: Vec<u8>,
    a: Vec<u8>,
    b: Vec<u8>,
    cache: Vec<u8>,
    r: Vec<u8>,
}

impl Memory {
    fn new(input: &Input) -> Memory {
        Memory {
            sum: input.sum.iter().flat_map(|x| x.to_le_bytes()).collect(),
            a: halfwords(&input.a),
            b: halfwords(&input.b),
            cache: halfwords(&input.cache),
            r: halfwords(&input.r()),
        }
    }
}

/// Everything that there can be as large and as small as it may be, single coefficients, random signs, random numbers, and numbers whose
/// cache is what it should be.
fn inputs() -> impl Iterator<Item = Input> {
    // With a sum of this, a product of either sign can be added.
    let most = SUM - PRODUCT;
    let all = |sum, a: i32, b: i32, cache: i32| Input {
        sum: [sum; N],
        a: [a as i16; N],
        b: [b as i16; N],
        cache: [cache as i16; N / 2],
    };
    let signs = [-1, 0, 1];
    let extremes = signs.into_iter().flat_map(move |s| {
        let with = move |a| signs.into_iter().flat_map(move |b| signs.map(|c| all(s * most, a * A, b * B, c * CACHE)));
        [0, 1].into_iter().flat_map(with)
    });
    let basis = (0..N).map(move |i| {
        let mut input = all(0, 0, if i % 2 == 0 { B } else { -B }, CACHE);
        (input.a[i], input.sum[i]) = (A as i16, if i % 3 == 0 { most } else { -most });
        input
    });
    let mut random = Random::new(5);
    let kinds = (0..RANDOM).flat_map(move |_| {
        let mut signed = |most: i32| if random.next_u32() & 1 == 1 { most } else { -most };
        let signs = Input {
            sum: [0; N].map(|_: i32| signed(most)),
            a: [0; N].map(|_: i16| signed(A).max(0) as i16),
            b: [0; N].map(|_: i16| signed(B) as i16),
            cache: [0; N / 2].map(|_: i16| signed(CACHE) as i16),
        };
        let mut between = |most: i32| (random.next_u64() % (2 * most as u64 + 1)) as i32 - most;
        let uniform = Input {
            sum: [0; N].map(|_: i32| between(most)),
            a: [0; N].map(|_: i16| between(A).abs() as i16),
            b: [0; N].map(|_: i16| between(B) as i16),
            cache: [0; N / 2].map(|_: i16| between(CACHE) as i16),
        };
        let mut small = Input { sum: [0; N].map(|_: i32| between(5)), a: uniform.a, b: uniform.b, cache: [0; N / 2] };
        let turned: Vec<i64> = small.turned().collect();
        small.cache.iter_mut().zip(turned).for_each(|(c, t)| *c = ((t + Q / 2).rem_euclid(Q) - Q / 2) as i16);
        [signs, uniform, small]
    });
    extremes.chain(basis).chain(kinds)
}
