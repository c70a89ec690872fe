//! Every file of a run with no options, by digest: a change of the output is a change of `golden.json` that a reviewer sees.

#[path = "common/reader.rs"]
mod reader;

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to do when the output has changed on purpose.
const REFRESH: &str = "QUADROUND_BLESS=1 cargo test -p gen --test golden";

/// Name of each file, and its SHA-256 in hexadecimal.
type Digests = BTreeMap<String, String>;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.json")
}

/// Runs `gen` in `cwd` and gives the digests of what it wrote to `out`.
fn generate(cwd: &Path, args: &[&str], out: &Path) -> Digests {
    std::fs::create_dir_all(cwd).expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_gen")).args(args).current_dir(cwd).output().expect("gen runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "not quiet in a pipe: {}", String::from_utf8_lossy(&output.stderr));
    let entries = std::fs::read_dir(out).expect("a directory").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let digest = Sha256::digest(std::fs::read(entry.path()).expect("a file"));
            let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            (entry.file_name().into_string().expect("UTF-8"), digest)
        })
        .collect()
}

/// The first names whose digests differ, or that only one side has.
fn differences(left: &Digests, right: &Digests) -> Vec<String> {
    let names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
    names.filter(|name| left.get(*name) != right.get(*name)).take(10).cloned().collect()
}

/// The same with functions that are called by CALL0. Those of a kernel with fewer rounds have nothing that these have not.
fn with_call0(mut digests: Digests, dir: &Path) -> Digests {
    let out = dir.join("call0");
    let args = ["--kernel", "chacha20_*", "--target", "esp32,esp32s3", "--abi", "call0", "--out", "call0"];
    let made = generate(dir, &args, &out);
    assert_eq!(made.len(), 5 * reader::check_directory(&out) + 4);
    digests.extend(made.into_iter().filter(|(name, _)| name.starts_with("qr_")));
    digests
}

#[test]
fn the_output_is_that_of_the_last_review_in_any_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    let (here, there) = (dir.path().join("here"), dir.path().join("over/there"));
    let made = generate(&here, &[], &here.join("target/quadround"));
    assert_eq!(made.len(), 5 * reader::check_directory(&here.join("target/quadround")) + 4);
    let made = with_call0(made, dir.path());
    let out = dir.path().join("somewhere else").display().to_string();
    let again = generate(&there, &["--out", &out, "--format", "json"], Path::new(&out));
    assert_eq!(differences(&made, &with_call0(again, &there)), Vec::<String>::new(), "two runs differ");
    if std::env::var_os("QUADROUND_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&made).expect("JSON") + "\n";
        std::fs::write(golden(), text).expect("written");
    }
    let expected =
        std::fs::read_to_string(golden()).unwrap_or_else(|error| panic!("golden.json: {error}; run {REFRESH}"));
    let expected: Digests =
        serde_json::from_str(&expected).unwrap_or_else(|error| panic!("golden.json: {error}; run {REFRESH}"));
    let differences = differences(&expected, &made);
    assert!(
        differences.is_empty(),
        "the output has changed: {differences:?}, ...; if that is right, run\n    {REFRESH}"
    );
}

#[test]
fn what_is_not_in_the_catalogue_is_made_on_request() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("out");
    let args = "--kernel chacha6_permute,chacha4_xor --target m3 --unroll --out out".split(' ').collect::<Vec<_>>();
    let made = generate(dir.path(), &args, &out);
    assert_eq!(reader::check_directory(&out), 2);
    assert!(made.contains_key("qr_chacha6_permute_unrolled_m3.s") && made.contains_key("qr_chacha4_xor_unrolled_m3.o"));
}

#[test]
fn a_changed_a_missing_and_a_new_file_are_differences() {
    let digests =
        |files: &[(&str, &str)]| files.iter().map(|(name, digest)| (name.to_string(), digest.to_string())).collect();
    let left: Digests = digests(&[("same", "1"), ("changed", "2"), ("missing", "3")]);
    let right: Digests = digests(&[("same", "1"), ("changed", "4"), ("new", "5")]);
    assert_eq!(differences(&left, &right), ["changed", "missing", "new"]);
    assert!(differences(&left, &left).is_empty());
}
