//! Limits: what is over them, and which of them could never be exceeded.

use crate::cli::sizes;
use crate::fixture::{As, Fixture, archive};
use object::Architecture;
use std::path::Path;

/// `qr_chacha8_f` of 4 bytes, `qr_salsa_g` of 6, 8 bytes of constants, 16 of RAM: 18 bytes of ROM.
fn object() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[0x70, 0x47].repeat(5), 2);
    let (rodata, bss) = (f.rodata(".rodata", &[1; 8], 4), f.bss(".bss", 16));
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "qr_chacha8_f", 1, 4, As::Function);
    f.symbol(text, "qr_salsa_g", 5, 6, As::Function);
    f.symbol(rodata, "table", 0, 8, As::Data);
    f.symbol(bss, "state", 0, 16, As::Data);
    f.write()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.o", &object());
    write("b.o", &object());
    write("ab.a", &archive(&[("a.o", &object()), ("b.o", &object())]));
    let mut small = Fixture::new(Architecture::Arm);
    let text = small.text(".text", &[0x70, 0x47], 2);
    small.symbol(text, "f", 1, 2, As::Function);
    write("old.o", &small.write());
    let kernel = r#"{"symbol": "qr_chacha8_f", "kernel": "f", "target": "m4", "shape": "looped", "stack_bytes": 8,
        "code_bytes": 4, "cycles": 70, "cycles_of": "one call", "family": "chacha"}"#;
    write("a.json", kernel.as_bytes());
    folder
}

/// Runs with a budget; compares the exit code and the lines that are about it.
fn check(folder: &Path, budget: &str, args: &[&str], code: i32, expected: &[&str]) {
    std::fs::write(folder.join("b.toml"), budget).unwrap();
    let output = sizes(folder, &[args, &["--budget", "b.toml"]].concat());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.lines().collect::<Vec<_>>(), expected, "{budget}");
    assert_eq!(output.status.code(), Some(code), "{budget}");
}

#[test]
fn what_is_over_a_limit_fails_the_check() {
    let folder = folder();
    let check = |budget: &str, args: &[&str], code: i32, expected: &[&str]| {
        check(folder.path(), budget, args, code, expected);
    };
    check("[region.ROM]\nbytes_max = 18\n[region.RAM]\nbytes_max = 16\n", &["a.o"], 0, &[]);
    check(
        "[region.ROM]\nbytes_max = 17\n[region.RAM]\nbytes_max = 15\n",
        &["a.o"],
        1,
        &[
            "over budget: region RAM: 16 bytes, limit 15 (b.toml: region.RAM)",
            "over budget: region ROM: 18 bytes, limit 17 (b.toml: region.ROM)",
        ],
    );
    check(
        "[function.'qr_*']\nbytes_max = 3\ncycles_max = 69\n[function.qr_chacha8_f]\nbytes_max = 4\ncycles_max = 70\n",
        &["a.o"],
        2,
        &[
            "over budget: function qr_salsa_g: 6 bytes, limit 3 (b.toml: function.\"qr_*\")",
            "over budget: function qr_chacha8_f: 4 bytes, limit 3 (b.toml: function.\"qr_*\")",
            "over budget: function qr_chacha8_f: 70 cycles, limit 69 (b.toml: function.\"qr_*\")",
            "error: b.toml: function.\"qr_*\": no manifest tells the cycles of qr_salsa_g",
        ],
    );
    check(
        "[family.chacha]\nbytes_max = 3\n[family.salsa]\nbytes_max = 6\n[section.'.*']\nbytes_max = 9\n",
        &["a.o"],
        1,
        &[
            "over budget: section .bss: 16 bytes, limit 9 (b.toml: section.\".*\")",
            "over budget: section .text: 10 bytes, limit 9 (b.toml: section.\".*\")",
            "over budget: family chacha: 4 bytes, limit 3 (b.toml: family.chacha)",
        ],
    );
    // Each file for itself, members of an archive together.
    check("[region.ROM]\nbytes_max = 18\n", &["a.o", "b.o"], 0, &[]);
    check(
        "[region.ROM]\nbytes_max = 18\n",
        &["a.o", "ab.a"],
        1,
        &["over budget: region ROM in ab.a: 36 bytes, limit 18 (b.toml: region.ROM)"],
    );
}

#[test]
fn growth_needs_an_older_build() {
    let folder = folder();
    let check = |budget: &str, args: &[&str], code: i32, expected: &[&str]| {
        check(folder.path(), budget, args, code, expected);
    };
    let limit = |bytes: u32| format!("[growth]\nbytes_max = {bytes}\n");
    check(&limit(16), &["a.o", "--diff", "old.o"], 0, &[]);
    check(&limit(15), &["a.o", "--diff", "old.o"], 1, &["over budget: growth: 16 bytes, limit 15 (b.toml: growth)"]);
    check(&limit(0), &["old.o", "--diff", "a.o"], 0, &[]);
    check(&limit(0), &["a.o"], 2, &["error: b.toml: growth: give the older build with --diff"]);
}

#[test]
fn a_limit_that_nothing_is_measured_against_is_an_error() {
    let folder = folder();
    for (table, name) in
        [("region", "FLASH"), ("section", "text"), ("family", "xoodoo"), ("function", "main"), ("function", "table")]
    {
        let message =
            format!("error: b.toml: {table}.{name}: nothing has this name, so that the limit could never be exceeded");
        check(folder.path(), &format!("[{table}.{name}]\nbytes_max = 9\n"), &["a.o"], 2, &[&message]);
    }
    check(
        folder.path(),
        "",
        &["a.o"],
        2,
        &["error: b.toml: there is no limit in it; add a table such as [region.ROM] with bytes_max = 65536"],
    );
}
