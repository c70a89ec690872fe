//! A small assembler over [`Inst`]: labels, constants, alignment.

use super::super::{Inst, Op, encode};
use super::inst;

/// A place in an [`Assembly`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// Code from an address up.
pub struct Assembly {
    base: u32,
    code: Vec<u8>,
    instructions: Vec<Inst>,
    places: Vec<Option<u32>>,
    /// Where instructions stand that name a label.
    open: Vec<(u32, Inst, Label)>,
}

impl Assembly {
    /// Nothing yet, at this address.
    pub fn new(base: u32) -> Assembly {
        Assembly { base, code: Vec::new(), instructions: Vec::new(), places: Vec::new(), open: Vec::new() }
    }

    /// The address of what comes next.
    pub fn here(&self) -> u32 {
        self.base + self.code.len() as u32
    }

    /// Appends instructions.
    ///
    /// # Panics
    /// If one cannot be encoded.
    pub fn push(&mut self, instructions: impl IntoIterator<Item = Inst>) {
        for inst in instructions {
            let encoding = encode(&inst).unwrap_or_else(|error| panic!("{inst:?}: {error}"));
            self.code.extend(encoding.bytes());
            self.instructions.push(inst);
        }
    }

    /// All instructions so far, with any distance to the labels that they name.
    pub fn instructions(&self) -> &[Inst] {
        &self.instructions
    }

    /// Appends one instruction, by its row, fields `r`, `s`, `t`, and immediate.
    pub fn op(&mut self, op: Op, r: u8, s: u8, t: u8, imm: i64) {
        self.push([inst(op, r, s, t, imm)]);
    }

    /// Appends bytes that are no instructions.
    pub fn data(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// Appends zeros up to this address.
    pub fn skip_to(&mut self, address: u32) {
        assert!(address >= self.here(), "no room below {address:#x}");
        self.code.resize((address - self.base) as usize, 0);
    }

    /// Appends zeros up to a multiple of 4.
    pub fn align(&mut self) {
        self.skip_to(self.here().next_multiple_of(4));
    }

    /// A label without a place so far.
    pub fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    /// Gives the label its place: here.
    pub fn place(&mut self, label: Label) {
        self.places[label.0] = Some(self.here());
    }

    /// A label at this place.
    pub fn here_label(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// Appends a branch, jump, call, loop or L32R whose place is the label.
    pub fn to(&mut self, inst: Inst, label: Label) {
        let at = self.here();
        self.open.push((at, inst, label));
        // Any distance that has an encoding: none for a literal, which lies below, and a multiple of 4 for all.
        let filler = Inst { imm: if inst.op == Op::L32r { -4 } else { 0 }, ..inst };
        self.push([filler]);
    }

    /// Loads a register with any number, by way of no other.
    pub fn constant(&mut self, register: u8, value: u32) {
        let mut rest = value as i32;
        let mut bytes = Vec::new();
        while !(-2048..2048).contains(&rest) {
            bytes.push(rest as i8);
            rest = (rest - i32::from(rest as i8)) >> 8;
        }
        self.op(Op::Movi, 0, 0, register, rest.into());
        for byte in bytes.into_iter().rev() {
            self.op(Op::Slli, register, register, 0, 8);
            self.op(Op::Addi, 0, register, register, byte.into());
        }
    }

    /// The code.
    ///
    /// # Panics
    /// If a label has no place, or one that is out of reach.
    pub fn finish(mut self) -> Vec<u8> {
        for (at, inst, label) in std::mem::take(&mut self.open) {
            let place = self.places[label.0].expect("a label has a place");
            let origin = inst.origin(at).expect("only what is relative to PC names a label");
            let imm = i64::from(place.wrapping_sub(origin) as i32);
            let encoding = encode(&Inst { imm, ..inst }).unwrap_or_else(|error| panic!("at {at:#x}: {error}"));
            let start = (at - self.base) as usize;
            self.code.splice(start..start + encoding.len as usize, encoding.bytes());
        }
        self.code
    }
}
