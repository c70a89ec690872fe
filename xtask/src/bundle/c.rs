//! `cargo xtask bundle c`: the functions of a core and whole schemes for C, with examples.

use super::{generate, schemes};
use crate::root;
use anyhow::{Context, bail};
use clap::ValueEnum;
use kernels::params::mlkem;
use std::path::{Path, PathBuf};

/// For whom.
#[derive(clap::Args)]
pub struct Args {
    /// The core
    #[arg(long, value_enum)]
    target: Core,
    /// The folder [default: target/bundle-c-CORE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these kernels: names, or patterns with * and ? over those of `gen list`; and no schemes but those of --scheme
    #[arg(long, value_name = "GLOB")]
    kernel: Option<String>,
    /// Only these schemes, such as mlkem768; and no functions but those of --kernel
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    scheme: Vec<String>,
    /// Schemes with about three fifths of the stack, and up to a tenth slower
    #[arg(long)]
    low_stack: bool,
}

/// A core, as the generator calls it.
#[derive(Clone, Copy, ValueEnum)]
enum Core {
    /// Cortex-M3
    M3,
    /// Cortex-M4 without FPU
    M4,
    /// Cortex-M4 with FPU
    M4f,
}

/// What is taken of the generator's files.
const GENERATED: [&str; 3] = ["libquadround.a", "quadround.h", "quadround.json"];
/// The folder of the examples, all of which goes into the bundle.
const EXAMPLE: &str = "docs/samples/c";

/// The example that needs functions, and the one that needs a scheme: ML-KEM-768.
const FUNCTION_EXAMPLE: &str = "chacha20.c";
const SCHEME_EXAMPLE: &str = "mlkem768.c";

/// Writes the bundle.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (core, chip) = match args.target {
        Core::M3 => ("m3", sim::cycles::Core::M3),
        Core::M4 => ("m4", sim::cycles::Core::M4),
        Core::M4f => ("m4f", sim::cycles::Core::M4f),
    };
    let sets = schemes::chosen(&args.scheme, args.kernel.is_some())?;
    if args.low_stack && sets.is_empty() {
        bail!("--low-stack is for schemes: name some with --scheme, or leave it out");
    }
    let out = args.out.clone().unwrap_or_else(|| root().join(format!("target/bundle-c-{core}")));
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let functions = args.kernel.is_some() || args.scheme.is_empty();
    let mut files = listed(&root().join(EXAMPLE))?;
    // Each example is of what is there.
    files.retain(|file| match file.file_name().and_then(|name| name.to_str()) {
        Some(FUNCTION_EXAMPLE) => functions,
        Some(SCHEME_EXAMPLE) => sets.iter().any(|set| set.name == mlkem::ML_KEM_768.name),
        _ => true,
    });
    if functions {
        generate(folder.path(), args.kernel.as_deref(), Some(core))?;
        files.extend(GENERATED.iter().map(|name| folder.path().join(name)));
    }
    if !sets.is_empty() {
        schemes::write(&sets, args.low_stack, chip, &out)?;
    }
    for file in &files {
        let Some(name) = file.file_name() else { bail!("{} is no file", file.display()) };
        std::fs::copy(file, out.join(name))
            .with_context(|| format!("cannot copy {} to {}", file.display(), out.display()))?;
    }
    println!("bundle: all is in {}; README.md says how to link and run the examples", out.display());
    Ok(())
}

fn listed(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}
