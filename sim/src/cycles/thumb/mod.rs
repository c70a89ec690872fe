//! The cycle model of Cortex-M3 and Cortex-M4: three stages, a prefetch buffer of three words, and the documented
//! occupancy of each instruction.
//!
//! [`Timing`] holds all that the model needs to know of an instruction and is made once; [`Pipeline`] is the state
//! between two instructions: it is small and `Copy`, so that a scheduler can resume from any point.
//!
//! A count runs from the first instruction's execute cycle, entered as after a taken branch to a word-aligned address,
//! to the cycle in which the instruction after the last one could execute. A return therefore counts with its refill,
//! to a word-aligned or 16-bit instruction: `bx lr` is 1 + 2.
//!
//! Sources: Arm DDI 0337 and DDI 0439 (instruction timing tables), Arm knowledge base article 103488664 (prefetch
//! buffer), measurements published with jnk0le's pipeline cycle tests. What those leave open is decided in
//! [`Pipeline::step`] and named there.

mod pipeline;
mod timing;

pub use pipeline::{Event, Flow, Pipeline};
pub use timing::{Kind, Timing};

pub use isa::thumb::Core;
use isa::thumb::Inst;

/// Where code and data are, as far as time is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Profile {
    /// One memory that answers every access without waiting.
    #[default]
    Ideal,
    /// STM32F407 with data and stack in SRAM1. Inferred from published counts, not documented: each change of direction
    /// on the data bus costs a cycle.
    F407Sram1,
    /// STM32F407 with data and stack in SRAM2. Inferred: as SRAM1, and each load burst, LDM, STM, PUSH and POP costs a
    /// cycle more unless it already paid for a change of direction.
    F407Sram2,
}

/// The memory system: the profile of the data side, and the wait states of the flash that holds the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Memory {
    /// Data side, and the width of a flash line: 64 bits for `Ideal` (as on STM32F1 and STM32L1), 128 for the F407.
    pub profile: Profile,
    /// Flash wait states, 0..=15. One line is prefetched ahead; a cache of branch targets is not modelled, and neither
    /// are data accesses to flash.
    pub wait_states: u8,
}

impl From<Profile> for Memory {
    fn from(profile: Profile) -> Self {
        Memory { profile, wait_states: 0 }
    }
}

/// Cycles of straight-line code that starts at a word-aligned address: `(instruction, length in bytes)`. The last
/// instruction may leave it (a return counts with its refill); branches before it are taken as not taken.
pub fn of_straight_line(code: &[(Inst, u32)], core: Core, memory: impl Into<Memory>) -> u64 {
    let mut pipeline = Pipeline::new(core, memory);
    let mut address = 0;
    for (index, (inst, length)) in code.iter().enumerate() {
        let timing = Timing::of(inst, *length, core);
        let leaves = index + 1 == code.len() && timing.leaves();
        pipeline.step(&timing, &Event { flow: if leaves { Flow::Jump(0) } else { Flow::Next }, ..Event::at(address) });
        address += length;
    }
    pipeline.cycles()
}
