//! The simulated core of a function's target, and what the function's instructions do to its registers.

use crate::function::{Clobbers, Function};
use crate::target::{Abi, Isa};
use isa::xtensa::{Registers, States};
use isa::{thumb, xtensa};
use sim::cycles::Profile;
use sim::{Program, Simulator};

/// Where the section of the code is: a multiple of 4.
const SECTION: u32 = 0x0800_0000;

/// A core of the function's target with the function in its memory, which will call it as its calling convention says.
///
/// # Errors
/// Why it cannot be loaded.
pub fn machine(function: &Function) -> Result<Simulator, String> {
    let mut program = Program::from_code(&function.section(), SECTION);
    program.entry = SECTION + 4 * function.literals.len() as u32;
    program.symbols = vec![(program.entry, function.symbol.clone())];
    let abi = match function.abi {
        Abi::Call0 => sim::xtensa::Abi::Call0,
        Abi::Aapcs | Abi::Windowed => sim::xtensa::Abi::Windowed,
    };
    let target = function.target;
    let machine = match (target.thumb_core(), target.xtensa_core()) {
        (Some(core), _) => sim::Machine::new(program, core, Profile::Ideal).map(Simulator::from),
        (None, Some(core)) => sim::xtensa::Machine::new(program, core, abi).map(Simulator::from),
        (None, None) => return Err("there is no simulator for its core".into()),
    };
    machine.map_err(|error| error.to_string())
}

/// The registers that a function's instructions write and that its calling convention does not make it restore.
///
/// # Errors
/// If its code is none.
pub fn clobbers(function: &Function) -> Result<Clobbers, String> {
    match function.target.isa() {
        Isa::Thumb => thumb_clobbers(&function.code),
        Isa::Xtensa => Ok(xtensa_clobbers(&xtensa_writes(&function.code)?, function.abi)),
    }
}

/// Of r0 to r3, r12, lr and s0 to s15.
fn thumb_clobbers(code: &[u8]) -> Result<Clobbers, String> {
    let halfword = |at: usize| code.get(at..at + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
    let mut all = Clobbers::default();
    let mut at = 0;
    while at < code.len() {
        let decoded = thumb::decode(halfword(at), halfword(at + 2), 0);
        let (inst, bytes) = decoded.map_err(|error| format!("byte {at} of the code: {error}"))?;
        let effects = inst.effects();
        all.core |= effects.core_writes & 0b0101_0000_0000_1111;
        all.fp |= effects.fp_writes & 0xffff;
        at += bytes as usize;
    }
    Ok(all)
}

/// Everything that is written.
fn xtensa_writes(code: &[u8]) -> Result<Registers, String> {
    let mut all = Registers::default();
    let mut at = 0;
    while at < code.len() {
        let decoded = xtensa::decode(&code[at..]);
        let (inst, bytes) = decoded.map_err(|error| format!("byte {at} of the code: {error}"))?;
        let writes = inst.effects().writes;
        all.core |= writes.core;
        all.float |= writes.float;
        all.mac |= writes.mac;
        all.states |= writes.states;
        at += bytes as usize;
    }
    Ok(all)
}

/// Source: ISA manual, 8.1. Without register windows a2 to a11 may be changed (a0, too, but the call itself has done that);
/// with them every core register is in a window that is not the caller's, or that the caller has given away by its call.
fn xtensa_clobbers(writes: &Registers, abi: Abi) -> Clobbers {
    let core = if abi == Abi::Call0 { writes.core & 0x0ffc } else { 0 };
    // ENTRY and RETW undo one another.
    let states = States(writes.states.0 & !States::WINDOW.0);
    Clobbers { core, fp: writes.float.into(), mac: writes.mac, states }
}
