//! The cycle counter of the trace unit (ARMv7-M, C1.8), which emulators lack.

use super::registers;

/// Debug control (TRCENA in bit 24), control of the unit (CYCCNTENA in bit 0), and the counter.
const DEMCR: u32 = 0xe000_edfc;
const CONTROL: u32 = 0xe000_1000;
const CYCLES: u32 = 0xe000_1004;

/// Starts the counter. False if there is none: it stands still.
pub fn start() -> bool {
    registers::change(DEMCR, 0, 1 << 24);
    registers::write(CYCLES, 0);
    registers::change(CONTROL, 0, 1);
    let before = now();
    (0..16).any(|_| now() != before)
}

/// Cycles since some point in time, modulo 2^32.
pub fn now() -> u32 {
    registers::read(CYCLES)
}
