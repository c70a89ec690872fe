//! How Cortex-M3 and Cortex-M4 run.

pub(crate) mod board;
mod call;
mod checks;
mod costs;
mod effects;
mod firmware;
mod machine;
mod mixed;
mod secrets;
mod slot;
pub(crate) mod system;
mod timeline;

pub use board::{Access, Board, BoardError, BoardMemory, Clock, Follow, MemoryKind, Registers, Uart, UartKind, Word};
pub use costs::FunctionCost;
pub use machine::Machine;
