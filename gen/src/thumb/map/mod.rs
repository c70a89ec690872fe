//! Kernels that do the same with each group of elements: a loop whose body does one or more groups.
//!
//! All factors stand in a table before the code, group after group. A number of groups that is known is counted by comparing an address
//! with where it ends; for one that the caller gives there are two loops, the second of which does one group at a time.

mod change;
mod code;
mod exchange;
mod fractions;
mod memory;
mod narrow;
mod noise;

use super::assign::{Placed, Slots};
use super::finish::{self, Chunk};
use super::in_place::short;
use super::plantard;
use super::registers::Pool;
use crate::compile::{CompileError, Trace};
use crate::function::Function;
use crate::ir::Kernel;
use crate::map::bounds::{self, Reductions};
use crate::map::{GROUPS, Groups, Map};
use crate::target::{Shape, Target};
use code::{Body, Constant, Lanes, Loads, Made, Taste, Walk};
use isa::thumb::{Cond, Inst, Op as Row, Reg, Shift, ShiftKind, Width, modified_constant};
use std::collections::BTreeMap;

/// A body with more groups pays if it takes at least one part in this fewer cycles.
const WORTH: u64 = 50;
/// So many bytes of an array at most are gone through in a body that is as long as pays.
const BODY_BYTES: usize = 128;
/// Of so many forms the order is looked at more closely.
const TRIED: usize = 3;
/// Registers that only 32-bit pushes name.
const WIDE_PUSHES: std::ops::RangeInclusive<u8> = 8..=11;
/// Parameters are in the first registers.
const PARAMS: usize = 4;
/// Addresses move in one instruction by less than this.
const STEP_MAX: usize = 255;

/// Compiles a map.
///
/// # Errors
/// If a value could get too large, there are too few registers, or a check after a pass fails.
pub fn compile(kernel: &Kernel, target: Target, shape: Shape, trace: Trace<'_>) -> Result<Function, CompileError> {
    let short = shape == Shape::Looped;
    let mut best: Option<(Candidate, Vec<u32>)> = None;
    for (map, lanes) in forms(kernel, target, shape) {
        if map.wants_dsp() && lanes == Lanes::One {
            return Err(CompileError::Extension { kernel: kernel.name.clone(), target });
        }
        check_bounds(map, lanes)?;
        check_piece(map)?;
        let unit = Unit { map, lanes, target, params: kernel.interface.params.len(), short };
        let (least, most) = match shape {
            Shape::Looped => (1, 1),
            Shape::By(groups) => (groups.get(), groups.get()),
            Shape::Unrolled => (1, GROUPS.min((BODY_BYTES / unit.largest_group()).max(1) as u32)),
        };
        let doubled = std::iter::successors(Some(least as usize), |groups| Some(2 * groups));
        for groups in doubled.take_while(|groups| *groups <= most as usize && unit.divides(*groups)) {
            let Some(candidate) = unit.best(groups)? else { break };
            if best.as_ref().is_none_or(|(b, _)| candidate.is_better(b, short)) {
                best = Some((candidate, unit.table()));
            }
        }
    }
    let refuse = || CompileError::Check { pass: "registers", what: "there are too few for a group".to_owned() };
    let (Candidate { chunks, slots, .. }, literals) = best.ok_or_else(refuse)?;
    trace("assign", finish::listings(&chunks));
    let (_, function) = finish::finish(kernel, target, shape, chunks, slots, trace)?;
    Ok(Function { literals, ..function })
}

/// What can be made into code, and with how many coefficients in a register: short code may be made of one where nothing is computed with them.
fn forms(kernel: &Kernel, target: Target, shape: Shape) -> Vec<(&Map, Lanes)> {
    let all = kernel.small_groups.iter().chain(&kernel.map);
    let maps: Vec<&Map> = if shape == Shape::Unrolled { all.collect() } else { all.take(1).collect() };
    let of_map = |map: &Map| match (target, shape) {
        (Target::M3, _) => vec![Lanes::One],
        (_, Shape::Looped) if map.is_of_bits() => vec![Lanes::Two, Lanes::One],
        _ => vec![Lanes::Two],
    };
    maps.into_iter().flat_map(|map| of_map(map).into_iter().map(move |lanes| (map, lanes))).collect()
}

/// Refuses what could overflow or is not reduced exactly.
fn check_bounds(map: &Map, lanes: Lanes) -> Result<(), CompileError> {
    let refuse = |what| CompileError::Check { pass: "bounds", what };
    if !map.factors.is_empty() && !plantard::fits(map.modulus, 1) {
        return Err(refuse(format!("products are not reduced exactly modulo {}", map.modulus)));
    }
    if map.wants_dsp() && !fractions::fits(map.modulus, map.compressed_bits()) {
        return Err(refuse(format!("fractions are not exact enough modulo {}", map.modulus)));
    }
    let product = i64::from(plantard::bound(map.modulus));
    let remainder = if lanes == Lanes::One { |modulus, _| plantard::bound(modulus).into() } else { remainder_bound };
    let reductions = Reductions { sums: plantard::sums(map.modulus), product, remainder };
    bounds::check(map, &reductions).map_err(|excess| refuse(excess.to_string()))
}

/// Refuses pieces whose number a shift does not make an offset of.
fn check_piece(map: &Map) -> Result<(), CompileError> {
    let Groups::Piece { groups, .. } = map.groups else { return Ok(()) };
    let factors = map.factors.first().map(|factors| 4 * factors.len() as u32);
    let bytes = map.arrays.iter().filter(|array| array.whole).map(|array| array.bytes).chain(factors);
    match bytes.map(|bytes| bytes * groups).find(|bytes| !bytes.is_power_of_two()) {
        None => Ok(()),
        Some(bytes) => Err(CompileError::Check { pass: "pieces", what: format!("{bytes} bytes are no power of two") }),
    }
}

/// 2^32 divided by the modulus, rounded.
fn reciprocal(modulus: u32) -> u32 {
    (((1u64 << 32) + u64::from(modulus / 2)) / u64::from(modulus)) as u32
}

/// What is left of a sum when the modulus is subtracted as often as its product with the reciprocal says: half the modulus, and what the
/// rounding of the reciprocal makes of the sum.
fn remainder_bound(modulus: u32, sum: i64) -> i64 {
    let q = i64::from(modulus);
    let error = (i64::from(reciprocal(modulus)) * q - (1 << 32)).abs();
    (q + 1) / 2 + ((sum * error) >> 32) + 1
}

/// A form of the function, not scheduled yet.
struct Candidate {
    cycles: u64,
    bytes: u64,
    chunks: Vec<Chunk>,
    slots: Slots,
}

impl Candidate {
    /// True if it is cheaper than the other one, where short code is wanted, or else so much faster that it may be larger.
    fn is_better(&self, other: &Candidate, short: bool) -> bool {
        if short { self.price() < other.price() } else { self.cycles + other.cycles / WORTH < other.cycles }
    }

    /// For short code: what is two parts in a hundred shorter may be one part slower.
    fn price(&self) -> u64 {
        self.bytes * self.cycles * self.cycles
    }
}

/// A map on the way to code.
struct Unit<'a> {
    map: &'a Map,
    lanes: Lanes,
    target: Target,
    params: usize,
    /// The code has to be short.
    short: bool,
}

/// Where everything is that stays where it is.
struct Layout {
    /// Each array, then the table of factors.
    walks: Vec<Walk>,
    constants: BTreeMap<Constant, Reg>,
    free: Vec<Reg>,
}

fn imm(row: Row, d: Reg, n: Reg, imm: usize) -> Inst {
    Inst { d, n, imm: imm as i32, ..Inst::new(row) }
}

fn straight(code: Vec<Inst>) -> Chunk {
    Chunk { label: None, code: code.into_iter().map(Placed::from).collect(), branch: None, count: 1, aligned: false }
}

fn branch(cond: Cond, label: &str) -> Option<(Inst, String)> {
    Some((Inst { cond, width: Width::Wide, ..Inst::new(Row::B) }, label.to_owned()))
}

/// Branches are as short as they can be.
fn shorten(chunk: &mut Chunk) {
    chunk.branch.iter_mut().for_each(|(inst, _)| inst.width = Width::Any);
    narrow::narrow(chunk);
}

impl Unit<'_> {
    /// The words of all factors.
    fn table(&self) -> Vec<u32> {
        let factors = self.map.factors.iter().flatten();
        factors.map(|&factor| plantard::word(self.map.modulus, factor)).collect()
    }

    /// Bytes of a group of the array that has the most.
    fn largest_group(&self) -> usize {
        self.map.arrays.iter().map(|array| array.bytes as usize).max().unwrap_or(1).max(1)
    }

    /// True if a body can do so many groups.
    fn divides(&self, groups: usize) -> bool {
        match self.map.groups {
            Groups::Fixed(all) | Groups::Piece { groups: all, .. } => (all as usize).is_multiple_of(groups),
            Groups::Given { .. } => true,
        }
    }

    /// The fastest form with so many groups, or the cheapest if it has to be short, if there is one at all.
    fn best(&self, groups: usize) -> Result<Option<Candidate>, CompileError> {
        let mut all: Vec<Candidate> = Vec::new();
        for loads in [Loads::Wanted, Loads::Described, Loads::Ahead(1), Loads::Ahead(2), Loads::Ahead(4)] {
            for (late, post, slot, few) in (0..16).map(|k| (k & 1 == 1, k & 2 == 2, k & 4 == 4, k & 8 == 8)) {
                let taste = Taste { loads, late, post, low: self.short, few };
                if matches!(loads, Loads::Ahead(batch) if batch > groups)
                    || post && self.walks_too_far(groups)
                    || few && !self.short
                {
                    continue;
                }
                all.extend(self.form(groups, taste, slot)?);
            }
        }
        for candidate in &mut all {
            candidate.cycles = finish::estimate(&candidate.chunks, self.target)?;
            candidate.bytes = short::bytes(&candidate.chunks);
        }
        let rank = |candidate: &Candidate| if self.short { candidate.price() } else { candidate.cycles };
        all.sort_by_key(rank);
        if self.short {
            all.dedup_by_key(|candidate| (candidate.cycles, candidate.bytes));
        }
        all.truncate(TRIED);
        for candidate in &mut all {
            let mut ordered = candidate.chunks.clone();
            candidate.cycles = finish::order(&mut ordered, self.target)?;
            candidate.bytes = short::bytes(&ordered);
        }
        Ok(all.into_iter().min_by_key(rank))
    }

    /// Moves to and from single-precision registers are longer than pushes and pops.
    fn slots(&self) -> Slots {
        Slots::new(if self.target.has_fpu() && !self.short { 0xffff } else { 0 }, 0)
    }

    fn walks_too_far(&self, groups: usize) -> bool {
        self.map.arrays.iter().any(|array| array.bytes as usize * groups > STEP_MAX)
    }

    /// Which registers hold what stays: parameters where they are, everything else from the top.
    fn layout(&self, few: bool) -> Layout {
        let usable = |r: &Reg| *r != Reg::SP && (!few || !WIDE_PUSHES.contains(&r.0));
        let mut free: Vec<Reg> = (self.params.min(PARAMS)..15).map(|r| Reg(r as u8)).filter(usable).collect();
        if let Groups::Piece { param, .. } = self.map.groups {
            // What the addresses have moved by is of no further use.
            free.insert(0, Reg(param as u8));
        }
        let mut top = || free.pop().unwrap_or_default();
        let mut walks: Vec<Walk> = Vec::new();
        for (k, array) in self.map.arrays.iter().enumerate() {
            let first = !self.map.arrays[..k].iter().any(|before| before.param == array.param);
            let reg = if first { Reg(array.param as u8) } else { top() };
            walks.push(Walk { reg, bytes: array.bytes });
        }
        if let Some(factors) = self.map.factors.first() {
            walks.push(Walk { reg: top(), bytes: 4 * factors.len() as u32 });
        }
        let constants = code::constants(self.map, self.lanes).into_iter().map(|constant| (constant, top())).collect();
        Layout { walks, constants, free }
    }

    fn constant(&self, constant: Constant) -> u32 {
        let q = self.map.modulus;
        match constant {
            Constant::Modulus if self.map.negates() && self.lanes == Lanes::Two => q | q.wrapping_neg() << 16,
            Constant::Modulus => q,
            Constant::Rounding => plantard::ROUNDING,
            Constant::Inverse => plantard::inverse(q),
            // A reduction has multiplied by -2^-32.
            Constant::Correction => plantard::word(q, (-(1i64 << 32)).rem_euclid(q.into()) as u32),
            Constant::Reciprocal => reciprocal(q),
            Constant::Fraction => fractions::factor(q),
            Constant::Half => fractions::half(self.map.compressed_bits()),
            Constant::Number(number) => i32::from(number).cast_unsigned(),
            Constant::Word(word) => word,
        }
    }

    /// Moves the addresses of whole arrays and of factors to the piece.
    fn to_piece(&self, layout: &Layout, groups: u32, piece: Reg) -> Vec<Inst> {
        let whole = self.map.arrays.iter().map(|array| array.whole).chain([true]);
        let moved = layout.walks.iter().zip(whole).filter(|(_, whole)| *whole);
        let shift = |walk: &Walk| Shift { kind: ShiftKind::Lsl, amount: (walk.bytes * groups).ilog2() as u8 };
        moved
            .map(|(walk, _)| Inst { d: walk.reg, n: walk.reg, m: piece, shift: shift(walk), ..Inst::new(Row::AddReg) })
            .collect()
    }

    /// What comes before the loops.
    fn entry(&self, layout: &Layout) -> Vec<Inst> {
        let mut code = Vec::new();
        for (array, walk) in self.map.arrays.iter().zip(&layout.walks) {
            let param = Reg(array.param as u8);
            if walk.reg != param {
                code.push(Inst { d: walk.reg, m: param, ..Inst::new(Row::MovReg) });
            }
        }
        if let Some(table) = layout.walks.get(self.map.arrays.len()) {
            code.push(Inst { d: table.reg, imm: -4 * self.table().len() as i32, ..Inst::new(Row::Adr) });
        }
        if let Groups::Piece { groups, param } = self.map.groups {
            code.extend(self.to_piece(layout, groups, Reg(param as u8)));
        }
        for (&constant, &d) in &layout.constants {
            let value = self.constant(constant);
            let modified = modified_constant(value).is_some() && (value >> 16 != 0 || self.short);
            let row = if modified { Row::MovImm } else { Row::Movw };
            let imm = if modified { value } else { value & 0xffff };
            code.push(Inst { d, imm: imm.cast_signed(), ..Inst::new(row) });
            if value >> 16 != 0 && !modified {
                code.push(Inst { d, imm: (value >> 16) as i32, ..Inst::new(Row::Movt) });
            }
        }
        code
    }

    /// The function in a form, if there are registers for it. With `slot` the end of the loop waits in a slot.
    fn form(&self, groups: usize, taste: Taste, slot: bool) -> Result<Option<Candidate>, CompileError> {
        let layout = self.layout(taste.few);
        let made = match self.map.groups {
            Groups::Fixed(all) | Groups::Piece { groups: all, .. } => {
                self.counted(layout, (all as usize, groups), taste, slot)
            }
            Groups::Given { param, usual } if !slot => self.given(layout, (Reg(param as u8), usual), groups, taste),
            Groups::Given { .. } => return Ok(None),
        };
        match made {
            Ok((mut chunks, slots)) => {
                chunks.iter_mut().filter(|_| self.short).for_each(shorten);
                Ok(Some(Candidate { cycles: 0, bytes: 0, chunks, slots }))
            }
            Err(CompileError::Check { pass: "registers", .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn body(&self, layout: &Layout, groups: usize, taste: Taste, free: &[Reg]) -> Result<Made, CompileError> {
        let (walks, constants) = (layout.walks.clone(), layout.constants.clone());
        let pool = Pool { free: free.to_vec(), low: taste.low };
        Body { map: self.map, lanes: self.lanes, groups, taste, walks, constants, pool }.code()
    }

    /// A loop over a number of groups that is known: it ends when the first array does.
    fn counted(
        &self,
        layout: Layout,
        (all, groups): (usize, usize),
        taste: Taste,
        slot: bool,
    ) -> Result<(Vec<Chunk>, Slots), CompileError> {
        let mut slots = self.slots();
        let mut free = layout.free.clone();
        let waits = slot.then(|| slots.take(false, false));
        // A register that is free again when all groups of the body are done, or one that is not used for anything else.
        let end = if slot { free.first().copied() } else { free.pop() }.unwrap_or_default();
        let Made { mut code, bias } = self.body(&layout, groups, taste, &free)?;
        let mut entry = self.entry(&layout);
        entry.extend(moved(&layout, &bias));
        let first = layout.walks[0];
        entry.push(imm(Row::AddwImm, end, first.reg, first.bytes as usize * all));
        if let Some(waits) = waits {
            entry.push(slots.save(waits, end));
            code.push(Placed::from(slots.load(waits, end)));
        }
        code.push(Placed::from(Inst { n: first.reg, m: end, ..Inst::new(Row::CmpReg) }));
        let count = (all / groups) as u32;
        let label = "groups".to_owned();
        let body = Chunk { label: Some(label.clone()), code, branch: branch(Cond::Ne, &label), count, aligned: true };
        Ok((vec![straight(entry), body, straight(Vec::new())], slots))
    }

    /// Loops over as many groups as the caller says: bodies of so many while there are as many left, then one by one.
    fn given(
        &self,
        layout: Layout,
        (count, usual): (Reg, u32),
        groups: usize,
        taste: Taste,
    ) -> Result<(Vec<Chunk>, Slots), CompileError> {
        let slots = self.slots();
        let step = |row, by| Inst { set_flags: true, ..imm(row, count, count, by) };
        let loads = if let Loads::Ahead(_) = taste.loads { Loads::Ahead(1) } else { taste.loads };
        let single = Taste { loads, ..taste };
        let compare = Inst { n: count, imm: 0, ..Inst::new(Row::CmpImm) };
        let mut chunks = vec![straight(self.entry(&layout))];
        let mut bias = vec![0; layout.walks.len()];
        if groups > 1 {
            let Made { mut code, bias: several } = self.body(&layout, groups, taste, &layout.free)?;
            bias = several;
            code.push(Placed::from(step(Row::SubImm, groups)));
            chunks[0].code.extend(moved(&layout, &bias).map(Placed::from));
            chunks[0].code.push(Placed::from(step(Row::SubImm, groups)));
            chunks[0].branch = branch(Cond::Cc, "rest");
            let (label, count) = (Some("groups".to_owned()), usual / groups as u32);
            chunks.push(Chunk { label, code, branch: branch(Cond::Cs, "groups"), count, aligned: true });
        }
        let Made { mut code, bias: one } = self.body(&layout, 1, single, &layout.free)?;
        let back =
            layout.walks.iter().zip(bias.iter().zip(&one)).filter_map(|(walk, (&from, &to))| shift(walk, from, to));
        let mut before = straight(back.collect());
        if groups > 1 {
            before.label = Some("rest".to_owned());
            before.code.push(Placed::from(step(Row::AddImm, groups)));
        } else {
            before.code.push(Placed::from(compare));
        }
        before.branch = branch(Cond::Eq, "done");
        chunks.push(before);
        code.push(Placed::from(step(Row::SubImm, 1)));
        let label = Some("group".to_owned());
        let rest = usual % groups as u32 + if groups == 1 { usual } else { 0 };
        chunks.push(Chunk { label, code, branch: branch(Cond::Ne, "group"), count: rest, aligned: true });
        chunks.push(Chunk { label: Some("done".to_owned()), ..straight(Vec::new()) });
        Ok((chunks, slots))
    }
}

/// Moves addresses to where the body wants them.
fn moved(layout: &Layout, bias: &[u32]) -> impl Iterator<Item = Inst> {
    layout.walks.iter().zip(bias).filter_map(|(walk, &to)| shift(walk, 0, to))
}

fn shift(walk: &Walk, from: u32, to: u32) -> Option<Inst> {
    let (row, by) = if to >= from { (Row::AddwImm, to - from) } else { (Row::SubwImm, from - to) };
    (by > 0).then(|| imm(row, walk.reg, walk.reg, by as usize))
}
