//! Hash functions and expansion of seeds: what differs between the variants (FIPS 203 section 4.1; Kyber round 3, section
//! 1.4).

use super::backend::Xof;
use crate::keccak::{Hasher, KeccakBackend, Sha3_256, Sha3_512, Shake128, Shake256, digest};
use crate::params::keccak::SHAKE128;
use crate::params::mlkem::{Eta, SEED_BYTES};
use zeroize::Zeroize;

/// The symmetric primitives of a parameter set. Messages are given in parts.
pub trait Symmetric: 'static {
    /// See [`expander`](Self::expander).
    type Expander<'a, B: KeccakBackend + 'a>: Expander;

    /// The function H.
    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]);

    /// The function G, which gives two values.
    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]);

    /// The function J, called KDF in round 3.
    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]);

    /// XOF and PRF: the public seed of a matrix, and the secret seed of noise.
    fn expander<'a, B: KeccakBackend>(
        backend: &'a B,
        matrix: &'a [u8; SEED_BYTES],
        noise: &'a [u8; SEED_BYTES],
    ) -> Self::Expander<'a, B>;
}

/// Random bytes from a public seed and from a secret one, in one place, since an operation wants either now and then.
pub trait Expander: Xof {
    /// The next [`block`](Xof::block) is the first of the matrix's stream for these two indices.
    fn start(&mut self, x: u8, y: u8);

    /// The bytes that the noise of this number is made of: [`Eta::bytes`].
    fn noise(&mut self, number: u8, eta: Eta) -> &[u8];
}

/// Bytes that an expander gives out at a time, at most: those of the widest noise, which are more than a block of SHAKE128.
pub const EXPANDED_BYTES_MAX: usize = Eta::Three.bytes();

/// SHA-3 and SHAKE.
#[derive(Clone, Copy, Debug)]
pub struct Keccak;

/// The seeds, a state, and the last output.
pub struct KeccakExpander<'a, B: KeccakBackend> {
    matrix: &'a [u8; SEED_BYTES],
    noise: &'a [u8; SEED_BYTES],
    hasher: Hasher<&'a B>,
    bytes: [u8; EXPANDED_BYTES_MAX],
}

impl Symmetric for Keccak {
    type Expander<'a, B: KeccakBackend + 'a> = KeccakExpander<'a, B>;

    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Sha3_256, &B>(backend, parts, out);
    }

    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]) {
        digest::<Sha3_512, &B>(backend, parts, out.as_flattened_mut());
    }

    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Shake256, &B>(backend, parts, out);
    }

    #[inline]
    fn expander<'a, B: KeccakBackend>(
        backend: &'a B,
        matrix: &'a [u8; SEED_BYTES],
        noise: &'a [u8; SEED_BYTES],
    ) -> KeccakExpander<'a, B> {
        KeccakExpander { matrix, noise, hasher: Hasher::new(backend), bytes: [0; EXPANDED_BYTES_MAX] }
    }
}

impl<B: KeccakBackend> Expander for KeccakExpander<'_, B> {
    fn start(&mut self, x: u8, y: u8) {
        self.hasher.start::<Shake128>(&[self.matrix, &[x, y]]);
    }

    fn noise(&mut self, number: u8, eta: Eta) -> &[u8] {
        self.hasher.start::<Shake256>(&[self.noise, &[number]]);
        let bytes = &mut self.bytes[..eta.bytes()];
        self.hasher.read(bytes);
        bytes
    }
}

impl<B: KeccakBackend> Xof for KeccakExpander<'_, B> {
    #[inline]
    fn block(&mut self) -> &[u8] {
        let bytes = &mut self.bytes[..SHAKE128.rate_bytes];
        self.hasher.read(bytes);
        bytes
    }
}

impl<B: KeccakBackend> Drop for KeccakExpander<'_, B> {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}
