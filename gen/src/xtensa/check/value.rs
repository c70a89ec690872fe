//! A machine that computes with names for values ([`Terms`](crate::check::Terms)).

pub use crate::check::{At, Id, Next};
use crate::check::{Done, Isa};
use crate::compile::V;
use isa::xtensa::{Access, Class, Inst, Op as Row, Reg, special_register, sr};
use std::collections::BTreeMap;

/// The return address.
pub const A0: At = 0;
/// The stack pointer.
pub const SP: At = 1;
/// Special register 0; the others follow.
const SPECIAL: At = 0x8000;
/// What a branch compares, for comparing two orders of a stretch of code that ends with it.
const COMPARED: At = 0x9000;
pub const LBEG: At = SPECIAL + sr::LBEG as At;
pub const LEND: At = SPECIAL + sr::LEND as At;
pub const LCOUNT: At = SPECIAL + sr::LCOUNT as At;
const SAR: At = SPECIAL + sr::SAR as At;
/// Bytes at the top of a windowed frame that belong to the window exceptions.
const WINDOW_SAVE: i32 = 16;

/// What an instruction does, beside its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    op: Row,
    imm: i64,
    imm2: i64,
}

/// Xtensa.
#[derive(Clone, Debug)]
pub struct Xtensa;

/// What there is beside registers and memory.
#[derive(Clone, Default, Debug)]
pub struct Loops {
    /// LBEG, LEND or LCOUNT was written since the last ISYNC.
    pub unsynchronized: bool,
    /// Bytes of the frame that ENTRY made.
    pub frame: Option<i32>,
    /// Bytes that were stored as such.
    pub bytes: BTreeMap<(Id, i32), Id>,
}

impl Isa for Xtensa {
    type Operation = Operation;
    type State = Loops;
    const SP: At = SP;
    const FIRST_PARAM: At = 2;

    fn is_callers(at: At) -> bool {
        at == A0 || (12..16).contains(&at)
    }

    fn register(at: At) -> String {
        register(at)
    }
}

pub type Term = crate::check::Term<Operation>;
pub type Machine = crate::check::Machine<Xtensa>;

impl Machine {
    /// Executes an instruction at `pc`, which has so many bytes.
    pub fn run(&mut self, inst: &Inst<V>, pc: u32, length: u32) -> Result<Next, String> {
        match inst.op {
            Row::Nop | Row::NopN => {}
            Row::Isync => self.state.unsynchronized = false,
            Row::Ssai => self.set_constant(SAR, inst.imm as u32),
            Row::Movi => self.set_constant(inst.t.0, inst.imm as u32),
            Row::MoviN => self.set_constant(inst.s.0, inst.imm as u32),
            Row::MovN => self.copy(inst.s.0, inst.t.0)?,
            Row::Or if inst.s == inst.t => self.copy(inst.s.0, inst.r.0)?,
            Row::Addi | Row::Addmi => self.plus(inst.t.0, inst.s.0, inst.imm)?,
            Row::AddiN => self.plus(inst.r.0, inst.s.0, inst.imm)?,
            Row::Src => self.funnel(inst)?,
            Row::L32i | Row::L32iN | Row::S32i | Row::S32iN => self.word(inst)?,
            Row::L8ui | Row::S8i => self.byte(inst)?,
            Row::Rsr | Row::Wsr | Row::Xsr => self.special(inst)?,
            Row::Loop => self.begin_loop(inst, pc, length)?,
            Row::Entry => self.enter(inst)?,
            Row::Ret | Row::RetN | Row::Retw | Row::RetwN => return Ok(Next::Return),
            Row::J => return Ok(Next::Branch(Some(true))),
            Row::Beq | Row::Bne | Row::Beqz | Row::Bnez | Row::BeqzN | Row::BnezN | Row::Bgeu => {
                return Ok(Next::Branch(self.compare(inst)?));
            }
            _ if inst.op.row().access.is_some() || inst.control() != isa::xtensa::Control::Next => {
                return Err("this is not understood here".to_owned());
            }
            _ => self.compute(inst)?,
        }
        Ok(Next::Following)
    }

    fn set_constant(&mut self, at: At, word: u32) {
        let id = self.terms.id(Term::Const(word));
        self.set(at, id);
    }

    /// The constant that a register holds, if it is one.
    pub fn constant(&self, at: At) -> Option<u32> {
        match *self.terms.term(*self.regs.get(&at)?) {
            Term::Const(word) => Some(word),
            _ => None,
        }
    }

    fn plus(&mut self, to: At, from: At, by: i64) -> Done {
        let id = self.operand(from)?;
        let sum = self.terms.plus(id, by as i32);
        self.set(to, sum);
        Ok(())
    }

    /// SRC; with both halves the same word it rotates.
    fn funnel(&mut self, inst: &Inst<V>) -> Done {
        let (high, low) = (self.operand(inst.s.0)?, self.operand(inst.t.0)?);
        let id = match self.constant(SAR) {
            Some(by) if high == low && by < 32 => self.terms.ror(high, by as u8),
            _ => {
                let by = self.get(SAR)?;
                self.result(inst, vec![high, low, by])
            }
        };
        self.set(inst.r.0, id);
        Ok(())
    }

    fn result(&mut self, inst: &Inst<V>, from: Vec<Id>) -> Id {
        self.terms.id(Term::Result(Operation { op: inst.op, imm: inst.imm, imm2: inst.imm2 }, from))
    }

    fn word(&mut self, inst: &Inst<V>) -> Done {
        let base = self.operand(inst.s.0)?;
        if matches!(inst.op, Row::L32i | Row::L32iN) {
            let id = self.load(base, inst.imm as i32)?;
            self.set(inst.t.0, id);
            return Ok(());
        }
        let id = self.get(inst.t.0)?;
        self.store(base, inst.imm as i32, id)
    }

    /// A byte of a message or of the frame. What it is in a word that is stored as such is not looked at.
    fn byte(&mut self, inst: &Inst<V>) -> Done {
        let base = self.operand(inst.s.0)?;
        let address = self.terms.plus(base, inst.imm as i32);
        let (root, at) = self.terms.split(address);
        let write = inst.op == Row::S8i;
        self.allowed((root, at), 1, write)?;
        let place = (self.kept(root), at);
        if write {
            let id = self.operand(inst.t.0)?;
            self.state.bytes.insert(place, id);
            return Ok(());
        }
        let first = self.terms.plus(place.0, at);
        let id = self.state.bytes.get(&place).copied().unwrap_or_else(|| self.terms.id(Term::Byte(first, 0)));
        self.set(inst.t.0, id);
        Ok(())
    }

    fn special(&mut self, inst: &Inst<V>) -> Done {
        let at = SPECIAL + inst.imm as At;
        if special_register(inst.imm, Access::ReadWrite).is_none() || inst.imm as usize > sr::M0 + 3 {
            return Err("this register is not for functions".to_owned());
        }
        self.state.unsynchronized |= inst.op != Row::Rsr && (LBEG..=LCOUNT).contains(&at);
        let before = if inst.op == Row::Wsr { None } else { Some(self.get(at)?) };
        if inst.op != Row::Rsr {
            self.copy(inst.t.0, at)?;
        }
        if let Some(id) = before {
            self.set(inst.t.0, id);
        }
        Ok(())
    }

    fn begin_loop(&mut self, inst: &Inst<V>, pc: u32, length: u32) -> Done {
        if self.constant(LCOUNT).is_some_and(|left| left != 0) {
            return Err("a loop begins in a loop".to_owned());
        }
        self.plus(LCOUNT, inst.s.0, -1)?;
        self.set_constant(LBEG, pc + length);
        self.set_constant(LEND, inst.target(pc).unwrap_or(0));
        Ok(())
    }

    fn enter(&mut self, inst: &Inst<V>) -> Done {
        self.plus(SP, SP, -inst.imm)?;
        self.state.frame = Some(inst.imm as i32);
        self.reserved = WINDOW_SAVE;
        Ok(())
    }

    /// Whether a branch is taken, if that is known. What it compares stays, for comparing two orders of code before it.
    fn compare(&mut self, inst: &Inst<V>) -> Result<Option<bool>, String> {
        let zero = self.terms.id(Term::Const(0));
        let s = self.operand(inst.s.0)?;
        let two = matches!(inst.op, Row::Beq | Row::Bne | Row::Bgeu);
        let t = if two { self.operand(inst.t.0)? } else { zero };
        let compared = self.result(&Inst { imm: 0, ..*inst }, vec![s, t]);
        self.set(COMPARED, compared);
        let difference = self.difference(s, t);
        Ok(match inst.op {
            Row::Beq | Row::Beqz | Row::BeqzN => difference.map(|d| d == 0),
            Row::Bne | Row::Bnez | Row::BnezN => difference.map(|d| d != 0),
            _ => None,
        })
    }

    /// The difference of two values, where it is a constant.
    fn difference(&mut self, s: Id, t: Id) -> Option<u32> {
        if let (&Term::Const(x), &Term::Const(y)) = (self.terms.term(s), self.terms.term(t)) {
            return Some(x.wrapping_sub(y));
        }
        let ((one, x), (other, y)) = (self.terms.split(s), self.terms.split(t));
        (one == other).then(|| x.wrapping_sub(y) as u32)
    }

    /// Everything that goes from registers to registers.
    fn compute(&mut self, inst: &Inst<V>) -> Done {
        let (mut from, mut to) = (Vec::new(), None);
        for (field, _, access) in inst.fields() {
            if access.reads() {
                from.push(self.operand(inst.reg(field).0)?);
            }
            if access.writes() {
                to = Some(inst.reg(field).0);
            }
        }
        let id = match (inst.op, from.as_slice()) {
            (Row::Xor, &[s, t]) => self.terms.xor(s, t),
            (Row::Sub, &[s, t]) if self.difference(s, t).is_some() => {
                let difference = self.difference(s, t).unwrap_or(0);
                self.terms.id(Term::Const(difference))
            }
            (Row::Add | Row::AddN, _) => {
                from.sort_unstable();
                self.result(&Inst::new(Row::Add), from)
            }
            _ => self.result(inst, from),
        };
        to.into_iter().for_each(|at| self.set(at, id));
        Ok(())
    }
}

/// A register in words.
pub fn register(at: At) -> String {
    match at {
        0..16 => format!("a{at}"),
        COMPARED => "what the branch compares".to_owned(),
        SPECIAL..COMPARED => special_register((at - SPECIAL).into(), Access::ReadWrite)
            .map_or_else(|| format!("special register {}", at - SPECIAL), |(name, _)| name.to_owned()),
        _ => format!("variable {}", at - 16),
    }
}

/// The MAC register of this number.
pub const fn mac(m: u8) -> At {
    SPECIAL + sr::M0 as At + m as At
}

/// An instruction on physical registers as the machine takes it; `None` if it names registers of other files.
pub fn physical(inst: &Inst) -> Option<Inst<V>> {
    let all_core = inst.fields().all(|(_, class, _)| class == Class::Core);
    all_core.then(|| inst.map(|_, _, _, Reg(r)| V(r.into())))
}
