//! How the machines run: memory map, taint, cycle model per core, ABI checks, ELF loading.
//!
//! This crate knows no algorithm: it is told code, arguments and a core, and reports what happened.

pub mod cycles;
