//! ChaCha: the permutation, the block function, encryption, and the stream ciphers made of them.
//!
//! [`ChaChaBackend`] is the raw interface, equal in meaning to the generated functions `qr_chacha<rounds>_permute`,
//! `_block`, `_xor` and `_xor_djb`. The stream ciphers ([`ChaCha20`], [`XChaCha20`], ...) add keys, nonces, positions
//! and buffering through the traits of the [`cipher`] crate; [`ChaCha`], [`XChaCha`] and [`ChaChaLegacy`] are the same
//! for any number of rounds and any backend.

mod soft;
mod stream;

use crate::params::chacha::{BLOCK_BYTES, CONSTANTS, COUNTER_WORD, Counter, KEY_WORD, Rounds, STATE_WORDS};
use cipher::consts::U64;
use cipher::inout::InOutBuf;
use core::fmt;
use zeroize::Zeroize;

pub use soft::quarter_round;
pub use stream::{
    ChaCha, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, ChaChaLegacy, Construction,
    Extended, Ietf, Legacy, Stream, XChaCha, XChaCha8, XChaCha12, XChaCha20,
};

/// The sixteen words of a ChaCha state (RFC 8439 section 2.1).
pub type State = [u32; STATE_WORDS];

/// Encryption was refused, and nothing was written: the message needs more blocks than the 32-bit counter has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CounterExhausted;

impl fmt::Display for CounterExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the message needs more blocks than the 32-bit block counter has left: use another nonce")
    }
}

impl core::error::Error for CounterExhausted {}

/// What a ChaCha implementation does. Only [`permute`](Self::permute) has to be written; what is built on it is given,
/// and may be replaced by something faster that does the same.
pub trait ChaChaBackend {
    /// The permutation alone: `rounds / 2` double rounds, without the feed-forward (RFC 8439 section 2.3).
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State);

    /// The block function: the permutation, then the input added word by word (RFC 8439 section 2.3). `out` is the
    /// keystream block as words; its bytes are theirs in little-endian order.
    #[inline]
    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.permute(rounds, out, input);
        for (word, fed) in out.iter_mut().zip(input) {
            *word = word.wrapping_add(*fed);
        }
    }

    /// Encryption, which is also decryption: the output becomes the input XOR the keystream (RFC 8439 section 2.4).
    ///
    /// Block k of the data meets the block function of `state` with k added to its counter. `state` itself stays as it
    /// is, so the caller moves the counter on. Data may have any length; its last block may be partial.
    ///
    /// # Errors
    /// [`CounterExhausted`] if with [`Counter::Ietf`] the counter of the first block plus the number of blocks, the
    /// partial one included, exceeds 2^32. Nothing is written then. [`Counter::Djb`] wraps and never fails.
    fn xor(
        &self,
        rounds: Rounds,
        counter: Counter,
        state: &State,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), CounterExhausted> {
        let mut position = counter_of(counter, state);
        let blocks = data.len().div_ceil(BLOCK_BYTES) as u128;
        if counter == Counter::Ietf && u128::from(position) + blocks > counter.blocks() {
            return Err(CounterExhausted);
        }
        let mut state = *state;
        let mut keystream = [0; STATE_WORDS];
        let mut next_block = || {
            set_counter(counter, &mut state, position);
            position = position.wrapping_add(1);
            self.block(rounds, &mut keystream, &state);
            bytes_of(&keystream)
        };
        let (whole, mut partial) = data.into_chunks::<U64>();
        for mut block in whole {
            block.xor_in2out(&next_block().into());
        }
        if !partial.is_empty() {
            partial.xor_in2out(&next_block()[..partial.len()]);
        }
        state.zeroize();
        keystream.zeroize();
        Ok(())
    }
}

/// The state for a key, before any nonce: constants, key, zeroes (RFC 8439 section 2.3).
fn keyed_state(key: &[u8; 32]) -> State {
    let mut state = [0; STATE_WORDS];
    state[..KEY_WORD].copy_from_slice(&CONSTANTS);
    put_words(&mut state[KEY_WORD..COUNTER_WORD], key);
    state
}

/// Little-endian words out of four times as many bytes.
fn put_words(words: &mut [u32], bytes: &[u8]) {
    for (word, four) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*four);
    }
}

/// A keystream block, or a state, as bytes: each word little-endian (RFC 8439 section 2.3, "serialize").
#[inline]
pub fn bytes_of(words: &State) -> [u8; BLOCK_BYTES] {
    let mut bytes = [0; BLOCK_BYTES];
    for (four, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *four = word.to_le_bytes();
    }
    bytes
}

/// The number of the block that this state stands at.
#[inline]
fn counter_of(counter: Counter, state: &State) -> u64 {
    let low = u64::from(state[COUNTER_WORD]);
    match counter {
        Counter::Ietf => low,
        Counter::Djb => low | u64::from(state[COUNTER_WORD + 1]) << 32,
    }
}

/// Sets the number of the block; of a 32-bit counter the low half counts.
#[inline]
fn set_counter(counter: Counter, state: &mut State, position: u64) {
    state[COUNTER_WORD] = position as u32;
    if counter == Counter::Djb {
        state[COUNTER_WORD + 1] = (position >> 32) as u32;
    }
}

/// HChaCha: a fresh 256-bit key from a key and 16 bytes of nonce (draft-irtf-cfrg-xchacha-03 section 2.2).
pub fn hchacha<B: ChaChaBackend>(backend: &B, rounds: Rounds, key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    let mut state = keyed_state(key);
    put_words(&mut state[COUNTER_WORD..], nonce);
    let mut mixed = [0; STATE_WORDS];
    backend.permute(rounds, &mut mixed, &state);
    let mut subkey = [0; 32];
    let outer = mixed[..KEY_WORD].iter().chain(&mixed[COUNTER_WORD..]);
    for (four, word) in subkey.as_chunks_mut().0.iter_mut().zip(outer) {
        *four = word.to_le_bytes();
    }
    state.zeroize();
    mixed.zeroize();
    subkey
}
