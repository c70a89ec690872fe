//! How the machines run: memory map, taint, cycle model per core, ABI checks, ELF loading.
//!
//! This crate knows no algorithm: it is told code, arguments and a core, and reports what happened.

mod board;
mod call;
mod checks;
pub mod cycles;
mod effects;
mod error;
mod firmware;
mod machine;
pub mod memory;
pub mod program;
mod slot;
mod system;
mod timeline;
pub mod xtensa;

pub use board::{Access, Board, BoardError, BoardMemory, Clock, Follow, MemoryKind, Registers, Uart, UartKind, Word};
pub use call::{Arg, Buffer, Report, Residue};
pub use error::{Rule, SimError, Site, Violation};
pub use firmware::{End, Exit};
pub use machine::{DEFAULT_LIMIT, Machine, Sink};
pub use program::{LoadError, Program};
