//! The order of instructions, by the cycle model.
//!
//! A local search: where the model sees a cycle lost, instructions nearby are moved or widened, and whatever makes the whole
//! shorter (in cycles, then in bytes) stays. Loads are moved in groups as well, since only neighbours overlap.

use super::assign::Placed;
use isa::thumb::{Control, Direction, Flags, Inst, Mode, Op as Row, Reg, Width, encode};
use sim::cycles::{Event, Flow, Pipeline, Timing};

/// Code with the pipeline's state before it.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// The address of the first instruction; only its place in its word matters.
    pub address: u32,
    /// For timing.
    pub core: sim::cycles::Core,
}

/// What an instruction touches, for deciding what can be exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Touch {
    core: (u16, u16),
    fp: (u32, u32),
    flags: (bool, bool),
    /// In the frame, first byte, bytes, is a store.
    memory: Option<(bool, i32, i32, bool)>,
    /// Nothing passes it.
    barrier: bool,
}

impl Touch {
    fn of(inst: &Inst) -> Touch {
        let e = inst.effects();
        let offset = if inst.mode == Mode::PostIndex { 0 } else { inst.imm };
        let memory = match inst.op {
            Row::LdrImm => Some((inst.n == Reg::SP, offset, 4, false)),
            Row::StrImm => Some((inst.n == Reg::SP, offset, 4, true)),
            Row::LdrshImm | Row::LdrhImm => Some((inst.n == Reg::SP, offset, 2, false)),
            Row::StrhImm => Some((inst.n == Reg::SP, offset, 2, true)),
            Row::LdrbImm => Some((inst.n == Reg::SP, offset, 1, false)),
            Row::StrbImm => Some((inst.n == Reg::SP, offset, 1, true)),
            Row::LdrdImm => Some((inst.n == Reg::SP, inst.imm, 8, false)),
            Row::StrdImm => Some((inst.n == Reg::SP, inst.imm, 8, true)),
            _ => e.memory.map(|m| {
                let anywhere = (i32::MIN / 2, i32::MAX);
                (m.base == Reg::SP, anywhere.0, anywhere.1, m.direction == Direction::Stores)
            }),
        };
        Touch {
            core: (e.core_reads, e.core_writes),
            fp: (e.fp_reads, e.fp_writes),
            // Saturation is sticky, and nothing that is generated looks at it; what reads the greater-or-equal bits would be a barrier.
            flags: (e.flags_read.meets(Flags::NZCV), e.flags_written.meets(Flags::NZCV)),
            memory,
            barrier: e.pinned || e.control != Control::Next || e.flags_read.meets(Flags::GE),
        }
    }

    /// True if the two must keep their order. Two parameters overlap entirely or not at all, so that accesses at different
    /// offsets are to different words whatever their bases are.
    fn conflicts(&self, other: &Touch) -> bool {
        let cross = |a: (u64, u64), b: (u64, u64)| (a.1 & (b.0 | b.1)) | (a.0 & b.1) != 0;
        let wide = |p: (u16, u16)| (u64::from(p.0), u64::from(p.1));
        let wide_fp = |p: (u32, u32)| (u64::from(p.0), u64::from(p.1));
        let wide_flag = |p: (bool, bool)| (u64::from(p.0), u64::from(p.1));
        self.barrier
            || other.barrier
            || cross(wide(self.core), wide(other.core))
            || cross(wide_fp(self.fp), wide_fp(other.fp))
            || cross(wide_flag(self.flags), wide_flag(other.flags))
            || match (self.memory, other.memory) {
                (Some(a), Some(b)) => {
                    (a.3 || b.3) && a.0 == b.0 && a.1 < b.1.saturating_add(b.2) && b.1 < a.1.saturating_add(a.2)
                }
                _ => false,
            }
    }
}

#[derive(Clone, Debug)]
struct Item {
    placed: Placed,
    touch: Touch,
    /// With the size of the chosen width.
    timing: Timing,
    /// The other width's timing, if the instruction has both.
    other: Option<Timing>,
}

fn timing(inst: &Inst, width: Width, core: sim::cycles::Core) -> Option<Timing> {
    // Until the layout the distance counts from the first instruction: what is there or before it takes 32 bits.
    let width = if inst.op == Row::Adr && inst.imm <= 0 { Width::Wide } else { width };
    let length = encode(&Inst { width, ..*inst }, false).ok()?.len;
    Some(Timing::of(inst, length, core))
}

impl Item {
    fn new(placed: Placed, core: sim::cycles::Core) -> Item {
        let touch = Touch::of(&placed.inst);
        let narrow = timing(&placed.inst, Width::Narrow, core);
        let wide = timing(&placed.inst, Width::Wide, core);
        let any = timing(&placed.inst, placed.inst.width, core);
        let chosen = any.or(narrow).or(wide).unwrap_or_else(|| Timing::of(&placed.inst, 4, core));
        let other = [narrow, wide].into_iter().flatten().find(|t| t.size != chosen.size);
        Item { placed, touch, timing: chosen, other }
    }

    fn toggle(&mut self) {
        if let Some(other) = self.other {
            self.other = Some(std::mem::replace(&mut self.timing, other));
            self.placed.inst.width = if self.timing.size == 2 { Width::Narrow } else { Width::Wide };
        }
    }

    fn is_load(&self) -> bool {
        self.placed.inst.op == Row::LdrImm
    }
}

/// How far an instruction is moved.
const REACH: usize = 12;
/// From how far away a gap is filled.
const FILL_REACH: usize = 40;
/// How far a group of loads is moved.
const LOAD_REACH: usize = 60;
/// After this many instructions, a change shows no further effect.
const SETTLE: usize = 24;
/// The pass after a loop's branch is looked at in bodies up to this length: in longer ones it hardly matters, and would take long.
const LOOP_MAX: usize = 700;
/// Rounds of search.
const SWEEPS: usize = 6;

/// Reorders straight code. `looping` is the branch back if it is the body of a loop; `flags_end` says that a branch after it reads
/// flags.
pub fn schedule(code: Vec<Placed>, start: Start, looping: Option<&Inst>, flags_end: bool) -> Vec<Placed> {
    let mut items: Vec<Item> = code.into_iter().map(|p| Item::new(p, start.core)).collect();
    if !flags_end && !items.iter().any(|i| i.touch.flags.0) {
        // Nobody reads flags, so that it does not matter who sets them last.
        items.iter_mut().for_each(|i| i.touch.flags = (false, false));
    } else if !items.iter().any(|i| i.touch.flags.0)
        && let Some(last) = items.iter().rposition(|i| i.touch.flags.1)
    {
        // All who set flags only have to be before the one whose flags are wanted.
        items[..last].iter_mut().filter(|i| i.touch.flags.1).for_each(|i| i.touch.flags = (true, false));
    }
    let branch = looping.filter(|_| items.len() <= LOOP_MAX).map(|b| Item::new(Placed::from(*b), start.core).timing);
    let mut search = Search { items, start, branch, before: Vec::new() };
    search.mark(0);
    for _ in 0..SWEEPS {
        let moved = search.move_loads() | search.move_single() | search.change_widths();
        if !moved {
            break;
        }
    }
    search.items.into_iter().map(|i| i.placed).collect()
}

/// Cycles and end of code in its order, with a taken branch back and a second pass if it is a loop's body.
struct Search {
    items: Vec<Item>,
    start: Start,
    branch: Option<Timing>,
    /// Pipeline and address before each instruction, and after the last one.
    before: Vec<(Pipeline, u32)>,
}

impl Search {
    /// Recomputes `before` from this instruction on.
    fn mark(&mut self, from: usize) {
        self.before.truncate(from + 1);
        if self.before.is_empty() {
            self.before.push((self.start.pipeline, self.start.address));
        }
        for i in from..self.items.len() {
            let (mut pipeline, address) = self.before[i];
            pipeline.step(&self.items[i].timing, &Event::at(address));
            self.before.push((pipeline, address + u32::from(self.items[i].timing.size)));
        }
    }

    /// Cycles until after instruction `end`, walking from the marks before `from`.
    fn walk(&self, from: usize, end: usize) -> u64 {
        let (mut pipeline, mut address) = self.before[from];
        for item in &self.items[from..end] {
            pipeline.step(&item.timing, &Event::at(address));
            address += u32::from(item.timing.size);
        }
        if end < self.items.len() {
            return pipeline.cycles();
        }
        if let Some(branch) = &self.branch {
            let back = Event { flow: Flow::Jump(self.start.address), ..Event::at(address) };
            pipeline.step(branch, &back);
            address = self.start.address;
            for item in &self.items {
                pipeline.step(&item.timing, &Event::at(address));
                address += u32::from(item.timing.size);
            }
            pipeline.step(branch, &Event { flow: Flow::Jump(self.start.address), ..Event::at(address) });
        }
        pipeline.cycles()
    }

    /// Where a change in `lo..=hi` is compared.
    fn horizon(&self, hi: usize) -> usize {
        if self.branch.is_some() { self.items.len() } else { (hi + SETTLE).min(self.items.len()) }
    }

    fn bytes(&self) -> u32 {
        self.items.iter().map(|i| u32::from(i.timing.size)).sum()
    }

    /// Instructions before which the model loses a cycle that another order might not lose.
    fn stalls(&self) -> Vec<usize> {
        let spent = |i: usize| self.before[i + 1].0.cycles() - self.before[i].0.cycles();
        (0..self.items.len()).filter(|&i| spent(i) > 1).collect()
    }

    fn move_single(&mut self) -> bool {
        let mut moved = false;
        for stall in self.stalls() {
            for from in stall.saturating_sub(3)..(stall + 4).min(self.items.len()) {
                moved |= self.move_best(from, 1, REACH);
            }
            moved |= self.fill(stall);
        }
        moved
    }

    /// Brings an instruction from further away into the gap before `stall`.
    fn fill(&mut self, stall: usize) -> bool {
        let near = stall.saturating_sub(FILL_REACH)..(stall + FILL_REACH).min(self.items.len());
        for from in near {
            let (up, distance) = if from < stall { (false, stall - 1 - from) } else { (true, from - stall) };
            let passable = (1..=distance).all(|d| self.target(from, 1, up, d).is_some());
            let to = if from < stall { stall - 1 } else { stall };
            if distance > 0 && passable && self.gain(from, 1, to) > 0 {
                self.shift(from, 1, to);
                self.mark(from.min(to));
                return true;
            }
        }
        false
    }

    fn move_loads(&mut self) -> bool {
        let mut moved = false;
        let mut i = 0;
        while i < self.items.len() {
            let run = self.items[i..].iter().take_while(|x| x.is_load()).count();
            for length in (1..=run).rev() {
                moved |= self.move_best(i, length, LOAD_REACH);
            }
            i += run.max(1);
        }
        moved
    }

    /// Moves `length` instructions from `from` to the best place within reach, if there is a better one.
    fn move_best(&mut self, from: usize, length: usize, reach: usize) -> bool {
        let mut best: Option<(u64, usize)> = None;
        for up in [true, false] {
            for distance in 1..=reach {
                let Some(to) = self.target(from, length, up, distance) else { break };
                let gain = self.gain(from, length, to);
                if gain > 0 && best.is_none_or(|(g, _)| gain > g) {
                    best = Some((gain, to));
                }
            }
        }
        let Some((_, to)) = best else { return false };
        self.shift(from, length, to);
        self.mark(from.min(to));
        true
    }

    /// The place `distance` further up or down, if nothing on the way has to keep its order with what is moved.
    fn target(&self, from: usize, length: usize, up: bool, distance: usize) -> Option<usize> {
        let block = from..from + length;
        let (passed, to) = if up {
            let to = from.checked_sub(distance)?;
            (to, to)
        } else {
            let passed = from + length + distance - 1;
            (passed, from + distance)
        };
        let crossing = &self.items.get(passed)?.touch;
        let free = self.items.get(block)?.iter().all(|i| !i.touch.conflicts(crossing));
        free.then_some(to)
    }

    fn shift(&mut self, from: usize, length: usize, to: usize) {
        if to < from {
            self.items[to..from + length].rotate_right(length);
        } else {
            self.items[from..to + length].rotate_left(length);
        }
    }

    /// Cycles won by a move; the items are as before afterwards.
    fn gain(&mut self, from: usize, length: usize, to: usize) -> u64 {
        let lo = from.min(to);
        let end = self.horizon(from.max(to) + length);
        let old = if self.branch.is_some() { self.walk(lo, end) } else { self.before[end].0.cycles() };
        self.shift(from, length, to);
        let new = self.walk(lo, end);
        self.shift(to, length, from);
        old.saturating_sub(new)
    }

    /// Widens or narrows single instructions, and pairs of them, where that saves cycles, or saves bytes and costs none.
    fn change_widths(&mut self) -> bool {
        let mut changed = false;
        let flexible: Vec<usize> = (0..self.items.len()).filter(|&i| self.items[i].other.is_some()).collect();
        for (k, &i) in flexible.iter().enumerate() {
            changed |= self.try_toggle(&[i]);
            if let Some(&j) = flexible.get(k + 1) {
                changed |= self.try_toggle(&[i, j]);
            }
        }
        changed
    }

    fn try_toggle(&mut self, which: &[usize]) -> bool {
        let from = which[0];
        let end = self.items.len();
        let old = (self.walk(from, end), self.bytes());
        which.iter().for_each(|&i| self.items[i].toggle());
        let new = (self.walk(from, end), self.bytes());
        if new < old {
            self.mark(from);
            return true;
        }
        which.iter().for_each(|&i| self.items[i].toggle());
        false
    }
}
