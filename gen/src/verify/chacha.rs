//! What the ChaCha functions have to compute, case by case: [`Soft`] is the oracle.

use super::runner::{Arg, Measured, Runner};
use super::{Oracle, VerifyError, hex};
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, State, bytes_of};
use kernels::params::chacha::{BLOCK_BYTES, COUNTER_WORD, Counter, Rounds, STATE_WORDS};
use kernels::testing::Random;
use std::fmt;

/// Messages of every length from 0 up to this one are tried.
const LENGTH_MAX: usize = 257;

/// A long message: some KiB, with a partial last block.
const LONG_BYTES: usize = 4000;

/// The benchmark message of the `_xor` functions.
const BENCHMARK_BYTES: usize = 1024;

/// Random states, beside the special ones.
const RANDOM_STATES: usize = 256;

/// Code that is any good needs less than half of this for a round (32 operations and what it takes to move words), and
/// for a block beside its rounds. More is taken for an endless loop.
const ROUND_INSTRUCTIONS_MAX: u64 = 300;
const BLOCK_INSTRUCTIONS_MAX: u64 = 2000;

/// One of the ChaCha functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// `chacha{R}_permute`.
    Permute(Rounds),
    /// `chacha{R}_block`.
    Block(Rounds),
    /// `chacha{R}_xor` and `chacha{R}_xor_djb`.
    Xor(Rounds, Counter),
}

impl Kernel {
    /// The kernel of this name, if it is one of ChaCha's.
    pub fn parse(name: &str) -> Option<Kernel> {
        let (rounds, part) = name.strip_prefix("chacha")?.split_once('_')?;
        let rounds = Rounds::new(rounds.parse().ok()?).ok()?;
        match part {
            "permute" => Some(Kernel::Permute(rounds)),
            "block" => Some(Kernel::Block(rounds)),
            "xor" => Some(Kernel::Xor(rounds, Counter::Ietf)),
            "xor_djb" => Some(Kernel::Xor(rounds, Counter::Djb)),
            _ => None,
        }
    }
}

impl Oracle for Kernel {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        let (Kernel::Permute(rounds) | Kernel::Block(rounds) | Kernel::Xor(rounds, _)) = *self;
        let per_block = BLOCK_INSTRUCTIONS_MAX + ROUND_INSTRUCTIONS_MAX * u64::from(rounds.get());
        runner.set_limit(per_block * LONG_BYTES.div_ceil(BLOCK_BYTES) as u64);
        match *self {
            Kernel::Permute(rounds) => states(runner, |out, input| Soft.permute(rounds, out, input)),
            Kernel::Block(rounds) => states(runner, |out, input| Soft.block(rounds, out, input)),
            Kernel::Xor(rounds, counter) => Messages::new(rounds, counter).check(runner),
        }
    }

    /// Runs the call whose cycles are stated: 4-byte aligned, separate buffers; of a message, 1024 bytes.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let state = bytes_of(&Random::new(1).words());
        let message = [0; BENCHMARK_BYTES];
        let (out, input) = (Arg::Out { before: &message, offset: 0 }, Arg::input(&message, 0));
        match *self {
            Kernel::Permute(_) | Kernel::Block(_) => {
                runner.measure(&[Arg::Out { before: &state, offset: 0 }, Arg::input(&state, 0)])
            }
            Kernel::Xor(_, counter) => {
                runner.measure(&[out, input, Arg::Value(BENCHMARK_BYTES as u32), state_arg(counter, &state)])
            }
        }
    }
}

/// All-zero, all-one, single-bit and random states.
fn special_and_random_states() -> impl Iterator<Item = State> {
    let single = (0..32 * STATE_WORDS).map(|bit| {
        let mut state = [0; STATE_WORDS];
        state[bit / 32] = 1 << (bit % 32);
        state
    });
    let mut random = Random::new(2);
    [[0; STATE_WORDS], [u32::MAX; STATE_WORDS]]
        .into_iter()
        .chain(single)
        .chain((0..RANDOM_STATES).map(move |_| random.words()))
}

/// Every state, from one array to another and in place.
fn states(runner: &mut Runner, oracle: impl Fn(&mut State, &State)) -> Result<(), VerifyError> {
    for (index, state) in special_and_random_states().enumerate() {
        let mut expected = State::default();
        oracle(&mut expected, &state);
        let (input, expected) = (bytes_of(&state), bytes_of(&expected));
        // Words lie at multiples of 4; of 8 only sometimes.
        let offset = 4 * (index as u32 % 2);
        let separate = [Arg::Out { before: &[0xa5; BLOCK_BYTES], offset }, Arg::input(&input, 4 - offset)];
        runner.expect(&separate, None, &expected, || format!("out separate from in, state {}", hex(&state)))?;
        let in_place = [Arg::Out { before: &input, offset }, Arg::SameAs(0)];
        runner.expect(&in_place, None, &expected, || format!("out == in, state {}", hex(&state)))?;
    }
    Ok(())
}

/// The state of a message as an argument. A 32-bit counter is public, as whether a message is refused depends on it.
pub fn state_arg(counter: Counter, state: &[u8; BLOCK_BYTES]) -> Arg<'_> {
    let public = match counter {
        Counter::Ietf => 4 * COUNTER_WORD..4 * COUNTER_WORD + 4,
        Counter::Djb => 0..0,
    };
    Arg::In { bytes: state, offset: 0, public }
}

/// Encryption of messages.
struct Messages {
    rounds: Rounds,
    counter: Counter,
    random: Random,
    /// Bytes to encrypt, and bytes to be overwritten.
    text: [u8; LONG_BYTES],
    junk: [u8; LONG_BYTES],
}

/// Where the buffers of a message are.
#[derive(Clone, Copy)]
struct Layout {
    /// Address of the output, mod 4.
    out: u32,
    /// Address of the input, mod 4; nothing if it is the output.
    input: Option<u32>,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.input {
            Some(input) => write!(f, "out at {} mod 4, in at {input} mod 4", self.out),
            None => write!(f, "out == in at {} mod 4", self.out),
        }
    }
}

impl Messages {
    fn new(rounds: Rounds, counter: Counter) -> Messages {
        let mut messages =
            Messages { rounds, counter, random: Random::new(3), text: [0; LONG_BYTES], junk: [0; LONG_BYTES] };
        messages.random.fill(&mut messages.text);
        messages.random.fill(&mut messages.junk);
        messages
    }

    fn check(&mut self, runner: &mut Runner) -> Result<(), VerifyError> {
        self.lengths_and_alignments(runner)?;
        self.counters(runner)?;
        let state = self.state(1);
        self.message(runner, &state, LONG_BYTES, Layout { out: 0, input: Some(0) })?;
        self.message(runner, &state, LONG_BYTES - 1, Layout { out: 1, input: Some(2) })?;
        self.message(runner, &state, LONG_BYTES - 30, Layout { out: 3, input: None })
    }

    /// Every length; with it every pair of alignments for every length modulo the block, as each length takes four of
    /// the sixteen pairs and there are four lengths. In place: every alignment for every length modulo the block.
    fn lengths_and_alignments(&mut self, runner: &mut Runner) -> Result<(), VerifyError> {
        for length in 0..=LENGTH_MAX {
            let (quotient, rest) = ((length / BLOCK_BYTES) as u32, (length % BLOCK_BYTES) as u32);
            let out = (quotient + rest) % 4;
            for input in (0..4).map(Some).chain([None]) {
                let counter = self.random.next_u32() >> 1;
                let state = self.state(counter);
                self.message(runner, &state, length, Layout { out, input })?;
            }
        }
        Ok(())
    }

    /// Around the end of the counter, and where its low half carries into the high one.
    fn counters(&mut self, runner: &mut Runner) -> Result<(), VerifyError> {
        for left in 1..=5u32 {
            for high in [0, 7, u32::MAX] {
                let blocks = left as usize * BLOCK_BYTES;
                let mut state = self.state(left.wrapping_neg());
                state[COUNTER_WORD + 1] = high;
                for length in
                    [0, 1, blocks - 64, blocks - 63, blocks - 1, blocks, blocks + 1, blocks + 64, blocks + 257]
                {
                    for layout in [Layout { out: 0, input: Some(0) }, Layout { out: left % 4, input: None }] {
                        self.message(runner, &state, length, layout)?;
                    }
                }
            }
        }
        if self.counter == Counter::Ietf {
            self.refused_by_a_huge_length(runner)?;
        }
        Ok(())
    }

    /// Lengths near 2^32, where adding 63 would wrap: refused, so the buffers need not be there.
    fn refused_by_a_huge_length(&mut self, runner: &mut Runner) -> Result<(), VerifyError> {
        for (length, counter) in [(u32::MAX, u32::MAX), (u32::MAX - 62, u32::MAX - (1 << 26) + 2), (1 << 31, u32::MAX)]
        {
            let state = bytes_of(&self.state(counter));
            let buffer = &self.junk[..BLOCK_BYTES];
            let args = [
                Arg::Out { before: buffer, offset: 0 },
                Arg::input(buffer, 0),
                Arg::Value(length),
                state_arg(self.counter, &state),
            ];
            runner.expect(&args, Some(1), buffer, || format!("{length} bytes from block {counter} on"))?;
        }
        Ok(())
    }

    /// A random state with this (low half of the) counter.
    fn state(&mut self, counter: u32) -> State {
        let mut state: State = self.random.words();
        state[COUNTER_WORD] = counter;
        state
    }

    /// One message.
    fn message(&self, runner: &mut Runner, state: &State, length: usize, layout: Layout) -> Result<(), VerifyError> {
        let (text, junk) = (&self.text[..length], &self.junk[..length]);
        let mut encrypted = text.to_vec();
        let refused = Soft.xor(self.rounds, self.counter, state, encrypted.as_mut_slice().into()).is_err();
        let before = if layout.input.is_some() { junk } else { text };
        let expected = if refused { before } else { &encrypted };
        let words = bytes_of(state);
        let args = [
            Arg::Out { before, offset: layout.out },
            layout.input.map_or(Arg::SameAs(0), |offset| Arg::input(text, offset)),
            Arg::Value(length as u32),
            state_arg(self.counter, &words),
        ];
        let case = || format!("{length} bytes, {layout}, state {}", hex(state));
        runner.expect(&args, Some(refused.into()), expected, case)
    }
}
