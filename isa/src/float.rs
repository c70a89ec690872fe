//! IEEE 754 single-precision arithmetic in integers, with modes and cumulative flags as in Arm's FPSCR (DDI 0403, A2.5): all
//! four rounding modes, flush-to-zero, default NaN. Operands and results are bit patterns. Another machine translates its
//! modes and flags.

/// Cumulative flags of FPSCR.
pub(crate) mod flags {
    /// Invalid operation.
    pub(crate) const INVALID: u32 = 1;
    /// Division of a finite number by zero.
    pub(crate) const DIVISION_BY_ZERO: u32 = 1 << 1;
    /// Rounded beyond the largest number.
    pub(crate) const OVERFLOW: u32 = 1 << 2;
    /// Tiny before rounding, and not exact.
    pub(crate) const UNDERFLOW: u32 = 1 << 3;
    /// Not exact.
    pub(crate) const INEXACT: u32 = 1 << 4;
    /// An operand was a denormal and taken as zero.
    pub(crate) const INPUT_DENORMAL: u32 = 1 << 7;
}

pub(crate) use flags::INVALID;
use flags::{DIVISION_BY_ZERO, INEXACT, INPUT_DENORMAL, OVERFLOW, UNDERFLOW};

/// No bit of FPSCR: of several NaN operands the last is taken, quiet or not.
pub(crate) const LAST_NAN: u32 = 1 << 16;
/// FPSCR: flush-to-zero mode.
const FLUSH_TO_ZERO: u32 = 1 << 24;
/// FPSCR: every NaN result is the default NaN.
pub(crate) const DEFAULT_NAN_MODE: u32 = 1 << 25;
/// FPSCR: half precision has no infinities and no NaN.
pub(crate) const ALTERNATIVE_HALF: u32 = 1 << 26;

/// The default NaN.
pub(crate) const DEFAULT_NAN: u32 = 0x7fc0_0000;
/// Positive infinity.
pub(crate) const INFINITY: u32 = 0x7f80_0000;
/// The sign bit.
pub(crate) const SIGN: u32 = 0x8000_0000;

/// A finite number: `significand` × 2^`exponent`. The lowest bit of a significand of more than 27 bits may stand for any
/// lower bits that are not zero.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) negative: bool,
    pub(crate) exponent: i32,
    pub(crate) significand: u64,
}

/// What a bit pattern stands for.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Nan,
    Infinite,
    Finite(Number),
}

/// The rounding modes, numbered as FPSCR.RMode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Up,
    Down,
    Zero,
}

impl Rounding {
    /// The mode that FPSCR asks for.
    pub(crate) fn of(fpscr: u32) -> Rounding {
        [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero][(fpscr >> 22 & 3) as usize]
    }

    /// The FPSCR that asks for this mode, and no other.
    pub(crate) fn modes(self) -> u32 {
        (self as u32) << 22
    }
}

/// A binary format of IEEE 754: bits after the point, exponent range of normal numbers, place of the sign.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) fraction: u32,
    pub(crate) least: i32,
    pub(crate) greatest: i32,
    pub(crate) sign: u32,
}

/// Single precision.
pub(crate) const SINGLE: Format = Format { fraction: 23, least: -126, greatest: 127, sign: 31 };

pub(crate) fn is_negative(bits: u32) -> bool {
    bits & SIGN != 0
}

pub(crate) fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

pub(crate) fn is_signalling(bits: u32) -> bool {
    is_nan(bits) && bits & 1 << 22 == 0
}

/// `FPUnpack()`; notes a flushed denormal in FPSCR.
pub(crate) fn unpack(bits: u32, fpscr: &mut u32) -> Value {
    if is_nan(bits) {
        return Value::Nan;
    }
    let (field, mut fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    if field == 0xff {
        return Value::Infinite;
    }
    if field == 0 && fraction != 0 && *fpscr & FLUSH_TO_ZERO != 0 {
        *fpscr |= INPUT_DENORMAL;
        fraction = 0;
    }
    let hidden = u32::from(field != 0) << 23;
    Value::Finite(Number {
        negative: is_negative(bits),
        exponent: field.max(1) as i32 - 150,
        significand: u64::from(hidden | fraction),
    })
}

/// `FPProcessNaNs()`: the result of an operation with a NaN among its operands, in the order of their priority.
fn choose_nan(operands: &[u32], fpscr: &mut u32) -> u32 {
    let signalling = operands.iter().copied().find(|&x| is_signalling(x));
    if signalling.is_some() {
        *fpscr |= INVALID;
    }
    if *fpscr & DEFAULT_NAN_MODE != 0 {
        return DEFAULT_NAN;
    }
    let mut all = operands.iter().copied();
    let chosen = if *fpscr & LAST_NAN != 0 {
        all.rfind(|&x| is_nan(x))
    } else {
        signalling.or_else(|| all.find(|&x| is_nan(x)))
    };
    chosen.unwrap_or(DEFAULT_NAN) | 1 << 22
}

fn invalid(fpscr: &mut u32) -> u32 {
    *fpscr |= INVALID;
    DEFAULT_NAN
}

/// Divides by 2^`shift` (rounding as asked; negative: multiplies): the whole number, and whether it is not exact.
/// The significand is normalised to bit 63 or zero.
pub(crate) fn round_at(number: Number, shift: i32, rounding: Rounding) -> (u64, bool) {
    if shift <= 0 {
        return (number.significand.checked_shl(shift.unsigned_abs()).unwrap_or(0), false);
    }
    let wide = (u128::from(number.significand) << 64) >> shift.min(127);
    let (kept, rest) = ((wide >> 64) as u64, wide as u64);
    let up = match rounding {
        Rounding::Nearest => rest > 1 << 63 || rest == 1 << 63 && kept & 1 != 0,
        Rounding::Up => rest != 0 && !number.negative,
        Rounding::Down => rest != 0 && number.negative,
        Rounding::Zero => false,
    };
    (kept + u64::from(up), rest != 0)
}

/// Moves the highest bit of a significand that is not zero to bit `top`, which must not be below it.
pub(crate) fn normalised(mut number: Number, top: u32) -> Number {
    let by = number.significand.leading_zeros() - (63 - top);
    number.significand <<= by;
    number.exponent -= by as i32;
    number
}

/// `FPRound()` to any format.
pub(crate) fn round(format: Format, number: Number, rounding: Rounding, fpscr: &mut u32) -> u32 {
    let sign = u32::from(number.negative) << format.sign;
    if number.significand == 0 {
        return sign;
    }
    let number = normalised(number, 63);
    let exponent = number.exponent + 63;
    let tiny = exponent < format.least;
    if tiny && *fpscr & FLUSH_TO_ZERO != 0 && format.fraction == SINGLE.fraction {
        *fpscr |= UNDERFLOW;
        return sign;
    }
    let lowest = exponent.max(format.least);
    if exponent > format.greatest {
        return sign | overflow(format, number.negative, rounding, fpscr);
    }
    let (kept, inexact) = round_at(number, lowest - format.fraction as i32 - number.exponent, rounding);
    // The hidden bit of a normal number, and a carry out of its fraction, add one to the exponent field.
    let bits = (((lowest - format.least) as u32) << format.fraction) + kept as u32;
    if bits >= infinity(format) {
        return sign | overflow(format, number.negative, rounding, fpscr);
    }
    if inexact {
        *fpscr |= if tiny { INEXACT | UNDERFLOW } else { INEXACT };
    }
    sign | bits
}

/// The first pattern beyond the finite ones, without sign.
fn infinity(format: Format) -> u32 {
    ((format.greatest - format.least + 2) as u32) << format.fraction
}

/// The result, without sign, for a number too large.
fn overflow(format: Format, negative: bool, rounding: Rounding, fpscr: &mut u32) -> u32 {
    let infinity = infinity(format);
    if infinity == 1 << format.sign {
        *fpscr |= INVALID; // the alternative half-precision format has no infinity
        return infinity - 1;
    }
    *fpscr |= OVERFLOW | INEXACT;
    let away = match rounding {
        Rounding::Nearest => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::Zero => false,
    };
    if away { infinity } else { infinity - 1 }
}

fn round_single(number: Number, fpscr: &mut u32) -> u32 {
    round(SINGLE, number, Rounding::of(*fpscr), fpscr)
}

/// The sum, exact but for the lowest bit.
fn sum(x: Number, y: Number, rounding: Rounding) -> Number {
    let zero = |negative| Number { negative, exponent: 0, significand: 0 };
    match (x.significand, y.significand) {
        (0, 0) if x.negative == y.negative => return zero(x.negative),
        (0, 0) => return zero(rounding == Rounding::Down),
        (0, _) => return y,
        (_, 0) => return x,
        _ => {}
    }
    let (x, y) = (normalised(x, 61), normalised(y, 61));
    let (large, small) = if (x.exponent, x.significand) >= (y.exponent, y.significand) { (x, y) } else { (y, x) };
    let distance = (large.exponent - small.exponent).min(63);
    let lost = small.significand & ((1 << distance) - 1) != 0;
    let aligned = small.significand >> distance | u64::from(lost);
    let significand = if x.negative == y.negative { large.significand + aligned } else { large.significand - aligned };
    let negative = if significand == 0 { rounding == Rounding::Down } else { large.negative };
    Number { negative, exponent: large.exponent, significand }
}

/// The exact product.
fn product(x: Number, y: Number) -> Number {
    Number {
        negative: x.negative != y.negative,
        exponent: x.exponent + y.exponent,
        significand: x.significand * y.significand,
    }
}

/// `FPAdd()`; subtraction is addition of the negated operand only where that is no NaN, hence [`sub`].
pub(crate) fn add(x: u32, y: u32, fpscr: &mut u32) -> u32 {
    match (unpack(x, fpscr), unpack(y, fpscr)) {
        (Value::Nan, _) | (_, Value::Nan) => choose_nan(&[x, y], fpscr),
        (Value::Infinite, Value::Infinite) if x != y => invalid(fpscr),
        (Value::Infinite, _) => x,
        (_, Value::Infinite) => y,
        (Value::Finite(p), Value::Finite(q)) => round_single(sum(p, q, Rounding::of(*fpscr)), fpscr),
    }
}

/// `FPSub()`.
pub(crate) fn sub(x: u32, y: u32, fpscr: &mut u32) -> u32 {
    add(x, if is_nan(y) { y } else { y ^ SIGN }, fpscr)
}

/// `FPMul()`.
pub(crate) fn mul(x: u32, y: u32, fpscr: &mut u32) -> u32 {
    match (unpack(x, fpscr), unpack(y, fpscr)) {
        (Value::Nan, _) | (_, Value::Nan) => choose_nan(&[x, y], fpscr),
        (Value::Finite(p), Value::Finite(q)) => round_single(product(p, q), fpscr),
        (Value::Finite(p), _) | (_, Value::Finite(p)) if p.significand == 0 => invalid(fpscr),
        _ => (x ^ y) & SIGN | INFINITY,
    }
}

/// `FPDiv()`.
pub(crate) fn div(x: u32, y: u32, fpscr: &mut u32) -> u32 {
    let sign = (x ^ y) & SIGN;
    match (unpack(x, fpscr), unpack(y, fpscr)) {
        (Value::Nan, _) | (_, Value::Nan) => choose_nan(&[x, y], fpscr),
        (Value::Infinite, Value::Infinite) => invalid(fpscr),
        (Value::Infinite, _) => sign | INFINITY,
        (_, Value::Infinite) => sign,
        (Value::Finite(p), Value::Finite(q)) => match (p.significand, q.significand) {
            (0, 0) => invalid(fpscr),
            (0, _) => sign,
            (_, 0) => {
                *fpscr |= DIVISION_BY_ZERO;
                sign | INFINITY
            }
            _ => round_single(quotient(normalised(p, 63), normalised(q, 23)), fpscr),
        },
    }
}

/// The quotient, exact but for the lowest bit; of a divisor of 24 bits and a dividend of 64.
fn quotient(x: Number, y: Number) -> Number {
    let (whole, rest) = (x.significand / y.significand, x.significand % y.significand);
    Number {
        negative: x.negative != y.negative,
        exponent: x.exponent - y.exponent,
        significand: whole | u64::from(rest != 0),
    }
}

/// `FPSqrt()`.
pub(crate) fn sqrt(x: u32, fpscr: &mut u32) -> u32 {
    match unpack(x, fpscr) {
        Value::Nan => choose_nan(&[x], fpscr),
        Value::Finite(p) if p.significand == 0 => x & SIGN,
        _ if is_negative(x) => invalid(fpscr),
        Value::Infinite => x,
        Value::Finite(p) => {
            let p = normalised(p, 62);
            let (square, exponent) =
                if p.exponent % 2 == 0 { (p.significand, p.exponent) } else { (p.significand << 1, p.exponent - 1) };
            let root = square.isqrt();
            let significand = root << 1 | u64::from(root * root != square);
            round_single(Number { negative: false, exponent: exponent / 2 - 1, significand }, fpscr)
        }
    }
}

/// `FPMulAdd()`: addend + x × y with one rounding.
pub(crate) fn mul_add(addend: u32, x: u32, y: u32, fpscr: &mut u32) -> u32 {
    let (a, p, q) = (unpack(addend, fpscr), unpack(x, fpscr), unpack(y, fpscr));
    let no_product = match (p, q) {
        (Value::Infinite, Value::Finite(z)) | (Value::Finite(z), Value::Infinite) => z.significand == 0,
        _ => false,
    };
    if is_nan(addend) || is_nan(x) || is_nan(y) {
        let operands = if *fpscr & LAST_NAN != 0 { [x, y, addend] } else { [addend, x, y] };
        let chosen = choose_nan(&operands, fpscr);
        return if no_product && !is_signalling(addend) { invalid(fpscr) } else { chosen };
    }
    if no_product {
        return invalid(fpscr);
    }
    let sign = (x ^ y) & SIGN;
    match (a, p, q) {
        (Value::Finite(a), Value::Finite(p), Value::Finite(q)) => {
            round_single(sum(a, product(p, q), Rounding::of(*fpscr)), fpscr)
        }
        (Value::Infinite, Value::Finite(_), Value::Finite(_)) => addend,
        (Value::Infinite, ..) if addend & SIGN != sign => invalid(fpscr),
        _ => sign | INFINITY,
    }
}

/// `FPCompare()`: N, Z, C, V as bits 31..=28. `quiet_too`: a quiet NaN is an invalid operation as well (VCMPE).
pub(crate) fn compare(x: u32, y: u32, quiet_too: bool, fpscr: &mut u32) -> u32 {
    let (p, q) = (unpack(x, fpscr), unpack(y, fpscr));
    if is_nan(x) || is_nan(y) {
        if quiet_too || is_signalling(x) || is_signalling(y) {
            *fpscr |= INVALID;
        }
        return 0x3000_0000;
    }
    // Patterns without sign are ordered as the numbers; both zeros (and flushed denormals) are one.
    let order = |value, bits: u32| match value {
        Value::Finite(number) if number.significand == 0 => 0,
        _ if is_negative(bits) => -i64::from(bits & !SIGN),
        _ => i64::from(bits),
    };
    match order(p, x).cmp(&order(q, y)) {
        core::cmp::Ordering::Less => 0x8000_0000,
        core::cmp::Ordering::Equal => 0x6000_0000,
        core::cmp::Ordering::Greater => 0x2000_0000,
    }
}

/// An integer format: bits, and whether signed.
#[derive(Clone, Copy)]
pub(crate) struct Integer {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

impl Integer {
    /// The number that the low bits of `x` are.
    pub(crate) fn value(self, x: u32) -> i64 {
        let unused = 64 - self.bits;
        let raised = u64::from(x) << unused;
        if self.signed { raised as i64 >> unused } else { (raised >> unused) as i64 }
    }

    /// The greatest number.
    pub(crate) fn greatest(self) -> u32 {
        u32::MAX >> (32 - self.bits + u32::from(self.signed))
    }
}

/// Signed, 32 bits.
pub(crate) const S32: Integer = Integer { bits: 32, signed: true };
/// Unsigned, 32 bits.
pub(crate) const U32: Integer = Integer { bits: 32, signed: false };

/// `FPToFixed()`: x × 2^`fraction` as an integer of that format, sign- or zero-extended to 32 bits.
pub(crate) fn to_fixed(x: u32, fraction: u32, integer: Integer, rounding: Rounding, fpscr: &mut u32) -> u32 {
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
pub(crate) fn from_fixed(x: i64, fraction: u32, rounding: Rounding, fpscr: &mut u32) -> u32 {
    let number = Number { negative: x < 0, exponent: -(fraction as i32), significand: x.unsigned_abs() };
    round(SINGLE, number, rounding, fpscr)
}
