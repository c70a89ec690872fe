//! From kernel descriptions to proven assembly functions and the files that carry them.

mod check;
pub mod cli;
pub mod compile;
pub mod emit;
pub mod function;
pub mod ir;
pub mod kernels;
pub mod lockstep;
mod made;
pub mod map;
pub mod plan;
pub mod problem;
pub mod simulated;
pub mod target;
pub mod thumb;
pub mod transform;
pub mod unroll;
pub mod verify;
pub mod xtensa;

use cli::{Failure, Generator, Job};
use function::Function;

/// Generates and verifies each of these functions; they come in the order of the jobs.
///
/// # Errors
/// That of the first job, in their order, that failed.
pub fn generate(jobs: &[Job]) -> Result<Vec<Function>, Failure> {
    cli::generate(&Generator, jobs)
}
