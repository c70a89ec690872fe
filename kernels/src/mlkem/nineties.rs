//! The 90s variants: SHA-2, and AES-256 in counter mode (Kyber round 3, section 1.4).
//!
//! Both come from RustCrypto, whose portable AES is bitsliced: no table, and no time that depends on the key.

use super::backend::Xof;
use super::symmetric::{EXPANDED_BYTES_MAX, Expander, Symmetric};
use crate::keccak::KeccakBackend;
use crate::params::mlkem::{Eta, SEED_BYTES};
use aes::Aes256;
use cipher::{Block, BlockCipherEncrypt, KeyInit};
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroize;

/// Bytes of a block of AES.
const BLOCK_BYTES: usize = 16;

/// Blocks of AES that are computed together: a multiple of what bitslicing takes, and in bytes a multiple of 3.
const BLOCKS: usize = EXPANDED_BYTES_MAX / BLOCK_BYTES;

/// SHA-2 and AES.
#[derive(Clone, Copy, Debug)]
pub struct Nineties;

/// The seeds, as keys, and the last output of the counter mode.
pub struct AesExpander {
    matrix: Aes256,
    noise: Aes256,
    nonce: [u8; 2],
    /// The number of the next block of AES.
    next: u32,
    bytes: [u8; EXPANDED_BYTES_MAX],
}

/// The hash of a message in parts.
fn hash<D: Digest>(parts: &[&[u8]], out: &mut [u8]) {
    let mut hasher = D::new();
    parts.iter().for_each(|part| hasher.update(part));
    out.copy_from_slice(&hasher.finalize());
}

/// Encrypted counters, at most [`BLOCKS`]: the nonce, zeroes, and a big-endian counter of 32 bits.
fn counters(cipher: &Aes256, nonce: [u8; 2], first: u32, out: &mut [u8]) {
    let out = out.as_chunks_mut::<BLOCK_BYTES>().0;
    let mut blocks: [Block<Aes256>; BLOCKS] = Default::default();
    let blocks = &mut blocks[..out.len()];
    for (next, block) in (first..).zip(blocks.iter_mut()) {
        block[..2].copy_from_slice(&nonce);
        block[BLOCK_BYTES - 4..].copy_from_slice(&next.to_be_bytes());
    }
    cipher.encrypt_blocks(blocks);
    out.iter_mut().zip(blocks.iter()).for_each(|(out, block)| *out = (*block).into());
    blocks.iter_mut().for_each(|block| block.as_mut_slice().zeroize());
}

impl Symmetric for Nineties {
    type Expander<'a, B: KeccakBackend + 'a> = AesExpander;

    fn h<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        hash::<Sha256>(parts, out);
    }

    fn g<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [[u8; SEED_BYTES]; 2]) {
        hash::<Sha512>(parts, out.as_flattened_mut());
    }

    fn j<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        hash::<Sha256>(parts, out);
    }

    fn expander<'a, B: KeccakBackend>(
        _: &'a B,
        matrix: &'a [u8; SEED_BYTES],
        noise: &'a [u8; SEED_BYTES],
    ) -> AesExpander {
        let [matrix, noise] = [matrix, noise].map(|seed| Aes256::new(seed.into()));
        AesExpander { matrix, noise, nonce: [0; 2], next: 0, bytes: [0; EXPANDED_BYTES_MAX] }
    }
}

impl Expander for AesExpander {
    fn start(&mut self, x: u8, y: u8) {
        self.nonce = [x, y];
        self.next = 0;
    }

    fn noise(&mut self, number: u8, eta: Eta) -> &[u8] {
        let bytes = &mut self.bytes[..eta.bytes()];
        counters(&self.noise, [number, 0], 0, bytes);
        bytes
    }
}

impl Xof for AesExpander {
    fn block(&mut self) -> &[u8] {
        counters(&self.matrix, self.nonce, self.next, &mut self.bytes);
        self.next += BLOCKS as u32;
        &self.bytes
    }
}

impl Drop for AesExpander {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}
