//! Registers and slots for a plan: each variable keeps its register while it is resident.

use super::{Group, V};
use crate::ir::{Place, Var};
use crate::plan::{Action, Set};
use crate::problem::{Numbering, Operands, all_touched};
use isa::thumb::{Inst, Mode, Op as Row, Reg};
use std::collections::BTreeMap;

/// Where a variable waits while it has no register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Slot {
    /// A word of the frame.
    Frame(u32),
    /// A single-precision register.
    Fp(u8),
}

/// Slots that are free, and how many there were at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// Single-precision registers that may be used, as a mask.
    fp: u32,
    busy_fp: u32,
    busy_frame: u64,
    /// Every single-precision register that was used.
    pub used_fp: u32,
    /// Those of them that were taken apart from others: no move of two words shall have one of these and one of the others.
    pub apart_fp: u32,
    /// Words of frame in use at most.
    pub frame_words: u32,
    /// Bytes from sp to the first of them.
    pub frame_base: u32,
    last: Option<Slot>,
}

impl Slots {
    /// Slots in the single-precision registers of mask `fp` first, then in the frame from `frame_base` on.
    pub fn new(fp: u32, frame_base: u32) -> Slots {
        Slots { fp, busy_fp: 0, busy_frame: 0, used_fp: 0, apart_fp: 0, frame_words: 0, frame_base, last: None }
    }

    /// Single-precision registers that may be used and never were.
    pub fn unused_fp(&self) -> u32 {
        self.fp & !self.used_fp
    }

    /// A free slot: the neighbour of the one before if `second`, one with a free neighbour if `more` are wanted at once
    /// (two words can move together), else one that leaves no pair broken.
    pub fn take(&mut self, second: bool, more: bool) -> Slot {
        let free = self.fp & !self.busy_fp;
        let neighbour = match self.last {
            Some(Slot::Fp(s)) if second && free >> (s + 1) & 1 == 1 => Some(u32::from(s) + 1),
            _ => None,
        };
        let pair = (0..31).find(|&s| more && free >> s & 3 == 3);
        let single = (0..32u32).find(|&s| free >> s & 1 == 1 && (free << 1 >> s | free >> 1 >> s) & 1 == 0);
        let any = (0..32).find(|&s| free >> s & 1 == 1);
        self.occupy(neighbour.or(pair).or(single).or(any))
    }

    /// A free slot whose neighbours are taken last.
    pub fn take_apart(&mut self) -> Slot {
        let free = self.fp & !self.busy_fp;
        let fp = free.checked_ilog2();
        self.apart_fp |= fp.map_or(0, |s| 1 << s);
        self.occupy(fp)
    }

    /// A free word of the frame.
    pub fn take_frame(&mut self) -> Slot {
        self.occupy(None)
    }

    fn occupy(&mut self, fp: Option<u32>) -> Slot {
        let slot = match fp {
            Some(s) => {
                self.busy_fp |= 1 << s;
                self.used_fp |= 1 << s;
                Slot::Fp(s as u8)
            }
            None => {
                let w = self.busy_frame.trailing_ones();
                self.busy_frame |= 1 << w;
                self.frame_words = self.frame_words.max(w + 1);
                Slot::Frame(w)
            }
        };
        self.last = Some(slot);
        slot
    }

    /// A free slot, rather none of these.
    pub fn take_beside(&mut self, others: &[Slot]) -> Slot {
        let free = |s: &u8| (self.fp & !self.busy_fp) >> s & 1 == 1;
        let beside = (0..32u8).find(|s| free(s) && !others.contains(&Slot::Fp(*s)));
        match beside.or((0..32).find(free)) {
            Some(s) => self.occupy(Some(u32::from(s))),
            None => {
                let word = (0..64).find(|&w| self.busy_frame >> w & 1 == 0 && !others.contains(&Slot::Frame(w)));
                let slot = Slot::Frame(word.unwrap_or(self.busy_frame.trailing_ones()));
                self.hold(slot);
                self.last = Some(slot);
                slot
            }
        }
    }

    /// Takes this slot.
    pub fn hold(&mut self, slot: Slot) {
        match slot {
            Slot::Fp(s) => {
                self.busy_fp |= 1 << s;
                self.used_fp |= 1 << s;
            }
            Slot::Frame(w) => {
                self.busy_frame |= 1 << w;
                self.frame_words = self.frame_words.max(w + 1);
            }
        }
    }

    /// Makes a slot free.
    pub fn give_back(&mut self, slot: Slot) {
        match slot {
            Slot::Fp(s) => self.busy_fp &= !(1 << s),
            Slot::Frame(w) => self.busy_frame &= !(1 << w),
        }
    }

    /// The instruction that saves `reg` in `slot`.
    pub fn save(&self, slot: Slot, reg: Reg) -> Inst {
        match slot {
            Slot::Frame(w) => self.frame(Row::StrImm, w, reg),
            Slot::Fp(s) => Inst { d: Reg(s), n: reg, ..Inst::new(Row::VmovSR) },
        }
    }

    /// The instruction that brings `slot` into `reg`.
    pub fn load(&self, slot: Slot, reg: Reg) -> Inst {
        match slot {
            Slot::Frame(w) => self.frame(Row::LdrImm, w, reg),
            Slot::Fp(s) => Inst { d: reg, n: Reg(s), ..Inst::new(Row::VmovRS) },
        }
    }

    fn frame(&self, row: Row, word: u32, reg: Reg) -> Inst {
        Inst { d: reg, n: Reg::SP, imm: (self.frame_base + 4 * word) as i32, ..Inst::new(row) }
    }
}

/// Where the variables (by planner number) are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// In registers.
    pub reg: BTreeMap<u32, Reg>,
    /// Slots that belong to a variable.
    pub slot: BTreeMap<u32, Slot>,
    /// Variables whose slot holds their present value.
    pub valid: Set,
    /// Variables that keep their slot.
    pub pinned: Set,
    /// Bases that loads of several words have moved, and how many bytes ahead they are.
    pub ahead: BTreeMap<u32, i32>,
}

impl Placement {
    /// The copy in the variable's slot is of no use any more; neither is the slot, unless it is the variable's for good.
    fn forget_copy(&mut self, v: u32, slots: &mut Slots) {
        self.valid &= !(1 << v);
        if self.pinned >> v & 1 == 0
            && let Some(slot) = self.slot.remove(&v)
        {
            slots.give_back(slot);
        }
    }

    /// Forgets the copies of everything that is in a register.
    pub fn resident_only(&mut self, slots: &mut Slots) {
        let resident: Vec<u32> = self.reg.keys().copied().collect();
        resident.into_iter().for_each(|v| self.forget_copy(v, slots));
    }
}

/// An instruction in place, with the title of the step that begins there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// With physical registers.
    pub inst: Inst,
    /// Empty if no step begins here.
    pub title: String,
}

/// An instruction at which no step begins.
impl From<Inst> for Placed {
    fn from(inst: Inst) -> Placed {
        Placed { inst, title: String::new() }
    }
}

/// What the assignment of a segment starts from.
pub struct Segment<'a> {
    /// The segment's groups.
    pub groups: &'a [Group],
    /// Planner numbers.
    pub numbering: &'a Numbering,
    /// Inputs still in memory.
    pub inputs: &'a [(Var, Place)],
    /// Wanted afterwards.
    pub live_out: Set,
    /// Variables that move often: they get registers that 16-bit loads and stores can name.
    pub hot: Set,
    /// Short code is wanted: values inside steps get low registers too, and not just any that leave room to the scheduler.
    pub compact: bool,
    /// Variables that hold addresses and counts.
    pub public: Set,
    /// Registers that variables shall be in at the end, if it can be had.
    pub prefer: BTreeMap<u32, Reg>,
}

/// Gives registers to a plan. `place` is where everything is before, and after it. For the k-th variable that is brought in, `detours[k]`
/// candidates are passed over.
pub fn assign(
    segment: &Segment<'_>,
    actions: &[Action],
    detours: &[usize],
    place: &mut Placement,
    slots: &mut Slots,
) -> Vec<Placed> {
    let mut a = Assigner {
        segment,
        place,
        slots,
        uses: segment.numbering.uses(segment.groups),
        bases: segment.numbering.bases(segment.inputs, actions),
        temps: BTreeMap::new(),
        freed: [0; 16],
        clock: 0,
        detours: detours.iter().copied(),
        code: Vec::new(),
    };
    let mut rest = actions;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|x| std::mem::discriminant(*x) == std::mem::discriminant(first)).count();
        match first {
            Action::Fetch(_) => a.fetch_all(&rest[..same]),
            Action::Save(_) => a.save_all(&rest[..same]),
            _ => (0..same).for_each(|i| a.action(&rest[i], i, same)),
        }
        rest = &rest[same..];
    }
    a.code
}

/// A load of this many neighbouring words or more is one instruction.
const MANY: usize = 3;

/// Brings every variable from where it is to where it shall be, by exchanges that need no further register.
pub fn swaps(from: &BTreeMap<u32, Reg>, to: &BTreeMap<u32, Reg>) -> Vec<Placed> {
    let mut at = from.clone();
    let mut code = Vec::new();
    for (v, &wanted) in to {
        let Some(&here) = at.get(v).filter(|&&here| here != wanted) else { continue };
        let exchange = if at.values().any(|&r| r == wanted) {
            let eor = |d: Reg, m: Reg| Inst { d, n: d, m, ..Inst::new(Row::EorReg) };
            vec![eor(here, wanted), eor(wanted, here), eor(here, wanted)]
        } else {
            vec![Inst { d: wanted, m: here, ..Inst::new(Row::MovReg) }]
        };
        code.extend(exchange.into_iter().map(Placed::from));
        at.values_mut().for_each(|r| {
            *r = if *r == here {
                wanted
            } else if *r == wanted {
                here
            } else {
                *r
            };
        });
    }
    code
}

struct Assigner<'a> {
    segment: &'a Segment<'a>,
    place: &'a mut Placement,
    slots: &'a mut Slots,
    /// Groups still to come that touch a variable.
    uses: Vec<u32>,
    /// Fetches still to come from a base.
    bases: BTreeMap<u32, u32>,
    temps: BTreeMap<Var, Reg>,
    freed: [u32; 16],
    clock: u32,
    detours: std::iter::Copied<std::slice::Iter<'a, usize>>,
    code: Vec<Placed>,
}

impl Assigner<'_> {
    fn emit(&mut self, inst: Inst) {
        self.code.push(inst.into());
    }

    /// Saves neighbours in the plan: addresses and counts by themselves, so that public and secret words do not move in one instruction.
    fn save_all(&mut self, actions: &[Action]) {
        let public = |action: &&Action| matches!(action, Action::Save(v) if self.segment.public >> v & 1 == 1);
        let (publics, others): (Vec<&Action>, Vec<&Action>) = actions.iter().partition(public);
        for v in publics.iter().filter_map(|a| if let Action::Save(v) = a { Some(*v) } else { None }) {
            if !self.place.slot.contains_key(&v) {
                self.place.slot.insert(v, self.slots.take_apart());
            }
        }
        for some in [publics, others] {
            some.iter().enumerate().for_each(|(i, action)| self.action(action, i, some.len()));
        }
    }

    /// Action `i` of `of` neighbours of its kind.
    fn action(&mut self, action: &Action, i: usize, of: usize) {
        self.clock += 1;
        match *action {
            Action::Save(v) => {
                let slot = match self.place.slot.get(&v) {
                    Some(&slot) => slot,
                    None => self.slots.take(!i.is_multiple_of(2), i + 1 < of && i.is_multiple_of(2)),
                };
                self.place.slot.insert(v, slot);
                self.place.valid |= 1 << v;
                let inst = self.slots.save(slot, self.place.reg[&v]);
                self.emit(inst);
                self.release(v);
            }
            Action::Drop(v) => self.release(v),
            Action::Load(v) => {
                let reg = self.pick_for(v);
                let inst = self.slots.load(self.place.slot[&v], reg);
                self.emit(inst);
                self.place.reg.insert(v, reg);
            }
            Action::Fetch(_) => self.fetch_all(std::slice::from_ref(action)),
            Action::Run(g) => self.run(&self.segment.groups[g]),
        }
    }

    /// Fetches neighbours in the plan; words that are neighbours in memory too come in one instruction, in ascending registers.
    fn fetch_all(&mut self, actions: &[Action]) {
        self.clock += 1;
        let vars: Vec<u32> =
            actions.iter().filter_map(|a| if let Action::Fetch(v) = a { Some(*v) } else { None }).collect();
        let places: Vec<Place> =
            vars.iter().filter_map(|&v| self.segment.numbering.input(self.segment.inputs, v)).collect();
        let contiguous = places.windows(2).all(|w| w[1].base == w[0].base && w[1].offset == w[0].offset + 4);
        match places.first() {
            Some(&first) if contiguous && places.len() >= MANY && self.fetch_many(&vars, first) => {}
            _ => vars.iter().zip(places).for_each(|(&v, place)| self.fetch(v, place)),
        }
    }

    /// One LDM for all; false if the base does not point there.
    fn fetch_many(&mut self, vars: &[u32], first: Place) -> bool {
        let base = self.segment.numbering.get(first.base);
        let ahead = base.map_or(0, |b| self.place.ahead.get(&b).copied().unwrap_or(0));
        if ahead != first.offset as i32 {
            return false;
        }
        let base_reg = base.map_or(Reg::SP, |b| self.place.reg[&b]);
        if let Some(b) = base {
            *self.bases.entry(b).or_insert(0) -= vars.len() as u32;
            self.release_if_dead(b);
        }
        let free: Vec<Reg> = (0..13).chain([14]).map(Reg).filter(|&r| self.is_free(r)).take(vars.len()).collect();
        let list = free.iter().fold(0, |list, r| list | 1 << r.0);
        let stays = base.is_some_and(|b| self.place.reg.contains_key(&b));
        let mode = if stays { Mode::PreIndex } else { Mode::Offset };
        self.emit(Inst { n: base_reg, list, mode, ..Inst::new(Row::Ldm) });
        self.place.reg.extend(vars.iter().copied().zip(free));
        if let Some(b) = base.filter(|_| stays) {
            self.place.ahead.insert(b, ahead + 4 * vars.len() as i32);
        }
        true
    }

    fn fetch(&mut self, v: u32, place: Place) {
        let base = self.segment.numbering.get(place.base);
        let base_reg = base.map_or(Reg::SP, |b| self.place.reg[&b]);
        let ahead = base.map_or(0, |b| self.place.ahead.get(&b).copied().unwrap_or(0));
        if let Some(b) = base {
            *self.bases.entry(b).or_insert(1) -= 1;
            // The base may be overwritten by the last word that is fetched through it.
            self.release_if_dead(b);
        }
        let reg = self.pick_for(v);
        self.emit(Inst { d: reg, n: base_reg, imm: place.offset as i32 - ahead, ..Inst::new(Row::LdrImm) });
        self.place.reg.insert(v, reg);
    }

    fn run(&mut self, group: &Group) {
        let mut title = group.title.clone();
        self.written(&group.touches);
        for (at, inst) in group.insts.iter().enumerate() {
            let (reads, writes) = inst.touched();
            for var in writes.iter().chain(&reads) {
                self.ensure(*var);
            }
            let mut placed = inst.map(|_, _, _, v: V| v.var().map_or(Reg(v.0 as u8), |var| self.reg_of(var)));
            placed.imm -= self.ahead(inst);
            self.code.push(Placed { inst: placed, title: std::mem::take(&mut title) });
            self.written(&writes);
            let later = &group.insts[at + 1..];
            let used = |var: &Var| later.iter().any(|i| i.touched().0.contains(var) || i.touched().1.contains(var));
            let over: Vec<Var> = self.temps.keys().filter(|v| !used(v)).copied().collect();
            for var in over {
                if let Some(reg) = self.temps.remove(&var) {
                    self.freed[reg.0 as usize] = self.clock;
                }
            }
            self.clock += 1;
        }
        self.finish_group(group);
    }

    /// How far the base of a load or store has been moved.
    fn ahead(&self, inst: &Inst<V>) -> i32 {
        let base = matches!(inst.op, Row::LdrImm | Row::StrImm).then(|| inst.n.var()).flatten();
        base.and_then(|var| self.place.ahead.get(&self.segment.numbering.get(var)?)).copied().unwrap_or(0)
    }

    fn finish_group(&mut self, group: &Group) {
        let set = self.segment.numbering.set(all_touched(group));
        for v in (0..64).filter(|v| set >> v & 1 == 1) {
            self.uses[v as usize] -= 1;
            self.release_if_dead(v);
        }
    }

    /// A copy outside registers is stale once the variable is written.
    fn written(&mut self, writes: &[Var]) {
        for v in writes.iter().filter_map(|&w| self.segment.numbering.get(w)) {
            self.place.forget_copy(v, self.slots);
        }
    }

    fn release_if_dead(&mut self, v: u32) {
        let wanted = self.uses[v as usize] > 0
            || self.segment.live_out >> v & 1 == 1
            || self.bases.get(&v).is_some_and(|&left| left > 0);
        if wanted {
            return;
        }
        self.release(v);
        self.place.forget_copy(v, self.slots);
    }

    fn release(&mut self, v: u32) {
        if let Some(reg) = self.place.reg.remove(&v) {
            self.freed[reg.0 as usize] = self.clock;
        }
    }

    fn ensure(&mut self, var: Var) {
        match self.segment.numbering.get(var) {
            Some(v) if !self.place.reg.contains_key(&v) => {
                let reg = self.pick_for(v);
                self.place.reg.insert(v, reg);
            }
            None if !self.temps.contains_key(&var) => {
                let reg = self.pick(self.segment.compact.then_some(true), 0);
                self.temps.insert(var, reg);
            }
            _ => {}
        }
    }

    fn reg_of(&self, var: Var) -> Reg {
        match self.segment.numbering.get(var) {
            Some(v) => self.place.reg[&v],
            None => self.temps[&var],
        }
    }

    fn is_free(&self, reg: Reg) -> bool {
        !self.place.reg.values().chain(self.temps.values()).any(|&r| r == reg)
    }

    fn pick_for(&mut self, v: u32) -> Reg {
        let detour = self.detours.next().unwrap_or(0);
        match self.segment.prefer.get(&v) {
            Some(&reg) if detour == 0 && self.is_free(reg) => reg,
            _ => self.pick(Some(self.segment.hot >> v & 1 == 1), detour),
        }
    }

    /// A free register: low or high, if asked for and there is one, rather not one that somebody shall be in at the end, and the
    /// longest unused, which leaves the scheduler the most room; after `detour` better ones, if there are so many.
    fn pick(&self, low: Option<bool>, detour: usize) -> Reg {
        let mut free: Vec<Reg> = (0..13).chain([14]).map(Reg).filter(|&r| self.is_free(r)).collect();
        let promised = |r: &Reg| self.segment.prefer.values().any(|p| p == r);
        let unlike = |r: &Reg| low.is_some_and(|low| r.is_low() != low);
        free.sort_by_key(|r| (promised(r), unlike(r), self.freed[r.0 as usize], r.0));
        match free.get(detour).or(free.last()) {
            Some(&reg) => reg,
            None => unreachable!("the plan keeps within {} registers", super::problem::REGISTERS),
        }
    }
}
