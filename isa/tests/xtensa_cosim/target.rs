//! The cores of QEMU that the cases run on, and which parts of a state they have.

use isa::xtensa::{Extension, Op, sr};

/// A model of QEMU's.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// QEMU's name for it.
    pub cpu: &'static str,
    /// Where memory begins, as programs see it.
    pub base: u32,
    /// Registers in its file: 32 or 64.
    pub registers: usize,
    /// Special registers that cases set and compare, beside WINDOWBASE and PS.
    pub specials: &'static [usize],
    /// User registers that cases set and compare.
    pub users: &'static [i64],
    /// Options of ours that it does not have.
    pub lacks: &'static [Extension],
}

impl Target {
    /// The address of a place in memory.
    pub fn at(&self, place: u32) -> u32 {
        self.base + place
    }

    /// Whether it has the option.
    pub fn has(&self, extension: Extension) -> bool {
        !self.lacks.contains(&extension)
    }

    /// Whether it has the row.
    pub fn has_row(&self, op: Op) -> bool {
        self.has(op.row().extension)
    }
}

/// Where a case begins.
pub const EPC2: usize = sr::EPC1 + 1;

/// What RFI 3 returns to.
pub const EPC3: usize = sr::EPC1 + 2;
/// Its PS.
pub const EPS3: usize = sr::EPS2 + 1;

/// Registers of the core, of loops, windows and exceptions; EPC2 and EPS2 hold where a case begins and with which PS.
macro_rules! specials {
    ($($more:expr),*) => {
        &[sr::EPC1, EPC2, sr::EPS2, sr::DEPC, EPC3, EPS3, sr::WINDOWSTART, sr::SAR, sr::LBEG, sr::LEND, sr::LCOUNT, $($more),*]
    };
}

/// A core with MAC16.
pub const DC233C: Target = Target {
    cpu: "dc233c",
    base: 0,
    registers: 32,
    specials: specials![sr::SCOMPARE1, sr::ACCLO, sr::ACCHI, sr::M0, sr::M0 + 1, sr::M0 + 2, sr::M0 + 3],
    users: &[231],
    lacks: &[Extension::Mul32High, Extension::Bool, Extension::Float],
};

/// A core with booleans and floating point.
pub const DE233_FPU: Target = Target {
    cpu: "de233_fpu",
    specials: specials![sr::SCOMPARE1, sr::ACCLO, sr::ACCHI, sr::M0, sr::M0 + 1, sr::M0 + 2, sr::M0 + 3, sr::BR],
    users: &[231, 232, 233],
    lacks: &[Extension::Mul32High],
    ..DC233C
};
