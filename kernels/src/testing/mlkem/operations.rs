//! Noise, sampling and encodings, against their definitions.

use crate::mlkem::{MlKemBackend, Poly};
use crate::params::mlkem::{Bits, COMPRESSED_BYTES_MAX, Eta, N, POLY_BYTES, Q};
use crate::testing::Random;

/// Every check of this module.
pub fn all<B: MlKemBackend>(backend: &B) {
    noise(backend);
    sampling(backend);
    twelve_bits(backend);
    compression(backend);
    messages(backend);
    sums(backend);
}

/// Bit `i` of some bytes, the lowest of the first byte first.
fn bit(bytes: &[u8], i: usize) -> i16 {
    (bytes[i / 8] >> (i % 8) & 1).into()
}

/// The number in bits `from` to `from + count - 1`.
fn bits(bytes: &[u8], from: usize, count: usize) -> i16 {
    (0..count).map(|i| bit(bytes, from + i) << i).sum()
}

/// `x` modulo q, from 0 to q - 1.
fn reduced(x: i16) -> i64 {
    i64::from(x).rem_euclid(Q.into())
}

/// All 65536 values, 256 at a time.
fn every_value() -> impl Iterator<Item = Poly> {
    (0..N).map(|high| Poly(core::array::from_fn(|low| (high << 8 | low) as u16 as i16)))
}

/// Noise from zeroes, ones and random bytes, alone and added to coefficients as large as they may be.
pub fn noise<B: MlKemBackend>(backend: &B) {
    let mut random = Random::new(30);
    for eta in [Eta::Two, Eta::Three] {
        for round in 0..20 {
            let mut bytes = [[0, 0xff, 0x55, 0xaa][round % 4]; Eta::Three.bytes()];
            let bytes = &mut bytes[..eta.bytes()];
            if round >= 4 {
                random.fill(bytes);
            }
            let ones = |first: usize| (0..eta.get()).map(|i| bit(bytes, first + i)).sum::<i16>();
            let expected: [i16; N] = core::array::from_fn(|i| ones(2 * i * eta.get()) - ones((2 * i + 1) * eta.get()));
            let mut got = Poly([-123; N]);
            backend.noise(eta, bytes, &mut got);
            assert_eq!(got.0, expected, "{eta:?}, {bytes:02x?}");
            for sign in [-1, 1] {
                let start: [i16; N] = core::array::from_fn(|i| if i % 3 == 0 { 7 } else { sign * (i16::MAX - 3) });
                let mut got = Poly(start);
                backend.add_noise(eta, bytes, &mut got);
                let expected: [i16; N] = core::array::from_fn(|i| start[i] + expected[i]);
                assert_eq!(got.0, expected, "{eta:?}, added to {}", start[1]);
            }
        }
    }
}

/// Streams that are accepted as a whole, not at all, at the limits, or at random, with any number of coefficients there: the
/// right ones are appended, and nothing else is written.
pub fn sampling<B: MlKemBackend>(backend: &B) {
    let mut random = Random::new(31);
    let last = [(Q - 1) as u8, ((Q - 1) >> 8) as u8 | (((Q - 1) << 4) as u8), ((Q - 1) >> 4) as u8];
    let first_not = [Q as u8, (Q >> 8) as u8 | ((Q << 4) as u8), (Q >> 4) as u8];
    for filled in [0, 1, 2, 3, 100, 145, 250, 253, 254, 255, 256] {
        for length in [3, 6, 9, 12, 48, 168, 192] {
            for three in [Some([0; 3]), Some([0xff; 3]), Some(last), Some(first_not), None, None, None] {
                let mut block = [0; 192];
                let block = &mut block[..length];
                match three {
                    Some(three) => block.as_chunks_mut().0.fill(three),
                    None => random.fill(block),
                }
                let mut expected: [i16; N] = core::array::from_fn(|i| -1 - i as i16);
                let mut got = Poly(expected);
                let mut count = filled;
                for candidate in (0..length / 3 * 2).map(|i| bits(block, 12 * i, 12)) {
                    if candidate < Q && count < N {
                        expected[count] = candidate;
                        count += 1;
                    }
                }
                assert_eq!(backend.sample(&mut got, filled, block), count, "{filled} there, {block:02x?}");
                assert_eq!(got.0, expected, "{filled} there, {block:02x?}");
            }
        }
    }
}

/// All values of 12 bits in, all of 16 bits out.
pub fn twelve_bits<B: MlKemBackend>(backend: &B) {
    for block in 0..16 {
        let mut bytes = [0; POLY_BYTES];
        for (i, two) in bytes.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let [a, b] = [2 * i, 2 * i + 1].map(|low| block << 8 | low);
            *two = [a as u8, (a >> 8 | b << 4) as u8, (b >> 4) as u8];
        }
        let mut got = Poly([-5; N]);
        backend.decode(&bytes, &mut got);
        assert_eq!(got.0, core::array::from_fn(|i| (block << 8 | i) as i16), "decoding from {}", block << 8);
    }
    for poly in every_value() {
        let mut bytes = [0x5a; POLY_BYTES];
        backend.encode(&poly, &mut bytes);
        for (i, x) in poly.0.iter().enumerate() {
            assert_eq!(i64::from(bits(&bytes, 12 * i, 12)), reduced(*x), "encoding {x}");
        }
    }
}

/// The nearest number to 2^bits / q · x, modulo 2^bits. There are no ties, q being odd.
fn compressed(bits: usize, x: i16) -> i16 {
    let scaled = ((reduced(x) << (bits + 1)) + i64::from(Q)) / (2 * i64::from(Q));
    (scaled % (1 << bits)) as i16
}

/// All values in and out, for each number of bits; a comparison finds each bit that differs.
pub fn compression<B: MlKemBackend>(backend: &B) {
    let mut random = Random::new(32);
    for d in Bits::ALL {
        let mut bytes = [0; COMPRESSED_BYTES_MAX];
        let bytes = &mut bytes[..d.bytes()];
        for poly in every_value() {
            backend.compress(d, &poly, bytes);
            for (i, x) in poly.0.iter().enumerate() {
                assert_eq!(bits(bytes, d.get() * i, d.get()), compressed(d.get(), *x), "{d:?}, {x}");
            }
            assert_eq!(backend.compare(d, &mut poly.clone(), bytes), 0, "{d:?}, equal");
            let wrong = random.below(8 * bytes.len());
            bytes[wrong / 8] ^= 1 << (wrong % 8);
            assert_ne!(backend.compare(d, &mut poly.clone(), bytes), 0, "{d:?}, bit {wrong} differs");
        }
        for poly in every_value().take(1) {
            backend.compress(d, &poly, bytes);
            for wrong in 0..8 * bytes.len() {
                bytes[wrong / 8] ^= 1 << (wrong % 8);
                assert_ne!(backend.compare(d, &mut poly.clone(), bytes), 0, "{d:?}, bit {wrong} differs");
                bytes[wrong / 8] ^= 1 << (wrong % 8);
            }
        }
        for _ in 0..32 {
            random.fill(bytes);
            let mut got = Poly([-9; N]);
            backend.decompress(d, bytes, &mut got);
            for (i, x) in got.0.iter().enumerate() {
                let y = i64::from(bits(bytes, d.get() * i, d.get()));
                let expected = (2 * i64::from(Q) * y + (1 << d.get())) >> (d.get() + 1);
                assert_eq!(i64::from(*x), expected, "{d:?}, {y}");
            }
        }
    }
}

/// Each bit of a message in, and all values out.
pub fn messages<B: MlKemBackend>(backend: &B) {
    let mut random = Random::new(33);
    for round in 0..N + 8 {
        let mut message = [0; 32];
        match round {
            0..N => message[round / 8] = 1 << (round % 8),
            N => message.fill(0xff),
            _ => random.fill(&mut message),
        }
        let start: [i16; N] = core::array::from_fn(|i| if i % 2 == 0 { -i16::MAX } else { i16::MAX - 1665 });
        let mut got = Poly(start);
        backend.add_message(&message, &mut got);
        let expected: [i16; N] = core::array::from_fn(|i| start[i] + bit(&message, i) * ((Q + 1) / 2));
        assert_eq!(got.0, expected, "message {message:02x?}");
    }
    for poly in every_value() {
        let mut message = [0x5a; 32];
        backend.message(&poly, &mut message);
        for (i, x) in poly.0.iter().enumerate() {
            assert_eq!(bit(&message, i), compressed(1, *x), "the bit in {x}");
        }
    }
}

/// Sums and differences to the ends of 16 bits.
pub fn sums<B: MlKemBackend>(backend: &B) {
    let mut random = Random::new(34);
    for _ in 0..10 {
        let a: [i16; N] =
            core::array::from_fn(|_| [i16::MAX, i16::MIN, -1, 0, random.next_u32() as i16][random.below(5)]);
        let b: [i16; N] = core::array::from_fn(|_| random.next_u32() as i16);
        let fits = |sum: i32| i16::try_from(sum).is_ok();
        let other = |sign: i32| -> [i16; N] {
            core::array::from_fn(|i| if fits(i32::from(a[i]) + sign * i32::from(b[i])) { b[i] } else { 0 })
        };
        let (added, subtracted) = (other(1), other(-1));
        let mut got = Poly(a);
        backend.add(&mut got, &Poly(added));
        assert_eq!(got.0, core::array::from_fn(|i| a[i] + added[i]), "sums");
        let mut got = Poly(a);
        backend.subtract(&mut got, &Poly(subtracted));
        assert_eq!(got.0, core::array::from_fn(|i| a[i] - subtracted[i]), "differences");
    }
}
