//! Links of the documents lead somewhere.

use crate::root;
use std::path::{Path, PathBuf};

/// README.md, ARCHITECTURE.md and whatever else is at the top, and the pages of docs.
fn documents() -> Vec<PathBuf> {
    let folders = [root().to_owned(), root().join("docs")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The text without fenced blocks: in them nothing is a link.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let outside = |line: &&str| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    };
    text.lines().filter(outside).map(|line| format!("{line}\n")).collect()
}

/// Targets of `[text](target)`.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// Words in backticks that read like a file or folder of the repository.
fn paths(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_path = |word: &&str| {
        let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        let file = [".rs", ".md", ".toml", ".yml"].iter().any(|extension| word.ends_with(extension) && word.len() > 5);
        // What the generator and cargo write is not part of the repository.
        plain && (file || word.contains('/')) && !word.starts_with('-') && !word.starts_with("target/")
    };
    quoted.filter(is_path).collect()
}

/// The name that a heading gets as an anchor.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What is wrong with the links of a document at `path`.
fn broken_links(path: &Path, text: &str) -> Vec<String> {
    let prose = prose(text);
    let broken = |target: &&str| {
        if target.starts_with("https://") || target.starts_with("http://") {
            return false;
        }
        let (file, part) = target.split_once('#').unwrap_or((target, ""));
        let file = if file.is_empty() { path.to_owned() } else { path.parent().unwrap().join(file) };
        let has_part = |text: String| text.lines().any(|line| line.starts_with('#') && anchor(line) == part);
        !file.exists() || !(part.is_empty() || std::fs::read_to_string(&file).is_ok_and(has_part))
    };
    links(&prose).into_iter().filter(broken).map(str::to_owned).collect()
}

/// What a document names that is not in the repository.
fn missing_paths(text: &str) -> Vec<String> {
    let prose = prose(text);
    paths(&prose).into_iter().filter(|path| !root().join(path).exists()).map(str::to_owned).collect()
}

#[test]
fn documents_link_to_what_exists() {
    let documents = documents();
    assert!(documents.len() >= 2);
    for path in documents {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(broken_links(&path, &text), Vec::<String>::new(), "links of {}", path.display());
    }
}

#[test]
fn architecture_names_files_that_exist() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(paths(&text).len() > 10, "{:?}", paths(&text));
    assert_eq!(missing_paths(&text), Vec::<String>::new());
}

/// Planted faults.
#[test]
fn what_does_not_exist_is_found() {
    let text = "# Top of it\n[a](README.md) [b](xtask/lost.rs) [c](#top-of-it) [d](#lost) [e](ARCHITECTURE.md#lost)\n\
                [f](https://example.org/x)\n```\n[g](lost.md)\n```\n\
                `xtask/src/main.rs` `xtask/src/lost.rs` `lost.rs` `gen --unroll` `a::b/c` `target/x` `.rs` `deny.toml`\n";
    let path = root().join("NEW.md");
    // The document itself is not there, so its own anchors cannot be looked up.
    assert_eq!(broken_links(&path, text), ["xtask/lost.rs", "#top-of-it", "#lost", "ARCHITECTURE.md#lost"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("NEW.md");
    std::fs::write(&path, text).unwrap();
    assert_eq!(broken_links(&path, "[a](#top-of-it) [b](NEW.md#lost)"), ["NEW.md#lost"]);
    assert_eq!(missing_paths(text), ["xtask/src/lost.rs", "lost.rs"]);
}
