//! Hash functions and expansion of seeds: what differs between the variants (FIPS 203 section 4.1; Kyber round 3, section
//! 1.4).

use super::backend::{Room, Xof};
use crate::keccak::{Hasher, KeccakBackend, Sha3_256, Sha3_512, Shake128, Shake256, digest, digest_into};
use crate::params::mlkem::{Eta, SEED_BYTES};
use zeroize::Zeroize;

/// The symmetric primitives of a parameter set. Messages are given in parts.
pub trait Symmetric: 'static {
    /// See [`expander`](Self::expander).
    type Expander<'a, B: KeccakBackend + 'a, S: Room>: Expander;

    /// The function H.
    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]);

    /// The function G, which gives two values.
    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], a: &mut [u8; SEED_BYTES], b: &mut [u8; SEED_BYTES]);

    /// The function J, called KDF in round 3.
    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]);

    /// XOF and PRF: the public seed of a matrix, and the secret seed of noise. `S` is at least as large as the noise that is asked
    /// for.
    fn expander<'a, B: KeccakBackend, S: Room>(
        backend: &'a B,
        matrix: &'a [u8; SEED_BYTES],
        noise: &'a [u8; SEED_BYTES],
    ) -> Self::Expander<'a, B, S>;
}

/// Random bytes from a public seed and from a secret one, in one place, since an operation wants either now and then.
pub trait Expander: Xof {
    /// The next [`block`](Xof::block) is the first of the matrix's stream for these two indices.
    fn start(&mut self, x: u8, y: u8);

    /// The bytes that the noise of this number is made of: [`Eta::bytes`].
    fn noise(&mut self, number: u8, eta: Eta) -> &[u8];
}

/// A part of a block is a multiple of this, see [`Xof`].
const PART_BYTES: usize = 24;

/// SHA-3 and SHAKE.
#[derive(Clone, Copy, Debug)]
pub struct Keccak;

/// The seeds, a state, and the last output.
pub struct KeccakExpander<'a, B: KeccakBackend, S: Room> {
    matrix: &'a [u8; SEED_BYTES],
    noise: &'a [u8; SEED_BYTES],
    hasher: Hasher<&'a B>,
    bytes: S,
}

impl Symmetric for Keccak {
    type Expander<'a, B: KeccakBackend + 'a, S: Room> = KeccakExpander<'a, B, S>;

    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Sha3_256, &B>(backend, parts, out);
    }

    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], a: &mut [u8; SEED_BYTES], b: &mut [u8; SEED_BYTES]) {
        digest_into::<Sha3_512, &B>(backend, parts, &mut [a, b]);
    }

    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Shake256, &B>(backend, parts, out);
    }

    #[inline]
    fn expander<'a, B: KeccakBackend, S: Room>(
        backend: &'a B,
        matrix: &'a [u8; SEED_BYTES],
        noise: &'a [u8; SEED_BYTES],
    ) -> KeccakExpander<'a, B, S> {
        KeccakExpander { matrix, noise, hasher: Hasher::new(backend), bytes: S::default() }
    }
}

impl<B: KeccakBackend, S: Room> Expander for KeccakExpander<'_, B, S> {
    fn start(&mut self, x: u8, y: u8) {
        self.hasher.start::<Shake128>(&[self.matrix, &[x, y]]);
    }

    fn noise(&mut self, number: u8, eta: Eta) -> &[u8] {
        self.hasher.start::<Shake256>(&[self.noise, &[number]]);
        let bytes = &mut self.bytes.as_mut()[..eta.bytes()];
        self.hasher.read(bytes);
        bytes
    }
}

impl<B: KeccakBackend, S: Room> Xof for KeccakExpander<'_, B, S> {
    /// What is left of a block of SHAKE128, or as much of it as there is room for.
    #[inline]
    fn block(&mut self) -> &[u8] {
        let room = self.bytes.as_mut();
        let parts = room.len().min(self.hasher.left_in_block()) / PART_BYTES;
        let bytes = &mut room[..parts * PART_BYTES];
        self.hasher.read(bytes);
        bytes
    }
}

impl<B: KeccakBackend, S: Room> Drop for KeccakExpander<'_, B, S> {
    fn drop(&mut self) {
        self.bytes.as_mut().zeroize();
    }
}
