//! Multiplication by constants modulo a 12-bit prime, after Plantard, as Huang et al. improved it (*Improved Plantard Arithmetic for
//! Lattice-based Cryptography*, TCHES 2022/4): with a signed result, and any 16-bit operand.
//!
//! For a factor b let B = b·(-2^32) mod q, from -q/2 to q/2, and W = B/q mod 2^32. Then a·W = a·B/q mod 2^32; its upper half t makes
//! (t·q + c) >> 16 congruent to a·b, where c makes up for the lower half that was dropped. A sum of products is reduced as one:
//! their lower halves are dropped one by one, which c has to make up for, too.

use crate::transform::Transform;

/// Added before the last shift. With e the sum of what was dropped, at most 2·65535, and S the sum of products a·B, the
/// result is right if 0 <= 2^16·c - e·q + S < 2^32; [`fits`] checks it.
pub const ROUNDING: u32 = 1 << 15;
/// As much more may be added: loops are counted there.
const COUNTED: u32 = 1 << 8;

/// The constants that reductions need: the modulus, in the lower half of a word of its own, and what is added.
pub fn constants(t: &Transform) -> [u32; 2] {
    [t.modulus, ROUNDING]
}

/// The word that stands for a factor.
pub fn word(t: &Transform, factor: u32) -> u32 {
    // Newton: each step doubles the number of right bits.
    let inverse = (0..5).fold(1u32, |x, _| x.wrapping_mul(2u32.wrapping_sub(t.modulus.wrapping_mul(x))));
    centred(t, factor).cast_unsigned().wrapping_mul(inverse)
}

/// B.
fn centred(t: &Transform, factor: u32) -> i32 {
    let scaled = t.negated(t.times(factor, t.power(2, 32)));
    if 2 * scaled > t.modulus { scaled as i32 - t.modulus as i32 } else { scaled as i32 }
}

/// The largest result: that of the most negative t.
pub fn bound(t: &Transform) -> u32 {
    ((t.modulus << 15) - ROUNDING).div_ceil(1 << 16)
}

/// True if sums of so many products of 16-bit values are reduced exactly.
pub fn fits(t: &Transform, terms: u32) -> bool {
    let products = u64::from(terms) * (1 << 15) * u64::from(t.modulus / 2);
    let dropped = u64::from(terms) * 0xffff * u64::from(t.modulus);
    let [least, most] = [ROUNDING, ROUNDING + COUNTED].map(|added| u64::from(added) << 16);
    least >= dropped + products && most + products < 1 << 32
}
