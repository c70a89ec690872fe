//! `cargo xtask setup`: the programs that some tests need, from Debian's packages.

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

const TOOLS: [Tool; 5] = [
    Tool { package: "qemu-system-arm", program: "qemu-system-arm" },
    Tool { package: "binutils-arm-none-eabi", program: "arm-none-eabi-as" },
    Tool { package: "llvm-22", program: "llvm-mc-22" },
    Tool { package: "clang-22", program: "clang-22" },
    Tool { package: "chromium", program: "chromium" },
];

/// Installs what is missing. Fails, saying what to install, if that takes another user or another system.
pub fn run() -> anyhow::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = missing(&path);
    if missing.is_empty() {
        println!("setup: every program is there");
        return Ok(());
    }
    if find("apt-get", &path).is_none() || !is_root() {
        bail!("{}", request(&missing));
    }
    apt_get(&["update", "-q"])?;
    // One call each: a joint call can end in "held packages" where single ones do not.
    for tool in &missing {
        println!("setup: installing {} for {}", tool.package, tool.program);
        apt_get(&["install", "-q", "-y", "--no-install-recommends", tool.package])?;
        if find(tool.program, &path).is_none() {
            bail!("package {} is installed, but {} is not in PATH", tool.package, tool.program);
        }
    }
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

fn find(program: &str, path: &OsStr) -> Option<PathBuf> {
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
        assert_eq!(missing, [TOOLS[1], TOOLS[2], TOOLS[4]]);
        let text = request(&missing);
        assert!(text.contains("missing: arm-none-eabi-as, llvm-mc-22, chromium."), "{text}");
        let end = ["binutils-arm-none-eabi", "llvm-22", "chromium"]
            .map(|package| format!("\n  apt-get install -y --no-install-recommends {package}"));
        assert!(text.ends_with(&end.concat()), "{text}");
    }
}
