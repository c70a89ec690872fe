//! The cycle models, one for each family of cores, with the same files: what a model has to know of an instruction
//! (`Timing`), and its state between two instructions (`Pipeline`).

pub mod thumb;
pub mod xtensa;

pub use thumb::{Core, Event, Flow, Kind, Memory, Pipeline, Profile, Timing, of_straight_line};
