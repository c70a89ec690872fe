//! Cores, options, and the classes into which instructions fall by the time they take.

/// A core of the family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Core {
    /// The ESP32's: Xtensa LX6.
    Lx6,
    /// The ESP32-S3's: Xtensa LX7.
    Lx7,
}

impl Core {
    /// True if the core implements the option.
    pub const fn has(self, extension: Extension) -> bool {
        match extension {
            Extension::Vector => matches!(self, Core::Lx7),
            Extension::Double => matches!(self, Core::Lx6),
            _ => true,
        }
    }
}

/// The option of the architecture that an instruction belongs to.
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
    /// The accelerator of double precision: F64R_LO, F64R_HI, F64S. LX6 only.
    Double,
    /// Espressif's 128-bit vectors, coprocessor 3. LX7 only.
    Vector,
}

/// Timing class; the number of cycles of each class on each core is the simulator's business.
///
/// The classes of vectors say at which stage operands are used and defined: E, where instructions execute, or M, the stage
/// behind. What is defined at M and used at E by the next instruction costs one cycle; all else follows without a gap (ESP32-S3
/// Technical Reference Manual, tables 1.7-1 and 1.7-2; of LD.QR, ST.QR and MV.QR, which are not in them, assumed by their like).
/// Which instructions wait for a unit is known from the configuration's list of functional units.
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
    /// Vectors: sums, comparisons, logic, shifts, moves, and what sets an accumulator without adding to it. Uses at E,
    /// defines at E.
    VectorAlu,
    /// The same with a load: what is loaded (field `w`) is defined at M, the result at E.
    VectorAluLoad,
    /// The same with a store of field `w`, used at E.
    VectorAluStore,
    /// Products of lanes, and the multiplications of VRELU and VPRELU. Uses at E, SAR too; defines at M.
    VectorMultiply,
    /// The same with a load; both results are defined at M.
    VectorMultiplyLoad,
    /// The same with a store of field `w`, used at E.
    VectorMultiplyStore,
    /// Products of complex numbers. Uses at E, defines at M, on half of the multipliers.
    VectorComplex,
    /// The same with a load; both results are defined at M.
    VectorComplexLoad,
    /// The same with a store of field `w`, used at M.
    VectorComplexStore,
    /// Products added to ACCX or QACC. Uses factors at E and the accumulator at M, defines it at M: one follows the other
    /// without a gap.
    VectorMac,
    /// The same with a load: what is loaded (field `w`) is defined at M; what `.qup` moves (field `r`) is used and defined
    /// at E.
    VectorMacLoad,
    /// SRCMB and SRS. Uses accumulator and registers at E, defines both at E. Directly behind another instruction that
    /// computes with vectors it waits for a unit.
    VectorReadOut,
    /// Loads of any width into q, f, accumulators and other vector state. Uses the address at E, defines the new address at E
    /// and what is loaded at M.
    VectorLoad,
    /// Stores of the same; uses everything at E, defines the new address at E.
    VectorStore,
    /// Steps of an FFT with a load. Uses at E; defines the new address at E, all else at M. Waits for a unit as `VectorReadOut`
    /// does.
    VectorFftLoad,
    /// Steps of an FFT with a store of field `w`, used at M. The rest as above.
    VectorFftStore,
}

impl Timing {
    /// True if the time depends on the values in registers, addresses and taken branches aside: divisions.
    pub const fn depends_on_data(self) -> bool {
        matches!(self, Timing::Div)
    }
}
