//! Conversions of the floating-point extension: integers, fixed point, half precision (DDI 0403, A2.5).

use crate::float::*;

/// Signed, 16 bits.
pub(super) const S16: Integer = Integer { bits: 16, signed: true };
/// Unsigned, 16 bits.
pub(super) const U16: Integer = Integer { bits: 16, signed: false };

/// The half-precision format that FPSCR asks for.
fn half(fpscr: u32) -> Format {
    Format { fraction: 10, least: -14, greatest: if fpscr & ALTERNATIVE_HALF != 0 { 16 } else { 15 }, sign: 15 }
}

/// `FPHalfToSingle()` of the low 16 bits.
pub(super) fn from_half(x: u32, fpscr: &mut u32) -> u32 {
    let (negative, field, fraction) = (x >> 15 & 1 != 0, x >> 10 & 0x1f, x & 0x3ff);
    let sign = u32::from(negative) << 31;
    if field == 0x1f && *fpscr & ALTERNATIVE_HALF == 0 {
        if fraction == 0 {
            return sign | INFINITY;
        }
        if fraction & 0x200 == 0 {
            *fpscr |= INVALID;
        }
        let quiet = sign | DEFAULT_NAN | fraction << 13;
        return if *fpscr & DEFAULT_NAN_MODE != 0 { DEFAULT_NAN } else { quiet };
    }
    let hidden = u32::from(field != 0) << 10;
    let number = Number { negative, exponent: field.max(1) as i32 - 25, significand: u64::from(hidden | fraction) };
    round(SINGLE, number, Rounding::Nearest, fpscr)
}

/// `FPSingleToHalf()`.
pub(super) fn to_half(x: u32, fpscr: &mut u32) -> u32 {
    let sign = x >> 16 & 0x8000;
    let alternative = *fpscr & ALTERNATIVE_HALF != 0;
    match unpack(x, fpscr) {
        Value::Nan => {
            if alternative || is_signalling(x) {
                *fpscr |= INVALID;
            }
            match alternative {
                true => sign,
                false if *fpscr & DEFAULT_NAN_MODE != 0 => 0x7e00,
                false => sign | 0x7e00 | x >> 13 & 0x1ff,
            }
        }
        Value::Infinite if alternative => {
            *fpscr |= INVALID;
            sign | 0x7fff
        }
        Value::Infinite => sign | 0x7c00,
        Value::Finite(number) => round(half(*fpscr), number, Rounding::of(*fpscr), fpscr),
    }
}
