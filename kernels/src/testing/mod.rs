//! Checks that any backend can be run against, generated code on a simulator included. Each panics on the first
//! difference and names it.

pub mod chacha;
pub mod chacha_vectors;
pub mod keccak;
#[cfg(all(feature = "keygen", feature = "encaps", feature = "decaps"))]
pub mod mlkem;
pub mod nist;

/// A small generator of test data (splitmix64): the same numbers for the same seed, on every host.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number from 0 up to, but not including, `limit`, which is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_u64() % limit as u64) as usize
    }

    /// Random words.
    pub fn words<const N: usize>(&mut self) -> [u32; N] {
        core::array::from_fn(|_| self.next_u32())
    }

    /// Random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.next_u32() as u8);
    }
}
