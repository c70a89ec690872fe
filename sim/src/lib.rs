//! How the machines run: memory map, taint, cycle model per core, ABI checks, ELF loading.
//!
//! This crate knows no algorithm: it is told code, arguments and a core, and reports what happened. [`thumb`] and [`xtensa`]
//! are the machines, with the same files for the same jobs; what is beside them serves both.

mod call;
pub mod cycles;
mod error;
mod exit;
pub mod memory;
pub mod program;
mod simulator;
mod slots;
pub mod thumb;
pub mod xtensa;

pub use call::{Arg, Buffer, Report, Residue};
pub use error::{Leak, Rule, SimError, Site, Source, Violation};
pub use exit::{End, Exit, Mark, Marked};
pub use program::{Family, LoadError, Program};
pub use simulator::Simulator;
pub use thumb::{
    Access, Board, BoardError, BoardMemory, Clock, Follow, FunctionCost, Machine, MemoryKind, Registers, Uart,
    UartKind, Word,
};

/// Instructions after which a run is given up, unless told otherwise.
pub const DEFAULT_LIMIT: u64 = 1_000_000_000;

/// Takes the lines of a trace.
pub type Sink = Box<dyn FnMut(&str)>;
