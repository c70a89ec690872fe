//! What the machines are: one row per instruction. From a row follow operands with read and write marks,
//! encoder, decoder, printer, semantics, timing class, and whether its time depends on data.
//!
//! This crate knows no algorithm, no memory map and no file format.

mod access;
mod bus;
mod float;
mod pattern;
#[cfg(any(test, feature = "testing"))]
mod random;
#[macro_use]
mod rows;
pub mod thumb;
pub mod xtensa;
