//! Tests of `sizes`, with files that were built by hand or by real assemblers.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod against_binutils;
mod attribution;
mod budget;
mod cli;
mod code;
mod diff;
mod disasm;
mod firmware;
mod fixture;
mod html;
mod linked;
mod literals;
mod manifest;
mod mutated;
mod names;
mod segments;
mod source;
mod special;
