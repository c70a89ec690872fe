//! Names for values.
//!
//! Two computations get the same name if and only if they apply the same operations to values of the same names; additions of constants are
//! summed up, rotations as well, and `a ^ b ^ b` is `a`. What is not in a register or a word yet has a name for what was there at first,
//! if somebody may have put something there.

use std::collections::HashMap;
use std::hash::Hash;

/// A value's name.
pub type Id = u32;

/// A register: the core's own, variables of a kernel as [`V`](crate::compile::V) numbers them, and other files behind those.
pub type At = u16;

/// A place in memory: what it is relative to, and bytes from there.
pub type Address = (Id, i32);

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term<K> {
    /// What a register held at first.
    Entry(At),
    /// What a word in memory held at first.
    Word(Id, i32),
    /// A constant.
    Const(u32),
    /// A value and a constant that is not zero.
    Plus(Id, i32),
    /// A value, rotated right.
    Ror(Id, u8),
    /// The smaller name first.
    Xor(Id, Id),
    /// A byte in memory after so many stores to places that only the caller knows.
    Byte(Id, u32),
    /// A result of an instruction of some kind.
    Result(K, Vec<Id>),
}

/// All names so far.
#[derive(Clone, Debug)]
pub struct Terms<K> {
    ids: HashMap<Term<K>, Id>,
    all: Vec<Term<K>>,
}

impl<K: Clone + Eq + Hash> Terms<K> {
    /// The name of a term.
    pub fn id(&mut self, term: Term<K>) -> Id {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = self.all.len() as Id;
        self.all.push(term.clone());
        self.ids.insert(term, id);
        id
    }

    /// The name of what a register held at first.
    pub fn entry(&mut self, at: At) -> Id {
        self.id(Term::Entry(at))
    }

    /// What a name stands for.
    pub fn term(&self, id: Id) -> &Term<K> {
        &self.all[id as usize]
    }

    /// A value as a root and a constant.
    pub fn split(&self, id: Id) -> Address {
        match *self.term(id) {
            Term::Plus(root, by) => (root, by),
            _ => (id, 0),
        }
    }

    /// The sum of a value and a constant.
    pub fn plus(&mut self, id: Id, by: i32) -> Id {
        if let Term::Const(word) = *self.term(id) {
            return self.id(Term::Const(word.wrapping_add_signed(by)));
        }
        let (root, before) = self.split(id);
        match before.wrapping_add(by) {
            0 => root,
            sum => self.id(Term::Plus(root, sum)),
        }
    }

    /// A value rotated right.
    pub fn ror(&mut self, id: Id, by: u8) -> Id {
        let (root, before) = match *self.term(id) {
            Term::Ror(root, before) => (root, before),
            _ => (id, 0),
        };
        match (before + by) % 32 {
            0 => root,
            sum => self.id(Term::Ror(root, sum)),
        }
    }

    /// The exclusive or of two values.
    pub fn xor(&mut self, a: Id, b: Id) -> Id {
        for (one, other) in [(a, b), (b, a)] {
            match *self.term(one) {
                Term::Xor(x, y) if x == other => return y,
                Term::Xor(x, y) if y == other => return x,
                _ => {}
            }
        }
        if a == b { self.id(Term::Const(0)) } else { self.id(Term::Xor(a.min(b), a.max(b))) }
    }
}

impl<K> Default for Terms<K> {
    fn default() -> Terms<K> {
        Terms { ids: HashMap::new(), all: Vec::new() }
    }
}
