//! The stream ciphers: a state, a position, and what is left of a keystream block.

use super::{ChaChaBackend, State, bytes_of, hchacha, keyed_state, put_words, set_counter};
use crate::backend::Soft;
use crate::params::chacha::{BLOCK_BYTES, COUNTER_WORD, Counter, Rounds};
use cipher::array::{Array, ArraySize};
use cipher::consts::{U8, U12, U24, U32};
use cipher::inout::InOutBuf;
use cipher::{
    Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher, StreamCipherError,
    StreamCipherSeek,
};
use core::fmt;
use core::marker::PhantomData;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// How a key and a nonce become a state. The number of rounds is part of it.
pub trait Construction {
    /// Bytes of the nonce.
    type NonceSize: ArraySize;
    /// The number of rounds.
    const ROUNDS: Rounds;
    /// The kind of block counter.
    const COUNTER: Counter;
    /// What stands before and after `ChaCha<rounds>` in the name.
    const NAME: [&'static str; 2];
    /// The state of block 0.
    fn setup<B: ChaChaBackend>(backend: &B, key: &[u8; 32], nonce: &Array<u8, Self::NonceSize>) -> State;
}

/// `R` as a checked number of rounds; a wrong one does not compile.
const fn rounds(number: u32) -> Rounds {
    match Rounds::new(number) {
        Ok(rounds) => rounds,
        Err(_) => panic!("ChaCha needs an even number of rounds, at least 2"),
    }
}

/// 96-bit nonce and 32-bit counter (RFC 8439 section 2.3).
#[derive(Clone, Copy, Debug)]
pub struct Ietf<const R: u32>;

impl<const R: u32> Construction for Ietf<R> {
    type NonceSize = U12;
    const ROUNDS: Rounds = rounds(R);
    const COUNTER: Counter = Counter::Ietf;
    const NAME: [&'static str; 2] = ["", ""];

    fn setup<B: ChaChaBackend>(_: &B, key: &[u8; 32], nonce: &Array<u8, U12>) -> State {
        let mut state = keyed_state(key);
        put_words(&mut state[COUNTER_WORD + 1..], nonce);
        state
    }
}

/// 64-bit nonce and 64-bit counter: ChaCha as first published.
#[derive(Clone, Copy, Debug)]
pub struct Legacy<const R: u32>;

impl<const R: u32> Construction for Legacy<R> {
    type NonceSize = U8;
    const ROUNDS: Rounds = rounds(R);
    const COUNTER: Counter = Counter::Djb;
    const NAME: [&'static str; 2] = ["", "Legacy"];

    fn setup<B: ChaChaBackend>(_: &B, key: &[u8; 32], nonce: &Array<u8, U8>) -> State {
        let mut state = keyed_state(key);
        put_words(&mut state[COUNTER_WORD + 2..], nonce);
        state
    }
}

/// 192-bit nonce: HChaCha of its first 16 bytes gives the key, its last 8 the nonce, after four zero bytes
/// (draft-irtf-cfrg-xchacha-03 section 2.3).
#[derive(Clone, Copy, Debug)]
pub struct Extended<const R: u32>;

impl<const R: u32> Construction for Extended<R> {
    type NonceSize = U24;
    const ROUNDS: Rounds = rounds(R);
    const COUNTER: Counter = Counter::Ietf;
    const NAME: [&'static str; 2] = ["X", ""];

    fn setup<B: ChaChaBackend>(backend: &B, key: &[u8; 32], nonce: &Array<u8, U24>) -> State {
        let (for_key, for_state) = nonce.split_ref::<cipher::consts::U16>();
        let mut subkey = hchacha(backend, Self::ROUNDS, key, for_key.as_ref());
        let mut state = keyed_state(&subkey);
        put_words(&mut state[COUNTER_WORD + 2..], for_state);
        subkey.zeroize();
        state
    }
}

/// ChaCha with a 96-bit nonce, any even number of rounds, on any backend.
pub type ChaCha<const R: u32, B> = Stream<Ietf<R>, B>;
/// ChaCha with a 64-bit nonce and a 64-bit counter, any even number of rounds, on any backend.
pub type ChaChaLegacy<const R: u32, B> = Stream<Legacy<R>, B>;
/// ChaCha with a 192-bit nonce, any even number of rounds, on any backend.
pub type XChaCha<const R: u32, B> = Stream<Extended<R>, B>;

/// ChaCha20 of RFC 8439, portable.
pub type ChaCha20 = ChaCha<20, Soft>;
/// [`ChaCha20`] with 12 rounds.
pub type ChaCha12 = ChaCha<12, Soft>;
/// [`ChaCha20`] with 8 rounds.
pub type ChaCha8 = ChaCha<8, Soft>;
/// XChaCha20 of draft-irtf-cfrg-xchacha-03, portable.
pub type XChaCha20 = XChaCha<20, Soft>;
/// [`XChaCha20`] with 12 rounds, in HChaCha as well.
pub type XChaCha12 = XChaCha<12, Soft>;
/// [`XChaCha20`] with 8 rounds, in HChaCha as well.
pub type XChaCha8 = XChaCha<8, Soft>;
/// ChaCha20 as first published, with a 64-bit nonce, portable.
pub type ChaCha20Legacy = ChaChaLegacy<20, Soft>;
/// [`ChaCha20Legacy`] with 12 rounds.
pub type ChaCha12Legacy = ChaChaLegacy<12, Soft>;
/// [`ChaCha20Legacy`] with 8 rounds.
pub type ChaCha8Legacy = ChaChaLegacy<8, Soft>;

/// A ChaCha stream cipher: construction `C` on backend `B`.
///
/// The keystream starts at block 0 and has as many blocks as the counter has values: 2^32 (256 GiB) or 2^64. Asking for
/// more is an error that writes nothing. To start at another block, seek to 64 times its number.
///
/// Dropping it overwrites the state and the buffered keystream. Copies that the compiler made in registers and on the
/// stack are beyond its reach.
#[derive(Clone)]
pub struct Stream<C, B> {
    /// The state of the next block, but for its counter.
    state: State,
    /// The number of the next block; the number of blocks when the keystream is used up.
    next: u128,
    /// The keystream block before `next`.
    buffer: [u8; BLOCK_BYTES],
    /// Bytes of `buffer` that are used up, 1 to 64; 64 when there is none.
    used: usize,
    backend: B,
    construction: PhantomData<C>,
}

impl<C: Construction, B: ChaChaBackend> Stream<C, B> {
    /// The cipher on this backend.
    pub fn with_backend(backend: B, key: &Key<Self>, nonce: &Iv<Self>) -> Self {
        Stream {
            state: C::setup(&backend, key.as_ref(), nonce),
            next: 0,
            buffer: [0; BLOCK_BYTES],
            used: BLOCK_BYTES,
            backend,
            construction: PhantomData,
        }
    }

    /// The bytes of keystream that are left.
    fn remaining(&self) -> u128 {
        (C::COUNTER.blocks() - self.next) * BLOCK_BYTES as u128 + (BLOCK_BYTES - self.used) as u128
    }

    /// Fills the buffer with the next block and uses up its first `used` bytes.
    fn refill(&mut self, used: usize) {
        self.wrap();
        set_counter(C::COUNTER, &mut self.state, self.next as u64);
        let mut keystream = State::default();
        self.backend.block(C::ROUNDS, &mut keystream, &self.state);
        self.buffer = bytes_of(&keystream);
        keystream.zeroize();
        self.next += 1;
        self.used = used;
    }

    /// Applies whole blocks of keystream, without the buffer.
    fn apply_blocks(&mut self, mut data: InOutBuf<'_, '_, u8>) {
        while !data.is_empty() {
            self.wrap();
            let left = C::COUNTER.blocks() - self.next;
            let blocks = left.min((data.len() / BLOCK_BYTES) as u128);
            let (now, later) = data.split_at(blocks as usize * BLOCK_BYTES);
            set_counter(C::COUNTER, &mut self.state, self.next as u64);
            let done = self.backend.xor(C::ROUNDS, C::COUNTER, &self.state, now);
            debug_assert!(done.is_ok(), "no more blocks than are left");
            self.next += blocks;
            data = later;
        }
    }

    /// Only the unchecked methods go past the end: the keystream repeats from its beginning.
    fn wrap(&mut self) {
        if self.next == C::COUNTER.blocks() {
            self.next = 0;
        }
    }
}

impl<C: Construction, B> KeySizeUser for Stream<C, B> {
    type KeySize = U32;
}

impl<C: Construction, B> IvSizeUser for Stream<C, B> {
    type IvSize = C::NonceSize;
}

impl<C: Construction, B: ChaChaBackend + Default> KeyIvInit for Stream<C, B> {
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self::with_backend(B::default(), key, iv)
    }
}

impl<C: Construction, B: ChaChaBackend> StreamCipher for Stream<C, B> {
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        if data_len as u128 > self.remaining() { Err(StreamCipherError) } else { Ok(()) }
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        let buffered = data.len().min(BLOCK_BYTES - self.used);
        let (mut head, data) = data.split_at(buffered);
        head.xor_in2out(&self.buffer[self.used..][..buffered]);
        self.used += buffered;
        let whole = data.len() - data.len() % BLOCK_BYTES;
        let (blocks, mut tail) = data.split_at(whole);
        self.apply_blocks(blocks);
        if !tail.is_empty() {
            self.refill(tail.len());
            tail.xor_in2out(&self.buffer[..tail.len()]);
        }
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.unchecked_apply_keystream(buf);
    }
}

impl<C: Construction, B: ChaChaBackend> StreamCipherSeek for Stream<C, B> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        T::from_block_byte(self.next, self.used as u8, BLOCK_BYTES as u8)
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (block, byte) = pos.into_block_byte::<u128>(BLOCK_BYTES as u8)?;
        let end = C::COUNTER.blocks();
        if block > end || (block == end && byte != 0) {
            return Err(StreamCipherError);
        }
        self.next = block;
        self.used = BLOCK_BYTES;
        if byte != 0 {
            self.refill(byte.into());
        }
        Ok(())
    }
}

impl<C: Construction, B> fmt::Debug for Stream<C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = C::NAME;
        write!(f, "{before}ChaCha{}{after} {{ .. }}", C::ROUNDS)
    }
}

impl<C, B> Drop for Stream<C, B> {
    fn drop(&mut self) {
        self.state.zeroize();
        self.buffer.zeroize();
    }
}

impl<C, B> ZeroizeOnDrop for Stream<C, B> {}
