//! Command line of the simulator: calls a function, or runs a firmware image.

mod arguments;

use arguments::Spec;
use clap::{Args, Parser, Subcommand, ValueEnum};
use sim::cycles::{Core, Memory, Profile};
use sim::{
    Arg, Board, DEFAULT_LIMIT, Exit, Family, FunctionCost, Machine, Marked, Program, Report, SimError, Simulator,
    xtensa,
};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

/// Runs code for Cortex-M3, Cortex-M4 and Xtensa and counts its cycles.
#[derive(Parser)]
#[command(name = "sim", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Calls a function of an ELF object, archive or executable, and checks what it does to registers and stack.
    ///
    /// Exit code: 0 if it returned and kept all rules, 1 if not (the faults are listed), 2 if it could not be called.
    Call(CallOptions),
    /// Runs a firmware image from its reset vector until it exits by semihosting or SIMCALL; its exit code is the simulator's.
    ///
    /// Without that it ends at a breakpoint, or when it sleeps and nothing can wake it (exit code 0), or when it asks
    /// for a reset (exit code 1).
    Run(RunOptions),
}

#[derive(Args)]
struct CallOptions {
    /// ELF object, archive or executable.
    file: PathBuf,
    /// Name of the function.
    symbol: String,
    #[command(flatten)]
    model: ModelOptions,
    /// How a function for Xtensa is called: windowed unless told otherwise.
    #[arg(long, value_enum)]
    abi: Option<AbiName>,
    /// An argument, in the order of the C declaration. May be given several times.
    #[arg(long = "arg", value_name = "ARG", long_help = arguments::HELP)]
    args: Vec<Spec>,
    /// The content of this buffer argument, counted from 0, is secret: branches and addresses must not depend on it.
    #[arg(long = "secret", value_name = "INDEX")]
    secrets: Vec<usize>,
    /// Interrupts the function every N instructions: what lies below sp is overwritten, as any handler may do.
    #[arg(long, value_name = "N")]
    interrupt_every: Option<Interrupts>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct RunOptions {
    /// Firmware image, an ELF executable.
    file: PathBuf,
    #[command(flatten)]
    model: ModelOptions,
    /// The board: a TOML file that describes its core, memory, wait states and console.
    #[arg(long, value_name = "FILE.toml")]
    board: Option<PathBuf>,
    /// Interrupts the firmware every N instructions: what lies below sp is overwritten, as any handler may do; or with a number
    /// of an interrupt that the firmware handles, that becomes pending.
    #[arg(long, value_name = "N[:IRQ]")]
    interrupt_every: Option<Interrupts>,
    /// What the firmware declares public under this name stays secret: that shows what needs it. May be given several times.
    #[arg(long, value_name = "NAME")]
    keep_secret: Vec<String>,
    /// Prints the cycles of each function of Cortex-M to standard error, the most expensive first; with a NAME only what is spent
    /// while a function runs whose symbol contains it, with what that calls; of each such function by itself.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    by_function: Option<Option<String>>,
    /// Prints JSON after the firmware's own output.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct ModelOptions {
    /// The core; a board has its own.
    #[arg(long, value_enum)]
    core: Option<CoreName>,
    /// Where data and stack of Cortex-M are: in ideal memory unless told otherwise.
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,
    /// Wait states of the flash that holds the code of Cortex-M: the board's, or 0, unless told otherwise.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=15))]
    wait_states: Option<u8>,
    /// Gives up after this many instructions.
    #[arg(long, default_value_t = DEFAULT_LIMIT)]
    limit: u64,
    /// Prints each executed instruction to standard error: cycles after it, address, text.
    #[arg(long)]
    trace: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum CoreName {
    /// Cortex-M3.
    M3,
    /// Cortex-M4 without FPU.
    M4,
    /// Cortex-M4 with FPU.
    M4f,
    /// Xtensa LX6, of the ESP32.
    Lx6,
    /// Xtensa LX7, of the ESP32-S3.
    Lx7,
}

impl CoreName {
    /// The core, of one family or the other.
    fn core(self) -> Result<Core, xtensa::Core> {
        match self {
            CoreName::M3 => Ok(Core::M3),
            CoreName::M4 => Ok(Core::M4),
            CoreName::M4f => Ok(Core::M4f),
            CoreName::Lx6 => Err(xtensa::Core::Lx6),
            CoreName::Lx7 => Err(xtensa::Core::Lx7),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum AbiName {
    /// CALL8, ENTRY and RETW.
    Windowed,
    /// CALL0 and RET.
    Call0,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    /// One memory without waiting.
    Ideal,
    /// STM32F407, SRAM1 (inferred).
    F407Sram1,
    /// STM32F407, SRAM2 (inferred).
    F407Sram2,
}

/// `N[:IRQ]`.
#[derive(Clone, Copy)]
struct Interrupts {
    every: u64,
    irq: Option<u16>,
}

impl FromStr for Interrupts {
    type Err = String;

    fn from_str(text: &str) -> Result<Interrupts, String> {
        let (every, irq) = text.split_once(':').map_or((text, None), |(every, irq)| (every, Some(irq)));
        let every = every.parse().map_err(|error| format!("`{every}` instructions: {error}"))?;
        let irq = irq.map(|irq| irq.parse().map_err(|error| format!("interrupt `{irq}`: {error}"))).transpose()?;
        match (every, irq) {
            (0, _) => Err("0 instructions: expected at least 1".into()),
            (_, Some(240..)) => Err("there are interrupts 0 to 239".into()),
            _ => Ok(Interrupts { every, irq }),
        }
    }
}

/// Why nothing was run, as one message.
struct Refusal(String);

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Call(options) => call(&options),
        Command::Run(options) => run(&options),
    };
    outcome.unwrap_or_else(|Refusal(message)| {
        eprintln!("error: {message}");
        ExitCode::from(2)
    })
}

fn read(path: &PathBuf) -> Result<Vec<u8>, Refusal> {
    std::fs::read(path).map_err(|error| Refusal(format!("{}: {error}", path.display())))
}

/// A machine for a program of this family.
fn machine(
    (family, program): (Family, Program),
    options: &ModelOptions,
    abi: Option<AbiName>,
    interrupts: Option<Interrupts>,
    board: Option<Board>,
) -> Result<Simulator, Refusal> {
    let core = match (options.core, &board) {
        (Some(name), None) => name.core(),
        (None, Some(board)) => Ok(board.core),
        (Some(_), Some(_)) => return Err(Refusal("--core: the board says which; leave it out".into())),
        (None, None) => {
            return Err(Refusal("--core is missing: m3, m4, m4f, lx6 or lx7; or give a --board to `run`".into()));
        }
    };
    let mut simulator: Simulator = match (family, core) {
        (Family::Thumb, Ok(core)) if abi.is_none() => thumb(program, core, options, board)?.into(),
        (Family::Thumb, Ok(_)) => return Err(Refusal("--abi: only Xtensa has two".into())),
        (Family::Xtensa, Err(core)) => esp(program, core, options, abi)?.into(),
        (Family::Thumb, Err(_)) => return Err(Refusal("the file is for Arm: --core is m3, m4 or m4f".into())),
        (Family::Xtensa, Ok(_)) => return Err(Refusal("the file is for Xtensa: --core is lx6 or lx7".into())),
    };
    simulator.set_limit(options.limit);
    if let Some(Interrupts { every, irq }) = interrupts {
        simulator.interrupt_every(every, irq);
    }
    if options.trace {
        simulator.set_trace(Box::new(|line| {
            let _ = writeln!(std::io::stderr(), "{line}");
        }));
    }
    Ok(simulator)
}

fn thumb(program: Program, core: Core, options: &ModelOptions, board: Option<Board>) -> Result<Machine, Refusal> {
    let profile = match options.profile {
        None | Some(ProfileName::Ideal) => Profile::Ideal,
        Some(ProfileName::F407Sram1) => Profile::F407Sram1,
        Some(ProfileName::F407Sram2) => Profile::F407Sram2,
    };
    let default = board.as_ref().map_or(0, |board| board.wait_states);
    let model = Memory { profile, wait_states: options.wait_states.unwrap_or(default) };
    let mut machine = Machine::new(program, core, model).map_err(|error| Refusal(error.to_string()))?;
    if let Some(board) = board {
        machine.set_board(board);
    }
    Ok(machine)
}

fn esp(
    program: Program,
    core: xtensa::Core,
    options: &ModelOptions,
    abi: Option<AbiName>,
) -> Result<xtensa::Machine, Refusal> {
    if options.profile.is_some() || options.wait_states.is_some() {
        return Err(Refusal("--profile and --wait-states: there are no such models of Xtensa's memory".into()));
    }
    let abi = match abi {
        None | Some(AbiName::Windowed) => xtensa::Abi::Windowed,
        Some(AbiName::Call0) => xtensa::Abi::Call0,
    };
    xtensa::Machine::new(program, core, abi).map_err(|error| Refusal(error.to_string()))
}

fn call(options: &CallOptions) -> Result<ExitCode, Refusal> {
    let file = &options.file;
    let data = read(file)?;
    let named = |error: &dyn std::fmt::Display| Refusal(format!("{}: {error}", file.display()));
    let family = Program::family(&data).map_err(|error| named(&error))?;
    let program = Program::from_elf(&data, &options.symbol).map_err(|error| named(&error))?;
    let mut machine = machine((family, program), &options.model, options.abi, options.interrupt_every, None)?;
    let args = arguments::resolve(&options.args, &options.secrets).map_err(Refusal)?;
    let result = machine.call(&args);
    if let Err(error @ (SimError::TooFewArguments { .. } | SimError::Argument { .. } | SimError::Layout(_))) = &result {
        return Err(named(error));
    }
    let (report, error) = match result {
        Ok(report) => (report, None),
        Err(error) => (machine.so_far(), Some(error)),
    };
    let violations = report.violations.iter().map(ToString::to_string);
    let faults: Vec<String> = violations.chain(error.map(|error| error.to_string())).collect();
    if options.json {
        say(&json(&report, &faults, machine.histogram()));
    } else {
        say(&table(&report, &faults, &args));
    }
    Ok(ExitCode::from(u8::from(!faults.is_empty())))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn json(report: &Report, faults: &[String], histogram: &BTreeMap<&'static str, u64>) -> String {
    let buffers: Vec<String> = report.buffers.iter().map(|buffer| hex(buffer)).collect();
    let value = serde_json::json!({
        "cycles": report.cycles,
        "instructions": report.instructions,
        "taken_branches": report.taken_branches,
        "stack_bytes": report.stack_bytes,
        "returns": report.returns,
        "buffers": buffers,
        "faults": faults,
        "histogram": histogram,
    });
    format!("{value:#}")
}

/// To standard output; a reader that has gone away is no error.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn table(report: &Report, faults: &[String], args: &[Arg]) -> String {
    let mut lines = vec![
        format!("cycles          {}", report.cycles),
        format!("instructions    {}", report.instructions),
        format!("taken branches  {}", report.taken_branches),
        format!("stack bytes     {}", report.stack_bytes),
        format!("returns         {:#010x}", report.returns),
    ];
    let buffers = args.iter().enumerate().filter(|(_, arg)| !matches!(arg, Arg::U32(_)));
    lines.extend(buffers.zip(&report.buffers).map(|((i, _), buffer)| format!("argument {i}      {}", hex(buffer))));
    lines.extend(faults.iter().map(|fault| format!("fault           {fault}")));
    lines.join("\n")
}

fn run(options: &RunOptions) -> Result<ExitCode, Refusal> {
    let file = &options.file;
    let data = read(file)?;
    let board = options.board.as_ref().map(read_board).transpose()?;
    let program = match &board {
        Some(board) => Program::on_board(&data, board),
        None => Program::from_firmware(&data),
    };
    let program = Program::family(&data).and_then(|family| Ok((family, program?)));
    let program = program.map_err(|error| Refusal(format!("{}: {error}", file.display())))?;
    let mut machine = machine(program, &options.model, None, options.interrupt_every, board)?;
    if options.keep_secret.iter().any(|name| !machine.keep_secret(name)) {
        return Err(Refusal("--keep-secret: firmware for Xtensa declares nothing".into()));
    }
    if let Some(within) = &options.by_function {
        machine.count_by_function(within.as_deref()).map_err(|error| Refusal(format!("--by-function: {error}")))?;
    }
    match machine.boot(&mut std::io::stdout()) {
        Ok(exit) => {
            report_exit(&exit, options.json);
            by_function(&machine.by_function());
            Ok(ExitCode::from(exit.end.code().min(255) as u8))
        }
        Err(error @ SimError::Layout(_)) => Err(Refusal(format!("{}: {error}", file.display()))),
        Err(error) => {
            eprintln!("fault: {error}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn by_function(functions: &[FunctionCost]) {
    for functions in functions.chunk_by(|a, b| a.within == b.within) {
        let all: u64 = functions.iter().map(|function| function.cycles).sum();
        eprintln!("{:>12}  {:>5}  {:>9}  function", "cycles", "%", "calls");
        for FunctionCost { name, cycles, calls, .. } in functions {
            let share = 100.0 * *cycles as f64 / all.max(1) as f64;
            eprintln!("{cycles:>12}  {share:>5.1}  {calls:>9}  {:#}", rustc_demangle::demangle(name));
        }
    }
}

fn read_board(path: &PathBuf) -> Result<Board, Refusal> {
    let named = |error: &dyn std::fmt::Display| Refusal(format!("{}: {error}", path.display()));
    let text = String::from_utf8(read(path)?).map_err(|error| named(&error))?;
    Board::from_toml(&text).map_err(|error| named(&error))
}

fn report_exit(exit: &Exit, json: bool) {
    let Exit { end, cycles, instructions, taken_branches, stack_bytes, last_fault, marked } = exit;
    if json {
        let value = serde_json::json!({
            "end": end.to_string(),
            "exit_code": end.code(),
            "cycles": cycles,
            "instructions": instructions,
            "taken_branches": taken_branches,
            "stack_bytes": stack_bytes,
            "last_fault": last_fault,
            "marked": marked.iter().map(marked_json).collect::<Vec<_>>(),
        });
        say(&format!("{value:#}"));
    } else {
        if let Some(fault) = last_fault {
            eprintln!("a handler took a fault: {fault}");
        }
        marked.iter().for_each(|marked| eprintln!("{marked}"));
        eprintln!("{end}, {cycles} cycles, {instructions} instructions, {stack_bytes} bytes of stack");
    }
}

fn marked_json(marked: &Marked) -> serde_json::Value {
    let Marked { mark, name, calls, bytes } = marked;
    serde_json::json!({ "mark": mark.to_string(), "name": name, "calls": calls, "bytes": bytes })
}
