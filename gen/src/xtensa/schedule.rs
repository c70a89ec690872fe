//! The order of instructions, by the cycle model.
//!
//! The plan's order is good but for what has to wait: loads, and what comes out of special registers. First the instructions are issued
//! anew, each time the first one of the next few that waits least; then, where a cycle is still lost, instructions nearby are moved if that
//! makes the whole shorter.

use super::assign::Placed;
use isa::xtensa::{Control, Core, Direction, Effects, Inst, Reg, encode};
use sim::cycles::xtensa::{Event, Flow, Pipeline, Timing};

/// Code with the pipeline's state before it.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// The address of the first instruction; only its place in its word matters.
    pub address: u32,
    /// For timing.
    pub core: Core,
}

impl Start {
    /// At the beginning of a function.
    pub fn new(core: Core) -> Start {
        Start { pipeline: Pipeline::new(core), address: 0, core }
    }

    /// Executes one instruction.
    pub fn step(&mut self, inst: &Inst, flow: Flow) {
        let timing = timing(inst, self.core);
        self.timed(&timing, flow);
    }

    fn timed(&mut self, timing: &Timing, flow: Flow) {
        self.pipeline.step(timing, &Event { flow, ..Event::at(self.address) });
        self.address += u32::from(timing.size);
    }
}

fn timing(inst: &Inst, core: Core) -> Timing {
    // What cannot be encoded yet, for a distance that is not known, is long.
    Timing::of(inst, encode(inst).map_or(3, |e| e.len), core)
}

/// From how many instructions the next one is chosen.
const AHEAD: usize = 24;
/// How far an instruction is moved, and from how far around a stall.
const REACH: usize = 16;
/// After this many instructions, a change shows no further effect.
const SETTLE: usize = 16;
/// Rounds of search.
const SWEEPS: usize = 4;

struct Item {
    placed: Placed,
    effects: Effects,
    timing: Timing,
}

/// True if the two must keep their order. Two parameters overlap entirely or not at all, so that accesses at different
/// offsets are to different words whatever their bases are.
fn conflict(a: &Item, b: &Item) -> bool {
    let barrier = |e: &Effects| e.pinned || e.control != Control::Next;
    let (x, y) = (&a.effects, &b.effects);
    barrier(x)
        || barrier(y)
        || x.writes.meets(&y.reads)
        || x.writes.meets(&y.writes)
        || x.reads.meets(&y.writes)
        || match (x.memory, y.memory) {
            (Some(m), Some(n)) => {
                let stores = m.direction == Direction::Stores || n.direction == Direction::Stores;
                let same = (m.base == Some(Reg::SP)) == (n.base == Some(Reg::SP));
                let (i, j) = (a.placed.inst.imm, b.placed.inst.imm);
                stores && same && i < j + i64::from(n.bytes) && j < i + i64::from(m.bytes)
            }
            _ => false,
        }
}

/// Reorders straight code.
pub fn schedule(code: Vec<Placed>, start: Start) -> Vec<Placed> {
    let item = |placed: Placed| {
        let (effects, timing) = (placed.inst.effects(), timing(&placed.inst, start.core));
        Item { placed, effects, timing }
    };
    let items: Vec<Item> = code.into_iter().map(item).collect();
    let order = issue(&items, start);
    let mut search = Search { items, order, start, before: Vec::new() };
    search.mark(0);
    for _ in 0..SWEEPS {
        if !search.improve() {
            break;
        }
    }
    let Search { items, order, .. } = search;
    let mut items: Vec<Option<Item>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| items[i].take()).map(|i| i.placed).collect()
}

/// An order in which instructions wait little.
fn issue(items: &[Item], start: Start) -> Vec<usize> {
    let mut order = Vec::new();
    let mut waiting: Vec<usize> = (0..items.len()).collect();
    let mut at = start;
    while !waiting.is_empty() {
        let near = waiting.len().min(AHEAD);
        let free = |&k: &usize| (0..k).all(|earlier| !conflict(&items[waiting[earlier]], &items[waiting[k]]));
        let cost = |k: usize| {
            let mut after = at;
            after.timed(&items[waiting[k]].timing, Flow::Next);
            after.pipeline.cycles()
        };
        let next = (0..near).filter(free).min_by_key(|&k| (cost(k), k)).unwrap_or(0);
        let chosen = waiting.remove(next);
        at.timed(&items[chosen].timing, Flow::Next);
        order.push(chosen);
    }
    order
}

struct Search {
    items: Vec<Item>,
    order: Vec<usize>,
    start: Start,
    /// The state before each instruction, and after the last one.
    before: Vec<Start>,
}

impl Search {
    /// Recomputes `before` from this place on.
    fn mark(&mut self, from: usize) {
        self.before.truncate(from + 1);
        if self.before.is_empty() {
            self.before.push(self.start);
        }
        for k in from..self.order.len() {
            let mut at = self.before[k];
            at.timed(&self.items[self.order[k]].timing, Flow::Next);
            self.before.push(at);
        }
    }

    fn improve(&mut self) -> bool {
        let spent = |k: usize| self.before[k + 1].pipeline.cycles() - self.before[k].pipeline.cycles();
        let stalls: Vec<usize> = (0..self.order.len()).filter(|&k| spent(k) > 1).collect();
        let mut better = false;
        for stall in stalls {
            for from in stall.saturating_sub(REACH)..(stall + REACH).min(self.order.len()) {
                better |= self.move_best(from);
            }
        }
        better
    }

    /// Moves an instruction to the best place within reach, if there is a better one.
    fn move_best(&mut self, from: usize) -> bool {
        let mut best: Option<(u64, usize)> = None;
        let blocks = |s: &Search, other: usize| {
            let (a, b) = (&s.items[s.order[from]], &s.items[s.order[other]]);
            conflict(a, b)
        };
        let up = (from.saturating_sub(REACH)..from).rev().take_while(|&to| !blocks(self, to));
        let down = (from + 1..(from + REACH).min(self.order.len())).take_while(|&to| !blocks(self, to));
        for to in up.chain(down).collect::<Vec<_>>() {
            let gain = self.gain(from, to);
            if gain > 0 && best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, to));
            }
        }
        let Some((_, to)) = best else { return false };
        shift(&mut self.order, from, to);
        self.mark(from.min(to));
        true
    }

    /// Cycles won by a move.
    fn gain(&mut self, from: usize, to: usize) -> u64 {
        let (low, end) = (from.min(to), (from.max(to) + 1 + SETTLE).min(self.order.len()));
        shift(&mut self.order, from, to);
        let mut at = self.before[low];
        self.order[low..end].iter().for_each(|&i| at.timed(&self.items[i].timing, Flow::Next));
        shift(&mut self.order, to, from);
        self.before[end].pipeline.cycles().saturating_sub(at.pipeline.cycles())
    }
}

fn shift(order: &mut [usize], from: usize, to: usize) {
    if to < from {
        order[to..=from].rotate_right(1);
    } else {
        order[from..=to].rotate_left(1);
    }
}
