//! How a firmware image ends.

use crate::error::{SimError, Site};
use std::fmt;

/// How a firmware image ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// By semihosting or SIMCALL, with this code: 0 is success.
    Exit(u32),
    /// At a breakpoint, without a debugger.
    Breakpoint {
        /// Its immediate.
        immediate: u8,
        /// Where.
        site: Site,
    },
    /// It sleeps, and nothing is there that could wake it.
    Asleep {
        /// The instruction after the one that sleeps.
        site: Site,
    },
    /// It asked for a reset (AIRCR.SYSRESETREQ).
    Reset {
        /// The instruction after the request.
        site: Site,
    },
}

impl End {
    /// The exit code of a program that stands for it: what the image says, 1 for a reset, 0 for the others.
    pub fn code(&self) -> u32 {
        match self {
            End::Exit(code) => *code,
            End::Reset { .. } => 1,
            End::Breakpoint { .. } | End::Asleep { .. } => 0,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit code {code}"),
            End::Breakpoint { immediate, site } => write!(f, "breakpoint {immediate:#x}, {site}"),
            End::Asleep { site } => write!(f, "asleep for ever, before {site}"),
            End::Reset { site } => write!(f, "reset requested, before {site}"),
        }
    }
}

/// What a firmware image did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// How it ended.
    pub end: End,
    /// Cycles since reset.
    pub cycles: u64,
    /// Instructions since reset.
    pub instructions: u64,
    /// Jumps since reset.
    pub taken_branches: u64,
    /// Bytes of main stack below the initial sp, frames of exceptions included.
    pub stack_bytes: u32,
    /// The last fault that a handler has taken.
    pub last_fault: Option<String>,
    /// What it has declared secret or public, by kind and name.
    pub marked: Vec<Marked>,
}

/// What firmware says of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// It holds a secret.
    Secret,
    /// It is public from now on.
    Public,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mark::Secret => "secret",
            Mark::Public => "public",
        })
    }
}

/// All that firmware has declared secret, or public, under one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marked {
    /// Secret or public.
    pub mark: Mark,
    /// The name.
    pub name: String,
    /// How often.
    pub calls: u64,
    /// Bytes in all.
    pub bytes: u64,
}

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Marked { mark, name, calls, bytes } = self;
        write!(f, "{mark}: {name} ({calls} times, {bytes} bytes)")
    }
}

impl Exit {
    /// What is told of an image: how it ended, or why it could not go on, with the last fault that a handler has taken.
    pub(crate) fn told(result: Result<Exit, SimError>, fault: Option<String>) -> Result<Exit, SimError> {
        match (result, fault) {
            (Ok(exit), last_fault) => Ok(Exit { last_fault, ..exit }),
            (Err(error @ SimError::Layout(_)), _) | (Err(error), None) => Err(error),
            (Err(error), Some(fault)) => Err(SimError::AfterFault { error: error.into(), fault }),
        }
    }
}
