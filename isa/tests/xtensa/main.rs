//! Xtensa: encoder and decoder against each other, against words that LLVM made, and against LLVM itself.

#![allow(clippy::unwrap_used)]

mod effects;
mod encoding;
mod executed;
#[path = "../common/memory.rs"]
mod little_memory;
mod llvm;
mod semantics;
mod vector;
mod words;

use isa::xtensa::{Inst, encode};

/// The bytes of an instruction that has an encoding.
fn bytes(inst: &Inst) -> Vec<u8> {
    encode(inst).unwrap().bytes().collect()
}

/// Fails with the first of the failures, if there are any.
fn expect_none(failures: &[String]) {
    let shown = failures[..failures.len().min(20)].join("\n");
    assert!(failures.is_empty(), "{} failures, for example:\n{shown}", failures.len());
}
