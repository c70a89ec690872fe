//! The command line.

use crate::target::Abi;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Machine code of crypto kernels for small cores: each function proven against portable code, measured, and written as
/// assembly, object, header and bindings.
#[derive(Parser, Debug)]
#[command(name = "gen", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do instead of writing files.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to write.
    #[command(flatten)]
    pub emit: Emit,
}

const EXAMPLES: &str = "Examples:
  gen                                      every kernel for every target, unrolled and looped
  gen --unroll --kernel 'chacha20_*'       only unrolled, only ChaCha20
  gen --kernel chacha6_permute --target m4 any even number of rounds can be asked for by name
  gen --target esp32 --abi call0           functions for CALL0 instead of register windows
  gen explain chacha20_permute --target m4f --looped";

/// What to generate and where to put it.
#[derive(Args, Debug)]
pub struct Emit {
    /// Kernels to generate: names, or patterns with * and ? over those of `gen list`
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub kernel: Vec<String>,
    /// Cores to generate for: m3, m4, m4f, esp32, esp32s3 [default: all]
    #[arg(long, value_name = "CORE", value_delimiter = ',')]
    pub target: Vec<String>,
    /// How the functions are called, on the cores that leave a choice
    #[arg(long, value_enum)]
    pub abi: Option<AbiArg>,
    /// How far to unroll.
    #[command(flatten)]
    pub shape: ShapeArgs,
    /// Directory for the files; it is made if it is not there, and holds nothing else
    #[arg(long, value_name = "DIR", default_value = "target/quadround")]
    pub out: PathBuf,
    /// How to print what was made
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// How far to unroll. Both may be given.
#[derive(Args, Debug)]
pub struct ShapeArgs {
    /// Unroll as far as makes it faster, or by N repetitions per pass of the loop
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub unroll: Option<Option<u32>>,
    /// Keep the loop [default: both unrolled and looped]
    #[arg(long)]
    pub looped: bool,
}

/// A calling convention that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AbiArg {
    /// Xtensa with register windows, the usual one
    Windowed,
    /// Xtensa without them
    Call0,
}

impl From<AbiArg> for Abi {
    fn from(arg: AbiArg) -> Abi {
        match arg {
            AbiArg::Windowed => Abi::Windowed,
            AbiArg::Call0 => Abi::Call0,
        }
    }
}

/// Form of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// The manifest, for programs.
    Json,
}

/// What does not write files.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Show what can be generated
    List,
    /// Show a function after every pass
    Explain {
        /// The kernel
        kernel: String,
        /// The core
        #[arg(long, value_name = "CORE", default_value = "m4")]
        target: String,
        /// How the function is called, if the core leaves a choice
        #[arg(long, value_enum)]
        abi: Option<AbiArg>,
        /// How far to unroll.
        #[command(flatten)]
        shape: ShapeArgs,
    },
}
