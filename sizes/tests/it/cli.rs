//! The program from outside: formats, bad input, exit codes.

use crate::fixture::{As, Fixture, archive};
use object::Architecture;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn object() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[0x70, 0x47, 0x00, 0xbf, 0x70, 0x47], 4);
    f.symbol(text, "f", 1, 2, As::Function);
    f.symbol(text, "g", 5, 2, As::Function);
    f.write()
}

fn sizes(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sizes")).current_dir(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn json_has_the_promised_shape() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.o"), object()).unwrap();
    let output = sizes(folder.path(), &["a.o", "--format", "json"]);
    assert!(output.status.success());
    let row = |name: &str, address: u64, code: u64, padding: u64| {
        json!({"name": name, "section": ".text", "address": address, "code_bytes": code, "literal_bytes": 0,
               "data_bytes": 0, "padding_bytes": padding, "total_bytes": code + padding})
    };
    let expected = json!({"files": [{
        "file": "a.o",
        "symbols": [row("[padding]", 2, 0, 2), row("f", 0, 2, 0), row("g", 4, 2, 0)],
        "sections": [{"name": ".text", "bytes": 6}],
        "total_bytes": 6,
    }]});
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), expected);
}

#[test]
fn filter_and_row_limit_leave_the_totals_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.o"), object()).unwrap();
    for (args, names) in [
        (&["--filter", "^[fg]$"][..], &["f", "g"][..]),
        (&["-n", "1"], &["[padding]"]),
        (&["-n", "0"], &["[padding]", "f", "g"]),
    ] {
        let output = sizes(folder.path(), &[&["a.o", "--format", "json"], args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let file = &report["files"][0];
        let found: Vec<&str> =
            file["symbols"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
        assert_eq!(found, names);
        assert_eq!(file["total_bytes"], 6);
    }
}

/// Bad input is reported by name, with exit code 2, and keeps no other file from being reported.
#[test]
fn bad_input_is_named_and_the_rest_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let good = object();
    let section_headers = u32::from_le_bytes(good[32..36].try_into().unwrap()) as usize;
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    write("good.o", &good);
    write("empty", b"");
    write("text", b"int main;");
    write("magic", b"\x7fELF");
    write("header.o", &good[..40]);
    write("cut.o", &good[..section_headers - 1]);
    write("headers.o", &good[..section_headers + 60]);
    write("thin.a", b"!<thin>\na.o/            0           0     0     644     4         `\n");
    write("none.a", b"!<arch>\n");
    write("cut.a", &archive(&[("a.o", &good)])[..200]);
    write("mixed.a", &archive(&[("a.o", &good), ("notes.txt", b"hello"), ("b.o", &good)]));
    let mut far = good.clone();
    // The offset of section 1, .text, points behind the end of the file.
    far[section_headers + 40 + 16..][..4].copy_from_slice(&0x00ff_0000_u32.to_le_bytes());
    write("far.o", &far);
    let cases = [
        ("missing.o", "missing.o cannot be read"),
        ("folder", "folder is a folder"),
        ("empty", "empty is empty"),
        ("text", "text is neither an ELF file nor an archive (it begins with 69 6e 74 20)"),
        ("magic", "magic is truncated or corrupt: ELF header"),
        ("header.o", "header.o is truncated or corrupt: ELF header"),
        ("cut.o", "cut.o is truncated or corrupt"),
        ("headers.o", "headers.o is truncated or corrupt"),
        ("far.o", "far.o is truncated or corrupt: section .text (6 bytes at file offset 16711680)"),
        ("thin.a", "thin.a is a thin archive"),
        ("none.a", "none.a is an archive without members"),
        ("cut.a", "cut.a"),
        ("mixed.a", "mixed.a(notes.txt) is neither an ELF file nor an archive (it begins with 68 65 6c 6c)"),
    ];
    for (bad, message) in cases {
        let output = sizes(folder.path(), &[bad, "good.o"]);
        let errors = text(&output.stderr);
        assert!(errors.contains(message), "{bad}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{bad}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(text(&output.stdout).contains("\ngood.o: "), "{bad}: {}", text(&output.stdout));
    }
    let mixed = text(&sizes(folder.path(), &["mixed.a"]).stdout);
    assert!(mixed.contains("mixed.a(a.o): 6\nmixed.a(b.o): 6\n"), "{mixed}");
    assert_eq!(sizes(folder.path(), &["empty"]).stdout, b"");
    for usage in [&[][..], &["good.o", "--filter", "("], &["good.o", "--format", "xml"], &["good.o", "-n", "x"]] {
        assert_eq!(sizes(folder.path(), usage).status.code(), Some(2), "{usage:?}");
    }
}
