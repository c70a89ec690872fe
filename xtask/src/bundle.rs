//! `cargo xtask bundle`: what the generator writes, looked at from outside, or put together for others.

mod c;
pub mod schemes;

use crate::{CheckFailed, cargo};
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// What to put together.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    bundle: Option<Bundle>,
}

#[derive(clap::Subcommand)]
enum Bundle {
    /// Write static libraries of functions and schemes, their headers and examples in C
    C(c::Args),
}

/// Generates into `folder` every kernel, or those that a pattern matches, for every target, or one, in both shapes, and
/// returns the report as JSON.
pub fn generate(folder: &Path, pattern: Option<&str>, target: Option<&str>) -> anyhow::Result<String> {
    let mut command = cargo(&["run", "--quiet", "--package", "gen", "--", "--format", "json", "--out"]);
    command.arg(folder);
    if let Some(pattern) = pattern {
        command.args(["--kernel", pattern]);
    }
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot run gen")?;
    match output.status.code() {
        Some(0) => String::from_utf8(output.stdout).context("what gen printed"),
        Some(1) => Err(CheckFailed("gen refused a function; its message is above".to_owned()).into()),
        _ => bail!("gen failed ({}); its message is above", output.status),
    }
}

/// What is used here of a function in the generator's report.
#[derive(Deserialize)]
struct Generated {
    symbol: String,
    target: String,
    code_bytes: u64,
    rodata_bytes: u64,
}

/// Puts together what is asked for, or checks everything.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.bundle {
        Some(Bundle::C(args)) => c::run(args),
        None => check(),
    }
}

/// Two runs in different folders must give the same files, assemblers the same bytes as our objects, and `sizes`
/// the same numbers as the report.
fn check() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let [first, second] = ["first", "second/below"].map(|name| folder.path().join(name));
    let report = generate(&first, None, None)?;
    if report != generate(&second, None, None)? {
        return Err(CheckFailed("two runs of gen report different things".to_owned()).into());
    }
    let files = read_folder(&first)?;
    same(&files, &read_folder(&second)?)?;
    let functions: Vec<Generated> = serde_json::from_str(&report).context("what gen printed")?;
    if functions.is_empty() {
        bail!("gen made nothing");
    }
    for function in &functions {
        assemble(&first, function)?;
    }
    let wrong = size_differences(&functions, &measure(&first, &functions)?);
    if !wrong.is_empty() {
        return Err(CheckFailed(format!("gen and sizes disagree:\n  {}", wrong.join("\n  "))).into());
    }
    let (files, functions) = (files.len(), functions.len());
    println!("bundle: {files} files the same in two runs; {functions} functions assembled and measured by sizes");
    Ok(())
}

/// What `sizes` says about the objects.
fn measure(folder: &Path, functions: &[Generated]) -> anyhow::Result<Value> {
    let mut command = cargo(&["run", "--quiet", "--package", "sizes", "--", "--format", "json"]);
    command.args(functions.iter().map(|function| folder.join(format!("{}.o", function.symbol))));
    let output = command.stderr(Stdio::inherit()).output().context("cannot run sizes")?;
    if !output.status.success() {
        bail!("sizes failed ({}); its message is above", output.status);
    }
    serde_json::from_slice(&output.stdout).context("what sizes printed")
}

/// One line for each number in which the report of `sizes`, with one file for each function, differs.
fn size_differences(functions: &[Generated], sizes: &Value) -> Vec<String> {
    let no_rows = Vec::new();
    let rows = |file: usize, key: &str| sizes["files"][file][key].as_array().unwrap_or(&no_rows);
    let mut wrong = Vec::new();
    for (at, Generated { symbol, code_bytes, rodata_bytes, .. }) in functions.iter().enumerate() {
        let row = rows(at, "symbols").iter().find(|row| row["name"] == **symbol).unwrap_or(&Value::Null);
        let code = ["code_bytes", "literal_bytes"].iter().filter_map(|key| row[key].as_u64()).sum::<u64>();
        let section = format!(".rodata.{symbol}");
        let rodata = rows(at, "sections").iter().find(|row| row["name"] == *section);
        let rodata = rodata.and_then(|row| row["bytes"].as_u64()).unwrap_or(0);
        for (what, ours, measured) in [("code", *code_bytes, code), ("rodata", *rodata_bytes, rodata)] {
            if ours != measured {
                wrong.push(format!(
                    "{symbol}: {what} is {ours} bytes in the report of gen, {measured} in that of sizes"
                ));
            }
        }
    }
    wrong
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

/// Assemblers with their arguments.
type Assemblers = &'static [(&'static str, &'static [&'static str])];

const THUMB: Assemblers = &[
    ("arm-none-eabi-as", &[]),
    ("clang-22", &["--target=thumbv7em-none-eabi", "-Wno-unused-command-line-argument", "-c"]),
];
/// GNU as of distributions knows neither the windows nor the loops of these cores.
const XTENSA: Assemblers = &[("llvm-mc-22", &["--triple=xtensa", "--mcpu=esp32", "--filetype=obj"])];

fn assemble(folder: &Path, function: &Generated) -> anyhow::Result<()> {
    let symbol = &function.symbol;
    let assemblers = if function.target.starts_with("esp") { XTENSA } else { THUMB };
    let source = format!("{symbol}.s");
    let expected = text(folder, &format!("{symbol}.o"), symbol)?;
    for (program, args) in assemblers {
        let object = format!("{symbol}.{program}.o");
        tool(folder, program, &[args, &[source.as_str(), "-o", &object][..]].concat())?;
        if !same_code(&expected, &text(folder, &object, symbol)?) {
            let message = format!("{program} makes other bytes of {source} than our object has");
            return Err(CheckFailed(message).into());
        }
    }
    Ok(())
}

/// GNU as fills a section up to its alignment, behind the end of the function; clang does not.
fn same_code(ours: &[u8], theirs: &[u8]) -> bool {
    const NOP: [u8; 2] = [0x00, 0xbf];
    theirs == ours || (ours.len() % 4 == 2 && theirs.strip_suffix(&NOP) == Some(ours))
}

/// The bytes of the section that holds the function.
fn text(folder: &Path, object: &str, symbol: &str) -> anyhow::Result<Vec<u8>> {
    let section = format!("--only-section=.text.{symbol}");
    let binary = format!("{object}.bin");
    tool(folder, "llvm-objcopy-22", &["-O", "binary", &section, object, &binary])?;
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
    use serde_json::json;

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

    #[test]
    fn only_fill_behind_the_end_may_differ() {
        let nop = [0x00, 0xbf];
        for (ours, theirs, expected) in [
            (vec![1; 6], vec![1; 6], true),
            (vec![1; 6], [&[1; 6][..], &nop].concat(), true),
            (vec![1; 8], [&[1; 8][..], &nop].concat(), false),
            (vec![1; 6], vec![1; 8], false),
            (vec![1; 6], vec![1; 4], false),
            (vec![1; 6], [&[2; 6][..], &nop].concat(), false),
        ] {
            assert_eq!(same_code(&ours, &theirs), expected, "{ours:?} {theirs:?}");
        }
    }

    #[test]
    fn sizes_that_differ_are_named() {
        let functions = [
            Generated { symbol: "f".into(), target: "m3".into(), code_bytes: 12, rodata_bytes: 0 },
            Generated { symbol: "g".into(), target: "m3".into(), code_bytes: 8, rodata_bytes: 4 },
        ];
        let file = |name: &str, code: u64, literals: u64, rodata: u64| {
            let section = format!(".rodata.{name}");
            json!({"symbols": [{"name": name, "code_bytes": code, "literal_bytes": literals}],
                   "sections": [{"name": section, "bytes": rodata}]})
        };
        let differences = |files: &[Value]| size_differences(&functions, &json!({"files": files})).join("; ");
        assert_eq!(differences(&[file("f", 8, 4, 0), file("g", 8, 0, 4)]), "");
        let wrong = differences(&[file("f", 8, 2, 0), file("g", 8, 0, 5)]);
        assert!(
            wrong.contains("f: code is 12 bytes in the report of gen, 10") && wrong.contains("g: rodata is 4"),
            "{wrong}"
        );
        assert!(differences(&[file("f", 8, 4, 0)]).contains("g: code is 8 bytes in the report of gen, 0"));
    }
}
