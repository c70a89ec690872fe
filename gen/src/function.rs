//! A finished function: what the passes leave and the emitters print.

use crate::target::{Abi, Shape, Target};
use isa::xtensa::States;
use isa::{thumb, xtensa};
use std::fmt;
use std::ops::BitOrAssign;

/// What a parameter is at the C interface. Arrays are passed by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    /// `uint32_t name[n]`, 4-byte aligned, words in the core's byte order.
    Words(u32),
    /// `int32_t name[n]`, 4-byte aligned, words in the core's byte order.
    SignedWords(u32),
    /// `int16_t name[n]`, 2-byte aligned; at a multiple of 4 it takes less time.
    Halfwords(u32),
    /// `uint8_t name[n]`, any alignment.
    ByteArray(u32),
    /// `uint8_t *name`, any alignment; its length is the value of the named parameter.
    Bytes {
        /// The parameter that holds the length.
        length: &'static str,
    },
    /// `uint8_t *name`, any alignment; so many times so many bytes as the value of the named parameter.
    Chunks {
        /// Bytes of each.
        bytes: u32,
        /// The parameter that holds their number.
        count: &'static str,
        /// The most that there may be.
        most: u32,
        /// As many as there are in the call whose cycles are stated.
        measured: u32,
    },
    /// `uint32_t name`, a value.
    Value,
}

impl ParamType {
    /// The parameter that says how long this one is: that is given with it, if it is a slice.
    pub const fn counted_by(self) -> Option<&'static str> {
        match self {
            ParamType::Bytes { length } => Some(length),
            ParamType::Chunks { count, .. } => Some(count),
            ParamType::Words(_)
            | ParamType::SignedWords(_)
            | ParamType::Halfwords(_)
            | ParamType::ByteArray(_)
            | ParamType::Value => None,
        }
    }
}

/// Which way a parameter's memory is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Only read (`const`).
    In,
    /// Only written, entirely.
    Out,
    /// Read, then written, entirely.
    InOut,
}

/// One parameter, in the order of the calling convention: the first is in r0 or a2, the next in the register after that.
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

/// What a returned word means, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    /// 0 that it was done, anything else that it was refused.
    Refusal(&'static str),
    /// A number.
    Number(&'static str),
}

impl Returned {
    /// The words.
    pub const fn text(self) -> &'static str {
        match self {
            Returned::Refusal(text) | Returned::Number(text) => text,
        }
    }
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
    /// `None` for void; otherwise what the returned word means.
    pub returns: Option<Returned>,
}

/// An instruction of any of the instruction sets, with physical registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inst {
    /// For ARMv7-M.
    Thumb(thumb::Inst),
    /// For Xtensa.
    Xtensa(xtensa::Inst),
}

impl Inst {
    /// The text that assemblers take, with a label for a place in the code or the literals, or else with its distance.
    pub fn text(&self, label: Option<&str>) -> String {
        match self {
            Inst::Thumb(inst) => inst.text(label),
            Inst::Xtensa(inst) => inst.text(label),
        }
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(None))
    }
}

impl From<thumb::Inst> for Inst {
    fn from(inst: thumb::Inst) -> Inst {
        Inst::Thumb(inst)
    }
}

impl From<xtensa::Inst> for Inst {
    fn from(inst: xtensa::Inst) -> Inst {
        Inst::Xtensa(inst)
    }
}

/// One line of a function's body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A local label; printed as `.Lsymbol_name:`.
    Label(String),
    /// A comment on a line of its own: a step of the algorithm begins.
    Comment(String),
    /// An instruction. A branch or a loop names its label; its `imm` already holds the offset.
    Inst {
        /// The instruction, with the width that was chosen (never `Any` unless both agree). An L32R's `imm` already holds the
        /// distance to its literal.
        inst: Inst,
        /// The label it branches to, or where the loop ends that it begins, if that is inside the function.
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
    /// From here on core register `reg` of an Xtensa core is kept in a special register.
    SavedInSpecial {
        /// DWARF number of the core register.
        reg: u8,
        /// Number of the special register (its DWARF number is 512 more).
        number: u8,
    },
    /// `.cfi_restore reg`.
    Restored(u8),
}

/// Registers that a function changes and does not restore.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clobbers {
    /// Core registers: bit i for ri, or for ai as the caller sees it.
    pub core: u16,
    /// Floating-point registers: bit i for si, or for fi.
    pub fp: u32,
    /// Bit i for mi of MAC16.
    pub mac: u8,
    /// What else is not restored of an Xtensa core: shift amount, loop registers, accumulator.
    pub states: States,
}

impl BitOrAssign for Clobbers {
    fn bitor_assign(&mut self, other: Clobbers) {
        self.core |= other.core;
        self.fp |= other.fp;
        self.mac |= other.mac;
        self.states |= other.states;
    }
}

/// The name of a function: `qr_<kernel>_<shape>_<target>`, and `_call0` after it if it is called so.
pub fn symbol(kernel: &str, shape: Shape, target: Target, abi: Abi) -> String {
    let suffix = if abi == Abi::Call0 { "_call0" } else { "" };
    format!("qr_{kernel}_{shape}_{target}{suffix}")
}

/// [`Function::residue`] of a function that leaves no secret behind; the verification holds it to that.
pub const NOTHING_STAYS: &str = "nothing: the frame and the registers that held secret words are overwritten";

/// A generated function with everything that is known about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// What [`symbol`] says.
    pub symbol: String,
    /// Kernel name, such as `chacha20_permute`.
    pub kernel: String,
    /// Kernel family, such as `chacha`.
    pub family: &'static str,
    /// The core it is for.
    pub target: Target,
    /// How it is called.
    pub abi: Abi,
    /// How far it is unrolled.
    pub shape: Shape,
    /// Interface for callers.
    pub interface: Interface,
    /// The body.
    pub lines: Vec<Line>,
    /// Words that L32R loads. They stand before the first instruction in the same section, the last of them right before it;
    /// empty for ARMv7-M.
    pub literals: Vec<u32>,
    /// Machine code: what `lines` encode to, and what goes into `.text.<symbol>`, where it begins at a multiple of 4.
    pub code: Vec<u8>,
    /// Constants in `.rodata.<symbol>`; empty if there are none.
    pub rodata: Vec<u8>,
    /// Bytes of stack below the entry sp.
    pub stack_bytes: u32,
    /// Registers it changes and does not restore.
    pub clobbers: Clobbers,
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

impl Function {
    /// Bytes of machine code with the literals before it.
    pub fn code_bytes(&self) -> usize {
        4 * self.literals.len() + self.code.len()
    }

    /// The literals and the machine code behind them, as they stand in the function's section.
    pub fn section(&self) -> Vec<u8> {
        let literals = self.literals.iter().flat_map(|literal| literal.to_le_bytes());
        literals.chain(self.code.iter().copied()).collect()
    }
}
