//! What ends a program that went wrong: a report as far as it goes, the end marks, exit code 1.

use super::registers;
use super::report::fail;
use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, exception};

/// Configurable and hard fault status, and the address of a bus fault (ARMv7-M, B3.2.15 to B3.2.18).
const CFSR: u32 = 0xe000_ed28;
const HFSR: u32 = 0xe000_ed2c;
const BFAR: u32 = 0xe000_ed38;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    fail(format_args!("{info}"))
}

// SAFETY: the handler does not return, and prints only.
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    let [cfsr, hfsr, bfar] = [CFSR, HFSR, BFAR].map(registers::read);
    let (pc, lr) = (frame.pc(), frame.lr());
    fail(format_args!("HardFault at {pc:#010x}, lr {lr:#010x}, CFSR {cfsr:#x}, HFSR {hfsr:#x}, BFAR {bfar:#010x}"))
}

// SAFETY: the handler does not return, and prints only.
#[exception]
unsafe fn DefaultHandler(number: i16) {
    fail(format_args!("exception {number}, for which there is no handler"))
}
