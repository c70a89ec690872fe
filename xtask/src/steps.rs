//! `cargo xtask test`: the steps, in order, up to the first that fails.

use crate::{CheckFailed, cargo, setup};
use anyhow::Context;
use std::time::Instant;

/// A cargo command that must succeed.
struct Step {
    about: &'static str,
    args: &'static [&'static str],
    envs: &'static [(&'static str, &'static str)],
}

const STEPS: [Step; 7] = [
    step("formatting", &["fmt", "--all", "--check"]),
    step("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    // Not every test binary knows of the others' needs: what needs a tool is ignored by plain `cargo test`.
    step("tests, with those that need other tools", &["test", "--workspace", "--", "--include-ignored"]),
    Step {
        about: "documentation of the crates",
        args: &["doc", "--workspace", "--no-deps", "--document-private-items"],
        envs: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    step("generated bundle", &["xtask", "bundle"]),
    step("committed benchmarks", &["xtask", "bench", "--check"]),
    step("commands in the documentation", &["xtask", "docs"]),
];

const fn step(about: &'static str, args: &'static [&'static str]) -> Step {
    Step { about, args, envs: &[] }
}

impl Step {
    /// As one types it.
    fn shown(&self, full: bool) -> String {
        let mut words: Vec<String> = self.environment(full).map(|(name, value)| format!("{name}='{value}'")).collect();
        words.push("cargo".to_owned());
        words.extend(self.args.iter().map(|arg| arg.to_string()));
        words.join(" ")
    }

    fn environment(&self, full: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
        let sweeps = (full && self.args[0] == "test").then_some(("QUADROUND_FULL", "1"));
        self.envs.iter().copied().chain(sweeps)
    }
}

/// Runs every step; stops at the first that fails and names the command that repeats it.
pub fn run(full: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    heading(0, "programs that tests need", "cargo xtask setup");
    setup::run()?;
    for (number, step) in (1..).zip(&STEPS) {
        let shown = step.shown(full);
        heading(number, step.about, &shown);
        let begun = Instant::now();
        let status = cargo(step.args).envs(step.environment(full)).status();
        let status = status.with_context(|| format!("cannot run `{shown}`"))?;
        if !status.success() {
            let message = format!("step {number}, {}, failed; to repeat it: {shown}", step.about);
            return Err(CheckFailed(message).into());
        }
        println!("    ok after {:.1} s", begun.elapsed().as_secs_f64());
    }
    println!("==> all {} steps passed after {:.0} s", STEPS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

fn heading(number: usize, about: &str, command: &str) {
    println!("==> {number}/{} {about}: {command}", STEPS.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_as_shown() {
        assert_eq!(STEPS[0].shown(false), "cargo fmt --all --check");
        assert_eq!(STEPS[2].shown(true), "QUADROUND_FULL='1' cargo test --workspace -- --include-ignored");
        assert!(STEPS[3].shown(true).starts_with("RUSTDOCFLAGS='-D warnings' cargo doc"));
    }
}
