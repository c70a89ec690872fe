//! Exception return (DDI 0403, B1.5.8).

use super::entry::{BASIC, Cause, EXTENDED, FP_WORDS, INVPC, INVSTATE, NOCP, UNSTKERR};
use super::exceptions::{FIRST_IRQ, NMI};
use super::{FPCA, LSPACT, NON_BASE_THREAD, SLEEP_ON_EXIT, SP_SEL, STACK_ALIGN, Wait, special};
use crate::error::SimError;
use crate::thumb::machine::Machine;
use isa::thumb::Bus;

/// Cycles after the instruction that returns. BX itself takes 3: 10 in all, and 6 (Arm's figure for tail-chaining) if another
/// handler follows at once.
const EXIT: u64 = 7;
const TAIL_CHAIN: u64 = 3;

/// What a handler returns to.
#[derive(Clone, Copy)]
struct Return {
    /// The value that it jumped to.
    value: u32,
    thread: bool,
    process_stack: bool,
    fp: bool,
}

impl Return {
    /// `None` if it is no such value.
    fn of(value: u32, fpu: bool) -> Option<Return> {
        let fp = value & 1 << 4 == 0;
        let (thread, process_stack) = match value & 0xf {
            0x1 => (false, false),
            0x9 => (true, false),
            0xd => (true, true),
            _ => return None,
        };
        (value >> 5 == u32::MAX >> 5 && (fpu || !fp)).then_some(Return { value, thread, process_stack, fp })
    }
}

impl Machine {
    /// A handler has jumped to `value`. Gives the slot of what is executed next.
    pub(crate) fn leave(&mut self, number: u32, value: u32) -> Result<u32, SimError> {
        let exception = self.state.special[special::IPSR] as u16;
        let (now, executed) = (self.cycles(), self.executed());
        self.alarm.at = executed;
        if let Some(every) = &mut self.alarm.every
            && every.irq.is_some_and(|irq| FIRST_IRQ + irq == exception)
        {
            // What the handler executes does not count, or nothing else would ever be executed.
            every.next = executed + every.instructions;
        }
        let Some(system) = &mut self.memory.system else { return self.resume() };
        system.settle(now);
        let nested = system.exceptions.active.count() > 1;
        let allowed = |to: &Return| !to.thread || !nested || system.ccr & NON_BASE_THREAD != 0;
        let to = Return::of(value, system.fpu).filter(allowed);
        let was_active = system.exceptions.active.contains(exception);
        system.exceptions.active.set(exception, false);
        if exception != NMI {
            self.state.special[special::FAULTMASK] = 0;
        }
        let Some(to) = to.filter(|_| was_active) else {
            let what = format!("return from an exception to {value:#010x}, which is not possible here");
            let error = SimError::Instruction { site: self.site(number).into(), what };
            return self.chain_fault(&Cause::usage(INVPC), error, value);
        };
        let masks = self.masks();
        let exceptions = self.memory.system.as_ref().map(|system| &system.exceptions);
        if let Some(next) = exceptions.and_then(|all| all.interrupting(all.execution_priority(masks))) {
            self.end_run(TAIL_CHAIN);
            return self.take(next, value);
        }
        self.pop(number, to)
    }

    /// A fault on the way out: its handler is entered with the frame that is there.
    fn chain_fault(&mut self, cause: &Cause, error: SimError, link: u32) -> Result<u32, SimError> {
        let taken = self.blame(cause, error)?;
        self.end_run(TAIL_CHAIN);
        self.take(taken, link)
    }

    /// Restores registers from the frame.
    fn pop(&mut self, number: u32, to: Return) -> Result<u32, SimError> {
        let frame = if to.process_stack { self.state.special[special::PSP] } else { self.state.r[13] };
        let mut words = [0; 8];
        let mut refused = self.pull_words(frame, &mut words).err();
        let lazy = self.memory.system.as_ref().is_some_and(|system| system.fpccr & LSPACT != 0);
        let restores = to.fp && !lazy;
        let mut fp_words = [0; 17];
        if restores && refused.is_none() {
            refused = self.pull_words(frame.wrapping_add(BASIC), &mut fp_words).err();
        }
        self.settle_log();
        if let Some(address) = refused {
            let (why, register) = (self.memory.describe(address, 4), format!("sp is {frame:#010x}"));
            let site = self.site(number).into();
            let error =
                SimError::Memory { site, access: "load of an exception's frame".into(), address, why, register };
            return self.chain_fault(&Cause::bus(UNSTKERR), error, to.value);
        }
        if restores && !self.fp_enabled() {
            let what = "return with FP registers, to which there is no access".into();
            let error = SimError::Instruction { site: self.site(number).into(), what };
            return self.chain_fault(&Cause::usage(NOCP), error, to.value);
        }
        self.end_run(EXIT + if restores { FP_WORDS } else { 0 });
        if restores {
            self.state.s[..16].copy_from_slice(&fp_words[..16]);
            self.state.fpscr = fp_words[16];
            self.unmark_fp_frame(frame.wrapping_add(BASIC));
        }
        self.unmark_frame(frame);
        self.restore(to, frame, &words);
        self.go_on(number, to, words[7])
    }

    fn pull_words(&mut self, from: u32, words: &mut [u32]) -> Result<(), u32> {
        for (index, word) in words.iter_mut().enumerate() {
            let address = from.wrapping_add(4 * index as u32);
            *word = self.memory.read(address, 4).map_err(|_| address)?;
        }
        Ok(())
    }

    fn restore(&mut self, to: Return, frame: u32, words: &[u32; 8]) {
        let state = &mut self.state;
        state.r[..4].copy_from_slice(&words[..4]);
        (state.r[12], state.r[14], state.r[15]) = (words[4], words[5], words[6] & !1);
        let status = words[7];
        let flag = |bit: u32| status >> bit & 1 != 0;
        (state.n, state.z, state.c, state.v, state.q) = (flag(31), flag(30), flag(29), flag(28), flag(27));
        state.ge = (status >> 16 & 15) as u8;
        state.it = (status >> 25 & 3 | status >> 8 & 0xfc) as u8;
        state.exclusive = None;
        state.special[special::IPSR] = status & 0x1ff;
        let mut control = state.special[special::CONTROL] & !(FPCA | SP_SEL);
        control |= if to.fp { FPCA } else { 0 } | if to.process_stack { SP_SEL } else { 0 };
        state.special[special::CONTROL] = control;
        let Some(system) = &mut self.memory.system else { return };
        let aligned = to.fp || system.ccr & STACK_ALIGN != 0;
        let moved = u32::from(aligned && flag(9)) << 2;
        let sp = frame.wrapping_add(if to.fp { EXTENDED } else { BASIC }) | moved;
        if to.process_stack {
            state.special[special::MSP] = state.r[13];
        }
        state.r[13] = sp;
        if to.fp {
            system.fpccr &= !LSPACT;
        }
        (system.active, system.event) = ((status & 0x1ff) as u16, true);
        if to.thread && system.scr & SLEEP_ON_EXIT != 0 {
            system.waits = Some(Wait::Interrupt);
        }
    }

    /// Executes what was returned to, if the frame was sound.
    fn go_on(&mut self, number: u32, to: Return, status: u32) -> Result<u32, SimError> {
        self.note(if to.thread { "<- thread" } else { "<- handler" });
        self.follow_stack();
        self.watch_marks();
        let broken = if to.thread != (status & 0x1ff == 0) {
            Some((INVPC, "return from an exception to the wrong mode: the frame on the stack is damaged"))
        } else if status & 1 << 24 == 0 {
            Some((INVSTATE, "return from an exception to Arm state: the frame on the stack is damaged"))
        } else {
            None
        };
        let Some((fault, what)) = broken else { return self.resume() };
        let error = SimError::Instruction { site: self.site(number).into(), what: what.into() };
        self.raise(Cause::usage(fault), error)
    }
}
