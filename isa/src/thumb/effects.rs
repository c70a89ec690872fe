//! What an instruction reads and changes, from the marks in the table.

use super::immediate::modified_constant_carry;
use super::syntax::{Keyword, Syntax};
use super::{Class, Cond, Direction, Field, Flags, Inst, Mode, Op, Reg, SetsWhen, Shift, ShiftKind, Timing};

/// Where execution may go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// At the next instruction.
    Next,
    /// There, or at a place that the instruction names.
    Branch,
    /// At a place that the instruction names, which may return to the next.
    Call,
    /// At an address from a register or from memory.
    Indirect,
    /// The same, and it may return to the next instruction.
    IndirectCall,
    /// At a place from a table behind the instruction.
    Table,
}

/// A memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// Load or store.
    pub direction: Direction,
    /// Bytes in all.
    pub bytes: u32,
    /// The base register; pc for literals.
    pub base: Reg,
    /// True if the base register is changed.
    pub writes_back: bool,
}

/// Everything an instruction reads and changes. A conditional instruction also reads what it may leave unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Core registers read: bit i = ri.
    pub core_reads: u16,
    /// Core registers written.
    pub core_writes: u16,
    /// FP registers read: bit i = si; a D register is two.
    pub fp_reads: u32,
    /// FP registers written.
    pub fp_writes: u32,
    /// Flags read.
    pub flags_read: Flags,
    /// Flags written.
    pub flags_written: Flags,
    /// Memory access, if any.
    pub memory: Option<MemoryAccess>,
    /// Where execution goes on.
    pub control: Control,
    /// True if it must stay where it is among all others: barriers, exclusives, system state, coprocessors, IT, hints.
    pub pinned: bool,
}

impl Effects {
    fn add(&mut self, class: Class, mask: u32, reads: bool, writes: bool) {
        let (read, written) = (if reads { mask } else { 0 }, if writes { mask } else { 0 });
        if class == Class::Core {
            self.core_reads |= read as u16;
            self.core_writes |= written as u16;
        } else {
            self.fp_reads |= read;
            self.fp_writes |= written;
        }
    }
}

impl Cond {
    /// The flags it is a function of.
    pub const fn flags(self) -> Flags {
        match self {
            Cond::Eq | Cond::Ne => Flags::Z,
            Cond::Cs | Cond::Cc => Flags::C,
            Cond::Mi | Cond::Pl => Flags::N,
            Cond::Vs | Cond::Vc => Flags::V,
            Cond::Hi | Cond::Ls => Flags::Z.with(Flags::C),
            Cond::Ge | Cond::Lt => Flags::N.with(Flags::V),
            Cond::Gt | Cond::Le => Flags::NZ.with(Flags::V),
            Cond::Al => Flags::NONE,
        }
    }
}

impl<R: Copy + Default> Inst<R> {
    /// Flags read and written, those of the condition included.
    pub fn flag_effects(&self) -> (Flags, Flags) {
        let row = self.op.row();
        let (mut reads, mut sets) = (row.flags.reads, Flags::NONE);
        if self.shift.kind == ShiftKind::Rrx {
            reads |= Flags::C;
        }
        if row.flags.when == SetsWhen::Always || self.set_flags {
            sets = row.flags.sets;
            if row.flags.shifter_carry {
                let (may, must) = self.shifter_carry();
                sets |= if may { Flags::C } else { Flags::NONE };
                reads |= if may && !must { Flags::C } else { Flags::NONE };
            }
        }
        if self.cond != Cond::Al && self.op != Op::It {
            reads |= self.cond.flags() | sets;
        }
        (reads, sets)
    }

    /// Whether a shifter carry may, and whether it must, come out.
    fn shifter_carry(&self) -> (bool, bool) {
        let syntax = Syntax::of(self.op);
        let known = if syntax.has(Keyword::Imm) {
            modified_constant_carry(self.imm as u32).is_some()
        } else if syntax.has(Keyword::OptionalShift) {
            self.shift != Shift::NONE
        } else {
            return (true, false);
        };
        (known, known)
    }

    /// True if it must keep its place among all other instructions.
    pub fn is_pinned(&self) -> bool {
        match self.op.row().timing {
            Timing::Nop => self.op != Op::Nop,
            Timing::Wait
            | Timing::Barrier
            | Timing::InstructionBarrier
            | Timing::System
            | Timing::Exception
            | Timing::Coprocessor
            | Timing::LoadExclusive
            | Timing::StoreExclusive
            | Timing::It => true,
            _ => self.op == Op::Vmsr,
        }
    }
}

impl Inst {
    /// What it reads and changes.
    pub fn effects(&self) -> Effects {
        let (flags_read, flags_written) = self.flag_effects();
        let mut effects = Effects {
            core_reads: 0,
            core_writes: 0,
            fp_reads: 0,
            fp_writes: 0,
            flags_read,
            flags_written,
            memory: self.memory_access(),
            control: self.control(),
            pinned: self.is_pinned(),
        };
        for (field, class, access) in self.fields() {
            let mask = mask(class, self.reg(field));
            effects.add(class, mask, access.reads(), access.writes());
            if class == Class::Single && Syntax::of(self.op).has(Keyword::Pair) {
                effects.add(class, mask << 1, access.reads(), access.writes());
            }
        }
        self.implied(&mut effects);
        if self.reads_flags_register() {
            effects.core_writes &= !(1 << 15);
            effects.flags_written |= Flags::NZCV;
        }
        if self.cond != Cond::Al && !matches!(self.op, Op::It | Op::B) {
            effects.flags_read |= effects.flags_written;
            effects.core_reads |= effects.core_writes;
            effects.fp_reads |= effects.fp_writes;
        }
        effects
    }

    /// MRC to pc moves to the flags.
    fn reads_flags_register(&self) -> bool {
        matches!(self.op, Op::Mrc | Op::Mrc2) && self.d == Reg::PC
    }

    /// Registers that are not fields: lists, sp, lr, pc.
    fn implied(&self, effects: &mut Effects) {
        let syntax = Syntax::of(self.op);
        let row = self.op.row();
        let loads = row.access.is_some_and(|access| access.0 == Direction::Loads);
        if syntax.has(Keyword::List) {
            effects.add(Class::Core, self.list, !loads, loads);
        }
        if syntax.has(Keyword::FpList) {
            let double = row.access.is_some_and(|access| access.1 == 8);
            let list = if double {
                (0..16).filter(|i| self.list >> i & 1 == 1).fold(0, |all, i| all | 3 << (2 * i))
            } else {
                self.list
            };
            effects.add(Class::Single, list, !loads, loads);
        }
        if self.is_stack_row() {
            effects.add(Class::Core, 1 << 13, true, true);
        }
        if syntax.has(Keyword::Literal) || syntax.has(Keyword::Place) {
            effects.add(Class::Core, 1 << 15, true, false);
        }
        if matches!(effects.control, Control::Call | Control::IndirectCall) {
            effects.add(Class::Core, 1 << 14, false, true);
        }
        // MSP and PSP are sp or its shadow; CONTROL chooses between them.
        if matches!((self.op, self.imm2), (Op::Mrs | Op::Msr, 8 | 9 | 20)) {
            effects.add(Class::Core, 1 << 13, true, self.op == Op::Msr);
        }
    }

    fn is_stack_row(&self) -> bool {
        use Op::{Pop, Push, VpopD, VpopS, VpushD, VpushS};
        matches!(self.op, Push | Pop | VpushS | VpushD | VpopS | VpopD)
    }

    fn memory_access(&self) -> Option<MemoryAccess> {
        let (direction, bytes) = self.op.row().access?;
        let syntax = Syntax::of(self.op);
        let (stack, listed) = (self.is_stack_row(), syntax.has(Keyword::List) || syntax.has(Keyword::FpList));
        let base = if stack {
            Reg::SP
        } else if syntax.has(Keyword::Literal) {
            Reg::PC
        } else {
            self.n
        };
        Some(MemoryAccess {
            direction,
            bytes: if listed { bytes * self.list.count_ones() } else { bytes },
            base,
            writes_back: stack || self.mode != Mode::Offset,
        })
    }

    /// Where execution goes on.
    pub fn control(&self) -> Control {
        match self.op.row().timing {
            Timing::Branch | Timing::CompareBranch => return Control::Branch,
            Timing::BranchLink => return Control::Call,
            Timing::BranchRegister if self.op == Op::BlxReg => return Control::IndirectCall,
            Timing::BranchRegister => return Control::Indirect,
            Timing::TableBranch => return Control::Table,
            _ => {}
        }
        let loads_list = matches!(self.op, Op::Ldm | Op::Ldmdb | Op::Pop) && self.list >> 15 & 1 == 1;
        let writes_pc = self.d == Reg::PC
            && !self.reads_flags_register()
            && self.fields().any(|(field, class, access)| field == Field::D && class == Class::Core && access.writes());
        if loads_list || writes_pc { Control::Indirect } else { Control::Next }
    }
}

fn mask(class: Class, register: Reg) -> u32 {
    match class {
        Class::Core => 1 << (register.0 & 15),
        Class::Single => 1 << (register.0 & 31),
        Class::Double => 3 << (2 * (register.0 & 15)),
    }
}
