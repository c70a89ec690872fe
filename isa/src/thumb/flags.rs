//! Condition and saturation flags as sets.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Flags(pub u8);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// Negative.
    pub const N: Flags = Flags(1);
    /// Zero.
    pub const Z: Flags = Flags(2);
    /// Carry.
    pub const C: Flags = Flags(4);
    /// Overflow.
    pub const V: Flags = Flags(8);
    /// Saturation (sticky).
    pub const Q: Flags = Flags(16);
    /// The four greater-or-equal bits, as one.
    pub const GE: Flags = Flags(32);
    /// FPSCR: comparison flags and modes.
    pub const FP: Flags = Flags(64);
    /// Negative and zero.
    pub const NZ: Flags = Flags(3);
    /// Negative, zero, carry.
    pub const NZC: Flags = Flags(7);
    /// The four condition flags.
    pub const NZCV: Flags = Flags(15);
    /// All of APSR.
    pub const APSR: Flags = Flags(63);

    /// True if no flag is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if a flag is in both sets.
    pub const fn meets(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// The union, in constants.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

impl BitAnd for Flags {
    type Output = Flags;
    fn bitand(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }
}

impl Not for Flags {
    type Output = Flags;
    fn not(self) -> Flags {
        Flags(!self.0)
    }
}

/// When a row sets its flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetsWhen {
    /// With the S suffix.
    Suffix,
    /// Always.
    Always,
}

/// How a row uses flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlagUse {
    /// Flags it reads, beside those of its condition.
    pub reads: Flags,
    /// Flags it sets.
    pub sets: Flags,
    /// When it sets them.
    pub when: SetsWhen,
    /// It also sets C if, and only if, the shift or the rotated constant of its second operand gives a carry.
    pub shifter_carry: bool,
}

const fn flag_use(reads: Flags, sets: Flags, when: SetsWhen, shifter_carry: bool) -> FlagUse {
    FlagUse { reads, sets, when, shifter_carry }
}

/// The flag columns of the table.
#[allow(missing_docs)]
impl FlagUse {
    pub const KEEP: FlagUse = flag_use(Flags::NONE, Flags::NONE, SetsWhen::Always, false);
    pub const LOGIC: FlagUse = flag_use(Flags::NONE, Flags::NZ, SetsWhen::Suffix, true);
    pub const RESULT: FlagUse = flag_use(Flags::NONE, Flags::NZ, SetsWhen::Suffix, false);
    pub const ARITH: FlagUse = flag_use(Flags::NONE, Flags::NZCV, SetsWhen::Suffix, false);
    pub const ARITH_CARRY: FlagUse = flag_use(Flags::C, Flags::NZCV, SetsWhen::Suffix, false);
    pub const COMPARE: FlagUse = flag_use(Flags::NONE, Flags::NZCV, SetsWhen::Always, false);
    pub const TEST: FlagUse = flag_use(Flags::NONE, Flags::NZ, SetsWhen::Always, true);
    pub const SHIFT: FlagUse = flag_use(Flags::NONE, Flags::NZC, SetsWhen::Suffix, false);
    /// By a register: an amount of 0 leaves C as it was.
    pub const SHIFT_REG: FlagUse = flag_use(Flags::NONE, Flags::NZ, SetsWhen::Suffix, true);
    pub const ROTATE_CARRY: FlagUse = flag_use(Flags::C, Flags::NZC, SetsWhen::Suffix, false);
    /// Sticky, hence also read.
    pub const SATURATE: FlagUse = flag_use(Flags::Q, Flags::Q, SetsWhen::Always, false);
    pub const SETS_GE: FlagUse = flag_use(Flags::NONE, Flags::GE, SetsWhen::Always, false);
    pub const READS_GE: FlagUse = flag_use(Flags::GE, Flags::NONE, SetsWhen::Always, false);
    pub const READS_APSR: FlagUse = flag_use(Flags::APSR, Flags::NONE, SetsWhen::Always, false);
    pub const WRITES_APSR: FlagUse = flag_use(Flags::APSR, Flags::APSR, SetsWhen::Always, false);
    pub const READS_FP: FlagUse = flag_use(Flags::FP, Flags::NONE, SetsWhen::Always, false);
    pub const SETS_FP: FlagUse = flag_use(Flags::NONE, Flags::FP, SetsWhen::Always, false);
    pub const FP_TO_APSR: FlagUse = flag_use(Flags::FP, Flags::NZCV, SetsWhen::Always, false);
}
