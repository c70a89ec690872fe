//! Kernels that work on an array in memory: from their steps to a function.
//!
//! Every value is made once, so that the order of steps and the places of words are free; see each pass.

mod homes;
pub mod order;
mod pieces;
mod registers;
mod rotate;
pub mod short;
#[cfg(test)]
mod tests;
mod values;
mod walk;

use super::assign::{Placed, Slot, Slots};
use super::check::{self, Reference};
use super::finish::{self, Chunk};
use super::fold::{self, Folded};
use super::{Group, V};
use crate::compile::{CompileError, Trace};
use crate::function::Function;
use crate::ir::{InPlace, Kernel, Place, Var};
use crate::plan::PlanError;
use crate::target::{Shape, Target};
use crate::unroll::{self, Shaped};
use homes::{Home, Homes};
use isa::thumb::{Cond, Inst, Op as Row, Reg, Width};
use pieces::{Piece, Surroundings};
use registers::{ARRAYS, Act, Segment, Wait};
use rotate::Rotated;
use short::Sums;
use std::collections::{BTreeMap, BTreeSet};
use values::{Block, Def};
use walk::{Lines, Walk, untitled};

/// How often variables wait anew in the registers in which they were at the end of the loop before.
const WAITS: usize = 3;
/// For short code: how long a value stays in a register at most, in lines, to get one that 16-bit instructions can name. All are tried.
const STAYS: std::ops::Range<usize> = 4..40;

/// Compiles a kernel that works in place.
pub fn compile(
    kernel: &Kernel,
    in_place: InPlace,
    target: Target,
    shape: Shape,
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    let shaped = unroll::unroll(&kernel.body, shape)?;
    let unit = Unit::new(kernel, in_place, &shaped, shape == Shape::Looped)?;
    let folded = unit.folded(kernel);
    check::fold(&shaped, &folded, &unit.table)?;
    let rotations = |r: &Rotated| r.rotations.to_string();
    trace("rotations that remain", unit.rotated.iter().map(rotations).collect::<Vec<_>>().join(", "));
    trace("fold", finish::virtual_listing(kernel, &folded));
    let reference = Reference::new(kernel, &folded, &shaped.inputs, &[], &unit.table)?;
    let (chunks, slots) = unit.best(target, &unit.pieces(in_place, target)?)?;
    let (_, function) = finish::finish(kernel, target, shape, chunks, slots, trace)?;
    let function = Function { literals: unit.table, ..function };
    reference.finished(&function)?;
    Ok(function)
}

/// A kernel by its values.
struct Unit {
    /// What is before, in and after the repetitions, each by itself.
    parts: Vec<Block>,
    /// The same in its shape.
    blocks: Vec<Block>,
    homes: Vec<Homes>,
    rotated: Vec<Rotated>,
    /// Variables that go from block to block and are no words of the array.
    carried: Vec<Var>,
    /// Those of them that are in registers meanwhile.
    resting: BTreeSet<Var>,
    /// Each word's variable.
    words: Vec<Var>,
    /// The address of the next constants, and of their end.
    pointers: [Var; 2],
    /// All constants, in the order in which they are wanted.
    table: Vec<u32>,
    /// Bytes of constants for one pass of each block.
    rows: Vec<i32>,
    /// Short code is wanted rather than fast code.
    short: bool,
    /// For short code, if the first block is of that kind.
    sums: Option<Sums>,
}

fn unfit(what: &str) -> CompileError {
    CompileError::Check { pass: "values", what: what.to_owned() }
}

/// Constants of a kernel as fields of a byte for each repetition, if they are so few.
fn packed(forms: &mut [&mut Shaped]) -> Option<Vec<short::Field>> {
    let of = |shaped: &Shaped| shaped.segments.iter().find(|s| !s.constants.is_empty()).map(|s| s.constants.clone());
    let fields = short::fields(&of(forms.first()?)?)?;
    let mut split = Vec::new();
    for segment in forms.iter().flat_map(|shaped| &shaped.segments) {
        split.push(short::split(&segment.steps, &fields)?);
    }
    let segments = forms.iter_mut().flat_map(|shaped| &mut shaped.segments);
    segments.zip(split).for_each(|(segment, steps)| segment.steps = steps);
    Some(fields)
}

/// All constants as they stand before the code, and how many bytes of them one pass of each segment takes.
fn constants(
    segments: &[unroll::Segment],
    blocks: &[Block],
    rotated: &mut [Rotated],
    fields: Option<&[short::Field]>,
) -> (Vec<u32>, Vec<i32>) {
    let (mut table, mut rows) = (Vec::new(), Vec::new());
    for ((segment, block), rotated) in segments.iter().zip(blocks).zip(rotated) {
        if let Some(fields) = fields {
            let bytes = short::pack(&segment.constants, fields, block, rotated);
            let word = |four: &[u8]| four.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            table.extend(bytes.chunks(4).map(word));
            rows.push(1);
        } else {
            let turn = |k: u32| rotated.constants.get(&k).copied().unwrap_or(0);
            let turned = |row: &Vec<u32>| (0..).zip(row).map(|(k, c)| c.rotate_left(turn(k))).collect();
            let constants: Vec<Vec<u32>> = segment.constants.iter().map(turned).collect();
            rows.push(constants.first().map_or(0, |row| 4 * row.len() as i32));
            table.extend(constants.concat());
        }
    }
    (table, rows)
}

impl Unit {
    fn new(kernel: &Kernel, in_place: InPlace, shaped: &Shaped, short: bool) -> Result<Unit, CompileError> {
        let words: Vec<Var> = shaped.inputs.iter().map(|(var, _)| *var).collect();
        let word = |var: Var| words.iter().position(|w| *w == var).map(|k| k as u32);
        let blocks = |shaped: &Shaped| {
            let blocks: Option<Vec<Block>> = shaped.segments.iter().map(|segment| Block::new(segment, &word)).collect();
            blocks.ok_or_else(|| unfit("an operation that a kernel in place cannot have"))
        };
        let mut parts = unroll::unroll(&kernel.body, Shape::Looped)?;
        let mut shaped = shaped.clone();
        let fields = if short { packed(&mut [&mut parts, &mut shaped]) } else { None };
        let (parts, blocks) = (blocks(&parts)?, blocks(&shaped)?);
        let entries = |b: &Block| {
            b.defs.iter().filter_map(|d| if let Def::Entry(v) = d { Some(*v) } else { None }).collect::<BTreeSet<_>>()
        };
        let carried: Vec<Var> = blocks
            .iter()
            .flat_map(entries)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|v| word(*v).is_none())
            .collect();
        let repeated = parts.iter().max_by_key(|block| block.count);
        let resting = repeated.map(|block| pieces::resting(block, &carried)).unwrap_or_default();
        let homes: Vec<Homes> = blocks.iter().map(|block| Homes::new(block, in_place, &word)).collect();
        let mut vars = kernel.vars.len() as u16;
        let pointers = [Var(vars), Var(vars + 1)];
        vars += 2;
        let wanted: Vec<Var> = words.iter().chain(&carried).copied().collect();
        let mut rotated: Vec<Rotated> = Vec::new();
        for block in &blocks {
            let choices = rotate::choose(block, &wanted);
            rotated.push(rotate::rotate(block, &choices, &wanted, &mut vars, pointers[0]));
        }
        let crossings: u32 = blocks.iter().zip(&homes).map(|(b, h)| if h.crossed { b.count } else { 0 }).sum();
        if crossings % 2 == 1 {
            return Err(unfit("an odd number of repetitions would end in the other array"));
        }
        let (table, rows) = constants(&shaped.segments, &blocks, &mut rotated, fields.as_deref());
        let sums = parts.first().filter(|_| short).and_then(|part| Sums::of(part, &carried, &word));
        Ok(Unit { parts, blocks, homes, rotated, carried, resting, words, pointers, table, rows, short, sums })
    }

    /// The address of the constants and, unless code shall be short, that of their end, which are taken at the start.
    fn addresses(&self) -> Vec<Inst<V>> {
        let [at, end] = self.pointers.map(V::of);
        let bytes = 4 * self.table.len() as i32;
        let first = Inst { d: at, imm: -bytes, ..Inst::new(Row::Adr) };
        let last = Inst { d: end, n: at, imm: bytes, ..Inst::new(Row::AddImm) };
        std::iter::once(first).chain((!self.short).then_some(last)).collect()
    }

    /// After each repetition of a loop the address goes on, until it is at the end, where the code begins.
    fn advance(&self, i: usize) -> Vec<Inst<V>> {
        let [at, end] = self.pointers.map(V::of);
        let next = Inst { d: at, n: at, imm: self.rows[i], ..Inst::new(Row::AddImm) };
        let last = Inst { d: end, width: Width::Wide, ..Inst::new(Row::Adr) };
        let compare = Inst { n: at, m: end, ..Inst::new(Row::CmpReg) };
        std::iter::once(next).chain(self.short.then_some(last)).chain([compare]).collect()
    }

    /// The code in the kernel's words: what every later form has to compute.
    fn folded(&self, kernel: &Kernel) -> Vec<Folded> {
        let mut all = Vec::new();
        let group = |title: &str, insts| Group { title: title.to_owned(), insts, touches: Vec::new() };
        for (i, (block, rotated)) in self.blocks.iter().zip(&self.rotated).enumerate() {
            let mut groups = rotated.groups(block);
            if i == 0 {
                groups.insert(0, group("", self.addresses()));
            }
            if block.count > 1 {
                groups.push(group(NEXT, self.advance(i)));
            }
            let copies = self.words.iter().chain(&self.carried).filter_map(|var| {
                let value = rotated.var[block.ends.get(var)?.value];
                (value != *var).then(|| Inst { d: V::of(*var), m: V::of(value), ..Inst::new(Row::MovReg) })
            });
            groups.push(group("", copies.collect()));
            let store = |(var, place): &(Var, Place)| fold::memory(Row::StrImm, *var, *place);
            groups.push(group("", block.stored.iter().map(store).collect()));
            all.push(Folded { count: block.count, groups });
        }
        debug_assert!(all.len() <= kernel.vars.len());
        all
    }

    /// The kernel's parts, each in an order that suits the core.
    fn pieces(&self, in_place: InPlace, target: Target) -> Result<Vec<Piece>, CompileError> {
        let word = |var: Var| self.word(var);
        let around = self.around(in_place, target, &word);
        self.parts.iter().map(|part| Piece::new(part.clone(), around)).collect()
    }

    fn around<'a>(
        &'a self,
        in_place: InPlace,
        target: Target,
        word: &'a dyn Fn(Var) -> Option<u32>,
    ) -> Surroundings<'a> {
        Surroundings {
            in_place,
            word,
            carried: &self.carried,
            resting: &self.resting,
            fast_slots: target.has_fpu() && !self.short,
            registers: registers::registers(self.arrays()).count() as u32,
            short: self.short,
        }
    }

    /// Which word of the array a variable stands for.
    fn word(&self, var: Var) -> Option<u32> {
        self.words.iter().position(|w| *w == var).map(|k| k as u32)
    }

    fn arrays(&self) -> usize {
        if self.homes.iter().any(Homes::two) { 2 } else { 1 }
    }

    /// What is done in each block.
    fn lines(&self, pieces: &[Piece]) -> Vec<Lines> {
        let mut left: Vec<u32> = pieces.iter().map(|piece| piece.block.count).collect();
        if self.sums.is_some() {
            left[0] = 0;
        }
        let mut all = Vec::new();
        for (i, (block, rotated)) in self.blocks.iter().zip(&self.rotated).enumerate() {
            let [at, end] = self.pointers;
            let mut acts = Vec::new();
            if i == 0 {
                acts.extend(self.addresses().into_iter().map(Act::Run).chain([Act::Save(at)]));
                acts.extend((!self.short).then_some(Act::Save(end)));
            }
            let mut lines = untitled(acts);
            let mut walk = Walk::new(block, rotated, &self.carried, at);
            walk.becomes.insert(at, at);
            while walk.step < block.steps.len() && (i > 0 || self.sums.is_none()) {
                let Some(k) = left.iter().position(|&left| left > 0) else { break };
                walk.piece(&pieces[k], &mut lines);
                left[k] -= block.count.min(left[k]);
            }
            if block.count > 1 {
                let loads = std::iter::once(Act::Load(at)).chain((!self.short).then_some(Act::Load(end)));
                let next = self.advance(i).into_iter().map(Act::Run);
                lines.extend(untitled(loads.chain(next).chain([Act::Save(at)])));
            }
            all.push(Lines { lines, becomes: walk.becomes });
        }
        all
    }

    /// The fastest or shortest code found, not scheduled yet.
    fn best(&self, target: Target, pieces: &[Piece]) -> Result<(Vec<Chunk>, Slots), CompileError> {
        let lines = self.lines(pieces);
        let mut best: Option<(u64, Vec<Chunk>, Slots)> = None;
        let tastes: Vec<Option<usize>> = if self.short { STAYS.map(Some).collect() } else { vec![None] };
        for taste in tastes {
            let mut waits: BTreeMap<Var, Reg> =
                self.resting.iter().copied().zip(registers::registers(self.arrays())).collect();
            for _ in 0..WAITS {
                let (mut chunks, slots, rest) = self.place(target, &lines, &waits, taste);
                chunks.iter_mut().for_each(|chunk| short::narrow(&mut chunk.code));
                let rating = if self.short { short::bytes(&chunks) } else { finish::estimate(&chunks, target)? };
                if best.as_ref().is_none_or(|b| rating < b.0) {
                    best = Some((rating, chunks, slots));
                }
                waits = rest;
            }
        }
        best.map(|(_, chunks, slots)| (chunks, slots)).ok_or(PlanError::None.into())
    }

    /// The code of all blocks with registers.
    fn place(
        &self,
        target: Target,
        lines: &[Lines],
        in_registers: &BTreeMap<Var, Reg>,
        taste: Option<usize>,
    ) -> (Vec<Chunk>, Slots, BTreeMap<Var, Reg>) {
        let two = self.arrays() == 2;
        let array_bytes = 4 * self.words.len() as u32;
        let mut slots =
            Slots::new(if target.has_fpu() && !self.short { 0xffff } else { 0 }, if two { array_bytes } else { 0 });
        let looping = self.blocks.iter().any(|b| b.count > 1);
        // The address of the next constants is wanted often, that of their end once in a pass.
        let [at, end] = self.pointers;
        let mut waits = BTreeMap::from([(at, Wait::Slot(slots.take_apart()))]);
        if looping && !self.short {
            waits.insert(end, Wait::Slot(slots.take_frame()));
        }
        // Sums are made in a row of slots, from which those that rest in registers go on.
        let mut made: Vec<(Slot, Option<Reg>)> = Vec::new();
        for var in &self.carried {
            let reg = in_registers.get(var).copied();
            if self.sums.is_some() {
                made.push((slots.take_frame(), reg));
            }
            let slot = || made.last().map(|made| made.0).filter(|_| self.sums.is_some());
            let wait = match reg {
                Some(reg) => Wait::Reg(reg),
                None => Wait::Slot(slot().unwrap_or_else(|| slots.take(false, false))),
            };
            waits.insert(*var, wait);
        }
        made.iter().filter(|(_, reg)| reg.is_some()).for_each(|(slot, _)| slots.give_back(*slot));
        let mut rest_in_loop = BTreeMap::new();
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut before = BTreeMap::new();
        for (i, lines) in lines.iter().enumerate() {
            let last = i + 1 == self.blocks.len();
            let mut after = if last { BTreeMap::new() } else { waits.clone() };
            let sums = self.sums.filter(|_| i == 0);
            if sums.is_some() {
                after.retain(|var, _| self.pointers.contains(var));
            }
            let (code, rest) = self.allocate(i, lines, (&before, &after), taste, &mut slots);
            before = if sums.is_some() { waits.clone() } else { after };
            let count = self.blocks[i].count;
            if count > 1 {
                rest_in_loop = rest.into_iter().filter(|(var, _)| self.carried.contains(var)).collect();
            }
            let label = (count > 1).then(|| format!("loop{i}"));
            let branch = label.clone().map(|l| (Inst { cond: Cond::Ne, ..Inst::new(Row::B) }, l));
            chunks.push(Chunk { aligned: label.is_some(), label, code, branch, count });
            chunks.extend(sums.into_iter().flat_map(|sums| sums.chunks(&made, &slots)));
        }
        if let Some(first) = chunks.first_mut().filter(|_| two) {
            let other = Inst { d: ARRAYS[1], m: Reg::SP, ..Inst::new(Row::MovReg) };
            first.code.insert(0, other.into());
        }
        (chunks, slots, rest_in_loop)
    }

    fn allocate(
        &self,
        i: usize,
        Lines { lines, becomes }: &Lines,
        (before, after): (&BTreeMap<Var, Wait>, &BTreeMap<Var, Wait>),
        taste: Option<usize>,
        slots: &mut Slots,
    ) -> (Vec<Placed>, BTreeMap<Var, Reg>) {
        let (block, rotated) = (&self.blocks[i], &self.rotated[i]);
        let homes: BTreeMap<Var, Home> = self.homes[i].of.iter().map(|(&v, &home)| (rotated.var[v], home)).collect();
        let value = |var: &Var| block.ends.get(var).map_or(*var, |end| rotated.var[end.value]);
        let ends = after.keys().map(|var| (*var, value(var))).collect();
        let segment =
            Segment { lines, homes: &homes, ends: &ends, before, after, becomes, arrays: self.arrays(), short: taste };
        let (mut code, rest) = registers::allocate(&segment, slots);
        if self.homes[i].crossed {
            let held = |r: Reg| after.values().any(|w| *w == Wait::Reg(r));
            let free = (2..13).map(Reg).find(|&r| !held(r)).unwrap_or(Reg::LR);
            let moves = [(free, ARRAYS[0]), (ARRAYS[0], ARRAYS[1]), (ARRAYS[1], free)];
            code.extend(moves.map(|(d, m)| Placed::from(Inst { d, m, ..Inst::new(Row::MovReg) })));
        }
        (code, rest)
    }
}

/// The title of what is done at the end of a loop.
const NEXT: &str = "next constants";
