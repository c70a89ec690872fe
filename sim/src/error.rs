//! What can go wrong while code runs, and what the checks find.

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
    #[error("too few arguments: r{register} is read by {site} but only {given} {} given", were(*.given))]
    TooFewArguments {
        /// Number of the register, 0..=3.
        register: u8,
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
    /// What ended a run after a fault that a handler has taken.
    #[error("{error}; before that there was a fault: {fault}")]
    AfterFault {
        /// What ended it.
        error: Box<SimError>,
        /// The last fault.
        fault: String,
    },
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
    /// A callee-saved register or sp is not what it was (AAPCS32, 6.1.1).
    NotRestored,
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
    /// The instruction; for [`Rule::NotRestored`] the one that returned.
    pub site: Site,
    /// The register or address in question.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::NotRestored => write!(f, "{} {}, returning by {}", self.detail, self.rule.text(), self.site),
            _ => write!(f, "{} {}: {}", self.site, self.rule.text(), self.detail),
        }
    }
}
