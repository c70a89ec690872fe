//! One instruction as a value: the row it belongs to and what stands in its operand fields.

use super::Op;
use super::syntax::Syntax;
use crate::access::Access;

/// A register a0..a15 of the current window, or a register of another file where the row says so.
///
/// Which file a field names is the row's business ([`Class`]); the number alone is kept here so that code
/// over virtual registers can use the same [`Inst`] with another register type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Reg(pub u8);

impl Reg {
    /// The return address, a0.
    pub const RETURN: Reg = Reg(0);
    /// The stack pointer, a1.
    pub const SP: Reg = Reg(1);
}

/// A register field of an instruction, by its name in the manual.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// `r`; also the first factor of MAC16 when it is m0 or m1 (`mx`).
    R,
    /// `s`.
    S,
    /// `t`; also the second factor of MAC16 when it is m2 or m3 (`my`).
    T,
    /// `w`: the register that MAC16 loads.
    W,
}

impl Field {
    /// All four.
    pub const ALL: [Field; 4] = [Field::R, Field::S, Field::T, Field::W];
}

/// Which registers a field names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// a0..a15 of the current window.
    Core,
    /// f0..f15.
    Float,
    /// b0..b15, one bit each.
    Bool,
    /// m0..m3 of MAC16.
    Mac,
}

/// An instruction. Fields that its row does not use hold their default, so that equality means equality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst<R = Reg> {
    /// The row.
    pub op: Op,
    /// What stands in field `r`.
    pub r: R,
    /// What stands in field `s`.
    pub s: R,
    /// What stands in field `t`.
    pub t: R,
    /// What stands in field `w`.
    pub w: R,
    /// The immediate as written: a byte offset, a shift amount, a level. For what is relative to PC, the distance in bytes
    /// from [`origin`](Self::origin). For special and user registers, the number.
    pub imm: i64,
    /// The second immediate as written: the constant or bit of a branch, the width of EXTUI, the second operand of BREAK.
    pub imm2: i64,
}

impl<R: Copy + Default> Inst<R> {
    /// An instruction of this row with every other field at its default.
    pub fn new(op: Op) -> Self {
        let none = R::default();
        Inst { op, r: none, s: none, t: none, w: none, imm: 0, imm2: 0 }
    }

    /// What stands in a field.
    pub fn reg(&self, field: Field) -> R {
        match field {
            Field::R => self.r,
            Field::S => self.s,
            Field::T => self.t,
            Field::W => self.w,
        }
    }

    /// The place of a field.
    pub fn reg_mut(&mut self, field: Field) -> &mut R {
        match field {
            Field::R => &mut self.r,
            Field::S => &mut self.s,
            Field::T => &mut self.t,
            Field::W => &mut self.w,
        }
    }

    /// The register fields that the row uses, in the order of its syntax, with what it does to each. Implied registers (a0
    /// of a call or return) are not fields.
    pub fn fields(&self) -> impl Iterator<Item = (Field, Class, Access)> + use<R> {
        Syntax::of(self.op).operands()
    }

    /// The same instruction with each register that its row uses replaced, in the order of [`fields`](Self::fields);
    /// unused fields become the new type's default.
    pub fn map<S: Copy + Default>(&self, mut f: impl FnMut(Field, Class, Access, R) -> S) -> Inst<S> {
        let mut mapped = Inst { imm: self.imm, imm2: self.imm2, ..Inst::new(self.op) };
        for (field, class, access) in self.fields() {
            *mapped.reg_mut(field) = f(field, class, access, self.reg(field));
        }
        mapped
    }
}
