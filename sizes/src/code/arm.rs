//! ARM and Thumb instructions, read by Capstone.

use super::step::{Base, Condition, Convention, Decoder, Effect, Entry, Flow, Formula, Register, Set, Step};
use capstone::arch::arm::{
    ArchExtraMode, ArchMode, ArmCC, ArmInsn, ArmInsnDetail, ArmOpMem, ArmOperand, ArmOperandType, ArmReg, ArmShift,
};
use capstone::arch::{BuildsCapstone, BuildsCapstoneExtraMode, DetailsArchInsn};
use capstone::{Capstone, DisasmIter, Insn, InsnDetail, RegId};

const SP: Register = 13;
const LR: Register = 14;
const PC: Register = 15;

/// Registers that a call may change (AAPCS32, 6.1.1): r0 to r3, r12 and lr.
const CHANGED_BY_CALLS: Set = 0x500f;
/// What a supervisor call may change: those but lr.
const CHANGED_BY_SUPERVISOR: Set = 0x100f;

/// Capstone for both instruction sets.
pub struct Engines {
    arm: Capstone,
    thumb: Capstone,
}

impl Engines {
    /// `None` if Capstone cannot be set up. `m_profile` and `v8` add what only those cores have.
    pub fn new(m_profile: bool, v8: bool) -> Option<Engines> {
        let extra = [(m_profile, ArchExtraMode::MClass), (v8, ArchExtraMode::V8)];
        let extra = |thumb: bool| {
            let wanted = extra.into_iter().filter(move |(on, mode)| *on && (thumb || *mode == ArchExtraMode::V8));
            wanted.map(|(_, mode)| mode)
        };
        let arm = Capstone::new().arm().mode(ArchMode::Arm).extra_mode(extra(false)).detail(true).build().ok()?;
        let thumb = Capstone::new().arm().mode(ArchMode::Thumb).extra_mode(extra(true)).detail(true).build().ok()?;
        Some(Engines { arm, thumb })
    }
}

/// Reads instructions of both instruction sets.
pub struct Reader<'engine, 'data> {
    engines: &'engine Engines,
    arm: DisasmIter<'engine, 'data>,
    thumb: DisasmIter<'engine, 'data>,
    is_thumb: bool,
    /// Instructions that are still in an IT block.
    in_it_block: usize,
}

impl<'engine, 'data> Reader<'engine, 'data> {
    /// `None` if there is no memory.
    pub fn new(engines: &'engine Engines) -> Option<Self> {
        let (arm, thumb) = (engines.arm.disasm_iter(&[], 0).ok()?, engines.thumb.disasm_iter(&[], 0).ok()?);
        Some(Reader { engines, arm, thumb, is_thumb: true, in_it_block: 0 })
    }
}

impl<'data> Decoder<'data> for Reader<'_, 'data> {
    fn start(&mut self, code: &'data [u8], address: u32, thumb: bool) {
        if self.in_it_block > 0 {
            // Capstone forgets an IT block that was left when it begins to read an array, not with an iterator.
            let _ = self.engines.thumb.disasm_count(&[0x00, 0xbf], 0, 1);
            self.in_it_block = 0;
        }
        self.is_thumb = thumb;
        if thumb { self.thumb.reset(code, u64::from(address)) } else { self.arm.reset(code, u64::from(address)) }
    }

    fn next(&mut self) -> Option<Step> {
        let (engine, instructions) = match self.is_thumb {
            true => (&self.engines.thumb, &mut self.thumb),
            false => (&self.engines.arm, &mut self.arm),
        };
        let instruction = instructions.next()?;
        let detail = engine.insn_detail(&instruction).ok()?;
        self.in_it_block = match instruction.id().0 == IT {
            true => instruction.mnemonic().map_or(0, |name| name.len().saturating_sub(1)),
            false => self.in_it_block.saturating_sub(1),
        };
        let arch = detail.arch_detail();
        Instruction::new(&instruction, &detail, arch.arm()?, self.is_thumb).step()
    }

    fn convention(&self) -> Convention {
        Convention { stack: SP, link: LR, changed_by_calls: CHANGED_BY_CALLS }
    }
}

const IT: u32 = ArmInsn::ARM_INS_IT as u32;

/// An operand, as far as it matters.
#[derive(Clone, Copy)]
enum Operand {
    /// A general register, as it is or, if not `plain`, shifted.
    Register { number: Register, plain: bool },
    /// A constant.
    Number(u32),
    /// Memory.
    Memory { base: Option<Register>, index: bool, offset: u32 },
    /// Nothing that is followed.
    Other,
}

impl Operand {
    fn new(operand: &ArmOperand) -> Operand {
        match operand.op_type {
            ArmOperandType::Reg(register) => match number_of(register) {
                Some(number) => Operand::Register { number, plain: operand.shift == ArmShift::Invalid },
                None => Operand::Other,
            },
            // The offset of a post-indexed access may have its sign apart.
            ArmOperandType::Imm(value) if operand.subtracted => Operand::Number(value.wrapping_neg() as u32),
            ArmOperandType::Imm(value) => Operand::Number(value as u32),
            ArmOperandType::Mem(memory) => Operand::memory(&memory, operand.subtracted),
            _ => Operand::Other,
        }
    }

    fn memory(memory: &ArmOpMem, subtracted: bool) -> Operand {
        let offset = memory.disp();
        // Capstone gives the sign of the offset itself where it prints one.
        let offset = if subtracted && offset > 0 { offset.wrapping_neg() } else { offset };
        let index = memory.index() != RegId::INVALID_REG;
        Operand::Memory { base: number_of(memory.base()), index, offset: offset as u32 }
    }
}

/// Number of a general register.
fn number_of(register: RegId) -> Option<Register> {
    const R0: u32 = ArmReg::ARM_REG_R0;
    const R12: u32 = ArmReg::ARM_REG_R12;
    match u32::from(register.0) {
        id @ R0..=R12 => Some((id - R0) as Register),
        ArmReg::ARM_REG_SP => Some(SP),
        ArmReg::ARM_REG_LR => Some(LR),
        ArmReg::ARM_REG_PC => Some(PC),
        _ => None,
    }
}

fn condition_of(code: ArmCC) -> Option<Condition> {
    let always = matches!(code, ArmCC::ARM_CC_AL | ArmCC::ARM_CC_INVALID);
    // EQ is 1, NE is 2 and so on, in pairs of opposites.
    (!always).then(|| Condition::new((code as u32 - ArmCC::ARM_CC_EQ as u32) as u8))
}

/// Most operands that matter, other than those of register lists.
const OPERANDS: usize = 4;

struct Instruction {
    id: u32,
    address: u32,
    thumb: bool,
    length: u8,
    operands: [Operand; OPERANDS],
    /// General registers among the operands, other than the first one.
    list: Set,
    /// Bytes of the floating-point registers among the operands.
    float_bytes: u32,
    writes: Set,
    writeback: bool,
    condition: Option<Condition>,
    sets_flags: bool,
}

impl Instruction {
    fn new(instruction: &Insn<'_>, detail: &InsnDetail<'_>, arm: &ArmInsnDetail<'_>, thumb: bool) -> Instruction {
        let id = instruction.id().0;
        let mut new = Instruction {
            id,
            address: instruction.address() as u32,
            thumb,
            length: instruction.len() as u8,
            operands: [Operand::Other; OPERANDS],
            list: 0,
            float_bytes: 0,
            writes: detail.regs_write().iter().filter_map(|id| number_of(*id)).fold(0, |set, number| set | 1 << number),
            writeback: arm.writeback(),
            condition: condition_of(arm.cc()).filter(|_| id != IT),
            sets_flags: arm.update_flags(),
        };
        for (at, operand) in arm.operands().enumerate() {
            new.add(at, &operand);
        }
        new
    }

    fn add(&mut self, at: usize, operand: &ArmOperand) {
        const D0: u32 = ArmReg::ARM_REG_D0;
        const D31: u32 = ArmReg::ARM_REG_D31;
        const S0: u32 = ArmReg::ARM_REG_S0;
        const S31: u32 = ArmReg::ARM_REG_S31;
        if let ArmOperandType::Reg(register) = operand.op_type {
            self.float_bytes += match u32::from(register.0) {
                D0..=D31 => 8,
                S0..=S31 => 4,
                _ => 0,
            };
        }
        let main_stack = matches!(operand.op_type, ArmOperandType::SysReg(id) if u32::from(id.0) == MSP);
        if main_stack && self.id == ArmInsn::ARM_INS_MSR as u32 {
            self.writes |= 1 << SP;
        }
        let operand = Operand::new(operand);
        if let Operand::Register { number, .. } = operand {
            if at > 0 {
                self.list |= 1 << number;
            }
            // Capstone says that these read what they write.
            if matches!(self.id, MRC | MRC2 | MRRC | MRRC2) {
                self.writes |= 1 << number;
            }
        }
        if let Some(place) = self.operands.get_mut(at) {
            *place = operand;
        }
    }

    /// The program counter, as an operand.
    fn pc(&self) -> u32 {
        self.address.wrapping_add(if self.thumb { 4 } else { 8 })
    }

    /// The program counter, as the base of an address.
    fn pc_base(&self) -> u32 {
        self.pc() & !3
    }

    fn register(&self, at: usize) -> Option<Register> {
        match self.operands[at] {
            Operand::Register { number, plain: true } => Some(number),
            _ => None,
        }
    }

    fn number(&self, at: usize) -> Option<u32> {
        match self.operands[at] {
            Operand::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Everything that is known of it.
    fn step(&self) -> Option<Step> {
        let (effect, flow) = match self.id {
            PUSH | POP | VPUSH | VPOP => self.stack(),
            LDM | LDMDA | LDMDB | LDMIB => self.load_multiple(),
            // What overwrites a frame with zeros while it is given up.
            STM | VSTMIA if self.register(0) == Some(SP) && self.writeback => {
                (Effect::Pop { bytes: 4 * self.list.count_ones() + self.float_bytes, registers: 0 }, Flow::Next)
            }
            ADD | ADDW | SUB | SUBW => self.sum(),
            MOV | MOVW => self.copy(),
            MOVT | MVN | LSL | BIC | AND | BFC | ADR => (self.computed(), Flow::Next),
            B | BL | BLX | BX | BXJ | BXNS | BLXNS | CBZ | CBNZ | TBB | TBH => (Effect::None, self.branch()?),
            UDF | TRAP => (Effect::None, Flow::Stop),
            SVC | BKPT | HVC | SMC => (Effect::None, Flow::System),
            RFEDA | RFEDB | RFEIA | RFEIB => (Effect::None, Flow::Return { restores: false }),
            _ => self.access(),
        };
        let changed = match (self.id, flow) {
            (_, Flow::Call(_) | Flow::CallRegister(_)) => CHANGED_BY_CALLS,
            (_, Flow::System) => CHANGED_BY_SUPERVISOR,
            _ => 0,
        };
        // Whatever else writes the program counter goes somewhere.
        let flow = match flow {
            Flow::Next if self.writes >> PC & 1 == 1 => Flow::JumpInside,
            flow => flow,
        };
        let (effect, writes) = match effect {
            // `mov r8, r8` is how older assemblers write a no-operation.
            Effect::Set(to, Formula::Add(from, 0, _)) if to == from => (Effect::None, 0),
            effect => (effect, self.writes),
        };
        Some(Step {
            length: self.length,
            condition: self.condition,
            sets_flags: self.sets_flags,
            clobbers: writes | changed,
            effect,
            flow,
        })
    }

    /// `push`, `pop`, `vpush`, `vpop`, in whatever way they are written.
    fn stack(&self) -> (Effect, Flow) {
        let first = self.register(0).map_or(0, |number| 1 << number);
        let registers = self.list | first;
        let bytes = 4 * registers.count_ones() + self.float_bytes;
        let below_link = registers & ((1 << LR) - 1);
        match self.id {
            PUSH | VPUSH => {
                let link_at = (registers >> LR & 1 == 1).then(|| 4 * below_link.count_ones());
                (Effect::Push { bytes, link_at }, Flow::Next)
            }
            _ if registers >> PC & 1 == 1 => (Effect::Pop { bytes, registers }, Flow::Return { restores: true }),
            _ => (Effect::Pop { bytes, registers }, Flow::Next),
        }
    }

    fn load_multiple(&self) -> (Effect, Flow) {
        let from_stack = self.register(0) == Some(SP) && self.writeback && self.id == LDM;
        let effect = match from_stack {
            true => Effect::Pop { bytes: 4 * self.list.count_ones(), registers: self.list },
            false => Effect::None,
        };
        let flow = match self.list >> PC & 1 {
            1 => Flow::Return { restores: from_stack },
            _ => Flow::Next,
        };
        (effect, flow)
    }

    /// `add` and `sub`.
    fn sum(&self) -> (Effect, Flow) {
        let add = matches!(self.id, ADD | ADDW);
        let Some(to) = self.register(0) else { return (Effect::None, Flow::Next) };
        // Two operands stand for three.
        let three = !matches!(self.operands[2], Operand::Other);
        let (left, right) = if three { (self.register(1), 2) } else { (Some(to), 1) };
        if to == PC {
            // `subs pc, lr, #4` returns from an exception; sums are jumps into tables of branches.
            let returns = !add && left == Some(LR);
            return (Effect::None, if returns { Flow::Return { restores: true } } else { Flow::JumpInside });
        }
        let formula = match (left, self.operands[right]) {
            (Some(PC), Operand::Number(number)) => {
                let number = if add { number } else { number.wrapping_neg() };
                Some(Formula::Address(self.pc_base().wrapping_add(number)))
            }
            (Some(left), Operand::Number(number)) => {
                Some(Formula::Add(left, if add { number } else { number.wrapping_neg() }, false))
            }
            (Some(left), Operand::Register { number: PC, plain: true }) if add => {
                Some(Formula::Add(left, self.pc(), true))
            }
            (Some(PC), Operand::Register { number, plain: true }) if add => Some(Formula::Add(number, self.pc(), true)),
            (Some(left), Operand::Register { number, plain: true }) if number != PC && left != PC => {
                Some(if add { Formula::Sum(left, number) } else { Formula::Difference(left, number) })
            }
            _ => None,
        };
        (formula.map_or(Effect::None, |formula| Effect::Set(to, formula)), Flow::Next)
    }

    /// `mov` and `movw`.
    fn copy(&self) -> (Effect, Flow) {
        match (self.register(0), self.operands[1]) {
            (Some(PC), Operand::Register { number, .. }) => {
                (Effect::None, Flow::JumpRegister { register: number, leaves: number == LR })
            }
            (Some(to), Operand::Number(number)) => (Effect::Set(to, Formula::Number(number)), Flow::Next),
            (Some(to), Operand::Register { number: PC, plain: true }) => {
                (Effect::Set(to, Formula::Address(self.pc())), Flow::Next)
            }
            (Some(to), Operand::Register { number, plain: true }) => {
                (Effect::Set(to, Formula::Add(number, 0, false)), Flow::Next)
            }
            _ => (Effect::None, Flow::Next),
        }
    }

    /// What else has a result that matters.
    fn computed(&self) -> Effect {
        let Some(to) = self.register(0) else { return Effect::None };
        let source = match self.operands[1] {
            Operand::Register { number, .. } => number,
            _ => to,
        };
        let last = self.number(2).or(self.number(1));
        let low_bits = |mask: u32| (mask & mask.wrapping_add(1) == 0).then(|| mask.count_ones() as u8);
        let formula = match (self.id, last) {
            (ADR, Some(number)) => Some(Formula::Address(self.pc_base().wrapping_add(number))),
            (MOVT, Some(number)) => Some(Formula::High(to, number as u16)),
            (MVN, Some(number)) => Some(Formula::Number(!number)),
            // In ARM code the shift is part of the operand.
            (LSL, Some(number)) if self.thumb && number < 32 => Some(Formula::Shifted(source, number as u8)),
            (BIC, Some(number)) => low_bits(number).map(|bits| Formula::Aligned(source, bits)),
            (AND, Some(number)) => low_bits(!number).map(|bits| Formula::Aligned(source, bits)),
            (BFC, Some(width)) if self.number(1) == Some(0) => Some(Formula::Aligned(to, width.min(32) as u8)),
            _ => None,
        };
        formula.map_or(Effect::None, |formula| Effect::Set(to, formula))
    }

    fn branch(&self) -> Option<Flow> {
        Some(match (self.id, self.operands[0]) {
            (B, Operand::Number(target)) => Flow::Jump(target),
            (BL | BLX, Operand::Number(target)) => Flow::Call(target),
            (BLX | BLXNS, Operand::Register { number, .. }) => Flow::CallRegister(number),
            // In Thumb code, to ARM code behind it.
            (BX, Operand::Register { number: PC, .. }) => Flow::Jump(self.pc_base()),
            (BX | BXJ | BXNS, Operand::Register { number, .. }) => {
                Flow::JumpRegister { register: number, leaves: true }
            }
            (CBZ | CBNZ, _) => Flow::Branch(self.number(1)?),
            (TBB | TBH, Operand::Memory { base, .. }) => {
                let entry = if self.id == TBB { Entry::Byte(self.pc()) } else { Entry::Half(self.pc()) };
                let base = match base? {
                    PC => Base::Address(self.pc()),
                    register => Base::Register(register),
                };
                Flow::JumpTable { base, entry }
            }
            _ => return None,
        })
    }

    /// Loads and stores of single registers, and everything else.
    fn access(&self) -> (Effect, Flow) {
        let at = self.operands.iter().position(|operand| matches!(operand, Operand::Memory { .. }));
        let Some((at, Operand::Memory { base, index, offset })) = at.map(|at| (at, self.operands[at])) else {
            return (Effect::None, Flow::Next);
        };
        let to = self.register(0);
        let loads_pc = to == Some(PC) && self.id == LDR;
        if base == Some(PC) {
            return self.access_literal(index, offset, loads_pc);
        }
        // What stands behind the memory operand is added to the base afterwards.
        let behind = self.operands.get(at + 1).copied().unwrap_or(Operand::Other);
        let moved = match behind {
            Operand::Other if self.writeback && !index => Some(offset),
            Operand::Number(number) => Some(number),
            _ => None,
        };
        let moves_base = self.writeback || !matches!(behind, Operand::Other);
        let effect = match base {
            Some(SP) if moves_base => self.moves_stack(moved, offset),
            Some(base) if moves_base => {
                moved.map_or(Effect::None, |by| Effect::Set(base, Formula::Add(base, by, false)))
            }
            _ => Effect::None,
        };
        let flow = match base {
            _ if !loads_pc => Flow::Next,
            Some(SP) => Flow::Return { restores: moves_base },
            Some(register) if index => Flow::JumpTable { base: Base::Register(register), entry: Entry::Word },
            _ => Flow::JumpRegister { register: PC, leaves: true },
        };
        (effect, flow)
    }

    /// A load or store of one register that moves sp.
    fn moves_stack(&self, moved: Option<u32>, offset: u32) -> Effect {
        let (Some(moved), Some(register)) = (moved, self.register(0)) else { return Effect::None };
        match (moved as i32, self.id) {
            (..0, STR) if offset == moved => {
                Effect::Push { bytes: moved.wrapping_neg(), link_at: (register == LR).then_some(0) }
            }
            (4.., LDR) if offset == 0 => Effect::Pop { bytes: moved, registers: 1 << register },
            _ => Effect::Set(SP, Formula::Add(SP, moved, false)),
        }
    }

    /// A load relative to the program counter.
    fn access_literal(&self, index: bool, offset: u32, loads_pc: bool) -> (Effect, Flow) {
        let address = self.pc_base().wrapping_add(offset);
        if index {
            let table = Flow::JumpTable { base: Base::Address(address), entry: Entry::Word };
            return (Effect::None, if loads_pc { table } else { Flow::Next });
        }
        let bytes = match self.id {
            LDRB | LDRSB => 1,
            LDRH | LDRSH => 2,
            LDR => 4,
            LDRD => 8,
            VLDR => self.float_bytes,
            _ => return (Effect::None, Flow::Next),
        };
        let load = Effect::Load { to: self.register(0).filter(|_| self.id == LDR), address, bytes };
        (load, if loads_pc { Flow::JumpRegister { register: PC, leaves: true } } else { Flow::Next })
    }
}

macro_rules! instructions {
    ($($name:ident = $id:ident)*) => {
        $(const $name: u32 = ArmInsn::$id as u32;)*
    };
}

instructions! {
    ADD = ARM_INS_ADD ADDW = ARM_INS_ADDW ADR = ARM_INS_ADR AND = ARM_INS_AND B = ARM_INS_B BFC = ARM_INS_BFC
    BIC = ARM_INS_BIC BKPT = ARM_INS_BKPT BL = ARM_INS_BL BLX = ARM_INS_BLX BLXNS = ARM_INS_BLXNS BX = ARM_INS_BX BXJ = ARM_INS_BXJ
    BXNS = ARM_INS_BXNS CBNZ = ARM_INS_CBNZ CBZ = ARM_INS_CBZ HVC = ARM_INS_HVC LDM = ARM_INS_LDM LDMDA = ARM_INS_LDMDA
    LDMDB = ARM_INS_LDMDB LDMIB = ARM_INS_LDMIB LDR = ARM_INS_LDR LDRB = ARM_INS_LDRB LDRD = ARM_INS_LDRD
    LDRH = ARM_INS_LDRH LDRSB = ARM_INS_LDRSB LDRSH = ARM_INS_LDRSH LSL = ARM_INS_LSL MOV = ARM_INS_MOV
    MOVT = ARM_INS_MOVT MOVW = ARM_INS_MOVW MRC = ARM_INS_MRC MRC2 = ARM_INS_MRC2 MRRC = ARM_INS_MRRC
    MRRC2 = ARM_INS_MRRC2 MVN = ARM_INS_MVN POP = ARM_INS_POP PUSH = ARM_INS_PUSH RFEDA = ARM_INS_RFEDA
    RFEDB = ARM_INS_RFEDB RFEIA = ARM_INS_RFEIA RFEIB = ARM_INS_RFEIB SMC = ARM_INS_SMC STM = ARM_INS_STM STR = ARM_INS_STR SUB = ARM_INS_SUB
    SUBW = ARM_INS_SUBW SVC = ARM_INS_SVC TBB = ARM_INS_TBB TBH = ARM_INS_TBH TRAP = ARM_INS_TRAP UDF = ARM_INS_UDF
    VLDR = ARM_INS_VLDR VPOP = ARM_INS_VPOP VPUSH = ARM_INS_VPUSH VSTMIA = ARM_INS_VSTMIA
}

/// Capstone's number of the main stack pointer among system registers (`ARM_SYSREG_MSP` of its `arm.h`).
const MSP: u32 = 275;
