//! Sponges: messages in, bytes out.

use super::KeccakBackend;
use crate::params::keccak;
use core::fmt;
use core::marker::PhantomData;
use zeroize::Zeroize;

/// Which function of FIPS 202 a sponge computes.
pub trait Function {
    /// Its row.
    const ROW: keccak::Function;
}

macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $row:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl Function for $name {
            const ROW: keccak::Function = keccak::$row;
        }
    };
}

function!(
    /// SHA3-256: 32 bytes.
    Sha3_256, SHA3_256
);
function!(
    /// SHA3-512: 64 bytes.
    Sha3_512, SHA3_512
);
function!(
    /// SHAKE128: any number of bytes.
    Shake128, SHAKE128
);
function!(
    /// SHAKE256: any number of bytes.
    Shake256, SHAKE256
);

/// A state and where the next byte goes in or comes out. Dropping it overwrites the state. Which function it computes is a value,
/// so that there is one code for all of them.
struct Core<B: KeccakBackend> {
    backend: B,
    state: B::State,
    /// From 0 up to the rate. When absorbing, less than the rate; when squeezing, the rate says that the state has to be
    /// permuted before the next byte.
    at: usize,
    rate_bytes: usize,
    suffix: u8,
}

impl<B: KeccakBackend> Core<B> {
    #[inline]
    fn new(backend: B, function: &keccak::Function) -> Self {
        let keccak::Function { rate_bytes, suffix, .. } = *function;
        Core { backend, state: B::State::default(), at: 0, rate_bytes, suffix }
    }

    /// Message bytes (FIPS 202 section 4, steps 4 to 6). Not inlined, like what else schemes call in many places.
    #[inline(never)]
    fn absorb(&mut self, mut message: &[u8]) {
        while !message.is_empty() {
            let (now, later) = message.split_at(message.len().min(self.rate_bytes - self.at));
            self.backend.xor_bytes(&mut self.state, self.at, now);
            self.at += now.len();
            if self.at == self.rate_bytes {
                self.backend.permute(&mut self.state);
                self.at = 0;
            }
            message = later;
        }
    }

    /// The whole message, in place.
    #[inline]
    fn message(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.absorb(part));
        self.pad();
    }

    /// The end of the message (FIPS 202 section 5.1).
    #[inline]
    fn pad(&mut self) {
        self.backend.xor_bytes(&mut self.state, self.at, &[self.suffix]);
        self.backend.xor_bytes(&mut self.state, self.rate_bytes - 1, &[0x80]);
        self.at = self.rate_bytes;
    }

    /// The next bytes of the output (FIPS 202 section 4, steps 7 to 10).
    #[inline(never)]
    fn squeeze(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.at == self.rate_bytes {
                self.backend.permute(&mut self.state);
                self.at = 0;
            }
            let (now, later) = out.split_at_mut(out.len().min(self.rate_bytes - self.at));
            self.backend.copy_bytes(&self.state, self.at, now);
            self.at += now.len();
            out = later;
        }
    }
}

impl<B: KeccakBackend> Drop for Core<B> {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

/// Messages and their outputs, one after the other in the same place in memory, of whatever function each wants: a state is large,
/// and moving it, or having several, costs time and stack.
pub struct Hasher<B: KeccakBackend>(Core<B>);

impl<B: KeccakBackend> Hasher<B> {
    /// No message yet: [`start`](Self::start) comes before what is read.
    #[inline]
    pub fn new(backend: B) -> Self {
        Hasher(Core::new(backend, &keccak::SHAKE256))
    }

    /// From here on [`read`](Self::read) gives the output of `F` for the concatenation of `parts`.
    #[inline]
    pub fn start<F: Function>(&mut self, parts: &[&[u8]]) {
        self.restart(F::ROW.rate_bytes, F::ROW.suffix, parts);
    }

    #[inline(never)]
    fn restart(&mut self, rate_bytes: usize, suffix: u8, parts: &[&[u8]]) {
        let Hasher(core) = self;
        (core.rate_bytes, core.suffix, core.at) = (rate_bytes, suffix, 0);
        core.state = B::State::default();
        core.message(parts);
    }

    /// The next bytes.
    #[inline]
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.squeeze(out);
    }

    /// How many bytes can be read before the state has to be permuted again; all of a block if that is now.
    #[inline]
    pub fn left_in_block(&self) -> usize {
        let Core { at, rate_bytes, .. } = self.0;
        if at == rate_bytes { rate_bytes } else { rate_bytes - at }
    }
}

/// A message that comes in pieces: function `F` on backend `B`.
pub struct Sponge<F: Function, B: KeccakBackend>(Core<B>, PhantomData<F>);

impl<F: Function, B: KeccakBackend> Sponge<F, B> {
    /// The empty message.
    pub fn new(backend: B) -> Self {
        Sponge(Core::new(backend, &F::ROW), PhantomData)
    }

    /// Appends to the message.
    pub fn update(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// The end of the message.
    pub fn finish(mut self) -> Reader<F, B> {
        self.0.pad();
        Reader(self.0, PhantomData)
    }
}

/// The output for a message: function `F` on backend `B`. What SHA-3 defines of it is the first 32 or 64 bytes; that of
/// SHAKE never ends.
pub struct Reader<F: Function, B: KeccakBackend>(Core<B>, PhantomData<F>);

impl<F: Function, B: KeccakBackend> Reader<F, B> {
    /// The output for the concatenation of `parts`.
    pub fn new(backend: B, parts: &[&[u8]]) -> Self {
        let mut core = Core::new(backend, &F::ROW);
        core.message(parts);
        Reader(core, PhantomData)
    }

    /// The next bytes.
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.squeeze(out);
    }
}

impl<F: Function, B: KeccakBackend> fmt::Debug for Sponge<F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(F::ROW.name).finish_non_exhaustive()
    }
}

impl<F: Function, B: KeccakBackend> fmt::Debug for Reader<F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(F::ROW.name).finish_non_exhaustive()
    }
}

/// The first bytes of the output for the concatenation of `parts`.
pub fn digest<F: Function, B: KeccakBackend>(backend: B, parts: &[&[u8]], out: &mut [u8]) {
    digest_into::<F, B>(backend, parts, &mut [out]);
}

/// The same into several places, one after the other. A function of its own, so that the state is in nobody else's memory.
#[inline(never)]
pub fn digest_into<F: Function, B: KeccakBackend>(backend: B, parts: &[&[u8]], out: &mut [&mut [u8]]) {
    let mut hasher = Hasher::new(backend);
    hasher.start::<F>(parts);
    out.iter_mut().for_each(|out| hasher.read(out));
}
