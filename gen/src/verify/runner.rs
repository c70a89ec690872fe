//! A generated function on the simulator, called again and again.

use super::VerifyError;
use super::machine::{clobbers, machine};
use crate::function::{Clobbers, Function, NOTHING_STAYS, Param};
use sim::{Buffer, Residue, Simulator};
use std::ops::Range;

/// Buffers lie at multiples of this, plus their offset.
const ALIGN: u32 = 16;

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg<'a> {
    /// A value.
    Value(u32),
    /// The address of memory that is only read.
    In {
        /// Its content.
        bytes: &'a [u8],
        /// Its address, modulo 16.
        offset: u32,
        /// Bytes of it that are public though the parameter is secret.
        public: Range<usize>,
    },
    /// The address of memory that is written.
    Out {
        /// Its content before the call, and its length.
        before: &'a [u8],
        /// Its address, modulo 16.
        offset: u32,
    },
    /// The address that this argument is, counted from 0.
    SameAs(usize),
}

impl<'a> Arg<'a> {
    /// The address of memory that is only read, all of it as secret as its parameter, at an address that is `offset`
    /// modulo 16.
    pub fn input(bytes: &'a [u8], offset: u32) -> Arg<'a> {
        Arg::In { bytes, offset, public: 0..0 }
    }
}

/// What a call took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Cycles, first instruction through return, ideal memory.
    pub cycles: u64,
    /// Executed instructions.
    pub instructions: u64,
}

/// What a call did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The returned word.
    pub returned: u32,
    /// The memory of the first argument after the call.
    pub out: Vec<u8>,
    /// What it took.
    pub measured: Measured,
}

/// A function on a simulated core.
pub struct Runner {
    symbol: String,
    params: Vec<Param>,
    machine: Simulator,
    clobbers: Clobbers,
    /// It promises to leave no secret behind.
    wipes: bool,
    /// Cases that there were; of `one_in` of them the first is run.
    asked: u64,
    one_in: u64,
    stack_bytes: u32,
}

impl Runner {
    /// Loads a function's machine code into a machine of its target.
    ///
    /// # Errors
    /// [`VerifyError::Load`] if it has constants of its own, or if its code is none.
    pub fn new(function: &Function) -> Result<Runner, VerifyError> {
        let refuse = |reason: String| VerifyError::Load { symbol: function.symbol.clone(), reason };
        if !function.rodata.is_empty() {
            return Err(refuse("it has constants, which would have to be placed and linked first".into()));
        }
        Ok(Runner {
            symbol: function.symbol.clone(),
            params: function.interface.params.clone(),
            machine: machine(function).map_err(refuse)?,
            clobbers: clobbers(function).map_err(refuse)?,
            wipes: function.residue == NOTHING_STAYS,
            asked: 0,
            one_in: 1,
            stack_bytes: 0,
        })
    }

    /// A call that takes more instructions is taken for an endless loop.
    pub fn set_limit(&mut self, instructions: u64) {
        self.machine.set_limit(instructions);
    }

    /// From now on every call is interrupted each time that it has executed so many instructions.
    pub fn interrupt_every(&mut self, instructions: u64) {
        self.machine.interrupt_every(instructions, None);
    }

    /// From now on only one of so many cases is run, the first of them first. At least 1.
    pub fn sample(&mut self, one_in: u64) {
        self.one_in = one_in;
    }

    /// Calls the function. The first argument is the one that is written.
    ///
    /// # Errors
    /// What no function may do, as one sentence: a fault of an access, a register that is not restored, a branch on a
    /// secret, and so on.
    pub fn run(&mut self, args: &[Arg<'_>]) -> Result<Ran, String> {
        let args: Vec<sim::Arg> = args.iter().enumerate().map(|(index, arg)| self.argument(index, arg)).collect();
        let mut report = self.machine.call(&args).map_err(|error| error.to_string())?;
        if let Some(violation) = report.violations.first() {
            return Err(violation.to_string());
        }
        if self.wipes && report.residue != Residue::default() {
            return Err(format!("it leaves secrets behind: {}", report.residue));
        }
        self.stack_bytes = self.stack_bytes.max(report.stack_bytes);
        let out = if report.buffers.is_empty() { Vec::new() } else { report.buffers.swap_remove(0) };
        let measured = Measured { cycles: report.cycles, instructions: report.instructions };
        Ok(Ran { returned: report.returns, out, measured })
    }

    /// Runs the call whose cycles are stated.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn measure(&mut self, args: &[Arg<'_>]) -> Result<Measured, VerifyError> {
        match self.run(args) {
            Ok(ran) => Ok(ran.measured),
            Err(fault) => Err(self.fault("the benchmark call".into(), fault)),
        }
    }

    fn argument(&self, index: usize, arg: &Arg<'_>) -> sim::Arg {
        let secret = self.params.get(index).is_some_and(|param| param.secret);
        let buffer = |bytes: &[u8], offset, public, writable| {
            sim::Arg::Buffer(Buffer { bytes: bytes.to_vec(), align: ALIGN, offset, secret, public, writable })
        };
        match arg {
            Arg::Value(value) => sim::Arg::U32(*value),
            Arg::In { bytes, offset, public } => buffer(bytes, *offset, public.clone(), false),
            Arg::Out { before, offset } => buffer(before, *offset, 0..0, true),
            Arg::SameAs(other) => sim::Arg::Same(*other),
        }
    }

    /// One case: a call whose result is known.
    ///
    /// # Errors
    /// As for [`run`](Self::run), or if another value is returned or other bytes are left in the first argument.
    pub fn expect(
        &mut self,
        args: &[Arg<'_>],
        returns: Option<u32>,
        expected: &[u8],
        case: impl FnOnce() -> String,
    ) -> Result<(), VerifyError> {
        self.judge(args, |ran| difference(ran, returns, expected), case)
    }

    /// One case: a call whose result `wrong` looks at, and says what is wrong with it.
    ///
    /// # Errors
    /// As for [`run`](Self::run), or if something is wrong.
    pub fn judge(
        &mut self,
        args: &[Arg<'_>],
        wrong: impl FnOnce(&Ran) -> Option<String>,
        case: impl FnOnce() -> String,
    ) -> Result<(), VerifyError> {
        self.asked += 1;
        if !(self.asked - 1).is_multiple_of(self.one_in) {
            return Ok(());
        }
        let ran = match self.run(args) {
            Ok(ran) => ran,
            Err(fault) => return Err(self.fault(case(), fault)),
        };
        match wrong(&ran) {
            None => Ok(()),
            Some(difference) => Err(VerifyError::Wrong { symbol: self.symbol.clone(), case: case(), difference }),
        }
    }

    /// The error for what [`run`](Self::run) says.
    pub fn fault(&self, case: String, fault: String) -> VerifyError {
        VerifyError::Fault { symbol: self.symbol.clone(), case, fault }
    }

    /// Cases that were run.
    pub fn cases(&self) -> u64 {
        self.asked.div_ceil(self.one_in)
    }

    /// The most stack that a call used, in bytes below the entry sp.
    pub fn stack_bytes(&self) -> u32 {
        self.stack_bytes
    }

    /// Registers that the code writes and that the procedure call standard does not make it restore. That it restores the
    /// others is checked in every call.
    pub fn clobbers(&self) -> Clobbers {
        self.clobbers
    }
}

/// The first thing that is not as expected.
fn difference(ran: &Ran, returns: Option<u32>, expected: &[u8]) -> Option<String> {
    if let Some(returns) = returns.filter(|returns| *returns != ran.returned) {
        return Some(format!("returned {}, expected {returns}", ran.returned));
    }
    let at = expected.iter().zip(&ran.out).position(|(expected, got)| expected != got)?;
    let end = expected.len().min(at + 8);
    Some(format!("bytes from {at} on are {:02x?}, expected {:02x?}", &ran.out[at..end], &expected[at..end]))
}
