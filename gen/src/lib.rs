//! From kernel descriptions to proven assembly functions and the files that carry them.

pub mod cli;
pub mod emit;
pub mod function;
pub mod ir;
pub mod kernels;
pub mod plan;
pub mod simulated;
pub mod target;
pub mod thumb;
pub mod unroll;
pub mod verify;
