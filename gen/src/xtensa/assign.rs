//! Real registers and places outside them, for a plan.
//!
//! Who leaves gives up the register to who comes back in the same moment, by an exchange where there is one: the registers of words
//! never change otherwise, so that a loop whose exchanges undo one another needs no moves at its end.

use super::problem::prefer_mac;
use super::{Group, SP, V, dense};
use crate::ir::{Place, Var};
use crate::plan::{Action, Set};
use crate::problem::{Numbering, Operands, all_touched};
use isa::xtensa::{Inst, Op as Row, Reg, sr};
use std::collections::BTreeMap;

/// A place outside the registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Slot {
    /// m0..m3.
    Mac(u8),
    /// A word of the frame, counted from the first one that is there for this.
    Frame(u32),
}

/// Places outside the registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// Free ones of m0..m3.
    free_mac: u8,
    /// Free words of the frame among those that have been taken before.
    free_frame: Vec<u32>,
    /// Words of the frame in use or used before.
    pub frame_words: u32,
    /// Bytes from sp to the first of them.
    pub frame_base: u32,
}

impl Slots {
    /// The given MAC registers and words of the frame from `frame_base` on.
    pub fn new(free_mac: u8, frame_base: u32) -> Slots {
        Slots { free_mac, free_frame: Vec::new(), frame_words: 0, frame_base }
    }

    /// The best free place.
    pub fn take(&mut self) -> Slot {
        if prefer_mac() && self.free_mac != 0 {
            let m = self.free_mac.trailing_zeros() as u8;
            self.free_mac &= self.free_mac - 1;
            return Slot::Mac(m);
        }
        self.take_frame()
    }

    /// A word of the frame.
    pub fn take_frame(&mut self) -> Slot {
        match self.free_frame.pop() {
            Some(word) => Slot::Frame(word),
            None => {
                self.frame_words += 1;
                Slot::Frame(self.frame_words - 1)
            }
        }
    }

    fn give_back(&mut self, slot: Slot) {
        match slot {
            Slot::Mac(m) => self.free_mac |= 1 << m,
            Slot::Frame(word) => self.free_frame.push(word),
        }
    }

    /// Puts a register into its place.
    pub fn save(&self, slot: Slot, reg: Reg) -> Inst {
        match slot {
            Slot::Mac(m) => Inst { t: reg, imm: mac(m), ..Inst::new(Row::Wsr) },
            Slot::Frame(word) => self.frame(Row::S32i, word, reg),
        }
    }

    /// Gets a register back.
    pub fn load(&self, slot: Slot, reg: Reg) -> Inst {
        match slot {
            Slot::Mac(m) => Inst { t: reg, imm: mac(m), ..Inst::new(Row::Rsr) },
            Slot::Frame(word) => self.frame(Row::L32i, word, reg),
        }
    }

    fn frame(&self, row: Row, word: u32, reg: Reg) -> Inst {
        let imm = i64::from(self.frame_base + 4 * word);
        dense(Inst { t: reg, s: Reg::SP, imm, ..Inst::new(row) })
    }
}

/// The number of a MAC register among the special registers.
pub fn mac(m: u8) -> i64 {
    sr::M0 as i64 + i64::from(m)
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
}

/// What an instruction's immediate depends on that is known only when everything is laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refer {
    /// A label that it branches to, or where a loop ends.
    Label(String),
    /// Bytes from a loop's first instruction to behind its last one, as a multiple of 256 and a rest between -128 and 127: the multiple.
    SpanHigh(String),
    /// The rest.
    SpanLow(String),
    /// A literal, by its value.
    Literal(u32),
}

/// An instruction in place, with the title of the step that begins there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// With physical registers.
    pub inst: Inst,
    /// Empty if no step begins here.
    pub title: String,
    /// What its immediate stands for.
    pub refer: Option<Refer>,
}

impl From<Inst> for Placed {
    fn from(inst: Inst) -> Placed {
        Placed { inst: dense(inst), title: String::new(), refer: None }
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
    /// The group that sets up the loop behind this segment, and the loop's label.
    pub setup: Option<(usize, String)>,
}

/// Gives registers to a plan. `place` is where everything is before, and after it.
pub fn assign(segment: &Segment<'_>, actions: &[Action], place: &mut Placement, slots: &mut Slots) -> Vec<Placed> {
    let numbering = segment.numbering;
    let mut a = Assigner {
        segment,
        place,
        slots,
        uses: numbering.uses(segment.groups),
        bases: numbering.bases(segment.inputs, actions),
        temps: BTreeMap::new(),
        freed: [0; 16],
        clock: 0,
        sar: None,
        code: Vec::new(),
    };
    for together in actions.split_inclusive(|a| matches!(a, Action::Run(_))) {
        a.together(together);
    }
    a.code
}

struct Assigner<'a> {
    segment: &'a Segment<'a>,
    place: &'a mut Placement,
    slots: &'a mut Slots,
    /// Groups still to come that touch a variable.
    uses: Vec<u32>,
    bases: BTreeMap<u32, u32>,
    temps: BTreeMap<Var, Reg>,
    freed: [u32; 16],
    clock: u32,
    /// What is in SAR, if that is known.
    sar: Option<i64>,
    code: Vec<Placed>,
}

impl Assigner<'_> {
    /// A step with the moves before it. The planner counts on who leaves and who comes back being exchanged, in their order.
    fn together(&mut self, actions: &[Action]) {
        self.clock += 1;
        let mut leaving = actions.iter().filter_map(|a| if let Action::Save(v) = a { Some(*v) } else { None });
        for action in actions {
            match *action {
                Action::Drop(v) => self.release(v),
                Action::Load(v) if self.place.pinned >> v & 1 == 0 => match leaving.next() {
                    Some(out) => self.exchange(out, v),
                    None => self.load(v),
                },
                Action::Save(_) | Action::Load(_) | Action::Fetch(_) | Action::Run(_) => {}
            }
        }
        leaving.for_each(|v| self.save(v));
        for action in actions {
            match *action {
                Action::Load(v) if self.place.pinned >> v & 1 == 1 => self.load(v),
                Action::Fetch(v) => self.fetch(v),
                Action::Run(g) => self.run(g),
                _ => {}
            }
        }
    }

    fn emit(&mut self, inst: Inst) {
        self.code.push(inst.into());
    }

    /// `out` leaves, `back` takes its register.
    fn exchange(&mut self, out: u32, back: u32) {
        let (reg, slot) = (self.place.reg[&out], self.place.slot[&back]);
        match slot {
            Slot::Mac(m) if !self.place.slot.contains_key(&out) => {
                self.emit(Inst { t: reg, imm: mac(m), ..Inst::new(Row::Xsr) });
                self.place.slot.remove(&back);
                self.place.slot.insert(out, slot);
            }
            _ => {
                let free = self.place.slot.get(&out).copied().unwrap_or_else(|| self.slots.take());
                self.place.slot.insert(out, free);
                self.emit(self.slots.save(free, reg));
                self.emit(self.slots.load(slot, reg));
                self.place.slot.remove(&back);
                self.slots.give_back(slot);
            }
        }
        self.place.valid = (self.place.valid | 1 << out) & !(1 << back);
        self.place.reg.remove(&out);
        self.place.reg.insert(back, reg);
    }

    fn save(&mut self, v: u32) {
        let slot = match self.place.slot.get(&v) {
            Some(&slot) => slot,
            None => self.slots.take(),
        };
        self.place.slot.insert(v, slot);
        self.place.valid |= 1 << v;
        let inst = self.slots.save(slot, self.place.reg[&v]);
        self.emit(inst);
        self.release(v);
    }

    fn load(&mut self, v: u32) {
        let reg = self.pick();
        let inst = self.slots.load(self.place.slot[&v], reg);
        self.emit(inst);
        self.place.reg.insert(v, reg);
    }

    fn fetch(&mut self, v: u32) {
        let Some(place) = self.segment.numbering.input(self.segment.inputs, v) else { return };
        let base = self.segment.numbering.get(place.base);
        let base_reg = base.map_or(Reg::SP, |b| self.place.reg[&b]);
        if let Some(b) = base {
            // The base may be overwritten by the last word that is fetched through it.
            *self.bases.entry(b).or_insert(1) -= 1;
            self.release_if_dead(b);
        }
        let reg = self.pick();
        self.emit(Inst { t: reg, s: base_reg, imm: place.offset.into(), ..Inst::new(Row::L32i) });
        self.place.reg.insert(v, reg);
    }

    fn run(&mut self, g: usize) {
        let group = &self.segment.groups[g];
        let mut title = group.title.clone();
        self.written(&group.touches);
        for (at, inst) in group.insts.iter().enumerate() {
            if inst.op == Row::Ssai && self.sar.replace(inst.imm) == Some(inst.imm) {
                continue;
            }
            let (reads, writes) = inst.touched();
            writes.iter().chain(&reads).for_each(|&var| self.ensure(var));
            let placed = inst.map(|_, _, _, v: V| v.var().map_or(Reg(v.0 as u8), |var| self.reg_of(var)));
            let setup = self.segment.setup.as_ref().filter(|(group, _)| *group == g);
            let refer = refer_of(inst, setup.map(|(_, label)| label));
            let title = std::mem::take(&mut title);
            // What depends on the layout has a fixed length.
            let inst = if refer.is_some() { placed } else { dense(placed) };
            self.code.push(Placed { inst, title, refer });
            self.written(&writes);
            let later = &group.insts[at + 1..];
            self.end_temps(later);
            self.clock += 1;
        }
        let set = self.segment.numbering.set(all_touched(group));
        for v in (0..64).filter(|v| set >> v & 1 == 1) {
            self.uses[v as usize] -= 1;
            self.release_if_dead(v);
        }
    }

    fn end_temps(&mut self, later: &[Inst<V>]) {
        let used = |var: &Var| later.iter().any(|i| i.touched().0.contains(var) || i.touched().1.contains(var));
        let over: Vec<Var> = self.temps.keys().filter(|v| !used(v)).copied().collect();
        for var in over {
            if let Some(reg) = self.temps.remove(&var) {
                self.freed[reg.0 as usize] = self.clock;
            }
        }
    }

    /// A copy outside registers is stale once the variable is written.
    fn written(&mut self, writes: &[Var]) {
        for v in writes.iter().filter_map(|&w| self.segment.numbering.get(w)) {
            self.forget_copy(v);
        }
    }

    fn forget_copy(&mut self, v: u32) {
        self.place.valid &= !(1 << v);
        if self.place.pinned >> v & 1 == 0
            && let Some(slot) = self.place.slot.remove(&v)
        {
            self.slots.give_back(slot);
        }
    }

    fn release_if_dead(&mut self, v: u32) {
        let wanted = self.uses[v as usize] > 0
            || self.segment.live_out >> v & 1 == 1
            || self.bases.get(&v).is_some_and(|&left| left > 0);
        if !wanted {
            self.release(v);
            self.forget_copy(v);
        }
    }

    fn release(&mut self, v: u32) {
        if let Some(reg) = self.place.reg.remove(&v) {
            self.freed[reg.0 as usize] = self.clock;
        }
    }

    fn ensure(&mut self, var: Var) {
        match self.segment.numbering.get(var) {
            Some(v) if !self.place.reg.contains_key(&v) => {
                let reg = self.pick();
                self.place.reg.insert(v, reg);
            }
            None if !self.temps.contains_key(&var) => {
                let reg = self.pick();
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

    /// The register that has been free for the longest time, which leaves the scheduler the most room.
    fn pick(&self) -> Reg {
        let is_free = |r: &Reg| !self.place.reg.values().chain(self.temps.values()).any(|other| other == r);
        let free = (0..16).map(Reg).filter(|r| *r != Reg(SP.0 as u8) && is_free(r));
        match free.min_by_key(|r| (self.freed[r.0 as usize], r.0)) {
            Some(reg) => reg,
            None => unreachable!("the plan keeps within {} registers", super::problem::REGISTERS),
        }
    }
}

/// What an immediate stands for that depends on the layout; `setup` is the label of a loop that the instruction belongs to the setup of.
fn refer_of(inst: &Inst<V>, setup: Option<&String>) -> Option<Refer> {
    match (inst.op, setup) {
        (Row::L32r, _) => Some(Refer::Literal(inst.imm as u32)),
        (Row::Loop, Some(label)) => Some(Refer::Label(label.clone())),
        (Row::Addmi, Some(label)) => Some(Refer::SpanHigh(label.clone())),
        (Row::Addi, Some(label)) => Some(Refer::SpanLow(label.clone())),
        _ => None,
    }
}
