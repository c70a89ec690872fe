//! Keccak-f\[1600\] and what stands on it: SHA3-256, SHA3-512, SHAKE128 and SHAKE256 (FIPS 202).
//!
//! [`KeccakBackend`] is the raw interface. The state has whatever form the backend likes, and stays in it: a backend for
//! 32-bit cores keeps the even and the odd bits of a lane apart, and converts only the bytes that go in or come out.
//! [`digest`] is for messages that are in memory, [`Sponge`] for those that come in pieces, [`Reader`] for output of any
//! length.

mod cut;
pub mod interleaved;
mod soft;
mod sponge;

use zeroize::Zeroize;

pub use interleaved::Interleaved;
pub(crate) use sponge::Hasher;
pub use sponge::{Function, Reader, Sha3_256, Sha3_512, Shake128, Shake256, Sponge, digest, digest_into};

/// What a Keccak implementation does.
pub trait KeccakBackend {
    /// The 1600 bits, in the backend's own representation. The default is the state of all zeroes.
    type State: Default + Zeroize;

    /// The permutation: 24 rounds (FIPS 202 section 3.4).
    fn permute(&self, state: &mut Self::State);

    /// Adds bytes to the state, the first to byte `offset` (FIPS 202 section 3.1.2 has the order). `offset` and the number
    /// of bytes add up to at most 200.
    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]);

    /// Copies bytes out of the state, from byte `offset` on. `offset` and the number of bytes add up to at most 200.
    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]);

    /// A scheme says that these bytes are public, though secrets went into them: from here on branches, addresses and time
    /// may depend on them. `name` says which of the scheme's public values they are, such as those in
    /// [`mlkem::public`](crate::mlkem::public).
    ///
    /// It does nothing. A backend that follows secrets through a run, on a simulator for example, is told here where that is
    /// to end.
    #[inline(always)]
    fn declassify(&self, name: &'static str, bytes: &[u8]) {
        let _ = (name, bytes);
    }
}

/// A reference will do for a backend, so that a scheme can lend its own.
impl<B: KeccakBackend> KeccakBackend for &B {
    type State = B::State;

    #[inline]
    fn permute(&self, state: &mut Self::State) {
        B::permute(self, state);
    }

    #[inline]
    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        B::xor_bytes(self, state, offset, bytes);
    }

    #[inline]
    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        B::copy_bytes(self, state, offset, bytes);
    }

    #[inline(always)]
    fn declassify(&self, name: &'static str, bytes: &[u8]) {
        B::declassify(self, name, bytes);
    }
}
