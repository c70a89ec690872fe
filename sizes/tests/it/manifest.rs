//! Manifests beside a file: whose kernels they describe, and what is wrong with them.

use crate::fixture::{As, Fixture, archive};
use object::Architecture;
use sizes::manifest::Manifest;
use sizes::measure;
use sizes::report::FileReport;
use std::path::Path;

/// `qr_chacha8_f` of 4 bytes, `main` of 2.
fn object() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[0x70, 0x47, 0x70, 0x47, 0x70, 0x47], 2);
    f.symbol(text, "qr_chacha8_f", 1, 4, As::Function);
    f.symbol(text, "main", 5, 2, As::Function);
    f.write()
}

fn entry(symbol: &str, code_bytes: u64, cycles: u64) -> String {
    format!(
        r#"{{"symbol": "{symbol}", "kernel": "chacha8_f", "target": "m4", "shape": "unroll 2", "stack_bytes": 8,
        "code_bytes": {code_bytes}, "cycles": {cycles}, "cycles_of": "one call", "family": "chacha", "new": [1]}}"#
    )
}

fn measured(path: &Path, manifest: Option<&Manifest>) -> Vec<FileReport> {
    measure(path, manifest).into_iter().map(|(_, report)| report.unwrap()).collect()
}

/// Measures `x.o` beside these files; compares `family cycles` of both functions, and the only warning (without the
/// folder) or none.
fn check(files: &[(&str, &str)], expected: [&str; 2], warning: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.o");
    std::fs::write(&path, object()).unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    let [report] = &measured(&path, None)[..] else { panic!("one file, one report") };
    let said = |name: &str| {
        let row = report.symbols.iter().find(|row| row.name == name).unwrap();
        let cycles = row.kernel.as_ref().map_or("-".to_owned(), |kernel| kernel.cycles.to_string());
        format!("{} {cycles}", row.family.as_deref().unwrap_or("-"))
    };
    assert_eq!([said("qr_chacha8_f"), said("main")], expected, "{files:?}");
    let warnings: Vec<String> =
        report.warnings.iter().map(|text| text.replace(&format!("{}/", folder.path().display()), "")).collect();
    match warning {
        "" => assert_eq!(warnings, [""; 0], "{files:?}"),
        _ => assert!(warnings.len() == 1 && warnings[0].contains(warning), "{warnings:?}"),
    }
}

#[test]
fn rows_that_a_manifest_knows_get_its_figures() {
    let mine = entry("qr_chacha8_f", 4, 77);
    let list = format!(" [{mine}, {}]", entry("main", 2, 5));
    check(&[], ["chacha -", "- -"], "");
    check(&[("quadround.json", &list)], ["chacha 77", "chacha 5"], "");
    check(&[("x.json", &mine)], ["chacha 77", "- -"], "");
    check(&[("quadround.json", &list), ("x.json", &entry("main", 2, 6))], ["chacha 77", "chacha 6"], "");
    check(&[("y.json", &mine)], ["chacha -", "- -"], "");
    check(&[("quadround.json", "[]")], ["chacha -", "- -"], "");
    let stale = "quadround.json: qr_chacha8_f has 6 bytes there and 4 in x.o";
    check(&[("quadround.json", &entry("qr_chacha8_f", 6, 77))], ["chacha -", "- -"], stale);
}

#[test]
fn what_is_no_manifest_is_named_and_ignored() {
    for (text, why) in [
        ("", "EOF"),
        ("[{", "EOF"),
        ("{\"symbol\": \"qr_chacha8_f\"}", "missing field"),
        ("[1]", "invalid type"),
        ("\u{0}", "expected value"),
        (&entry("f", 4, 77).replace("77", "\"77\""), "invalid type"),
    ] {
        check(&[("quadround.json", text)], ["chacha -", "- -"], "quadround.json: is no manifest of kernels: ");
        check(&[("x.json", text)], ["chacha -", "- -"], why);
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(Manifest::read(folder.path()).is_err());
    assert!(Manifest::read(&folder.path().join("none")).is_err());
}

#[test]
fn members_of_an_archive_share_it_and_it_may_be_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (library, list) = (folder.path().join("lib.a"), folder.path().join("quadround.json"));
    std::fs::write(&library, archive(&[("a.o", &object()), ("b.o", &object())])).unwrap();
    std::fs::write(&list, entry("qr_chacha8_f", 4, 77)).unwrap();
    let cycles = |reports: &[FileReport]| -> Vec<u64> {
        reports.iter().flat_map(|report| &report.symbols).filter_map(|row| Some(row.kernel.as_ref()?.cycles)).collect()
    };
    assert_eq!(cycles(&measured(&library, None)), [77, 77]);
    let elsewhere = Manifest::read(&list).unwrap();
    std::fs::write(&list, "damaged").unwrap();
    assert_eq!(cycles(&measured(&library, Some(&elsewhere))), [77, 77]);
    let reports = measured(&library, None);
    // Said once, not for every member.
    assert_eq!(reports.iter().map(|report| report.warnings.len()).collect::<Vec<_>>(), [1, 0]);
}
