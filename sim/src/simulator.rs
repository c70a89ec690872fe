//! One type for the machines of both families.

use crate::call::{Arg, Report};
use crate::error::SimError;
use crate::exit::Exit;
use crate::{Sink, thumb, xtensa};
use std::collections::BTreeMap;
use std::io::Write;

/// A machine of either family, for what is the same in both.
pub enum Simulator {
    /// Cortex-M3 or Cortex-M4.
    Thumb(Box<thumb::Machine>),
    /// Xtensa LX6 or LX7.
    Xtensa(Box<xtensa::Machine>),
}

/// Calls the same method of whichever machine it is.
macro_rules! either {
    ($simulator:expr, $machine:ident => $call:expr) => {
        match $simulator {
            Simulator::Thumb($machine) => $call,
            Simulator::Xtensa($machine) => $call,
        }
    };
}

impl Simulator {
    /// Calls the program's function ([`thumb::Machine::call`], [`xtensa::Machine::call`]).
    ///
    /// # Errors
    ///
    /// Those of the machine.
    pub fn call(&mut self, args: &[Arg]) -> Result<Report, SimError> {
        either!(self, machine => machine.call(args))
    }

    /// What a call has done so far, for one that ended in an error; without its buffers.
    pub fn so_far(&mut self) -> Report {
        either!(self, machine => machine.so_far())
    }

    /// Boots the program as a firmware image ([`thumb::Machine::boot`], [`xtensa::Machine::boot`]).
    ///
    /// # Errors
    ///
    /// Those of the machine.
    pub fn boot(&mut self, console: &mut dyn Write) -> Result<Exit, SimError> {
        either!(self, machine => machine.boot(console))
    }

    /// Gives up after this many instructions.
    pub fn set_limit(&mut self, instructions: u64) {
        either!(self, machine => machine.set_limit(instructions));
    }

    /// Gives a line for each executed instruction to `sink`: cycles after it, address, text. Slows execution down.
    pub fn set_trace(&mut self, sink: Sink) {
        either!(self, machine => machine.set_trace(sink));
    }

    /// Interrupts each run every so many instructions ([`thumb::Machine::interrupt_every`],
    /// [`xtensa::Machine::interrupt_every`]).
    pub fn interrupt_every(&mut self, instructions: u64, irq: Option<u16>) {
        either!(self, machine => machine.interrupt_every(instructions, irq));
    }

    /// Firmware's declarations under this name do not count ([`thumb::Machine::keep_secret`]). False if the family has none.
    pub fn keep_secret(&mut self, name: &str) -> bool {
        match self {
            Simulator::Thumb(machine) => machine.keep_secret(name),
            Simulator::Xtensa(_) => return false,
        }
        true
    }

    /// Counts cycles by function from now on ([`thumb::Machine::count_by_function`]).
    ///
    /// # Errors
    ///
    /// For Xtensa, of which that is not known, and if no symbol contains `within`.
    pub fn count_by_function(&mut self, within: Option<&str>) -> Result<(), String> {
        match self {
            Simulator::Thumb(machine) => machine.count_by_function(within),
            Simulator::Xtensa(_) => Err("only of Cortex-M are cycles known by function".into()),
        }
    }

    /// What each function has cost ([`thumb::Machine::by_function`]).
    pub fn by_function(&self) -> Vec<thumb::FunctionCost> {
        match self {
            Simulator::Thumb(machine) => machine.by_function(),
            Simulator::Xtensa(_) => Vec::new(),
        }
    }

    /// How often each mnemonic was executed since the machine was made.
    pub fn histogram(&mut self) -> &BTreeMap<&'static str, u64> {
        either!(self, machine => machine.histogram())
    }
}

impl From<thumb::Machine> for Simulator {
    fn from(machine: thumb::Machine) -> Simulator {
        Simulator::Thumb(Box::new(machine))
    }
}

impl From<xtensa::Machine> for Simulator {
    fn from(machine: xtensa::Machine) -> Simulator {
        Simulator::Xtensa(Box::new(machine))
    }
}
