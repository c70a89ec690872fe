//! The instruction table. One row is one mnemonic; it reads like the manual's page:
//!
//! ```text
//! Addi "addi" "=at, as, imm" Core Alu KEEP "iiiiiiii 1100 ssss tttt 0010" [Signed]
//! ```
//!
//! name, mnemonic, syntax, option, timing class, state ([`StateUse`]), memory access if any, pattern, rules. The whole of
//! [`Op`] follows from the rows. A 16-bit instruction (`.n`) is a row of its own, as it is a page of its own.
//!
//! **Syntax**: operands with `, ` between. A register is the letter of its file (`a`, `f`, `b`, `m`, `q`) and its field; before
//! it, `=` means written, `+` read and written (a conditional move reads what it may leave), nothing read. The other words
//! are those of `syntax::KEYWORDS`.
//!
//! **Pattern**, most significant bit of the little-endian word first; equal letters make one number in order of appearance:
//!
//! | letter | meaning |
//! |---|---|
//! | `r s t w x y z` | register fields |
//! | `R S T W X Y Z` | their upper bits, where these stand behind the lower ones |
//! | `m n` | m0 or m1 in field `r` (`mx`), m2 or m3 in field `t` (`my`) |
//! | `i j` | immediate, `j` above `i` |
//! | `k l` | `imm2`, `l` above `k` |
//! | `c` | `imm3` |
//!
//! **Rules** in brackets ([`Rule`]) say what a letter means beyond that, and which operands the architecture leaves
//! undefined.

use super::{Access, Extension, Field, StateUse, Timing};
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
mod window;
#[macro_use]
mod system;
#[macro_use]
mod bools;
#[macro_use]
mod fp;
#[macro_use]
mod vector_memory;
#[macro_use]
mod vector_alu;
#[macro_use]
mod vector_multiply;
#[macro_use]
mod vector_fft;

/// What a row says beyond its pattern.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// The immediate is the number, sign-extended.
    Signed,
    /// The immediate is the number less 2 to the power of its width: always negative.
    Below,
    /// The immediate is the number times 2 to this power, after the above.
    Scale(u8),
    /// The immediate is the number plus this.
    Plus(u8),
    /// The immediate is 32 minus the number, which is not 0.
    From32,
    /// The immediate is the number, but for 0, which means -1.
    ZeroIsMinusOne,
    /// The immediate is the number, but for the last 32 of 128, which are negative.
    LastQuarterNegative,
    /// `imm2` is the number plus 1.
    PlusOne,
    /// `imm2` is a constant of signed comparisons.
    Constant,
    /// `imm2` is a constant of unsigned comparisons.
    ConstantUnsigned,

    /// The field names this many boolean registers, the first of them a multiple of it.
    Group(Field, u8),
    /// `imm2` bits from bit `imm` up are within a word.
    FieldInWord,
    /// The register's number is below this.
    Under(Field, u8),
    /// Two fields name different registers, because both are written and nothing says which comes last.
    Apart(Field, Field),
    /// The immediate is the number of a special register that allows this.
    Special(Access),
    /// The immediate is the number of a user register.
    User,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub op: Op,
    /// The mnemonic.
    pub mnemonic: &'static str,
    /// Operands with read and write marks.
    pub syntax: &'static str,
    /// Which option of the architecture it belongs to.
    pub extension: Extension,
    /// Timing class.
    pub timing: Timing,
    /// State read and set.
    pub state: StateUse,
    /// Memory access and its bytes. S32C1I, which also loads, counts as a store.
    pub access: Option<(Direction, u32)>,
    /// Bits and fields, most significant first.
    pub pattern: &'static str,
    /// What the pattern does not say.
    pub rules: &'static [Rule],
}

macro_rules! table {
    ([] $(
        $op:ident $mnemonic:literal $syntax:literal $extension:ident $timing:ident $state:ident
        $($access:ident $bytes:literal)? $pattern:literal [$($rule:expr),*]
    )*) => {
        /// One instruction row. The operand fields are in each row's description.
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
                state: StateUse::$state,
                access: table!(@access $($access $bytes)?),
                pattern: $pattern,
                rules: &[$($rule),*],
            }),*]
        };
    };
    (@access) => { None };
    (@access $access:ident $bytes:literal) => { Some(($access, $bytes)) };
}

// Each file's macro hands its rows on to the next one named here; the last makes the table.
alu_rows! { [multiply_rows memory_rows branch_rows window_rows system_rows bools_rows fp_rows vector_memory_rows
vector_alu_rows vector_multiply_rows vector_fft_rows table] }
