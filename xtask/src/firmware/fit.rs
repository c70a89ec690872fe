//! Sizes of firmware, and what to say of firmware that its board has no room for.

use super::choice::Chosen;
use super::toolchain::Request;
use crate::{CheckFailed, Outcome, program};
use anyhow::{Context, bail};
use sim::BoardMemory;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Rows of a report.
const ROWS: &str = "15";
/// More than any firmware here takes, and not more than a board's file may say.
const ROOM: i64 = 32 << 20;
/// Where that much is, and what.
const ROOMS: [(&str, i64); 2] = [("flash", 0), ("ram", 0x2000_0000)];

/// Bytes that do not fit, by the name of the region in the linker's script.
pub type Overflow = BTreeMap<String, u64>;

/// What a linker says does not fit: rust-lld, or GNU ld.
pub fn overflow(messages: &str) -> Overflow {
    let mut found = Overflow::new();
    for line in messages.lines() {
        let Some((before, after)) = line.split_once("overflowed by ") else { continue };
        let quoted: Vec<&str> = before.split(['\'', '`', '‘', '’']).collect();
        let region = quoted.iter().rev().nth(1).filter(|_| before.contains("region"));
        let bytes = after.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse::<u64>().ok());
        if let (Some(region), Some(bytes)) = (region, bytes) {
            // Each section is told with all that came before it.
            let most = found.entry((*region).to_owned()).or_default();
            *most = bytes.max(*most);
        }
    }
    found
}

/// Says by how much firmware is too large, after a report of what it consists of.
///
/// # Errors
/// Always: at best that it does not fit.
pub fn explain(overflow: &Overflow, request: &Request<'_>, chosen: &Chosen) -> anyhow::Result<()> {
    let name = &chosen.board.name;
    let memories = [("FLASH", chosen.flash()), ("RAM", chosen.ram())];
    let of = |region: &str| memories.iter().find(|(name, _)| *name == region).and_then(|(_, memory)| *memory);
    let told = overflow.iter().map(|(region, bytes)| match of(region) {
        Some(memory) => format!("{bytes} bytes more than the {} of {region}", memory.length),
        None => format!("{bytes} bytes more than there are of {region}"),
    });
    let told =
        format!("{} does not fit into {name}: it needs {}", request.bin, told.collect::<Vec<_>>().join(", and "));
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let path = folder.path().join("roomy.toml");
    std::fs::write(&path, roomy(&chosen.path)?).context("cannot write a temporary file")?;
    println!("{told}. Linked as if there were room:");
    match (Request { board: &path, ..request.clone() }).build()? {
        Outcome::Made(elf) => print(&elf, None)?,
        Outcome::Failed(messages) => bail!("{told}; and the largest parts of it cannot be shown:\n{messages}"),
    }
    bail!(
        "{told}; the largest parts are above. Take a larger board, fewer kernels (--no-default-features --features ...), or \
         smaller ones (--features size)"
    )
}

/// The board's file with room for everything: a flash and a RAM that reach into nothing else, as there is nothing else.
fn roomy(path: &Path) -> anyhow::Result<String> {
    let mut board: toml::Table = std::fs::read_to_string(path)?.parse()?;
    board.remove("registers");
    let memories = ROOMS.iter().map(|(kind, start)| {
        let text = |text: &str| toml::Value::String(text.to_owned());
        let keys = [("name", text(kind)), ("kind", text(kind)), ("start", (*start).into()), ("length", ROOM.into())];
        toml::Value::Table(keys.map(|(key, value)| (key.to_owned(), value)).into_iter().collect())
    });
    board.insert("memory".to_owned(), toml::Value::Array(memories.collect()));
    Ok(board.to_string())
}

/// Prints the report of `sizes`, with the board's memories as limits.
///
/// # Errors
/// [`CheckFailed`] if it is over them.
pub fn report(elf: &Path, chosen: &Chosen) -> anyhow::Result<()> {
    let (flash, ram) = chosen.flash().zip(chosen.ram()).context("the board has no flash, or no RAM")?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let path = folder.path().join(format!("{}.toml", chosen.board.name));
    std::fs::write(&path, budget(flash, ram)).context("cannot write a temporary file")?;
    print(elf, Some(&path))
}

fn budget(flash: &BoardMemory, ram: &BoardMemory) -> String {
    let limit = |region: &str, memory: &BoardMemory| format!("[region.{region}]\nbytes_max = {}\n", memory.length);
    limit("ROM", flash) + &limit("RAM", ram)
}

fn print(elf: &Path, budget: Option<&Path>) -> anyhow::Result<()> {
    let sizes = program("sizes", "sizes")?;
    let mut command = Command::new(&sizes);
    // The folder is a temporary one; the report names the file alone.
    if let Some((folder, name)) = elf.parent().zip(elf.file_name()) {
        command.current_dir(folder).arg(name);
    }
    command.args(["-n", ROWS]);
    if let Some(budget) = budget {
        command.arg("--budget").arg(budget);
    }
    let status = command.status().with_context(|| format!("cannot run {}", sizes.display()))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(CheckFailed("it takes more memory than the board has; see above".to_owned()).into()),
        _ => bail!("sizes failed ({status}); its message is above"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_linkers_are_understood() {
        let cases: [(&str, &[(&str, u64)]); 5] = [
            ("error: linking with `rust-lld` failed: exit status: 1", &[]),
            (
                "  = note: rust-lld: error: section '.text' will not fit in region 'FLASH': overflowed by 1044 bytes\n\
                 rust-lld: error: section '.rodata' will not fit in region 'FLASH': overflowed by 3040 bytes\n\
                 rust-lld: error: section '.bss' will not fit in region 'RAM': overflowed by 12 bytes\n",
                &[("FLASH", 3040), ("RAM", 12)],
            ),
            (
                "arm-none-eabi-ld: a.elf section `.text' will not fit in region `FLASH'\n\
                 arm-none-eabi-ld: region `FLASH' overflowed by 17 bytes\n",
                &[("FLASH", 17)],
            ),
            ("the stack overflowed by 'a' lot", &[]),
            ("region 'FLASH' overflowed by many", &[]),
        ];
        for (messages, expected) in cases {
            let expected: Overflow = expected.iter().map(|(region, bytes)| (region.to_string(), *bytes)).collect();
            assert_eq!(overflow(messages), expected, "{messages}");
        }
    }

    #[test]
    fn a_roomy_board_is_the_same_but_for_its_memories() {
        for chosen in super::super::choice::boards().unwrap() {
            let roomy = sim::Board::from_toml(&roomy(&chosen.path).unwrap()).unwrap();
            for (kind, memory) in [sim::MemoryKind::Flash, sim::MemoryKind::Ram].iter().zip(&roomy.memory) {
                assert_eq!((memory.kind, memory.length), (*kind, ROOM as u32));
            }
            let expected = sim::Board { memory: roomy.memory.clone(), registers: Vec::new(), ..chosen.board };
            assert_eq!(roomy, expected);
        }
    }
}
