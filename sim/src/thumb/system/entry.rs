//! Exception entry, and how faults become exceptions (DDI 0403, B1.5.6 and B1.5.14).

use super::exceptions::{self, BUS_FAULT, HARD_FAULT, MEM_MANAGE, SV_CALL, USAGE_FAULT};
use super::{CPACR_FULL, FPCA, LSPACT, LSPEN, SP_SEL, STACK_ALIGN, special};
use crate::error::SimError;
use crate::thumb::machine::Machine;
use isa::thumb::{Bus, Fault, Op, State};

/// Cycles from the end of the last instruction to the first of the handler (Arm's interrupt latency), and what saving or
/// restoring s0 to s15 and FPSCR is assumed to add: a cycle for each word.
const ENTRY: u64 = 12;
pub(super) const FP_WORDS: u64 = 17;
/// Bytes of the frame without and with FP registers.
pub(super) const BASIC: u32 = 0x20;
pub(super) const EXTENDED: u32 = 0x68;

// CFSR (DDI 0403, B3.2.15).
const IACCVIOL: u32 = 1;
const IBUSERR: u32 = 1 << 8;
const PRECISERR: u32 = 1 << 9;
pub(super) const UNSTKERR: u32 = 1 << 11;
const STKERR: u32 = 1 << 12;
const LSPERR: u32 = 1 << 13;
const BFARVALID: u32 = 1 << 15;
const UNDEFINSTR: u32 = 1 << 16;
pub(super) const INVSTATE: u32 = 1 << 17;
pub(super) const INVPC: u32 = 1 << 18;
pub(super) const NOCP: u32 = 1 << 19;
const UNALIGNED: u32 = 1 << 24;
const DIVBYZERO: u32 = 1 << 25;

/// The space from which code is never executed: system and vendor peripherals.
const NEVER_EXECUTED: u32 = 0xe000_0000;

/// A fault as the core sees it.
pub(super) struct Cause {
    pub exception: u16,
    /// Bits of CFSR.
    pub status: u32,
    /// What BFAR is to be.
    pub address: Option<u32>,
}

impl Cause {
    pub(super) fn usage(status: u32) -> Cause {
        Cause { exception: USAGE_FAULT, status, address: None }
    }

    pub(super) fn bus(status: u32) -> Cause {
        Cause { exception: BUS_FAULT, status, address: None }
    }
}

/// The program status register.
fn xpsr(state: &State) -> u32 {
    let flags = [state.n, state.z, state.c, state.v, state.q];
    let top = flags.iter().fold(0, |bits, flag| bits << 1 | u32::from(*flag)) << 27;
    let it = u32::from(state.it);
    top | (it & 3) << 25 | 1 << 24 | u32::from(state.ge & 15) << 16 | (it >> 2) << 10 | state.special[special::IPSR]
}

impl Machine {
    /// An instruction could not be executed. Gives the slot of the handler's first one.
    pub(crate) fn fault(&mut self, number: u32, fault: Fault) -> Result<u32, SimError> {
        let error = self.refused(number, fault);
        let cause = match fault {
            Fault::Bus { address, .. } => {
                Cause { exception: BUS_FAULT, status: PRECISERR | BFARVALID, address: Some(address) }
            }
            Fault::Unaligned { .. } => Cause::usage(UNALIGNED),
            Fault::Undefined => Cause::usage(UNDEFINSTR),
            Fault::NoCoprocessor => Cause::usage(NOCP),
            Fault::ArmState { target } => {
                // The jump is made; the instruction there is what cannot be executed.
                if self.slot(number).inst.op == Op::BlxReg {
                    self.state.r[14] = self.state.r[15].wrapping_add(2) | 1;
                }
                self.state.r[15] = target;
                return self.raise_in_state(Cause::usage(INVSTATE), error, false);
            }
        };
        self.raise(cause, error)
    }

    /// There is no code at the program counter.
    pub(crate) fn fetch_fault(&mut self, error: SimError) -> Result<u32, SimError> {
        let never = self.state.r[15] >= NEVER_EXECUTED;
        let (exception, status) = if never { (MEM_MANAGE, IACCVIOL) } else { (BUS_FAULT, IBUSERR) };
        self.raise(Cause { exception, status, address: None }, error)
    }

    /// What stands at the program counter is no instruction of this core.
    pub(crate) fn decode_fault(&mut self, coprocessor: bool, error: SimError) -> Result<u32, SimError> {
        self.raise(Cause::usage(if coprocessor { NOCP } else { UNDEFINSTR }), error)
    }

    pub(super) fn divided_by_zero(&mut self, number: u32) -> Result<u32, SimError> {
        let what = "division by zero, which CCR.DIV_0_TRP traps".into();
        let error = SimError::Instruction { site: self.site(number).into(), what };
        self.raise(Cause::usage(DIVBYZERO), error)
    }

    /// SVC: an exception that cannot wait.
    pub(crate) fn supervisor(&mut self, number: u32) -> Result<u32, SimError> {
        let masks = self.masks();
        let taken = self.memory.system.as_ref().is_some_and(|system| system.exceptions.can_take(SV_CALL, masks));
        if taken {
            return self.enter(SV_CALL, self.state.r[15]);
        }
        let what = "supervisor call where its priority does not allow it".into();
        let error = SimError::Instruction { site: self.site(number).into(), what };
        self.raise(Cause { exception: SV_CALL, status: 0, address: None }, error)
    }

    pub(super) fn raise(&mut self, cause: Cause, error: SimError) -> Result<u32, SimError> {
        self.raise_in_state(cause, error, true)
    }

    fn raise_in_state(&mut self, cause: Cause, error: SimError, thumb: bool) -> Result<u32, SimError> {
        let exception = self.blame(&cause, error)?;
        self.enter_from(exception, self.state.r[15], thumb)
    }

    /// Notes a fault in the status registers. Gives the exception that takes it: its own, or else the hard fault.
    pub(super) fn blame(&mut self, cause: &Cause, error: SimError) -> Result<u16, SimError> {
        let masks = self.masks();
        let Some(system) = &mut self.memory.system else { return Err(error) };
        system.cfsr |= cause.status;
        system.bfar = cause.address.unwrap_or(system.bfar);
        let own = system.exceptions.can_take(cause.exception, masks);
        if !own && system.exceptions.execution_priority(masks) <= -1 {
            return Err(SimError::Lockup(Box::new(error)));
        }
        system.last_fault = Some(error.to_string());
        if own {
            return Ok(cause.exception);
        }
        system.note_hard_fault(false);
        Ok(HARD_FAULT)
    }

    /// Takes an exception; gives the slot of its handler's first instruction.
    pub(super) fn enter(&mut self, exception: u16, return_address: u32) -> Result<u32, SimError> {
        self.enter_from(exception, return_address, true)
    }

    fn enter_from(&mut self, exception: u16, return_address: u32, thumb: bool) -> Result<u32, SimError> {
        let control = self.state.special[special::CONTROL];
        let handler = self.state.special[special::IPSR] != 0;
        let fp = if control & FPCA != 0 { 0 } else { 1 << 4 };
        let mode = match (handler, control & SP_SEL != 0) {
            (true, _) => 0x1,
            (false, false) => 0x9,
            (false, true) => 0xd,
        };
        let link = 0xffff_ffe0 | fp | mode;
        let eager = control & FPCA != 0 && self.memory.system.as_ref().is_some_and(|s| s.fpccr & LSPEN == 0);
        self.end_run(ENTRY + if eager { FP_WORDS } else { 0 });
        let pushed = self.push_frame(return_address, thumb);
        self.settle_log();
        let exception = match pushed {
            Ok(()) => exception,
            Err(address) => self.stacking_failed(exception, address)?,
        };
        self.take(exception, link)
    }

    /// Saves registers on the stack in use. The error is the address that was refused.
    fn push_frame(&mut self, return_address: u32, thumb: bool) -> Result<(), u32> {
        let Some(system) = &self.memory.system else { return Ok(()) };
        let fp = self.state.special[special::CONTROL] & FPCA != 0;
        let aligned = fp || system.ccr & STACK_ALIGN != 0;
        let sp = self.state.r[13];
        let frame = sp.wrapping_sub(if fp { EXTENDED } else { BASIC }) & if aligned { !7 } else { !3 };
        let moved = u32::from(aligned && sp & 4 != 0) << 9;
        let status = xpsr(&self.state) | moved;
        let status = if thumb { status } else { status & !(1 << 24) };
        let state = &mut self.state;
        let [r0, r1, r2, r3] = [state.r[0], state.r[1], state.r[2], state.r[3]];
        let words = [r0, r1, r2, r3, state.r[12], state.r[14], return_address, status];
        state.r[13] = frame;
        self.push_words(frame, &words)?;
        self.mark_frame(frame);
        if fp { self.push_fp(frame) } else { Ok(()) }
    }

    /// FP registers of a frame: saved now, or their place is kept for when they are in the way.
    fn push_fp(&mut self, frame: u32) -> Result<(), u32> {
        let lazy = match &mut self.memory.system {
            Some(system) if system.fpccr & LSPEN != 0 => {
                (system.fpcar, system.fpccr) = (frame.wrapping_add(BASIC), system.fpccr | LSPACT);
                true
            }
            _ => false,
        };
        if lazy { Ok(()) } else { self.store_fp(frame.wrapping_add(BASIC)) }
    }

    fn store_fp(&mut self, address: u32) -> Result<(), u32> {
        let mut words = [0; 17];
        words[..16].copy_from_slice(&self.state.s[..16]);
        words[16] = self.state.fpscr;
        self.push_words(address, &words)?;
        self.mark_fp_frame(address);
        Ok(())
    }

    fn push_words(&mut self, from: u32, words: &[u32]) -> Result<(), u32> {
        for (index, word) in words.iter().enumerate() {
            let address = from.wrapping_add(4 * index as u32);
            self.memory.write(address, 4, *word).map_err(|_| address)?;
        }
        Ok(())
    }

    /// Saves FP registers whose saving is outstanding. Gives the slot of what is executed next.
    pub(super) fn preserve_fp(&mut self) -> Result<u32, SimError> {
        let place = self.memory.system.as_ref().map_or(0, |system| system.fpcar);
        self.end_run(FP_WORDS);
        let stored = self.store_fp(place);
        self.settle_log();
        self.with_system(|system| system.fpccr &= !LSPACT);
        self.watch_marks();
        let Err(address) = stored else { return self.resume() };
        let site = Box::new(self.site_at(self.state.r[15]));
        let (why, register) = (self.memory.describe(address, 4), format!("FPCAR is {place:#010x}"));
        let error = SimError::Memory { site, access: "saving of FP registers".into(), address, why, register };
        self.raise(Cause::bus(LSPERR), error)
    }

    /// The frame could not be written: a bus fault is taken instead, and what came stays pending.
    fn stacking_failed(&mut self, exception: u16, address: u32) -> Result<u16, SimError> {
        let site = Box::new(self.site_at(self.state.r[15]));
        let text = format!("no room on the stack for the frame of {}", exceptions::name(exception));
        let why = self.memory.describe(address, 4);
        let register = format!("sp is {:#010x}", self.state.r[13]);
        let error = SimError::Memory { site, access: text, address, why, register };
        if exception == HARD_FAULT {
            return Err(SimError::Lockup(Box::new(error)));
        }
        let synchronous = matches!(exception, MEM_MANAGE..=USAGE_FAULT | SV_CALL);
        let taken = self.blame(&Cause::bus(STKERR), error)?;
        if !synchronous {
            self.with_system(|system| system.exceptions.pending.set(exception, true));
        }
        Ok(taken)
    }

    /// Starts a handler, the frame being there.
    pub(super) fn take(&mut self, exception: u16, link: u32) -> Result<u32, SimError> {
        let vtor = self.memory.system.as_ref().map_or(0, |system| system.vtor);
        let at = vtor.wrapping_add(4 * u32::from(exception));
        let vector = self.memory.read(at, 4);
        self.settle_log();
        self.link_is_public();
        let Ok(vector) = vector else { return self.no_vector(exception, at, link) };
        let state = &mut self.state;
        state.r[14] = link;
        state.r[15] = vector & !1;
        (state.it, state.exclusive) = (0, None);
        if state.special[special::CONTROL] & SP_SEL != 0 {
            state.special[special::PSP] = state.r[13];
            state.r[13] = state.special[special::MSP];
        }
        state.special[special::CONTROL] &= !(FPCA | SP_SEL);
        state.special[special::IPSR] = exception.into();
        self.with_system(|system| {
            system.active = exception;
            system.exceptions.active.set(exception, true);
            system.exceptions.pending.set(exception, false);
            system.event = true;
        });
        self.note(&format!("-> {}", exceptions::name(exception)));
        self.follow_stack();
        self.watch_marks();
        if vector & 1 == 0 {
            let what = format!("vector of {} is {vector:#010x}, whose bit 0 is clear", exceptions::name(exception));
            let error = SimError::Instruction { site: self.site_at(vector).into(), what };
            return self.raise_in_state(Cause::usage(INVSTATE), error, false);
        }
        self.resume()
    }

    /// The vector table could not be read, which is a hard fault.
    fn no_vector(&mut self, exception: u16, at: u32, link: u32) -> Result<u32, SimError> {
        let why = self.memory.describe(at, 4);
        let error = SimError::Layout(format!("no vector of {} at {at:#010x}: {why}", exceptions::name(exception)));
        if exception == HARD_FAULT {
            return Err(SimError::Lockup(Box::new(error)));
        }
        self.with_system(|system| {
            system.last_fault = Some(error.to_string());
            system.note_hard_fault(true);
        });
        self.take(HARD_FAULT, link)
    }

    /// Whether FP registers can be accessed.
    pub(super) fn fp_enabled(&self) -> bool {
        self.memory.system.as_ref().is_some_and(|system| system.cpacr & CPACR_FULL == CPACR_FULL)
    }
}
