//! What an instruction reads and changes, from the marks in the table.

use super::special::{BR, M0};
use super::syntax::{Keyword, Syntax};
use super::{
    Access, Class, Direction, Extension, Field, Inst, Op, Reg, Rule, States, Timing, special_register, user_register,
};

/// Where execution may go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// At the next instruction.
    Next,
    /// There, or at [`target`](Inst::target).
    Branch,
    /// At the next instruction, which begins a loop that ends before [`target`](Inst::target); or at once behind the loop
    /// (LOOPNEZ, LOOPGTZ).
    Loop,
    /// At [`target`](Inst::target).
    Jump,
    /// At an address from a register.
    Indirect,
    /// At [`target`](Inst::target), which may return to the next instruction.
    Call,
    /// At an address from a register, which may return to the next instruction.
    IndirectCall,
    /// In the caller.
    Return,
    /// In an exception handler, which may return to the next instruction.
    Exception,
    /// Where an exception came from.
    ExceptionReturn,
}

impl Control {
    /// True if the next instruction may be executed after this one, perhaps when a callee or handler returns.
    pub const fn may_go_on(self) -> bool {
        !matches!(self, Control::Jump | Control::Indirect | Control::Return | Control::ExceptionReturn)
    }
}

/// A memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// Load or store; S32C1I is a store.
    pub direction: Direction,
    /// Bytes.
    pub bytes: u32,
    /// The base register; `None` for literals.
    pub base: Option<Reg>,
    /// True if the base register is changed.
    pub writes_back: bool,
}

/// A set of registers of all files, and of state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Registers {
    /// Bit i is register i of the current window.
    pub core: u16,
    /// Bit i is fi.
    pub float: u16,
    /// Bit i is bi.
    pub bools: u16,
    /// Bit i is mi.
    pub mac: u8,
    /// Bit i is qi.
    pub vector: u8,
    /// State outside the files.
    pub states: States,
}

impl Registers {
    fn add(&mut self, class: Class, mask: u32) {
        match class {
            Class::Core => self.core |= mask as u16,
            Class::Float => self.float |= mask as u16,
            Class::Bool => self.bools |= mask as u16,
            Class::Mac => self.mac |= mask as u8,
            Class::Vector => self.vector |= mask as u8,
        }
    }

    /// True if they have a member in common.
    pub const fn meets(&self, other: &Registers) -> bool {
        self.core & other.core != 0
            || self.float & other.float != 0
            || self.bools & other.bools != 0
            || self.mac & other.mac != 0
            || self.vector & other.vector != 0
            || self.states.meets(other.states)
    }
}

/// Everything an instruction reads and changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// What it reads. A conditional move also reads what it may leave unchanged.
    pub reads: Registers,
    /// What it writes.
    pub writes: Registers,
    /// Memory access, if any.
    pub memory: Option<MemoryAccess>,
    /// Where execution goes on.
    pub control: Control,
    /// True if it must stay where it is among all others: barriers, synchronisation, windows, system state,
    /// pins.
    pub pinned: bool,
}

impl<R: Copy + Default> Inst<R> {
    /// Where execution goes on.
    pub fn control(&self) -> Control {
        match self.op.row().timing {
            Timing::Branch => Control::Branch,
            Timing::Loop => Control::Loop,
            Timing::Jump => Control::Jump,
            Timing::JumpRegister => Control::Indirect,
            Timing::Call => Control::Call,
            Timing::CallRegister => Control::IndirectCall,
            Timing::Return => Control::Return,
            Timing::Exception => Control::Exception,
            Timing::ExceptionReturn => Control::ExceptionReturn,
            _ => Control::Next,
        }
    }

    /// The address from which `imm` counts in an instruction at `pc`; `None` if it is not relative to PC.
    pub fn origin(&self, pc: u32) -> Option<u32> {
        let syntax = Syntax::of(self.op);
        if syntax.has(Keyword::Label) {
            Some(pc.wrapping_add(4))
        } else if syntax.has(Keyword::Function) {
            Some((pc & !3).wrapping_add(4))
        } else if syntax.has(Keyword::Literal) {
            Some(pc.wrapping_add(3) & !3)
        } else {
            None
        }
    }

    /// The address to which a branch, jump or call at `pc` goes, or where the loop ends that begins there. `None` for all
    /// others.
    pub fn target(&self, pc: u32) -> Option<u32> {
        let origin = self.origin(pc).filter(|_| self.op != Op::L32r);
        origin.map(|origin| origin.wrapping_add(self.imm as u32))
    }

    /// The address of the literal that an L32R at `pc` loads. `None` for all others.
    pub fn literal(&self, pc: u32) -> Option<u32> {
        let origin = self.origin(pc).filter(|_| self.op == Op::L32r);
        origin.map(|origin| origin.wrapping_add(self.imm as u32))
    }

    /// By how many registers a call shifts the window: 0, 4, 8 or 12. The return address is in that register.
    pub const fn call_window(&self) -> Option<u8> {
        match self.op {
            Op::Call0 | Op::Callx0 => Some(0),
            Op::Call4 | Op::Callx4 => Some(4),
            Op::Call8 | Op::Callx8 => Some(8),
            Op::Call12 | Op::Callx12 => Some(12),
            _ => None,
        }
    }

    /// True if the instruction must stay where it is among all others: barriers, synchronisation, windows, system state,
    /// pins.
    pub fn is_pinned(&self) -> bool {
        let row = self.op.row();
        let states = row.state.reads | row.state.sets | self.special_states();
        let pinned = matches!(row.timing, Timing::Barrier | Timing::Synchronized | Timing::Window);
        pinned
            || matches!(row.extension, Extension::External)
            || matches!(self.op, Op::L32e | Op::S32e)
            || states.meets(States::SYSTEM | States::WINDOW | States::GPIO)
    }

    /// What the special or user register is part of that the instruction names.
    fn special_states(&self) -> States {
        let syntax = Syntax::of(self.op);
        let register = if syntax.has(Keyword::Special) {
            special_register(self.imm, self.special_access())
        } else if syntax.has(Keyword::User) {
            user_register(self.imm)
        } else {
            None
        };
        register.map_or(States::NONE, |(_, states)| states)
    }
}

impl Inst {
    /// Everything it reads and changes, implied registers included. An instruction that cannot be encoded has effects too:
    /// those that its fields name, modulo the size of the register file.
    pub fn effects(&self) -> Effects {
        let row = self.op.row();
        let mut effects = Effects {
            reads: Registers { states: row.state.reads, ..Registers::default() },
            writes: Registers { states: row.state.sets, ..Registers::default() },
            memory: self.memory_access(),
            control: self.control(),
            pinned: self.is_pinned(),
        };
        for (field, class, access) in self.fields() {
            effects.add(class, self.mask(field, class), access);
        }
        self.implied(&mut effects);
        effects
    }

    fn mask(&self, field: Field, class: Class) -> u32 {
        let group = self.op.row().rules.iter().find_map(|rule| match rule {
            Rule::Group(grouped, size) if *grouped == field => Some(*size),
            _ => None,
        });
        let last = match class {
            Class::Core | Class::Float | Class::Bool => 15,
            Class::Mac => 3,
            Class::Vector => 7,
        };
        ((1 << group.unwrap_or(1)) - 1) << (self.reg(field).0 & last)
    }

    /// Registers that are not fields: return addresses, and special registers.
    fn implied(&self, effects: &mut Effects) {
        if let Some(window) = self.call_window() {
            effects.add(Class::Core, 1 << window, Access::Write);
        }
        if effects.control == Control::Return {
            effects.add(Class::Core, 1, Access::Read);
        }
        let (states, access) = (self.special_states(), self.special_access());
        if access.reads() {
            effects.reads.states |= states;
        }
        if access.writes() {
            effects.writes.states |= states;
            // It sets one register, or one word, and keeps the others.
            effects.reads.states |= states.common(States::COMPOUND);
        }
        if Syntax::of(self.op).has(Keyword::Special) {
            match self.imm {
                BR => effects.add(Class::Bool, 0xffff, access),
                M0..36 => effects.add(Class::Mac, 1 << (self.imm - M0), access),
                _ => {}
            }
        }
    }

    fn memory_access(&self) -> Option<MemoryAccess> {
        let (direction, bytes) = self.op.row().access?;
        let base = self.fields().find(|operand| operand.0 == Field::S);
        let writes_back = base.is_some_and(|(_, _, access)| access.writes());
        Some(MemoryAccess { direction, bytes, base: base.map(|_| self.s), writes_back })
    }
}

impl Effects {
    fn add(&mut self, class: Class, mask: u32, access: Access) {
        if access.reads() {
            self.reads.add(class, mask);
        }
        if access.writes() {
            self.writes.add(class, mask);
        }
    }
}
