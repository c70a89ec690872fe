//! The program from outside: formats, bad input, exit codes.

use crate::fixture::{As, Fixture, archive};
use object::Architecture;
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn object() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[0x70, 0x47, 0x00, 0xbf, 0x70, 0x47], 4);
    f.symbol(text, "f", 1, 2, As::Function);
    f.symbol(text, "g", 5, 2, As::Function);
    f.write()
}

pub fn sizes(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sizes")).current_dir(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn json_has_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.o"), object()).unwrap();
    let output = sizes(folder.path(), &["a.o", "--format", "json"]);
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [file] = &report["files"].as_array().unwrap()[..] else { panic!("one file, one report") };
    let row = |name: &str, address: u64, code: u64, padding: u64| {
        json!({"name": name, "section": ".text", "address": address, "code_bytes": code, "literal_bytes": 0,
               "data_bytes": 0, "padding_bytes": padding, "total_bytes": code + padding})
    };
    let expected = [row("[padding]", 2, 0, 2), row("f", 0, 2, 0), row("g", 4, 2, 0)];
    let symbols = file["symbols"].as_array().unwrap();
    assert_eq!(symbols.len(), expected.len());
    for (symbol, expected) in symbols.iter().zip(&expected) {
        // There may be more keys.
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&symbol[key], value, "{key} of {symbol}");
        }
    }
    assert_eq!((&file["file"], &file["total_bytes"]), (&json!("a.o"), &json!(6)));
    assert_eq!((&file["sections"][0]["name"], &file["sections"][0]["bytes"]), (&json!(".text"), &json!(6)));
}

#[test]
fn filter_and_row_limit_leave_the_totals_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.o"), object()).unwrap();
    for (args, names) in [
        (&["--filter", "^[fg]$"][..], &["f", "g"][..]),
        (&["-n", "1"], &["[padding]"]),
        (&["-n", "0"], &["[padding]", "f", "g"]),
        (&["--sort", "address", "-n", "2"], &["f", "[padding]"]),
        (&["--sort", "name", "--filter", "f|g"], &["[padding]", "f", "g"]),
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

/// Bad input is reported by name with what to do, with exit code 2, and keeps no other file from being reported.
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
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    let again = "copy it again or build it again";
    let give = "give an ELF file, an object or an archive";
    let cases = [
        ("missing.o", "missing.o: cannot be read", "check the name and the permissions"),
        ("folder", "folder: is a folder", give),
        ("pipe", "pipe: is not a regular file", "write what it delivers to one and give that"),
        ("/dev/zero", "/dev/zero: is not a regular file", "write what it delivers to one and give that"),
        ("empty", "empty: is empty", give),
        ("text", "text: is neither an ELF file nor an archive (it begins with 69 6e 74 20)", give),
        ("magic", "magic: is truncated or corrupt: ELF header", again),
        ("header.o", "header.o: is truncated or corrupt: ELF header", again),
        ("cut.o", "cut.o: is truncated or corrupt", again),
        ("headers.o", "headers.o: is truncated or corrupt", again),
        ("far.o", "far.o: is truncated or corrupt: section .text (6 bytes at file offset 16711680)", again),
        ("thin.a", "thin.a: is a thin archive", "give its members, or make a plain archive with `ar rcs`"),
        ("none.a", "none.a: is an archive without members", "add objects to it"),
        ("cut.a", "cut.a", again),
        ("mixed.a", "mixed.a(notes.txt): is neither an ELF file nor an archive (it begins with 68 65 6c 6c)", give),
    ];
    for (bad, what, to_do) in cases {
        let output = sizes(folder.path(), &[bad, "good.o"]);
        let errors = text(&output.stderr);
        assert!(errors.starts_with(&format!("error: {what}")), "{bad}: {errors}");
        assert!(errors.ends_with(&format!("; {to_do}\n")), "{bad}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{bad}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(text(&output.stdout).contains("\ngood.o: 6"), "{bad}: {}", text(&output.stdout));
    }
    let mixed = text(&sizes(folder.path(), &["mixed.a"]).stdout);
    assert!(mixed.contains("mixed.a(a.o): 6 = .text 6\nmixed.a(b.o): 6 = .text 6\n"), "{mixed}");
    assert_eq!(sizes(folder.path(), &["empty"]).stdout, b"");
    for usage in [&[][..], &["good.o", "--filter", "("], &["good.o", "--format", "xml"], &["good.o", "-n", "x"]] {
        assert_eq!(sizes(folder.path(), usage).status.code(), Some(2), "{usage:?}");
    }
}

/// What can only be told in part is reported as far as it can, and the exit code says so.
#[test]
fn what_cannot_be_told_is_said_and_the_rest_is_printed() {
    let mut unknown = object();
    // e_machine
    unknown[18..20].copy_from_slice(&0xfefe_u16.to_le_bytes());
    let mut stripped = Fixture::new(Architecture::Arm);
    stripped.text(".text", &[0x70, 0x47, 0x00, 0xbf, 0x70, 0x47], 4);
    for (bytes, rows, note) in [
        (unknown, &["  f\n", "  g\n"][..], "unknown machine (65278)"),
        (stripped.write(), &["  [unattributed]\n"], "has no symbols"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.o"), bytes).unwrap();
        let output = sizes(folder.path(), &["a.o"]);
        let (printed, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(rows.iter().all(|row| printed.contains(row)) && printed.ends_with("a.o: 6 = .text 6\n"), "{printed}");
        assert!(errors.starts_with("error: a.o: ") && errors.contains(note), "{errors}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// `--out` leaves a whole file or what was there, and nothing else.
#[test]
fn a_report_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.o", &object());
    write("empty", b"");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let there = || {
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let printed = text(&sizes(folder.path(), &["a.o"]).stdout);
    for (input, out, code, message, content) in [
        ("a.o", "report.txt", 0, "", printed.as_str()),
        ("a.o", "folder", 2, "error: folder: cannot be written: is not a regular file", &printed),
        ("a.o", "none/report.txt", 2, "error: none/report.txt: cannot be written: ", &printed),
        // Nothing is measured, nothing is written.
        ("empty", "report.txt", 2, "error: empty: is empty", "old"),
        ("a.o", "report.txt", 0, "", &printed),
    ] {
        if content == "old" {
            write("report.txt", b"old");
        }
        let output = sizes(folder.path(), &[input, "--out", out]);
        assert_eq!(output.status.code(), Some(code), "{out}");
        let errors = text(&output.stderr);
        assert!(errors.starts_with(message) && errors.is_empty() == message.is_empty(), "{out}: {errors}");
        assert!(output.stdout.is_empty(), "{out}");
        assert_eq!(std::fs::read_to_string(folder.path().join("report.txt")).unwrap(), content, "{out}");
        assert_eq!(there(), ["a.o", "empty", "folder", "report.txt"], "{out}");
    }
}

/// A reader that stops, as `head` does, is no error.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<(String, Vec<u8>)> = (0..1000).map(|n| (format!("{n}.o"), object())).collect();
    let members: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    std::fs::write(folder.path().join("a.a"), archive(&members)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sizes"));
    command.current_dir(folder.path()).arg("a.a").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // More than a pipe holds is still to come.
    child.stdout.take().unwrap().read_exact(&mut [0; 100]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
#[ignore = "needs arm-none-eabi-size"]
fn berkeley_is_what_size_prints() {
    let folder = tempfile::tempdir().unwrap();
    let mut f = Fixture::new(Architecture::Arm);
    let text_section = f.text(".text", &[0x70, 0x47, 0x00, 0xbf], 4);
    f.symbol(text_section, "f", 1, 2, As::Function);
    f.rodata(".rodata", &[1; 12], 4);
    f.data(".data", &[1; 7], 4);
    f.bss(".bss", 300);
    f.debug(".debug_info", &[0; 9]);
    std::fs::write(folder.path().join("all.o"), f.write()).unwrap();
    std::fs::write(folder.path().join("a.o"), object()).unwrap();
    let ours = sizes(folder.path(), &["--format", "berkeley", "all.o", "a.o"]);
    let gnu = Command::new("arm-none-eabi-size").current_dir(folder.path()).args(["all.o", "a.o"]).output().unwrap();
    assert_eq!(text(&ours.stdout), text(&gnu.stdout));
}

/// What is read is not overwritten, whatever it is read for and however it is written.
#[test]
fn out_must_not_be_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = object();
    for args in [&["a.o", "--out", "./a.o"][..], &["b.o", "--diff", "a.o", "--out", "a.o"]] {
        std::fs::write(folder.path().join("a.o"), &bytes).unwrap();
        std::fs::write(folder.path().join("b.o"), &bytes).unwrap();
        let output = sizes(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains("a.o: is read as well"), "{}", text(&output.stderr));
        assert_eq!(std::fs::read(folder.path().join("a.o")).unwrap(), bytes);
    }
}

/// A name of any length is printed, in the table shortened.
#[test]
fn long_names_are_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let mut f = Fixture::new(Architecture::Arm);
    let code = f.text(".text", &[0x70, 0x47], 2);
    f.symbol(code, &"x".repeat(70_000), 1, 2, As::Function);
    std::fs::write(folder.path().join("a.o"), f.write()).unwrap();
    std::fs::write(folder.path().join("b.o"), object()).unwrap();
    for args in [&["a.o"][..], &["a.o", "--diff", "b.o"]] {
        let output = sizes(folder.path(), args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("xxx…") && output.stdout.len() < 5000, "{}", output.stdout.len());
    }
}
