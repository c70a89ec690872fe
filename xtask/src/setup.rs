//! `cargo xtask setup`: the programs that some tests need, from Debian's packages, and a compiler for firmware.

use crate::firmware::toolchain;
use crate::root;
use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

/// A Debian package and the program by whose presence it is known to be installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Tool {
    package: &'static str,
    program: &'static str,
}

const TOOLS: [Tool; 9] = [
    Tool { package: "qemu-system-arm", program: "qemu-system-arm" },
    Tool { package: "binutils-arm-none-eabi", program: "arm-none-eabi-as" },
    Tool { package: "llvm-22", program: "llvm-mc-22" },
    Tool { package: "clang-22", program: "clang-22" },
    Tool { package: "lld-22", program: "ld.lld-22" },
    Tool { package: "chromium", program: "chromium" },
    Tool { package: "gcc-arm-none-eabi", program: "arm-none-eabi-gcc" },
    Tool { package: "binutils-xtensa-lx106", program: "xtensa-lx106-elf-as" },
    Tool { package: "qemu-system-misc", program: "qemu-system-xtensa" },
];

/// Installs what is missing. Fails, saying what to install, if that takes another user or another system.
pub fn run() -> anyhow::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = missing(&path);
    if missing.is_empty() {
        println!("setup: every program is there");
    } else if find("apt-get", &path).is_none() || !is_root() {
        bail!("{}", request(&missing));
    } else {
        install(&missing, &path)?;
    }
    compiler(&path)
}

fn install(missing: &[Tool], path: &OsStr) -> anyhow::Result<()> {
    apt_get(&["update", "-q"])?;
    // One call each: a joint call can end in "held packages" where single ones do not.
    for tool in missing {
        println!("setup: installing {} for {}", tool.package, tool.program);
        apt_get(&["install", "-q", "-y", "--no-install-recommends", tool.package])?;
        if find(tool.program, path).is_none() {
            bail!("package {} is installed, but {} is not in PATH", tool.package, tool.program);
        }
    }
    Ok(())
}

/// The libraries of the firmware's targets from rustup, or else Debian's compiler with its library's source.
fn compiler(path: &OsStr) -> anyhow::Result<()> {
    let is_missing = |target: &&str| !toolchain::has_target(target).unwrap_or(false);
    let missing: Vec<&str> = toolchain::TARGETS.into_iter().filter(is_missing).collect();
    let Some(first) = missing.first() else {
        println!("setup: the compiler has every target");
        return Ok(());
    };
    if find("rustup", path).is_some() {
        println!("setup: adding {}", missing.join(", "));
        let status = Command::new("rustup").args(["target", "add"]).args(&missing).current_dir(root()).status();
        if status.context("cannot run rustup")?.success() {
            return Ok(());
        }
    }
    if toolchain::detect(first).is_err() && find("apt-get", path).is_some() && is_root() {
        for package in toolchain::DEBIAN_PACKAGES {
            apt_get(&["install", "-q", "-y", "--no-install-recommends", package])?;
        }
    }
    toolchain::detect(first)?;
    println!("setup: Debian's compiler builds for {}", missing.join(", "));
    Ok(())
}

fn missing(path: &OsStr) -> Vec<Tool> {
    TOOLS.into_iter().filter(|tool| find(tool.program, path).is_none()).collect()
}

fn request(missing: &[Tool]) -> String {
    let programs: Vec<&str> = missing.iter().map(|tool| tool.program).collect();
    let mut text = format!(
        "missing: {}. This needs root and apt-get (Debian 12 or newer); as root, run\n  apt-get update",
        programs.join(", ")
    );
    for tool in missing {
        text.push_str(&format!("\n  apt-get install -y --no-install-recommends {}", tool.package));
    }
    text
}

/// A program in the folders of a PATH.
pub fn find(program: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn apt_get(args: &[&str]) -> anyhow::Result<()> {
    let shown = format!("apt-get {}", args.join(" "));
    let status = Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive").status();
    let status = status.with_context(|| format!("cannot run {shown}"))?;
    if !status.success() {
        bail!("{shown} failed ({status})");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_that_are_not_in_the_path_are_missing() {
        let [first, second] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let path = std::env::join_paths([first.path(), second.path()]).unwrap();
        assert_eq!(missing(&path), TOOLS);
        std::fs::write(first.path().join("clang-22"), "").unwrap();
        std::fs::write(second.path().join("qemu-system-arm"), "").unwrap();
        // A folder of that name is no program.
        std::fs::create_dir(second.path().join("llvm-mc-22")).unwrap();
        let missing = missing(&path);
        assert_eq!(missing, [TOOLS[1], TOOLS[2], TOOLS[4], TOOLS[5], TOOLS[6], TOOLS[7], TOOLS[8]]);
        let text = request(&missing);
        let first = "missing: arm-none-eabi-as, llvm-mc-22, ld.lld-22, chromium, arm-none-eabi-gcc, ";
        assert!(text.contains(&format!("{first}xtensa-lx106-elf-as, qemu-system-xtensa.")), "{text}");
        let install = |tool: &Tool| format!("\n  apt-get install -y --no-install-recommends {}", tool.package);
        let end: Vec<String> = missing.iter().map(install).collect();
        assert!(text.ends_with(&end.concat()), "{text}");
    }
}
