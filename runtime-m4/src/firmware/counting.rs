//! The board's backend, with the cycles of its kernels counted: those of ChaCha and of Keccak.

use super::counter;
use super::linked::Native;
use core::sync::atomic::{AtomicU32, Ordering};
use kernels::chacha::{ChaChaBackend, CounterExhausted, State};
use kernels::cipher::inout::InOutBuf;
use kernels::keccak::KeccakBackend;
use kernels::mlkem::MlKemBackend;
use kernels::params::chacha::{Counter, Rounds};

/// Cycles inside the kernels.
static INSIDE: AtomicU32 = AtomicU32::new(0);

/// The backend.
#[derive(Clone, Copy, Default)]
pub struct Counting;

impl Counting {
    /// The cycles inside the kernels since the last time.
    pub fn take() -> u32 {
        INSIDE.swap(0, Ordering::Relaxed)
    }
}

fn counted<T>(work: impl FnOnce(Native) -> T) -> T {
    let before = counter::now();
    let result = work(Native::default());
    INSIDE.fetch_add(counter::now().wrapping_sub(before), Ordering::Relaxed);
    result
}

impl ChaChaBackend for Counting {
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        counted(|native| ChaChaBackend::permute(&native, rounds, out, input));
    }

    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        counted(|native| native.block(rounds, out, input));
    }

    fn xor(
        &self,
        rounds: Rounds,
        counter: Counter,
        state: &State,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), CounterExhausted> {
        counted(|native| native.xor(rounds, counter, state, data))
    }
}

impl KeccakBackend for Counting {
    type State = <Native as KeccakBackend>::State;

    fn permute(&self, state: &mut Self::State) {
        counted(|native| KeccakBackend::permute(&native, state));
    }

    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        counted(|native| native.xor_bytes(state, offset, bytes));
    }

    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        counted(|native| native.copy_bytes(state, offset, bytes));
    }
}

impl MlKemBackend for Counting {
    type Operand = <Native as MlKemBackend>::Operand;
    type Sum = <Native as MlKemBackend>::Sum;
    type Bytes = <Native as MlKemBackend>::Bytes;

    mlkem_from! { self => Native::default(); encodings }
    mlkem_from! { self => Native::default(); packing }
    mlkem_from! { self => Native::default(); sampling }
    mlkem_from! { self => Native::default(); products }
    mlkem_from! { self => Native::default(); transforms }
}
