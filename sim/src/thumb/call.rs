//! Calls a function as a C caller would, with junk wherever the procedure call standard promises nothing.

use super::effects;
use super::machine::{Machine, RETURN, Stop};
use crate::call::{Arg, Junk, Report, Residue, STACK, STACK_BYTES};
use crate::error::{Rule, SimError, Violation};

/// Registers that a function leaves as they were: r4 to r11 and s16 to s31.
const SAVED: std::ops::Range<usize> = 4..12;
const SAVED_FP: std::ops::Range<usize> = 16..32;

impl Machine {
    /// Calls the program's function and checks what it does against the procedure call standard.
    ///
    /// Memory of the program is as loaded at each call. All registers that are not arguments, and the stack, hold junk.
    ///
    /// # Errors
    ///
    /// If it faults, does not return, reads an argument register that was not given, or if the arguments do not fit. Rules
    /// that it breaks otherwise are in the report.
    pub fn call(&mut self, args: &[Arg]) -> Result<Report, SimError> {
        if self.interrupts.is_some_and(|(_, irq)| irq.is_some()) {
            return Err(SimError::Layout("a called function has no interrupt controller: only firmware has".into()));
        }
        self.memory.system = None;
        self.memory.reload(&self.program);
        // What is junk differs from call to call, so that code which depends on it (on a flag, for example) shows.
        let mut junk = Junk::new(self.calls);
        self.calls += 1;
        self.memory.prepare_stack(&self.program, &mut junk)?;
        let (words, places) = self.memory.map_arguments(args)?;
        let sp = STACK + STACK_BYTES - 4 * words.len().saturating_sub(4).next_multiple_of(2) as u32;
        self.start(self.program.entry, sp);
        self.fill_registers(&words, &mut junk, sp);
        let entry = self.state.clone();
        let stop = if self.interrupts.is_some() { self.execute::<true>()? } else { self.execute::<false>()? };
        let number = match stop {
            Stop::Returned(number) => number,
            Stop::Breakpoint(immediate) => return Err(self.here(format!("breakpoint {immediate:#x}"))),
            Stop::Reset | Stop::Asleep | Stop::Text => return Err(self.here("stopped without a system".into())),
        };
        self.check_restored(number, &entry);
        let buffers = places.iter().map(|index| self.memory.regions()[*index].bytes.clone()).collect();
        Ok(Report { buffers, ..self.so_far() })
    }

    /// What a call has done so far, for one that ended in an error; without its buffers.
    pub fn so_far(&mut self) -> Report {
        let low = self.sp_low.min(self.memory.log.stack_low);
        Report {
            cycles: self.cycles(),
            instructions: self.executed(),
            taken_branches: self.taken_branches,
            stack_bytes: self.sp_start.saturating_sub(low),
            returns: self.state.r[0],
            buffers: Vec::new(),
            residue: Residue { registers: effects::names(self.secret), stack_bytes: self.memory.secret_stack_bytes() },
            violations: self.violations.take(),
        }
    }

    /// Arguments in r0 to r3 and on the stack, junk in all other registers.
    fn fill_registers(&mut self, words: &[u32], junk: &mut Junk, sp: u32) {
        self.given = words.len();
        self.undefined = u64::from(u32::MAX) << 32 | 0x1fff;
        for register in self.state.r[..13].iter_mut().chain(&mut self.state.s) {
            *register = junk.next();
        }
        for (register, word) in words.iter().take(4).enumerate() {
            self.state.r[register] = *word;
            self.undefined &= !effects::core(register as u8);
        }
        self.state.r[14] = RETURN | 1;
        let flags = junk.next();
        (self.state.n, self.state.z) = (flags & 1 != 0, flags & 2 != 0);
        (self.state.c, self.state.v) = (flags & 4 != 0, flags & 8 != 0);
        for (index, word) in words.iter().skip(4).enumerate() {
            self.memory.poke(sp + 4 * index as u32, *word);
        }
    }

    /// Callee-saved registers after the return.
    fn check_restored(&mut self, number: u32, entry: &isa::thumb::State) {
        let mut wrong = Vec::new();
        for register in SAVED.chain(13..14) {
            let (before, after) = (entry.r[register], self.state.r[register]);
            let name = if register == 13 { "sp".to_string() } else { format!("r{register}") };
            wrong.push((name, before, after));
        }
        for register in SAVED_FP {
            wrong.push((format!("s{register}"), entry.s[register], self.state.s[register]));
        }
        let wrong = wrong.into_iter().filter(|(_, before, after)| before != after);
        for (name, before, after) in wrong {
            let site = self.site(number);
            let detail = format!("{name} ({before:#010x} at entry, {after:#010x} now)");
            self.violations.push(Violation { rule: Rule::NotRestored, site, detail });
        }
    }
}
