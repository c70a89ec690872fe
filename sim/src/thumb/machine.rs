//! The machine: state, memory, clock and checks, and the loop that executes instructions.

use crate::cycles::thumb::{Core, Flow, Memory as MemoryModel};
use crate::error::{SimError, Violations};
use crate::memory::{AccessLog, Memory, Region};
use crate::program::Program;
use crate::slots::{NoSlot, Slots};
use crate::thumb::board::Board;
use crate::thumb::costs::{Costs, FunctionCost};
use crate::thumb::effects::{Effects, IN_BLOCK, LOAD, STACK, STORE, Set};
use crate::thumb::mixed::Mixed;
use crate::thumb::secrets::Marks;
use crate::thumb::slot::{Slot, decode_at};
use crate::thumb::system::{Alarm, Every, special};
use crate::thumb::timeline::{Detour, Run, Timeline};
use crate::{DEFAULT_LIMIT, Sink};
use isa::thumb::{Fault, Outcome, State, execute};
use std::collections::BTreeMap;

/// Where a called function returns to. Nothing is mapped there.
pub(crate) const RETURN: u32 = 0xffff_ff00;
/// A core with a program in its memory.
pub struct Machine {
    pub(crate) program: Program,
    pub(crate) core: Core,
    pub(crate) memory: Memory,
    pub(crate) state: State,
    pub(crate) timeline: Timeline,
    slots: Slots<Slot, 1>,
    /// Registers and flags whose content is secret, and registers that have none.
    pub(crate) secret: Set,
    pub(crate) undefined: Set,
    /// Secret registers that hold a word as it was loaded, so that it is known which of its bytes are secret.
    pub(crate) mixed: Mixed,
    /// Arguments given; a read of an undefined register below 4 is reported with it.
    pub(crate) given: usize,
    /// Functions called so far: each call finds other junk.
    pub(crate) calls: u64,
    /// The current run of instructions since the last jump: its first slot and address, and its instructions so far.
    first: u32,
    address: u32,
    pub(crate) length: u32,
    pub(crate) instructions: u64,
    pub(crate) taken_branches: u64,
    /// The stack pointer as the last instruction left it, and its lowest value.
    pub(crate) sp: u32,
    pub(crate) sp_low: u32,
    /// The lowest value of the stack pointer that is not in use.
    pub(crate) other_sp_low: u32,
    pub(crate) on_process_stack: bool,
    /// The stack pointer at the start.
    pub(crate) sp_start: u32,
    /// What an image is booted on, beside its memory.
    pub(crate) board: Option<Board>,
    /// When to look around between two instructions.
    pub(crate) alarm: Alarm,
    /// Interrupts that come every so many instructions, and which.
    pub(crate) interrupts: Option<(u64, Option<u16>)>,
    pub(crate) violations: Violations,
    pub(super) marks: Marks,
    histogram: BTreeMap<&'static str, u64>,
    pub(super) limit: u64,
    pub(super) trace: Option<Sink>,
    costs: Option<Box<Costs>>,
}

/// Why executing stopped.
pub(crate) enum Stop {
    /// The function returned, by the instruction in this slot.
    Returned(u32),
    /// BKPT with this immediate; the next instruction is behind it.
    Breakpoint(u8),
    /// The image asked for a reset.
    Reset,
    /// The core sleeps, and nothing can wake it.
    Asleep,
    /// There is text for the console. It goes on after that.
    Text,
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
    pub fn new(program: Program, core: Core, model: impl Into<MemoryModel>) -> Result<Machine, SimError> {
        let memory = Memory::of(&program)?;
        Ok(Machine {
            program,
            core,
            memory,
            state: reset_state(),
            timeline: Timeline::new(core, model.into()),
            slots: Slots::new(),
            secret: 0,
            undefined: 0,
            mixed: Mixed::default(),
            given: 0,
            calls: 0,
            first: 0,
            address: 0,
            length: 0,
            instructions: 0,
            taken_branches: 0,
            sp: 0,
            sp_low: u32::MAX,
            other_sp_low: u32::MAX,
            on_process_stack: false,
            sp_start: 0,
            board: None,
            alarm: Alarm::NEVER,
            interrupts: None,
            violations: Violations::default(),
            marks: Marks::default(),
            histogram: BTreeMap::new(),
            limit: DEFAULT_LIMIT,
            trace: None,
            costs: None,
        })
    }

    /// Gives up after this many instructions (checked at jumps).
    pub fn set_limit(&mut self, instructions: u64) {
        self.limit = instructions;
    }

    /// Gives a line for each executed instruction to `sink`: cycles after it, address, text. Slows execution down.
    pub fn set_trace(&mut self, sink: Sink) {
        self.trace = Some(sink);
        self.timeline.watch_each();
    }

    /// From now on cycles are counted by function: always, or only while a function runs whose symbol contains `within`, with
    /// what it calls.
    ///
    /// # Errors
    ///
    /// If there is no such symbol.
    pub fn count_by_function(&mut self, within: Option<&str>) -> Result<(), String> {
        self.costs = Some(Box::new(Costs::new(&self.program, within)?));
        Ok(())
    }

    /// What each function has cost, by what ran meanwhile, the most expensive first, since [`count_by_function`](Self::count_by_function).
    pub fn by_function(&self) -> Vec<FunctionCost> {
        self.costs.as_ref().map_or(Vec::new(), |costs| costs.functions(&self.program))
    }

    /// From now on each run is interrupted every so many instructions (0 is taken for 1), those of handlers not counted.
    ///
    /// With `irq`, that interrupt of the chip becomes pending; the firmware has to have enabled it and to handle it. Without,
    /// a stand-in does what any handler may do, in no time: a frame and up to 256 bytes below sp are overwritten, registers
    /// are restored. That works for called functions too, and shows whatever they keep below sp.
    pub fn interrupt_every(&mut self, instructions: u64, irq: Option<u16>) {
        self.interrupts = Some((instructions.max(1), irq));
    }

    /// Clears what an earlier run has left, and starts at an address.
    pub(crate) fn start(&mut self, address: u32, sp: u32) {
        self.timeline.restart();
        (self.secret, self.undefined, self.given) = (IN_BLOCK, 0, 0);
        self.mixed = Mixed::default();
        (self.length, self.instructions, self.taken_branches) = (0, 0, 0);
        (self.sp, self.sp_low, self.sp_start) = (sp, sp, sp);
        (self.other_sp_low, self.on_process_stack) = (u32::MAX, false);
        let every = |(instructions, irq)| Every { instructions, irq, next: instructions };
        self.alarm = Alarm { every: self.interrupts.map(every), ..Alarm::NEVER };
        self.set_alarm(None);
        self.violations.clear();
        self.memory.wants_cycles = false;
        self.state = reset_state();
        self.state.r[13] = sp;
        self.state.r[15] = address;
    }

    /// Executes up to the function's return or a breakpoint. Only with `ALARMS` are there exceptions and interrupts.
    pub(crate) fn execute<const ALARMS: bool>(&mut self) -> Result<Stop, SimError> {
        let mut watched = self.timeline.watches_each();
        let mut number = self.resume()?;
        loop {
            if ALARMS {
                if self.executed() >= self.alarm.at {
                    match self.service(number)? {
                        Step::To(next) => number = next,
                        Step::Stop(stop) => return Ok(stop),
                    }
                    continue;
                }
                let marks = self.slots.all[number as usize].effects.marks;
                if marks & self.alarm.marks != 0
                    && let Some(next) = self.before(number)?
                {
                    number = next;
                    continue;
                }
                watched = self.timeline.watches_each();
            }
            let slot = &self.slots.all[number as usize];
            let result = execute(&mut self.state, &mut self.memory, &slot.inst, u32::from(slot.timing.size));
            self.length += 1;
            let Effects { reads, uses, sensitive, writes, data, marks, .. } = slot.effects;
            let noted = (uses & self.undefined) | (sensitive & self.secret) != 0 || watched;
            if noted || slot.next == 0 || !matches!(result, Ok(Outcome::Next)) {
                match self.finish(number, result)? {
                    Step::To(next) => number = next,
                    Step::Stop(stop) => return Ok(stop),
                }
                continue;
            }
            let next = slot.next;
            self.mixed.forget(writes);
            let (mut tainted, mut kept) = (if reads & self.secret != 0 { self.spread(number) } else { 0 }, 0);
            if marks & (LOAD | STORE | STACK) != 0 {
                (tainted, kept) = self.after_access(number, tainted, kept);
            }
            self.secret = self.secret & !data | tainted;
            if (self.undefined & writes) | kept != 0 {
                self.undefined = self.undefined & !writes | kept;
            }
            // Code that has changed itself has to be decoded anew.
            number = if self.length == 0 { self.resume()? } else { next };
        }
    }

    /// What is to be done after an instruction that is a jump, was skipped, failed, touches something secret or undefined, or
    /// is watched.
    fn finish(&mut self, number: u32, result: Result<Outcome, Fault>) -> Result<Step, SimError> {
        let flow = match result {
            Ok(Outcome::Next | Outcome::Wait) => Flow::Next,
            Ok(Outcome::Jumped) => Flow::Jump(self.state.r[15]),
            Ok(Outcome::Skipped) => Flow::Skipped,
            _ => return self.unusual(number, result),
        };
        let Effects { reads, uses, sensitive, writes, data, marks, .. } = self.slot(number).effects;
        let (mut tainted, mut kept) = (if reads & self.secret != 0 { self.spread(number) } else { 0 }, 0);
        if (uses & self.undefined) | (sensitive & self.secret) != 0 {
            let (conditional, copied) = self.check(number, flow)?;
            (tainted, kept) = (tainted | conditional, copied);
            self.mixed.forget(conditional);
        }
        if self.timeline.watches_each() {
            self.watch(number, flow);
        }
        if flow != Flow::Skipped {
            self.mixed.forget(writes);
            if marks & (LOAD | STORE | STACK) != 0 {
                (tainted, kept) = self.after_access(number, tainted, kept);
            }
            self.undefined = self.undefined & !writes | kept;
            self.secret = self.secret & !data | tainted;
        }
        if !self.violations.is_empty() {
            self.leaked()?;
        }
        let Flow::Jump(target) = flow else { return self.following(number).map(Step::To) };
        self.jumped(number)?;
        if target >= RETURN {
            return self.returned(number, target);
        }
        let next = match self.slots.get(target) {
            Some(next) => next,
            None => self.fetch(target, Some(number))?,
        };
        (self.first, self.address) = (next, self.slots.all[next as usize].address);
        Ok(Step::To(next))
    }

    /// After a jump to where no code can be: a function has returned, or an exception handler.
    fn returned(&mut self, number: u32, target: u32) -> Result<Step, SimError> {
        if self.memory.system.is_none() && target == RETURN {
            return Ok(Step::Stop(Stop::Returned(number)));
        }
        if self.in_handler() {
            return self.leave(number, target | 1).map(Step::To);
        }
        self.fetch(target, Some(number)).map(Step::To)
    }

    fn in_handler(&self) -> bool {
        self.state.special[special::IPSR] != 0
    }

    /// The slot of the next instruction, wherever the last one has led.
    pub(crate) fn resume(&mut self) -> Result<u32, SimError> {
        let number = self.fetch(self.state.r[15], None)?;
        if self.length == 0 {
            (self.first, self.address) = (number, self.slots.all[number as usize].address);
        }
        Ok(number)
    }

    /// The slot after one. If code has changed, the one before is no more.
    fn following(&mut self, number: u32) -> Result<u32, SimError> {
        if let Some(slot) = self.slots.all.get(number as usize)
            && slot.next != 0
        {
            return Ok(slot.next);
        }
        let next = self.resume()?;
        if self.length > 0 {
            self.slots.all[number as usize].next = next;
        }
        Ok(next)
    }

    /// Effects of a load or store, or of a change of the stack pointer, on what the checks know. Takes and returns the
    /// registers that are secret after it, and those that have no content.
    #[inline]
    fn after_access(&mut self, number: u32, mut tainted: Set, mut kept: Set) -> (Set, Set) {
        let effects = &self.slots.all[number as usize].effects;
        if effects.marks & STORE != 0 && effects.reads & (self.secret | self.undefined) != 0 {
            self.mark_stored(number);
        }
        if self.memory.log.loaded != 0 {
            (tainted, kept) = self.mark_loaded(number, tainted, kept);
            self.memory.log.loaded = 0;
        }
        let sp = self.state.r[13];
        if self.memory.log.stack_wrote < sp {
            // Nothing below sp is there for long: an interrupt may overwrite it.
            self.memory.bury(self.memory.log.stack_wrote, sp);
        }
        self.memory.log.stack_wrote = u32::MAX;
        if sp != self.sp {
            if sp > self.sp {
                self.memory.bury(self.sp, sp);
            }
            (self.sp, self.sp_low) = (sp, self.sp_low.min(sp));
        }
        if self.memory.log.unaligned {
            self.timeline.detour(self.length - 1, Detour::Unaligned(self.memory.log.first as u8 & 3));
            self.memory.log.unaligned = false;
        }
        if let Some((from, to)) = self.memory.log.code_wrote.take() {
            self.code_written(from, to);
        }
        self.memory.log.first = u32::MAX;
        (tainted, kept)
    }

    /// Notes what the run that has just ended has cost.
    #[inline]
    fn charge(&mut self) {
        if let Some(costs) = &mut self.costs {
            costs.charge(self.address, self.length, self.timeline.settled(), &self.state);
        }
    }

    /// Ends the current run: counts it.
    #[inline]
    fn jumped(&mut self, number: u32) -> Result<(), SimError> {
        let run = Run { first: self.first, length: self.length, address: self.address, slots: &self.slots };
        self.timeline.jumped(&run);
        self.charge();
        self.instructions += u64::from(self.length);
        self.taken_branches += 1;
        self.length = 0;
        if self.instructions >= self.limit && self.state.r[15] != RETURN {
            return Err(SimError::Limit { limit: self.limit, site: self.site(number).into() });
        }
        Ok(())
    }

    /// Ends the current run without a jump.
    fn cut(&mut self) {
        let run = Run { first: self.first, length: self.length, address: self.address, slots: &self.slots };
        self.timeline.cut(&run);
        self.charge();
        self.instructions += u64::from(self.length);
        self.length = 0;
    }

    /// Ends the current run for something that is no instruction and takes `cycles`; what follows begins as after a jump.
    pub(crate) fn end_run(&mut self, cycles: u64) {
        let run = Run { first: self.first, length: self.length, address: self.address, slots: &self.slots };
        self.timeline.interrupted(&run, cycles);
        self.charge();
        self.instructions += u64::from(self.length);
        self.length = 0;
    }

    /// From now on, up to the next interruption, each instruction is stepped.
    pub(crate) fn step_each(&mut self) {
        let run = Run { first: self.first, length: self.length, address: self.address, slots: &self.slots };
        self.timeline.step_each(&run);
    }

    /// Forgets accesses that were no instruction's, except that they may have changed code.
    pub(crate) fn settle_log(&mut self) {
        let log = self.memory.log;
        self.memory.wants_cycles = false;
        self.memory.log = AccessLog { stack_low: log.stack_low, ..AccessLog::CLEAR };
        if let Some((from, to)) = log.code_wrote {
            self.code_written(from, to);
        }
    }

    /// Stores of code make what was decoded invalid.
    #[cold]
    fn code_written(&mut self, from: u32, to: u32) {
        if self.slots.any_in(from, to) {
            self.forget_code();
        }
    }

    /// All code is decoded anew.
    pub(crate) fn forget_code(&mut self) {
        self.cut();
        self.count();
        self.timeline.forget();
        self.slots.clear();
    }

    /// Gives a line to the trace, if there is one.
    pub(crate) fn note(&mut self, text: &str) {
        if let Some(sink) = &mut self.trace {
            sink(&format!("{:>10}  {text}", self.timeline.stepped()));
        }
    }

    /// Steps the clock over one instruction, and traces it.
    #[cold]
    fn watch(&mut self, number: u32, flow: Flow) {
        let slot = self.slots.all[number as usize];
        self.timeline.watch(number, &slot, self.memory.log.first, flow);
        if let Some(sink) = &mut self.trace {
            let skipped = if flow == Flow::Skipped { "  (skipped)" } else { "" };
            sink(&format!("{:>10}  {:08x}  {}{skipped}", self.timeline.stepped(), slot.address, slot.inst));
        }
    }

    /// The slot at an address; with exceptions, if there is none, that of the handler of this fault.
    #[cold]
    fn fetch(&mut self, address: u32, from: Option<u32>) -> Result<u32, SimError> {
        let (core, it) = (self.core, self.state.it);
        let decode = |region: &Region| decode_at(region, core, address, it);
        let problem = match self.slots.find(&mut self.memory, address, decode) {
            Ok(number) => return Ok(number),
            Err(problem) => problem,
        };
        let has_exceptions = self.memory.system.is_some();
        match problem {
            NoSlot::NoCode => {
                let why = self.memory.describe(address, 2);
                let from = from.map_or("the start".into(), |number| self.site(number).to_string());
                let error = SimError::Fetch { address, why, from };
                if has_exceptions { self.fetch_fault(error) } else { Err(error) }
            }
            NoSlot::Undefined { what, fp } => {
                let site = self.program.site(address, "?".into());
                let error = SimError::Instruction { site: site.into(), what };
                if has_exceptions { self.decode_fault(fp, error) } else { Err(error) }
            }
        }
    }

    /// What is neither done, skipped nor a jump.
    #[cold]
    fn unusual(&mut self, number: u32, result: Result<Outcome, Fault>) -> Result<Step, SimError> {
        if std::mem::take(&mut self.memory.wants_cycles) {
            self.length -= 1;
            self.tell_time();
            return Ok(Step::To(number));
        }
        if self.timeline.watches_each() {
            self.watch(number, Flow::Next);
        }
        match result {
            Ok(Outcome::Breakpoint(immediate)) => Ok(Step::Stop(Stop::Breakpoint(immediate))),
            Ok(Outcome::Supervisor(_)) if self.memory.system.is_some() => self.supervisor(number).map(Step::To),
            Ok(Outcome::Supervisor(immediate)) => {
                let what = format!("supervisor call {immediate} is not supported: there are no exceptions");
                Err(SimError::Instruction { site: self.site(number).into(), what })
            }
            Err(fault) if self.memory.system.is_some() => {
                self.check(number, Flow::Next)?;
                self.leaked()?;
                self.fault(number, fault).map(Step::To)
            }
            Err(fault) => {
                self.check(number, Flow::Next)?;
                Err(self.refused(number, fault))
            }
            Ok(_) => self.following(number).map(Step::To),
        }
    }

    pub(crate) fn slot(&self, number: u32) -> &Slot {
        &self.slots.all[number as usize]
    }

    pub(crate) fn number_at(&self, address: u32) -> Option<u32> {
        self.slots.number(address)
    }

    fn run(&self) -> Run<'_> {
        Run { first: self.first, length: self.length, address: self.address, slots: &self.slots }
    }

    /// Cycles up to here.
    pub(crate) fn cycles(&self) -> u64 {
        self.timeline.now(&self.run())
    }

    /// Instructions executed up to here.
    pub(crate) fn executed(&self) -> u64 {
        self.instructions + u64::from(self.length)
    }

    /// Adds the runs that the clock has counted to the histogram, and forgets their number.
    fn count(&mut self) {
        for (first, length, times) in self.timeline.take_counts() {
            let mut address = self.slots.all[first as usize].address;
            for _ in 0..length {
                let Some(number) = self.slots.number(address) else { break };
                let slot = &self.slots.all[number as usize];
                *self.histogram.entry(slot.inst.op.row().mnemonic).or_default() += times;
                address += u32::from(slot.timing.size);
            }
        }
    }

    /// How often each mnemonic was executed since the machine was made, skipped ones included.
    pub fn histogram(&mut self) -> &BTreeMap<&'static str, u64> {
        self.cut();
        self.count();
        &self.histogram
    }
}

/// Registers as they are before a program starts: all zero.
fn reset_state() -> State {
    State {
        r: [0; 16],
        n: false,
        z: false,
        c: false,
        v: false,
        q: false,
        ge: 0,
        it: 0,
        s: [0; 32],
        fpscr: 0,
        special: [0; 24],
        exclusive: None,
    }
}
