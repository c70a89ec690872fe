//! Rules that a compiler does not know.

use crate::{files_below, root};
use std::path::Path;

/// A file this long should have been two.
const LINES_MAX: usize = 700;

/// What is wrong with a text file at `path` (from the top of the repository).
fn findings(path: &str, text: &str) -> Vec<String> {
    // Put together so that this file does not contain them.
    let words = [["TO", "DO"], ["FIX", "ME"], ["XX", "X:"]].map(|halves| halves.concat());
    let folders = ["home", "root", "work", "tmp", "Users"].map(|folder| format!("/{folder}/"));
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let unfinished = words.iter().any(|word| line.contains(word.as_str()));
        let absolute = folders.iter().any(|folder| has_absolute(line, folder));
        for (wrong, what) in [
            (unfinished, "work left undone"),
            (absolute, "absolute path"),
            (line.ends_with([' ', '\t']), "blank at the end"),
            (line.contains('\r'), "carriage return"),
        ] {
            if wrong {
                found.push(format!("{path}:{number}: {what}"));
            }
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        found.push(format!("{path}: no line end at the end"));
    }
    if path.contains("/src/") && text.lines().count() > LINES_MAX {
        found.push(format!("{path}: more than {LINES_MAX} lines"));
    }
    found
}

/// True if `folder` occurs in `line` other than as part of a longer path or an address.
fn has_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "./_-}".contains(c))
    })
}

/// What is wrong with a crate's manifest.
fn manifest_findings(name: &str, manifest: &toml::Table) -> Vec<String> {
    let package = &manifest["package"];
    let inherits = |key: &str| package.get(key).and_then(|value| value.get("workspace")) == Some(&true.into());
    let described = package.get("description").and_then(|text| text.as_str()).is_some_and(|text| !text.is_empty());
    let lints = |key: &str| manifest.get("lints").and_then(|lints| lints.get(key));
    // A runtime calls machine code, and C calls `capi`, which takes `unsafe`: all their lints are their own, and each use has to say why it is safe.
    let own = ["missing_docs", "unsafe_op_in_unsafe_fn"].map(|lint| lints("rust").and_then(|lints| lints.get(lint)));
    let reasons = lints("clippy").and_then(|lints| lints.get("undocumented_unsafe_blocks"));
    let may_be_unsafe = name.starts_with("runtime-") || name == "capi";
    let explains_unsafe = may_be_unsafe && own.iter().all(Option::is_some) && reasons.is_some();
    let linted = lints("workspace") == Some(&true.into()) || explains_unsafe;
    [
        (described, "no description"),
        (inherits("license"), "not the workspace's licence"),
        (inherits("rust-version"), "not the workspace's rust-version"),
        (linted, "not the workspace's lints"),
    ]
    .into_iter()
    .filter(|(right, _)| !right)
    .map(|(_, what)| format!("{name}: {what}"))
    .collect()
}

fn read_toml(path: &Path) -> toml::Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

#[test]
fn every_text_file_is_tidy() {
    let mut found = Vec::new();
    let mut looked_at = 0;
    for path in files_below(root()) {
        // Licences are as their authors wrote them; vectors come from elsewhere.
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let known = [".rs", ".md", ".toml", ".s", ".S", ".h", ".txt", ".x", "/run"];
        if known.iter().any(|end| name.ends_with(end)) && !name.contains("/vectors/") {
            found.extend(findings(&name, &std::fs::read_to_string(&path).unwrap()));
            looked_at += 1;
        }
    }
    assert!(looked_at > 20, "{looked_at} files");
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn every_crate_says_what_it_is_and_follows_the_workspace() {
    let workspace = read_toml(&root().join("Cargo.toml"));
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    assert_eq!(workspace["workspace"]["package"]["license"].as_str(), Some("MIT OR Apache-2.0"));
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let found: Vec<String> = members
        .iter()
        .map(|member| member.as_str().unwrap())
        .flat_map(|name| manifest_findings(name, &read_toml(&root().join(name).join("Cargo.toml"))))
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn both_licences_are_there() {
    for (file, words) in
        [("LICENSE-MIT", "Permission is hereby granted"), ("LICENSE-APACHE", "Version 2.0, January 2004")]
    {
        assert!(std::fs::read_to_string(root().join(file)).unwrap().contains(words), "{file}");
    }
}

/// Planted faults.
#[test]
fn untidiness_is_found() {
    let slash = '/';
    let cases = [
        ("a/src/b.rs", "fine\n".to_owned(), ""),
        ("a/src/b.rs", format!("// {}{}: later\n", "TO", "DO"), "a/src/b.rs:1: work left undone"),
        ("a.md", format!("fine\nsee {slash}home/me/x\n"), "a.md:2: absolute path"),
        ("a.md", format!("(\"{slash}tmp/x\")\n"), "a.md:1: absolute path"),
        ("a.md", "https://example.org/home/x and docs/home/x\n".to_owned(), ""),
        ("a.md", "blank \n".to_owned(), "a.md:1: blank at the end"),
        ("a.md", "dos\r\n".to_owned(), "a.md:1: carriage return"),
        ("a.md", "no end".to_owned(), "a.md: no line end at the end"),
        ("a/src/b.rs", "x\n".repeat(701), "a/src/b.rs: more than 700 lines"),
        ("a/tests/b.rs", "x\n".repeat(701), ""),
    ];
    for (path, text, expected) in cases {
        assert_eq!(findings(path, &text).join(", "), expected);
    }
    let manifest = "[package]\nname = \"x\"\ndescription = \"\"\nlicense = \"MIT\"\nrust-version.workspace = true\n";
    let found = manifest_findings("x", &manifest.parse().unwrap());
    assert_eq!(found, ["x: no description", "x: not the workspace's licence", "x: not the workspace's lints"]);
    let own = "[lints.rust]\nmissing_docs = \"warn\"\nunsafe_op_in_unsafe_fn = \"deny\"\n[lints.clippy]\n";
    let reasons = "undocumented_unsafe_blocks = \"warn\"\n";
    for (name, lints, expected) in
        [("runtime-x", [own, reasons], 3), ("runtime-x", [own, ""], 4), ("x", [own, reasons], 4)]
    {
        let found = manifest_findings(name, &format!("[package]\n{}", lints.concat()).parse().unwrap());
        assert_eq!(found.len(), expected, "{name}: {found:?}");
    }
}
