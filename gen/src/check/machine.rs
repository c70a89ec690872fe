//! Registers and memory full of names for values, and what code may do with them.

use super::terms::{Address, At, Id, Term, Terms};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;

/// An instruction set as the checks see it.
pub trait Isa {
    /// What an instruction does, beside its operands.
    type Operation: Clone + Eq + Hash + Debug;
    /// What there is beside registers and memory.
    type State: Clone + Default + Debug;
    /// The stack pointer.
    const SP: At;
    /// The register of the first parameter; those of the others follow.
    const FIRST_PARAM: At;

    /// True for registers in which callers may keep something that is theirs: a function may move it, but not compute with it.
    fn is_callers(at: At) -> bool;

    /// A register in words.
    fn register(at: At) -> String;
}

/// Stands for the address of the first instruction: no register.
pub const CODE: At = 0xf000;

/// What a machine may touch.
#[derive(Clone, Debug)]
pub enum Rules {
    /// Everything, registers and memory being full of unknown words: for comparing two orders of a stretch of code.
    Anything,
    /// What is listed.
    Only {
        /// Bytes from sp at entry that may be written, and read if they were; `None`: all from the present sp to there.
        stack: Option<(i32, i32)>,
        /// Memory that may be read: what it is relative to, and bytes.
        readable: Vec<(Id, i32)>,
        /// Memory that may be written.
        writable: Vec<(Id, i32)>,
    },
}

/// Where execution goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    Following,
    /// A branch; whether it is taken, if that is known.
    Branch(Option<bool>),
    /// To where the program counter now points.
    Return,
}

/// Nothing, or what is wrong.
pub type Done = Result<(), String>;

/// Registers, memory and other state, full of names.
#[derive(Clone, Debug)]
pub struct Machine<M: Isa> {
    /// All names.
    pub terms: Terms<M::Operation>,
    /// What is in registers.
    pub regs: BTreeMap<At, Id>,
    /// What there is beside registers and memory.
    pub state: M::State,
    /// What is in words of memory.
    pub memory: BTreeMap<Address, Id>,
    rules: Rules,
    /// All memory beside the stack is one: parameters that may be the same array are.
    one_array: bool,
    /// Stores to places that only the caller knows.
    pub stores: u32,
    /// Words right before the first instruction, whose address is [`CODE`].
    pub constants: Vec<u32>,
    /// Bytes right below sp at entry that are not the function's although its frame reaches there.
    pub reserved: i32,
    /// The number of the instruction that is executed.
    pub now: usize,
    /// For each word the number of the instruction that stored it.
    pub stored_by: BTreeMap<Address, usize>,
}

impl<M: Isa> Machine<M> {
    /// Empty but for the stack pointer.
    pub fn new(mut terms: Terms<M::Operation>, rules: Rules, one_array: bool) -> Machine<M> {
        let sp = terms.entry(M::SP);
        let (regs, memory) = (BTreeMap::from([(M::SP, sp)]), BTreeMap::new());
        let state = M::State::default();
        Machine {
            terms,
            regs,
            state,
            memory,
            rules,
            one_array,
            stores: 0,
            constants: Vec::new(),
            reserved: 0,
            now: 0,
            stored_by: BTreeMap::new(),
        }
    }

    /// True if nothing is forbidden.
    pub fn open(&self) -> bool {
        matches!(self.rules, Rules::Anything)
    }

    /// What a register holds; for moving it only.
    pub fn get(&mut self, at: At) -> Result<Id, String> {
        match self.regs.get(&at) {
            Some(&id) => Ok(id),
            None if self.open() => Ok(self.terms.entry(at)),
            None => Err(format!("{} is read, where nothing was put", M::register(at))),
        }
    }

    /// What a register holds; for computing with it.
    pub fn operand(&mut self, at: At) -> Result<Id, String> {
        let id = self.get(at)?;
        match *self.terms.term(id) {
            Term::Entry(of) if !self.open() && of != CODE && M::is_callers(of) => {
                Err(format!("{} still holds what the caller had in {}", M::register(at), M::register(of)))
            }
            _ => Ok(id),
        }
    }

    /// Puts something into a register.
    pub fn set(&mut self, at: At, id: Id) {
        self.regs.insert(at, id);
    }

    /// The root of an address under which memory is kept.
    pub fn kept(&mut self, root: Id) -> Id {
        let stack = self.terms.entry(M::SP);
        if self.one_array && root != stack { self.terms.id(Term::Const(0)) } else { root }
    }

    /// Refuses what lies outside; true if it is on the stack.
    pub fn allowed(&mut self, (root, offset): Address, bytes: i32, write: bool) -> Result<bool, String> {
        let stack_root = self.terms.entry(M::SP);
        let Rules::Only { stack, readable, writable } = &self.rules else { return Ok(root == stack_root) };
        let present = self.regs.get(&M::SP).map_or((stack_root, 0), |&sp| self.terms.split(sp));
        let inside = if root == stack_root {
            let (low, high) = stack.unwrap_or((present.1, -self.reserved));
            (low..=high - bytes).contains(&offset)
                || (!write && self.memory.contains_key(&(root, offset)) && offset >= present.1)
        } else {
            let list = if write { writable } else { readable };
            list.iter().any(|&(r, length)| r == root && (0..=length - bytes).contains(&offset))
        };
        if inside {
            return Ok(root == stack_root);
        }
        let what = if write { "written" } else { "read" };
        Err(format!("{} is {what}, which is out of bounds", self.place((root, offset))))
    }

    fn before_code(&self, (root, offset): Address) -> Option<u32> {
        let before_code = *self.terms.term(root) == Term::Entry(CODE);
        let at = usize::try_from(offset + 4 * self.constants.len() as i32).ok()?;
        self.constants.get(at / 4).copied().filter(|_| before_code && at.is_multiple_of(4))
    }

    /// A byte of the constants before the code.
    pub fn constant_byte(&mut self, base: Id, offset: i32) -> Option<Id> {
        let (root, at) = self.terms.split(base);
        let at = at.wrapping_add(offset);
        let word = self.before_code((root, at & !3))?;
        Some(self.terms.id(Term::Const(word.to_le_bytes()[at as usize % 4].into())))
    }

    /// What is in a word of memory.
    pub fn load(&mut self, base: Id, offset: i32) -> Result<Id, String> {
        let (root, at) = self.terms.split(base);
        let address = (root, at.wrapping_add(offset));
        if let Some(word) = self.before_code(address) {
            return Ok(self.terms.id(Term::Const(word)));
        }
        let on_stack = self.allowed(address, 4, false)?;
        let address = (self.kept(root), address.1);
        match self.memory.get(&address) {
            Some(&id) => Ok(id),
            None if on_stack && !self.open() => Err(format!("{} is read, where nothing was put", self.place(address))),
            None => Ok(self.terms.id(Term::Word(address.0, address.1))),
        }
    }

    /// Puts something into a word of memory.
    pub fn store(&mut self, base: Id, offset: i32, id: Id) -> Done {
        let (root, at) = self.terms.split(base);
        let address = (root, at.wrapping_add(offset));
        self.allowed(address, 4, true)?;
        let address = (self.kept(root), address.1);
        self.memory.insert(address, id);
        self.stored_by.insert(address, self.now);
        Ok(())
    }

    /// A word of memory in words.
    pub fn place(&mut self, (root, offset): Address) -> String {
        match *self.terms.term(root) {
            Term::Entry(at) => format!("[{}, #{offset}]", M::register(at)),
            _ => format!("[computed address, #{offset}]"),
        }
    }

    /// Moves what a register holds.
    pub fn copy(&mut self, from: At, to: At) -> Done {
        let id = self.get(from)?;
        self.set(to, id);
        Ok(())
    }
}
