//! A finished function: what the passes leave and the emitters print.

use crate::target::{Shape, Target};
use isa::thumb::Inst;

/// What a parameter is at the C interface. Arrays are passed by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    /// `uint32_t name[n]`, 4-byte aligned, words in the core's byte order.
    Words(u32),
    /// `uint8_t *name`, any alignment; its length is the value of the named parameter.
    Bytes {
        /// The parameter that holds the length.
        length: &'static str,
    },
    /// `uint32_t name`, a value.
    Value,
}

/// Which way a parameter's memory is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Only read (`const`).
    In,
    /// Only written, entirely.
    Out,
}

/// One parameter, in AAPCS order: the first is in r0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Name in the header and the bindings.
    pub name: &'static str,
    /// Type and extent.
    pub ty: ParamType,
    /// Read or written.
    pub direction: Direction,
    /// True if the contents are secret: no branch and no address may depend on them.
    pub secret: bool,
    /// One line for headers and docs, without full stop.
    pub doc: &'static str,
}

/// A function's interface: all that a caller has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// What it computes, one line, with its source (standard and section).
    pub summary: &'static str,
    /// More lines: bounds, overlap rules, errors.
    pub notes: &'static [&'static str],
    /// At most four.
    pub params: Vec<Param>,
    /// `None` for void; otherwise what the returned word means: 0 that it was done, anything else that it was refused.
    pub returns: Option<&'static str>,
}

/// One line of a function's body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A local label; printed as `.Lsymbol_name:`.
    Label(String),
    /// A comment on a line of its own: a step of the algorithm begins.
    Comment(String),
    /// An instruction. A branch names its label; its `imm` already holds the offset.
    Inst {
        /// The instruction, with physical registers and the width that was chosen (never `Any` unless both agree).
        inst: Inst,
        /// The label it branches to, if it is a branch inside the function.
        target: Option<String>,
        /// A remark at the end of the line, or empty.
        remark: String,
    },
    /// `.cfi_def_cfa_offset n`: bytes between sp and the canonical frame address from here on.
    CfaOffset(u32),
    /// `.cfi_offset reg, -n`: core register (0..=15) saved n bytes below the canonical frame address.
    SavedAt {
        /// DWARF number of the register; core registers are their own number.
        reg: u8,
        /// Bytes below the CFA.
        below_cfa: u32,
    },
    /// `.cfi_register reg, s`: core register `reg` is kept in single-precision register `s` from here on.
    SavedInFp {
        /// DWARF number of the core register.
        reg: u8,
        /// Number of the single-precision register (its DWARF number is 64 more).
        s: u8,
    },
    /// `.cfi_restore reg`.
    Restored(u8),
}

/// [`Function::residue`] of a function that leaves no secret behind; the verification holds it to that.
pub const NOTHING_STAYS: &str = "nothing: the frame and the registers that held secret words are overwritten";

/// A generated function with everything that is known about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// `qr_<kernel>_<shape>_<target>`.
    pub symbol: String,
    /// Kernel name, such as `chacha20_permute`.
    pub kernel: String,
    /// Kernel family, such as `chacha`.
    pub family: &'static str,
    /// The core it is for.
    pub target: Target,
    /// How far it is unrolled.
    pub shape: Shape,
    /// Interface for callers.
    pub interface: Interface,
    /// The body.
    pub lines: Vec<Line>,
    /// Machine code: what `lines` encode to, and what goes into `.text.<symbol>`.
    pub code: Vec<u8>,
    /// Constants in `.rodata.<symbol>`; empty if there are none.
    pub rodata: Vec<u8>,
    /// Bytes of stack below the entry sp.
    pub stack_bytes: u32,
    /// Core registers it changes and does not restore, as a mask (subset of r0-r3, r12, plus lr if so).
    pub clobbers_core: u16,
    /// FP registers it changes and does not restore, as a mask of s0..s31.
    pub clobbers_fp: u32,
    /// Secret words that may be left below sp or in clobbered registers on return, as one sentence.
    pub residue: &'static str,
    /// Executed instructions of the benchmark call.
    pub instructions: u64,
    /// Cycles of the benchmark call, first instruction through return, ideal memory.
    pub cycles: u64,
    /// What the benchmark call is, for example `one call` or `1024 aligned bytes`.
    pub cycles_of: &'static str,
    /// Cases in which the machine code was compared with the portable code before anything was written.
    pub verified_cases: u64,
}
