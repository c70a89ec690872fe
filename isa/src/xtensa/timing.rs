//! Cores, options, and the classes into which instructions fall by the time they take.

/// A core of the family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Core {
    /// The ESP32's: Xtensa LX6.
    Lx6,
    /// The ESP32-S3's: Xtensa LX7.
    Lx7,
}

/// The option of the architecture that a row belongs to. Both cores have all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extension {
    /// The core architecture.
    Core,
    /// Code density: 16-bit instructions.
    Density,
    /// Zero-overhead loops.
    Loop,
    /// Windowed registers.
    Windowed,
    /// 16-bit multiplication.
    Mul16,
    /// 32-bit multiplication, low word.
    Mul32,
    /// 32-bit multiplication, high word.
    Mul32High,
    /// Multiplication into a 40-bit accumulator.
    Mac16,
    /// Division.
    Div32,
    /// Minimum and maximum; CLAMPS and SEXT; NSA and NSAU.
    Misc,
    /// Boolean registers.
    Bool,
    /// Compare and swap.
    S32c1i,
    /// Loads that acquire and stores that release.
    Synchronization,
    /// Exceptions, interrupts, and system state.
    System,
    /// Memory protection: translation buffers.
    Translation,
    /// External registers.
    External,
    /// Single-precision floating point.
    Float,
}

/// Timing class; the number of cycles of each class on each core is the simulator's business.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Timing {
    /// One result from registers and constants: arithmetic, logic, shifts, conditional moves, booleans, writing SAR.
    Alu,
    /// MULL, MULSH, MULUH, MUL16S, MUL16U.
    Mul,
    /// MAC16 without a load.
    Mac,
    /// MAC16 with a load.
    MacLoad,
    /// QUOS, QUOU, REMS, REMU.
    Div,
    /// One register from memory.
    Load,
    /// L32R.
    LoadLiteral,
    /// One register to memory.
    Store,
    /// L32AI, S32RI, S32C1I.
    Synchronized,
    /// Conditional branches.
    Branch,
    /// LOOP, LOOPGTZ, LOOPNEZ.
    Loop,
    /// J.
    Jump,
    /// JX.
    JumpRegister,
    /// CALL0, CALL4, CALL8, CALL12.
    Call,
    /// CALLX0, CALLX4, CALLX8, CALLX12.
    CallRegister,
    /// RET, RETW.
    Return,
    /// ENTRY, MOVSP, ROTW.
    Window,
    /// NOP.
    Nop,
    /// Barriers: ISYNC, RSYNC, ESYNC, DSYNC, EXCW, MEMW, EXTW.
    Barrier,
    /// RSR, XSR, RUR.
    ReadSpecial,
    /// WSR, WUR.
    WriteSpecial,
    /// RSIL, WAITI, translation buffers, external registers.
    System,
    /// ILL, BREAK, SYSCALL, SIMCALL.
    Exception,
    /// RFE and its kin.
    ExceptionReturn,
    /// ADD.S, SUB.S, MUL.S.
    FloatArithmetic,
    /// MADD.S, MSUB.S, MADDN.S, DIVN.S.
    FloatMultiplyAdd,
    /// Comparisons into a boolean.
    FloatCompare,
    /// To and from integers.
    FloatConvert,
    /// Moves within the register file, constants, first approximations.
    FloatMove,
    /// WFR, RFR.
    FloatTransfer,
    /// LSI and its kin.
    FloatLoad,
    /// SSI and its kin.
    FloatStore,
}

impl Timing {
    /// True if the time depends on the values in registers, addresses and taken branches aside: divisions.
    pub const fn depends_on_data(self) -> bool {
        matches!(self, Timing::Div)
    }
}
