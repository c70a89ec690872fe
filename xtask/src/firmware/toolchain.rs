//! The compiler: rustup's with its target, or Debian's, which brings the source of the library instead.

use super::choice::PACKAGE;
use crate::{CARGO_MESSAGES, Outcome, build, cargo, root};
use anyhow::{Context, bail};
use clap::ValueEnum;
use sim::cycles::Core;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the compiler for the target comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Compiler {
    /// rustup's, with the target's library
    Rustup,
    /// Debian's rustc-web, with rust-web-src
    Debian,
}

/// Debian's compiler, wherever another one comes first in PATH.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
/// Its packages, in the order in which they are installed.
pub const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];

/// The profile of what runs on a board.
pub const PROFILE: &str = "release";

/// Every target that firmware is built for.
pub const TARGETS: [&str; 3] = ["thumbv7m-none-eabi", "thumbv7em-none-eabi", "thumbv7em-none-eabihf"];

/// The target of a core.
pub fn target(core: Core) -> &'static str {
    match core {
        Core::M3 => TARGETS[0],
        Core::M4 => TARGETS[1],
        Core::M4f => TARGETS[2],
    }
}

/// The compiler that is there for a target.
pub fn detect(target: &str) -> anyhow::Result<Compiler> {
    choose(target, has_target(target).unwrap_or(false), has_debian())
}

fn choose(target: &str, has_rustup: bool, has_debian: bool) -> anyhow::Result<Compiler> {
    match (has_rustup, has_debian) {
        (true, _) => Ok(Compiler::Rustup),
        (false, true) => Ok(Compiler::Debian),
        (false, false) => bail!(
            "the compiler has no library for {target}; install it with rustup, or on Debian 12 as root with apt-get:\n  \
             rustup target add {target}\n  \
             apt-get install -y --no-install-recommends {}\n\
             `cargo xtask setup` does one of these",
            DEBIAN_PACKAGES.join(" && apt-get install -y --no-install-recommends ")
        ),
    }
}

/// True if the compiler in use has the target's library.
pub fn has_target(target: &str) -> anyhow::Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(&rustc);
    command.args(["--print", "target-libdir", "--target", target]).current_dir(root());
    let output = command.output().with_context(|| format!("cannot run {}", rustc.display()))?;
    Ok(output.status.success() && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

/// True if Debian's compiler is there, and the source of its library.
fn has_debian() -> bool {
    let output = Command::new(DEBIAN_RUSTC).args(["--print", "sysroot"]).output();
    output.is_ok_and(|output| {
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && Path::new(&sysroot).join("lib/rustlib/src/rust/library/core").is_dir()
    })
}

/// What firmware is built from.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The bin.
    pub bin: &'a str,
    /// The core that it runs on.
    pub core: Core,
    /// The file that describes the board.
    pub board: &'a Path,
    /// Features beside `firmware`.
    pub features: &'a [String],
    /// Without the default ones.
    pub no_default_features: bool,
    /// Profile of the build.
    pub profile: &'a str,
    /// At the board's full clock.
    pub full_speed: bool,
    /// The compiler.
    pub compiler: Compiler,
}

impl Request<'_> {
    /// Builds.
    pub fn build(&self) -> anyhow::Result<Outcome> {
        build(&mut self.command(), self.bin)
    }

    fn command(&self) -> Command {
        let target = target(self.core);
        let features = std::iter::once("firmware").chain(self.features.iter().map(String::as_str));
        let features = features.collect::<Vec<&str>>().join(",");
        let mut command = cargo(&["build", CARGO_MESSAGES, "--package", PACKAGE, "--bin", self.bin]);
        command.args(["--target", target, "--profile", self.profile, "--features", &features]);
        if self.no_default_features {
            command.arg("--no-default-features");
        }
        command.env("QUADROUND_BOARD", self.board);
        without_lost_config(&mut command);
        command.env("QUADROUND_CLOCK", if self.full_speed { "full" } else { "benchmark" });
        self.compiler.be_used(&mut command, target);
        command
    }
}

impl Compiler {
    /// Makes cargo build for a target with this compiler.
    fn be_used(self, command: &mut Command, target: &str) {
        if self == Compiler::Debian {
            let linker = format!("target.{target}.linker=\"arm-none-eabi-ld\"");
            command.args(["-Zbuild-std=core", "-Zbuild-std-features=compiler-builtins-mem", "--config", &linker]);
            // Not among what another compiler has built, each of which would replace the other's.
            command.arg("--target-dir").arg(target_folder().join("debian"));
            command.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
        }
    }
}

/// Builds the static library of a package for a core, with these features only.
pub fn library(package: &str, name: &str, core: Core, features: &str) -> anyhow::Result<Outcome> {
    let target = target(core);
    let mut command = cargo(&["build", CARGO_MESSAGES, "--package", package, "--lib", "--target", target]);
    command.args(["--profile", PROFILE, "--no-default-features", "--features", features]);
    without_lost_config(&mut command);
    detect(target)?.be_used(&mut command, target);
    build(&mut command, name)
}

/// The build of the runtime would look for its configuration above the build folder, which may be anywhere.
fn without_lost_config(command: &mut Command) {
    if std::env::var_os("QUADROUND_CONFIG").is_none() {
        let config = root().join("quadround.toml");
        command.env("QUADROUND_CONFIG", if config.is_file() { config } else { PathBuf::new() });
    }
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustups_target_comes_first_and_both_ways_are_named() {
        for (rustup, debian, expected) in
            [(true, true, Compiler::Rustup), (true, false, Compiler::Rustup), (false, true, Compiler::Debian)]
        {
            assert_eq!(choose(TARGETS[0], rustup, debian).unwrap(), expected);
        }
        let error = choose(TARGETS[0], false, false).unwrap_err().to_string();
        for line in [
            "\n  rustup target add thumbv7m-none-eabi\n",
            "\n  apt-get install -y --no-install-recommends rustc-web && apt-get install -y --no-install-recommends rust-web-src\n",
        ] {
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn a_target_that_no_compiler_has_is_not_there() {
        assert!(!has_target("thumbv0-none-nothing").unwrap());
    }
}
