//! The command line, with files for Xtensa.

use super::{elf, framed, system};
use sim::xtensa::Abi;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn sim(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sim")).args(args).output().unwrap()
}

#[test]
fn calls() {
    let folder = tempfile::tempdir().unwrap();
    let body = "l32i a3, a2, 0; addi a3, a3, 1; s32i a3, a2, 0; movi a2, 9";
    for (abi, name, cycles) in [(Abi::Windowed, "windowed", [11, 9]), (Abi::Call0, "call0", [10, 8])] {
        let object = elf::object("f", &framed(body, abi));
        let path = file(folder.path(), name, &object);
        // ENTRY 1, load 1 and its use 2 or 1 later, store, move, return with its refill.
        for (core, cycles) in ["lx6", "lx7"].into_iter().zip(cycles) {
            let base = ["call", &path, "f", "--core", core, "--arg", "buf:07000000", "--json"];
            let abi = ["--abi", name];
            let args = if abi[1] == "windowed" { base.to_vec() } else { [&base[..], &abi].concat() };
            let output = sim(&args);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(value["buffers"][0], "08000000");
            assert_eq!(value["returns"], 9);
            assert_eq!(value["faults"], serde_json::json!([]));
            assert_eq!(value["cycles"], cycles, "{name} {core}");
        }
    }
}

#[test]
fn faults_and_refusals() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "f.o", &elf::object("f", &framed("movi a12, 1", Abi::Call0)));
    let output = sim(&["call", &path, "f", "--core", "lx7", "--abi", "call0"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("a12"));
    let cases: &[(&[&str], &str)] = &[
        (&["--core", "m4"], "--core is lx6 or lx7"),
        (&[], "--core is missing"),
        (&["--core", "lx6", "--wait-states", "1"], "no such models"),
        (&["--core", "lx6", "--profile", "ideal"], "no such models"),
        (&["--core", "lx6", "--abi", "call8"], "invalid value"),
    ];
    for (options, message) in cases {
        let output = sim(&[&["call", &path, "f"], *options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(message), "{options:?}: {text}");
    }
}

#[test]
fn runs() {
    let folder = tempfile::tempdir().unwrap();
    for (name, image, code, text) in system::images() {
        let path = file(folder.path(), name, &image);
        let output = sim(&["run", &path, "--core", "lx6"]);
        assert_eq!(output.status.code(), Some(code as i32), "{name}: {output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
    }
}
