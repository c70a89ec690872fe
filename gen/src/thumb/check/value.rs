//! A machine that computes with names for values ([`Terms`](crate::check::Terms)).

pub use crate::check::{At, Id, Next};
use crate::check::{CODE, Done, Isa};
use crate::thumb::V;
use isa::thumb::{Class, Cond, Direction, Flags, Inst, Mode, Op as Row, Reg, Shift, ShiftKind};

pub const SP: At = 13;
pub const LR: At = 14;
pub const PC: At = 15;
/// s0.
pub const FP: At = 0x8000;
/// After s31.
const LAST_FP: At = FP + 32;

/// What an instruction does, beside its operands: the parameters, and which result it is; its flags are result 4.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    op: Row,
    imm: i32,
    imm2: u32,
    shift: Shift,
    result: u8,
}

pub type Term = crate::check::Term<Operation>;

const FLAGS: u8 = 4;

/// ARMv7-M.
#[derive(Clone, Debug)]
pub struct Thumb;

/// The name of the flags, and the result that they are about.
pub type Flagged = Option<(Id, Id)>;

impl Isa for Thumb {
    type Operation = Operation;
    type State = Flagged;
    const SP: At = SP;
    const FIRST_PARAM: At = 0;

    fn is_callers(at: At) -> bool {
        at >= FP || (4..=11).contains(&at) || at == LR
    }

    fn register(at: At) -> String {
        register(at)
    }
}

pub type Machine = crate::check::Machine<Thumb>;

impl Machine {
    /// Executes an instruction.
    pub fn run(&mut self, inst: &Inst<V>) -> Result<Next, String> {
        match inst.op {
            Row::B => return Ok(Next::Branch(self.taken(inst.cond)?)),
            _ if inst.cond != Cond::Al => return Err("conditional instructions are not understood here".to_owned()),
            Row::Bx => {
                let to = self.get(inst.m.0)?;
                self.set(PC, to);
                return Ok(Next::Return);
            }
            Row::Nop => {}
            Row::VmovSR | Row::VmovRS => self.copy(inst.n.0, inst.d.0)?,
            Row::VmovSSRR => {
                self.copy(inst.n.0, inst.d.0)?;
                self.copy(inst.a.0, inst.d.0 + 1)?;
            }
            Row::VmovRRSS => {
                self.copy(inst.n.0, inst.d.0)?;
                self.copy(inst.n.0 + 1, inst.a.0)?;
            }
            Row::LdrImm | Row::LdrshImm | Row::LdrhImm => self.single(inst, &[inst.d.0])?,
            Row::StrImm | Row::StrhImm | Row::StrbImm => self.single(inst, &[inst.d.0])?,
            Row::LdrbImm => self.constant(inst)?,
            Row::LdrdImm | Row::StrdImm => self.single(inst, &[inst.d.0, inst.a.0])?,
            Row::Ldm | Row::Stm | Row::Push | Row::Pop => return self.many(inst),
            Row::LdrbReg | Row::StrbReg => self.byte(inst)?,
            _ if inst.op.row().access.is_some() => return Err("this access is not understood here".to_owned()),
            _ => self.compute(inst)?,
        }
        Ok(Next::Following)
    }

    /// One or two words at an immediate offset.
    fn single(&mut self, inst: &Inst<V>, registers: &[At]) -> Done {
        let base = self.operand(inst.n.0)?;
        let moved = self.terms.plus(base, inst.imm);
        let from = if inst.mode == Mode::PostIndex { base } else { moved };
        for (&at, k) in registers.iter().zip(0..) {
            if inst.op.row().access.is_some_and(|(direction, _)| direction == Direction::Loads) {
                let id = self.load(from, 4 * k)?;
                self.set(at, id);
            } else {
                let id = self.get(at)?;
                self.store(from, 4 * k, id)?;
            }
        }
        if inst.mode != Mode::Offset {
            self.set(inst.n.0, moved);
        }
        Ok(())
    }

    /// Lists of registers.
    fn many(&mut self, inst: &Inst<V>) -> Result<Next, String> {
        let list: Vec<At> = (0..16).filter(|i| inst.list >> i & 1 == 1).collect();
        let bytes = 4 * list.len() as i32;
        let stack = matches!(inst.op, Row::Push | Row::Pop);
        let base_at = if stack { SP } else { inst.n.0 };
        let base = self.operand(base_at)?;
        let (from, moved) = match inst.op {
            Row::Push => (self.terms.plus(base, -bytes), self.terms.plus(base, -bytes)),
            _ => (base, self.terms.plus(base, bytes)),
        };
        if inst.op == Row::Push {
            self.set(SP, moved);
        }
        for (&at, k) in list.iter().zip(0..) {
            if matches!(inst.op, Row::Ldm | Row::Pop) {
                let id = self.load(from, 4 * k)?;
                self.set(at, id);
            } else {
                let id = self.get(at)?;
                self.store(from, 4 * k, id)?;
            }
        }
        if stack || inst.mode != Mode::Offset {
            self.set(base_at, moved);
        }
        let loads_pc = matches!(inst.op, Row::Ldm | Row::Pop) && list.contains(&PC);
        Ok(if loads_pc { Next::Return } else { Next::Following })
    }

    /// A byte at an address that is not known: only what it is relative to is looked at, and order is kept.
    fn byte(&mut self, inst: &Inst<V>) -> Done {
        let (base, index) = (self.operand(inst.n.0)?, self.operand(inst.m.0)?);
        let (root, _) = self.terms.split(base);
        let write = inst.op == Row::StrbReg;
        self.allowed((root, self.terms.split(base).1), 0, write)?;
        let (imm, imm2, shift, from) = (0, 0, inst.shift, vec![base, index]);
        let sum = Operation { op: Row::AddReg, imm, imm2, shift, result: 0 };
        let address = self.terms.id(Term::Result(sum, from));
        if write {
            let id = self.operand(inst.d.0)?;
            self.stores += 1;
            self.memory.insert((address, 0), id);
        } else {
            let id = self.terms.id(Term::Byte(address, self.stores));
            self.set(inst.d.0, id);
        }
        Ok(())
    }

    /// A byte of the constants; where nothing is known of the address, one of what is there.
    fn constant(&mut self, inst: &Inst<V>) -> Done {
        let base = self.operand(inst.n.0)?;
        let at = if inst.mode == Mode::PostIndex { 0 } else { inst.imm };
        let id = match self.constant_byte(base, at) {
            Some(id) => id,
            None if self.open() => {
                let word = self.load(base, at)?;
                let first = Operation { op: inst.op, imm: 0, imm2: 0, shift: Shift::NONE, result: 0 };
                self.terms.id(Term::Result(first, vec![word]))
            }
            None => return Err("a byte is loaded that is no constant".to_owned()),
        };
        self.set(inst.d.0, id);
        if inst.mode != Mode::Offset {
            let moved = self.terms.plus(base, inst.imm);
            self.set(inst.n.0, moved);
        }
        Ok(())
    }

    /// Everything that goes from registers to registers.
    fn compute(&mut self, inst: &Inst<V>) -> Done {
        if inst.op == Row::MovReg && inst.shift == Shift::NONE && !inst.set_flags {
            return self.copy(inst.m.0, inst.d.0);
        }
        let (reads_flags, writes_flags) = inst.flag_effects();
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (field, class, access) in inst.fields() {
            if class == Class::Double {
                return Err("double-precision registers are not understood here".to_owned());
            }
            if access.reads() {
                from.push(self.operand(inst.reg(field).0)?);
            }
            if access.writes() {
                to.push(inst.reg(field).0);
            }
        }
        if reads_flags.meets(Flags::NZCV) {
            from.push(self.state.ok_or("flags are read, which nothing has set")?.0);
        }
        let (imm, imm2) = (inst.imm, inst.imm2);
        let term = |from, result| Term::Result(Operation { op: inst.op, imm, imm2, shift: inst.shift, result }, from);
        let about = self.result(inst, &from);
        if reads_flags.meets(Flags::GE) {
            return Err("greater-or-equal bits are not understood here".to_owned());
        }
        if writes_flags.meets(Flags::NZCV) {
            self.state = Some((self.terms.id(term(from.clone(), FLAGS)), about));
        }
        for (at, result) in to.into_iter().zip(0..) {
            let id = if result == 0 { about } else { self.terms.id(term(from.clone(), result)) };
            self.set(at, id);
        }
        Ok(())
    }

    /// The first result of an instruction; equal values get equal names however they are computed, as far as generated code needs it.
    fn result(&mut self, inst: &Inst<V>, from: &[Id]) -> Id {
        let mut from = from.to_vec();
        let mut shift = inst.shift;
        let rotates =
            shift.kind == ShiftKind::Ror && matches!(inst.op, Row::AddReg | Row::EorReg | Row::RorImm | Row::MovReg);
        if let Some(last) = from.last_mut().filter(|_| rotates) {
            *last = self.terms.ror(*last, shift.amount);
            shift = Shift::NONE;
        }
        match (inst.op, from.as_slice()) {
            (Row::Adr, []) => {
                let code = self.terms.entry(CODE);
                self.terms.plus(code, inst.imm)
            }
            (Row::AddImm, &[n]) => self.terms.plus(n, inst.imm),
            (Row::SubImm | Row::CmpImm, &[n]) => self.terms.plus(n, inst.imm.wrapping_neg()),
            (Row::CmpReg, &[n, m]) if shift == Shift::NONE && self.terms.split(n).0 == self.terms.split(m).0 => {
                let by = self.terms.split(n).1.wrapping_sub(self.terms.split(m).1);
                self.terms.id(Term::Const(by as u32))
            }
            (Row::MovImm, []) => self.terms.id(Term::Const(inst.imm as u32)),
            (Row::MovReg | Row::RorImm, &[m]) if shift == Shift::NONE => m,
            (Row::EorReg, &[n, m]) if shift == Shift::NONE => self.terms.xor(n, m),
            _ => {
                if inst.op == Row::AddReg && shift == Shift::NONE {
                    from.sort_unstable();
                }
                let operation = Operation { op: inst.op, imm: inst.imm, imm2: inst.imm2, shift, result: 0 };
                self.terms.id(Term::Result(operation, from))
            }
        }
    }

    /// Whether a branch is taken, where the result that the flags are about is a constant and the condition looks at nothing else.
    fn taken(&mut self, cond: Cond) -> Result<Option<bool>, String> {
        if cond == Cond::Al {
            return Ok(Some(true));
        }
        let (_, about) = self.state.ok_or("a condition is looked at, but nothing has set flags")?;
        let Term::Const(word) = *self.terms.term(about) else { return Ok(None) };
        Ok(match cond {
            Cond::Eq => Some(word == 0),
            Cond::Ne => Some(word != 0),
            Cond::Mi => Some(word >> 31 == 1),
            Cond::Pl => Some(word >> 31 == 0),
            _ => None,
        })
    }
}

/// A register in words.
pub fn register(at: At) -> String {
    match at {
        SP => "sp".to_owned(),
        LR => "lr".to_owned(),
        PC => "pc".to_owned(),
        0..16 => format!("r{at}"),
        FP..LAST_FP => format!("s{}", at - FP),
        _ => format!("variable {}", at - 16),
    }
}

/// An instruction on physical registers as the machine takes it.
pub fn physical(inst: &Inst) -> Inst<V> {
    inst.map(|_, class, _, Reg(r)| V(u16::from(r) + if class == Class::Single { FP } else { 0 }))
}
