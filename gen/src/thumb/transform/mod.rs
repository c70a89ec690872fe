//! Number-theoretic transforms: loops over the columns and blocks of each pass.
//!
//! All factors stand in a table before the code, in the order in which they are wanted. A pass whose blocks are wide keeps the factors of a
//! block in registers; one whose blocks have a column for each register's worth of coefficients only loads them where they are wanted. Loops are
//! counted in registers that hold something else as well: with the DSP extension in the upper half of the modulus's, since multiplications can
//! take either half, and without it in that of what is added before a shift, which need not be exact.
//!
//! That is for speed; the looped shape is in [`small`].

mod code;
mod small;

use super::V;
use super::assign::{Placed, Slot, Slots};
use super::finish::{self, Chunk};
use super::plantard;
use super::registers::Pool;
use super::schedule::{self, Start};
use crate::compile::{CompileError, Trace};
use crate::function::Function;
use crate::ir::Kernel;
use crate::target::{Abi, Shape, Target};
use crate::transform::{COLUMNS, Pass, Transform, bounds, passes, short};
use code::{Body, Column, Factor, Fixed, Hoist, Lanes, Place};
use isa::thumb::{Cond, Inst, Mode, Op as Row, Reg, Width, encode};
use sim::cycles::{Core, Pipeline, Profile};
use small::Small;

/// Where in the polynomial.
const POLY: Reg = Reg(0);
const FIXED: Fixed = Fixed { table: Reg(1), modulus: Reg(12), rounding: Reg(14) };
/// The factors of a block that are in registers all the time.
const RESIDENT: [Reg; 5] = [Reg(7), Reg(8), Reg(9), Reg(10), Reg(11)];
/// A register that is free between the columns.
const SPARE: Reg = Reg(2);

/// Compiles a transform.
///
/// # Errors
/// If a coefficient could overflow, or a check after a pass fails.
pub fn compile(
    kernel: &Kernel,
    t: &Transform,
    target: Target,
    shape: Shape,
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    let lanes = if target == Target::M3 { Lanes::One } else { Lanes::Two };
    let core = target.thumb_core().ok_or(CompileError::Target { target, abi: Abi::Aapcs })?;
    let (chunks, slots, table) = if shape == Shape::Looped && small::fits(t) {
        let passes = short::passes(t, lanes.coefficients());
        check_bounds(t, &passes)?;
        Small::new(t, core, lanes, &passes).code()?
    } else {
        let passes = passes(t);
        check_bounds(t, &passes)?;
        let mut unit = Unit::new(t, (target, core), lanes, passes);
        (unit.chunks()?, unit.slots, unit.table)
    };
    trace("assign", finish::listings(&chunks));
    let (_, function) = finish::finish(kernel, target, shape, chunks, slots, trace)?;
    Ok(Function { literals: table, ..function })
}

/// Refuses what does not fit 16 bits or the stated bound, and sums of products that would not be reduced exactly.
fn check_bounds(t: &Transform, passes: &[Pass]) -> Result<(), CompileError> {
    let refuse = |what| CompileError::Check { pass: "bounds", what };
    if !plantard::fits(t.modulus, 2) {
        return Err(refuse(format!("sums of two products are not reduced exactly modulo {}", t.modulus)));
    }
    let before = vec![t.bound; t.size as usize];
    let after = bounds::follow(passes, &before, |_| plantard::bound(t.modulus))
        .map_err(|overflow| refuse(overflow.to_string()))?;
    match after.into_iter().max() {
        Some(most) if most > t.bound_after => {
            Err(refuse(format!("coefficients can be {most} at the end, which is more than {}", t.bound_after)))
        }
        _ => Ok(()),
    }
}

/// How a pass goes through the polynomial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Loops {
    /// Columns or blocks in the loop's body.
    each: usize,
    /// How often the body is executed before its factors change, or before it is done.
    count: usize,
}

/// A transform on the way to code.
struct Unit {
    core: Core,
    lanes: Lanes,
    passes: Vec<Pass>,
    size: usize,
    constants: [u32; 2],
    table: Vec<u32>,
    slots: Slots,
    /// Where the table's address waits while it has no register.
    table_slot: Slot,
    /// Where the end of the polynomial's address waits, as the pass with several wide blocks wants it.
    end_slot: Option<Slot>,
    /// The fixed factors of all passes.
    fixed: Vec<(u32, Slot)>,
}

/// How the repetitions of a loop are counted.
struct Counter {
    set: Inst,
    step: Vec<Inst>,
    back: Inst,
}

impl Counter {
    fn of(lanes: Lanes, count: usize) -> Counter {
        let back = |cond| Inst { cond, ..Inst::new(Row::B) };
        let step = |reg, by| Inst { set_flags: true, ..imm(Row::SubImm, reg, reg, by) };
        match lanes {
            // Multiplications take all of a register here, but what is added need not be the same each time.
            Lanes::One => {
                let (counter, last) = (FIXED.rounding, plantard::ROUNDING as i32);
                let compare = Inst { n: counter, imm: last, ..Inst::new(Row::CmpImm) };
                Counter {
                    set: Inst { d: counter, imm: last + count as i32, ..Inst::new(Row::Movw) },
                    step: vec![imm(Row::SubImm, counter, counter, 1), compare],
                    back: back(Cond::Ne),
                }
            }
            Lanes::Two => Counter {
                set: Inst { d: FIXED.modulus, imm: count as i32 - 1, ..Inst::new(Row::Movt) },
                step: vec![step(FIXED.modulus, 1 << 16)],
                back: back(Cond::Pl),
            },
        }
    }
}

/// The branch back over this code: in 32 bits where 16 might not reach, so that it is known beforehand where the next code begins.
fn reaching(branch: Inst, code: &[Placed]) -> Inst {
    const NEAR: u32 = 230;
    let bytes: u32 = code.iter().map(|p| encode(&p.inst, false).map_or(4, |e| e.len)).sum();
    Inst { width: if bytes > NEAR { Width::Wide } else { Width::Any }, ..branch }
}

fn imm(row: Row, d: Reg, n: Reg, imm: usize) -> Inst {
    Inst { d, n, imm: imm as i32, ..Inst::new(row) }
}

impl Unit {
    fn new(t: &Transform, (target, core): (Target, Core), lanes: Lanes, passes: Vec<Pass>) -> Unit {
        let mut slots = Slots::new(if target.has_fpu() { 0xffff } else { 0 }, 0);
        let table_slot = slots.take(false, false);
        let mut fixed: Vec<(u32, Slot)> = Vec::new();
        let mut table = Vec::new();
        for factor in passes.iter().flat_map(|pass| &pass.fixed) {
            if !fixed.iter().any(|(known, _)| known == factor) {
                fixed.push((*factor, slots.take(false, false)));
                table.push(plantard::word(t.modulus, *factor));
            }
        }
        let mut unit = Unit {
            core,
            lanes,
            size: t.size as usize,
            constants: plantard::constants(t.modulus),
            table,
            slots,
            table_slot,
            end_slot: None,
            fixed,
            passes,
        };
        for pass in &unit.passes {
            for block in &pass.factors {
                let order = if unit.wide(pass) { (0..block.len()).collect() } else { order_of_use(pass) };
                unit.table.extend(order.iter().map(|&k| plantard::word(t.modulus, block[k])));
            }
        }
        unit
    }

    /// True if the factors of a block are in registers.
    fn wide(&self, pass: &Pass) -> bool {
        pass.stride > 2
    }

    /// Columns of a block.
    fn columns(&self, pass: &Pass) -> usize {
        pass.stride / self.lanes.coefficients()
    }

    fn loops(&self, pass: &Pass) -> Loops {
        let (all, most) = if self.wide(pass) {
            (self.columns(pass) / pass.columns.len(), COLUMNS as usize)
        } else {
            (pass.factors.len(), 1)
        };
        let each = most.min(all);
        Loops { each, count: all / each }
    }

    fn chunks(&mut self) -> Result<Vec<Chunk>, CompileError> {
        let mut chunks = vec![Chunk { label: None, code: Vec::new(), branch: None, count: 1, aligned: false }];
        let several = self.passes.iter().any(|pass| self.wide(pass) && pass.factors.len() > 1);
        self.end_slot = several.then(|| self.slots.take(false, false));
        let mut at = 0;
        let entry = self.entry();
        straight(&mut chunks).extend(entry);
        for index in 0..self.passes.len() {
            self.pass(index, &mut at, &mut chunks)?;
        }
        Ok(chunks)
    }

    /// Constants, and where the factors are.
    fn entry(&self) -> Vec<Placed> {
        let Fixed { table, modulus, rounding } = FIXED;
        let mut code = vec![Inst { d: table, imm: -4 * self.table.len() as i32, ..Inst::new(Row::Adr) }];
        for (_, slot) in &self.fixed {
            code.push(Inst { mode: Mode::PostIndex, ..imm(Row::LdrImm, SPARE, table, 4) });
            code.push(self.slots.save(*slot, SPARE));
        }
        if let Some(slot) = self.end_slot {
            let wide = self.passes.iter().find(|pass| self.wide(pass) && pass.factors.len() > 1);
            let bias = wide.map_or(0, |pass| self.bias(pass));
            code.push(imm(Row::AddwImm, SPARE, POLY, 2 * self.size + bias));
            code.push(self.slots.save(slot, SPARE));
        }
        code.push(Inst { d: modulus, imm: self.constants[0] as i32, ..Inst::new(Row::Movw) });
        code.push(Inst { d: rounding, imm: self.constants[1] as i32, ..Inst::new(Row::Movw) });
        code.into_iter().map(Placed::from).collect()
    }

    /// The columns of the body: form, which block it is of if the body has several, and how many bytes it is from the first.
    fn offsets(&self, pass: &Pass) -> Vec<(usize, usize, usize)> {
        let Loops { each, .. } = self.loops(pass);
        let (lane, forms) = (self.lanes.bytes(), pass.columns.len());
        if self.wide(pass) {
            let of_form = |form| (0..each).map(move |k| (form, 0, form * 2 * pass.stride / forms + k * lane));
            (0..forms).flat_map(of_form).collect()
        } else {
            let of_block =
                |k| (0..self.columns(pass)).map(move |c| (0, k, 2 * k * pass.rows() * pass.stride + c * lane));
            (0..each).flat_map(of_block).collect()
        }
    }

    /// The polynomial's register points to the first row of the last column, which is stored last.
    fn bias(&self, pass: &Pass) -> usize {
        self.offsets(pass).last().map_or(0, |(_, _, offset)| *offset)
    }

    fn body(&self, pass: &Pass) -> Result<Vec<Placed>, CompileError> {
        let (wide, own, bias) = (self.wide(pass), pass.own_factors(), self.bias(pass) as i32);
        let Loops { each, .. } = self.loops(pass);
        let order = order_of_use(pass);
        let fixed = |k: usize| {
            let slot = self.fixed.iter().find(|(factor, _)| *factor == pass.fixed[k]);
            Factor::Slot(slot.map_or(self.table_slot, |(_, slot)| *slot))
        };
        let row_at = |at: usize| Place { base: POLY, offset: at as i32 - bias };
        let columns = self.offsets(pass).into_iter().map(|(form, block, offset)| {
            let place = |k: usize| 4 * (block * own + order.iter().position(|&o| o == k).unwrap_or(0)) as i32;
            let own_factor = |k: usize| if wide { Factor::Register(RESIDENT[k]) } else { Factor::Table(place(k)) };
            Column {
                block: &pass.columns[form],
                rows: (0..pass.rows()).map(|row| row_at(offset + 2 * row * pass.stride)).collect(),
                factors: (0..own).map(own_factor).chain((0..pass.fixed.len()).map(fixed)).collect(),
            }
        });
        let apart = if wide { self.lanes.bytes() } else { 2 * pass.rows() * pass.stride };
        let taken = [POLY, FIXED.modulus, FIXED.rounding].into_iter();
        let others = if wide { RESIDENT.to_vec() } else { vec![FIXED.table] };
        let taken: Vec<Reg> = taken.chain(others).collect();
        let body = Body {
            lanes: self.lanes,
            fixed: FIXED,
            columns: columns.collect(),
            step: ((each * apart) as i32, (4 * own * each) as i32),
            reciprocal: None,
            slots: &self.slots,
            pool: Pool::new((0..15).map(Reg).filter(|r| *r != Reg::SP && !taken.contains(r)).collect()),
        };
        quicker(self.core, [body.code(Hoist::Near), body.code(Hoist::Far)])
    }

    /// Appends a pass; `at` is how far the polynomial's register is from its beginning, in bytes.
    fn pass(&self, index: usize, at: &mut usize, chunks: &mut Vec<Chunk>) -> Result<(), CompileError> {
        let pass = &self.passes[index];
        let Loops { count, .. } = self.loops(pass);
        let bias = self.bias(pass);
        let (blocks, wide) = (if self.wide(pass) { pass.factors.len() } else { 1 }, self.wide(pass));
        straight(chunks).extend(moved(*at, bias).map(Placed::from));
        let outer = format!("block{index}");
        if blocks > 1 {
            if index == 0 {
                straight(chunks).push(Placed::from(self.slots.save(self.table_slot, FIXED.table)));
            }
            chunks.push(Chunk { label: Some(outer.clone()), code: Vec::new(), branch: None, count: 1, aligned: true });
        }
        let header = straight(chunks);
        if index > 0 || blocks > 1 {
            header.push(Placed::from(self.slots.load(self.table_slot, FIXED.table)));
        }
        if wide {
            let list = RESIDENT.iter().fold(0, |list, reg| list | 1 << reg.0);
            header.push(Placed::from(Inst { n: FIXED.table, list, mode: Mode::PreIndex, ..Inst::new(Row::Ldm) }));
            if index + 1 < self.passes.len() {
                header.push(Placed::from(self.slots.save(self.table_slot, FIXED.table)));
            }
        }
        let mut code = self.body(pass)?;
        if let Some(first) = code.first_mut() {
            first.title = pass.title.clone();
        }
        if count > 1 {
            let counter = Counter::of(self.lanes, count);
            header.push(Placed::from(counter.set));
            code.extend(counter.step.into_iter().map(Placed::from));
            let label = format!("pass{index}");
            let branch = Some((reaching(counter.back, &code), label.clone()));
            chunks.push(Chunk { label: Some(label), code, branch, count: count as u32, aligned: true });
            chunks.push(Chunk { label: None, code: Vec::new(), branch: None, count: 1, aligned: false });
        } else {
            header.extend(code);
        }
        if !wide && index + 1 < self.passes.len() {
            straight(chunks).push(Placed::from(self.slots.save(self.table_slot, FIXED.table)));
        }
        // A whole row has been gone through, or for narrow blocks all of them.
        let (gone, bytes) = if wide {
            (2 * pass.stride / pass.columns.len(), 2 * pass.stride * pass.rows())
        } else {
            (2 * self.size, 0)
        };
        *at = bias + gone;
        if let Some(slot) = self.end_slot.filter(|_| blocks > 1) {
            let tail = straight(chunks);
            tail.push(Placed::from(self.slots.load(slot, SPARE)));
            tail.push(Placed::from(imm(Row::AddwImm, POLY, POLY, bytes - gone)));
            tail.push(Placed::from(Inst { n: POLY, m: SPARE, ..Inst::new(Row::CmpReg) }));
            *at = bias + 2 * self.size;
            // All of the pass is between the branch and where it leads.
            let first = chunks.iter().position(|c| c.label.as_ref() == Some(&outer)).unwrap_or(0);
            let between: Vec<Placed> = chunks[first..].iter().flat_map(|c| c.code.clone()).collect();
            if let Some(last) = chunks.last_mut() {
                last.branch = Some((reaching(Inst { cond: Cond::Ne, ..Inst::new(Row::B) }, &between), outer));
            }
            chunks.push(Chunk { label: None, code: Vec::new(), branch: None, count: 1, aligned: false });
        }
        Ok(())
    }
}

/// Of several forms of a loop's body, the one that takes fewer cycles.
fn quicker<const K: usize>(
    core: Core,
    forms: [Result<Vec<Placed>, CompileError>; K],
) -> Result<Vec<Placed>, CompileError> {
    let start = Start { pipeline: Pipeline::new(core, Profile::Ideal), address: 0, core };
    let back = Inst { cond: Cond::Pl, imm: -4, ..Inst::new(Row::B) };
    let mut best: Option<(u64, Vec<Placed>)> = None;
    for form in forms {
        let code = form?;
        let ordered = schedule::schedule(code.clone(), start, Some(&back), false);
        let cycles = finish::walk(&ordered, start, Some(&back)).pipeline.cycles();
        if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
            best = Some((cycles, code));
        }
    }
    Ok(best.map(|(_, code)| code).unwrap_or_default())
}

/// Moves the polynomial's register.
fn moved(from: usize, to: usize) -> impl Iterator<Item = Inst> {
    let (row, by) = if to >= from { (Row::AddwImm, to - from) } else { (Row::SubwImm, from - to) };
    (by > 0).then(|| imm(row, POLY, POLY, by)).into_iter()
}

fn straight(chunks: &mut [Chunk]) -> &mut Vec<Placed> {
    let last = chunks.len() - 1;
    &mut chunks[last].code
}

/// The factors of a block that are loaded where they are wanted: the last one first, as the table's address moves on with it, then the others
/// as they are used.
fn order_of_use(pass: &Pass) -> Vec<usize> {
    let mut order = Vec::new();
    for op in pass.columns.iter().flat_map(|block| &block.ops) {
        if let crate::transform::Op::Mul(terms) = op {
            for (k, _) in terms.iter().filter(|(k, _)| *k < pass.own_factors()) {
                if !order.contains(k) {
                    order.push(*k);
                }
            }
        }
    }
    if order.len() > 1 {
        order.rotate_right(1);
    }
    order
}
