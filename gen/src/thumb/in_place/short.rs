//! Short code: 16-bit instructions, constants that share a byte, and a loop for the sums that are wanted at first.

use super::registers::ARRAYS;
use super::rotate::Rotated;
use super::values::{Block, Def};
use crate::compile::V;
use crate::ir::{Op, Var};
use crate::thumb::assign::{Placed, Slot, Slots};
use crate::thumb::finish::Chunk;
use crate::unroll::Step;
use isa::thumb::{Cond, Flags, Inst, Mode, Op as Row, Reg, Shift, ShiftKind, encode};
use std::collections::BTreeMap;

/// Sets flags where a 16-bit instruction does and nobody wants the flags from before.
pub fn narrow(code: &mut [Placed]) {
    let decided = code.iter().rposition(|p| p.inst.flag_effects().1.meets(Flags::NZCV)).unwrap_or(code.len());
    for inst in code[..decided].iter_mut().map(|p| &mut p.inst) {
        if !inst.d.is_low() || !inst.n.is_low() || !inst.m.is_low() {
            continue;
        }
        match inst.op {
            Row::LslImm | Row::LsrImm => inst.set_flags = true,
            _ if inst.shift != Shift::NONE => {}
            Row::AddImm if inst.d == inst.n && (0..256).contains(&inst.imm) => inst.set_flags = true,
            Row::EorReg if inst.d == inst.m => {
                (inst.n, inst.m) = (inst.m, inst.n);
                inst.set_flags = true;
            }
            Row::EorReg | Row::BicReg if inst.d == inst.n => inst.set_flags = true,
            _ => {}
        }
    }
}

/// Bytes of code.
pub fn bytes(chunks: &[Chunk]) -> u64 {
    let length = |p: &Placed| encode(&p.inst, false).map_or(4, |encoding| u64::from(encoding.len));
    chunks.iter().flat_map(|chunk| &chunk.code).map(length).sum()
}

/// Bits of a constant that are in the byte of a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Number of the constant.
    pub constant: u32,
    /// Which of its bits.
    pub bits: u32,
    /// How far the byte has to be rotated left, so that they are where they are in the constant.
    pub rotl: u32,
}

impl Field {
    /// Its bits in the byte.
    fn in_byte(self) -> u32 {
        self.bits.rotate_right(self.rotl)
    }
}

/// A byte for each repetition instead of its constants: the fields that these are made of. They are as few as will do, and if there is a choice more
/// of them are at an end of the byte, where a shift in 16 bits takes them apart. `None` if the bits that are ever set are more than a byte has, or
/// if bytes do not fill words.
pub fn fields(rows: &[Vec<u32>]) -> Option<Vec<Field>> {
    let mut bits: Vec<u32> = vec![0; rows.first().filter(|_| rows.len().is_multiple_of(4))?.len()];
    rows.iter().for_each(|row| bits.iter_mut().zip(row).for_each(|(bits, constant)| *bits |= constant));
    let mut best = None;
    extend(&mut Vec::new(), &bits, &mut best);
    best
}

/// Tries all places in the byte for the first bit that has none; what else of its constant can come along, does.
fn extend(fields: &mut Vec<Field>, left: &[u32], best: &mut Option<Vec<Field>>) {
    let Some(constant) = left.iter().position(|&bits| bits != 0) else {
        let worth = |fields: &[Field]| {
            let masked = fields.iter().filter(|field| taken_apart(**field, fields).op == Row::AndImm).count();
            (fields.len(), masked)
        };
        if best.as_ref().is_none_or(|best| worth(fields) < worth(best)) {
            *best = Some(fields.clone());
        }
        return;
    };
    let used = fields.iter().fold(0, |used, field| used | field.in_byte());
    for place in 0..8 {
        let rotl = (32 + left[constant].trailing_zeros() - place) % 32;
        let here = left[constant].rotate_right(rotl) & 0xff & !used;
        if here >> place & 1 == 1 {
            let field = Field { constant: constant as u32, bits: here.rotate_left(rotl), rotl };
            let mut left = left.to_vec();
            left[constant] &= !field.bits;
            fields.push(field);
            extend(fields, &left, best);
            fields.pop();
        }
    }
}

/// What leaves nothing but a field of the byte; as far as it is shifted, its rotation is another one.
fn taken_apart(field: Field, fields: &[Field]) -> Inst<V> {
    let others = fields.iter().filter(|other| **other != field).fold(0, |bits, other| bits | other.in_byte());
    let (lowest, above) = (field.in_byte().trailing_zeros(), field.in_byte().leading_zeros());
    let shift = |op, kind, amount: u32| Inst { shift: Shift { kind, amount: amount as u8 }, ..Inst::new(op) };
    if others >> lowest == 0 {
        shift(Row::LsrImm, ShiftKind::Lsr, lowest)
    } else if others << above == 0 {
        shift(Row::LslImm, ShiftKind::Lsl, above)
    } else {
        Inst { imm: field.in_byte() as i32, ..Inst::new(Row::AndImm) }
    }
}

/// The same steps with a constant for each field, in their order. `None` if something else is done with a constant than adding it once.
pub fn split(steps: &[Step], fields: &[Field]) -> Option<Vec<Step>> {
    let mut all = Vec::new();
    for step in steps {
        let (mut ops, mut waiting) = (Vec::new(), BTreeMap::new());
        for op in &step.ops {
            match *op {
                Op::Constant(d, k) => _ = waiting.insert(d, k),
                Op::Xor(d, a, constant) if waiting.contains_key(&constant) => {
                    let k = waiting.remove(&constant)?;
                    let numbers = (0..).zip(fields).filter(|(_, field)| field.constant == k);
                    ops.push(Op::Copy(d, a));
                    ops.extend(numbers.flat_map(|(n, _)| [Op::Constant(constant, n), Op::Xor(d, d, constant)]));
                }
                other => ops.push(other),
            }
        }
        waiting.is_empty().then_some(())?;
        all.push(Step { title: step.title.clone(), ops });
    }
    Some(all)
}

/// The bytes of all repetitions. Instructions of a block whose constants are these fields get them from there.
pub fn pack(rows: &[Vec<u32>], fields: &[Field], block: &Block, rotated: &mut Rotated) -> Vec<u8> {
    for (v, def) in block.defs.iter().enumerate() {
        let Def::Constant(number) = *def else { continue };
        let field = fields[number as usize];
        let d = V::of(rotated.var[v]);
        let apart = Inst { d, ..taken_apart(field, fields) };
        let (apart, shifted) = match apart.op {
            Row::AndImm => (Inst { n: d, ..apart }, 0),
            Row::LsrImm => (Inst { m: d, ..apart }, i32::from(apart.shift.amount)),
            _ => (Inst { m: d, ..apart }, -i32::from(apart.shift.amount)),
        };
        let load = Inst { d, n: rotated.insts[v][0].n, ..Inst::new(Row::LdrbImm) };
        rotated.insts[v] = vec![load, apart];
        let turned = rotated.constants.get(&number).copied().unwrap_or(0);
        let rotl = (field.rotl + turned) as i32 + shifted;
        let users = rotated.insts.iter_mut().flatten().filter(|inst| inst.op == Row::EorReg && inst.m == d);
        users.for_each(|inst| inst.shift = Shift::ror(rotl.wrapping_neg().rem_euclid(32) as u32));
    }
    let byte = |row: &Vec<u32>| {
        let of = |field: &Field| (row[field.constant as usize] & field.bits).rotate_right(field.rotl);
        fields.iter().fold(0, |byte, field| byte | of(field)) as u8
    };
    rows.iter().map(byte).collect()
}

/// The variables that a block computes are sums of words: the k-th one of those at `k`, `k + stride` and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sums {
    /// How many variables.
    pub count: usize,
    /// Words of each.
    pub terms: usize,
    /// Words from one of them to the next.
    pub stride: usize,
}

impl Sums {
    /// If the block computes nothing but that.
    pub fn of(block: &Block, carried: &[Var], word: &dyn Fn(Var) -> Option<u32>) -> Option<Sums> {
        let words: Option<Vec<Vec<usize>>> = carried.iter().map(|var| summands(block, *var, word)).collect();
        let words = words?;
        let stride = words.first()?.get(1)?.checked_sub(words[0][0])?;
        let sums = Sums { count: words.len(), terms: words[0].len(), stride };
        let computed = block.defs.iter().filter(|def| !matches!(def, Def::Entry(_))).count();
        let expected = (0..sums.count).map(|k| (0..sums.terms).map(|j| k + j * stride).collect::<Vec<_>>());
        let fits = sums.terms <= TERMS.len() && computed == sums.count * (sums.terms - 1);
        (fits && words.into_iter().eq(expected)).then_some(sums)
    }

    /// Before the loop, the loop, and what is after it. The k-th sum is in slot k, and in a register besides if there is one for it.
    pub fn chunks(self, sums: &[(Slot, Option<Reg>)], slots: &Slots) -> [Chunk; 3] {
        let [to, end] = POINTERS;
        let offset = slots.save(sums[0].0, TERMS[0]).imm;
        let below = |d: Reg, imm: i32| Inst { d, n: Reg::SP, imm, ..Inst::new(Row::AddImm) };
        let bytes = 4 * self.count as i32;
        let before = vec![below(to, offset), below(end, offset + bytes)];
        let load =
            |j: usize| Inst { d: TERMS[j], n: ARRAYS[0], imm: 4 * (j * self.stride) as i32, ..Inst::new(Row::LdrImm) };
        let add = |j: usize| Inst { d: TERMS[0], n: TERMS[0], m: TERMS[j], ..Inst::new(Row::EorReg) };
        let step = |row, imm| Inst { d: ARRAYS[0], n: ARRAYS[0], imm, set_flags: true, ..Inst::new(row) };
        let mut pass: Vec<Inst> = (0..self.terms).map(load).chain((1..self.terms).map(add)).collect();
        pass.push(Inst { n: to, list: 1 << TERMS[0].0, mode: Mode::PreIndex, ..Inst::new(Row::Stm) });
        pass.push(step(Row::AddImm, 4));
        pass.push(Inst { n: to, m: end, ..Inst::new(Row::CmpReg) });
        let kept = sums.iter().filter_map(|(slot, reg)| Some(slots.load(*slot, (*reg)?)));
        let after = std::iter::once(step(Row::SubImm, bytes)).chain(kept).collect();
        let chunk = |insts: Vec<Inst>, label: Option<&str>, count| {
            let code = insts.into_iter().map(Placed::from).collect();
            let branch = label.map(|l| (Inst { cond: Cond::Ne, ..Inst::new(Row::B) }, l.to_owned()));
            Chunk { label: label.map(str::to_owned), code, branch, count, aligned: false }
        };
        [chunk(before, None, 1), chunk(pass, Some("sums"), self.count as u32), chunk(after, None, 1)]
    }
}

/// Registers for the words of a sum, and for the address of the next sum and of the end.
const TERMS: [Reg; 5] = [Reg(2), Reg(3), Reg(4), Reg(5), Reg(6)];
const POINTERS: [Reg; 2] = [Reg(7), Reg(12)];

/// The words whose sum, from left to right, a variable is at the end.
fn summands(block: &Block, var: Var, word: &dyn Fn(Var) -> Option<u32>) -> Option<Vec<usize>> {
    let mut value = block.ends.get(&var)?.value;
    let of = |value: usize| match block.defs[value] {
        Def::Entry(var) => word(var).map(|word| word as usize),
        _ => None,
    };
    let mut words = Vec::new();
    while let Def::Xor(a, b) = block.defs[value] {
        if a.rotl != 0 || b.rotl != 0 {
            return None;
        }
        words.push(of(b.value)?);
        value = a.value;
    }
    words.push(of(value)?);
    words.reverse();
    Some(words)
}
