//! The 90s variants: SHA-2, and AES-256 in counter mode (Kyber round 3, section 1.4).
//!
//! Both come from RustCrypto, whose portable AES is bitsliced: no table, and no time that depends on the key.

use super::backend::Xof;
use super::symmetric::{Matrix, Noise, Symmetric};
use crate::keccak::KeccakBackend;
use crate::params::mlkem::SEED_BYTES;
use aes::Aes256;
use cipher::{Block, BlockCipherEncrypt, KeyInit};
use sha2::{Digest, Sha256, Sha512};

/// Bytes of a block of AES.
const BLOCK_BYTES: usize = 16;

/// Blocks of AES that are computed together: a multiple of what bitslicing takes, and in bytes a multiple of 3.
const BLOCKS: usize = 12;

/// SHA-2 and AES.
#[derive(Clone, Copy, Debug)]
pub struct Nineties;

/// The seed of noise, as a key.
pub struct AesNoise(Aes256);

/// The seed of a matrix, as a key, and the output of the counter mode for one entry.
pub struct AesMatrix {
    cipher: Aes256,
    nonce: [u8; 2],
    /// The number of the next block of AES.
    next: u32,
    block: [u8; BLOCK_BYTES * BLOCKS],
}

/// The hash of a message in parts.
fn hash<D: Digest>(parts: &[&[u8]], out: &mut [u8]) {
    let mut hasher = D::new();
    parts.iter().for_each(|part| hasher.update(part));
    out.copy_from_slice(&hasher.finalize());
}

/// Encrypted counters: the nonce, zeroes, and a big-endian counter of 32 bits.
fn counters(cipher: &Aes256, nonce: [u8; 2], mut next: u32, out: &mut [u8]) {
    for many in out.chunks_mut(BLOCK_BYTES * BLOCKS) {
        let mut blocks: [Block<Aes256>; BLOCKS] = Default::default();
        let blocks = &mut blocks[..many.len().div_ceil(BLOCK_BYTES)];
        for block in blocks.iter_mut() {
            block[..2].copy_from_slice(&nonce);
            block[BLOCK_BYTES - 4..].copy_from_slice(&next.to_be_bytes());
            next += 1;
        }
        cipher.encrypt_blocks(blocks);
        many.iter_mut().zip(blocks.iter().flatten()).for_each(|(out, byte)| *out = *byte);
        blocks.iter_mut().for_each(|block| zeroize::Zeroize::zeroize(block.as_mut_slice()));
    }
}

impl Symmetric for Nineties {
    type Matrix<'a, B: KeccakBackend + 'a> = AesMatrix;
    type Noise<'a, B: KeccakBackend + 'a> = AesNoise;

    fn h<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        hash::<Sha256>(parts, out);
    }

    fn g<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]) {
        hash::<Sha512>(parts, out.as_flattened_mut());
    }

    fn j<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        hash::<Sha256>(parts, out);
    }

    fn matrix<'a, B: KeccakBackend>(_: &'a B, seed: &'a [u8; SEED_BYTES]) -> AesMatrix {
        AesMatrix { cipher: Aes256::new(seed.into()), nonce: [0; 2], next: 0, block: [0; BLOCK_BYTES * BLOCKS] }
    }

    fn noise<'a, B: KeccakBackend>(_: &'a B, seed: &'a [u8; SEED_BYTES]) -> AesNoise {
        AesNoise(Aes256::new(seed.into()))
    }
}

impl Matrix for AesMatrix {
    fn start(&mut self, x: u8, y: u8) {
        self.nonce = [x, y];
        self.next = 0;
    }
}

impl Xof for AesMatrix {
    fn block(&mut self) -> &[u8] {
        counters(&self.cipher, self.nonce, self.next, &mut self.block);
        self.next += BLOCKS as u32;
        &self.block
    }
}

impl Noise for AesNoise {
    fn fill(&self, number: u8, out: &mut [u8]) {
        counters(&self.0, [number, 0], 0, out);
    }
}
