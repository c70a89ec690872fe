//! The extension's registers as RUR and WUR see them.

use super::super::super::{Fault, Inst, State, Vector};
use super::super::{NEXT, Step, get, set};
use super::check_enabled;

/// What WUR can set in GPIO_OUT and in the uppermost bits of ACCX.
const BYTE: u32 = 0xff;
/// What it can set in SAR_BYTE and FFT_BIT_WIDTH.
const NIBBLE: u32 = 0xf;

/// The word of UA_STATE by the number of its user register.
fn ua_shift(number: i64) -> i64 {
    32 * (number - 15)
}

fn read(vector: &Vector, number: i64) -> Option<u32> {
    Some(match number {
        0 => vector.accx as u32,
        1 => (vector.accx >> 32) as u32,
        2..=6 => vector.qacc_h[number as usize - 2],
        7..=11 => vector.qacc_l[number as usize - 7],
        12 => vector.gpio_out,
        13 => vector.sar_byte,
        14 => vector.fft_bit_width,
        15..=18 => (vector.ua_state >> ua_shift(number)) as u32,
        _ => return None,
    })
}

fn write(vector: &mut Vector, number: i64, value: u32) {
    match number {
        0 => vector.accx = vector.accx >> 32 << 32 | u64::from(value),
        1 => vector.accx = u64::from(value & BYTE) << 32 | u64::from(vector.accx as u32),
        2..=6 => vector.qacc_h[number as usize - 2] = value,
        7..=11 => vector.qacc_l[number as usize - 7] = value,
        12 => vector.gpio_out = value & BYTE,
        13 => vector.sar_byte = value & NIBBLE,
        14 => vector.fft_bit_width = value & NIBBLE,
        15..=18 => {
            let at = ua_shift(number);
            vector.ua_state = vector.ua_state & !(0xffff_ffff << at) | u128::from(value) << at;
        }
        _ => {}
    }
}

/// RUR of a register of the extension.
pub(in super::super) fn read_user(state: &mut State, inst: &Inst) -> Step {
    check_enabled(state)?;
    let value = read(&state.vector, inst.imm).ok_or(Fault::Illegal)?;
    set(state, inst.r, value)
}

/// WUR.
pub(in super::super) fn write_user(state: &mut State, inst: &Inst) -> Step {
    check_enabled(state)?;
    read(&state.vector, inst.imm).ok_or(Fault::Illegal)?;
    let value = get(state, inst.t);
    write(&mut state.vector, inst.imm, value);
    NEXT
}
