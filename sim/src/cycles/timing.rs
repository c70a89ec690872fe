//! What the cycle model knows of one instruction.

use super::Core;
use isa::thumb::{Inst, Mode, Op, Reg};

/// How an instruction uses the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Occupies execute for a fixed number of cycles.
    Alu,
    /// NOP, which a preceding load or register-offset store can absorb.
    Nop,
    /// IT, folded into a preceding 16-bit instruction.
    It,
    /// A single load, which can overlap with a load that follows.
    Load,
    /// LDM, POP, LDRD and FP loads, which overlap with nothing.
    LoadMany,
    /// A single store with immediate offset, done from the write buffer.
    Store,
    /// A single store with register offset: reads three registers, over two cycles.
    StoreReg,
    /// STM, PUSH, STRD and FP stores.
    StoreMany,
    /// A branch to an address in the instruction, whose target is fetched when it is decoded.
    Branch,
    /// A write of a register to PC.
    BranchReg,
    /// TBB and TBH.
    Table,
    /// Floating-point arithmetic.
    Fp,
}

pub(super) const PC_RELATIVE: u8 = 1;
pub(super) const INDEXED: u8 = 2;
pub(super) const TO_PC: u8 = 4;
const ACCESS_SHIFT: u32 = 4;

/// All that the model needs to know of an instruction on one core; 16 bytes, made once per instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// How it uses the pipeline.
    pub kind: Kind,
    /// Its length in bytes, 2 or 4.
    pub size: u8,
    /// Cycles in execute when nothing overlaps; a branch's refill is not in it.
    pub(super) occupancy: u8,
    pub(super) flags: u8,
    /// Core registers that form an address.
    pub(super) address: u16,
    /// Core registers written.
    pub(super) writes: u16,
    pub(super) fp_reads: u32,
    pub(super) fp_writes: u32,
}

impl Timing {
    /// Describes `inst`, encoded in `length` bytes (2 or 4), on `core`.
    pub fn of(inst: &Inst, length: u32, core: Core) -> Timing {
        let kind = kind(inst);
        let (fp_reads, fp_writes) = if kind == Kind::Fp { fp_registers(inst) } else { (0, 0) };
        Timing {
            kind,
            size: length as u8,
            occupancy: occupancy(inst, kind, core),
            flags: flags(inst, kind),
            address: address_registers(inst, kind),
            writes: written_registers(inst, kind) & 0x7fff,
            fp_reads,
            fp_writes,
        }
    }

    /// A 16-bit and a 32-bit instruction whose condition failed.
    pub(super) const SKIPPED: [Timing; 2] = [Timing::blank(2), Timing::blank(4)];

    const fn blank(size: u8) -> Timing {
        Timing { kind: Kind::Alu, size, occupancy: 1, flags: 0, address: 0, writes: 0, fp_reads: 0, fp_writes: 0 }
    }

    /// True if it always leaves straight-line code when its condition holds: branches, and loads of PC.
    pub fn leaves(&self) -> bool {
        matches!(self.kind, Kind::Branch | Kind::BranchReg | Kind::Table) || self.flags & TO_PC != 0
    }

    /// Bytes of a single load or store that may be unaligned: 1, 2 or 4; 0 for everything else.
    pub(super) fn access(&self) -> u32 {
        u32::from(self.flags >> ACCESS_SHIFT)
    }
}

fn bit(reg: Reg) -> u16 {
    1 << (reg.0 & 15)
}

#[rustfmt::skip]
fn kind(inst: &Inst) -> Kind {
    use Op::*;
    match inst.op {
        Nop => Kind::Nop,
        It => Kind::It,
        LdrImm | LdrLit | LdrReg | LdrbImm | LdrbLit | LdrbReg | LdrhImm | LdrhLit | LdrhReg | LdrsbImm | LdrsbLit
        | LdrsbReg | LdrshImm | LdrshLit | LdrshReg | Ldrt | Ldrbt | Ldrht | Ldrsbt | Ldrsht | Ldrex | Ldrexb
        | Ldrexh => Kind::Load,
        Ldm | Ldmdb | Pop | LdrdImm | LdrdLit | VldrS | VldrD | VldrLitS | VldrLitD | VldmS | VldmD | VldmdbS
        | VldmdbD | VpopS | VpopD => Kind::LoadMany,
        StrImm | StrbImm | StrhImm | Strt | Strbt | Strht => Kind::Store,
        // STREX reads a status back, which takes a second cycle as a register offset does.
        StrReg | StrbReg | StrhReg | Strex | Strexb | Strexh => Kind::StoreReg,
        Stm | Stmdb | Push | StrdImm | VstrS | VstrD | VstmS | VstmD | VstmdbS | VstmdbD | VpushS | VpushD => Kind::StoreMany,
        B | Bl | Cbz | Cbnz => Kind::Branch,
        Bx | BlxReg => Kind::BranchReg,
        Tbb | Tbh => Kind::Table,
        VaddS | VsubS | VmulS | VnmulS | VmlaS | VmlsS | VnmlaS | VnmlsS | VfmaS | VfmsS | VfnmaS | VfnmsS | VdivS
        | VsqrtS | VabsS | VnegS | VcmpS | VcmpeS | VcmpZeroS | VcmpeZeroS | VcvtS32F32 | VcvtU32F32 | VcvtrS32F32
        | VcvtrU32F32 | VcvtF32S32 | VcvtF32U32 | VcvtF32S16Fix | VcvtF32U16Fix | VcvtF32S32Fix | VcvtF32U32Fix
        | VcvtS16F32Fix | VcvtU16F32Fix | VcvtS32F32Fix | VcvtU32F32Fix | VcvtbF32F16 | VcvttF32F16 | VcvtbF16F32
        | VcvttF16F32 => Kind::Fp,
        MovReg | AddReg if inst.d == Reg::PC => Kind::BranchReg,
        _ => Kind::Alu,
    }
}

fn occupancy(inst: &Inst, kind: Kind, core: Core) -> u8 {
    use Op::*;
    let m3 = core == Core::M3;
    match inst.op {
        Mla | Mls if m3 => 2,
        Umull | Smull if m3 => 5,
        Umlal | Smlal if m3 => 7,
        // Early termination follows no published rule, so the documented maximum is charged.
        Sdiv | Udiv => 12,
        Mrs | Msr => 2,
        Isb => 3,
        VmlaS | VmlsS | VnmlaS | VnmlsS | VfmaS | VfmsS | VfnmaS | VfnmsS => 3,
        // Integer instructions may overtake these on the core; the model waits.
        VdivS | VsqrtS => 14,
        VmovSSRR | VmovRRSS | VmovDRR | VmovRRD => 2,
        _ => match kind {
            Kind::Load | Kind::StoreReg => 2,
            Kind::LoadMany | Kind::StoreMany => 1 + words(inst),
            Kind::Table => 3,
            _ => 1,
        },
    }
}

/// Words that a load or store of several moves.
fn words(inst: &Inst) -> u8 {
    use Op::*;
    let listed = inst.list.count_ones() as u8;
    match inst.op {
        LdrdImm | LdrdLit | StrdImm | VldrD | VldrLitD | VstrD => 2,
        VldrS | VldrLitS | VstrS => 1,
        VldmD | VldmdbD | VpopD | VstmD | VstmdbD | VpushD => 2 * listed,
        _ => listed,
    }
}

fn flags(inst: &Inst, kind: Kind) -> u8 {
    use Op::*;
    let literal = matches!(inst.op, LdrLit | LdrbLit | LdrhLit | LdrsbLit | LdrshLit | LdrdLit | VldrLitS | VldrLitD)
        || (matches!(inst.op, LdrImm | VldrS | VldrD) && inst.n == Reg::PC);
    let to_pc = match kind {
        Kind::Load => inst.d == Reg::PC,
        Kind::LoadMany => matches!(inst.op, Ldm | Ldmdb | Pop) && inst.list & 1 << 15 != 0,
        _ => false,
    };
    let access = match inst.op {
        LdrImm | LdrReg | Ldrt | StrImm | StrReg | Strt => 4,
        LdrhImm | LdrhReg | Ldrht | LdrshImm | LdrshReg | Ldrsht | StrhImm | StrhReg | Strht => 2,
        _ => 0,
    };
    (if literal { PC_RELATIVE } else { 0 })
        | (if to_pc { TO_PC } else { 0 })
        | (if inst.mode == Mode::Offset { 0 } else { INDEXED })
        | access << ACCESS_SHIFT
}

fn address_registers(inst: &Inst, kind: Kind) -> u16 {
    use Op::*;
    let base = match inst.op {
        Push | Pop | VpushS | VpushD | VpopS | VpopD => bit(Reg::SP),
        _ => bit(inst.n),
    };
    match kind {
        Kind::Load | Kind::StoreReg | Kind::Table => match inst.op {
            LdrReg | LdrbReg | LdrhReg | LdrsbReg | LdrshReg | StrReg | StrbReg | StrhReg | Tbb | Tbh => {
                base | bit(inst.m)
            }
            LdrLit | LdrbLit | LdrhLit | LdrsbLit | LdrshLit => 0,
            _ => base,
        },
        Kind::LoadMany if matches!(inst.op, LdrdLit | VldrLitS | VldrLitD) => 0,
        Kind::LoadMany | Kind::Store | Kind::StoreMany => base,
        _ => 0,
    }
}

fn written_registers(inst: &Inst, kind: Kind) -> u16 {
    use Op::*;
    let indexed = if inst.mode == Mode::Offset { 0 } else { bit(inst.n) };
    match kind {
        Kind::Load => bit(inst.d) | indexed,
        Kind::LoadMany => match inst.op {
            Ldm | Ldmdb => inst.list as u16 | indexed,
            Pop => inst.list as u16 | bit(Reg::SP),
            LdrdImm | LdrdLit => bit(inst.d) | bit(inst.a) | indexed,
            VpopS | VpopD => bit(Reg::SP),
            _ => indexed,
        },
        Kind::Store | Kind::StoreReg | Kind::StoreMany => indexed,
        Kind::Alu => alu_written(inst),
        _ => 0,
    }
}

#[rustfmt::skip]
fn alu_written(inst: &Inst) -> u16 {
    use Op::*;
    match inst.op {
        CmnImm | CmnReg | CmpImm | CmpReg | TeqImm | TeqReg | TstImm | TstReg | Msr | Clrex | PldImm | PldLit | PldReg
        | PliImm | PliLit | PliReg | Yield | Wfe | Wfi | Sev | Dbg | Dmb | Dsb | Isb | Cps | Svc | Bkpt | Udf | VmovImmS
        | VmovS | VmovSR | VmovSSRR | VmovDRR | VmovLaneR | VmrsApsr | Vmsr => 0,
        Umull | Smull | Umlal | Smlal | Umaal | Smlalbb | Smlalbt | Smlaltb | Smlaltt | Smlald | Smlaldx | Smlsld
        | Smlsldx | VmovRRSS | VmovRRD => bit(inst.d) | bit(inst.a),
        _ => bit(inst.d),
    }
}

fn fp_registers(inst: &Inst) -> (u32, u32) {
    use Op::*;
    let (d, n, m) = (1 << (inst.d.0 & 31), 1 << (inst.n.0 & 31), 1 << (inst.m.0 & 31));
    match inst.op {
        VaddS | VsubS | VmulS | VnmulS | VdivS => (n | m, d),
        VmlaS | VmlsS | VnmlaS | VnmlsS | VfmaS | VfmsS | VfnmaS | VfnmsS => (d | n | m, d),
        VcmpS | VcmpeS => (d | m, 0),
        VcmpZeroS | VcmpeZeroS => (d, 0),
        VcvtF32S16Fix | VcvtF32U16Fix | VcvtF32S32Fix | VcvtF32U32Fix | VcvtS16F32Fix | VcvtU16F32Fix
        | VcvtS32F32Fix | VcvtU32F32Fix => (d, d),
        _ => (m, d),
    }
}
