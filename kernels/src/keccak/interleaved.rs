//! The state of 32-bit cores: of each lane, one word has the even bits and the next one the odd bits, so that rotating a lane
//! rotates words (Bertoni and others, *Keccak implementation overview*, 2.1).

use super::cut::Cut;
use crate::params::keccak::{LANE_BYTES, LANES};
use zeroize::Zeroize;

/// Words of a lane.
const HALVES: usize = 2;

/// The lanes, lane (0, 0) first: bit 2i of a lane is bit i of its first word, bit 2i + 1 is bit i of its second.
///
/// What permutes it is the backend's; bytes go in and out here.
#[derive(Clone)]
pub struct Interleaved(pub [u32; HALVES * LANES]);

impl Default for Interleaved {
    fn default() -> Self {
        Interleaved([0; HALVES * LANES])
    }
}

impl Zeroize for Interleaved {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Interleaved {
    /// [`KeccakBackend::xor_bytes`](super::KeccakBackend::xor_bytes). `lanes` does it for whole lanes, such as
    /// [`xor_lanes`].
    #[inline]
    pub fn xor_bytes(&mut self, offset: usize, bytes: &[u8], lanes: impl FnOnce(&mut [u32], &[u8])) {
        let cut = Cut::new(offset, bytes.len());
        if cut.head > 0 {
            self.xor_some(offset, &bytes[..cut.head]);
        }
        if cut.tail < bytes.len() {
            self.xor_some(offset + cut.tail, &bytes[cut.tail..]);
        }
        if cut.lanes > 0 {
            lanes(&mut self.0[HALVES * cut.first..], &bytes[cut.head..cut.tail]);
        }
    }

    /// Less than a lane.
    #[inline(always)]
    fn xor_some(&mut self, offset: usize, bytes: &[u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            let bit = LANE_BYTES / HALVES * (at % LANE_BYTES);
            let (first, byte) = (HALVES * (at / LANE_BYTES), u32::from(*byte));
            self.0[first] ^= even_bits(byte) << bit;
            self.0[first + 1] ^= even_bits(byte >> 1) << bit;
        }
    }

    /// [`KeccakBackend::copy_bytes`](super::KeccakBackend::copy_bytes). `lanes` does it for whole lanes, such as
    /// [`copy_lanes`].
    #[inline]
    pub fn copy_bytes(&self, offset: usize, bytes: &mut [u8], lanes: impl FnOnce(&[u32], &mut [u8])) {
        let cut = Cut::new(offset, bytes.len());
        if cut.head > 0 {
            self.copy_some(offset, &mut bytes[..cut.head]);
        }
        if cut.tail < bytes.len() {
            self.copy_some(offset + cut.tail, &mut bytes[cut.tail..]);
        }
        if cut.lanes > 0 {
            lanes(&self.0[HALVES * cut.first..], &mut bytes[cut.head..cut.tail]);
        }
    }

    /// Less than a lane, of one lane.
    #[inline(never)]
    fn copy_some(&self, offset: usize, bytes: &mut [u8]) {
        let first = HALVES * (offset / LANE_BYTES);
        let lane = joined([self.0[first], self.0[first + 1]]).to_le_bytes();
        bytes.copy_from_slice(&lane[offset % LANE_BYTES..][..bytes.len()]);
    }
}

/// Adds whole lanes to the first words.
pub fn xor_lanes(words: &mut [u32], bytes: &[u8]) {
    for (lane, bytes) in words.as_chunks_mut::<HALVES>().0.iter_mut().zip(bytes.as_chunks().0) {
        let [even, odd] = split(u64::from_le_bytes(*bytes));
        lane[0] ^= even;
        lane[1] ^= odd;
    }
}

/// Copies whole lanes out of the first words.
pub fn copy_lanes(words: &[u32], bytes: &mut [u8]) {
    for (lane, bytes) in words.as_chunks::<HALVES>().0.iter().zip(bytes.as_chunks_mut().0) {
        *bytes = joined(*lane).to_le_bytes();
    }
}

/// The even bits of a byte.
#[inline(always)]
fn even_bits(byte: u32) -> u32 {
    let bits = byte & 0x55;
    let bits = (bits | bits >> 1) & 0x33;
    (bits | bits >> 2) & 0x0f
}

/// Exchanges the bits under `mask` with those `distance` above them.
#[inline(always)]
fn exchange(word: u32, distance: u32, mask: u32) -> u32 {
    let difference = (word ^ word >> distance) & mask;
    word ^ difference ^ difference << distance
}

/// The even bits of a word, and above them the odd ones.
#[inline(always)]
fn unshuffled(word: u32) -> u32 {
    let word = exchange(word, 1, 0x2222_2222);
    let word = exchange(word, 2, 0x0c0c_0c0c);
    let word = exchange(word, 4, 0x00f0_00f0);
    exchange(word, 8, 0x0000_ff00)
}

/// The reverse of [`unshuffled`].
#[inline(always)]
fn shuffled(word: u32) -> u32 {
    let word = exchange(word, 8, 0x0000_ff00);
    let word = exchange(word, 4, 0x00f0_00f0);
    let word = exchange(word, 2, 0x0c0c_0c0c);
    exchange(word, 1, 0x2222_2222)
}

/// The even bits of a lane and its odd ones.
#[inline(always)]
fn split(lane: u64) -> [u32; HALVES] {
    let (low, high) = (unshuffled(lane as u32), unshuffled((lane >> 32) as u32));
    [low & 0xffff | high << 16, low >> 16 | high & 0xffff_0000]
}

/// The lane with these even bits and odd bits.
#[inline(always)]
fn joined([even, odd]: [u32; HALVES]) -> u64 {
    let (low, high) = (even & 0xffff | odd << 16, even >> 16 | odd & 0xffff_0000);
    u64::from(shuffled(low)) | u64::from(shuffled(high)) << 32
}
