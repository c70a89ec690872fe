//! What can go wrong while code runs, and what the checks find.

use crate::memory::Memory;
use isa::xtensa::BusFault;
use std::collections::BTreeSet;
use std::fmt;

/// An instruction where something happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Its address.
    pub address: u32,
    /// The function that it is in and the offset from its start, if symbols tell.
    pub function: Option<(String, u32)>,
    /// The instruction as text.
    pub text: String,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {:#010x}", self.text, self.address)?;
        match &self.function {
            Some((name, offset)) => write!(f, " ({name}+{offset:#x})"),
            None => Ok(()),
        }
    }
}

/// Why a run ended before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SimError {
    /// A load or store that memory refuses.
    #[error("{site}: {access} at {address:#010x} refused, {why}; {register}")]
    Memory {
        /// The instruction.
        site: Box<Site>,
        /// Such as "load of 4 bytes".
        access: String,
        /// The bad address.
        address: u32,
        /// What is there.
        why: String,
        /// The register that it came from, with its value.
        register: String,
    },
    /// Any other fault of an instruction.
    #[error("{site}: {what}")]
    Instruction {
        /// The instruction.
        site: Box<Site>,
        /// What is wrong with it.
        what: String,
    },
    /// Control went where there is no code.
    #[error("{address:#010x} is no place for code ({why}); what led there is {from}")]
    Fetch {
        /// The address.
        address: u32,
        /// What is there.
        why: String,
        /// The instruction that jumped.
        from: String,
    },
    /// The instruction limit was reached.
    #[error("not finished after {limit} instructions, at {site}; is it an endless loop? raise the limit if not")]
    Limit {
        /// The limit.
        limit: u64,
        /// The next instruction.
        site: Box<Site>,
    },
    /// A jump to itself that nothing can interrupt, such as the end of a handler for what must not happen.
    #[error("{0} jumps to itself, and nothing can interrupt it")]
    Endless(Box<Site>),
    /// The function reads an argument register that was not given.
    #[error("too few arguments: {register} is read by {site} but only {given} {} given", were(*.given))]
    TooFewArguments {
        /// The register.
        register: String,
        /// The instruction.
        site: Box<Site>,
        /// Number of arguments.
        given: usize,
    },
    /// The arguments cannot be laid out in memory.
    #[error("argument {index}: {why}")]
    Argument {
        /// Which one, from 0.
        index: usize,
        /// What is wrong.
        why: String,
    },
    /// A fault that no handler can take: the core has stopped.
    #[error("{0}; neither its own handler nor that of hard faults can run: the core is locked up")]
    Lockup(Box<SimError>),
    /// A fault of an Xtensa core whose handlers fault too, before they have done anything.
    #[error("{0}; neither its handler nor that of double exceptions can run")]
    NoHandler(Box<SimError>),
    /// What ended a run after a fault that a handler has taken.
    #[error("{error}; before that there was a fault: {fault}")]
    AfterFault {
        /// What ended it.
        error: Box<SimError>,
        /// The last fault.
        fault: String,
    },
    /// A booted image let a secret decide a branch, an address or an instruction's time.
    #[error("{0}")]
    Leak(Box<Leak>),
    /// The program does not fit the memory map.
    #[error("{0}")]
    Layout(String),
}

fn were(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// A rule that code broke without stopping.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// A callee-saved register or sp is not what it was (AAPCS32, 6.1.1; Xtensa ISA manual, 8.1).
    NotRestored,
    /// The function returned with LCOUNT other than 0: the next code that reaches LEND would jump.
    LoopLeft,
    /// A store to where a window's registers are saved.
    SaveArea,
    /// A stack pointer that is no multiple of 16 (Xtensa).
    StackAlign,
    /// A load below the stack pointer, where an interrupt may have written.
    BelowStack,
    /// A load of stack that was not written.
    UninitialisedStack,
    /// A computation with a register that nothing was written to.
    UndefinedRegister,
    /// A branch whose condition or target is secret.
    SecretBranch,
    /// An address that is secret.
    SecretAddress,
    /// An instruction whose time depends on operands, with a secret one.
    SecretTime,
}

impl Rule {
    /// One line for messages.
    pub const fn text(self) -> &'static str {
        match self {
            Rule::NotRestored => "not restored",
            Rule::LoopLeft => "left",
            Rule::StackAlign => "leaves the stack pointer at no multiple of 16",
            Rule::SaveArea => "writes to where registers of a window are saved",
            Rule::BelowStack => "reads below the stack pointer",
            Rule::UninitialisedStack => "reads stack that was never written",
            Rule::UndefinedRegister => "uses a register that was never written",
            Rule::SecretBranch => "branches on a secret",
            Rule::SecretAddress => "uses a secret as an address",
            Rule::SecretTime => "takes a time that depends on a secret",
        }
    }
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The instruction; for [`Rule::NotRestored`] and [`Rule::LoopLeft`] the one that returned.
    pub site: Site,
    /// The register or address in question.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::NotRestored | Rule::LoopLeft => {
                write!(f, "{} {}, returning by {}", self.detail, self.rule.text(), self.site)
            }
            _ => write!(f, "{} {}: {}", self.site, self.rule.text(), self.detail),
        }
    }
}

/// Memory that firmware has declared secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// What it called it.
    pub name: String,
    /// Where it was.
    pub address: u32,
    /// Bytes.
    pub length: u32,
    /// Cycles since reset when it said so.
    pub cycle: u64,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { name, address, length, cycle } = self;
        write!(f, "`{name}`, {length} bytes at {address:#010x}, secret since cycle {cycle}")
    }
}

/// The first rule about secrets that a booted image broke.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leak {
    /// What, and where.
    pub violation: Violation,
    /// Cycles since reset, that instruction included.
    pub cycle: u64,
    /// Instructions since reset.
    pub instructions: u64,
    /// One of the secrets that did it.
    pub source: Option<Source>,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in cycle {}", self.violation, self.cycle)?;
        self.source.iter().try_for_each(|source| write!(f, "; it comes from {source}"))
    }
}

impl From<Leak> for SimError {
    fn from(leak: Leak) -> SimError {
        SimError::Leak(Box::new(leak))
    }
}

/// Violations after which no more are recorded.
const MAX_VIOLATIONS: usize = 100;

/// The violations of a run.
#[derive(Clone, Default, Debug)]
pub(crate) struct Violations {
    list: Vec<Violation>,
    reported: BTreeSet<(u32, Rule)>,
}

impl Violations {
    /// True if the instruction at this address has not broken the rule before; from now on it has.
    pub(crate) fn is_new(&mut self, address: u32, rule: Rule) -> bool {
        self.list.len() < MAX_VIOLATIONS && self.reported.insert((address, rule))
    }

    /// Records one.
    pub(crate) fn push(&mut self, violation: Violation) {
        self.list.push(violation);
    }

    /// True if nothing was recorded.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All so far; then there are none.
    pub(crate) fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.list)
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        *self = Violations::default();
    }
}

/// An access that memory has refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub address: u32,
    pub size: u32,
    pub write: bool,
    pub why: BusFault,
}

impl Memory {
    /// Tells an access that was refused, with the register that is to blame and its value.
    pub(crate) fn refused(&self, site: Box<Site>, access: Access, register: String) -> SimError {
        let Access { address, size, write, why } = access;
        let kind = if write { "store" } else { "load" };
        let place = self.describe(address, size);
        let why = match why {
            BusFault::Unmapped => place,
            BusFault::Permission if write => format!("{place}, which is read-only"),
            BusFault::Permission => format!("{place}, which cannot be read"),
        };
        SimError::Memory { site, access: format!("{kind} of {size} bytes"), address, why, register }
    }
}

/// Tells an access that has to be aligned and is not.
pub(crate) fn unaligned(site: Box<Site>, address: u32, register: String) -> SimError {
    let why = "which is not a multiple of the size".into();
    SimError::Memory { site, access: "aligned access".into(), address, why, register }
}
