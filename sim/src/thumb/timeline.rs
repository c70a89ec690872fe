//! Cycle counting for code that runs: the pipeline model is stepped once for each way through a run of instructions
//! between two jumps, and what it said is looked up from then on.

use crate::cycles::thumb::{Core, Event, Flow, Memory, Pipeline, Profile};
use crate::slots::Slots;
use crate::thumb::slot::Slot;

/// What a run of instructions did beside going straight on, at one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Detour {
    /// The condition failed.
    Skipped,
    /// Its access was at these low bits of an address, and was split.
    Unaligned(u8),
}

/// One way through a run.
#[derive(Clone, Debug)]
struct Way {
    entry: u32,
    length: u32,
    detours: Vec<(u32, Detour)>,
    cycles: u64,
    exit: u32,
    count: u64,
}

/// The clock of a core that executes.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    core: Core,
    memory: Memory,
    /// Pipeline states at the start of a run that have occurred, relative in time.
    entries: Vec<Pipeline>,
    /// For each slot at which a run has begun, the ways through it.
    ways: Vec<Vec<Way>>,
    /// State in which the current run began.
    entry: u32,
    /// Cycles before the current run.
    before: u64,
    /// Detours of the current run.
    detours: Vec<(u32, Detour)>,
    /// The pipeline now, relative to `before`, if each instruction is stepped.
    live: Option<Pipeline>,
    /// Each instruction is stepped, always.
    always: bool,
    /// How often each slot was executed other than in a way.
    counts: Vec<u64>,
}

/// The current run: instructions since the last jump.
pub(crate) struct Run<'a> {
    /// Slot with which it began.
    pub first: u32,
    /// Number of instructions.
    pub length: u32,
    /// Address of its first instruction.
    pub address: u32,
    /// All slots.
    pub slots: &'a Slots<Slot, 1>,
}

impl Timeline {
    pub(crate) fn new(core: Core, memory: Memory) -> Timeline {
        let start = Pipeline::new(core, memory);
        // What an access costs depends on the memory that it goes to, so that each has to be seen.
        let always = memory.profile != Profile::Ideal;
        let (ways, detours, counts) = (Vec::new(), Vec::new(), Vec::new());
        let live = always.then_some(start);
        Timeline { core, memory, entries: vec![start], ways, entry: 0, before: 0, detours, live, always, counts }
    }

    /// From now on each instruction is stepped.
    pub(crate) fn watch_each(&mut self) {
        self.always = true;
        self.live = Some(self.entries[0]);
    }

    /// Each instruction is stepped from here on, up to the next interruption.
    pub(crate) fn step_each(&mut self, run: &Run) {
        if self.live.is_none() {
            self.live = Some(self.step(run, false));
            self.count(run);
            self.detours.clear();
        }
    }

    /// The current run ends here for something that takes `cycles`; what follows begins as after a jump.
    pub(crate) fn interrupted(&mut self, run: &Run, cycles: u64) {
        let mut pipeline = match self.live {
            Some(pipeline) => pipeline,
            None => {
                self.count(run);
                self.step(run, false)
            }
        };
        pipeline.interrupted(cycles);
        self.before += pipeline.rebase();
        self.entry = self.entry_of(pipeline);
        self.live = self.always.then_some(pipeline);
        self.detours.clear();
    }

    /// Counts the instructions of a run of which there is no way.
    fn count(&mut self, run: &Run) {
        let mut address = run.address;
        for _ in 0..run.length {
            let Some(number) = run.slots.number(address) else { break };
            self.count_one(number);
            address += u32::from(run.slots.all[number as usize].timing.size);
        }
    }

    fn count_one(&mut self, number: u32) {
        if self.counts.len() <= number as usize {
            self.counts.resize(number as usize + 1, 0);
        }
        self.counts[number as usize] += 1;
    }

    /// Number of a state at the start of a run.
    fn entry_of(&mut self, pipeline: Pipeline) -> u32 {
        let known = self.entries.iter().position(|entry| *entry == pipeline);
        known.unwrap_or_else(|| {
            self.entries.push(pipeline);
            self.entries.len() - 1
        }) as u32
    }

    #[inline]
    pub(crate) fn watches_each(&self) -> bool {
        self.live.is_some()
    }

    /// Starts anew, as after a jump to the first instruction.
    pub(crate) fn restart(&mut self) {
        (self.entry, self.before) = (0, 0);
        self.detours.clear();
        self.live = self.always.then(|| Pipeline::new(self.core, self.memory));
    }

    /// Steps over one instruction whose lowest data address is `data`, or `u32::MAX` if it accessed nothing.
    pub(crate) fn watch(&mut self, number: u32, slot: &Slot, data: u32, flow: Flow) {
        let Some(pipeline) = &mut self.live else { return };
        let mut event = Event { flow, ..Event::at(slot.address) };
        if data != u32::MAX {
            event.data = data;
        }
        pipeline.step(&slot.timing, &event);
        self.count_one(number);
    }

    /// Notes that instruction number `index` of the current run went another way.
    pub(crate) fn detour(&mut self, index: u32, what: Detour) {
        self.detours.push((index, what));
    }

    /// Forgets all ways, because code has changed.
    pub(crate) fn forget(&mut self) {
        self.ways.clear();
        self.counts.clear();
    }

    /// The current run has ended with a jump.
    #[inline]
    pub(crate) fn jumped(&mut self, run: &Run) {
        if self.live.is_some() {
            self.detours.clear();
            return;
        }
        let ways = self.ways.get_mut(run.first as usize);
        let known = ways.and_then(|ways| {
            ways.iter_mut().find(|w| w.entry == self.entry && w.length == run.length && w.detours == self.detours)
        });
        let (cycles, exit) = match known {
            Some(way) => {
                way.count += 1;
                (way.cycles, way.exit)
            }
            None => self.learn(run, true),
        };
        self.before += cycles;
        self.entry = exit;
        self.detours.clear();
    }

    /// The current run ends here without a jump; what follows is another one.
    pub(crate) fn cut(&mut self, run: &Run) {
        if self.live.is_none() && run.length > 0 {
            let (cycles, exit) = self.learn(run, false);
            self.before += cycles;
            self.entry = exit;
        }
        self.detours.clear();
    }

    /// Cycles up to the last instruction of a run that goes on.
    pub(crate) fn now(&self, run: &Run) -> u64 {
        self.before + self.live.map_or_else(|| self.step(run, false).cycles(), |pipeline| pipeline.cycles())
    }

    /// Cycles up to the end of the last run.
    pub(crate) fn settled(&self) -> u64 {
        self.before + self.live.map_or(0, |pipeline| pipeline.cycles())
    }

    /// Cycles as far as they were stepped, for traces.
    pub(crate) fn stepped(&self) -> u64 {
        self.live.map_or(0, |pipeline| self.before + pipeline.cycles())
    }

    #[cold]
    fn learn(&mut self, run: &Run, jumps: bool) -> (u64, u32) {
        let mut pipeline = self.step(run, jumps);
        let cycles = if jumps { pipeline.rebase() } else { 0 };
        let exit = self.entry_of(pipeline);
        if self.ways.len() <= run.first as usize {
            self.ways.resize(run.first as usize + 1, Vec::new());
        }
        let detours = self.detours.clone();
        let way = Way { entry: self.entry, length: run.length, detours, cycles, exit, count: 1 };
        self.ways[run.first as usize].push(way);
        (cycles, exit)
    }

    /// Steps the model through a run.
    fn step(&self, run: &Run, jumps: bool) -> Pipeline {
        let mut pipeline = self.entries[self.entry as usize];
        let mut address = run.address;
        let mut detours = self.detours.iter().peekable();
        for index in 0..run.length {
            let Some(number) = run.slots.number(address) else { break };
            let timing = &run.slots.all[number as usize].timing;
            let mut event = Event::at(address);
            if jumps && index + 1 == run.length {
                event.flow = Flow::Jump(0);
            }
            while let Some((_, what)) = detours.next_if(|(at, _)| *at == index) {
                match what {
                    Detour::Skipped => event.flow = Flow::Skipped,
                    Detour::Unaligned(low) => event.data += u32::from(*low),
                }
            }
            pipeline.step(timing, &event);
            address += u32::from(timing.size);
        }
        pipeline
    }

    /// How often runs were executed since the last time: first slot, number of instructions, times.
    pub(crate) fn take_counts(&mut self) -> Vec<(u32, u32, u64)> {
        let each = std::mem::take(&mut self.counts).into_iter().enumerate();
        let each = each.filter(|(_, times)| *times > 0).map(|(slot, times)| (slot as u32, 1, times));
        let ways = self.ways.iter_mut().enumerate();
        let ways = ways.flat_map(|(first, ways)| {
            ways.iter_mut().map(move |way| (first as u32, way.length, std::mem::take(&mut way.count)))
        });
        each.chain(ways).collect()
    }
}
