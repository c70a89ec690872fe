//! The machine: state, memory, clock and checks, and the loop that executes instructions.

use super::Abi;
use super::effects::{CALL, EXCHANGE, Effects, LOAD, STACK, STORE, SYSTEM};
use super::marks::Marks;
use super::set::Set;
use super::slot::{Slot, decode_at};
use super::system::System;
use crate::cycles::xtensa::{Core, Costs, Event, Flow, Pipeline};
use crate::error::{SimError, Violations};
use crate::memory::{Memory, Region};
use crate::program::Program;
use crate::slots::{NoSlot, Slots};
use crate::{DEFAULT_LIMIT, Sink};
use isa::xtensa::{Fault, Outcome, State, execute};
use std::collections::BTreeMap;

/// A core with a program in its memory.
pub struct Machine {
    pub(crate) program: Program,
    pub(crate) core: Core,
    pub(crate) abi: Abi,
    pub(crate) costs: Costs,
    pub(crate) memory: Memory,
    pub(crate) state: State,
    pub(crate) pipeline: Pipeline,
    pub(crate) slots: Slots<Slot, 0>,
    /// Registers whose content is secret, and registers that have none.
    pub(crate) secret: Marks,
    pub(crate) undefined: Marks,
    /// WINDOWBASE as the last instruction left it.
    pub(crate) window: u32,
    /// Where the called function returns to; nothing is mapped there.
    pub(crate) return_address: u32,
    /// Arguments given, and the place in the register file of the first.
    pub(crate) given: usize,
    pub(crate) arguments: u32,
    /// Functions called so far: each call finds other junk.
    pub(crate) calls: u64,
    pub(crate) instructions: u64,
    pub(crate) taken_branches: u64,
    /// The stack pointer as the last instruction left it, its lowest value, and that at the start.
    pub(crate) sp: u32,
    pub(crate) sp_low: u32,
    pub(crate) sp_start: u32,
    /// Stack pointers of the callers in which windowed functions are active, the first caller's first.
    pub(crate) callers: Vec<u32>,
    /// The cycle in which to look around between two instructions.
    pub(crate) alarm: u64,
    /// What surrounds the core of a booted image; a called function has nothing.
    pub(crate) system: Option<Box<System>>,
    /// An instruction was executed since the last exception.
    pub(crate) executed_since: bool,
    /// Interrupts that come every so many instructions and which, and after how many instructions the next one does.
    pub(crate) interrupts: Option<(u64, Option<u16>)>,
    pub(crate) next_interrupt: u64,
    pub(crate) violations: Violations,
    histogram: BTreeMap<&'static str, u64>,
    limit: u64,
    trace: Option<Sink>,
}

/// Why executing stopped.
pub(crate) enum Stop {
    /// The function returned, by the instruction in this slot.
    Returned(u32),
    /// SIMCALL, in this slot.
    Simcall(u32),
    /// BREAK, in this slot, with its first operand.
    Breakpoint(u32, u8),
    /// The core sleeps, and nothing can wake it.
    Asleep,
}

/// What follows an instruction.
pub(crate) enum Step {
    /// The instruction in this slot.
    To(u32),
    Stop(Stop),
}

impl Machine {
    /// A machine with the program's memory mapped.
    ///
    /// # Errors
    ///
    /// [`SimError::Layout`] if segments overlap.
    pub fn new(program: Program, core: Core, abi: Abi) -> Result<Machine, SimError> {
        let memory = Memory::of(&program)?;
        Ok(Machine {
            program,
            core,
            abi,
            costs: Costs::of(core),
            memory,
            state: State::new(),
            pipeline: Pipeline::new(core),
            slots: Slots::new(),
            secret: Marks::default(),
            undefined: Marks::default(),
            window: 0,
            return_address: 0,
            given: 0,
            arguments: 0,
            calls: 0,
            instructions: 0,
            taken_branches: 0,
            sp: 0,
            sp_low: u32::MAX,
            sp_start: 0,
            callers: Vec::new(),
            alarm: 0,
            system: None,
            executed_since: true,
            interrupts: None,
            next_interrupt: u64::MAX,
            violations: Violations::default(),
            histogram: BTreeMap::new(),
            limit: DEFAULT_LIMIT,
            trace: None,
        })
    }

    /// Gives up after this many instructions.
    pub fn set_limit(&mut self, instructions: u64) {
        self.limit = instructions;
    }

    /// Gives a line for each executed instruction to `sink`: cycles after it, address, text. Slows execution down.
    pub fn set_trace(&mut self, sink: Sink) {
        self.trace = Some(sink);
    }

    /// From now on each run is interrupted every so many instructions (0 is taken for 1), those of handlers
    /// included, but not while a handler runs.
    ///
    /// With `irq`, that interrupt becomes pending; the firmware has to have enabled it, and to handle and clear it. Without, a
    /// stand-in does what any handler may do, in no time: what lies below sp is overwritten, where the window's registers may be
    /// saved too, and registers are restored. That works for called functions too, and shows whatever they keep below sp.
    pub fn interrupt_every(&mut self, instructions: u64, irq: Option<u16>) {
        self.interrupts = Some((instructions.max(1), irq));
    }

    /// Clears what an earlier run has left, and starts at an address.
    pub(crate) fn start(&mut self, address: u32, sp: u32) {
        self.pipeline = Pipeline::new(self.core);
        (self.secret, self.undefined) = (Marks::default(), Marks::default());
        (self.instructions, self.taken_branches) = (0, 0);
        (self.sp, self.sp_low, self.sp_start) = (sp, sp, sp);
        self.callers.clear();
        self.alarm = 0;
        self.next_interrupt = self.interrupts.map_or(u64::MAX, |(every, _)| every);
        self.executed_since = true;
        self.violations.clear();
        self.state = State::new();
        self.state.pc = address;
        self.window = 0;
    }

    /// Executes up to the function's return.
    pub(crate) fn execute(&mut self) -> Result<Stop, SimError> {
        let mut number = self.fetch(self.state.pc, None)?;
        loop {
            if self.pipeline.cycles() >= self.alarm {
                number = self.look_around(number)?;
            }
            let slot = &self.slots.all[number as usize];
            if slot.effects.marks & SYSTEM != 0 {
                self.tell_time();
            }
            let slot = &mut self.slots.all[number as usize];
            let result = execute(&mut self.state, &mut self.memory, &slot.inst, u32::from(slot.timing.size));
            let flow = match result {
                Ok(Outcome::Next) => Flow::Next,
                Ok(Outcome::Jumped) => Flow::Jump,
                Ok(Outcome::LoopedBack) => Flow::Back,
                _ => match self.unusual(number, result)? {
                    Step::To(next) => {
                        number = next;
                        continue;
                    }
                    Step::Stop(stop) => return Ok(stop),
                },
            };
            slot.count += 1;
            let event = Event { address: slot.address, data: self.memory.log.first, flow };
            self.pipeline.step(&slot.timing, &event);
            self.instructions += 1;
            self.executed_since = true;
            let Effects { reads, uses, sensitive, writes, data, marks, .. } = slot.effects;
            let next = if flow == Flow::Next { slot.next } else { 0 };
            let mut tainted = if reads & self.secret.seen != 0 { data } else { 0 };
            let mut kept = 0;
            if (uses & self.undefined.seen) | (sensitive & self.secret.seen) != 0 {
                kept = self.check(number)?;
            }
            if marks & (LOAD | STORE | STACK | EXCHANGE | CALL | SYSTEM) != 0 {
                (tainted, kept) = self.after(number, tainted, kept);
            }
            self.secret.seen = self.secret.seen & !data | tainted;
            self.undefined.seen = self.undefined.seen & !writes | kept;
            if self.trace.is_some() {
                self.trace(number);
            }
            if next != 0 && !self.slots.all.is_empty() {
                number = next;
                continue;
            }
            match self.follow(number, flow)? {
                Step::To(next) => number = next,
                Step::Stop(stop) => return Ok(stop),
            }
        }
    }

    /// The instruction after one of which it is not known.
    fn follow(&mut self, number: u32, flow: Flow) -> Result<Step, SimError> {
        self.taken_branches += u64::from(flow == Flow::Jump);
        let pc = self.state.pc;
        if flow != Flow::Next
            && let Some(next) = self.slots.get(pc)
        {
            if next == number && self.is_endless(number) {
                return Err(SimError::Endless(self.site(number).into()));
            }
            return Ok(Step::To(next));
        }
        if flow == Flow::Jump && pc == self.return_address && self.system.is_none() {
            return Ok(Step::Stop(Stop::Returned(number)));
        }
        let next = self.fetch(pc, Some(number))?;
        if flow == Flow::Next
            && let Some(slot) = self.slots.all.get_mut(number as usize)
        {
            slot.next = next;
        }
        Ok(Step::To(next))
    }

    /// What is to be done now and then: giving up, interrupts. Returns the slot of the next instruction.
    #[cold]
    fn look_around(&mut self, number: u32) -> Result<u32, SimError> {
        if self.instructions >= self.limit {
            return Err(SimError::Limit { limit: self.limit, site: self.site(number).into() });
        }
        if let Some((every, irq)) = self.interrupts
            && self.instructions >= self.next_interrupt
        {
            self.next_interrupt = self.instructions + every;
            self.come_in(irq)?;
        }
        let interrupted = self.system.is_some() && self.take_interrupt();
        // An instruction takes a cycle at least.
        let left = self.limit.min(self.next_interrupt) - self.instructions;
        self.alarm = self.pipeline.cycles().saturating_add(left).min(self.timer_alarm());
        if interrupted { self.fetch(self.state.pc, None) } else { Ok(number) }
    }

    /// Effects of an access, of a change of the stack pointer or of the window on what the checks know. Takes and returns the
    /// registers that are secret after it, and those that have no content.
    #[inline]
    fn after(&mut self, number: u32, mut tainted: Set, mut kept: Set) -> (Set, Set) {
        let Effects { marks, stored, .. } = self.slots.all[number as usize].effects;
        if marks & (LOAD | STORE) != 0 {
            if stored & (self.secret.seen | self.undefined.seen) != 0 {
                self.mark_stored(number);
            }
            if self.memory.log.loaded != 0 {
                (tainted, kept) = self.mark_loaded(number, tainted, kept);
                self.memory.log.loaded = 0;
            }
            if self.memory.log.stack_wrote != u32::MAX {
                self.stack_written(number);
            }
            if let Some((from, to)) = self.memory.log.code_wrote.take()
                && self.slots.any_in(from, to)
            {
                self.forget_code();
            }
            self.memory.log.unaligned = false;
            self.memory.log.first = u32::MAX;
        }
        if marks & EXCHANGE != 0 {
            (tainted, kept) = self.exchanged(number);
        }
        if marks & STACK != 0 {
            self.stack_moved(number);
        }
        if marks & CALL != 0 {
            self.reserve_for_callee(number);
        }
        if marks & SYSTEM != 0 {
            self.after_system(number);
        }
        (tainted, kept)
    }

    /// All code is decoded anew.
    pub(crate) fn forget_code(&mut self) {
        self.count();
        self.slots.clear();
    }

    #[cold]
    fn trace(&mut self, number: u32) {
        if let (Some(sink), Some(slot)) = (&mut self.trace, self.slots.all.get(number as usize)) {
            sink(&format!("{:>10}  {:08x}  {}", self.pipeline.cycles(), slot.address, slot.inst));
        }
    }

    /// The slot at an address.
    #[cold]
    pub(crate) fn fetch(&mut self, address: u32, from: Option<u32>) -> Result<u32, SimError> {
        let core = self.core;
        let decode = |region: &Region| decode_at(region, core, address);
        match self.slots.find(&mut self.memory, address, decode) {
            Ok(number) => Ok(number),
            Err(NoSlot::NoCode) => {
                let why = self.memory.describe(address, 1);
                let from = from.map_or("the start".into(), |number| self.site(number).to_string());
                let error = SimError::Fetch { address, why, from };
                if self.system.is_some() { self.raise_fetch(false, error) } else { Err(error) }
            }
            Err(NoSlot::Undefined { what, .. }) => {
                let site = self.program.site(address, "?".into());
                let error = SimError::Instruction { site: site.into(), what };
                if self.system.is_some() { self.raise_fetch(true, error) } else { Err(error) }
            }
        }
    }

    /// What neither goes on nor jumps.
    #[cold]
    fn unusual(&mut self, number: u32, result: Result<Outcome, Fault>) -> Result<Step, SimError> {
        self.memory.log.first = u32::MAX;
        let booted = self.system.is_some();
        match result {
            Err(Fault::Break(first, _)) if booted => Ok(Step::Stop(Stop::Breakpoint(number, first))),
            Err(fault) if booted => {
                let error = self.refused(number, fault);
                self.raise(fault, error)
            }
            Err(fault @ (Fault::WindowOverflow(_) | Fault::WindowUnderflow(_) | Fault::Alloca)) => {
                self.move_frame(number, fault)?;
                Ok(Step::To(number))
            }
            Err(fault) => {
                self.check(number)?;
                Err(self.refused(number, fault))
            }
            Ok(outcome) if booted => self.stands_still(number, outcome),
            Ok(outcome) => {
                let what = match outcome {
                    Outcome::Simcall => "a called function has no simulator to ask: only firmware has",
                    _ => "a called function cannot sleep: only firmware can",
                };
                Err(SimError::Instruction { site: self.site(number).into(), what: what.into() })
            }
        }
    }

    /// SIMCALL and WAITI.
    fn stands_still(&mut self, number: u32, outcome: Outcome) -> Result<Step, SimError> {
        let slot = &mut self.slots.all[number as usize];
        slot.count += 1;
        self.instructions += 1;
        self.executed_since = true;
        self.pipeline.step(&slot.timing, &Event::at(slot.address));
        self.alarm = 0;
        if outcome == Outcome::Simcall {
            return Ok(Step::Stop(Stop::Simcall(number)));
        }
        if !self.sleep() {
            return Ok(Step::Stop(Stop::Asleep));
        }
        self.fetch(self.state.pc, None).map(Step::To)
    }

    pub(crate) fn slot(&self, number: u32) -> &Slot {
        &self.slots.all[number as usize]
    }

    /// Adds the executed instructions to the histogram, and forgets their number.
    fn count(&mut self) {
        for slot in &mut self.slots.all {
            let times = std::mem::take(&mut slot.count);
            if times > 0 {
                *self.histogram.entry(slot.inst.op.row().mnemonic).or_default() += times;
            }
        }
    }

    /// How often each mnemonic was executed since the machine was made.
    pub fn histogram(&mut self) -> &BTreeMap<&'static str, u64> {
        self.count();
        &self.histogram
    }
}
