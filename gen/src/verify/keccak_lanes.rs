//! What the functions that take lanes into a state of Keccak and out of it have to do, bit by bit (FIPS 202, B.1).

use super::runner::{Arg, Measured, Runner};
use super::{Oracle, VerifyError};
use crate::kernels::keccak::{MEASURED_IN, MEASURED_OUT};
use kernels::params::keccak::{LANE_BYTES, LANES, STATE_BYTES};
use kernels::testing::Random;

/// Random states for each number of lanes and each alignment.
const RANDOM: usize = 8;
/// Code that is any good needs less than a third of this.
const INSTRUCTIONS_MAX: u64 = 5000;

/// One of the functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// `keccak_xor_lanes`.
    Xor,
    /// `keccak_copy_lanes`.
    Copy,
}

impl Kernel {
    /// The kernel of this name, if it is one of these.
    pub fn parse(name: &str) -> Option<Kernel> {
        match name {
            "keccak_xor_lanes" => Some(Kernel::Xor),
            "keccak_copy_lanes" => Some(Kernel::Copy),
            _ => None,
        }
    }

    fn args<'a>(self, state: &'a [u8; STATE_BYTES], bytes: &'a [u8], offset: u32) -> [Arg<'a>; 3] {
        let lanes = Arg::Value((bytes.len() / LANE_BYTES) as u32);
        // The state lies at multiples of 4, of 8 only sometimes.
        let place = 4 * (offset % 2);
        match self {
            Kernel::Xor => [Arg::Out { before: state, offset: place }, Arg::input(bytes, offset), lanes],
            Kernel::Copy => [Arg::Out { before: bytes, offset }, Arg::input(state, place), lanes],
        }
    }

    fn case(
        self,
        runner: &mut Runner,
        state: &[u8; STATE_BYTES],
        bytes: &[u8],
        offset: u32,
    ) -> Result<(), VerifyError> {
        let expected: Vec<u8> = match self {
            Kernel::Xor => {
                let (taken, rest) = state.split_at(bytes.len());
                let taken = taken.as_chunks().0.iter().zip(bytes.as_chunks().0);
                let new = taken.flat_map(|(old, lane)| {
                    let apart = apart(u64::from_le_bytes(*lane));
                    (u64::from_le_bytes(*old) ^ apart).to_le_bytes()
                });
                new.chain(rest.iter().copied()).collect()
            }
            Kernel::Copy => {
                let taken = state[..bytes.len()].as_chunks().0.iter();
                taken.flat_map(|lane| together(u64::from_le_bytes(*lane)).to_le_bytes()).collect()
            }
        };
        let args = self.args(state, bytes, offset);
        runner.expect(&args, None, &expected, || format!("{} lanes at {offset} mod 16", bytes.len() / LANE_BYTES))
    }
}

impl Oracle for Kernel {
    /// Runs every case: each number of lanes at each alignment, with random states, states of ones, and each single bit of the last lane.
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        let mut random = Random::new(6);
        for lanes in 0..=LANES {
            for offset in 0..4 {
                for _ in 0..RANDOM {
                    let (mut state, mut bytes) = ([0; STATE_BYTES], vec![0; LANE_BYTES * lanes]);
                    random.fill(&mut state);
                    random.fill(&mut bytes);
                    self.case(runner, &state, &bytes, offset)?;
                }
                self.case(runner, &[0xff; STATE_BYTES], &vec![0xff; LANE_BYTES * lanes], offset)?;
            }
            let last = lanes.saturating_sub(1);
            for bit in 0..64 {
                let (mut state, mut bytes) = ([0; STATE_BYTES], vec![0; LANE_BYTES * lanes]);
                state[LANE_BYTES * last + bit / 8] = 1 << (bit % 8);
                bytes.iter_mut().skip(LANE_BYTES * last + bit / 8).take(1).for_each(|byte| *byte = 1 << (bit % 8));
                self.case(runner, &state, &bytes, bit as u32 % 4)?;
            }
        }
        Ok(())
    }

    /// Runs the call whose cycles are stated: the rate of SHA3-256 in, that of SHAKE128 out.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let lanes = if *self == Kernel::Xor { MEASURED_IN } else { MEASURED_OUT } as usize;
        runner.measure(&self.args(&[0x5a; STATE_BYTES], &vec![0xa5; LANE_BYTES * lanes], 0))
    }
}

/// A lane with its even bits in the lower half and its odd ones in the upper half, as two words lie in memory.
fn apart(lane: u64) -> u64 {
    (0..64).map(|i| (lane >> i & 1) << (32 * (i % 2) + i / 2)).sum()
}

/// The reverse.
fn together(halves: u64) -> u64 {
    (0..64).map(|i| (halves >> (32 * (i % 2) + i / 2) & 1) << i).sum()
}
