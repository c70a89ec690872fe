//! What belongs together in two builds.

use super::Item;
use crate::names;
use crate::report::FileReport;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// Why it is not clear what to compare a file with.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PairError {
    /// Several files, and none of the older ones has this one's name.
    #[error(
        "{file}: nothing to compare it with: no --diff has this file name; give one for each file, or their folder"
    )]
    NoBase {
        /// The newer file.
        file: String,
    },
    /// An older file that none of the newer ones has the name of.
    #[error("--diff {base}: no file of this name is given to compare with it")]
    NoFile {
        /// The older file.
        base: String,
    },
    /// Two files of one name in different folders.
    #[error("--diff {base}: there is another file of this name; compare them one by one")]
    Ambiguous {
        /// The second of them.
        base: String,
    },
}

/// The older file of each newer one: the only one of the only one, else the one with the same file name. An older
/// folder stands for the files in it with the names of the newer ones.
///
/// # Errors
/// If a file of either side is left over, or two have one name.
pub fn pair_paths(base: &[PathBuf], new: &[PathBuf]) -> Result<Vec<(PathBuf, PathBuf)>, PairError> {
    if let [folder] = base
        && folder.is_dir()
    {
        let inside = |file: &PathBuf| file.file_name().map(|name| folder.join(name));
        return Ok(new.iter().map(|file| (inside(file).unwrap_or_else(|| folder.clone()), file.clone())).collect());
    }
    if let ([base], [new]) = (base, new) {
        return Ok(vec![(base.clone(), new.clone())]);
    }
    let shown = |path: &Path| path.display().to_string();
    let mut by_name = BTreeMap::new();
    for path in base {
        if by_name.insert(path.file_name(), path).is_some() {
            return Err(PairError::Ambiguous { base: shown(path) });
        }
    }
    let mut pairs = Vec::new();
    for file in new {
        let base = by_name.remove(&file.file_name()).ok_or_else(|| PairError::NoBase { file: shown(file) })?;
        pairs.push((base.clone(), file.clone()));
    }
    match by_name.values().next() {
        Some(path) => Err(PairError::NoFile { base: shown(path) }),
        None => Ok(pairs),
    }
}

/// The images of two files: the only one of each, else members of the same name, and of several those in the same
/// order. The other side of what is only in one is empty. `paths` are the files' names as shown.
pub fn pair_reports(
    paths: [&str; 2],
    base: Vec<FileReport>,
    mut new: Vec<FileReport>,
) -> Vec<(FileReport, FileReport)> {
    if base.len() == 1 && new.len() == 1 {
        return base.into_iter().zip(new).collect();
    }
    let member = |report: &FileReport, path: &str| report.file.strip_prefix(path).unwrap_or(&report.file).to_owned();
    let mut left: BTreeMap<String, VecDeque<FileReport>> = BTreeMap::new();
    for report in base {
        left.entry(member(&report, paths[0])).or_default().push_back(report);
    }
    let base_of = |report: &FileReport, left: &mut BTreeMap<String, VecDeque<FileReport>>| {
        left.get_mut(&member(report, paths[1])).and_then(VecDeque::pop_front).unwrap_or_default()
    };
    let mut pairs: Vec<_> = new.drain(..).map(|report| (base_of(&report, &mut left), report)).collect();
    pairs.extend(left.into_values().flatten().map(|report| (report, FileReport::default())));
    pairs
}

/// A section's name without what changes with every build: the hashes of a symbol in it (`.text._ZN…`), and the address
/// of what is in no section (`[segment 0x8000]`).
pub(super) fn without_hash(section: &str) -> Cow<'_, str> {
    if section.starts_with("[segment ") {
        return Cow::Borrowed("[segment]");
    }
    match section.find("_ZN").or_else(|| section.find("_R")) {
        Some(at) => Cow::Owned(format!("{}{}", &section[..at], names::demangled(&section[at..]))),
        None => Cow::Borrowed(section),
    }
}

type Pair<'a> = (Option<Item<'a>>, Option<Item<'a>>);

/// All items, each with its partner if it has one.
pub(super) fn pairs<'a>(base: Vec<Item<'a>>, new: Vec<Item<'a>>) -> Vec<Pair<'a>> {
    let mut groups: BTreeMap<(String, String), [Vec<Item<'a>>; 2]> = BTreeMap::new();
    for (side, items) in [base, new].into_iter().enumerate() {
        for item in items {
            let key = (item.key.0.to_string(), item.key.1.to_string());
            groups.entry(key).or_default()[side].push(item);
        }
    }
    groups.into_values().flat_map(|[base, new]| pairs_of_one_key(base, new)).collect()
}

fn pairs_of_one_key<'a>(base: Vec<Item<'a>>, new: Vec<Item<'a>>) -> Vec<Pair<'a>> {
    let mut left: BTreeMap<&str, VecDeque<(usize, Item)>> = BTreeMap::new();
    for (order, item) in base.into_iter().enumerate() {
        left.entry(item.symbol).or_default().push_back((order, item));
    }
    let mut pairs = Vec::new();
    let mut others = VecDeque::new();
    for item in new {
        match left.get_mut(item.symbol).and_then(VecDeque::pop_front) {
            Some((_, base)) => pairs.push((Some(base), Some(item))),
            None => others.push_back(item),
        }
    }
    let mut rest: Vec<(usize, Item)> = left.into_values().flatten().collect();
    rest.sort_by_key(|(order, _)| *order);
    for (_, base) in rest {
        pairs.push((Some(base), others.pop_front()));
    }
    pairs.extend(others.into_iter().map(|item| (None, Some(item))));
    pairs
}

#[cfg(test)]
mod tests {
    use super::without_hash;

    #[test]
    fn sections_are_matched_without_hashes_and_addresses() {
        for (section, key) in [
            (".text", ".text"),
            (".text._ZN3foo3bar17h05af221e174051e9E", ".text.foo::bar"),
            (".text._RNvCs1234_7mycrate3foo", ".text.mycrate::foo"),
            (".rodata._R", ".rodata._R"),
            ("[segment 0x8000]", "[segment]"),
        ] {
            assert_eq!(without_hash(section), key);
        }
    }
}
