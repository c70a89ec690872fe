//! Calls a function as a C caller would, with junk wherever the ABI promises nothing (ISA manual, 8.1).

use super::Abi;
use super::checks::ARGUMENT_REGISTERS;
use super::machine::{Machine, Stop};
use super::marks::Marks;
use super::set;
use crate::call::{Arg, Junk, Report, Residue, STACK, STACK_BYTES};
use crate::error::{Rule, SimError, Violation};
use isa::xtensa::{State, ps, sr};

/// The low bits of the address that a function returns to; those above are of the function's own address, because RETW keeps
/// them. Nothing is mapped there.
const RETURN: u32 = 0x3fff_ff00;
/// The bits that RETW keeps.
const REGION: u32 = 0xc000_0000;
/// By how many fours of registers the caller's CALL8 rotates the window.
const FOURS: u32 = 2;
/// Bytes of the caller's frame, arguments aside: for its caller's a0 to a3, and its own a4 to a7.
const FRAME: u32 = 32;
/// Registers that a function called by CALL0 leaves as they were, beside a1.
const SAVED: std::ops::Range<u8> = 12..16;

impl Machine {
    /// Calls the program's function and checks what it does against the ABI.
    ///
    /// Memory of the program is as loaded at each call. All registers that are not arguments, and the stack, hold junk. A
    /// windowed function is called by CALL8.
    ///
    /// # Errors
    ///
    /// If it faults, does not return, reads an argument register that was not given, or if the arguments do not fit. Rules
    /// that it breaks otherwise are in the report.
    pub fn call(&mut self, args: &[Arg]) -> Result<Report, SimError> {
        if !self.program.entry.is_multiple_of(4) {
            return Err(SimError::Layout(format!(
                "a function is entered at {:#010x}, no multiple of 4",
                self.program.entry
            )));
        }
        if self.interrupts.is_some_and(|(_, irq)| irq.is_some()) {
            return Err(SimError::Layout("a called function handles no interrupts: only firmware does".into()));
        }
        self.system = None;
        self.memory.reload(&self.program);
        // What is junk differs from call to call, so that code which depends on it (on SAR, for example) shows.
        let mut junk = Junk::new(self.calls);
        self.calls += 1;
        self.memory.prepare_stack(&self.program, &mut junk)?;
        let (words, places) = self.memory.map_arguments(args)?;
        let on_stack = 4 * words.len().saturating_sub(ARGUMENT_REGISTERS as usize) as u32;
        let sp = STACK + STACK_BYTES - FRAME - on_stack.next_multiple_of(16);
        self.start(self.program.entry, sp);
        self.fill_registers(&words, &mut junk, sp);
        for (index, word) in words.iter().skip(ARGUMENT_REGISTERS as usize).enumerate() {
            self.memory.poke(sp + 4 * index as u32, *word);
        }
        let entry = self.state.clone();
        let Stop::Returned(number) = self.execute()? else {
            return Err(SimError::Layout("the function stopped without returning".into()));
        };
        self.check_restored(number, &entry);
        let buffers = places.iter().map(|index| self.memory.regions()[*index].bytes.clone()).collect();
        Ok(Report { buffers, ..self.so_far() })
    }

    /// What a call has done so far, for one that ended in an error; without its buffers.
    pub fn so_far(&mut self) -> Report {
        let low = self.sp_low.min(self.memory.log.stack_low);
        let returns = self.state.a(self.result_register());
        Report {
            cycles: self.pipeline.cycles(),
            instructions: self.instructions,
            taken_branches: self.taken_branches,
            stack_bytes: self.sp_start.saturating_sub(low),
            returns,
            buffers: Vec::new(),
            residue: self.residue(),
            violations: self.violations.take(),
        }
    }

    /// The register of the caller that holds the result.
    fn result_register(&self) -> u8 {
        match self.abi {
            Abi::Windowed => 2 + 4 * FOURS as u8,
            Abi::Call0 => 2,
        }
    }

    /// Registers that hold secrets, as the called function names them. Those of its callees' windows that it cannot name are
    /// the `ar` of the file, by their distance from its a0.
    fn residue(&self) -> Residue {
        let mut secret = self.secret;
        if self.abi == Abi::Windowed {
            secret.rotate(FOURS);
        }
        let registers = set::names(secret.seen).chain(secret.beyond().map(|index| format!("ar[{index}]"))).collect();
        Residue { registers, stack_bytes: self.memory.secret_stack_bytes() }
    }

    /// Junk in all registers; then the arguments and what the call itself sets.
    fn fill_registers(&mut self, words: &[u32], junk: &mut Junk, sp: u32) {
        let state = &mut self.state;
        state.ar.iter_mut().chain(&mut state.f).for_each(|register| *register = junk.next());
        state
            .vector
            .q
            .iter_mut()
            .for_each(|lanes| *lanes = (0..4).fold(0, |all, _| all << 32 | u128::from(junk.next())));
        state.vector.accx = u64::from(junk.next());
        state.vector.qacc_l.iter_mut().chain(&mut state.vector.qacc_h).for_each(|word| *word = junk.next());
        (state.vector.sar_byte, state.vector.ua_state) = (junk.next() & 15, junk.next().into());
        for number in [sr::LBEG, sr::LEND, sr::ACCLO, sr::SCOMPARE1, sr::M0, sr::M0 + 1, sr::M0 + 2, sr::M0 + 3] {
            state.special[number] = junk.next();
        }
        (state.special[sr::SAR], state.special[sr::BR]) = (junk.next() & 63, junk.next() & 0xffff);
        state.special[sr::ACCHI] = junk.next() as i8 as u32;
        state.special[sr::CPENABLE] = 0xff;
        state.user[0] = junk.next();
        self.window = junk.next() & 15;
        state.special[sr::WINDOWBASE] = self.window;
        state.special[sr::WINDOWSTART] = 1 << self.window;
        self.return_address = self.program.entry & REGION | RETURN;
        self.undefined = Marks::all_and(!0);
        let first = match self.abi {
            Abi::Windowed => {
                state.special[sr::PS] = ps::WOE | ps::UM | FOURS << ps::CALLINC_SHIFT;
                self.save_area(junk, sp);
                4 * FOURS as u8
            }
            Abi::Call0 => {
                self.state.special[sr::PS] = ps::UM;
                0
            }
        };
        let increment = if self.abi == Abi::Windowed { FOURS << 30 } else { self.return_address & REGION };
        self.define(first, self.return_address & !REGION | increment);
        self.define(1, sp);
        self.given = words.len();
        self.arguments = self.state.place(first + 2) as u32;
        for (register, word) in (first + 2..).zip(words.iter().take(ARGUMENT_REGISTERS as usize)) {
            self.define(register, *word);
        }
    }

    fn define(&mut self, register: u8, value: u32) {
        self.state.set_a(register, value);
        self.undefined.put(register.into(), false);
    }

    /// What a spill has left under the caller's sp: of its own caller, a0 to a3.
    fn save_area(&mut self, junk: &mut Junk, sp: u32) {
        let caller = [junk.next(), STACK + STACK_BYTES, junk.next(), junk.next()];
        for (address, word) in (sp - 16..).step_by(4).zip(caller) {
            self.memory.overwrite(address, word);
        }
    }

    /// What the function must leave as it was.
    fn check_restored(&mut self, number: u32, entry: &State) {
        let core = |register: u8| {
            let name = if register == 1 { "sp".into() } else { format!("a{register}") };
            (name, entry.a(register), self.state.ar[entry.place(register)])
        };
        let special = |name: &str, number: usize| (name.to_owned(), entry.special[number], self.state.special[number]);
        let mut all = vec![core(1), ("THREADPTR".to_owned(), entry.user[0], self.state.user[0])];
        match self.abi {
            Abi::Windowed => {
                all.extend((0..8).filter(|register| *register != 1).map(core).map(of_caller));
                all.extend([special("WINDOWBASE", sr::WINDOWBASE), special("WINDOWSTART", sr::WINDOWSTART)]);
            }
            Abi::Call0 => all.extend(SAVED.map(core)),
        }
        for (name, before, after) in all.into_iter().filter(|(_, before, after)| before != after) {
            let detail = format!("{name} ({before:#010x} at entry, {after:#010x} now)");
            self.violate(number, Rule::NotRestored, detail);
        }
        let count = self.state.special[sr::LCOUNT];
        if count != 0 {
            self.violate(number, Rule::LoopLeft, format!("LCOUNT is {count:#x}"));
        }
    }

    fn violate(&mut self, number: u32, rule: Rule, detail: String) {
        let site = self.site(number);
        self.violations.push(Violation { rule, site, detail });
    }
}

fn of_caller((name, before, after): (String, u32, u32)) -> (String, u32, u32) {
    (format!("the caller's {name}"), before, after)
}
