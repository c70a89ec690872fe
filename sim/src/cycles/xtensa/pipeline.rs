//! The state between two instructions, and the step over one.

use super::{Core, Costs, Timing};
use crate::xtensa::set::Set;

/// Where control went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next instruction; into the loop.
    Next,
    /// Somewhere else: a taken branch, a jump, call or return; behind the loop that would have begun here.
    Jump,
    /// From the last instruction of a loop back to its first.
    Back,
}

/// What is known of an instruction only when it is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its own address; only the low two bits matter.
    pub address: u32,
    /// The lowest address that it loads or stores; only the low four bits matter.
    pub data: u32,
    /// Where control went.
    pub flow: Flow,
}

impl Event {
    /// An instruction at `address` that goes on to the next, with aligned data.
    pub const fn at(address: u32) -> Event {
        Event { address, data: 0, flow: Flow::Next }
    }
}

/// The longest that a result can be waited for, one more than any latency of [`Costs`] needs.
const STALLS: usize = 4;

/// The pipeline between two instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    straddle: u8,
    split: u8,
    width: u8,
    /// The next instruction is the first after a jump, or the first of a loop again.
    redirected: bool,
    cycles: u64,
    /// Registers for which an instruction that is issued in this cycle, the next one, the one after that would have to wait.
    pending: [Set; STALLS],
}

impl Pipeline {
    /// As after a taken branch, with nothing pending.
    pub const fn new(core: Core) -> Pipeline {
        Pipeline::with(&Costs::of(core))
    }

    /// The same with other numbers.
    pub const fn with(costs: &Costs) -> Pipeline {
        let Costs { straddle, split, width, .. } = *costs;
        Pipeline { straddle, split, width, redirected: true, cycles: 0, pending: [0; STALLS] }
    }

    /// Cycles so far: see the [module](super) for where the count begins and ends.
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Something that is no instruction takes `cycles`; what follows begins as after a jump.
    pub fn interrupted(&mut self, cycles: u64) {
        self.cycles += cycles;
        (self.redirected, self.pending) = (true, [0; STALLS]);
    }

    /// Executes one instruction.
    #[inline]
    pub fn step(&mut self, timing: &Timing, event: &Event) {
        let across = (event.address & 3) + u32::from(timing.size) > 4;
        // The second word of a target is fetched while operands are waited for.
        let fetch = if self.redirected && across { usize::from(self.straddle) } else { 0 };
        let busy =
            fetch.max(self.stall(timing)) + usize::from(timing.occupancy) + usize::from(self.splits(timing, event));
        let refill = if event.flow == Flow::Jump { usize::from(timing.refill) } else { 0 };
        self.pass(busy + refill);
        self.redirected = event.flow != Flow::Next;
        let rest = usize::from(timing.latency).saturating_sub(usize::from(timing.occupancy) + refill);
        for (index, pending) in self.pending.iter_mut().enumerate() {
            *pending = *pending & !timing.writes | if index < rest { timing.late } else { 0 };
        }
    }

    /// Cycles that it waits for operands.
    #[inline]
    fn stall(&self, timing: &Timing) -> usize {
        let waits = self.pending.iter().rposition(|pending| pending & timing.reads != 0);
        waits.map_or(0, |index| index + 1)
    }

    /// Lets time pass.
    #[inline]
    fn pass(&mut self, cycles: usize) {
        self.cycles += cycles as u64;
        if self.pending[0] != 0 {
            self.pending.copy_within(cycles.min(STALLS).., 0);
            self.pending[STALLS.saturating_sub(cycles)..].fill(0);
        }
    }

    /// What it costs more that the access reaches into the next unit of the data bus.
    #[inline]
    fn splits(&self, timing: &Timing, event: &Event) -> u8 {
        let offset = event.data as u8 & (self.width - 1);
        if timing.access > 1 && offset + timing.access > self.width { self.split } else { 0 }
    }
}
