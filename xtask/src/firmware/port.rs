//! A serial port, set up by `stty`.

use anyhow::{Context, bail};
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::Command;

/// Opens a port. What is no terminal, such as a pipe, is read as it is.
pub fn open(path: &Path, baud: u32) -> anyhow::Result<File> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("there is no port {shown}; {}", ports(Path::new("/dev"))),
        _ => anyhow::anyhow!("cannot use {shown}: {error}"),
    })?;
    if metadata.is_dir() {
        bail!("{shown} is a folder; {}", ports(Path::new("/dev")));
    }
    if metadata.file_type().is_char_device() {
        set_up(path, baud)?;
    }
    File::open(path).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => {
            anyhow::anyhow!(
                "may not read {shown}: {error}; a member of its group may (often `usermod -aG dialout USER`)"
            )
        }
        _ => anyhow::anyhow!("cannot open {shown}: {error}"),
    })
}

/// Bytes as they are, and no wait for a carrier.
fn set_up(path: &Path, baud: u32) -> anyhow::Result<()> {
    let option = if cfg!(target_os = "macos") { "-f" } else { "-F" };
    let mut command = Command::new("stty");
    command.arg(option).arg(path).args([&baud.to_string(), "raw", "-echo", "clocal"]).env("LC_ALL", "C");
    let output = command.output().context("cannot run stty, which sets the rate of the port")?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        bail!("cannot set {} to {baud} baud: {why}", path.display());
    }
    Ok(())
}

/// The ports in which a board could be.
fn ports(folder: &Path) -> String {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| ["ttyACM", "ttyUSB", "cu.usb"].iter().any(|start| name.starts_with(start)));
    names.sort();
    if names.is_empty() {
        return "no USB serial port is there either: connect the board".to_owned();
    }
    let paths: Vec<String> = names.iter().map(|name| folder.join(name).display().to_string()).collect();
    format!("there are {}", paths.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ports(folder.path()).contains("connect the board"));
        for name in ["ttyUSB1", "tty1", "ttyACM0"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let [first, second] = ["ttyACM0", "ttyUSB1"].map(|name| folder.path().join(name).display().to_string());
        assert_eq!(ports(folder.path()), format!("there are {first}, {second}"));
    }

    #[test]
    fn what_is_no_port_is_told() {
        let folder = tempfile::tempdir().unwrap();
        for (path, expected) in [
            (folder.path().join("ttyACM7"), "there is no port"),
            (folder.path().to_owned(), "is a folder"),
            ("/dev/null".into(), "cannot set /dev/null to 115200 baud"),
        ] {
            let error = open(&path, 115_200).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
