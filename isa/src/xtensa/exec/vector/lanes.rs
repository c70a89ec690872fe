//! Lanes of a vector and of the accumulators as numbers.

use super::super::super::Vector;

/// Lanes of a vector in units of this many.
pub(super) const BYTES: usize = 16;
/// The same for 16 bits.
pub(super) const HALVES: usize = 8;
/// The same for 32 bits.
pub(super) const WORDS: usize = 4;

/// How lanes are read, and to what range sums are limited.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

/// The low `width` bits (1 to 63) as a number.
fn extend(bits: u64, width: usize, sign: Sign) -> i64 {
    let unused = 64 - width;
    match sign {
        Sign::Signed => (bits << unused) as i64 >> unused,
        Sign::Unsigned => (bits << unused >> unused) as i64,
    }
}

/// The nearest number that `width` bits (1 to 62) can hold.
pub(super) fn saturate(value: i64, width: usize, sign: Sign) -> i64 {
    match sign {
        Sign::Signed => value.clamp(-1 << (width - 1), (1 << (width - 1)) - 1),
        Sign::Unsigned => value.clamp(0, (1 << width) - 1),
    }
}

/// The N lanes, lowest first.
pub(super) fn split<const N: usize>(vector: u128, sign: Sign) -> [i64; N] {
    let width = 128 / N;
    std::array::from_fn(|i| extend((vector >> (i * width)) as u64, width, sign))
}

/// The vector of N lanes; bits above a lane's are lost.
pub(super) fn join<const N: usize>(lanes: [i64; N]) -> u128 {
    let width = 128 / N;
    let lane = |i: usize| u128::from(lanes[i] as u64 & ((1 << width) - 1)) << (i * width);
    (0..N).map(lane).fold(0, |all, lane| all | lane)
}

/// `f` of each pair of lanes.
pub(super) fn each<const N: usize>([x, y]: [u128; 2], sign: Sign, f: impl Fn(i64, i64) -> i64) -> u128 {
    let (x, y) = (split::<N>(x, sign), split::<N>(y, sign));
    join::<N>(std::array::from_fn(|i| f(x[i], y[i])))
}

/// `width` bits from bit `at` up of 160.
fn field(words: &[u32; 5], at: usize, width: usize) -> u64 {
    let word = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
    let (i, within) = (at / 32, at % 32);
    let low = (word(i + 1) << 32 | word(i)) >> within;
    // Shifted by 64 in two steps, so that nothing comes from there if the field begins a word.
    let high = word(i + 2) << 32 << (32 - within);
    (low | high) & ((1 << width) - 1)
}

/// The two halves of QACC as N lanes; lane 0 is the lowest of QACC_L.
pub(super) fn accumulators<const N: usize>(vector: &Vector, sign: Sign) -> [i64; N] {
    let (width, half) = (320 / N, N / 2);
    std::array::from_fn(|i| {
        let words = if i < half { &vector.qacc_l } else { &vector.qacc_h };
        extend(field(words, i % half * width, width), width, sign)
    })
}

/// Sets QACC to N lanes; bits above a lane's are lost.
pub(super) fn set_accumulators<const N: usize>(vector: &mut Vector, lanes: [i64; N]) {
    let (width, half) = (320 / N, N / 2);
    (vector.qacc_l, vector.qacc_h) = ([0; 5], [0; 5]);
    for (i, lane) in lanes.into_iter().enumerate() {
        let words = if i < half { &mut vector.qacc_l } else { &mut vector.qacc_h };
        let at = i % half * width;
        let bits = u128::from(lane as u64 & ((1 << width) - 1)) << (at % 32);
        for (word, shift) in words.iter_mut().skip(at / 32).zip([0, 32, 64]) {
            *word |= (bits >> shift) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane i holds a pattern of its own; its neighbours keep theirs.
    fn check<const N: usize>(width: usize) {
        let value = |i: usize| (0x9_1234_5678_9abc_i64 * (i as i64 + 1)) & ((1 << width) - 1);
        let mut vector = Vector::default();
        set_accumulators::<N>(&mut vector, std::array::from_fn(value));
        for i in 0..N {
            let words = if i < N / 2 { vector.qacc_l } else { vector.qacc_h };
            let bit = |at: usize| i64::from(words[at / 32] >> (at % 32) & 1);
            let bits = (0..width).map(|k| bit(i % (N / 2) * width + k) << k).sum::<i64>();
            assert_eq!(bits, value(i), "lane {i} of {N}");
        }
        assert_eq!(accumulators::<N>(&vector, Sign::Unsigned), std::array::from_fn(value));
    }

    #[test]
    fn accumulators_are_packed() {
        check::<16>(20);
        check::<8>(40);
    }
}
