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
    /// `r`; also the first factor of MAC16 when it is m0 or m1 (`mx`). In the vector extension the result, `qa`, `qz` or
    /// `qs0`.
    R,
    /// `s`. In the vector extension the address, `as`.
    S,
    /// `t`; also the second factor of MAC16 when it is m2 or m3 (`my`). In the vector extension what is added to the
    /// address, `ad`, and other registers beside the address.
    T,
    /// `w`: the register that MAC16 loads. In the vector extension what is loaded or stored, `qu` or `qv`.
    W,
    /// The first source of the vector extension, `qx` or `qs`.
    X,
    /// Its second source, `qy`.
    Y,
    /// The upper half of 256 bits whose lower is `r`, `qs1`; of the FFT instructions what they have beyond the others.
    Z,
}

impl Field {
    /// How many there are.
    pub const COUNT: usize = 7;
    /// All of them.
    pub const ALL: [Field; Field::COUNT] = [Field::R, Field::S, Field::T, Field::W, Field::X, Field::Y, Field::Z];
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
    /// q0..q7 of the vector extension, 128 bits each.
    Vector,
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
    /// What stands in field `x`.
    pub x: R,
    /// What stands in field `y`.
    pub y: R,
    /// What stands in field `z`.
    pub z: R,
    /// The immediate as written: a byte offset, a shift amount, a level. For what is relative to PC, the distance in bytes
    /// from [`origin`](Self::origin). For special and user registers, the number.
    pub imm: i64,
    /// The second immediate as written: the constant or bit of a branch, the width of EXTUI, the second operand of BREAK.
    pub imm2: i64,
    /// The third immediate as written, of the one row that has three (EE.FFT.CMUL.S16.ST.XP).
    pub imm3: u8,
}

impl<R: Copy + Default> Inst<R> {
    /// An instruction of this row with every other field at its default.
    pub fn new(op: Op) -> Self {
        let none = R::default();
        Inst { op, r: none, s: none, t: none, w: none, x: none, y: none, z: none, imm: 0, imm2: 0, imm3: 0 }
    }

    /// What stands in a field.
    pub fn reg(&self, field: Field) -> R {
        match field {
            Field::R => self.r,
            Field::S => self.s,
            Field::T => self.t,
            Field::W => self.w,
            Field::X => self.x,
            Field::Y => self.y,
            Field::Z => self.z,
        }
    }

    /// The place of a field.
    pub fn reg_mut(&mut self, field: Field) -> &mut R {
        match field {
            Field::R => &mut self.r,
            Field::S => &mut self.s,
            Field::T => &mut self.t,
            Field::W => &mut self.w,
            Field::X => &mut self.x,
            Field::Y => &mut self.y,
            Field::Z => &mut self.z,
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
        let mut mapped = Inst { imm: self.imm, imm2: self.imm2, imm3: self.imm3, ..Inst::new(self.op) };
        for (field, class, access) in self.fields() {
            *mapped.reg_mut(field) = f(field, class, access, self.reg(field));
        }
        mapped
    }
}
