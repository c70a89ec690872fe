//! `cargo xtask firmware`: builds the runtime's bins for a board, measures them, checks them, runs them.

mod choice;
mod console;
mod fit;
mod formats;
mod image;
mod launch;
mod port;
mod programmer;
pub mod toolchain;

use crate::Outcome;
use anyhow::{Context, bail};
use choice::Chosen;
use clap::ValueEnum;
use image::Image;
use launch::Run;
use programmer::Files;
use std::path::{Path, PathBuf};
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
    /// Features of the runtime: kernels, such as chacha12, and their shape, `speed` or `size`
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    features: Vec<String>,
    /// Only the kernels that --features names
    #[arg(long)]
    no_default_features: bool,
    /// At the board's full clock instead of the one without wait states
    #[arg(long)]
    full_speed: bool,
    /// Profile of the build
    #[arg(long, value_name = "PROFILE", default_value = "release")]
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
        print!("{}", choice::list()?);
        return Ok(());
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
    launch::check(args, &board)?;
    let made = make(args, &board, &bin.name)?;
    fit::report(&made.elf, &board)?;
    launch::run(args, &board, Files { elf: &made.elf, binary: &made.binary })
}

/// The files of a bin.
struct Made {
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
    publish(&toolchain::target_folder().join("firmware").join(&chosen.board.name), bin, &bytes, &image)
}

fn publish(folder: &Path, bin: &str, elf: &[u8], image: &Image) -> anyhow::Result<Made> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let write = |extension: &str, bytes: &[u8]| {
        let path = folder.join(format!("{bin}.{extension}"));
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        Ok::<_, anyhow::Error>(path)
    };
    let binary = formats::binary(image);
    let made = Made { elf: write("elf", elf)?, binary: write("bin", &binary)? };
    write("hex", formats::intel_hex(image).as_bytes())?;
    eprintln!("xtask: {bin}.elf, {bin}.bin ({} bytes) and {bin}.hex are in {}", binary.len(), folder.display());
    Ok(made)
}
