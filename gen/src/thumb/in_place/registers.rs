//! Real registers and slots for a block whose order is found. Wherever a value is in a register has been decided, so that each stretch takes a free
//! register and there is one.

use super::homes::Home;
use crate::compile::V;
use crate::ir::Var;
use crate::problem::Operands;
use crate::thumb::assign::{Placed, Slot, Slots, swaps};
use isa::thumb::{Access, Inst, Op as Row, Reg, Shift};
use std::collections::{BTreeMap, BTreeSet};

/// The address of the array, and of the other one.
pub const ARRAYS: [Reg; 2] = [Reg(0), Reg(1)];

/// Registers for values, beside those that hold the addresses of so many arrays.
pub fn registers(arrays: usize) -> impl Iterator<Item = Reg> {
    (arrays as u8..13).chain([14]).map(Reg)
}

/// Where a variable waits between blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wait {
    /// In a register.
    Reg(Reg),
    /// In a slot.
    Slot(Slot),
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// An instruction.
    Run(Inst<V>),
    /// A word is loaded from its place, another variable from its slot.
    Load(Var),
    /// Into its slot.
    Save(Var),
    /// A word goes to its place.
    Store(Var),
}

/// With the title of the step that begins there, or without.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// What is done.
    pub act: Act,
    /// For the reader.
    pub title: String,
}

impl Act {
    /// Variables read and written.
    fn touched(&self) -> (Vec<Var>, Vec<Var>) {
        match self {
            Act::Run(inst) => inst.touched(),
            Act::Load(var) => (Vec::new(), vec![*var]),
            Act::Save(var) | Act::Store(var) => (vec![*var], Vec::new()),
        }
    }
}

/// What registers are wanted for.
pub struct Segment<'a> {
    /// In order.
    pub lines: &'a [Line],
    /// Variables that are words of the array, at first or once they are made.
    pub homes: &'a BTreeMap<Var, Home>,
    /// For each variable that is wanted afterwards the one that has its value then; words are not among them.
    pub ends: &'a BTreeMap<Var, Var>,
    /// Where those variables wait before.
    pub before: &'a BTreeMap<Var, Wait>,
    /// Where they shall wait afterwards.
    pub after: &'a BTreeMap<Var, Wait>,
    /// Values that sooner or later are those of such variables: they take the same slots.
    pub becomes: &'a BTreeMap<Var, Var>,
    /// Registers that hold addresses of arrays.
    pub arrays: usize,
    /// If short code is wanted: what stays in its register for at most so many lines gets one that 16-bit instructions can name, if there is one.
    pub short: Option<usize>,
}

/// Code, and the registers in which variables were that are wanted afterwards, before they were moved to where they shall wait.
pub type Allocated = (Vec<Placed>, BTreeMap<Var, Reg>);

/// Gives registers and slots to a block.
pub fn allocate(segment: &Segment<'_>, slots: &mut Slots) -> Allocated {
    let Uses { last, until } = uses(segment);
    let mut a = Allocator {
        segment,
        last,
        until,
        wishes: wishes(segment),
        slots,
        reg: BTreeMap::new(),
        slot: BTreeMap::new(),
        freed: [0; 16],
        code: Vec::new(),
    };
    for (var, wait) in segment.before {
        match *wait {
            Wait::Reg(reg) => _ = a.reg.insert(*var, reg),
            Wait::Slot(slot) => {
                a.slot.insert(*var, slot);
                a.slots.hold(slot);
            }
        }
    }
    for (at, line) in segment.lines.iter().enumerate() {
        a.line(at, line);
    }
    let rest = segment.ends.iter().filter_map(|(end, value)| Some((*end, *a.reg.get(value)?))).collect();
    a.finish();
    (a.code, rest)
}

struct Uses {
    /// For each line the variables that leave their registers after it: those that are not used again, or loaded before they are.
    last: Vec<Vec<Var>>,
    /// For each line the one after which what it writes leaves its register.
    until: Vec<usize>,
}

fn uses(segment: &Segment<'_>) -> Uses {
    let in_registers =
        |(var, value): (&Var, &Var)| matches!(segment.after.get(var), Some(Wait::Reg(_))).then_some(*value);
    let mut live: BTreeSet<Var> = segment.ends.iter().filter_map(in_registers).collect();
    let mut last = vec![Vec::new(); segment.lines.len()];
    let mut until = vec![usize::MAX; segment.lines.len()];
    let mut leaves: BTreeMap<Var, usize> = BTreeMap::new();
    for (at, line) in segment.lines.iter().enumerate().rev() {
        let (reads, writes) = line.act.touched();
        for var in &writes {
            if !live.remove(var) {
                last[at].push(*var);
            }
            until[at] = leaves.get(var).copied().unwrap_or(usize::MAX);
            if !reads.contains(var) {
                leaves.remove(var);
            }
        }
        for var in reads {
            if live.insert(var) && !writes.contains(&var) {
                last[at].push(var);
                leaves.insert(var, at);
            }
        }
    }
    Uses { last, until }
}

/// Registers that variables had better be in: those in which they shall wait, and for what they are made from in its register the same one.
fn wishes(segment: &Segment<'_>) -> BTreeMap<Var, Reg> {
    let wanted = |(var, value): (&Var, &Var)| match segment.after.get(var) {
        Some(&Wait::Reg(reg)) => Some((*value, reg)),
        _ => None,
    };
    let mut wishes: BTreeMap<Var, Reg> = segment.ends.iter().filter_map(wanted).collect();
    let mut used: BTreeSet<Var> = segment.ends.values().copied().collect();
    for line in segment.lines.iter().rev() {
        if let Act::Run(inst) = line.act
            && let (Some(d), Some(n)) = (inst.d.var(), inst.n.var())
        {
            let mut from = [Some(n), inst.m.var().filter(|_| inst.op == Row::EorReg && inst.shift == Shift::NONE)]
                .into_iter()
                .flatten();
            if let (Some(&reg), Some(from)) = (wishes.get(&d), from.find(|v| *v != d && !used.contains(v))) {
                wishes.entry(from).or_insert(reg);
            }
        }
        used.extend(line.act.touched().0);
    }
    wishes
}

struct Allocator<'a> {
    segment: &'a Segment<'a>,
    last: Vec<Vec<Var>>,
    until: Vec<usize>,
    wishes: BTreeMap<Var, Reg>,
    slots: &'a mut Slots,
    reg: BTreeMap<Var, Reg>,
    slot: BTreeMap<Var, Slot>,
    /// By register: when it became free, counted from 1.
    freed: [usize; 16],
    code: Vec<Placed>,
}

impl Allocator<'_> {
    fn emit(&mut self, inst: Inst, title: &str) {
        self.code.push(Placed { inst, title: title.to_owned() });
    }

    fn line(&mut self, at: usize, line: &Line) {
        let before = self.reg.clone();
        let (_, writes) = line.act.touched();
        let gone: Vec<Var> = self.last[at].iter().copied().filter(|var| !writes.contains(var)).collect();
        gone.into_iter().for_each(|var| self.release(var, at));
        for &var in &writes {
            if !self.reg.contains_key(&var) {
                let reg = self.short(at, line, &before).unwrap_or_else(|| self.pick(var, at));
                self.reg.insert(var, reg);
            }
        }
        let inst = match line.act {
            Act::Run(inst) => inst.map(|_, _, access, v: V| match v.var() {
                None => Reg(v.0 as u8),
                Some(var) if access == Access::Read => before[&var],
                Some(var) => self.reg[&var],
            }),
            Act::Load(var) => self.fetch(var, at),
            Act::Save(var) => self.save(var, before[&var]),
            Act::Store(var) => word(Row::StrImm, before[&var], self.segment.homes[&var]),
        };
        self.emit(inst, &line.title);
        let unused: Vec<Var> = self.last[at].iter().copied().filter(|var| writes.contains(var)).collect();
        unused.into_iter().for_each(|var| self.release(var, at));
    }

    fn fetch(&mut self, var: Var, at: usize) -> Inst {
        let reg = self.reg[&var];
        let Some(&slot) = self.slot.get(&var) else { return word(Row::LdrImm, reg, self.segment.homes[&var]) };
        let again = self.segment.lines[at + 1..].iter().any(|line| line.act == Act::Load(var));
        if !again && !self.segment.ends.values().any(|value| *value == var) {
            self.slot.remove(&var);
            self.slots.give_back(slot);
        }
        self.slots.load(slot, reg)
    }

    fn save(&mut self, var: Var, reg: Reg) -> Inst {
        let own = match self.segment.becomes.get(&var).and_then(|end| self.segment.after.get(end)) {
            Some(&Wait::Slot(slot)) if self.slot.iter().all(|(v, s)| *s != slot || *v == var) => Some(slot),
            _ => None,
        };
        let slot = match own {
            Some(slot) => {
                self.slots.hold(slot);
                slot
            }
            None => self.slots.take_beside(&self.kept_slots()),
        };
        self.slot.insert(var, slot);
        self.slots.save(slot, reg)
    }

    /// For short code the register of an operand that is not used again.
    fn short(&self, at: usize, line: &Line, before: &BTreeMap<Var, Reg>) -> Option<Reg> {
        let Act::Run(inst) = line.act else { return None };
        if self.segment.short.is_none() || inst.shift != Shift::NONE {
            return None;
        }
        let operands = match inst.op {
            Row::EorReg => [inst.n.var(), inst.m.var()],
            Row::BicReg => [inst.n.var(), None],
            _ => return None,
        };
        let dies = operands.into_iter().flatten().filter(|var| self.last[at].contains(var));
        let regs: Vec<Reg> = dies.filter_map(|var| before.get(&var).copied()).collect();
        let wish = inst.d.var().and_then(|var| self.wishes.get(&var)).filter(|reg| regs.contains(reg));
        wish.or(regs.iter().find(|reg| reg.is_low())).or(regs.first()).copied()
    }

    /// A free register: the one that is wished for, or a low one for words, which short loads and stores can name, and the longest unused.
    fn pick(&self, var: Var, at: usize) -> Reg {
        let free = |r: &Reg| !self.reg.values().any(|taken| taken == r);
        if let Some(reg) = self.wishes.get(&var).copied().filter(free) {
            return reg;
        }
        let soon = self.segment.short.map(|lines| self.until.get(at).is_some_and(|&until| until <= at + lines));
        let low = soon.unwrap_or(self.segment.homes.contains_key(&var));
        let promised = |r: &Reg| self.wishes.values().any(|p| p == r);
        let all = registers(self.segment.arrays).filter(free);
        match all.min_by_key(|r| (r.is_low() != low, promised(r), self.freed[r.0 as usize], r.0)) {
            Some(reg) => reg,
            None => unreachable!("an order is found for as many registers as there are"),
        }
    }

    /// Slots that somebody waits in at the end.
    fn kept_slots(&self) -> Vec<Slot> {
        self.segment.after.values().filter_map(|w| if let Wait::Slot(slot) = w { Some(*slot) } else { None }).collect()
    }

    fn release(&mut self, var: Var, at: usize) {
        if let Some(reg) = self.reg.remove(&var) {
            self.freed[reg.0 as usize] = at + 1;
        }
    }

    /// Brings everything to where it shall wait.
    fn finish(&mut self) {
        let ends: Vec<(Var, Wait)> =
            self.segment.ends.iter().filter_map(|(end, value)| Some((*value, *self.segment.after.get(end)?))).collect();
        // Slots first: that makes registers free.
        for &(value, wait) in &ends {
            let Wait::Slot(slot) = wait else { continue };
            if let Some(&other) = self.slot.get(&value).filter(|&&other| other != slot) {
                let reg = self.pick(value, usize::MAX);
                let moves = [self.slots.load(other, reg), self.slots.save(slot, reg)];
                moves.into_iter().for_each(|inst| self.emit(inst, ""));
                self.slots.give_back(other);
                self.slots.hold(slot);
            }
        }
        let wanted = ends.iter().filter_map(|&(value, wait)| match wait {
            Wait::Reg(reg) => Some((u32::from(value.0), reg)),
            Wait::Slot(_) => None,
        });
        let from = self.reg.iter().map(|(v, &r)| (u32::from(v.0), r)).collect();
        self.code.extend(swaps(&from, &wanted.collect()));
    }
}

/// A load or store of a word of an array.
fn word(row: Row, reg: Reg, home: Home) -> Inst {
    Inst { d: reg, n: ARRAYS[home.array], imm: 4 * home.word as i32, ..Inst::new(row) }
}
