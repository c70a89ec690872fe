//! The instruction table. One row is one mnemonic with one operand form; it reads like the manual's page:
//!
//! ```text
//! AndReg "and" "=Rd, Rn, Rm{, shift}" V7M Alu LOGIC {
//!     "T1" "010000 0000 mmm ddd" [Same(N, D), SetsFlagsOutsideIt]
//!     "T2" "1110101 0000 S nnnn 0 hhh dddd hh tt mmmm" [NoSpPc("dnm")]
//! }
//! ```
//!
//! name, mnemonic (a condition goes before its first dot), syntax, extension, timing class, flags, memory access if any,
//! then the encodings, the preferred one first. The whole of [`Op`] follows from the rows.
//!
//! **Syntax**: `R`, `S` or `D` and a field name are a register operand of that class: `Rd Rt RdLo` are field `d`, `Rn` is
//! `n`, `Rm` is `m`, `Ra Rt2 RdHi` are `a`. Before it, `=` means written, `+` read and written, nothing read. The other
//! words are those of `syntax::KEYWORDS`; all else is printed as it stands.
//!
//! **Pattern**, most significant bit first; equal letters make one number in order of appearance:
//!
//! | letter | meaning |
//! |---|---|
//! | `d n m a` | register fields; `D N M` the lowest bit of an S register's number |
//! | `e` | a second copy of `m` |
//! | `i j` | immediate, `j` above `i` |
//! | `k w` | `imm2` |
//! | `U` | 1 if the immediate is added, 0 if it is subtracted |
//! | `W` | 1 for pre-indexed, 0 for offset |
//! | `P` | 1 for pre-indexed, 0 for post-indexed |
//! | `S` | sets flags |
//! | `c` | condition |
//! | `h t` | shift amount and kind; `r` rotation in bytes |
//! | `l` | register list from r0 up; `L` lr, `C` pc; `g` the number of the only register |
//! | `f F v` | FP list: first register (`F` its lowest bit) and count |
//! | `p o x y z q X` | coprocessor, opc1, CRd, CRn, CRm, opc2, long |
//!
//! **Rules** in brackets ([`Rule`]) say what a letter means beyond that, what an absent field is, and which operands the
//! architecture calls unpredictable.

use super::{Extension, Field, FlagUse, Mode, ShiftKind, Timing};
use crate::access::Direction;

#[macro_use]
mod alu;
#[macro_use]
mod multiply;
#[macro_use]
mod memory;
#[macro_use]
mod branch;
#[macro_use]
mod system;
#[macro_use]
mod dsp;
#[macro_use]
mod fp;

/// What an encoding says beyond its pattern.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// The first field has no bits: it is the same register as the second.
    Same(Field, Field),
    /// The field has no bits: it is this register.
    Is(Field, u8),
    /// The immediate is the number times 2 to this power.
    Scale(u8),
    /// The immediate is the number, sign-extended, times two.
    SignedHalfwords,
    /// The scrambled offset of B T3.
    BranchT3,
    /// The scrambled offset of B T4 and BL.
    BranchT4,
    /// The immediate is a modified constant (A5.3.2).
    Modified,
    /// The immediate is subtracted (a pattern with `U` needs no such rule).
    Negative,
    /// The immediate is an 8-bit floating-point constant (A6.4.1).
    FloatConstant,
    /// The immediate is this minus the number: fraction bits.
    FractionOf(u8),
    /// `w` is the width minus one.
    Width,
    /// `w` is the most significant bit, lsb + width - 1.
    TopBit,
    /// `k` is one less than `imm2`.
    PlusOne,
    /// The shift's kind.
    Kind(ShiftKind),
    /// The addressing mode.
    Always(Mode),
    /// Writes back if the base is not in the list (LDM T1).
    WritesBackUnlessLoaded,
    /// The offset is an option and does not move anything (LDC, STC).
    Unindexed,
    /// The list is of D registers.
    Doubles,
    /// Sets flags.
    SetsFlags,
    /// Sets flags outside an IT block only.
    SetsFlagsOutsideIt,
    /// With destination equal to first source this is the second choice: such an instruction has `imm2` 1.
    SpareIfSame,
    /// With low registers inside an IT block this is the second choice: such an instruction has `imm2` 1.
    SpareIfLowInIt,

    /// Only outside IT blocks.
    NotInIt,
    /// Has no condition, though it may stand in an IT block.
    Unconditional,
    /// None of these fields is pc.
    NoPc(&'static str),
    /// None of these fields is sp.
    NoSp(&'static str),
    /// None of these fields is sp or pc.
    NoSpPc(&'static str),
    /// Of these fields no two are equal.
    Differ(&'static str),
    /// Not both fields are low registers.
    NotBothLow(Field, Field),
    /// Not both fields are this register.
    NotBoth(Field, Field, u8),
    /// Destination sp only if the base is sp.
    SpFromSp,
    /// Destination sp only if the base is sp and the shift LSL 0..=3.
    SpFromSpShift,
    /// MOV T3: no sp or pc with flags; no pc and not both sp without.
    WideMove,
    /// The shift amount is not zero.
    Shifted,
    /// With write-back the base is not among these fields.
    WriteBackNot(&'static str),
    /// At least so many registers in the list.
    AtLeast(u32),
    /// Not both lr and pc in the list.
    NotLrAndPc,
    /// With write-back the base is not in the list.
    BaseNotInList,
    /// The base is in the list as the lowest only.
    BaseLowest,
    /// The register is not in the list.
    NotListed(u8),
    /// With write-back the base is not pc.
    BaseNotPcIfWritten,
    /// These operands belong to PUSH, POP, VPUSH or VPOP.
    SeeStack,
    /// `imm2` is not zero.
    NonZero,
    /// The IT mask is not zero, the condition not reserved, and no condition is the opposite of AL.
    ItMask,
    /// SYSm names a special register; with a mask, the mask fits it.
    SpecialRegister,
    /// The coprocessor is not the FPU.
    NotFpu,
    /// A pair of S registers begins below s31.
    PairBelow(Field),
    /// One to sixteen registers, all existing.
    FpList,
    /// Destination pc only with an offset that is a multiple of 4.
    PcFromAligned,
    /// Bit field within the word.
    FieldInWord,
}

/// One encoding of a row.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The manual's name, such as `T1`.
    pub name: &'static str,
    /// Bits and fields, most significant first.
    pub pattern: &'static str,
    /// What the pattern does not say.
    pub rules: &'static [Rule],
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub op: Op,
    /// The mnemonic without suffixes.
    pub mnemonic: &'static str,
    /// Operands with read and write marks.
    pub syntax: &'static str,
    /// Which part of the architecture it belongs to.
    pub extension: Extension,
    /// Timing class.
    pub timing: Timing,
    /// Flags read and set.
    pub flags: FlagUse,
    /// Memory access and its bytes: of the whole access, or of each register in a list.
    pub access: Option<(Direction, u32)>,
    /// Encodings, the preferred first.
    pub forms: &'static [Form],
}

macro_rules! table {
    ([] $(
        $op:ident $mnemonic:literal $syntax:literal $extension:ident $timing:ident $flags:ident
        $($access:ident $bytes:literal)? { $($name:literal $pattern:literal [$($rule:expr),*])+ }
    )*) => {
        /// One instruction row: a mnemonic with one operand form. The operand fields are in each row's description; those
        /// of [`Inst`](super::Inst) that are not obvious from it:
        ///
        /// | rows | fields |
        /// |---|---|
        /// | `LslImm`, `LsrImm`, `AsrImm`, `RorImm` | amount in `shift` with its own kind (LSL 1..=31, LSR and ASR 1..=32, ROR 1..=31) |
        /// | `Bfi`, `Sbfx`, `Ubfx`, `Bfc` | lsb `imm`, width `imm2` |
        /// | `Ssat`, `Usat` | bit position `imm2` as written, `shift` LSL 0..=31 or ASR 1..=31 |
        /// | `Sxtb` and friends | rotation in `shift` (`Ror` 8, 16, 24, or none) |
        /// | loads, stores, `Adr` | `imm2` is 1 only for the encoding of `#-0`, which means the same as `#0` |
        /// | `AddImm`, `SubImm`, `AddReg` | `imm2` is 1 only for the second of two equivalent encodings |
        /// | `Push`, `Pop`, `Ldm`, `VldmS`, ... | `list`; `mode` `PreIndex` for write-back (`Offset` for push and pop) |
        /// | `It` | first condition in `cond`, the 4-bit mask as encoded in `imm2` |
        /// | `Cps` | `imm` 0 for IE (clear the mask), 1 for ID (set it); `imm2` bit 0 = f, bit 1 = i |
        /// | `Mrs`, `Msr` | SYSm in `imm2`; for `Msr`, `imm` = mask: 2 for `nzcvq` (and all but APSR), 1 for `g`, 3 for both |
        /// | coprocessor rows | `imm2` = coprocessor, opc1 << 4, CRd << 8, CRn << 12, CRm << 16, opc2 << 20, bit 24 `#-0`, bit 25 long, bit 26 unindexed |
        /// | `VmovImmS` | `imm` holds the bits of the `f32` |
        /// | `VmovSSRR`, `VmovRRSS` | the S register is the first of two |
        /// | `VmovLaneR`, `VmovRLane` | word 0 or 1 of the D register in `imm` |
        /// | `VcvtF32S16Fix` and friends | fraction bits in `imm` |
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum Op {
            $(
                #[doc = concat!("`", $mnemonic, " ", $syntax, "`")]
                $op,
            )*
        }

        impl Op {
            /// Every row, in the table's order.
            pub const ALL: &'static [Op] = &[$(Op::$op),*];

            /// What the table says of it.
            pub fn row(self) -> &'static Row {
                &ROWS[self as usize]
            }
        }

        static ROWS: &[Row] = {
            #[allow(unused_imports)]
            use {Direction::*, Field::*, Rule::*};
            &[$(Row {
                op: Op::$op,
                mnemonic: $mnemonic,
                syntax: $syntax,
                extension: Extension::$extension,
                timing: Timing::$timing,
                flags: FlagUse::$flags,
                access: table!(@access $($access $bytes)?),
                forms: &[$(Form { name: $name, pattern: $pattern, rules: &[$($rule),*] }),+],
            }),*]
        };
    };
    (@access) => { None };
    (@access $access:ident $bytes:literal) => { Some(($access, $bytes)) };
}

// Each file's macro hands its rows on to the next one named here; the last makes the table.
alu_rows! { [multiply_rows memory_rows branch_rows system_rows dsp_rows fp_rows table] }
