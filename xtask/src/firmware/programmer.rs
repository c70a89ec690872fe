//! Programs that write flash: probe-rs and st-flash.

use super::choice::{self, Chosen};
use crate::setup::find;
use anyhow::{Context, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that can write the flash of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Programmer {
    /// probe-rs, with any probe.
    ProbeRs {
        /// The program.
        program: PathBuf,
        /// The chip, as it calls it.
        chip: String,
    },
    /// st-flash, with an ST-LINK.
    StFlash {
        /// The program.
        program: PathBuf,
        /// Where the image begins.
        address: u32,
    },
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// The ELF file.
    pub elf: &'a Path,
    /// Its bytes.
    pub binary: &'a Path,
}

impl Programmer {
    /// The first one that is in `path` and knows the board.
    ///
    /// # Errors
    /// What to install, or that nothing writes this board's flash.
    pub fn find(chosen: &Chosen, path: &OsStr) -> anyhow::Result<Programmer> {
        let board = &chosen.board;
        let probe_rs = board.probe_rs_chip.clone().zip(find("probe-rs", path));
        let st_flash = board.st_flash_address.zip(find("st-flash", path));
        match (probe_rs, st_flash) {
            (Some((chip, program)), _) => Ok(Programmer::ProbeRs { program, chip }),
            (None, Some((address, program))) => Ok(Programmer::StFlash { program, address }),
            (None, None) => bail!("{}", missing(chosen)?),
        }
    }

    /// Writes the flash and lets the firmware start; `before_start` is called as late as can be before that.
    ///
    /// # Errors
    /// If no probe is connected, or what the program says.
    pub fn flash(&self, files: Files<'_>, before_start: impl FnOnce()) -> anyhow::Result<()> {
        match self {
            Programmer::ProbeRs { program, chip } => {
                run(Command::new(program).args(["download", "--chip", chip]).arg(files.elf))?;
                before_start();
                run(Command::new(program).args(["reset", "--chip", chip]))
            }
            Programmer::StFlash { program, address } => {
                before_start();
                let address = format!("{address:#010x}");
                run(Command::new(program).args(["--reset", "write"]).arg(files.binary).arg(address))
            }
        }
    }
}

fn missing(chosen: &Chosen) -> anyhow::Result<String> {
    let board = &chosen.board;
    let (probe_rs, st_flash) = (board.probe_rs_chip.is_some(), board.st_flash_address.is_some());
    if !probe_rs && !st_flash {
        let can = choice::boards()?.into_iter().map(|chosen| chosen.board);
        let can = can.filter(|board| board.probe_rs_chip.is_some() || board.st_flash_address.is_some());
        let names: Vec<String> = can.map(|board| board.name).collect();
        return Ok(format!(
            "{} is not flashed from here: its file has neither `probe_rs_chip` nor `st_flash_address`; there are {}",
            board.name,
            names.join(", ")
        ));
    }
    let ways = [
        (probe_rs, "probe-rs, with `cargo install probe-rs-tools --locked` (or see https://probe.rs)"),
        (st_flash, "st-flash, with `apt-get install stlink-tools`"),
    ];
    let ways: Vec<&str> = ways.into_iter().filter(|(can, _)| *can).map(|(_, way)| way).collect();
    Ok(format!("no program that writes the flash of {} is in PATH; install {}", board.name, ways.join(", or ")))
}

/// Shows what the program prints.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let shown = command.get_program().display().to_string();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {shown}"))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let text = text.trim();
    if output.status.success() {
        eprintln!("{text}");
        return Ok(());
    }
    if is_unplugged(text) {
        bail!(
            "no debug probe is connected, says {shown}:\n{text}\n\
             Connect the board's ST-LINK by USB. If it is connected, the user may lack the right to use it (udev rules)"
        );
    }
    bail!("{shown} failed ({}):\n{text}", output.status)
}

/// As several versions of both programs say it.
fn is_unplugged(text: &str) -> bool {
    let text = text.to_lowercase();
    let no_probe = ["no probe", "no connected probe", "probe not found", "probe was not found", "no debug probe"];
    let no_st_link = text.contains("couldn't find any st-link");
    no_st_link || no_probe.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn script(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho \"$0 $*\" >> \"${{0%/*}}/log\"\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What flashing the board ends in, with these stand-ins for programs, and the calls of these.
    fn flash(board: &str, scripts: &[(&str, &str)]) -> (Result<(), String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        scripts.iter().for_each(|(name, text)| script(path, name, text));
        let chosen = choice::board(board).unwrap();
        let files = Files { elf: Path::new("x.elf"), binary: Path::new("x.bin") };
        let result = Programmer::find(&chosen, path.as_os_str())
            .and_then(|programmer| programmer.flash(files, || script(path, "note", "")))
            .map_err(|error| format!("{error:#}"));
        let log = std::fs::read_to_string(path.join("log")).unwrap_or_default();
        let calls = log.lines().map(|line| line.replace(&format!("{}/", path.display()), "")).collect();
        (result, calls)
    }

    const NO_PROBE: &str = "echo 'Error: No connected probes were found.' >&2; exit 1";
    const NO_ST_LINK: &str = "echo \"WARN usb.c: Couldn't find any ST-Link/V2 devices\"; exit 255";
    const WRONG_CHIP: &str = "echo 'Error: The core of the chip is another' >&2; exit 1";

    #[test]
    fn programs_are_called_and_what_they_lack_is_told() {
        let board = "stm32f407-discovery";
        let download = "probe-rs download --chip STM32F407VGTx x.elf";
        let reset = "probe-rs reset --chip STM32F407VGTx";
        let write = "st-flash --reset write x.bin 0x08000000";
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, &'a [&'a str]);
        let cases: [Case<'_>; 8] = [
            (board, &[("probe-rs", "")], "", &[download, reset]),
            (board, &[("st-flash", "")], "", &[write]),
            (board, &[("probe-rs", ""), ("st-flash", "")], "", &[download, reset]),
            (board, &[], "install probe-rs, with `cargo install probe-rs-tools --locked`", &[]),
            (board, &[("probe-rs", NO_PROBE)], "no debug probe is connected", &[download]),
            (board, &[("st-flash", NO_ST_LINK)], "Connect the board's ST-LINK by USB", &[write]),
            (board, &[("probe-rs", WRONG_CHIP)], "core of the chip is another", &[download]),
            ("mps2-an386", &[("probe-rs", "")], "there are nucleo-f207zg, nucleo-l4r5zi, stm32f407-discovery", &[]),
        ];
        for (board, scripts, expected, calls) in cases {
            let (result, called) = flash(board, scripts);
            assert_eq!(called, calls, "{scripts:?}");
            match result {
                Ok(()) => assert_eq!(expected, "", "{scripts:?}"),
                Err(why) => assert!(!expected.is_empty() && why.contains(expected), "{scripts:?}: {why}"),
            }
        }
        assert!(!is_unplugged("the probe found a chip"));
    }
}
