//! Hash functions and expansion of seeds: what differs between the variants (FIPS 203 section 4.1; Kyber round 3, section
//! 1.4).

use super::backend::Xof;
use crate::keccak::{KeccakBackend, Reader, Sha3_256, Sha3_512, Shake128, Shake256, digest};
use crate::params::keccak::SHAKE128;
use crate::params::mlkem::SEED_BYTES;

/// The symmetric primitives of a parameter set. Messages are given in parts.
pub trait Symmetric: 'static {
    /// See [`matrix`](Self::matrix).
    type Matrix<'a, B: KeccakBackend + 'a>: Matrix;
    /// See [`noise`](Self::noise).
    type Noise<'a, B: KeccakBackend + 'a>: Noise;

    /// The function H.
    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]);

    /// The function G, which gives two values.
    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]);

    /// The function J, called KDF in round 3.
    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]);

    /// XOF: the seed of a matrix.
    fn matrix<'a, B: KeccakBackend>(backend: &'a B, seed: &'a [u8; SEED_BYTES]) -> Self::Matrix<'a, B>;

    /// PRF: the seed of secret noise.
    fn noise<'a, B: KeccakBackend>(backend: &'a B, seed: &'a [u8; SEED_BYTES]) -> Self::Noise<'a, B>;
}

/// Random polynomials from a public seed.
pub trait Matrix {
    /// See [`stream`](Self::stream).
    type Stream<'a>: Xof
    where
        Self: 'a;

    /// The stream of bytes for these two indices.
    fn stream(&self, x: u8, y: u8) -> Self::Stream<'_>;
}

/// Noise from a secret seed.
pub trait Noise {
    /// The first bytes for this number.
    fn fill(&self, number: u8, out: &mut [u8]);
}

/// SHA-3 and SHAKE.
#[derive(Clone, Copy, Debug)]
pub struct Keccak;

/// A seed that Keccak expands.
pub struct KeccakSeed<'a, B> {
    backend: &'a B,
    seed: &'a [u8; SEED_BYTES],
}

/// Output of SHAKE128, a whole block at a time.
pub struct KeccakStream<'a, B: KeccakBackend> {
    reader: Reader<Shake128, &'a B>,
    block: [u8; SHAKE128.rate_bytes],
}

impl Symmetric for Keccak {
    type Matrix<'a, B: KeccakBackend + 'a> = KeccakSeed<'a, B>;
    type Noise<'a, B: KeccakBackend + 'a> = KeccakSeed<'a, B>;

    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Sha3_256, &B>(backend, parts, out);
    }

    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]) {
        digest::<Sha3_512, &B>(backend, parts, out.as_flattened_mut());
    }

    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Shake256, &B>(backend, parts, out);
    }

    fn matrix<'a, B: KeccakBackend>(backend: &'a B, seed: &'a [u8; SEED_BYTES]) -> KeccakSeed<'a, B> {
        KeccakSeed { backend, seed }
    }

    fn noise<'a, B: KeccakBackend>(backend: &'a B, seed: &'a [u8; SEED_BYTES]) -> KeccakSeed<'a, B> {
        KeccakSeed { backend, seed }
    }
}

impl<B: KeccakBackend> Matrix for KeccakSeed<'_, B> {
    type Stream<'a>
        = KeccakStream<'a, B>
    where
        Self: 'a;

    fn stream(&self, x: u8, y: u8) -> KeccakStream<'_, B> {
        let reader = Reader::new(self.backend, &[self.seed, &[x, y]]);
        KeccakStream { reader, block: [0; SHAKE128.rate_bytes] }
    }
}

impl<B: KeccakBackend> Xof for KeccakStream<'_, B> {
    #[inline]
    fn block(&mut self) -> &[u8] {
        self.reader.read(&mut self.block);
        &self.block
    }
}

impl<B: KeccakBackend> Noise for KeccakSeed<'_, B> {
    fn fill(&self, number: u8, out: &mut [u8]) {
        digest::<Shake256, &B>(self.backend, &[self.seed, &[number]], out);
    }
}
