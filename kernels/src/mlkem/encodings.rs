//! Noise and encodings in portable code: on 32-bit words, without products of more than 32 bits, whose time depends on
//! their operands on some cores.

use super::backend::Poly;
use crate::params::mlkem::{Eta, N, POLY_BYTES, Q, SEED_BYTES};

/// The upper half of a product.
#[inline(always)]
pub fn high(a: i16, b: i16) -> i16 {
    ((i32::from(a) * i32::from(b)) >> 16) as i16
}

/// Any `x` modulo q, from -(q - 1)/2 to (q - 1)/2 (Barrett). 20159 is 2^26/q, rounded.
#[inline(always)]
pub fn barrett(x: i16) -> i16 {
    let quotient = (i32::from(x) * 20159 + (1 << 25)) >> 26;
    (i32::from(x) - quotient * i32::from(Q)) as i16
}

/// Any `x` modulo q, from 0 to q - 1.
#[inline(always)]
fn canonical(x: i16) -> u32 {
    let x = barrett(x);
    (x + ((x >> 15) & Q)) as u32
}

/// Any `x` modulo q, compressed to `D` bits, at most 11: round(2^D / q · x) mod 2^D.
///
/// 1290167 is 2^32/q, rounded down: what the product lacks, less than 677, is too little to round another way, as a test finds by
/// trying every x. All is modulo 2^32: a multiple of that is one of 2^D.
#[inline(always)]
fn compressed<const D: usize>(x: i16) -> u32 {
    let scaled = (i32::from(barrett(x)) as u32).wrapping_mul(1_290_167).wrapping_add(1 << (31 - D));
    scaled >> (32 - D)
}

/// Eight numbers of `D` bits, at most 12, as `D` bytes in three words, the lowest bit first.
#[inline(always)]
fn packed<const D: usize>(values: [u32; 8]) -> [u32; 3] {
    let mut words = [0; 3];
    let mut i = 0;
    while i < 8 {
        let (word, bit) = (D * i / 32, D * i % 32);
        words[word] |= values[i] << bit;
        if bit + D > 32 {
            words[word + 1] |= values[i] >> (32 - bit);
        }
        i += 1;
    }
    words
}

/// The reverse of [`packed`].
#[inline(always)]
fn unpacked<const D: usize>(words: [u32; 3]) -> [u32; 8] {
    let mut values = [0; 8];
    let mut i = 0;
    while i < 8 {
        let (word, bit) = (D * i / 32, D * i % 32);
        let mut value = words[word] >> bit;
        if bit + D > 32 {
            value |= words[word + 1] << (32 - bit);
        }
        values[i] = value & ((1 << D) - 1);
        i += 1;
    }
    values
}

/// `D` bytes as words; behind them are zeroes. Written out, as is what follows: the compiler does not see through arrays of closures.
#[inline(always)]
fn words<const D: usize>(bytes: &[u8; D]) -> [u32; 3] {
    [word(bytes, 0), word(bytes, 4), word(bytes, 8)]
}

#[inline(always)]
fn word<const D: usize>(bytes: &[u8; D], at: usize) -> u32 {
    let byte = |i: usize| if i < D { bytes[i] } else { 0 };
    u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)])
}

/// The first `D` bytes of words.
#[inline(always)]
fn bytes<const D: usize>([a, b, c]: [u32; 3]) -> [u8; D] {
    let (a, b, c) = (a.to_le_bytes(), b.to_le_bytes(), c.to_le_bytes());
    let all = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3]];
    let mut bytes = [0; D];
    bytes.copy_from_slice(&all[..D]);
    bytes
}

/// Eight coefficients, compressed.
#[inline(always)]
fn compressed_words<const D: usize>([a, b, c, d, e, f, g, h]: [i16; 8]) -> [u32; 3] {
    packed::<D>([
        compressed::<D>(a),
        compressed::<D>(b),
        compressed::<D>(c),
        compressed::<D>(d),
        compressed::<D>(e),
        compressed::<D>(f),
        compressed::<D>(g),
        compressed::<D>(h),
    ])
}

/// See [`MlKemBackend::compress`](super::MlKemBackend::compress).
pub fn compress<const D: usize>(poly: &Poly, out: &mut [u8]) {
    for (eight, out) in poly.0.as_chunks().0.iter().zip(out.as_chunks_mut::<D>().0) {
        *out = bytes(compressed_words::<D>(*eight));
    }
}

/// See [`MlKemBackend::compare`](super::MlKemBackend::compare).
pub fn compare<const D: usize>(poly: &Poly, with: &[u8]) -> u32 {
    let mut difference = 0;
    let with = &with[..D * N / 8];
    for (eight, with) in poly.0.as_chunks().0.iter().zip(with.as_chunks::<D>().0) {
        let ([a, b, c], [x, y, z]) = (compressed_words::<D>(*eight), words(with));
        difference |= a ^ x | b ^ y | c ^ z;
    }
    difference
}

/// See [`MlKemBackend::decompress`](super::MlKemBackend::decompress).
pub fn decompress<const D: usize>(bytes: &[u8], poly: &mut Poly) {
    for (eight, bytes) in poly.0.as_chunks_mut().0.iter_mut().zip(bytes.as_chunks::<D>().0) {
        let eight: &mut [i16; 8] = eight;
        for (x, y) in eight.iter_mut().zip(unpacked::<D>(words(bytes))) {
            *x = ((y * Q as u32 + (1 << (D - 1))) >> D) as i16;
        }
    }
}

/// See [`MlKemBackend::encode`](super::MlKemBackend::encode).
pub fn encode(poly: &Poly, out: &mut [u8; POLY_BYTES]) {
    for (eight, out) in poly.0.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
        let [a, b, c, d, e, f, g, h] = *eight;
        let low = [canonical(a), canonical(b), canonical(c), canonical(d)];
        let high = [canonical(e), canonical(f), canonical(g), canonical(h)];
        let ([a, b, c, d], [e, f, g, h]) = (low, high);
        *out = bytes::<12>(packed::<12>([a, b, c, d, e, f, g, h]));
    }
}

/// See [`MlKemBackend::decode`](super::MlKemBackend::decode); of any multiple of two coefficients.
#[inline]
pub fn decode(bytes: &[u8], coefficients: &mut [i16]) {
    for (two, &[a, b, c]) in coefficients.as_chunks_mut::<2>().0.iter_mut().zip(bytes.as_chunks().0) {
        *two = candidates(a, b, c);
    }
}

/// Adds numbers of 12 bits to coefficients. No sum may leave 16 bits.
#[inline]
pub fn add_decoded(bytes: &[u8], coefficients: &mut [i16]) {
    for (two, &[a, b, c]) in coefficients.as_chunks_mut::<2>().0.iter_mut().zip(bytes.as_chunks().0) {
        let [low, high] = candidates(a, b, c);
        two[0] += low;
        two[1] += high;
    }
}

/// Two numbers of 12 bits in three bytes.
#[inline(always)]
pub fn candidates(a: u8, b: u8, c: u8) -> [i16; 2] {
    let (a, b, c) = (i16::from(a), i16::from(b), i16::from(c));
    [a | (b & 15) << 8, b >> 4 | c << 4]
}

/// See [`MlKemBackend::sample`](super::MlKemBackend::sample); appends until there is no more room.
#[inline]
pub fn sample(coefficients: &mut [i16], mut filled: usize, block: &[u8]) -> usize {
    for &[a, b, c] in block.as_chunks().0 {
        for candidate in candidates(a, b, c) {
            if let Some(next) = coefficients.get_mut(filled).filter(|_| candidate < Q) {
                *next = candidate;
                filled += 1;
            }
        }
    }
    filled
}

/// See [`MlKemBackend::message`](super::MlKemBackend::message).
pub fn message(poly: &Poly, message: &mut [u8; SEED_BYTES]) {
    for (eight, byte) in poly.0.as_chunks::<8>().0.iter().zip(message) {
        *byte = eight.iter().rev().fold(0, |bits, x| bits << 1 | compressed::<1>(*x) as u8);
    }
}

/// See [`MlKemBackend::add_noise`](super::MlKemBackend::add_noise) (FIPS 203 algorithm 8).
pub fn add_noise(eta: Eta, bytes: &[u8], poly: &mut Poly) {
    let bytes = &bytes[..eta.bytes()];
    match eta {
        Eta::Two => {
            for (eight, bytes) in poly.0.as_chunks_mut::<8>().0.iter_mut().zip(bytes.as_chunks().0) {
                let bits = u32::from_le_bytes(*bytes);
                let ones = (bits & 0x5555_5555) + (bits >> 1 & 0x5555_5555);
                // In each nibble a difference and 3, so that none is negative.
                let differences = (ones & 0x3333_3333) + 0x3333_3333 - (ones >> 2 & 0x3333_3333);
                for (i, x) in eight.iter_mut().enumerate() {
                    *x += (differences >> (4 * i) & 0xf) as i16 - 3;
                }
            }
        }
        Eta::Three => {
            for (four, bytes) in poly.0.as_chunks_mut::<4>().0.iter_mut().zip(bytes.as_chunks::<3>().0) {
                let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
                let ones = (bits & 0x24_9249) + (bits >> 1 & 0x24_9249) + (bits >> 2 & 0x24_9249);
                // In six bits each a difference and 7.
                let differences = (ones & 0x1c_71c7) + 0x1c_71c7 - (ones >> 3 & 0x1c_71c7);
                for (i, x) in four.iter_mut().enumerate() {
                    *x += (differences >> (6 * i) & 0x3f) as i16 - 7;
                }
            }
        }
    }
}
