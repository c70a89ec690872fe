//! `cargo xtask firmware`: builds the runtime's bins for a board, measures them, checks them, runs them.

mod choice;
mod console;
mod fit;
mod formats;
mod image;
mod launch;
mod lock;
mod port;
mod programmer;
pub mod toolchain;

use crate::Outcome;
use anyhow::{Context, bail};
use choice::Chosen;
use clap::ValueEnum;
use image::Image;
use launch::Run;
use lock::Lock;
use programmer::Files;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolchain::{Compiler, Request};

/// What to build, for which board, and what to do with it.
#[derive(clap::Args)]
pub struct Args {
    /// The runtime
    #[arg(value_enum)]
    runtime: Runtime,
    /// Show the boards and bins that there are
    #[arg(long)]
    list: bool,
    /// The board: a name, or the path of a TOML file
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// The bin; without one, --console alone follows what runs already
    #[arg(long, value_name = "NAME")]
    bin: Option<String>,
    /// Run it
    #[arg(long, value_enum)]
    run: Option<Run>,
    /// With --run sim: print the cycles of each function at the end; with a NAME only what is spent while a function runs whose
    /// symbol contains it
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    by_function: Option<Option<String>>,
    /// Write it into the board's flash with probe-rs or st-flash, and start it
    #[arg(long)]
    flash: bool,
    /// Follow this serial port until the firmware ends
    #[arg(long, value_name = "PATH")]
    console: Option<PathBuf>,
    /// Rate of the serial port
    #[arg(long, value_name = "N", default_value_t = 115_200)]
    baud: u32,
    /// How long the firmware may run
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    timeout: u64,
    /// Features of the runtime: kernels, such as chacha12, their shape, `speed` or `size`, and `low-stack`
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    features: Vec<String>,
    /// Only the kernels that --features names
    #[arg(long)]
    no_default_features: bool,
    /// At the board's full clock instead of the one without wait states
    #[arg(long)]
    full_speed: bool,
    /// Profile of the build
    #[arg(long, value_name = "PROFILE", default_value = toolchain::PROFILE)]
    profile: String,
    /// The compiler [default: rustup's if it has the target, else Debian's]
    #[arg(long, value_enum)]
    compiler: Option<Compiler>,
}

/// The runtimes.
#[derive(Clone, Copy, ValueEnum)]
enum Runtime {
    /// Cortex-M3 and Cortex-M4
    M4,
}

impl Args {
    fn flashes(&self) -> bool {
        self.flash || self.run == Some(Run::Board)
    }
}

/// Does it.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Runtime::M4 = args.runtime;
    if args.list {
        return std::io::stdout().write_all(choice::list()?.as_bytes()).context("cannot show the list");
    }
    let board = args.board.as_deref().map(choice::board).transpose()?;
    let (board, bin) = match (board, &args.bin, &args.console) {
        (Some(board), Some(bin), _) => (board, choice::bin(bin)?),
        (board, None, Some(path)) if args.run.is_none() && !args.flash => {
            return launch::follow(args, board.as_ref(), path);
        }
        (None, ..) => bail!("--board is missing; `--list` shows all"),
        (Some(_), None, _) => bail!("--bin is missing; `--list` shows all"),
    };
    choice::check_features(&args.features, args.no_default_features)?;
    launch::check(args, &board)?;
    let made = make(args, &board, &bin.name)?;
    fit::report(&made.elf, &board)?;
    launch::run(args, &board, Files { elf: &made.elf, binary: &made.binary })
}

/// An image that was built, and its board.
pub struct Built {
    /// The ELF file.
    pub elf: Vec<u8>,
    /// The board.
    pub board: sim::Board,
}

/// Builds a bin for a board, with features beside the default ones.
pub fn build_for(board: &str, bin: &str, features: &str) -> anyhow::Result<Built> {
    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    let words = ["", "m4", "--board", board, "--bin", bin, "--features", features];
    let Command { args } = clap::Parser::try_parse_from(words)?;
    let chosen = choice::board(board)?;
    let made = make(&args, &chosen, bin)?;
    let elf = std::fs::read(&made.elf).with_context(|| format!("cannot read {}", made.elf.display()))?;
    Ok(Built { elf, board: chosen.board })
}

/// The files of a bin, in a folder of their own: what is run is what was built, whoever builds the same bin meanwhile.
struct Made {
    _folder: TempDir,
    elf: PathBuf,
    binary: PathBuf,
}

/// Builds a bin, checks it, and puts it into a folder of its board in every form.
fn make(args: &Args, chosen: &Chosen, bin: &str) -> anyhow::Result<Made> {
    let core = chosen.board.core;
    let compiler = args.compiler.map_or_else(|| toolchain::detect(toolchain::target(core)), Ok)?;
    let request = Request {
        bin,
        core,
        board: &chosen.path,
        features: &args.features,
        no_default_features: args.no_default_features,
        profile: &args.profile,
        full_speed: args.full_speed,
        compiler,
    };
    let firmware = toolchain::target_folder().join("firmware");
    let _lock = Lock::take(&firmware)?;
    let elf = match request.build()? {
        Outcome::Made(elf) => elf,
        Outcome::Failed(messages) => {
            let overflow = fit::overflow(&messages);
            if !overflow.is_empty() {
                fit::explain(&overflow, &request, chosen)?;
            }
            eprint!("{messages}");
            bail!("{bin} cannot be built for {}; the compiler's messages are above", chosen.board.name);
        }
    };
    let bytes = std::fs::read(&elf).with_context(|| format!("cannot read {}", elf.display()))?;
    let image = Image::from_elf(&bytes).with_context(|| format!("{}", elf.display()))?;
    image.check(chosen)?;
    let binary = formats::binary(&image);
    publish(
        &firmware.join(&chosen.board.name),
        bin,
        &[("elf", &bytes), ("bin", &binary), ("hex", formats::intel_hex(&image).as_bytes())],
    )?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let [elf, raw] = ["elf", "bin"].map(|extension| folder.path().join(format!("{bin}.{extension}")));
    for (path, bytes) in [(&elf, &bytes), (&raw, &binary)] {
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Made { _folder: folder, elf, binary: raw })
}

/// Writes the files of a bin by extension. Each is the old one or the new one at any time, never a part of it.
fn publish(folder: &Path, bin: &str, files: &[(&str, &[u8])]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (extension, bytes) in files {
        let path = folder.join(format!("{bin}.{extension}"));
        let partial = folder.join(format!(".{bin}.{extension}.part"));
        let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, &path));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    let bytes = files.iter().find(|(extension, _)| *extension == "bin").map_or(0, |(_, bytes)| bytes.len());
    eprintln!("xtask: {bin}.elf, {bin}.bin ({bytes} bytes) and {bin}.hex are in {}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let board = folder.path().join("a board");
        for text in ["first", "second"] {
            publish(&board, "speed", &[("elf", text.as_bytes()), ("bin", b"x")]).unwrap();
            assert_eq!(std::fs::read_to_string(board.join("speed.elf")).unwrap(), text);
            assert_eq!(std::fs::read_dir(&board).unwrap().count(), 2);
        }
        let error = publish(&board.join("speed.elf"), "speed", &[]).unwrap_err().to_string();
        assert!(error.starts_with("cannot make "), "{error}");
        std::fs::create_dir(board.join("size.elf")).unwrap();
        let error = publish(&board, "size", &[("elf", b"")]).unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.ends_with("size.elf"), "{error}");
    }
}
