//! What the cycle model knows of one instruction.

use super::Core;
use isa::thumb::{Class, Control, Direction, Effects, Field, Inst, Mode, Op, Timing as Group};

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
        let effects = inst.effects();
        let kind = kind(inst, &effects);
        let (fp_reads, fp_writes) = if kind == Kind::Fp { (effects.fp_reads, effects.fp_writes) } else { (0, 0) };
        Timing {
            kind,
            size: length as u8,
            occupancy: occupancy(inst, kind, &effects, core),
            flags: flags(inst, kind, &effects),
            address: address_registers(inst, &effects),
            writes: effects.core_writes & !PC,
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

const PC: u16 = 1 << 15;

fn kind(inst: &Inst, effects: &Effects) -> Kind {
    match inst.op.row().timing {
        Group::Nop => Kind::Nop,
        Group::It => Kind::It,
        Group::Load | Group::LoadLiteral | Group::LoadExclusive => Kind::Load,
        Group::LoadDouble | Group::LoadMultiple | Group::FpLoad | Group::FpLoadDouble | Group::FpLoadMultiple => {
            Kind::LoadMany
        }
        Group::Store => Kind::Store,
        // STREX reads a status back, which takes a second cycle as a register offset does.
        Group::StoreIndexed | Group::StoreExclusive => Kind::StoreReg,
        Group::StoreDouble | Group::StoreMultiple | Group::FpStore | Group::FpStoreDouble | Group::FpStoreMultiple => {
            Kind::StoreMany
        }
        Group::Branch | Group::BranchLink | Group::CompareBranch => Kind::Branch,
        Group::TableBranch => Kind::Table,
        Group::FpAlu
        | Group::FpMul
        | Group::FpMla
        | Group::FpDiv
        | Group::FpSqrt
        | Group::FpCompare
        | Group::FpConvert => Kind::Fp,
        _ if effects.control != Control::Next => Kind::BranchReg,
        _ => Kind::Alu,
    }
}

fn occupancy(inst: &Inst, kind: Kind, effects: &Effects, core: Core) -> u8 {
    let m3 = core == Core::M3;
    match inst.op.row().timing {
        Group::Mla if m3 => 2,
        // The time depends on the operands: the documented maximum.
        Group::MulLong if m3 => 5,
        Group::MlaLong if m3 => 7,
        Group::Div => 12,
        Group::System if matches!(inst.op, Op::Mrs | Op::Msr) => 2,
        Group::InstructionBarrier => 3,
        Group::FpMla => 3,
        // Integer instructions may overtake these on the core; the model waits.
        Group::FpDiv | Group::FpSqrt => 14,
        Group::FpMovePair => 2,
        _ => match kind {
            Kind::Load | Kind::StoreReg => 2,
            Kind::LoadMany | Kind::StoreMany => 1 + effects.memory.map_or(0, |memory| (memory.bytes / 4) as u8),
            Kind::Table => 3,
            _ => 1,
        },
    }
}

fn flags(inst: &Inst, kind: Kind, effects: &Effects) -> u8 {
    let Some(memory) = effects.memory else { return 0 };
    let loads = memory.direction == Direction::Loads;
    let literal = loads && memory.base.0 == 15;
    let to_pc = loads && effects.control != Control::Next && kind != Kind::Table;
    let single = matches!(kind, Kind::Load | Kind::Store | Kind::StoreReg);
    let access = if single { memory.bytes as u8 } else { 0 };
    (if literal { PC_RELATIVE } else { 0 })
        | (if to_pc { TO_PC } else { 0 })
        | (if inst.mode == Mode::Offset { 0 } else { INDEXED })
        | access << ACCESS_SHIFT
}

/// Registers that form the address of a load, store or table branch.
fn address_registers(inst: &Inst, effects: &Effects) -> u16 {
    let Some(memory) = effects.memory else { return 0 };
    let exclusive = inst.op.row().timing == Group::StoreExclusive;
    let index = !exclusive && inst.fields().any(|(field, class, _)| field == Field::M && class == Class::Core);
    (1 << memory.base.0 | if index { 1 << inst.m.0 } else { 0 }) & !PC
}
