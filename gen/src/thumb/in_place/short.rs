//! Short code: 16-bit instructions, constants that share words, and a loop for the sums that are wanted at first.

use super::registers::ARRAYS;
use super::rotate::Rotated;
use super::values::{Block, Def};
use crate::compile::V;
use crate::ir::Var;
use crate::thumb::assign::{Placed, Slot, Slots};
use crate::thumb::finish::Chunk;
use isa::thumb::{Cond, Flags, Inst, Mode, Op as Row, Reg, Shift, encode, modified_constant};

/// Sets flags where a 16-bit instruction does and nobody wants the flags from before.
pub fn narrow(code: &mut [Placed]) {
    let decided = code.iter().rposition(|p| p.inst.flag_effects().1.meets(Flags::NZCV)).unwrap_or(code.len());
    for inst in code[..decided].iter_mut().map(|p| &mut p.inst) {
        if inst.shift != Shift::NONE || !inst.d.is_low() || !inst.n.is_low() || !inst.m.is_low() {
            continue;
        }
        match inst.op {
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

/// Puts the constants of each row in pairs into one word, where no bit is in both: a mask takes them apart. `rows` are rotated as they are wanted.
pub fn share(rows: &mut [Vec<u32>], block: &Block, rotated: &mut Rotated) {
    let union = |k: usize| rows.iter().fold(0, |union, row| union | row[k]);
    let [first, second] = match rows.first().map(Vec::len) {
        Some(2) => [union(0), union(1)],
        _ => return,
    };
    let fits = |by: &u32| first.rotate_left(*by) & second == 0 && modified_constant(first.rotate_left(*by)).is_some();
    let Some(by) = (0..32).find(fits) else { return };
    let mask = first.rotate_left(by) as i32;
    for row in rows.iter_mut() {
        *row = vec![row[0].rotate_left(by) | row[1]];
    }
    for (v, def) in block.defs.iter().enumerate() {
        let Def::Constant(k) = *def else { continue };
        let d = V::of(rotated.var[v]);
        let take = if k == 0 { Row::AndImm } else { Row::BicImm };
        rotated.insts[v][0].imm = 0;
        rotated.insts[v].push(Inst { d, n: d, imm: mask, ..Inst::new(take) });
        let users = rotated.insts.iter_mut().flatten().filter(|inst| k == 0 && inst.m == d);
        users.for_each(|inst| inst.shift = Shift::ror(by));
    }
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
