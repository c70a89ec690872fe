//! `cargo xtask docs`: runs the commands that the documentation shows.
//!
//! In a block marked `console`, a line that begins with `$ ` is a command, run by bash at the top of the repository; it
//! must succeed. The lines below it, if there are any, must be among the lines of its standard output, in that order and
//! exactly. A line `...` stands for lines that are not shown.

use crate::{CheckFailed, root};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Commands that run this check, and so cannot be run by it.
const RUNNERS: [&str; 3] = ["cargo xtask test", "cargo xtask test --full", "cargo xtask docs"];

/// A command of a document with what it is said to print.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    line: usize,
    command: String,
    output: Vec<String>,
}

/// Runs the commands of every document.
pub fn run() -> anyhow::Result<()> {
    let mut run = 0;
    for path in documents(root())? {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
        for shown in parse(&text).with_context(|| name.clone())? {
            let Shown { line, command, .. } = &shown;
            if RUNNERS.contains(&command.as_str()) {
                continue;
            }
            println!("{name}:{line}: {command}");
            check(&shown, root()).map_err(|why| CheckFailed(format!("{name}:{line}: `{command}`: {why}")))?;
            run += 1;
        }
    }
    println!("docs: {run} commands do what the documents say");
    Ok(())
}

/// README.md, ARCHITECTURE.md and the pages of docs, in this order.
fn documents(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let pages = std::fs::read_dir(root.join("docs")).context("cannot list docs")?;
    let mut pages = pages.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    Ok([root.join("README.md"), root.join("ARCHITECTURE.md")].into_iter().chain(pages).collect())
}

fn parse(text: &str) -> anyhow::Result<Vec<Shown>> {
    let mut found: Vec<Shown> = Vec::new();
    let mut block: Option<usize> = None;
    for (line, content) in (1..).zip(text.lines()) {
        match block {
            None if content.trim_end() == "```console" => block = Some(found.len()),
            None => {}
            Some(_) if content.starts_with("```") => block = None,
            Some(first) => match (content.strip_prefix("$ "), found.len() > first) {
                (Some(command), _) => {
                    found.push(Shown { line, command: command.trim().to_owned(), output: Vec::new() })
                }
                (None, true) => {
                    let last = found.len() - 1;
                    found[last].output.push(content.trim_end().to_owned());
                }
                (None, false) => bail!("line {line}: a console block begins with a command: `$ ...`"),
            },
        }
    }
    if block.is_some() { bail!("a console block has no end") } else { Ok(found) }
}

/// What is wrong, if anything.
fn check(shown: &Shown, folder: &Path) -> Result<(), String> {
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", &shown.command]).current_dir(folder).stdin(Stdio::null());
    let output = bash.output().map_err(|why| format!("cannot run bash: {why}"))?;
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("{}\n{text}{errors}", output.status));
    }
    let mut lines = text.lines().map(str::trim_end);
    let shown = shown.output.iter().filter(|line| !line.is_empty() && *line != "...");
    for expected in shown {
        if !lines.any(|line| line == expected) {
            return Err(format!("does not print, at this place, the line\n{expected}\nit prints\n{text}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: usize, command: &str, output: &[&str]) -> Shown {
        Shown { line, command: command.to_owned(), output: output.iter().map(|line| line.to_string()).collect() }
    }

    #[test]
    fn blocks_are_found() {
        let text = "# A\n```console\n$ one\nout 1\n\n$ two\n```\n```sh\n$ not\n```\n```console\n$ three | x\n...\nlast \n```\n";
        let expected =
            [shown(3, "one", &["out 1", ""]), shown(6, "two", &[]), shown(12, "three | x", &["...", "last"])];
        assert_eq!(parse(text).unwrap(), expected);
        for broken in ["```console\nno command\n```\n", "```console\n$ no end\n"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }

    /// True statements pass; each false one is found.
    #[test]
    fn what_is_shown_is_compared_with_what_is_printed() {
        let print = "printf 'cycles 786\\nbytes 2890\\nend\\n'";
        let cases: [(&str, &[&str], Option<&str>); 9] = [
            (print, &[], None),
            (print, &["cycles 786", "bytes 2890", "end"], None),
            (print, &["cycles 786", "...", "end"], None),
            (print, &["cycles 787"], Some("does not print")),
            (print, &["cycles 78"], Some("does not print")),
            (print, &["end", "cycles 786"], Some("does not print")),
            (print, &["cycles 786", "cycles 786"], Some("does not print")),
            ("echo before; false; echo after", &["after"], Some("exit status: 1\nbefore")),
            ("false | true", &[], Some("exit status: 1")),
        ];
        let folder = tempfile::tempdir().unwrap();
        for (command, output, expected) in cases {
            let result = check(&shown(1, command, output), folder.path());
            match (&result, expected) {
                (Ok(()), None) => {}
                (Err(why), Some(part)) if why.contains(part) => {}
                _ => panic!("{command} {output:?}: {result:?}"),
            }
        }
    }
}
