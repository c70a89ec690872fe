//! What an instruction works on: registers and flags; and what comes of it.

use crate::bus::BusFault;

/// The programmer's model: core registers, flags, IT state, FP registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// r0..r15. While an instruction executes, `r[15]` holds that instruction's own address; the semantics add 4 where the
    /// architecture reads PC. After it, `r[15]` is the next instruction's address.
    pub r: [u32; 16],
    /// Negative.
    pub n: bool,
    /// Zero.
    pub z: bool,
    /// Carry.
    pub c: bool,
    /// Overflow.
    pub v: bool,
    /// Saturation (sticky).
    pub q: bool,
    /// Greater-or-equal bits, bits 0..=3.
    pub ge: u8,
    /// IT state as in EPSR: condition base and mask, 0 outside an IT block.
    pub it: u8,
    /// s0..s31 as bits.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
    /// IPSR, PRIMASK, BASEPRI, FAULTMASK, CONTROL, as MRS and MSR see them (SYSm is the index), and the stack pointer (MSP or
    /// PSP) that is not in `r[13]`: CONTROL.SPSEL says which is. The other elements are not used.
    pub special: [u32; 24],
    /// Address marked by LDREX, for STREX.
    pub exclusive: Option<u32>,
}

/// What happened, beside the change of state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The next instruction follows.
    Next,
    /// The program counter was set to `State::r[15]`.
    Jumped,
    /// The condition failed; nothing was done.
    Skipped,
    /// BKPT with its immediate.
    Breakpoint(u8),
    /// SVC with its immediate.
    Supervisor(u8),
    /// WFI or WFE.
    Wait,
}

/// Why an instruction could not be executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The bus refused `address`.
    Bus {
        /// The refused address.
        address: u32,
        /// Bytes asked for.
        size: u32,
        /// True for a store.
        write: bool,
        /// Why.
        why: BusFault,
    },
    /// LDM, STM, LDRD, STRD, LDREX, VLDR and friends at an address that is no multiple of 4 (or of the exclusive access's size).
    Unaligned {
        /// The misaligned address.
        address: u32,
    },
    /// Permanently undefined, or not in this core.
    Undefined,
    /// BX, BLX, POP or LDR to an address with bit 0 clear.
    ArmState {
        /// The value that was to become PC.
        target: u32,
    },
    /// An access to a coprocessor: none of these cores has one beside the floating-point extension.
    NoCoprocessor,
}
