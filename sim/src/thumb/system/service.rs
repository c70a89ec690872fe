//! What happens between two instructions of a booted image: interrupts, sleep, and how long nobody has to look again.

use super::exceptions::{FIRST_IRQ, Masks, SYS_TICK};
use super::{ASPEN, CPACR_FULL, DIVIDE_TRAP, FPCA, FPDSCR_BITS, LSPACT, N_PRIV, SP_SEL, System, UNALIGN_TRAP, special};
use crate::error::SimError;
use crate::thumb::effects::{FP, LOAD, STORE, SYSTEM};
use crate::thumb::machine::{Machine, Step, Stop};
use isa::thumb::{Bus, BusFault, Fault, Op, Outcome, execute};

/// No instruction takes more cycles, whatever the memory.
const MAX_CYCLES: u64 = 96;
/// With the timer's interrupt as near as this each instruction is stepped through the pipeline.
const NEAR: u64 = 100_000;

/// Text of the console is written out at the end of a line, or when it is longer than this.
const MAX_LINE: usize = 4096;

/// What a core that sleeps waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// WFI.
    Interrupt,
    /// WFE.
    Event,
}

/// When executing has to be interrupted to look around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    /// Instructions executed by then.
    pub at: u64,
    /// Marks of instructions that need a look before they are executed.
    pub marks: u8,
    /// Interrupts that come every so many instructions.
    pub every: Option<Every>,
}

impl Alarm {
    pub(crate) const NEVER: Alarm = Alarm { at: u64::MAX, marks: 0, every: None };
}

/// Interrupts from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Every {
    pub instructions: u64,
    /// The chip's interrupt; `None` for a handler that only overwrites what lies below sp.
    pub irq: Option<u16>,
    /// Instructions executed when the next one comes.
    pub next: u64,
}

impl Machine {
    /// Before an instruction that is marked in the alarm. `Some` slot if something else is to be executed.
    #[cold]
    pub(crate) fn before(&mut self, number: u32) -> Result<Option<u32>, SimError> {
        let slot = *self.slot(number);
        let probe = self.probe(number);
        if self.memory.system.is_none() || probe.skipped {
            return Ok(None);
        }
        if slot.effects.marks & FP != 0
            && let Some(next) = self.before_fp(number)?
        {
            return Ok(Some(next));
        }
        let ccr = self.memory.system.as_ref().map_or(0, |system| system.ccr);
        if ccr & UNALIGN_TRAP != 0
            && let Some(address) = probe.unaligned
        {
            return self.fault(number, Fault::Unaligned { address }).map(Some);
        }
        if slot.effects.marks & SYSTEM == 0 {
            return Ok(None);
        }
        match slot.inst.op {
            Op::Sdiv | Op::Udiv => {
                let by_zero = self.state.r[usize::from(slot.inst.m.0 & 15)] == 0;
                let trapped = by_zero && ccr & DIVIDE_TRAP != 0;
                return if trapped { self.divided_by_zero(number).map(Some) } else { Ok(None) };
            }
            Op::Wfi => self.wait(Wait::Interrupt),
            Op::Wfe => self.wait(Wait::Event),
            Op::Sev => self.with_system(|system| system.event = true),
            Op::B if !probe.jumps || self.can_be_interrupted() => return Ok(None),
            Op::B => return Err(SimError::Endless(self.site(number).into())),
            _ => {}
        }
        self.alarm.at = self.executed() + 1;
        Ok(None)
    }

    fn wait(&mut self, wait: Wait) {
        self.with_system(|system| system.waits = Some(wait));
    }

    pub(super) fn with_system(&mut self, action: impl FnOnce(&mut System)) {
        if let Some(system) = &mut self.memory.system {
            action(system);
        }
    }

    /// Whether the timer or an interrupt from outside will interrupt what is executed now.
    fn can_be_interrupted(&self) -> bool {
        let masks = self.masks();
        let irq = self.alarm.every.and_then(|every| every.irq).map(|irq| FIRST_IRQ + irq);
        self.memory.system.as_ref().is_some_and(|system| {
            let timer = system.systick.deadline().map(|_| SYS_TICK);
            let mut sources = [timer, irq, system.exceptions.first_pending()].into_iter().flatten();
            sources.any(|number| system.exceptions.can_take(number, masks))
        })
    }

    /// Executes an instruction on a copy of the registers and without memory.
    fn probe(&self, number: u32) -> Probe {
        let slot = self.slot(number);
        let mut probe = Probe::default();
        let mut state = self.state.clone();
        let result = execute(&mut state, &mut probe, &slot.inst, u32::from(slot.timing.size));
        probe.jumps = result == Ok(Outcome::Jumped);
        probe.skipped = self.state.it != 0 && result == Ok(Outcome::Skipped);
        probe
    }

    /// What an FP instruction causes before it is executed (DDI 0403, `ExecuteFPCheck()`).
    fn before_fp(&mut self, number: u32) -> Result<Option<u32>, SimError> {
        let Some(system) = &self.memory.system else { return Ok(None) };
        if system.cpacr & CPACR_FULL != CPACR_FULL {
            return self.fault(number, Fault::NoCoprocessor).map(Some);
        }
        if system.fpccr & LSPACT != 0 {
            return self.preserve_fp().map(Some);
        }
        if system.fpccr & ASPEN != 0 && self.state.special[special::CONTROL] & FPCA == 0 {
            self.state.fpscr = self.state.fpscr & !FPDSCR_BITS | system.fpdscr;
            self.state.special[special::CONTROL] |= FPCA;
        }
        self.watch_marks();
        Ok(None)
    }

    /// Which instructions need a look, by the present state.
    pub(crate) fn watch_marks(&mut self) {
        let Some(system) = &self.memory.system else { return };
        let fp = if system.watches_fp(self.state.special[special::CONTROL]) { FP } else { 0 };
        let accesses = if system.ccr & UNALIGN_TRAP != 0 { LOAD | STORE } else { 0 };
        self.alarm.marks = SYSTEM | fp | accesses;
    }

    /// An access outside of memory was refused since it has to know the time: it is told, and the next look is right after it.
    pub(crate) fn tell_time(&mut self) {
        let now = self.cycles();
        self.memory.cycle_counter = Some(now as u32);
        let special = &self.state.special;
        let privileged = special[special::IPSR] != 0 || special[special::CONTROL] & N_PRIV == 0;
        if let Some(system) = &mut self.memory.system {
            (system.now, system.privileged) = (Some(now), privileged);
            self.alarm.at = self.executed() + 1;
        }
    }

    pub(super) fn masks(&self) -> Masks {
        let special = &self.state.special;
        Masks {
            primask: special[special::PRIMASK] & 1 != 0,
            faultmask: special[special::FAULTMASK] & 1 != 0,
            basepri: special[special::BASEPRI] as u8,
        }
    }

    /// Looks around after the alarm; `number` is the slot of the next instruction.
    #[cold]
    pub(crate) fn service(&mut self, number: u32) -> Result<Step, SimError> {
        self.alarm.at = u64::MAX;
        self.interrupt_from_outside()?;
        let now = self.cycles();
        self.keep_special();
        let masks = self.masks();
        let Some(system) = &mut self.memory.system else {
            self.set_alarm(None);
            return Ok(Step::To(number));
        };
        system.now = None;
        system.settle(now);
        if system.reset {
            return Ok(Step::Stop(Stop::Reset));
        }
        let priority = system.exceptions.execution_priority(masks);
        if let Some(exception) = system.exceptions.interrupting(priority) {
            system.waits = None;
            let next = self.enter(exception, self.state.r[15])?;
            self.set_alarm_by_timer();
            return Ok(Step::To(next));
        }
        if let Some(wait) = system.waits {
            return self.sleep(wait, number);
        }
        let text = system.console.len() > MAX_LINE || system.console.contains(&b'\n');
        self.set_alarm_by_timer();
        Ok(if text { Step::Stop(Stop::Text) } else { Step::To(number) })
    }

    /// Special registers hold only what this core has; follows changes of the stack pointer.
    fn keep_special(&mut self) {
        let Some(system) = &self.memory.system else { return };
        if !system.fpu {
            self.state.special[special::CONTROL] &= !FPCA;
        }
        self.state.special[special::BASEPRI] &= u32::from(system.exceptions.implemented);
        self.follow_stack();
        self.watch_marks();
    }

    /// The lowest value of sp is that of the main stack.
    pub(super) fn follow_stack(&mut self) {
        let process = self.state.special[special::CONTROL] & SP_SEL != 0;
        if process != self.on_process_stack {
            std::mem::swap(&mut self.sp_low, &mut self.other_sp_low);
            self.on_process_stack = process;
        }
        self.sp = self.state.r[13];
        self.sp_low = self.sp_low.min(self.sp);
    }

    /// Lets time pass until something wakes the core.
    fn sleep(&mut self, wait: Wait, number: u32) -> Result<Step, SimError> {
        let masks = Masks { primask: false, ..self.masks() };
        let (executed, every) = (self.executed(), self.alarm.every);
        let Some(system) = &mut self.memory.system else { return Ok(Step::To(number)) };
        let event = wait == Wait::Event && std::mem::take(&mut system.event);
        let priority = system.exceptions.execution_priority(masks);
        if event || system.exceptions.interrupting(priority).is_some() {
            system.waits = None;
            self.alarm.at = executed;
            return Ok(Step::To(number));
        }
        // What is pending and did not wake it will not if it is made pending again.
        let timer = system.systick.deadline().filter(|_| !system.exceptions.pending.contains(SYS_TICK));
        if let Some(deadline) = timer {
            let now = self.cycles();
            self.end_run(deadline.saturating_sub(now));
            self.alarm.at = executed;
            return self.resume().map(Step::To);
        }
        if let Some(irq) = every.and_then(|every| every.irq)
            && !system.is_pending(irq)
        {
            system.pend_irq(irq);
            self.alarm.at = executed;
            return Ok(Step::To(number));
        }
        Ok(Step::Stop(Stop::Asleep))
    }

    fn set_alarm_by_timer(&mut self) {
        let system = self.memory.system.as_ref();
        let idle = system.filter(|system| !system.exceptions.pending.contains(SYS_TICK));
        self.set_alarm(idle.and_then(|system| system.systick.deadline()));
    }

    /// The next look: when the timer may be due, or an interrupt from outside.
    pub(crate) fn set_alarm(&mut self, deadline: Option<u64>) {
        let from_outside = self.alarm.every.map_or(u64::MAX, |every| every.next);
        let by_timer = deadline.map_or(u64::MAX, |deadline| {
            let left = deadline.saturating_sub(self.cycles());
            if left < NEAR {
                self.step_each();
            }
            self.executed() + (left / MAX_CYCLES).max(1)
        });
        self.alarm.at = self.alarm.at.min(by_timer).min(from_outside);
    }

    /// An interrupt from outside, if it is due: pending from now on, or handled at once by a handler that is not there.
    fn interrupt_from_outside(&mut self) -> Result<(), SimError> {
        let Some(every) = &mut self.alarm.every else { return Ok(()) };
        if self.instructions + u64::from(self.length) < every.next {
            return Ok(());
        }
        every.next = self.instructions + u64::from(self.length) + every.instructions;
        match every.irq {
            Some(irq) => {
                self.with_system(|system| {
                    if !system.is_active(irq) {
                        system.pend_irq(irq);
                    }
                });
                Ok(())
            }
            None => self.overwrite_below_sp(),
        }
    }
}

impl System {
    fn is_pending(&self, irq: u16) -> bool {
        self.exceptions.pending.contains(FIRST_IRQ + irq)
    }

    fn is_active(&self, irq: u16) -> bool {
        self.exceptions.active.contains(FIRST_IRQ + irq)
    }
}

/// A bus without memory, which notes the first unaligned access.
#[derive(Clone, Copy, Default)]
struct Probe {
    unaligned: Option<u32>,
    skipped: bool,
    jumps: bool,
}

impl Probe {
    fn note(&mut self, address: u32, size: u32) {
        if address & (size - 1) != 0 {
            self.unaligned.get_or_insert(address);
        }
    }
}

impl Bus for Probe {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        self.note(address, size);
        Ok(0)
    }

    fn write(&mut self, address: u32, size: u32, _: u32) -> Result<(), BusFault> {
        self.note(address, size);
        Ok(())
    }
}
