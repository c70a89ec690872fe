//! Boards and bins by name.

use crate::root;
use anyhow::{Context, bail};
use sim::cycles::Core;
use sim::{Board, BoardMemory, MemoryKind};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The runtime's package, which is also its folder.
pub const PACKAGE: &str = "runtime-m4";

/// A board and the file that describes it.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The file, absolute.
    pub path: PathBuf,
    /// What it says.
    pub board: Board,
}

impl Chosen {
    /// The memory that the image is linked into: the first of its kind.
    pub fn flash(&self) -> Option<&BoardMemory> {
        self.memory(MemoryKind::Flash)
    }

    /// The memory of variables and stack: the first of its kind.
    pub fn ram(&self) -> Option<&BoardMemory> {
        self.memory(MemoryKind::Ram)
    }

    fn memory(&self, kind: MemoryKind) -> Option<&BoardMemory> {
        self.board.memory.iter().find(|memory| memory.kind == kind)
    }
}

/// The boards that come with the runtime, by name.
pub fn boards() -> anyhow::Result<Vec<Chosen>> {
    let folder = root().join(PACKAGE).join("boards");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// A board by its name, or by the path of its file.
pub fn board(name: &str) -> anyhow::Result<Chosen> {
    if name.contains('/') || name.ends_with(".toml") {
        return read(&std::path::absolute(name)?);
    }
    let boards = boards()?;
    match boards.iter().find(|chosen| chosen.board.name == name) {
        Some(chosen) => Ok(chosen.clone()),
        None => {
            let names = boards.iter().map(|chosen| chosen.board.name.as_str());
            bail!(
                "there is no board {name:?}: {}`--list` shows all; a path of a TOML file does too",
                nearest(name, names)
            )
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Chosen> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the board {}", path.display()))?;
    let board = Board::from_toml(&text).with_context(|| format!("{}", path.display()))?;
    let chosen = Chosen { path: path.to_owned(), board };
    for (memory, kind) in [(chosen.flash(), "flash"), (chosen.ram(), "ram")] {
        if memory.is_none() {
            bail!("{}: the board has no memory with kind = \"{kind}\", which firmware needs", path.display());
        }
    }
    Ok(chosen)
}

/// Features that ask for no kernel.
const NO_KERNEL: [&str; 5] = ["default", "firmware", "speed", "size", "low-stack"];

/// Refuses features that the runtime does not have or that exclude each other, and firmware without a kernel.
pub fn check_features(asked: &[String], no_default: bool) -> anyhow::Result<()> {
    let manifest = manifest()?;
    let known = manifest.get("features").and_then(|features| features.as_table()).context("no [features]")?;
    let kernels = known.keys().map(String::as_str).filter(|name| !NO_KERNEL.contains(name)).collect::<Vec<&str>>();
    if let Some(name) = asked.iter().find(|name| !known.contains_key(*name)) {
        let near = nearest(name, known.keys().map(String::as_str));
        bail!("{PACKAGE} has no feature {name:?}: {near}there are {}, speed, size and low-stack", kernels.join(", "));
    }
    let has = |name: &str| asked.iter().any(|asked| asked == name);
    if has("speed") && has("size") {
        bail!("the features `speed` and `size` exclude each other; name one of them");
    }
    if no_default && !has("default") && !kernels.iter().any(|kernel| has(kernel)) {
        bail!("firmware needs a kernel: add one of {} to --features", kernels.join(", "));
    }
    Ok(())
}

/// The runtime's Cargo.toml.
fn manifest() -> anyhow::Result<toml::Table> {
    let path = root().join(PACKAGE).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("{}", path.display()))
}

/// A bin of the runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bin {
    /// Its name.
    pub name: String,
    /// The first line of its documentation.
    pub about: String,
}

/// The bins of the runtime.
pub fn bins() -> anyhow::Result<Vec<Bin>> {
    let folder = root().join(PACKAGE);
    let manifest = manifest()?;
    let tables = manifest.get("bin").and_then(|bins| bins.as_array()).map_or(&[][..], Vec::as_slice);
    let text = |table: &toml::Value, key: &str| table.get(key).and_then(|text| text.as_str()).map(str::to_owned);
    tables
        .iter()
        .map(|table| {
            let name = text(table, "name").with_context(|| format!("{}: a bin without a name", folder.display()))?;
            let source = folder.join(text(table, "path").unwrap_or_else(|| format!("src/bin/{name}.rs")));
            let source =
                std::fs::read_to_string(&source).with_context(|| format!("cannot read {}", source.display()))?;
            let about = source.lines().find_map(|line| line.strip_prefix("//! ")).unwrap_or_default().to_owned();
            Ok(Bin { name, about })
        })
        .collect()
}

/// A bin by its name.
pub fn bin(name: &str) -> anyhow::Result<Bin> {
    let bins = bins()?;
    match bins.iter().find(|bin| bin.name == name) {
        Some(bin) => Ok(bin.clone()),
        None => {
            let names = bins.iter().map(|bin| bin.name.as_str());
            bail!("there is no bin {name:?}: {}`--list` shows all", nearest(name, names))
        }
    }
}

/// Everything there is to choose from.
pub fn list() -> anyhow::Result<String> {
    let mut text = String::from("boards:\n");
    let boards = boards()?;
    let bins = bins()?;
    let names = boards.iter().map(|chosen| &chosen.board.name).chain(bins.iter().map(|bin| &bin.name));
    let width = names.map(String::len).max().unwrap_or(0);
    for Chosen { board, .. } in &boards {
        let qemu = if board.qemu_machine.is_some() { "; in QEMU" } else { "" };
        // Writing to a string cannot fail, here and below.
        let _ =
            writeln!(text, "  {:width$}  {} ({}), {}{qemu}", board.name, board.chip, core(board.core), board.console);
    }
    text += "bins:\n";
    for Bin { name, about } in &bins {
        let _ = writeln!(text, "  {name:width$}  {about}");
    }
    Ok(text)
}

/// What a core is called.
fn core(core: Core) -> &'static str {
    match core {
        Core::M3 => "Cortex-M3",
        Core::M4 => "Cortex-M4",
        Core::M4f => "Cortex-M4F",
    }
}

/// `did you mean "x"? ` with the nearest name, or nothing if more than a third of the word would have to change.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let most = word.chars().count().div_ceil(3);
    let distances = names.map(|name| (strsim::damerau_levenshtein(word, name), name));
    let nearest = distances.filter(|(distance, _)| *distance <= most).min();
    nearest.map(|(_, name)| format!("did you mean {name:?}? ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_what_is_near_is_named() {
        for chosen in boards().unwrap() {
            let name = &chosen.board.name;
            assert_eq!(board(name).unwrap().path, chosen.path, "{name}");
            assert!(chosen.path.ends_with(format!("{name}.toml")), "{name}");
            assert!(chosen.flash().is_some() && chosen.ram().is_some(), "{name}");
        }
        for (word, expected) in [
            ("mps2-an368", "did you mean \"mps2-an386\"? "),
            ("stm32f407-disco", "did you mean \"stm32f407-discovery\"? "),
            ("arduino", "there is no board \"arduino\": `--list`"),
        ] {
            let error = board(word).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let none: &[&str] = &[];
        for (features, no_default, expected) in [
            (none, false, ""),
            (&["speed"], false, ""),
            (&["chacha12", "size"], true, ""),
            (&["default"], true, ""),
            (&["speed", "size"], false, "`speed` and `size` exclude each other"),
            (none, true, "firmware needs a kernel: add one of chacha12, chacha20, chacha8"),
            (&["size"], true, "firmware needs a kernel"),
            (
                &["chaha12"],
                false,
                "runtime-m4 has no feature \"chaha12\": did you mean \"chacha12\"? there are chacha12,",
            ),
            (&[""], false, "no feature \"\""),
        ] {
            let features: Vec<String> = features.iter().map(|name| name.to_string()).collect();
            match check_features(&features, no_default) {
                Ok(()) => assert_eq!(expected, "", "{features:?}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(!expected.is_empty() && error.contains(expected), "{features:?}: {error}");
                }
            }
        }
        let error = bin("selftset").unwrap_err().to_string();
        assert!(error.contains("did you mean \"selftest\"? "), "{error}");
    }
}
