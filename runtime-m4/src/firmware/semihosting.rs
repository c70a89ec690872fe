//! Calls to the host (Arm, *Semihosting for AArch32 and AArch64*).

/// SYS_WRITE0, SYS_EXIT, and the reasons of the latter.
const WRITE0: u32 = 0x04;
const EXIT: u32 = 0x18;
const APPLICATION_EXIT: u32 = 0x2_0026;
const RUN_TIME_ERROR: u32 = 0x2_0023;

/// Bytes of text in a call.
const CHUNK: usize = 64;

/// Calls the host: an operation and its argument, or the address of its arguments. Gives the answer.
pub fn call(operation: u32, argument: u32) -> u32 {
    let answer;
    // SAFETY: the host reads what the argument points to, at most, and puts its answer into r0.
    unsafe {
        core::arch::asm!("bkpt 0xab", inlateout("r0") operation => answer, in("r1") argument, options(nostack));
    }
    answer
}

/// Prints text that has no zero bytes.
pub fn print(text: &str) {
    for chunk in text.as_bytes().chunks(CHUNK) {
        let mut terminated = [0; CHUNK + 1];
        terminated[..chunk.len()].copy_from_slice(chunk);
        call(WRITE0, terminated.as_ptr().expose_provenance() as u32);
    }
}

/// Ends the program: exit code 0 or 1.
pub fn exit(success: bool) {
    call(EXIT, if success { APPLICATION_EXIT } else { RUN_TIME_ERROR });
}
