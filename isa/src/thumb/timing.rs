//! Cores, extensions, and the classes into which instructions fall by the time they take.

/// A core of the family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Core {
    /// Cortex-M3: ARMv7-M.
    M3,
    /// Cortex-M4 without FPU: ARMv7E-M.
    M4,
    /// Cortex-M4 with FPv4-SP.
    M4f,
}

impl Core {
    /// True if the core implements the extension.
    pub const fn has(self, extension: Extension) -> bool {
        match extension {
            Extension::V7M => true,
            Extension::Dsp => !matches!(self, Core::M3),
            Extension::Fp => matches!(self, Core::M4f),
        }
    }
}

/// The part of the architecture that a row belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extension {
    /// ARMv7-M.
    V7M,
    /// The DSP extension, ARMv7E-M.
    Dsp,
    /// FPv4-SP.
    Fp,
}

/// Timing class; the number of cycles of each class on each core is the simulator's business.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Timing {
    /// One result from registers and constants: arithmetic, logic, shifts, bit fields, extends, saturation, SIMD.
    Alu,
    /// MUL.
    Mul,
    /// MLA, MLS.
    Mla,
    /// UMULL, SMULL.
    MulLong,
    /// UMLAL, SMLAL.
    MlaLong,
    /// Multiplications of the DSP extension, UMAAL among them.
    MulDsp,
    /// UDIV, SDIV.
    Div,
    /// One register from memory.
    Load,
    /// One register from memory relative to PC.
    LoadLiteral,
    /// LDRD.
    LoadDouble,
    /// LDM, POP.
    LoadMultiple,
    /// One register to memory.
    Store,
    /// One register to memory at register plus register.
    StoreIndexed,
    /// STRD.
    StoreDouble,
    /// STM, PUSH.
    StoreMultiple,
    /// LDREX, LDREXB, LDREXH.
    LoadExclusive,
    /// STREX, STREXB, STREXH.
    StoreExclusive,
    /// PLD, PLI.
    Preload,
    /// B, with or without condition.
    Branch,
    /// BL.
    BranchLink,
    /// BX, BLX.
    BranchRegister,
    /// CBZ, CBNZ.
    CompareBranch,
    /// TBB, TBH.
    TableBranch,
    /// IT.
    It,
    /// NOP, YIELD, SEV, DBG.
    Nop,
    /// WFI, WFE.
    Wait,
    /// DMB, DSB.
    Barrier,
    /// ISB.
    InstructionBarrier,
    /// MRS, MSR, CPS, CLREX.
    System,
    /// SVC, BKPT, UDF.
    Exception,
    /// Coprocessor instructions; no coprocessor is there but the FPU.
    Coprocessor,
    /// VADD, VSUB, VABS, VNEG.
    FpAlu,
    /// VMUL, VNMUL.
    FpMul,
    /// VMLA, VFMA and their variants.
    FpMla,
    /// VDIV.
    FpDiv,
    /// VSQRT.
    FpSqrt,
    /// VCMP, VCMPE.
    FpCompare,
    /// VCVT.
    FpConvert,
    /// VMOV of one word.
    FpMove,
    /// VMOV of two words.
    FpMovePair,
    /// VMRS, VMSR.
    FpStatus,
    /// VLDR of an S register.
    FpLoad,
    /// VLDR of a D register.
    FpLoadDouble,
    /// VSTR of an S register.
    FpStore,
    /// VSTR of a D register.
    FpStoreDouble,
    /// VLDM, VPOP.
    FpLoadMultiple,
    /// VSTM, VPUSH.
    FpStoreMultiple,
}

impl Timing {
    /// True if the time depends on the values in registers (addresses and taken branches aside): long multiplies on the
    /// Cortex-M3 (DDI 0337, table 3-1: early termination), divisions on all.
    pub const fn depends_on_data(self, core: Core) -> bool {
        match self {
            Timing::Div => true,
            Timing::MulLong | Timing::MlaLong => matches!(core, Core::M3),
            _ => false,
        }
    }
}
