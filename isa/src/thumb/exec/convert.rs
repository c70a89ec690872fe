//! Conversions of the floating-point extension: integers, fixed point, half precision (DDI 0403, A2.5).

use super::float::*;

/// An integer format: bits, and whether signed.
#[derive(Clone, Copy)]
pub(super) struct Integer {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl Integer {
    /// The number that the low bits of `x` are.
    pub(super) fn value(self, x: u32) -> i64 {
        let unused = 64 - self.bits;
        let raised = u64::from(x) << unused;
        if self.signed { raised as i64 >> unused } else { (raised >> unused) as i64 }
    }
}

/// Signed, 16 bits.
pub(super) const S16: Integer = Integer { bits: 16, signed: true };
/// Unsigned, 16 bits.
pub(super) const U16: Integer = Integer { bits: 16, signed: false };
/// Signed, 32 bits.
pub(super) const S32: Integer = Integer { bits: 32, signed: true };
/// Unsigned, 32 bits.
pub(super) const U32: Integer = Integer { bits: 32, signed: false };

/// `FPToFixed()`: x × 2^`fraction` as an integer of that format, sign- or zero-extended to 32 bits.
pub(super) fn to_fixed(x: u32, fraction: u32, integer: Integer, rounding: Rounding, fpscr: &mut u32) -> u32 {
    let (least, greatest) = if integer.signed {
        (-(1i128 << (integer.bits - 1)), (1i128 << (integer.bits - 1)) - 1)
    } else {
        (0, (1i128 << integer.bits) - 1)
    };
    let (value, inexact) = match unpack(x, fpscr) {
        Value::Nan => {
            *fpscr |= INVALID;
            return 0;
        }
        Value::Infinite => (i128::from(u64::MAX), false),
        Value::Finite(number) if number.significand == 0 => (0, false),
        Value::Finite(number) => {
            let number = normalised(number, 63);
            // Numbers of 2^64 and more saturate in every format.
            let shift = -(number.exponent + fraction as i32);
            if shift < 0 { (i128::from(u64::MAX), false) } else { widened(round_at(number, shift, rounding)) }
        }
    };
    let signed = if is_negative(x) { -value } else { value };
    let clamped = signed.clamp(least, greatest);
    if clamped != signed {
        *fpscr |= INVALID;
    } else if inexact {
        *fpscr |= INEXACT;
    }
    clamped as u32
}

fn widened((value, inexact): (u64, bool)) -> (i128, bool) {
    (i128::from(value), inexact)
}

/// `FixedToFP()`: `x` / 2^`fraction`, `x` already sign- or zero-extended.
pub(super) fn from_fixed(x: i64, fraction: u32, rounding: Rounding, fpscr: &mut u32) -> u32 {
    let number = Number { negative: x < 0, exponent: -(fraction as i32), significand: x.unsigned_abs() };
    round(SINGLE, number, rounding, fpscr)
}

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
