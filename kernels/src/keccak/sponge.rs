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

/// A state and where the next byte goes in or comes out. Dropping it overwrites the state.
struct Core<F, B: KeccakBackend> {
    backend: B,
    state: B::State,
    /// From 0 up to the rate. When absorbing, less than the rate; when squeezing, the rate says that the state has to be
    /// permuted before the next byte.
    at: usize,
    function: PhantomData<F>,
}

impl<F: Function, B: KeccakBackend> Core<F, B> {
    #[inline]
    fn new(backend: B) -> Self {
        Core { backend, state: B::State::default(), at: 0, function: PhantomData }
    }

    /// Message bytes (FIPS 202 section 4, steps 4 to 6). Not inlined, like what else schemes call in many places.
    #[inline(never)]
    fn absorb(&mut self, mut message: &[u8]) {
        while !message.is_empty() {
            let (now, later) = message.split_at(message.len().min(F::ROW.rate_bytes - self.at));
            self.backend.xor_bytes(&mut self.state, self.at, now);
            self.at += now.len();
            if self.at == F::ROW.rate_bytes {
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
        self.backend.xor_bytes(&mut self.state, self.at, &[F::ROW.suffix]);
        self.backend.xor_bytes(&mut self.state, F::ROW.rate_bytes - 1, &[0x80]);
        self.at = F::ROW.rate_bytes;
    }

    /// The next bytes of the output (FIPS 202 section 4, steps 7 to 10).
    #[inline(never)]
    fn squeeze(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.at == F::ROW.rate_bytes {
                self.backend.permute(&mut self.state);
                self.at = 0;
            }
            let (now, later) = out.split_at_mut(out.len().min(F::ROW.rate_bytes - self.at));
            self.backend.copy_bytes(&self.state, self.at, now);
            self.at += now.len();
            out = later;
        }
    }
}

impl<F, B: KeccakBackend> Drop for Core<F, B> {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

/// A message that comes in pieces: function `F` on backend `B`.
pub struct Sponge<F: Function, B: KeccakBackend>(Core<F, B>);

impl<F: Function, B: KeccakBackend> Sponge<F, B> {
    /// The empty message.
    pub fn new(backend: B) -> Self {
        Sponge(Core::new(backend))
    }

    /// Appends to the message.
    pub fn update(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// The end of the message.
    pub fn finish(mut self) -> Reader<F, B> {
        self.0.pad();
        Reader(self.0)
    }
}

/// The output for a message: function `F` on backend `B`. What SHA-3 defines of it is the first 32 or 64 bytes; that of
/// SHAKE never ends.
pub struct Reader<F: Function, B: KeccakBackend>(Core<F, B>);

impl<F: Function, B: KeccakBackend> Reader<F, B> {
    /// The output for the concatenation of `parts`.
    #[inline]
    pub fn new(backend: B, parts: &[&[u8]]) -> Self {
        let mut reader = Reader(Core::new(backend));
        reader.0.message(parts);
        reader
    }

    /// The output for another message, in the same place in memory: a state is large, and moving it costs time and stack.
    #[inline(never)]
    pub fn restart(&mut self, parts: &[&[u8]]) {
        self.0.state = B::State::default();
        self.0.at = 0;
        self.0.message(parts);
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
#[inline(never)]
pub fn digest<F: Function, B: KeccakBackend>(backend: B, parts: &[&[u8]], out: &mut [u8]) {
    let mut core = Core::<F, B>::new(backend);
    core.message(parts);
    core.squeeze(out);
}
