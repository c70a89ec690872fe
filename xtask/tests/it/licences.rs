//! Every package that is linked into anything here has a permissive licence: one that `deny.toml` lists.

use crate::root;
use serde_json::Value;
use std::process::Command;

/// A licence expression (SPDX 2.3, annex D; `/` as crates used to write OR) over the allowed names: is there a choice
/// that allows it?
fn allowed(expression: &str, names: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &tokens[..];
    let verdict = any_of(&mut rest, names);
    verdict && rest.is_empty()
}

fn any_of(tokens: &mut &[&str], names: &[String]) -> bool {
    let mut verdict = all_of(tokens, names);
    while take(tokens, "OR") {
        verdict |= all_of(tokens, names);
    }
    verdict
}

fn all_of(tokens: &mut &[&str], names: &[String]) -> bool {
    let mut verdict = one(tokens, names);
    while take(tokens, "AND") {
        verdict &= one(tokens, names);
    }
    verdict
}

fn one(tokens: &mut &[&str], names: &[String]) -> bool {
    if take(tokens, "(") {
        return any_of(tokens, names) & take(tokens, ")");
    }
    let Some((name, rest)) = tokens.split_first() else { return false };
    *tokens = rest;
    let mut name = name.to_string();
    if take(tokens, "WITH") {
        let Some((exception, rest)) = tokens.split_first() else { return false };
        *tokens = rest;
        name = format!("{name} WITH {exception}");
    }
    names.contains(&name)
}

fn take(tokens: &mut &[&str], word: &str) -> bool {
    let found = tokens.first() == Some(&word);
    if found {
        *tokens = &tokens[1..];
    }
    found
}

fn deny_list() -> Vec<String> {
    let deny: toml::Table = std::fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    let names = deny["licenses"]["allow"].as_array().unwrap();
    names.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn expressions() {
    let names = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("MIT OR GPL-3.0-only", true),
        ("MIT AND GPL-3.0-only", false),
        ("MIT/Apache-2.0", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
        ("(MIT OR Apache-2.0) AND Zlib", true),
        ("(MIT OR Zlib) AND Apache-2.0", false),
        ("Zlib AND MIT OR GPL-2.0", true),
        ("(MIT", false),
        ("MIT Zlib", false),
        ("", false),
    ] {
        assert_eq!(allowed(expression, &names), expected, "{expression:?}");
    }
}

#[test]
fn no_copyleft_licence_is_in_the_list() {
    for name in deny_list() {
        assert!(!name.contains("GPL") && !name.contains("CDDL") && !name.contains("EPL"), "{name}");
    }
}

/// The machine that this runs on: what other machines need in addition may not have been downloaded.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

#[test]
fn every_package_is_permissively_licensed() {
    let host = host();
    let args = ["metadata", "--format-version", "1", "--offline", "--filter-platform", &host];
    let output = Command::new(env!("CARGO")).args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 20, "{} packages: not the whole tree", packages.len());
    let names = deny_list();
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !allowed(package["license"].as_str().unwrap_or_default(), &names))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert_eq!(refused, Vec::<String>::new(), "not allowed by deny.toml");
}
