//! What a shell script would do: set up a machine, run every check, measure every kernel.
//!
//! Exit code 0 if all is well, 1 if a check failed, 2 if it could not be made.

mod bench;
mod bundle;
mod docs;
mod firmware;
mod setup;
mod steps;
mod table;

use anyhow::Context;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Sets up a machine, runs every check, measures every kernel.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the Debian packages whose programs are missing
    Setup,
    /// Run everything that must pass before a change is accepted
    Test {
        /// Also the long sweeps: sets QUADROUND_FULL=1 for the tests
        #[arg(long)]
        full: bool,
    },
    /// Measure every kernel on the simulator and write docs/benchmarks.md
    Bench(bench::Args),
    /// Generate everything twice, assemble it with GNU as and clang, measure it with sizes: all must agree; or write a bundle
    Bundle(bundle::Args),
    /// Build firmware for a board, check it, measure it, run it
    Firmware(firmware::Args),
    /// Run the commands that the documentation shows, and compare their output with what it shows
    Docs,
}

/// A check that was made and did not pass, unlike one that could not be made.
#[derive(Debug)]
struct CheckFailed(String);

impl std::fmt::Display for CheckFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CheckFailed {}

/// The top folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The cargo that runs this, at the top of the repository.
fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").map_or(PathBuf::from("cargo"), PathBuf::from));
    command.args(args).current_dir(root());
    command
}

/// Makes cargo tell what it has built.
const CARGO_MESSAGES: &str = "--message-format=json";

/// What a build ends in.
enum Outcome {
    /// The program, or the static library.
    Made(PathBuf),
    /// The compiler's messages.
    Failed(String),
}

/// Runs a `cargo build` with [`CARGO_MESSAGES`] that makes the program or the library `name`.
fn build(command: &mut Command, name: &str) -> anyhow::Result<Outcome> {
    let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
    let (mut messages, mut made) = (String::new(), None);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        messages += message["message"]["rendered"].as_str().unwrap_or_default();
        if message["target"]["name"] == name {
            let files = message["filenames"].as_array().into_iter().flatten().filter_map(|file| file.as_str());
            let library = files.into_iter().find(|file| file.ends_with(".a"));
            made = message["executable"].as_str().or(library).map(PathBuf::from).or(made);
        }
    }
    match made {
        Some(path) if output.status.success() => {
            eprint!("{messages}");
            Ok(Outcome::Made(path))
        }
        _ => Ok(Outcome::Failed(messages)),
    }
}

/// Builds a program of the workspace.
fn program(package: &str, bin: &str) -> anyhow::Result<PathBuf> {
    match build(&mut cargo(&["build", "--quiet", CARGO_MESSAGES, "--package", package, "--bin", bin]), bin)? {
        Outcome::Made(path) => Ok(path),
        Outcome::Failed(messages) => anyhow::bail!("cannot build {bin}:\n{messages}"),
    }
}

fn main() -> ExitCode {
    let result = match Args::parse().task {
        Task::Setup => setup::run(),
        Task::Test { full } => steps::run(full),
        Task::Bench(args) => bench::run(&args),
        Task::Bundle(args) => bundle::run(&args),
        Task::Firmware(args) => firmware::run(&args),
        Task::Docs => docs::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(if error.is::<CheckFailed>() { 1 } else { 2 })
        }
    }
}
