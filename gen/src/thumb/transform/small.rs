//! Transforms in as few bytes as will do: pairs of layers share their code, and the table has halfwords, of which words are made where they are
//! wanted.
//!
//! Each row of a pair of layers has a register that points to it, so that nothing in the code says how far they are apart. Where the next block
//! begins is where the last row ends. Registers are otherwise as in the larger forms; what has none is in a slot.

use super::code::{Body, Column, Factor, Hoist, Lanes, Place};
use super::{Counter, FIXED, quicker, reaching};
use crate::compile::CompileError;
use crate::thumb::assign::{Placed, Slot, Slots};
use crate::thumb::finish::Chunk;
use crate::thumb::plantard;
use crate::thumb::registers::Pool;
use crate::transform::{Direction, Pass, Transform, short};
use isa::thumb::{Cond, Inst, Mode, Op as Row, Reg, Shift, ShiftKind};
use sim::cycles::Core;

/// Where the rows of a pair are.
const ROWS: [Reg; 4] = [Reg(0), Reg(1), Reg(2), Reg(3)];
/// The factors of a pair, as far as there are registers.
const RESIDENT: [Reg; 3] = [Reg(9), Reg(10), Reg(11)];
/// What is free between columns.
const FREE: [Reg; 5] = [Reg(4), Reg(5), Reg(6), Reg(7), Reg(8)];
/// While one layer is done: what makes words of halfwords, and what is free.
const RECIPROCAL: Reg = Reg(2);
/// How far the rows are apart, wherever that is wanted in a register.
const APART: Reg = Reg(6);
/// Where the code of a pair begins, and that of a block.
const PAIR: &str = "pair";
const BLOCK: &str = "block";
/// With the DSP extension the blocks of a pair are counted from this bit of the modulus's register on, and the columns of a block from this one.
const BLOCK_BIT: u32 = 16;
const COLUMN_BIT: u32 = 24;

/// True if this shape is for a transform: if it has pairs that have all in common, and its columns can be counted.
pub fn fits(t: &Transform) -> bool {
    let columns = t.size / 4 / Lanes::Two.coefficients() as u32;
    short::fits(t) && columns <= 1 << (31 - COLUMN_BIT)
}

/// A transform on the way to code.
pub struct Small<'a> {
    t: &'a Transform,
    core: Core,
    lanes: Lanes,
    passes: &'a [Pass],
    slots: Slots,
    chunks: Vec<Chunk>,
    homes: Homes,
}

/// What waits in slots.
struct Homes {
    /// Where the table is read next.
    table: Slot,
    /// What makes words of halfwords.
    reciprocal: Slot,
    /// How far the rows are apart, in bytes.
    apart: Slot,
    /// The end of the polynomial, where blocks are not counted.
    end: Option<Slot>,
    /// The factor that is the same in all blocks.
    fixed: Option<Slot>,
    /// The factor for which there is no register.
    other: Option<Slot>,
}

fn chunk(label: Option<&str>) -> Chunk {
    let aligned = label.is_some();
    Chunk { label: label.map(str::to_owned), code: Vec::new(), branch: None, count: 1, aligned }
}

fn three(row: Row, d: Reg, n: Reg, m: Reg) -> Inst {
    Inst { d, n, m, ..Inst::new(row) }
}

fn imm(row: Row, d: Reg, n: Reg, imm: i32) -> Inst {
    Inst { d, n, imm, ..Inst::new(row) }
}

/// How far the rows of a pass are apart, in bytes.
fn apart(pass: &Pass) -> i32 {
    2 * pass.stride as i32
}

/// Loads a halfword, and moves on by so many.
fn load_half(d: Reg, table: Reg, count: usize) -> Inst {
    Inst { mode: Mode::PostIndex, ..imm(Row::LdrshImm, d, table, 2 * count as i32) }
}

/// The pairs, and the single layer.
fn split<'a>(t: &Transform, passes: &'a [Pass]) -> (&'a [Pass], &'a Pass) {
    match t.direction {
        Direction::Forward => (&passes[..passes.len() - 1], &passes[passes.len() - 1]),
        Direction::Inverse => (&passes[1..], &passes[0]),
    }
}

impl<'a> Small<'a> {
    /// A transform whose [`short`] passes are these.
    pub fn new(t: &'a Transform, core: Core, lanes: Lanes, passes: &'a [Pass]) -> Small<'a> {
        // None in S registers: moves from and to those take more bytes.
        let mut slots = Slots::new(0, 0);
        let mut take = || slots.take(false, false);
        let pair = split(t, passes).0.first();
        let own = pair.map_or(0, Pass::own_factors);
        let homes = Homes {
            table: take(),
            reciprocal: take(),
            apart: take(),
            end: (lanes == Lanes::One).then(&mut take),
            fixed: pair.filter(|pass| !pass.fixed.is_empty()).map(|_| take()),
            other: (own > RESIDENT.len()).then(&mut take),
        };
        Small { t, core, lanes, passes, slots, chunks: vec![chunk(None)], homes }
    }

    /// The table: first what makes words of halfwords, then the factors in the order in which they are wanted.
    pub fn table(&self) -> Vec<u32> {
        let (pairs, single) = split(self.t, self.passes);
        let of_pairs = pairs.iter().flat_map(|pass| pass.factors.iter().flatten());
        let of_single = single.factors.iter().flatten();
        let fixed = pairs.first().into_iter().flat_map(|pass| &pass.fixed);
        let factors: Vec<&u32> = match self.t.direction {
            Direction::Forward => fixed.chain(of_pairs).chain(of_single).collect(),
            Direction::Inverse => fixed.chain(of_single).chain(of_pairs).collect(),
        };
        let half = |factor: &u32| u32::from(plantard::half(self.t.modulus, *factor) as u16);
        let words = factors.chunks(2).map(|two| half(two[0]) | two.get(1).map_or(0, |two| half(two)) << 16);
        [plantard::inverse(self.t.modulus)].into_iter().chain(words).collect()
    }

    /// All of the code.
    ///
    /// # Errors
    /// If there are too few registers for a column.
    pub fn code(mut self) -> Result<(Vec<Chunk>, Slots, Vec<u32>), CompileError> {
        let table = self.table();
        self.entry(table.len());
        let (pairs, single) = split(self.t, self.passes);
        match self.t.direction {
            Direction::Forward => {
                self.pairs(pairs)?;
                self.single(single)?;
            }
            Direction::Inverse => {
                self.single(single)?;
                let save = self.slots.save(self.homes.table, FIXED.table);
                self.straight([self.rewind(), save]);
                if self.lanes == Lanes::Two {
                    // As pairs find it forward.
                    let clear = Inst { d: FIXED.modulus, ..Inst::new(Row::Movt) };
                    self.straight([clear, self.slots.load(self.homes.apart, APART)]);
                }
                self.pairs(pairs)?;
            }
        }
        Ok((self.chunks, self.slots, table))
    }

    /// Appends straight code.
    fn straight(&mut self, code: impl IntoIterator<Item = Inst>) {
        if let Some(last) = self.chunks.last_mut() {
            last.code.extend(code.into_iter().map(Placed::from));
        }
    }

    /// Constants, and what waits in slots.
    fn entry(&mut self, words: usize) {
        let [table, reciprocal, _, other, _] = FREE;
        let (pairs, _) = split(self.t, self.passes);
        let Homes { reciprocal: slot, apart: distance, end, fixed, .. } = &self.homes;
        let mut code = vec![
            Inst { d: table, imm: -4 * words as i32, ..Inst::new(Row::Adr) },
            Inst { n: table, list: 1 << reciprocal.0, mode: Mode::PreIndex, ..Inst::new(Row::Ldm) },
            self.slots.save(*slot, reciprocal),
        ];
        if let Some(fixed) = fixed {
            code.extend([load_half(other, table, 1), three(Row::Mul, other, other, reciprocal)]);
            code.push(self.slots.save(*fixed, other));
        }
        if let Some(end) = end {
            code.push(imm(Row::AddwImm, other, ROWS[0], 2 * self.t.size as i32));
            code.push(self.slots.save(*end, other));
        }
        code.push(self.slots.save(self.homes.table, table));
        code.push(Inst { d: APART, imm: apart(&pairs[0]), set_flags: true, ..Inst::new(Row::MovImm) });
        code.push(self.slots.save(*distance, APART));
        let [modulus, rounding] = plantard::constants(self.t.modulus);
        code.push(Inst { d: FIXED.modulus, imm: modulus as i32, ..Inst::new(Row::Movw) });
        code.push(Inst { d: FIXED.rounding, imm: rounding as i32, ..Inst::new(Row::Movw) });
        self.straight(code);
    }

    /// The loops over pairs, their blocks and columns.
    fn pairs(&mut self, pairs: &[Pass]) -> Result<(), CompileError> {
        let [.., other, _] = FREE;
        self.chunks.push(Chunk { aligned: false, ..chunk(Some(PAIR)) });
        if self.lanes == Lanes::Two {
            // There are as many blocks as the rows' distance goes into half of the coefficients: both are powers of two, and its bits in
            // reverse order are that number, up to a shift. Counted up from below nothing, the last block makes the number positive.
            let amount = (31 - BLOCK_BIT - (self.t.size / 2).ilog2()) as u8;
            let shift = Shift { kind: ShiftKind::Lsr, amount };
            let blocks = Inst { shift, ..three(Row::SubReg, FIXED.modulus, FIXED.modulus, other) };
            self.straight([Inst { d: other, m: APART, ..Inst::new(Row::Rbit) }, blocks]);
        }
        self.chunks.push(chunk(Some(BLOCK)));
        let header = self.header(&pairs[0]);
        self.straight(header);
        let code = self.columns(&pairs[0])?;
        self.looped("column", code, self.column_counter());
        self.straight([Inst { d: ROWS[0], m: ROWS[3], ..Inst::new(Row::MovReg) }]);
        match self.homes.end {
            Some(end) => {
                let load = self.slots.load(end, other);
                self.straight([load, Inst { n: ROWS[0], m: other, ..Inst::new(Row::CmpReg) }]);
                self.back(BLOCK, Cond::Ne);
            }
            None => {
                let next = imm(Row::AddImm, FIXED.modulus, FIXED.modulus, 1 << BLOCK_BIT);
                self.straight([Inst { set_flags: true, ..next }]);
                self.back(BLOCK, Cond::Mi);
            }
        }
        let last = apart(&pairs[pairs.len() - 1]);
        let (row, kind, after) = match self.t.direction {
            Direction::Forward => (Row::LsrImm, ShiftKind::Lsr, last >> 2),
            Direction::Inverse => (Row::LslImm, ShiftKind::Lsl, last << 2),
        };
        let load = self.slots.load(self.homes.apart, APART);
        let next = Inst { d: APART, m: APART, shift: Shift { kind, amount: 2 }, set_flags: true, ..Inst::new(row) };
        let save = self.slots.save(self.homes.apart, APART);
        let compare = Inst { n: APART, imm: after, ..Inst::new(Row::CmpImm) };
        self.straight([self.rewind(), load, next, save, compare]);
        self.back(PAIR, Cond::Ne);
        Ok(())
    }

    /// How the columns of a block are counted; their number is added in the header.
    fn column_counter(&self) -> Counter {
        let counter = Counter::of(self.lanes, 0);
        match self.lanes {
            Lanes::One => counter,
            Lanes::Two => {
                let next = imm(Row::SubImm, FIXED.modulus, FIXED.modulus, 1 << COLUMN_BIT);
                Counter { step: vec![Inst { set_flags: true, ..next }], ..counter }
            }
        }
    }

    /// Back to the beginning of the polynomial.
    fn rewind(&self) -> Inst {
        imm(Row::SubwImm, ROWS[0], ROWS[0], 2 * self.t.size as i32)
    }

    /// Branches back.
    fn back(&mut self, label: &str, cond: Cond) {
        let first = self.chunks.iter().position(|chunk| chunk.label.as_deref() == Some(label)).unwrap_or(0);
        let between: Vec<Placed> = self.chunks[first..].iter().flat_map(|chunk| chunk.code.clone()).collect();
        if let Some(last) = self.chunks.last_mut() {
            last.branch = Some((reaching(Inst { cond, ..Inst::new(Row::B) }, &between), label.to_owned()));
        }
        self.chunks.push(chunk(None));
    }

    /// Appends a loop, and the beginning of what comes after it.
    fn looped(&mut self, label: &str, mut code: Vec<Placed>, counter: Counter) {
        code.extend(counter.step.into_iter().map(Placed::from));
        let branch = Some((reaching(counter.back, &code), label.to_owned()));
        // How often depends on the block; what is estimated with it only compares orders of instructions.
        self.chunks.push(Chunk { code, branch, count: 8, ..chunk(Some(label)) });
        self.chunks.push(chunk(None));
    }

    /// Where the rows of a block are, its factors, and the number of its columns.
    fn header(&self, pass: &Pass) -> Vec<Inst> {
        let [table, reciprocal, _, other, _] = FREE;
        let Homes { table: at, reciprocal: inverse, apart: distance, other: slot, .. } = &self.homes;
        let factors: Vec<Reg> = RESIDENT.into_iter().chain([other]).take(pass.own_factors()).collect();
        // Loads overlap with loads before them, unless those write the address.
        let mut code =
            vec![self.slots.load(*at, table), self.slots.load(*distance, APART), self.slots.load(*inverse, reciprocal)];
        code.extend((1..factors.len()).map(|k| imm(Row::LdrshImm, factors[k], table, 2 * k as i32)));
        code.push(load_half(factors[0], table, factors.len()));
        let beyond = |k: usize| Inst { set_flags: true, ..three(Row::AddReg, ROWS[k], ROWS[k - 1], APART) };
        code.extend((1..ROWS.len()).map(beyond));
        code.push(self.slots.save(*at, table));
        code.extend(factors.iter().map(|&reg| three(Row::Mul, reg, reg, reciprocal)));
        code.extend(slot.iter().map(|slot| self.slots.save(*slot, other)));
        // A row has as many columns as it has bytes, divided by those of a column.
        let by = self.lanes.bytes().ilog2();
        let count = |counter, kind, amount| Inst {
            shift: Shift { kind, amount },
            ..three(Row::AddReg, counter, counter, APART)
        };
        code.push(match self.lanes {
            Lanes::Two => count(FIXED.modulus, ShiftKind::Lsl, COLUMN_BIT as u8 - by as u8),
            Lanes::One => count(FIXED.rounding, ShiftKind::Lsr, by as u8),
        });
        code
    }

    /// A column of a pair.
    fn columns(&self, pass: &Pass) -> Result<Vec<Placed>, CompileError> {
        let resident = RESIDENT.map(Factor::Register).into_iter();
        let in_slots = self.homes.other.iter().chain(&self.homes.fixed).map(|slot| Factor::Slot(*slot));
        let own = resident.take(pass.own_factors()).chain(in_slots);
        let column = Column {
            block: &pass.columns[0],
            rows: ROWS.iter().map(|&base| Place { base, offset: 0 }).collect(),
            factors: own.collect(),
        };
        self.body(vec![column], [self.lanes.bytes(), 0], FREE.to_vec(), None)
    }

    /// Blocks in the body of the loop over the blocks of one layer: more of them where a block takes as little time as forward in two lanes.
    fn blocks(&self) -> usize {
        match (self.lanes, self.t.direction) {
            (Lanes::Two, Direction::Forward) => 4,
            _ => 2,
        }
    }

    /// The loop over the blocks of one layer.
    fn single(&mut self, pass: &Pass) -> Result<(), CompileError> {
        let blocks = self.blocks();
        let counter = Counter::of(self.lanes, pass.factors.len() / blocks);
        let Homes { table, reciprocal, .. } = &self.homes;
        let loads = [self.slots.load(*table, FIXED.table), self.slots.load(*reciprocal, RECIPROCAL), counter.set];
        self.straight(loads);
        let bytes = 2 * pass.rows() * pass.stride;
        // The first block last: its first row is where the address moves on from.
        let columns = (0..blocks).rev().map(|block| {
            let row = |row: usize| Place { base: ROWS[0], offset: (block * bytes + 2 * row * pass.stride) as i32 };
            Column {
                block: &pass.columns[0],
                rows: (0..pass.rows()).map(row).collect(),
                factors: vec![Factor::Table(2 * block as i32)],
            }
        });
        let step = [blocks * bytes, 2 * blocks];
        let code = self.body(columns.collect(), step, (3..12).map(Reg).collect(), Some(RECIPROCAL))?;
        self.looped("single", code, counter);
        Ok(())
    }

    fn body(
        &self,
        columns: Vec<Column<'_>>,
        step: [usize; 2],
        pool: Vec<Reg>,
        reciprocal: Option<Reg>,
    ) -> Result<Vec<Placed>, CompileError> {
        let title = if reciprocal.is_some() { "one layer" } else { "two layers" };
        let body = Body {
            lanes: self.lanes,
            fixed: FIXED,
            columns,
            step: (step[0] as i32, step[1] as i32),
            reciprocal,
            slots: &self.slots,
            pool: Pool::new(pool),
        };
        let mut code = quicker(self.core, [body.code(Hoist::Near), body.code(Hoist::Far)])?;
        if let Some(first) = code.first_mut() {
            first.title = title.to_owned();
        }
        Ok(code)
    }
}
