//! Single-precision arithmetic, comparison and conversion.

use super::super::{Bus, Inst, Op, Reg, State};
use super::convert::{Integer, from_fixed, from_half, to_fixed, to_half};
use super::float::*;
use super::{NEXT, Step, fp_move};

/// The value of a single-precision register.
#[inline]
pub(super) fn single(state: &State, reg: Reg) -> u32 {
    state.s[usize::from(reg.0 & 31)]
}

/// Sets a single-precision register.
#[inline]
pub(super) fn put_single(state: &mut State, reg: Reg, value: u32) {
    state.s[usize::from(reg.0 & 31)] = value;
}

/// The rows of the floating-point extension.
pub(super) fn execute<B: Bus>(state: &mut State, bus: &mut B, inst: &Inst) -> Step {
    let (d, n, m) = (single(state, inst.d), single(state, inst.n), single(state, inst.m));
    let fpscr = &mut state.fpscr;
    let value = match inst.op {
        Op::VaddS => add(n, m, fpscr),
        Op::VsubS => sub(n, m, fpscr),
        Op::VmulS => mul(n, m, fpscr),
        Op::VnmulS => mul(n, m, fpscr) ^ SIGN,
        Op::VmlaS => chained(d, n, m, fpscr, 0, 0),
        Op::VmlsS => chained(d, n, m, fpscr, 0, SIGN),
        Op::VnmlaS => chained(d, n, m, fpscr, SIGN, SIGN),
        Op::VnmlsS => chained(d, n, m, fpscr, SIGN, 0),
        Op::VfmaS => mul_add(d, n, m, fpscr),
        Op::VfmsS => mul_add(d, n ^ SIGN, m, fpscr),
        Op::VfnmaS => mul_add(d ^ SIGN, n ^ SIGN, m, fpscr),
        Op::VfnmsS => mul_add(d ^ SIGN, n, m, fpscr),
        Op::VdivS => div(n, m, fpscr),
        Op::VsqrtS => sqrt(m, fpscr),
        Op::VabsS => m & !SIGN,
        Op::VnegS => m ^ SIGN,
        Op::VcmpS => return compared(state, d, m, false),
        Op::VcmpeS => return compared(state, d, m, true),
        Op::VcmpZeroS => return compared(state, d, 0, false),
        Op::VcmpeZeroS => return compared(state, d, 0, true),
        Op::VcvtbF32F16 => from_half(m, fpscr),
        Op::VcvttF32F16 => from_half(m >> 16, fpscr),
        Op::VcvtbF16F32 => d & 0xffff_0000 | to_half(m, fpscr),
        Op::VcvttF16F32 => d & 0xffff | to_half(m, fpscr) << 16,
        _ => match integers(inst, d, m, fpscr) {
            Some(value) => value,
            None => return fp_move::execute(state, bus, inst),
        },
    };
    put_single(state, inst.d, value);
    NEXT
}

/// Conversions to and from integers and fixed point; `None` for other rows.
fn integers(inst: &Inst, d: u32, m: u32, fpscr: &mut u32) -> Option<u32> {
    const S16: Integer = Integer { bits: 16, signed: true };
    const U16: Integer = Integer { bits: 16, signed: false };
    const S32: Integer = Integer { bits: 32, signed: true };
    const U32: Integer = Integer { bits: 32, signed: false };
    let (fraction, rounding) = (inst.imm as u32, Rounding::of(*fpscr));
    Some(match inst.op {
        Op::VcvtS32F32 => to_fixed(m, 0, S32, Rounding::Zero, fpscr),
        Op::VcvtU32F32 => to_fixed(m, 0, U32, Rounding::Zero, fpscr),
        Op::VcvtrS32F32 => to_fixed(m, 0, S32, rounding, fpscr),
        Op::VcvtrU32F32 => to_fixed(m, 0, U32, rounding, fpscr),
        Op::VcvtF32S32 => from_fixed((m as i32).into(), 0, rounding, fpscr),
        Op::VcvtF32U32 => from_fixed(m.into(), 0, rounding, fpscr),
        Op::VcvtF32S16Fix => from_fixed((d as i16).into(), fraction, Rounding::Nearest, fpscr),
        Op::VcvtF32U16Fix => from_fixed((d as u16).into(), fraction, Rounding::Nearest, fpscr),
        Op::VcvtF32S32Fix => from_fixed((d as i32).into(), fraction, Rounding::Nearest, fpscr),
        Op::VcvtF32U32Fix => from_fixed(d.into(), fraction, Rounding::Nearest, fpscr),
        Op::VcvtS16F32Fix => to_fixed(d, fraction, S16, Rounding::Zero, fpscr),
        Op::VcvtU16F32Fix => to_fixed(d, fraction, U16, Rounding::Zero, fpscr),
        Op::VcvtS32F32Fix => to_fixed(d, fraction, S32, Rounding::Zero, fpscr),
        Op::VcvtU32F32Fix => to_fixed(d, fraction, U32, Rounding::Zero, fpscr),
        _ => return None,
    })
}

/// Multiplication and addition, each rounded; the addend and the product are negated by their masks.
fn chained(addend: u32, n: u32, m: u32, fpscr: &mut u32, negate_addend: u32, negate_product: u32) -> u32 {
    let product = mul(n, m, fpscr) ^ negate_product;
    add(addend ^ negate_addend, product, fpscr)
}

fn compared(state: &mut State, x: u32, y: u32, quiet_too: bool) -> Step {
    let flags = compare(x, y, quiet_too, &mut state.fpscr);
    state.fpscr = state.fpscr & 0x0fff_ffff | flags;
    NEXT
}
