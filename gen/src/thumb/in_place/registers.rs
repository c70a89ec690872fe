//! Real registers for a block. Words of the array are loaded step by step, as many at once as there is room for, and stored as soon as they are made;
//! other values stay in registers as long as nothing is wanted sooner, and wait in slots.

use super::homes::Home;
use crate::compile::V;
use crate::ir::Var;
use crate::problem::Operands;
use crate::thumb::Group;
use crate::thumb::assign::{Placed, Slot, Slots};
use isa::thumb::{Inst, Op as Row, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// The address of the array, and of the other one.
pub const ARRAYS: [Reg; 2] = [Reg(0), Reg(1)];

/// Where a value waits between blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wait {
    /// In a register.
    Reg(Reg),
    /// In a slot.
    Slot(Slot),
}

/// What to allocate.
pub struct Segment<'a> {
    /// Its instructions.
    pub groups: &'a [Group],
    /// Variables that are words of the array, at first or once they are made.
    pub homes: &'a BTreeMap<Var, Home>,
    /// For each variable that is wanted afterwards the one that has its value then; words are not among them.
    pub ends: &'a BTreeMap<Var, Var>,
    /// Where those variables wait before.
    pub before: &'a BTreeMap<Var, Wait>,
    /// Where they shall wait afterwards.
    pub after: &'a BTreeMap<Var, Wait>,
    /// Registers that hold addresses of arrays.
    pub arrays: usize,
    /// Who leaves.
    pub taste: Taste,
}

/// What decides between values when one has to leave, beside how soon they are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taste {
    /// How much a value is worth whose eviction costs a store, in instructions until it is wanted.
    pub dirty: usize,
    /// Registers that are left alone when words are loaded ahead.
    pub reserve: usize,
}

/// Allocates a block; with the code, the registers in which variables are that are wanted afterwards, before they are moved to where they shall wait.
pub fn allocate(segment: &Segment<'_>, slots: &mut Slots) -> (Vec<Placed>, BTreeMap<Var, Reg>) {
    let mut a = Allocator::new(segment, slots);
    for (var, wait) in segment.before {
        match *wait {
            Wait::Reg(reg) => _ = a.reg.insert(*var, reg),
            Wait::Slot(slot) => _ = a.slot.insert(*var, slot),
        }
    }
    a.slot.values().for_each(|&slot| a.slots.hold(slot));
    for (var, home) in segment.homes {
        if !a.made.contains_key(var) {
            a.in_memory.insert(*var, *home);
        }
    }
    a.drop_dead(None);
    let mut at = 0;
    for group in segment.groups {
        a.group(group, at);
        at += group.insts.len();
    }
    let rest = segment.ends.iter().filter_map(|(end, value)| Some((*end, *a.reg.get(value)?))).collect();
    a.finish();
    (a.code, rest)
}

struct Allocator<'a> {
    segment: &'a Segment<'a>,
    slots: &'a mut Slots,
    /// For each variable the instructions that name it, last one first; `usize::MAX` if it is wanted at the end.
    uses: BTreeMap<Var, Vec<usize>>,
    /// For each variable that is made here the last instruction that writes it.
    made: BTreeMap<Var, usize>,
    /// Registers that variables shall be in at the end.
    prefer: BTreeMap<Var, Reg>,
    reg: BTreeMap<Var, Reg>,
    slot: BTreeMap<Var, Slot>,
    in_memory: BTreeMap<Var, Home>,
    freed: [usize; 16],
    clock: usize,
    code: Vec<Placed>,
}

impl<'a> Allocator<'a> {
    fn new(segment: &'a Segment<'a>, slots: &'a mut Slots) -> Self {
        let (mut uses, mut made) = (BTreeMap::<Var, Vec<usize>>::new(), BTreeMap::new());
        for var in segment.ends.values() {
            uses.entry(*var).or_default().push(usize::MAX);
        }
        let insts: Vec<&Inst<V>> = segment.groups.iter().flat_map(|g| &g.insts).collect();
        for (at, inst) in insts.iter().enumerate().rev() {
            let (reads, writes) = inst.touched();
            let named: BTreeSet<Var> = reads.into_iter().chain(writes.iter().copied()).collect();
            named.into_iter().for_each(|var| uses.entry(var).or_default().push(at));
            writes.into_iter().for_each(|var| _ = made.entry(var).or_insert(at));
        }
        // What a value is made from in its register would best be there too.
        let mut prefer: BTreeMap<Var, Reg> = BTreeMap::new();
        for (var, value) in segment.ends {
            if let Some(Wait::Reg(reg)) = segment.after.get(var) {
                prefer.insert(*value, *reg);
            }
        }
        for (at, inst) in insts.iter().enumerate().rev() {
            let (Some(d), Some(n)) = (inst.d.var(), inst.n.var()) else { continue };
            let dies = |var: Var| uses.get(&var).and_then(|u| u.first()) == Some(&at);
            let reg = prefer.get(&d).copied().filter(|_| inst.op == Row::EorReg);
            let from = [Some(n), inst.m.var()]
                .into_iter()
                .flatten()
                .find(|&v| dies(v) && v != d && inst.shift == isa::thumb::Shift::NONE || v == n && dies(v));
            if let (Some(reg), Some(from)) = (reg, from) {
                prefer.entry(from).or_insert(reg);
            }
        }
        Allocator {
            segment,
            slots,
            uses,
            made,
            prefer,
            reg: BTreeMap::new(),
            slot: BTreeMap::new(),
            in_memory: BTreeMap::new(),
            freed: [0; 16],
            clock: 0,
            code: Vec::new(),
        }
    }

    fn emit(&mut self, inst: Inst) {
        self.code.push(Placed { inst, title: String::new() });
    }

    /// When the variable is named next, from instruction `at` on.
    fn next_use(&self, var: Var, at: usize) -> Option<usize> {
        self.uses.get(&var)?.iter().rev().copied().find(|&u| u >= at)
    }

    fn group(&mut self, group: &Group, start: usize) {
        let end = start + group.insts.len();
        // The address of a constant that is loaded first comes before what is loaded with it.
        if let Some(base) = group.insts.first().filter(|i| i.op == Row::LdrImm).and_then(|i| i.n.var())
            && !self.reg.contains_key(&base)
        {
            self.fetch(base, start, &BTreeSet::new());
        }
        self.load_ahead(start, end);
        let mut title = group.title.clone();
        for (k, inst) in group.insts.iter().enumerate() {
            let at = start + k;
            self.clock = at;
            let (reads, writes) = inst.touched();
            let locked: BTreeSet<Var> = reads.iter().copied().collect();
            for &var in &locked {
                if !self.reg.contains_key(&var) {
                    self.bring(var, at, end, &locked);
                }
            }
            let before = self.reg.clone();
            let heirs: Vec<Reg> = reads
                .iter()
                .filter(|&&v| self.next_use(v, at + 1).is_none() && !writes.contains(&v))
                .filter_map(|v| before.get(v).copied())
                .collect();
            self.drop_dead(Some((&reads, at + 1)));
            for &var in &writes {
                if !self.reg.contains_key(&var) {
                    let heir = heirs.first().copied().filter(|&r| {
                        inst.op == Row::EorReg && self.is_free(r) && !self.segment.homes.contains_key(&var)
                    });
                    let reg = self.room(var, at, &locked, heir);
                    self.reg.insert(var, reg);
                }
                self.forget_slot(var);
            }
            let physical = inst.map(|_, _, access, v: V| match v.var() {
                None => Reg(v.0 as u8),
                Some(var) if access == isa::thumb::Access::Read => before[&var],
                Some(var) => self.reg[&var],
            });
            self.code.push(Placed { inst: physical, title: std::mem::take(&mut title) });
            for var in writes {
                self.store(var, at);
            }
            self.drop_dead(Some((&reads, at + 1)));
        }
    }

    /// A word goes to its place when it is finished.
    fn store(&mut self, var: Var, at: usize) {
        if let Some(&home) = self.segment.homes.get(&var)
            && self.made.get(&var) == Some(&at)
        {
            let inst = word(Row::StrImm, self.reg[&var], home);
            self.emit(inst);
            self.in_memory.retain(|_, other| *other != home);
            self.in_memory.insert(var, home);
            if self.next_use(var, at + 1).is_none() {
                self.release(var);
            }
        }
    }

    /// Loads what the instructions from `at` to `end` want from memory, while there is room for it.
    fn load_ahead(&mut self, at: usize, end: usize) {
        let mut wanted: Vec<(usize, Var)> = Vec::new();
        for (&var, uses) in &self.uses {
            let from_memory = self.in_memory.contains_key(&var) || matches!(self.slot.get(&var), Some(Slot::Frame(_)));
            let next = uses.iter().rev().copied().find(|&u| u >= at);
            if let Some(next) = next.filter(|&next| next < end && from_memory && !self.reg.contains_key(&var)) {
                wanted.push((next, var));
            }
        }
        wanted.sort_unstable();
        for (_, var) in wanted {
            if self.spare(at, end) <= self.segment.taste.reserve {
                break;
            }
            let busy = self.reg.keys().copied().filter(|&v| self.next_use(v, at).is_some_and(|u| u < end)).collect();
            self.fetch(var, at, &busy);
        }
    }

    /// Registers that are free or hold what is not wanted before `end`.
    fn spare(&self, at: usize, end: usize) -> usize {
        let idle = self.reg.keys().filter(|&&v| self.next_use(v, at).is_none_or(|u| u >= end)).count();
        self.registers().filter(|&r| self.is_free(r)).count() + idle
    }

    /// Puts a variable into a register; from memory others come with it.
    fn bring(&mut self, var: Var, at: usize, end: usize, locked: &BTreeSet<Var>) {
        if self.in_memory.contains_key(&var) || matches!(self.slot.get(&var), Some(Slot::Frame(_))) {
            self.load_ahead(at, end);
        }
        if !self.reg.contains_key(&var) {
            self.fetch(var, at, locked);
        }
    }

    fn fetch(&mut self, var: Var, at: usize, locked: &BTreeSet<Var>) {
        let reg = self.room(var, at, locked, None);
        let inst = match (self.in_memory.get(&var), self.slot.get(&var)) {
            (Some(&home), _) => word(Row::LdrImm, reg, home),
            (None, Some(&slot)) => self.slots.load(slot, reg),
            (None, None) => return,
        };
        self.emit(inst);
        self.reg.insert(var, reg);
    }

    fn registers(&self) -> impl Iterator<Item = Reg> {
        (self.segment.arrays as u8..13).chain([14]).map(Reg)
    }

    fn is_free(&self, reg: Reg) -> bool {
        !self.reg.values().any(|&r| r == reg)
    }

    /// A register for a variable: a free one, or that of what is wanted last.
    fn room(&mut self, var: Var, at: usize, locked: &BTreeSet<Var>, heir: Option<Reg>) -> Reg {
        let preferred = self.prefer.get(&var).copied().filter(|&r| self.is_free(r));
        if let Some(reg) = preferred.or(heir) {
            return reg;
        }
        if let Some(reg) = self.pick(var) {
            return reg;
        }
        let far = |v: Var| self.next_use(v, at).map_or(usize::MAX, |u| u.min(1 << 30));
        let clean = |v: &Var| self.slot.contains_key(v) || self.in_memory.contains_key(v);
        let taste = self.segment.taste;
        let score = |v: &Var| far(*v).saturating_sub(if clean(v) { 0 } else { taste.dirty });
        let victim = self.reg.keys().filter(|v| !locked.contains(v)).max_by_key(|v| score(v)).copied();
        match victim {
            Some(victim) => {
                let reg = self.reg[&victim];
                self.evict(victim);
                reg
            }
            None => unreachable!("an instruction names at most three variables"),
        }
    }

    /// A free register: low for words, which short loads and stores can name, and the longest unused.
    fn pick(&self, var: Var) -> Option<Reg> {
        let low = self.segment.homes.contains_key(&var);
        let promised = |r: &Reg| self.prefer.values().any(|p| p == r);
        let free = self.registers().filter(|&r| self.is_free(r));
        free.min_by_key(|r| (r.is_low() != low, promised(r), self.freed[r.0 as usize], r.0))
    }

    /// Takes a variable out of its register; it is kept in a slot if it is nowhere else.
    fn evict(&mut self, var: Var) {
        if !self.slot.contains_key(&var) && !self.in_memory.contains_key(&var) {
            let own = self
                .segment
                .ends
                .iter()
                .find(|(_, value)| **value == var)
                .and_then(|(end, _)| self.segment.after.get(end));
            let own = match own {
                Some(&Wait::Slot(slot)) if !self.slot.values().any(|&s| s == slot) => Some(slot),
                _ => None,
            };
            let slot = match own {
                Some(slot) => {
                    self.slots.hold(slot);
                    slot
                }
                None => self.slots.take_beside(&self.kept_slots()),
            };
            let inst = self.slots.save(slot, self.reg[&var]);
            self.emit(inst);
            self.slot.insert(var, slot);
        }
        self.release(var);
    }

    /// Slots that somebody waits in at the end.
    fn kept_slots(&self) -> Vec<Slot> {
        self.segment.after.values().filter_map(|w| if let Wait::Slot(slot) = w { Some(*slot) } else { None }).collect()
    }

    fn release(&mut self, var: Var) {
        if let Some(reg) = self.reg.remove(&var) {
            self.freed[reg.0 as usize] = self.clock;
        }
    }

    fn forget_slot(&mut self, var: Var) {
        if let Some(slot) = self.slot.remove(&var) {
            self.slots.give_back(slot);
        }
    }

    /// Gives back what nobody wants any more: of these variables, which instructions before `at` named, or of all.
    fn drop_dead(&mut self, some: Option<(&[Var], usize)>) {
        let (vars, at) = match some {
            Some((vars, at)) => (vars.to_vec(), at),
            None => (self.reg.keys().chain(self.slot.keys()).copied().collect(), 0),
        };
        for var in vars {
            if self.next_use(var, at).is_none() {
                self.release(var);
                self.forget_slot(var);
            }
        }
    }

    /// Brings everything to where it shall wait.
    fn finish(&mut self) {
        let ends: Vec<(Var, Wait)> =
            self.segment.ends.iter().filter_map(|(end, value)| Some((*value, *self.segment.after.get(end)?))).collect();
        // Slots first: that makes registers free.
        for &(value, wait) in &ends {
            let Wait::Slot(slot) = wait else { continue };
            if self.slot.get(&value) == Some(&slot) {
                self.release(value);
                continue;
            }
            if !self.reg.contains_key(&value) {
                self.fetch(value, usize::MAX, &BTreeSet::new());
            }
            self.forget_slot(value);
            let inst = self.slots.save(slot, self.reg[&value]);
            self.emit(inst);
            self.slot.insert(value, slot);
            self.slots.hold(slot);
            self.release(value);
        }
        let mut wanted = BTreeMap::new();
        for &(value, wait) in &ends {
            let Wait::Reg(reg) = wait else { continue };
            if !self.reg.contains_key(&value) {
                self.fetch(value, usize::MAX, &BTreeSet::new());
                self.forget_slot(value);
            }
            wanted.insert(u32::from(value.0), reg);
        }
        let from = self.reg.iter().map(|(v, &r)| (u32::from(v.0), r)).collect();
        self.code.extend(crate::thumb::assign::swaps(&from, &wanted));
    }
}

/// A load or store of a word of an array.
fn word(row: Row, reg: Reg, home: Home) -> Inst {
    Inst { d: reg, n: ARRAYS[home.array], imm: 4 * home.word as i32, ..Inst::new(row) }
}
