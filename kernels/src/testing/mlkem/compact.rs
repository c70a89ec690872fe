//! What a backend does for the profile for little stack, at the extremes of what it may be given.

use super::transforms::{Reduced, gamma, reduced, transform};
use crate::mlkem::{Compact, PIECE_BYTES, Poly};
use crate::params::mlkem::{N, PIECE, Q};
use crate::testing::Random;

/// Every check of this module.
pub fn all<B: Compact>(backend: &B) {
    pieces(backend);
    sampling(backend);
}

/// Sums of four products, piece by piece, of factors as large and as small as they may be, in both domains.
fn pieces<B: Compact>(backend: &B) {
    let mut random = Random::new(60);
    for kind in 0..12 {
        let mut sign = |i: usize| match kind % 4 {
            0 => 1,
            1 => -1,
            2 if i.is_multiple_of(2) => 1,
            2 => -1,
            _ => [1, -1][random.below(2)],
        };
        // 5q itself is 0 modulo q: what is next to it tells more.
        let b = Poly(core::array::from_fn(|i| sign(i) * (5 * Q - if kind < 4 { 0 } else { (i % 5) as i16 })));
        let a: [i16; N] = core::array::from_fn(|i| if kind < 8 || i % 3 == 0 { 4095 } else { (i % 16) as i16 });
        let mut expected: Reduced = [0; N];
        let quads = expected.as_chunks_mut::<2>().0.iter_mut().zip(a.as_chunks::<2>().0).zip(b.0.as_chunks::<2>().0);
        for (pair, ((out, a), b)) in quads.enumerate() {
            let ([a0, a1], [b0, b1]) = (a.map(i64::from), b.map(i64::from));
            let product = [a0 * b0 + a1 * b1 * gamma(pair), a0 * b1 + a1 * b0];
            *out = product.map(|x| (4 * x).rem_euclid(i64::from(Q)));
        }
        let sum = || {
            let mut sum = Poly::default();
            for _ in 0..4 {
                let pieces = a.as_chunks::<PIECE>().0.iter().enumerate();
                pieces.for_each(|(number, piece)| backend.add_piece(piece, number, &b, &mut sum));
            }
            sum
        };
        let mut plain = sum();
        backend.normalise_compact(&mut plain);
        assert_eq!(reduced(&plain), expected, "sum {kind}");
        assert!(plain.0.iter().all(|x| x.abs() <= 2 * Q), "sum {kind}: {:?}", plain.0);
        let mut inverse = sum();
        backend.inverse_compact(&mut inverse);
        assert_eq!(transform(&inverse), expected, "inverse transform of sum {kind}");
        assert!(inverse.0.iter().all(|x| x.abs() <= 8 * Q), "inverse transform of sum {kind}: {:?}", inverse.0);
    }
}

/// Bytes of which all, none or some are accepted, behind any number of coefficients that are there.
fn sampling<B: Compact>(backend: &B) {
    let mut random = Random::new(61);
    for filled in 0..=PIECE {
        for fill in [Some(0), Some(0xff), None, None] {
            let mut bytes = [fill.unwrap_or(0); PIECE_BYTES];
            if fill.is_none() {
                random.fill(&mut bytes);
            }
            let mut expected: [i16; 2 * PIECE] = core::array::from_fn(|i| -1 - i as i16);
            let mut got = expected;
            let mut count = filled;
            for &[x, y, z] in bytes.as_chunks().0 {
                let (x, y, z) = (i16::from(x), i16::from(y), i16::from(z));
                for candidate in [x | (y & 15) << 8, y >> 4 | z << 4].into_iter().filter(|candidate| *candidate < Q) {
                    expected[count] = candidate;
                    count += 1;
                }
            }
            assert_eq!(backend.sample_piece(&mut got, filled, &bytes), count, "{filled} there, {bytes:02x?}");
            assert_eq!(got, expected, "{filled} there, {bytes:02x?}");
        }
    }
}
