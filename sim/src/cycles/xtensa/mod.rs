//! The cycle model of Xtensa LX6 (ESP32) and LX7 (ESP32-S3): one instruction is issued per cycle, in order, and waits
//! until its operands are there.
//!
//! [`Timing`] holds all that the model needs to know of an instruction and is made once; [`Pipeline`] is the state
//! between two instructions: it is small and `Copy`, so that a scheduler can resume from any point. The numbers are in
//! [`Costs`], each with its source; some are **estimates**, and say so. Code and data are in memory that answers without
//! waiting (IRAM and DRAM); caches are not modelled, and neither is the write buffer.
//!
//! A count runs from the cycle in which the first instruction is issued, entered at an address that is a multiple of 4,
//! to the cycle in which the instruction after the last one could be issued, if it waits for no operand. A return
//! therefore counts with its refill.

mod costs;
mod pipeline;
mod timing;
mod vector;

pub use costs::Costs;
pub use pipeline::{Event, Flow, Pipeline};
pub use timing::Timing;

pub use isa::xtensa::Core;
use isa::xtensa::Inst;

/// Cycles of straight-line code that starts at an address that is a multiple of 4: `(instruction, length in bytes)`.
/// The last instruction may leave it (a return counts with its refill); branches before it are taken as not taken, and
/// loops as run through once.
pub fn of_straight_line(code: &[(Inst, u32)], core: Core) -> u64 {
    let mut pipeline = Pipeline::new(core);
    let mut address = 0;
    for (index, (inst, length)) in code.iter().enumerate() {
        let timing = Timing::of(inst, *length, core);
        let leaves = index + 1 == code.len() && timing.leaves();
        let flow = if leaves { Flow::Jump } else { Flow::Next };
        pipeline.step(&timing, &Event { flow, ..Event::at(address) });
        address += length;
    }
    pipeline.cycles()
}
