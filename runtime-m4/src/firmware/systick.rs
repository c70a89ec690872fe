//! Interrupts by the core's timer (ARMv7-M, B3.3), so that kernels are interrupted.

use super::registers;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m_rt::exception;

/// Control (enable, interrupt, core clock), reload value, current value.
const CONTROL: u32 = 0xe000_e010;
const RELOAD: u32 = 0xe000_e014;
const CURRENT: u32 = 0xe000_e018;

static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    INTERRUPTS.fetch_add(1, Ordering::Relaxed);
}

/// Interrupts every so many cycles while `work` is done, and returns how many there were.
pub fn interrupted_every(cycles: u32, work: impl FnOnce()) -> u32 {
    let before = INTERRUPTS.load(Ordering::Relaxed);
    registers::write(RELOAD, cycles - 1);
    registers::write(CURRENT, 0);
    registers::write(CONTROL, 0b111);
    work();
    registers::write(CONTROL, 0);
    INTERRUPTS.load(Ordering::Relaxed).wrapping_sub(before)
}
