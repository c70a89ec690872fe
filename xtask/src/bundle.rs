//! `cargo xtask bundle`: what the generator writes, looked at from outside.

use crate::{CheckFailed, cargo};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Generates every kernel for every target into `folder` and returns the report as JSON.
pub fn generate(folder: &Path) -> anyhow::Result<String> {
    let mut command = cargo(&["run", "--quiet", "--package", "gen", "--", "--format", "json", "--out"]);
    let output = command.arg(folder).stderr(Stdio::inherit()).output().context("cannot run gen")?;
    if !output.status.success() {
        bail!("gen failed ({}); its message is above", output.status);
    }
    String::from_utf8(output.stdout).context("what gen printed")
}

/// Two runs in different folders must give the same files, and two assemblers the same bytes as our objects.
pub fn run() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let [first, second] = ["first", "second/below"].map(|name| folder.path().join(name));
    if generate(&first)? != generate(&second)? {
        return Err(CheckFailed("two runs of gen report different things".to_owned()).into());
    }
    let files = read_folder(&first)?;
    same(&files, &read_folder(&second)?)?;
    let mut assembled = 0;
    for name in files.keys().filter_map(|name| name.strip_suffix(".s")) {
        assemble(&first, name)?;
        assembled += 1;
    }
    if assembled == 0 {
        bail!("gen wrote no assembly");
    }
    println!("bundle: {} files the same in two runs, {assembled} assembled by two assemblers", files.len());
    Ok(())
}

type Files = BTreeMap<String, Vec<u8>>;

fn read_folder(folder: &Path) -> anyhow::Result<Files> {
    let read = || {
        std::fs::read_dir(folder)?
            .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), std::fs::read(entry.path())?))))
            .map(|file| file.map(|(name, bytes)| (name.to_string_lossy().into_owned(), bytes)))
            .collect::<std::io::Result<Files>>()
    };
    read().with_context(|| format!("cannot read {}", folder.display()))
}

fn same(first: &Files, second: &Files) -> Result<(), CheckFailed> {
    let names = first.keys().chain(second.keys());
    match names.into_iter().find(|name| first.get(*name) != second.get(*name)) {
        Some(name) => Err(CheckFailed(format!("{name} differs between two runs of gen"))),
        None => Ok(()),
    }
}

fn assemble(folder: &Path, symbol: &str) -> anyhow::Result<()> {
    let source = format!("{symbol}.s");
    let expected = text(folder, &format!("{symbol}.o"), symbol)?;
    for (program, args) in [
        ("arm-none-eabi-as", &[][..]),
        ("clang-22", &["--target=thumbv7em-none-eabi", "-Wno-unused-command-line-argument", "-c"]),
    ] {
        let object = format!("{symbol}.{program}.o");
        tool(folder, program, &[args, &[&source, "-o", &object]].concat())?;
        if text(folder, &object, symbol)? != expected {
            let message = format!("{program} makes other bytes of {source} than our object has");
            return Err(CheckFailed(message).into());
        }
    }
    Ok(())
}

/// The bytes of the section that holds the function.
fn text(folder: &Path, object: &str, symbol: &str) -> anyhow::Result<Vec<u8>> {
    let section = format!("--only-section=.text.{symbol}");
    let binary = format!("{object}.bin");
    tool(folder, "arm-none-eabi-objcopy", &["-O", "binary", &section, object, &binary])?;
    let bytes = std::fs::read(folder.join(&binary)).with_context(|| format!("cannot read {binary}"))?;
    if bytes.is_empty() {
        bail!("{object} has no section .text.{symbol}");
    }
    Ok(bytes)
}

fn tool(folder: &Path, program: &str, args: &[&str]) -> anyhow::Result<()> {
    let shown = format!("{program} {}", args.join(" "));
    let status = Command::new(program).args(args).current_dir(folder).status();
    let status = status.with_context(|| format!("cannot run {program}; `cargo xtask setup` installs it"))?;
    if status.success() { Ok(()) } else { Err(CheckFailed(format!("{shown} failed ({status})")).into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_differ_are_named() {
        let files = |list: &[(&str, &str)]| -> Files {
            list.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec())).collect()
        };
        let first = files(&[("a.s", "1"), ("b.s", "2")]);
        assert!(same(&first, &first).is_ok());
        for (second, name) in [
            (files(&[("a.s", "1"), ("b.s", "3")]), "b.s"),
            (files(&[("b.s", "2")]), "a.s"),
            (files(&[("a.s", "1"), ("b.s", "2"), ("c.s", "")]), "c.s"),
        ] {
            assert!(same(&first, &second).unwrap_err().0.starts_with(name));
        }
    }
}
