//! Calls of functions between two readings of the cycle counter, and on a painted stack.
//!
//! Both are assembly so that no compiler puts anything between. A reading, the call and the other reading lie in one word and
//! the next, so that fetching them takes the same time wherever they are linked.

use core::arch::global_asm;

/// A call: what is called, and with what.
#[repr(C)]
pub struct Call {
    function: usize,
    arguments: [usize; 4],
}

unsafe extern "C" {
    /// Calls, and returns how far the cycle counter has moved between the reading before and the reading after.
    fn quadround_timed(call: *const Call) -> u32;
    /// Fills the stack from `lowest` up to sp, calls, and returns how many bytes below sp are no longer as they were.
    fn quadround_painted(call: *const Call, lowest: *mut u32) -> u32;
    /// Returns.
    pub safe fn quadround_nothing();
    /// The lowest address that the stack may reach, defined by link.x.
    static mut __sheap: u32;
}

global_asm!(
    ".pushsection .text.quadround_timed, \"ax\", %progbits",
    ".p2align 2",
    ".global quadround_timed",
    ".type quadround_timed, %function",
    ".thumb_func",
    "quadround_timed:",
    "    push {{r4, r5, r6, r7, r8, lr}}",
    "    mov r6, r0",
    "    movw r4, #0x1004", // CYCCNT
    "    movt r4, #0xe000",
    "    ldr r7, [r6]",
    "    ldrd r0, r1, [r6, #4]",
    "    ldrd r2, r3, [r6, #12]",
    "    .p2align 2",
    "    ldr r5, [r4]",
    "    blx r7",
    "    ldr r1, [r4]",
    "    subs r0, r1, r5",
    "    pop {{r4, r5, r6, r7, r8, pc}}",
    ".size quadround_timed, . - quadround_timed",
    ".popsection",
    ".pushsection .text.quadround_painted, \"ax\", %progbits",
    ".p2align 2",
    ".global quadround_painted",
    ".type quadround_painted, %function",
    ".thumb_func",
    "quadround_painted:",
    "    push {{r4, r5, r6, r7, r8, lr}}",
    "    mov r6, r0",
    "    mov r7, r1",
    "    movw r4, #0x9a1c",
    "    movt r4, #0x57ac",
    "1:  str r4, [r1], #4",
    "    cmp r1, sp",
    "    blo 1b",
    "    ldr r5, [r6]",
    "    ldrd r0, r1, [r6, #4]",
    "    ldrd r2, r3, [r6, #12]",
    "    blx r5",
    "2:  cmp r7, sp",
    "    bhs 3f",
    "    ldr r1, [r7]",
    "    cmp r1, r4",
    "    bne 3f",
    "    adds r7, #4",
    "    b 2b",
    "3:  mov r0, sp",
    "    subs r0, r0, r7",
    "    pop {{r4, r5, r6, r7, r8, pc}}",
    ".size quadround_painted, . - quadround_painted",
    ".popsection",
    ".pushsection .text.quadround_nothing, \"ax\", %progbits",
    ".p2align 2",
    ".global quadround_nothing",
    ".type quadround_nothing, %function",
    ".thumb_func",
    "quadround_nothing:",
    "    bx lr",
    ".size quadround_nothing, . - quadround_nothing",
    ".popsection",
);

impl Call {
    /// A call of `function` with these words as its first arguments.
    ///
    /// # Safety
    /// `function` is the address of a function of the C ABI that may be called with these arguments, more than once.
    pub unsafe fn new(function: usize, arguments: [usize; 4]) -> Call {
        Call { function, arguments }
    }

    /// Calls, and returns how far the cycle counter has moved from the reading before to the reading after.
    pub fn timed(&self) -> u32 {
        // SAFETY: who made the call has vouched for it.
        unsafe { quadround_timed(self) }
    }

    /// Calls, and returns the bytes of stack that were changed below the caller's.
    pub fn painted(&self) -> u32 {
        // SAFETY: between the end of the variables and sp there is nothing. Who made the call has vouched for it.
        unsafe { quadround_painted(self, &raw mut __sheap) }
    }
}

/// Bytes between the end of the variables and the caller's stack.
pub fn free_stack() -> usize {
    let here = 0u8;
    (&raw const here).addr().saturating_sub((&raw const __sheap).addr())
}
