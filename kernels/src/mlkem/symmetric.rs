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

/// Random polynomials from a public seed, one after the other.
pub trait Matrix: Xof {
    /// The next bytes are the first of the stream for these two indices.
    fn start(&mut self, x: u8, y: u8);
}

/// Noise from a secret seed.
pub trait Noise {
    /// The first bytes for this number.
    fn fill(&self, number: u8, out: &mut [u8]);
}

/// SHA-3 and SHAKE.
#[derive(Clone, Copy, Debug)]
pub struct Keccak;

/// The seed of a matrix, and the output of SHAKE128 for one entry, a whole block at a time.
pub struct KeccakMatrix<'a, B: KeccakBackend> {
    seed: &'a [u8; SEED_BYTES],
    reader: Reader<Shake128, &'a B>,
    block: [u8; SHAKE128.rate_bytes],
}

/// The seed of noise.
pub struct KeccakNoise<'a, B> {
    backend: &'a B,
    seed: &'a [u8; SEED_BYTES],
}

impl Symmetric for Keccak {
    type Matrix<'a, B: KeccakBackend + 'a> = KeccakMatrix<'a, B>;
    type Noise<'a, B: KeccakBackend + 'a> = KeccakNoise<'a, B>;

    fn h<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Sha3_256, &B>(backend, parts, out);
    }

    fn g<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]) {
        digest::<Sha3_512, &B>(backend, parts, out.as_flattened_mut());
    }

    fn j<B: KeccakBackend>(backend: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        digest::<Shake256, &B>(backend, parts, out);
    }

    fn matrix<'a, B: KeccakBackend>(backend: &'a B, seed: &'a [u8; SEED_BYTES]) -> KeccakMatrix<'a, B> {
        KeccakMatrix { seed, reader: Reader::new(backend, &[]), block: [0; SHAKE128.rate_bytes] }
    }

    fn noise<'a, B: KeccakBackend>(backend: &'a B, seed: &'a [u8; SEED_BYTES]) -> KeccakNoise<'a, B> {
        KeccakNoise { backend, seed }
    }
}

impl<B: KeccakBackend> Matrix for KeccakMatrix<'_, B> {
    fn start(&mut self, x: u8, y: u8) {
        self.reader.restart(&[self.seed, &[x, y]]);
    }
}

impl<B: KeccakBackend> Xof for KeccakMatrix<'_, B> {
    #[inline]
    fn block(&mut self) -> &[u8] {
        self.reader.read(&mut self.block);
        &self.block
    }
}

impl<B: KeccakBackend> Noise for KeccakNoise<'_, B> {
    fn fill(&self, number: u8, out: &mut [u8]) {
        digest::<Shake256, &B>(self.backend, &[self.seed, &[number]], out);
    }
}
