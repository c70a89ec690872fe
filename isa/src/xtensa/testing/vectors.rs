//! Handlers of window exceptions, by the layout of stack frames that the windowed ABI prescribes (ISA manual, 8.1): a frame's a0
//! to a3 are under the stack pointer of the frame that it called, its further registers at the top of its own frame, under
//! the save area of its caller's registers. That of its caller is found by the caller's stack pointer, which was saved likewise.

use super::super::Op;
use super::Assembly;

/// Appends the six handlers, which stand 64 bytes apart: 4 registers overflow, 4 underflow, 8 overflow, and so on.
pub fn window_vectors(code: &mut Assembly) {
    let base = code.here();
    for fours in 1..=3 {
        code.skip_to(base + u32::from(fours - 1) * 0x80);
        overflow(code, fours);
        code.skip_to(base + u32::from(fours - 1) * 0x80 + 0x40);
        underflow(code, fours);
    }
    code.skip_to(base + 0x180);
}

/// Stores the frame of `4 * fours` registers. The called frame's stack pointer is seen behind it.
fn overflow(code: &mut Assembly, fours: u8) {
    let callee = 4 * fours + 1;
    code.op(Op::S32e, 0, callee, 0, -16);
    if fours > 1 {
        // a0 is stored: it can hold the caller's stack pointer.
        code.op(Op::L32e, 0, 1, 0, -12);
    }
    for register in 1..4 {
        code.op(Op::S32e, 0, callee, register, -16 + 4 * i64::from(register));
    }
    for register in 4..4 * fours {
        code.op(Op::S32e, 0, 0, register, further(fours, register));
    }
    code.op(Op::Rfwo, 0, 0, 0, 0);
}

/// Loads the frame.
fn underflow(code: &mut Assembly, fours: u8) {
    let (callee, last) = (4 * fours + 1, 4 * fours - 1);
    for register in 0..4 {
        code.op(Op::L32e, 0, callee, register, -16 + 4 * i64::from(register));
    }
    if fours > 1 {
        // The last register, which is loaded last, holds the caller's stack pointer.
        code.op(Op::L32e, 0, 1, last, -12);
    }
    for register in 4..4 * fours {
        code.op(Op::L32e, 0, last, register, further(fours, register));
    }
    code.op(Op::Rfwu, 0, 0, 0, 0);
}

/// Where a4 and the registers behind it are, from the caller's stack pointer.
fn further(fours: u8, register: u8) -> i64 {
    4 * (i64::from(register) - 4 - 4 * i64::from(fours))
}
