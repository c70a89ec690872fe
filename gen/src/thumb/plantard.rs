//! Multiplication by constants and reduction modulo a 12-bit prime, after Plantard, as Huang et al. improved it (*Improved Plantard
//! Arithmetic for Lattice-based Cryptography*, TCHES 2022/4): with a signed result, and any 16-bit operand.
//!
//! For a factor b let B = b·(-2^32) mod q, from -q/2 to q/2, and W = B/q mod 2^32. Then a·W = a·B/q mod 2^32; its upper half t makes
//! (t·q + c) >> 16 congruent to a·b, where c makes up for the lower half that was dropped. A sum of products is reduced as one:
//! their lower halves are dropped one by one, which c has to make up for, too. With any sum in place of a·B, and 1/q for W, the same makes
//! what is congruent to the sum times -2^-32.

/// Added before the last shift. With e the sum of what was dropped, at most 65535 for each product, and S the sum of products a·B, the
/// result is right if 0 <= 2^16·c - e·q + S < 2^32; [`fits`] and [`sums`] say when.
pub const ROUNDING: u32 = 1 << 15;
/// As much more may be added: loops are counted there.
const COUNTED: u32 = 1 << 8;
/// What can be dropped of a product.
const DROPPED: u32 = 0xffff;

/// The constants that reductions need: the modulus, in the lower half of a word of its own, and what is added.
pub fn constants(modulus: u32) -> [u32; 2] {
    [modulus, ROUNDING]
}

/// 1/q modulo 2^32.
pub fn inverse(modulus: u32) -> u32 {
    // Newton: each step doubles the number of right bits.
    (0..5).fold(1u32, |x, _| x.wrapping_mul(2u32.wrapping_sub(modulus.wrapping_mul(x))))
}

/// The word that stands for a factor.
pub fn word(modulus: u32, factor: u32) -> u32 {
    half(modulus, factor).cast_unsigned().wrapping_mul(inverse(modulus))
}

/// B, which 16 bits hold.
pub fn half(modulus: u32, factor: u32) -> i32 {
    let q = i64::from(modulus);
    let scaled = (-(i64::from(factor) << 32)).rem_euclid(q);
    (if 2 * scaled > q { scaled - q } else { scaled }) as i32
}

/// The largest result: that of the most negative t.
pub fn bound(modulus: u32) -> u32 {
    ((modulus << 15) - ROUNDING).div_ceil(1 << 16)
}

/// True if sums of so many products of 16-bit values are reduced exactly.
pub fn fits(modulus: u32, terms: u32) -> bool {
    let products = u64::from(terms) * (1 << 15) * u64::from(modulus / 2);
    let dropped = u64::from(terms) * u64::from(DROPPED) * u64::from(modulus);
    let [least, most] = [ROUNDING, ROUNDING + COUNTED].map(|added| u64::from(added) << 16);
    least >= dropped + products && most + products < 1 << 32
}

/// The sums that are reduced exactly when nothing is multiplied: from the least to the largest.
pub fn sums(modulus: u32) -> (i64, i64) {
    let added = i64::from(ROUNDING) << 16;
    (i64::from(DROPPED) * i64::from(modulus) - added, (1 << 32) - 1 - added)
}

#[cfg(test)]
mod tests {
    use super::*;

    const Q: u32 = 3329;

    fn reduced(sum: i32) -> i64 {
        let product = sum.cast_unsigned().wrapping_mul(inverse(Q)).cast_signed();
        i64::from(((product >> 16).wrapping_mul(Q as i32) + ROUNDING as i32) >> 16)
    }

    #[test]
    fn sums_are_reduced_from_the_least_to_the_largest() {
        let (least, most) = sums(Q);
        for sum in (least..=most).step_by(10_007).chain(least..least + 5000).chain(most - 5000..=most) {
            // -2^32 times the result is the sum.
            assert_eq!(((reduced(sum as i32) << 32) + sum).rem_euclid(Q.into()), 0, "{sum}");
            assert!(reduced(sum as i32).unsigned_abs() <= u64::from(bound(Q)), "{sum}");
        }
    }

    #[test]
    fn the_word_of_a_factor_multiplies_by_it() {
        for factor in [0, 1, 17, 1664, 1665, 3328] {
            for a in [-32768, -12345, -1, 0, 1, 16645, 32767] {
                let product = word(Q, factor).cast_signed().wrapping_mul(a);
                let result = ((product >> 16).wrapping_mul(Q as i32) + ROUNDING as i32) >> 16;
                assert_eq!((result - a * factor as i32).rem_euclid(Q as i32), 0, "{a} times {factor}");
            }
        }
    }
}
