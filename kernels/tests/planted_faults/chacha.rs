//! A ChaCha backend that is wrong in one way.

use kernels::Soft;
use kernels::chacha::{ChaChaBackend, CounterExhausted, State};
use kernels::cipher::inout::InOutBuf;
use kernels::params::chacha::{COUNTER_WORD, Counter, Rounds};
use kernels::testing::chacha::all;
use std::panic::catch_unwind;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// One bit of one word of the permutation.
    Permutation,
    /// No feed-forward into the last word.
    FeedForward,
    /// The last block of the 32-bit counter is refused.
    RefusesTooEarly,
    /// The 32-bit counter wraps instead of being refused.
    Wraps,
    /// Refused, but the first byte was written.
    WritesBeforeRefusing,
    /// No carry from word 12 to word 13.
    NoCarry,
    /// The last byte of a partial block stays as it was.
    PartialBlock,
    /// 12 rounds are computed as 20.
    Rounds,
}

#[derive(Clone)]
struct Faulty(Fault);

impl ChaChaBackend for Faulty {
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        let twelve_as_twenty = self.0 == Fault::Rounds && rounds == Rounds::R12;
        Soft.permute(if twelve_as_twenty { Rounds::R20 } else { rounds }, out, input);
        out[5] ^= u32::from(self.0 == Fault::Permutation);
    }

    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.permute(rounds, out, input);
        let fed = if self.0 == Fault::FeedForward { 15 } else { 16 };
        (0..fed).for_each(|i| out[i] = out[i].wrapping_add(input[i]));
    }

    fn xor(
        &self,
        rounds: Rounds,
        counter: Counter,
        state: &State,
        mut data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), CounterExhausted> {
        let length = data.len();
        let left = u64::from(u32::MAX - state[COUNTER_WORD]) + 1;
        let blocks = length.div_ceil(64) as u64;
        match self.0 {
            Fault::RefusesTooEarly if counter == Counter::Ietf && blocks == left => return Err(CounterExhausted),
            Fault::Wraps if counter == Counter::Ietf && blocks > left => {
                return Soft.xor(rounds, Counter::Djb, state, data);
            }
            Fault::WritesBeforeRefusing if counter == Counter::Ietf && blocks > left => data.get_out()[0] = 0,
            Fault::NoCarry if counter == Counter::Djb && blocks <= left => {
                return Soft.xor(rounds, Counter::Ietf, state, data);
            }
            Fault::NoCarry if counter == Counter::Djb => {
                let (now, later) = data.split_at(left as usize * 64);
                Soft.xor(rounds, Counter::Ietf, state, now)?;
                let mut state = *state;
                state[COUNTER_WORD] = 0;
                return Soft.xor(rounds, Counter::Ietf, &state, later);
            }
            Fault::PartialBlock if length % 64 != 0 => {
                return Soft.xor(rounds, counter, state, data.split_at(length - 1).0);
            }
            _ => {}
        }
        let (input, mut output) = (data.get_in().to_vec(), vec![0; length]);
        let mut state = *state;
        for (input, output) in input.chunks(64).zip(output.chunks_mut(64)) {
            let mut keystream = State::default();
            self.block(rounds, &mut keystream, &state);
            let bytes = keystream.iter().flat_map(|word| word.to_le_bytes());
            output.iter_mut().zip(input).zip(bytes).for_each(|((o, i), k)| *o = i ^ k);
            let (low, carry) = state[COUNTER_WORD].overflowing_add(1);
            state[COUNTER_WORD] = low;
            state[COUNTER_WORD + 1] = state[COUNTER_WORD + 1].wrapping_add(u32::from(carry && counter == Counter::Djb));
        }
        if counter == Counter::Ietf && blocks > left {
            return Err(CounterExhausted);
        }
        data.get_out().copy_from_slice(&output);
        Ok(())
    }
}

#[test]
fn every_fault_is_caught() {
    all(&Faulty(Fault::None));
    for fault in [
        Fault::Permutation,
        Fault::FeedForward,
        Fault::RefusesTooEarly,
        Fault::Wraps,
        Fault::WritesBeforeRefusing,
        Fault::NoCarry,
        Fault::PartialBlock,
        Fault::Rounds,
    ] {
        assert!(catch_unwind(|| all(&Faulty(fault))).is_err(), "{fault:?} was not caught");
    }
}
