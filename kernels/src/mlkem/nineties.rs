//! The 90s variants: SHA-2, and AES-256 in counter mode (Kyber round 3, section 1.4).
//!
//! Both come from RustCrypto, whose portable AES is bitsliced: no table, and no time that depends on the key.

use super::backend::{Room, Xof};
use super::symmetric::{Expander, Symmetric};
use crate::keccak::KeccakBackend;
use crate::params::mlkem::{Eta, SEED_BYTES};
use aes::Aes256;
use cipher::{Block, BlockCipherEncrypt, KeyInit};
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroize;

/// Bytes of a block of AES.
const BLOCK_BYTES: usize = 16;

/// Bytes that are computed together: a multiple of what bitslicing takes, two blocks, and of the parts of an [`Xof`].
const TOGETHER: usize = 96;

/// SHA-2 and AES.
#[derive(Clone, Copy, Debug)]
pub struct Nineties;

/// The seeds, as keys, and the last output of the counter mode.
pub struct AesExpander<S: Room> {
    matrix: Aes256,
    noise: Aes256,
    nonce: [u8; 2],
    /// The number of the next block of AES.
    next: u32,
    bytes: S,
}

/// The hash of a message in parts, into several places, one after the other.
fn hash<D: Digest>(parts: &[&[u8]], out: &mut [&mut [u8; SEED_BYTES]]) {
    let mut hasher = D::new();
    parts.iter().for_each(|part| hasher.update(part));
    let mut hash = hasher.finalize();
    out.iter_mut().zip(hash.as_chunks().0).for_each(|(out, part)| **out = *part);
    hash.as_mut_slice().zeroize();
}

/// Encrypted counters: the nonce, zeroes, and a big-endian counter of 32 bits. `out` is whole blocks.
fn counters(cipher: &Aes256, nonce: [u8; 2], first: u32, out: &mut [u8]) {
    let blocks = Block::<Aes256>::slice_as_chunks_mut(out).0;
    for (next, block) in (first..).zip(blocks.iter_mut()) {
        block.fill(0);
        block[..2].copy_from_slice(&nonce);
        block[BLOCK_BYTES - 4..].copy_from_slice(&next.to_be_bytes());
    }
    cipher.encrypt_blocks(blocks);
}

impl Symmetric for Nineties {
    type Expander<'a, B: KeccakBackend + 'a, S: Room> = AesExpander<S>;

    fn h<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        hash::<Sha256>(parts, &mut [out]);
    }

    fn g<B: KeccakBackend>(_: &B, parts: &[&[u8]], a: &mut [u8; SEED_BYTES], b: &mut [u8; SEED_BYTES]) {
        hash::<Sha512>(parts, &mut [a, b]);
    }

    fn j<B: KeccakBackend>(_: &B, parts: &[&[u8]], out: &mut [u8; SEED_BYTES]) {
        hash::<Sha256>(parts, &mut [out]);
    }

    fn expander<'a, B: KeccakBackend, S: Room>(
        _: &'a B,
        matrix: &'a [u8; SEED_BYTES],
        noise: &'a [u8; SEED_BYTES],
    ) -> AesExpander<S> {
        let [matrix, noise] = [matrix, noise].map(|seed| Aes256::new(seed.into()));
        AesExpander { matrix, noise, nonce: [0; 2], next: 0, bytes: S::default() }
    }
}

impl<S: Room> Expander for AesExpander<S> {
    fn start(&mut self, x: u8, y: u8) {
        self.nonce = [x, y];
        self.next = 0;
    }

    fn noise(&mut self, number: u8, eta: Eta) -> &[u8] {
        let bytes = &mut self.bytes.as_mut()[..eta.bytes()];
        counters(&self.noise, [number, 0], 0, bytes);
        bytes
    }
}

impl<S: Room> Xof for AesExpander<S> {
    fn block(&mut self) -> &[u8] {
        let room = self.bytes.as_mut();
        let bytes = room.len() / TOGETHER * TOGETHER;
        let bytes = &mut room[..bytes];
        counters(&self.matrix, self.nonce, self.next, bytes);
        self.next += (bytes.len() / BLOCK_BYTES) as u32;
        bytes
    }
}

impl<S: Room> Drop for AesExpander<S> {
    fn drop(&mut self) {
        self.bytes.as_mut().zeroize();
    }
}
