//! What sampling of Kyber's uniform polynomials has to do, by FIPS 203 algorithm 7.

use super::runner::{Arg, Measured, Runner};
use super::{Oracle, VerifyError};
use crate::kernels::kyber_sampling::MEASURED;
use kernels::params::mlkem::{N, Q};
use kernels::testing::Random;

/// Code that is any good needs less than a third of this.
const INSTRUCTIONS_MAX: u64 = 10_000;
/// Lengths: none, single groups, what is left over of words, whole and part blocks of the usual functions, and a polynomial at once.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 6, 9, 12, 21, 24, 27, 64, 136, MEASURED, 3 * MEASURED];
/// Coefficients before: around multiples of what is taken at once, and around the end.
const FILLED: [usize; 14] = [0, 1, 7, 100, 224, 225, 239, 240, 241, 248, 254, 255, 256, 257];

/// `kyber_sample`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sample;

impl Sample {
    /// The kernel of this name, if it is this one.
    pub fn parse(name: &str) -> Option<Sample> {
        (name == "kyber_sample").then_some(Sample)
    }
}

impl Oracle for Sample {
    /// Runs every case: streams of which everything is taken, nothing, every other candidate, all but one, and random ones.
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        let mut random = Random::new(7);
        for length in LENGTHS {
            for filled in FILLED {
                let mut bytes = vec![0; length];
                random.fill(&mut bytes);
                let candidate = Q as u16 - 1;
                for block in [
                    bytes.clone(),
                    packed(length, |_| candidate),
                    packed(length, |_| candidate + 1),
                    packed(length, |k| candidate + k as u16 % 2),
                    packed(length, |k| candidate + u16::from(k % 17 != 16)),
                    bytes.iter().map(|byte| byte | 0xf0).collect(),
                ] {
                    case(runner, &block, filled, (length + filled) as u32)?;
                }
            }
        }
        // Far beyond the array.
        for filled in [N + 1, 1 << 30, (1 << 31) - 1, 1 << 31, u32::MAX as usize] {
            case(runner, &[0; MEASURED], filled, 0)?;
        }
        Ok(())
    }

    /// Runs the call whose cycles are stated: random bytes, of which the usual part is taken.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let mut block = [0; MEASURED];
        Random::new(8).fill(&mut block);
        runner.measure(&args(&[0; 2 * N], 0, &block, 0))
    }
}

fn args<'a>(before: &'a [u8], filled: usize, block: &'a [u8], offset: u32) -> [Arg<'a>; 4] {
    [
        Arg::Out { before, offset: 2 * offset % 4 },
        Arg::Value(filled as u32),
        Arg::input(block, offset % 4),
        Arg::Value(block.len() as u32),
    ]
}

fn case(runner: &mut Runner, block: &[u8], filled: usize, offset: u32) -> Result<(), VerifyError> {
    let before = [0x77; 2 * N];
    let (mut expected, mut count) = (before, filled);
    for &[a, b, c] in block.as_chunks().0 {
        let [a, b, c] = [a, b, c].map(u16::from);
        for candidate in [a | (b & 15) << 8, b >> 4 | c << 4] {
            if candidate < Q as u16 && count < N {
                expected[2 * count..2 * count + 2].copy_from_slice(&candidate.to_le_bytes());
                count += 1;
            }
        }
    }
    let about = || format!("{} bytes, {filled} coefficients before, at {offset}", block.len());
    runner.expect(&args(&before, filled, block, offset), Some(count as u32), &expected, about)
}

/// Candidates as bytes, as many as there are whole ones.
fn packed(length: usize, candidate: impl Fn(usize) -> u16) -> Vec<u8> {
    let pair = |k: usize| u32::from(candidate(2 * k)) | u32::from(candidate(2 * k + 1)) << 12;
    (0..length.div_ceil(3)).flat_map(|k| pair(k).to_le_bytes().into_iter().take(3)).take(length).collect()
}
