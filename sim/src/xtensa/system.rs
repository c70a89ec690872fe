//! What surrounds the core of a booted image: exceptions, interrupts and their levels, timers (ISA manual, 4.4).
//!
//! A called function has none of it.

use super::machine::{Machine, Step};
use super::slot::Slot;
use crate::error::SimError;
use crate::memory::AccessLog;
use isa::xtensa::{Fault, Op, ps, sr};

/// EXCCAUSE of each fault.
mod cause {
    pub const ILLEGAL: u32 = 0;
    pub const SYSCALL: u32 = 1;
    pub const LEVEL_1: u32 = 4;
    pub const ALLOCA: u32 = 5;
    pub const DIVIDE_BY_ZERO: u32 = 6;
    pub const UNALIGNED: u32 = 9;
    pub const FETCH_PROHIBITED: u32 = 20;
    pub const LOAD_PROHIBITED: u32 = 28;
    pub const STORE_PROHIBITED: u32 = 29;
    /// Of coprocessor 0; those of the others follow.
    pub const COPROCESSOR: u32 = 32;
}

/// Offsets of the vectors from VECBASE, the same on both chips and QEMU's dc233c (`XCHAL_*_VECOFS`). Those of levels 2 to 5
/// follow each other.
const KERNEL: u32 = 0x300;
const USER: u32 = 0x340;
const DOUBLE: u32 = 0x3c0;
const LEVEL_2: u32 = 0x180;
const LEVEL_STEP: u32 = 0x40;
const NMI: u32 = 0x2c0;

/// Interrupts of each level from 1 to 7 (`XCHAL_INTLEVEL*_MASK` of both chips).
const LEVELS: [u32; 7] = [0x0006_37ff, 0x0038_0000, 0x28c0_8800, 0x5300_0000, 0x8401_0000, 0, 0x0000_4000];
/// The level of interrupts that cannot be disabled.
const NMI_LEVEL: u32 = 7;
/// While an exception is handled, interrupts up to this level are not taken (`XCHAL_EXCM_LEVEL`).
const EXCM_LEVEL: u32 = 3;
/// Interrupts of CCOMPARE0 to CCOMPARE2.
const TIMERS: [u32; 3] = [6, 15, 16];
/// Interrupts that stay pending until INTCLEAR is written: those of software and of edges.
const CLEARABLE: u32 = 0x7040_0480;

/// What surrounds the core of a booted image.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// What CCOUNT is ahead of the cycles since reset.
    ahead: u64,
    /// The cycle in which each CCOMPARE is reached next.
    due: [u64; 3],
    /// Exceptions since the last instruction that was executed.
    in_a_row: u32,
    /// The last fault, for messages.
    pub last_fault: Option<String>,
}

impl System {
    /// As after reset.
    pub(crate) fn new() -> System {
        System { ahead: 0, due: [1 << 32; 3], in_a_row: 0, last_fault: None }
    }
}

impl Machine {
    /// Brings CCOUNT and the timers' interrupts up to date.
    #[cold]
    pub(super) fn tell_time(&mut self) {
        let now = self.pipeline.cycles();
        let ahead = self.system.as_ref().map_or(0, |system| system.ahead);
        self.state.special[sr::CCOUNT] = now.wrapping_add(ahead) as u32;
        let Some(system) = &mut self.system else { return };
        for (due, interrupt) in system.due.iter_mut().zip(TIMERS) {
            if *due <= now {
                self.state.special[sr::INTERRUPT] |= 1 << interrupt;
                *due += 1 << 32;
            }
        }
    }

    /// An instruction may have changed time, or what interrupts can be taken.
    #[cold]
    pub(super) fn after_system(&mut self, number: u32) {
        let Some(system) = &mut self.system else { return };
        self.alarm = 0;
        // What has changed code is no access to special registers.
        let Some(Slot { inst, .. }) = self.slots.all.get(number as usize) else { return };
        if !matches!(inst.op, Op::Wsr | Op::Xsr) {
            return;
        }
        let now = self.pipeline.cycles();
        let register = inst.imm as usize;
        if register == sr::CCOUNT {
            system.ahead = u64::from(self.state.special[sr::CCOUNT]).wrapping_sub(now);
        }
        let count = now.wrapping_add(system.ahead) as u32;
        for (timer, due) in system.due.iter_mut().enumerate() {
            if register == sr::CCOUNT || register == sr::CCOMPARE0 + timer {
                let left = self.state.special[sr::CCOMPARE0 + timer].wrapping_sub(count);
                *due = now + if left == 0 { 1 << 32 } else { u64::from(left) };
            }
        }
    }

    /// The cycle in which the next timer is due whose interrupt would be taken.
    fn next_timer(&self) -> Option<u64> {
        let system = self.system.as_ref()?;
        let above = LEVELS[self.masked() as usize..].iter().fold(0, |all, level| all | level);
        let taken = |interrupt: u32| self.state.special[sr::INTENABLE] & above & 1 << interrupt != 0;
        system.due.iter().zip(TIMERS).filter(|(_, interrupt)| taken(*interrupt)).map(|(due, _)| *due).min()
    }

    /// The first cycle in which a timer is due.
    pub(super) fn timer_alarm(&self) -> u64 {
        self.system.as_ref().map_or(u64::MAX, |system| system.due.iter().copied().min().unwrap_or(u64::MAX))
    }

    /// Interrupts up to this level, at most 7, are not taken.
    fn masked(&self) -> u32 {
        let status = self.state.special[sr::PS];
        let handles = if status & ps::EXCM != 0 { EXCM_LEVEL } else { 0 };
        (status & ps::INTLEVEL).max(handles).min(NMI_LEVEL)
    }

    /// The level of the pending interrupt that is taken now, if any.
    fn level(&self) -> Option<u32> {
        let special = &self.state.special;
        let pending = special[sr::INTERRUPT] & (special[sr::INTENABLE] | LEVELS[NMI_LEVEL as usize - 1]);
        (self.masked() + 1..=NMI_LEVEL).rev().find(|level| pending & LEVELS[*level as usize - 1] != 0)
    }

    /// Takes an interrupt if there is one to take.
    pub(super) fn take_interrupt(&mut self) -> bool {
        self.tell_time();
        match self.level() {
            None => false,
            Some(1) => {
                self.enter(cause::LEVEL_1);
                true
            }
            Some(level) => {
                let (pc, status) = (self.state.pc, self.state.special[sr::PS]);
                self.state.special[sr::EPC1 + level as usize - 1] = pc;
                self.state.special[sr::EPS2 + level as usize - 2] = status;
                self.state.special[sr::PS] = status & !ps::INTLEVEL | level | ps::EXCM;
                self.vector(if level == NMI_LEVEL { NMI } else { LEVEL_2 + LEVEL_STEP * (level - 2) });
                true
            }
        }
    }

    /// An interrupt that comes every so many instructions: pending if one is named, or else a handler that is not there, where
    /// code can be interrupted.
    pub(super) fn come_in(&mut self, irq: Option<u16>) -> Result<(), SimError> {
        let status = self.state.special[sr::PS];
        let handles = self.system.is_some() && status & (ps::EXCM | ps::INTLEVEL) != 0;
        match irq {
            _ if handles => {}
            Some(irq) => self.state.special[sr::INTERRUPT] |= 1 << irq & CLEARABLE,
            None => self.overwrite_below_sp()?,
        }
        Ok(())
    }

    /// Whether an interrupt of this number stays pending until the firmware clears it.
    pub(super) fn is_clearable(irq: u16) -> bool {
        irq < 32 && CLEARABLE >> irq & 1 != 0
    }

    /// WAITI: sleeps until an interrupt is pending. False if none will come.
    pub(super) fn sleep(&mut self) -> bool {
        if let (None, Some(due)) = (self.level(), self.next_timer()) {
            let now = self.pipeline.cycles();
            self.pipeline.interrupted(due.saturating_sub(now));
            self.tell_time();
        }
        self.level().is_some()
    }

    /// Whether a jump to itself is the end of an image, because no interrupt can come.
    #[cold]
    pub(super) fn is_endless(&self, number: u32) -> bool {
        let jumps = self.system.is_some() && self.slot(number).inst.op == Op::J;
        let named = self.interrupts.is_some_and(|(_, irq)| irq.is_some());
        jumps && !named && self.next_timer().is_none() && self.level().is_none()
    }

    /// A fault of an instruction: goes to its vector.
    #[cold]
    pub(super) fn raise(&mut self, fault: Fault, error: SimError) -> Result<Step, SimError> {
        let special = &mut self.state.special;
        let cause = match fault {
            Fault::WindowOverflow(_) | Fault::WindowUnderflow(_) => {
                self.state.enter_window_handler(fault);
                self.count_exception(&error)?;
                self.pipeline.interrupted(self.costs.exception.into());
                self.window = self.state.special[sr::WINDOWBASE];
                return self.fetch(self.state.pc, None).map(Step::To);
            }
            Fault::Bus { address, write, .. } => {
                special[sr::EXCVADDR] = address;
                if write { cause::STORE_PROHIBITED } else { cause::LOAD_PROHIBITED }
            }
            Fault::Unaligned { address } => {
                special[sr::EXCVADDR] = address;
                cause::UNALIGNED
            }
            Fault::Illegal => cause::ILLEGAL,
            Fault::Syscall => cause::SYSCALL,
            Fault::DivideByZero => cause::DIVIDE_BY_ZERO,
            Fault::Alloca => cause::ALLOCA,
            Fault::CoprocessorDisabled(which) => cause::COPROCESSOR + u32::from(which),
            Fault::NotModelled | Fault::Break(..) => return Err(error),
        };
        self.raise_cause(cause, error)
    }

    /// No code at `pc`.
    pub(super) fn raise_fetch(&mut self, undefined: bool, error: SimError) -> Result<u32, SimError> {
        self.state.special[sr::EXCVADDR] = self.state.pc;
        let cause = if undefined { cause::ILLEGAL } else { cause::FETCH_PROHIBITED };
        match self.raise_cause(cause, error)? {
            Step::To(number) => Ok(number),
            Step::Stop(_) => self.fetch(self.state.pc, None),
        }
    }

    fn raise_cause(&mut self, cause: u32, error: SimError) -> Result<Step, SimError> {
        self.count_exception(&error)?;
        if cause != cause::SYSCALL
            && cause != cause::ALLOCA
            && let Some(system) = &mut self.system
        {
            system.last_fault = Some(error.to_string());
        }
        self.enter(cause);
        self.fetch(self.state.pc, None).map(Step::To)
    }

    /// Gives up if handlers fault before they have executed anything.
    fn count_exception(&mut self, error: &SimError) -> Result<(), SimError> {
        let Some(system) = &mut self.system else { return Ok(()) };
        system.in_a_row = if self.executed_since { 1 } else { system.in_a_row + 1 };
        self.executed_since = false;
        if system.in_a_row > 2 { Err(SimError::NoHandler(Box::new(error.clone()))) } else { Ok(()) }
    }

    /// A general exception, or a double one.
    fn enter(&mut self, cause: u32) {
        let (pc, status) = (self.state.pc, self.state.special[sr::PS]);
        let special = &mut self.state.special;
        special[sr::EXCCAUSE] = cause;
        let vector = if status & ps::EXCM != 0 {
            special[sr::DEPC] = pc;
            DOUBLE
        } else {
            special[sr::EPC1] = pc;
            special[sr::PS] |= ps::EXCM;
            if status & ps::UM != 0 { USER } else { KERNEL }
        };
        self.vector(vector);
    }

    fn vector(&mut self, offset: u32) {
        self.state.pc = self.state.special[sr::VECBASE].wrapping_add(offset);
        self.pipeline.interrupted(self.costs.exception.into());
        let log = self.memory.log;
        self.memory.log = AccessLog { stack_low: log.stack_low, ..AccessLog::CLEAR };
    }
}
