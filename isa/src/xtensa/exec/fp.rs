//! Single-precision floating point.

use super::super::{Fault, Inst, Reg, State, sr, state};
use super::{NEXT, Step, get, get_bool, set, set_bool};
use crate::float::{self, Integer, Rounding, S32, SIGN, U32, flags};

/// FSR's flags in the order of its bits, from [`FIRST_FLAG`] up.
const FLAGS: [u32; 5] = [flags::INEXACT, flags::UNDERFLOW, flags::OVERFLOW, flags::DIVISION_BY_ZERO, flags::INVALID];
/// The lowest flag's place in FSR.
const FIRST_FLAG: u32 = 7;
/// What CONST.S makes; it has no other number.
const CONSTANTS: [u32; 4] = [0, 0x3f80_0000, 0x4000_0000, 0x3f00_0000];

/// Refuses while the coprocessor is not enabled.
pub(super) fn check_enabled(state: &State) -> Result<(), Fault> {
    if state.special[sr::CPENABLE] & 1 == 0 { Err(Fault::CoprocessorDisabled(0)) } else { Ok(()) }
}

/// The value of a floating-point register.
fn single(state: &State, reg: Reg) -> u32 {
    state.f[usize::from(reg.0 & 15)]
}

/// Sets a floating-point register.
fn put(state: &mut State, reg: Reg, value: u32) -> Step {
    state.f[usize::from(reg.0 & 15)] = value;
    NEXT
}

/// The rounding mode that FCR asks for.
fn rounding(state: &State) -> Rounding {
    [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down][(state.user[state::FCR] & 3) as usize]
}

/// What `f` makes of FCR's mode; its flags are added to FSR's.
fn arithmetic(state: &mut State, f: impl FnOnce(&State, &mut u32) -> u32) -> u32 {
    let mut modes = rounding(state).modes() | float::LAST_NAN;
    let value = f(state, &mut modes);
    for (flag, place) in FLAGS.into_iter().zip(FIRST_FLAG..) {
        state.user[state::FSR] |= u32::from(modes & flag != 0) << place;
    }
    value
}

/// r = f(s), a move.
pub(super) fn moved(state: &mut State, inst: &Inst, f: fn(u32) -> u32) -> Step {
    check_enabled(state)?;
    put(state, inst.r, f(single(state, inst.s)))
}

/// r = s if `condition` holds.
pub(super) fn moved_if(state: &mut State, inst: &Inst, condition: impl Fn(&State) -> bool) -> Step {
    check_enabled(state)?;
    if condition(state) { put(state, inst.r, single(state, inst.s)) } else { NEXT }
}

/// Whether the word in t fulfils a condition.
pub(super) fn word(inst: &Inst, f: fn(i32) -> bool) -> impl Fn(&State) -> bool {
    let t = inst.t;
    move |state| f(get(state, t) as i32)
}

/// Whether boolean t is `wanted`.
pub(super) fn boolean(inst: &Inst, wanted: bool) -> impl Fn(&State) -> bool {
    let t = inst.t;
    move |state| get_bool(state, t) == wanted
}

/// CONST.S.
pub(super) fn constant(state: &mut State, inst: &Inst) -> Step {
    check_enabled(state)?;
    put(state, inst.r, *CONSTANTS.get(inst.imm as usize).ok_or(Fault::NotModelled)?)
}

/// RFR.
pub(super) fn read(state: &mut State, inst: &Inst) -> Step {
    check_enabled(state)?;
    set(state, inst.r, single(state, inst.s))
}

/// WFR.
pub(super) fn write(state: &mut State, inst: &Inst) -> Step {
    check_enabled(state)?;
    put(state, inst.r, get(state, inst.s))
}

/// An instruction of the coprocessor that is not modelled.
pub(super) fn not_modelled(state: &State) -> Step {
    check_enabled(state)?;
    Err(Fault::NotModelled)
}

/// r = f(s, t).
pub(super) fn binary(state: &mut State, inst: &Inst, f: fn(u32, u32, &mut u32) -> u32) -> Step {
    check_enabled(state)?;
    let value = arithmetic(state, |state, modes| f(single(state, inst.s), single(state, inst.t), modes));
    put(state, inst.r, value)
}

/// r = r + s × t, rounded once; or r - s × t.
pub(super) fn fused(state: &mut State, inst: &Inst, subtract: bool) -> Step {
    check_enabled(state)?;
    let value = arithmetic(state, |state, modes| {
        let (x, y) = (single(state, inst.s), single(state, inst.t));
        let x = if subtract && !float::is_nan(x) { x ^ SIGN } else { x };
        float::mul_add(single(state, inst.r), x, y, modes)
    });
    put(state, inst.r, value)
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    Equal,
    Greater,
    Unordered,
}

/// Boolean r = whether s and t are in one of these orders. `quiet_too`: a quiet NaN is an invalid operation as well.
pub(super) fn compare(state: &mut State, inst: &Inst, orders: &[Order], quiet_too: bool) -> Step {
    check_enabled(state)?;
    let nzcv = arithmetic(state, |state, modes| {
        float::compare(single(state, inst.s), single(state, inst.t), quiet_too, modes)
    });
    let order = match nzcv >> 28 {
        0b1000 => Order::Less,
        0b0110 => Order::Equal,
        0b0010 => Order::Greater,
        _ => Order::Unordered,
    };
    set_bool(state, inst.r, orders.contains(&order))
}

/// ar = s × 2^imm as an integer. A NaN becomes the greatest.
pub(super) fn to_integer(state: &mut State, inst: &Inst, format: Integer, rounding: Rounding) -> Step {
    check_enabled(state)?;
    let value = arithmetic(state, |state, modes| {
        let x = single(state, inst.s);
        let value = float::to_fixed(x, inst.imm as u32, format, rounding, modes);
        if float::is_nan(x) { format.greatest() } else { value }
    });
    set(state, inst.r, value)
}

/// UTRUNC.S: toward zero. A negative number is an invalid operation, unless it becomes 0, and gives the
/// signed integer.
pub(super) fn to_unsigned(state: &mut State, inst: &Inst) -> Step {
    check_enabled(state)?;
    let x = single(state, inst.s);
    if !float::is_negative(x) || float::is_nan(x) {
        return to_integer(state, inst, U32, Rounding::Zero);
    }
    let value = arithmetic(state, |_, modes| {
        let before = *modes;
        let value = float::to_fixed(x, inst.imm as u32, S32, Rounding::Zero, modes);
        if value != 0 {
            *modes = before | flags::INVALID;
        }
        value
    });
    set(state, inst.r, value)
}

/// fr = the integer in as, divided by 2^imm.
pub(super) fn from_integer(state: &mut State, inst: &Inst, format: Integer) -> Step {
    check_enabled(state)?;
    let rounding = rounding(state);
    let value = arithmetic(state, |state, modes| {
        float::from_fixed(format.value(get(state, inst.s)), inst.imm as u32, rounding, modes)
    });
    put(state, inst.r, value)
}
