//! Running an image: in QEMU, on the simulator, on a board.

use super::choice::{self, Chosen};
use super::console::{Patience, Source, Stop};
use super::programmer::{Files, Programmer};
use super::{Args, port};
use crate::{CheckFailed, program};
use anyhow::{Context, bail};
use clap::ValueEnum;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Where firmware runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Run {
    /// In qemu-system-arm
    Qemu,
    /// On the simulator, which counts cycles
    Sim,
    /// On the board itself: flash, start, and follow its console
    Board,
}

const QEMU: &str = "qemu-system-arm";
/// QEMU's clock moves by 2^6 ns with each instruction instead of with the host's: every run is the same, and a SysTick of 4 us, as in
/// the self-test, interrupts every 62 instructions. With 2^8 ns the handler would leave hardly any time.
const QEMU_CLOCK: [&str; 2] = ["-icount", "shift=6"];
/// A program may still be printing when the firmware has ended.
const AFTER_END: Duration = Duration::from_secs(5);
/// Quiet after `#` on a port: no JSON follows, as it does not from firmware of mupq.
const AFTER_HASH: Duration = Duration::from_secs(2);
/// Enough for any time-out: the simulator executes some ten million instructions a second.
const INSTRUCTIONS_MAX: &str = "1000000000000";

/// Refuses before anything is built what could not be run after it.
pub fn check(args: &Args, chosen: &Chosen) -> anyhow::Result<()> {
    let board = &chosen.board;
    match (args.run, &args.console) {
        (Some(Run::Qemu | Run::Sim), Some(_)) => bail!("--console follows a board; leave it out, or use --run board"),
        (Some(Run::Qemu), None) => {
            machine(chosen)?;
        }
        (Some(Run::Board), None) => bail!(
            "--run board needs --console with the serial port of the board's console ({}), such as /dev/ttyACM0",
            board.console
        ),
        _ => {}
    }
    if args.by_function.is_some() && args.run != Some(Run::Sim) {
        bail!("--by-function: only the simulator counts cycles; add --run sim");
    }
    if args.full_speed && board.full_speed.is_none() {
        bail!("{} has one clock; leave out --full-speed, or give its file a [full_speed]", board.name);
    }
    if args.flashes() {
        Programmer::find(chosen, &std::env::var_os("PATH").unwrap_or_default())?;
    }
    Ok(())
}

fn machine(chosen: &Chosen) -> anyhow::Result<&str> {
    let board = &chosen.board;
    if let Some(machine) = &board.qemu_machine {
        return Ok(machine);
    }
    let boards = choice::boards()?.into_iter().filter(|chosen| chosen.board.qemu_machine.is_some());
    let names: Vec<String> = boards.map(|chosen| chosen.board.name).collect();
    bail!("QEMU has no machine for {}; it has for {}; --run sim runs every board", board.name, names.join(" and "))
}

/// Runs an image as asked for.
pub fn run(args: &Args, chosen: &Chosen, files: Files<'_>) -> anyhow::Result<()> {
    match args.run {
        Some(Run::Qemu) => qemu(args, chosen, files.elf)?,
        Some(Run::Sim) => simulator(args, chosen, files.elf)?,
        Some(Run::Board) | None => {}
    }
    if args.flashes() {
        return on_board(args, chosen, files);
    }
    match &args.console {
        Some(path) => follow(args, Some(chosen), path),
        None => Ok(()),
    }
}

fn qemu(args: &Args, chosen: &Chosen, elf: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(QEMU);
    command.args(["-M", machine(chosen)?, "-nographic", "-monitor", "none"]).args(QEMU_CLOCK);
    command.args(["-semihosting-config", "enable=on,target=native", "-kernel"]).arg(elf);
    supervise(args, chosen, &mut command, "`cargo xtask setup` installs it")
}

fn simulator(args: &Args, chosen: &Chosen, elf: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(program("sim", "sim")?);
    command.arg("run").arg(elf).arg("--board").arg(&chosen.path).args(["--limit", INSTRUCTIONS_MAX]);
    if let Some(clock) = chosen.board.full_speed.as_ref().filter(|_| args.full_speed) {
        command.args(["--wait-states", &clock.wait_states.to_string()]);
    }
    match &args.by_function {
        None => {}
        Some(None) => drop(command.arg("--by-function")),
        Some(Some(name)) => drop(command.arg(format!("--by-function={name}"))),
    }
    supervise(args, chosen, &mut command, "build it with `cargo build --package sim`")
}

/// Runs a program that runs the firmware, and judges what both say.
fn supervise(args: &Args, chosen: &Chosen, command: &mut Command, hint: &str) -> anyhow::Result<()> {
    let shown = command.get_program().display().to_string();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot run {shown}; {hint}"))?;
    let outputs: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|output| Box::new(output) as Box<dyn Read + Send>),
        child.stderr.take().map(|output| Box::new(output) as Box<dyn Read + Send>),
    ];
    let total = Duration::from_secs(args.timeout);
    let source = Source::new(outputs.into_iter().flatten().collect());
    let seen = source.follow(Patience { total, after_end: AFTER_END, after_hash: total }, &mut std::io::stdout());
    let seen = match seen {
        Ok(seen) if seen.stop == Stop::Closed => seen,
        other => {
            child.kill().with_context(|| format!("cannot stop {shown}"))?;
            other.context("cannot show what the firmware prints")?
        }
    };
    let status = child.wait().with_context(|| format!("cannot wait for {shown}"))?;
    seen.verdict(name(Some(chosen)), "there should have been text of the firmware")?;
    if seen.stop == Stop::Closed && !status.success() {
        return Err(CheckFailed(format!("{shown} ended with {status}")).into());
    }
    Ok(())
}

fn on_board(args: &Args, chosen: &Chosen, files: Files<'_>) -> anyhow::Result<()> {
    let programmer = Programmer::find(chosen, &std::env::var_os("PATH").unwrap_or_default())?;
    let Some(path) = &args.console else {
        return programmer.flash(files, || ());
    };
    // Opened first, so that nothing is lost of what the board says when it starts.
    let source = Source::new(vec![Box::new(port::open(path, args.baud)?)]);
    programmer.flash(files, || source.drain())?;
    listen(args, Some(chosen), &source)
}

/// Follows a port until the firmware there has ended.
pub fn follow(args: &Args, chosen: Option<&Chosen>, path: &Path) -> anyhow::Result<()> {
    let source = Source::new(vec![Box::new(port::open(path, args.baud)?)]);
    eprintln!("xtask: following {}; press the board's reset button if nothing comes", path.display());
    listen(args, chosen, &source)
}

fn listen(args: &Args, chosen: Option<&Chosen>, source: &Source) -> anyhow::Result<()> {
    let total = Duration::from_secs(args.timeout);
    let patience = Patience { total, after_end: Duration::ZERO, after_hash: AFTER_HASH };
    let seen = source.follow(patience, &mut std::io::stdout()).context("cannot show what the board prints")?;
    let console = chosen.map_or("see the board's manual", |chosen| &chosen.board.console);
    let hint = format!("the rate here is {} (--baud), the board's console: {console}", args.baud);
    Ok(seen.verdict(name(chosen), &hint)?)
}

/// Whose firmware is expected.
fn name(chosen: Option<&Chosen>) -> Option<&str> {
    chosen.map(|chosen| chosen.board.name.as_str())
}
