//! Generates the kernels that the features ask for, proves them, and hands them to the compiler: no assembler is needed.
//!
//! Into OUT_DIR go `libquadround_rt.a` (the objects), `functions.rs` (their declarations), `backends.rs` (which function a
//! core takes) and, with the feature `firmware`, `memory.x`, `board.rs` and `linked.rs`. For anything but a Cortex-M3 or M4
//! nothing is generated, and the backends compute with portable code.

mod board;
mod choose;
mod config;
mod text;

use choose::Chosen;
use config::{Features, Source};
use generator::cli::{Generator, KernelInfo, Source as _};
use generator::emit;
use generator::function::Function;
use generator::target::Target;
use sim::Board;
use sim::cycles::Core;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Name of the library, without `lib` and `.a`.
const LIBRARY: &str = "quadround_rt";

/// Name of the file in which users choose.
const CONFIG: &str = "quadround.toml";

fn main() {
    if let Err(message) = run() {
        // Cargo takes a line at a time, and fails after the last.
        message.lines().for_each(|line| println!("cargo::error={line}"));
    }
}

fn run() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-check-cfg=cfg(quadround, values(none(), \"m3\", \"m4\"))");
    let out = PathBuf::from(variable("OUT_DIR")?);
    let cores = cores(&variable("TARGET")?);
    let board = if has_feature("FIRMWARE") && !cores.is_empty() { Some(read_board(cores)?) } else { None };
    let chosen = if cores.is_empty() { Vec::new() } else { generate(&out, cores)? };
    if let Some(core) = cores.first() {
        println!("cargo::rustc-cfg=quadround");
        println!("cargo::rustc-cfg=quadround=\"{core}\"");
    }
    write(&out, "backends.rs", text::backends(cores, &chosen))?;
    board.map_or(Ok(()), |board| firmware(&out, &board, &chosen))
}

/// The cores whose code runs on a target.
fn cores(target: &str) -> &'static [Target] {
    // The target may be the path of a JSON file, named after what it describes.
    let name = Path::new(target).file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if name.starts_with("thumbv7m-") {
        &[Target::M3]
    } else if name.starts_with("thumbv7em-") {
        &[Target::M4, Target::M4f]
    } else {
        &[]
    }
}

/// Generates, and writes the library and its declarations.
fn generate(out: &Path, cores: &[Target]) -> Result<Vec<Chosen>, String> {
    let catalogue = Generator.kernels();
    let is_on = |kernel: &&KernelInfo| {
        let feature = kernel.name.split('_').next().unwrap_or_default();
        has_feature(&feature.to_uppercase())
    };
    let enabled: Vec<KernelInfo> = catalogue.iter().filter(is_on).cloned().collect();
    let file = find_config(out)?;
    let source = file.as_ref().map(|(path, text)| Source { path, text });
    let features = Features { speed: has_feature("SPEED"), size: has_feature("SIZE") };
    let wishes = config::wishes(source, features, &enabled, &catalogue)?;
    let begun = Instant::now();
    let chosen =
        choose::choose(&wishes, cores, |jobs| generator::generate(jobs).map_err(|failure| failure.to_string()))?;
    warn(text::advice(begun.elapsed()));
    let functions: Vec<Function> = chosen.iter().map(|chosen| chosen.function.clone()).collect();
    let placement = |function: &Function| {
        let found = chosen.iter().find(|chosen| chosen.function.symbol == function.symbol);
        found.map(|chosen| chosen.placement).unwrap_or_default()
    };
    let library = emit::archive(&functions, placement).map_err(|error| error.to_string())?;
    write(out, &format!("lib{LIBRARY}.a"), library)?;
    write(out, "functions.rs", emit::bindings(LIBRARY, &functions).map_err(|error| error.to_string())?)?;
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static={LIBRARY}");
    Ok(chosen)
}

/// The text of `quadround.toml` and its path, if there is one: at QUADROUND_CONFIG, or in the nearest folder above OUT_DIR
/// in which it stands beside a `Cargo.toml`.
fn find_config(out: &Path) -> Result<Option<(String, String)>, String> {
    println!("cargo::rerun-if-env-changed=QUADROUND_CONFIG");
    let path = match std::env::var_os("QUADROUND_CONFIG").map(PathBuf::from) {
        // There is none, on purpose.
        Some(path) if path.as_os_str().is_empty() => return Ok(None),
        Some(path) if path.is_relative() => {
            return Err(format!(
                "QUADROUND_CONFIG={}: the path must be absolute; in .cargo/config.toml write \
                 QUADROUND_CONFIG = {{ value = \"{CONFIG}\", relative = true }} under [env]",
                path.display()
            ));
        }
        Some(path) => path,
        None => {
            let users = || out.ancestors().filter(|folder| folder.join("Cargo.toml").is_file());
            match users().find(|folder| folder.join(CONFIG).is_file()) {
                Some(folder) => folder.join(CONFIG),
                None => {
                    // A file that is not there cannot be watched: it is looked for again when its neighbour changes.
                    match users().next() {
                        Some(folder) => println!("cargo::rerun-if-changed={}", folder.join("Cargo.toml").display()),
                        None => warn(Some(text::lost(CONFIG))),
                    }
                    return Ok(None);
                }
            }
        }
    };
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(Some((path.display().to_string(), read(&path)?)))
}

/// The board that the bins are for, whose core runs code for one of these.
fn read_board(cores: &[Target]) -> Result<Board, String> {
    println!("cargo::rerun-if-env-changed=QUADROUND_BOARD");
    let path = std::env::var_os("QUADROUND_BOARD").map(PathBuf::from).ok_or(
        "the feature `firmware` of runtime-m4 needs a board: set QUADROUND_BOARD to the path of its file, such as those in \
         runtime-m4/boards, or use `cargo xtask firmware`",
    )?;
    println!("cargo::rerun-if-changed={}", path.display());
    let board = Board::from_toml(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
    if cores.iter().any(|target| runs_on(*target, board.core)) {
        return Ok(board);
    }
    let family = if board.core == Core::M3 { "thumbv7m" } else { "thumbv7em" };
    let target = variable("TARGET")?;
    Err(format!("board {} does not run code for {target}: build it with --target {family}-none-eabi", board.name))
}

/// What the bins need beside the library.
fn firmware(out: &Path, board: &Board, chosen: &[Chosen]) -> Result<(), String> {
    println!("cargo::rerun-if-env-changed=QUADROUND_CLOCK");
    let linked: Vec<&Chosen> = chosen.iter().filter(|chosen| runs_on(chosen.function.target, board.core)).collect();
    if linked.is_empty() {
        return Err(
            "the feature `firmware` of runtime-m4 needs a kernel: enable `mlkem`, `keccak`, `kyber`, `chacha20`, `chacha12` or `chacha8`"
                .into(),
        );
    }
    let build = board::Build { compiler: compiler()?, flags: flags()?, placement: text::placement(&linked) };
    write(out, "memory.x", board::memory_x(board)?)?;
    write(out, "board.rs", board::constants(board, speed()?, &build)?)?;
    write(out, "linked.rs", text::linked(&linked, board.core))?;
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    // Without it, sections are moved to the next page of a memory that has none.
    println!("cargo::rustc-link-arg-bins=--nmagic");
    Ok(())
}

/// True if a function is linked and measured on a board's core.
fn runs_on(target: Target, core: Core) -> bool {
    match core {
        Core::M3 => target == Target::M3,
        Core::M4 => target == Target::M4,
        Core::M4f => matches!(target, Target::M4 | Target::M4f),
    }
}

fn speed() -> Result<board::Speed, String> {
    match std::env::var("QUADROUND_CLOCK").as_deref() {
        Err(_) | Ok("" | "benchmark") => Ok(board::Speed::Benchmark),
        Ok("full") => Ok(board::Speed::Full),
        Ok(other) => Err(format!("QUADROUND_CLOCK={other}: expected `benchmark` or `full`")),
    }
}

/// What the compiler calls itself.
fn compiler() -> Result<String, String> {
    let rustc = variable("RUSTC")?;
    let output = Command::new(&rustc).arg("--version").output();
    let output = output.map_err(|error| format!("cannot run {rustc}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// What the compiler is told.
fn flags() -> Result<String, String> {
    let mut flags = format!("opt-level={}", variable("OPT_LEVEL")?);
    if std::env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some() {
        flags += " debug-assertions";
    }
    let given = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    given.split('\u{1f}').filter(|flag| !flag.is_empty()).for_each(|flag| flags += &format!(" {flag}"));
    Ok(flags)
}

/// Cargo shows it when the build of this package ends.
fn warn(message: Option<String>) {
    message.into_iter().for_each(|message| println!("cargo::warning={message}"));
}

fn has_feature(name: &str) -> bool {
    std::env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}; this program is run by cargo"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(out: &Path, name: &str, contents: impl AsRef<[u8]>) -> Result<(), String> {
    let path = out.join(name);
    std::fs::write(&path, contents).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
