//! `cargo xtask bundle c`: the functions of a core for C, with an example.

use super::generate;
use crate::root;
use anyhow::{Context, bail};
use clap::ValueEnum;
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
    /// Only these kernels: names, or patterns with * and ? over those of `gen list`
    #[arg(long, value_name = "GLOB")]
    kernel: Option<String>,
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
/// The folder of the example, all of which goes into the bundle.
const EXAMPLE: &str = "docs/samples/c";

/// Writes the bundle.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let core = match args.target {
        Core::M3 => "m3",
        Core::M4 => "m4",
        Core::M4f => "m4f",
    };
    let out = args.out.clone().unwrap_or_else(|| root().join(format!("target/bundle-c-{core}")));
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    generate(folder.path(), args.kernel.as_deref(), Some(core))?;
    let mut files: Vec<PathBuf> = GENERATED.iter().map(|name| folder.path().join(name)).collect();
    files.extend(listed(&root().join(EXAMPLE))?);
    for file in &files {
        let Some(name) = file.file_name() else { bail!("{} is no file", file.display()) };
        std::fs::copy(file, out.join(name))
            .with_context(|| format!("cannot copy {} to {}", file.display(), out.display()))?;
    }
    println!("bundle: {} files in {}; README.md says how to link and run the example", files.len(), out.display());
    Ok(())
}

fn listed(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}
