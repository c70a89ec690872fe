//! `gen`: from kernel descriptions to proven assembly functions and the files that carry them.

use generator::cli::{Generator, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os(), &Generator, &mut std::io::stdout(), &mut std::io::stderr()))
}
