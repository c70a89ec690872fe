//! Our side: runs a case with `isa::thumb::execute` and compares with what the other machine left behind.

use isa::thumb::{Bus, BusFault, Fault, Inst, Outcome, State};

use crate::image::{DONE, Record, SCRATCH, SCRATCH_LEN, name, words};

/// The image, which may be read, and the scratch memory.
pub struct Memory<'a> {
    pub image: &'a [u8],
    pub scratch: Vec<u8>,
}

impl Memory<'_> {
    fn scratch(&self, address: u32, size: u32) -> Option<std::ops::Range<usize>> {
        let start = address.checked_sub(SCRATCH)? as usize;
        (start + size as usize <= SCRATCH_LEN).then_some(start..start + size as usize)
    }
}

impl Bus for Memory<'_> {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let start = address as usize;
        let bytes = match self.scratch(address, size) {
            Some(range) => self.scratch.get(range),
            None => self.image.get(start..start.wrapping_add(size as usize)),
        };
        let bytes = bytes.ok_or(BusFault::Unmapped)?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let range = self.scratch(address, size).ok_or(BusFault::Unmapped)?;
        self.scratch[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}

/// An instruction where it stands, with its length.
pub type Placed = (u32, Inst, u32);

/// What a case left behind on our side.
pub struct After {
    pub state: State,
    pub scratch: Vec<u8>,
    pub fault: Option<Fault>,
}

/// A semantics under test.
pub type Semantics = fn(&mut State, &mut Memory, &Inst, u32) -> Result<Outcome, Fault>;

/// The semantics of the crate.
pub fn ours(state: &mut State, memory: &mut Memory, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    isa::thumb::execute(state, memory, inst, length)
}

/// Runs until the case is done or faults. At `end` stands the branch to the driver.
pub fn run(code: &[Placed], end: u32, state: &State, mut memory: Memory, execute: Semantics) -> After {
    let mut state = state.clone();
    let mut fault = None;
    for _ in 0..64 {
        let at = state.r[15];
        if at == end || at == DONE {
            return After { state, scratch: memory.scratch, fault };
        }
        let Some((_, inst, length)) = code.iter().find(|(address, ..)| *address == at) else {
            panic!("a case went to {at:#x}, where none of its instructions is: {code:x?}");
        };
        let before = state.clone();
        if let Err(why) = execute(&mut state, &mut memory, inst, *length) {
            assert_eq!(state, before, "a fault changed the state: {inst:?}");
            fault = Some(why);
            return After { state, scratch: memory.scratch, fault };
        }
    }
    panic!("a case did not end: {code:x?}");
}

/// The bit of CFSR that tells of a fault.
fn status(fault: Fault) -> u32 {
    match fault {
        Fault::Bus { .. } => 1 << 9,
        Fault::Undefined => 1 << 16,
        Fault::ArmState { .. } => 1 << 17,
        Fault::NoCoprocessor => 1 << 19,
        Fault::Unaligned { .. } => 1 << 24,
    }
}

/// Says what differs. After a fault only its kind is compared.
pub fn compare(ours: &After, theirs: &Record) -> Result<(), String> {
    match ours.fault {
        Some(fault) if theirs.status & status(fault) != 0 => return Ok(()),
        None if theirs.status == 0 => {}
        other => return Err(format!("fault {other:?}, theirs {:#x}", theirs.status)),
    }
    let mut differences = Vec::new();
    for (i, (our, their)) in words(&ours.state).iter().zip(&theirs.words).enumerate() {
        if our != their {
            differences.push(format!("{} = {our:#010x}, theirs {their:#010x}", name(i)));
        }
    }
    for (i, (our, their)) in ours.scratch.iter().zip(&theirs.scratch).enumerate() {
        if our != their {
            differences.push(format!("scratch[{i}] = {our:#04x}, theirs {their:#04x}"));
        }
    }
    if ours.state.it != 0 {
        differences.push(format!("IT state {:#x} after the last instruction", ours.state.it));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
}
