//! Tests of the Xtensa machine.
#![allow(clippy::unwrap_used)]

mod assemble;
#[path = "../c/mod.rs"]
mod c;
mod calls;
mod cli;
mod compiled;
mod elf;
mod faults;
mod system;
mod timing;
mod vectors;

use assemble::assemble;
use sim::memory::Permissions;
use sim::program::{Program, Segment};
use sim::xtensa::{Abi, Core, Machine};
use sim::{Arg, Buffer, Report, SimError};

/// Where the code of the tests is.
const BASE: u32 = 0x4008_0000;

/// The code, entered at the label `start`, or else at its first byte.
fn program(source: &str) -> Program {
    let assembled = assemble(source, BASE);
    let entry = assembled.label("start").unwrap_or(BASE);
    let code =
        Segment { name: "code".into(), base: BASE, bytes: assembled.bytes, permissions: Permissions::READ_EXECUTE };
    Program {
        segments: vec![code],
        entry,
        symbols: assembled.labels.into_iter().map(|(name, at)| (at, name)).collect(),
    }
}

fn machine(source: &str, abi: Abi) -> Machine {
    let mut machine = Machine::new(program(source), Core::Lx6, abi).unwrap();
    machine.set_limit(1_000_000);
    machine
}

fn call(source: &str, abi: Abi, args: &[Arg]) -> Result<Report, SimError> {
    machine(source, abi).call(args)
}

/// A body between ENTRY and RETW, or with RET behind it.
fn framed(body: &str, abi: Abi) -> String {
    match abi {
        Abi::Windowed => format!("entry a1, 32; {body}; retw.n"),
        Abi::Call0 => format!("{body}; ret.n"),
    }
}

/// A buffer of 16 bytes, one that is secret, and 7.
fn args() -> Vec<Arg> {
    vec![Buffer::new([0; 16]).into(), Buffer::new([1; 16]).secret().into(), 7.into()]
}
