//! The pseudo-code functions that the data-processing rows share (DDI 0403, A2.2, A5.3.2 and A7.4).

use super::super::{Shift, ShiftKind};

/// `Shift_C()` for any amount, constant or out of a register: the shifted value and the carry out.
#[inline(always)]
pub(super) fn shift_c(value: u32, kind: ShiftKind, amount: u32, carry: bool) -> (u32, bool) {
    if kind == ShiftKind::Rrx {
        return (u32::from(carry) << 31 | value >> 1, value & 1 != 0);
    }
    if amount == 0 {
        return (value, carry);
    }
    // In 64 bits the last bit shifted out stands next to the result; amounts from 33 on all give the same.
    let amount = amount.min(if kind == ShiftKind::Ror { u32::MAX } else { 33 });
    match kind {
        ShiftKind::Lsl => {
            let wide = u64::from(value) << amount;
            (wide as u32, wide >> 32 & 1 != 0)
        }
        ShiftKind::Lsr => halves((u64::from(value) << 32) >> amount),
        ShiftKind::Asr => halves(((i64::from(value as i32) << 32) >> amount) as u64),
        ShiftKind::Ror | ShiftKind::Rrx => {
            let rotated = value.rotate_right(amount);
            (rotated, rotated >> 31 != 0)
        }
    }
}

/// The result in the upper word, the carry at the top of the lower one.
#[inline(always)]
fn halves(wide: u64) -> (u32, bool) {
    ((wide >> 32) as u32, wide >> 31 & 1 != 0)
}

/// `Shift()`: the value alone.
#[inline(always)]
pub(super) fn shifted(value: u32, shift: Shift, carry: bool) -> u32 {
    if shift.amount == 0 { value } else { shift_c(value, shift.kind, u32::from(shift.amount), carry).0 }
}

/// `AddWithCarry()`: sum, carry out, overflow.
#[inline(always)]
pub(super) fn add_with_carry(x: u32, y: u32, carry: bool) -> (u32, bool, bool) {
    let wide = u64::from(x) + u64::from(y) + u64::from(carry);
    let sum = wide as u32;
    (sum, wide >> 32 != 0, (x ^ sum) & (y ^ sum) & 0x8000_0000 != 0)
}

/// `SignedSatQ()`: saturation to `bits` (1..=32) bits, and whether it saturated.
#[inline(always)]
pub(super) fn signed_sat(value: i64, bits: u32) -> (u32, bool) {
    let limit = 1i64 << (bits - 1);
    let clamped = value.clamp(-limit, limit - 1);
    (clamped as u32, clamped != value)
}

/// `UnsignedSatQ()`: saturation to `bits` (0..=32) bits, and whether it saturated.
#[inline(always)]
pub(super) fn unsigned_sat(value: i64, bits: u32) -> (u32, bool) {
    let clamped = value.clamp(0, (1i64 << bits) - 1);
    (clamped as u32, clamped != value)
}
