//! The parts of the bins: start-up, console, cycle counter, reports, and what each of them does.
//!
//! A bin prints a line `start`, a head that says what it runs on and how it was built, its results between a line of `=` and
//! a line `#` in the text format that the scripts of mupq read, the same as JSON lines, and a line `end`, which comes
//! whatever happens.

mod arena;
mod board;
mod console;
mod counter;
mod counting;
mod fault;
mod harness;
#[cfg(feature = "mlkem")]
mod kem;
mod linked;
mod operations;
mod registers;
mod report;
mod secrets;
mod semihosting;
mod systick;
mod watched;

pub mod bins;

pub use report::start;
