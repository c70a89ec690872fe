//! Constants that the architecture packs in unusual ways.

/// The value of a modified constant's twelve bits i:imm3:imm8, or `None` where it is unpredictable (DDI 0403, A5.3.2).
pub(super) const fn expand(bits: u32) -> Option<u32> {
    let byte = bits & 0xff;
    match bits >> 8 {
        0 => Some(byte),
        1..=3 if byte == 0 => None,
        1 => Some(byte * 0x0001_0001),
        2 => Some(byte * 0x0100_0100),
        3 => Some(byte * 0x0101_0101),
        _ => Some((byte | 0x80).rotate_right(bits >> 7)),
    }
}

/// The twelve bits i:imm3:imm8 that stand for `value`, if it is a modified constant.
pub const fn modified_constant(value: u32) -> Option<u32> {
    let (low, next) = (value & 0xff, value >> 8 & 0xff);
    if value < 256 {
        Some(value)
    } else if value == low * 0x0001_0001 {
        Some(0x100 | low)
    } else if value == next * 0x0100_0100 {
        Some(0x200 | next)
    } else if value == low * 0x0101_0101 {
        Some(0x300 | low)
    } else {
        let rotation = value.leading_zeros() + 8;
        let byte = value.rotate_left(rotation);
        if byte < 256 { Some((rotation & 31) << 7 | byte & 0x7f) } else { None }
    }
}

/// The carry that the constant `value` gives to a logical instruction that sets flags: bit 31 of a rotated constant, and
/// `None` (C keeps its value) for a byte or a repeated byte.
pub const fn modified_constant_carry(value: u32) -> Option<bool> {
    match modified_constant(value) {
        Some(bits) if bits >= 0x400 => Some(value >> 31 != 0),
        _ => None,
    }
}

/// The bits of the `f32` that eight bits abcdefgh stand for (A6.4.1): sign a, exponent NOT(b) b b b b b c d, fraction efgh.
pub(super) const fn expand_float(bits: u32) -> u32 {
    let exponent = if bits & 0x40 != 0 { 0x1f << 25 } else { 1 << 30 };
    (bits & 0x80) << 24 | exponent | (bits & 0x3f) << 19
}

/// The eight bits that stand for an `f32`; wrong where there are none, which expanding them shows.
pub(super) const fn float_constant(value: u32) -> u32 {
    value >> 24 & 0x80 | value >> 23 & 0x40 | value >> 19 & 0x3f
}

/// Sign-extends the low `width` bits.
pub(super) const fn sign_extend(value: u32, width: u32) -> i32 {
    (value << (32 - width)) as i32 >> (32 - width)
}

/// The offset in the 20 bits S imm6 J1 J2 imm11 of B T3.
pub(super) const fn branch_t3(bits: u32) -> i32 {
    let (sign, high, j1, j2) = (bits >> 19, bits >> 13 & 0x3f, bits >> 12 & 1, bits >> 11 & 1);
    sign_extend(sign << 20 | j2 << 19 | j1 << 18 | high << 12 | (bits & 0x7ff) << 1, 21)
}

/// The 20 bits for an offset of B T3.
pub(super) const fn branch_t3_bits(offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 20 & 1) << 19 | (o >> 12 & 0x3f) << 13 | (o >> 18 & 1) << 12 | (o >> 19 & 1) << 11 | o >> 1 & 0x7ff
}

/// The offset in the 24 bits S imm10 J1 J2 imm11 of B T4 and BL.
pub(super) const fn branch_t4(bits: u32) -> i32 {
    let (sign, j1, j2) = (bits >> 23, bits >> 12 & 1, bits >> 11 & 1);
    let (i1, i2) = (j1 ^ sign ^ 1, j2 ^ sign ^ 1);
    sign_extend(sign << 24 | i1 << 23 | i2 << 22 | (bits >> 13 & 0x3ff) << 12 | (bits & 0x7ff) << 1, 25)
}

/// The 24 bits for an offset of B T4 and BL.
pub(super) const fn branch_t4_bits(offset: i32) -> u32 {
    let o = offset as u32;
    let sign = o >> 24 & 1;
    let (j1, j2) = (o >> 23 & 1 ^ sign ^ 1, o >> 22 & 1 ^ sign ^ 1);
    sign << 23 | (o >> 12 & 0x3ff) << 13 | j1 << 12 | j2 << 11 | o >> 1 & 0x7ff
}
