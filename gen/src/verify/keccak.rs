//! What `keccak_f1600` has to compute, case by case: [`Soft`] is the oracle.

use super::runner::{Arg, Measured, Runner};
use super::{Oracle, VerifyError, hex};
use kernels::Soft;
use kernels::keccak::KeccakBackend;
use kernels::params::keccak::{LANES, STATE_BYTES};
use kernels::testing::Random;

/// Words of the state: for each lane its even bits, then its odd ones.
const WORDS: usize = 2 * LANES;

/// Random states, beside the special ones.
const RANDOM_STATES: usize = 300;

/// Code that is any good needs less than half of this. More is taken for an endless loop.
const INSTRUCTIONS_MAX: u64 = 40_000;

type State = [u32; WORDS];

/// `keccak_f1600`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct F1600;

impl F1600 {
    /// The kernel of this name, if it is this one.
    pub fn parse(name: &str) -> Option<F1600> {
        (name == "keccak_f1600").then_some(F1600)
    }
}

impl Oracle for F1600 {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        for (index, state) in states().enumerate() {
            let (before, expected) = (bytes_of(&state), bytes_of(&permuted(&state)));
            // Words lie at multiples of 4; of 8 only sometimes.
            let args = [Arg::Out { before: &before, offset: 4 * (index as u32 % 2) }];
            runner.expect(&args, None, &expected, || format!("state {index}, {}", hex(&state)))?;
        }
        Ok(())
    }

    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let state = bytes_of(&Random::new(1).words());
        runner.measure(&[Arg::Out { before: &state, offset: 0 }])
    }
}

/// All-zero and all-one states, single words of ones, every other single bit, and random states.
fn states() -> impl Iterator<Item = State> {
    let with = |word: usize, value: u32| {
        let mut state = [0; WORDS];
        state[word] = value;
        state
    };
    let mut random = Random::new(2);
    let extreme = (0..WORDS).flat_map(move |word| [with(word, u32::MAX), with(word, u32::MAX).map(|w: u32| !w)]);
    let bits = (0..16 * WORDS).map(move |k| with(k / 16, 1 << (2 * (k % 16) + k / 16 % 2)));
    [[0; WORDS], [u32::MAX; WORDS]]
        .into_iter()
        .chain(extreme)
        .chain(bits)
        .chain((0..RANDOM_STATES).map(move |_| random.words()))
}

/// The state after the permutation.
fn permuted(state: &State) -> State {
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| {
        let bit = |i: usize| u64::from(state[2 * lane + i % 2] >> (i / 2) & 1) << i;
        (0..64).map(bit).sum()
    });
    Soft.permute(&mut lanes);
    std::array::from_fn(|word| {
        let bit = |i: usize| (lanes[word / 2] >> (2 * i + word % 2) & 1) << i;
        (0..32).map(bit).sum::<u64>() as u32
    })
}

fn bytes_of(state: &State) -> [u8; STATE_BYTES] {
    let mut bytes = [0; STATE_BYTES];
    for (four, word) in bytes.as_chunks_mut().0.iter_mut().zip(state) {
        *four = word.to_le_bytes();
    }
    bytes
}
