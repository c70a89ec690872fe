//! The command line: what it prints, and how it refuses bad input.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst};
use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An object with one function.
fn object(name: &str, code: &[Inst]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::Arm, Endianness::Little);
    let section = file.add_section(vec![], b".text".to_vec(), SectionKind::Text);
    file.append_section_data(section, &assemble(code), 4);
    file.add_symbol(Symbol {
        name: name.into(),
        value: 1,
        size: 0,
        kind: SymbolKind::Text,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    });
    file.write().unwrap()
}

/// `sum(out, in)`: adds two words of `in`; clobbers r4 if asked.
fn sum(clobber: bool) -> Vec<u8> {
    let scratch = if clobber { 4 } else { 3 };
    let load = |d, offset| wide(imm(LdrImm, d, 1, offset));
    let add = wide(reg(AddReg, 2, 2, scratch));
    object("sum", &[load(2, 0), load(scratch, 4), add, wide(imm(StrImm, 2, 0, 0)), imm(MovImm, 0, 0, 1), bx_lr()])
}

fn file(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn sim(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sim")).args(args).output().unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn json_of_a_call() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "sum.o", &sum(false));
    let path = path.to_str().unwrap();
    let call = ["call", path, "sum", "--core", "m4", "--arg", "zero:4", "--arg", "buf:0300000005000000", "--json"];
    let output = sim(&call);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let value = json(&output);
    let expected = serde_json::json!({
        // Two pipelined loads 3, add 1, store 1, move 1, return 3.
        "cycles": 9,
        "instructions": 6,
        "taken_branches": 1,
        "stack_bytes": 0,
        "returns": 1,
        "buffers": ["08000000", "0300000005000000"],
        "faults": [],
        "histogram": {"ldr": 2, "add": 1, "str": 1, "mov": 1, "bx": 1},
    });
    assert_eq!(value, expected);
    let traced = sim(&[&call[..], &["--trace"]].concat());
    assert_eq!(json(&traced)["cycles"], 9);
    let trace = String::from_utf8(traced.stderr).unwrap();
    assert_eq!(trace.lines().count(), 6);
    assert!(trace.lines().next().unwrap().ends_with("08000000  ldr.w r2, [r1]"), "{trace}");
    let slower = sim(&[&call[..], &["--profile", "f407-sram2", "--wait-states", "5"]].concat());
    assert!(json(&slower)["cycles"].as_u64() > Some(9));
}

#[test]
fn faults_of_a_call() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "sum.o", &sum(true));
    let path = path.to_str().unwrap();
    let call = |second: &str| sim(&["call", path, "sum", "--core", "m3", "--arg", "zero:4", "--arg", second, "--json"]);
    let clobbers = call("zero:8");
    assert_eq!(clobbers.status.code(), Some(1));
    assert!(json(&clobbers)["faults"][0].as_str().unwrap().starts_with("r4 ("), "{clobbers:?}");
    let overruns = call("zero:7");
    assert_eq!(overruns.status.code(), Some(1));
    assert!(json(&overruns)["faults"][0].as_str().unwrap().contains("r1 is 0x31200000"), "{overruns:?}");
}

#[test]
fn forms_of_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "id.o", &object("id", &[bx_lr()]));
    let content = file(dir.path(), "content", &[0xab, 0xcd]);
    let from_file = format!("buf:@{}", content.display());
    let placed = format!("{from_file}@8+3");
    // Argument, r0 modulo 16, buffer.
    let rows: [(&str, u64, Option<&str>); 9] = [
        ("42", 10, None),
        ("0x1f", 15, None),
        ("buf:00fF10", 0, Some("00ff10")),
        ("buf:", 0, Some("")),
        ("buf:01@4+1", 1, Some("01")),
        (&from_file, 0, Some("abcd")),
        (&placed, 3, Some("abcd")),
        ("zero:3@2+6", 6, Some("000000")),
        // splitmix64's first output for seed 1234567 is 6457827717110365317 (Rosetta Code, "Pseudo-random numbers/Splitmix64").
        ("random:8:1234567", 0, Some("8530ea5b1ef89e59")),
    ];
    for (arg, low, buffer) in rows {
        let output = sim(&["call", path.to_str().unwrap(), "id", "--core", "m4f", "--arg", arg, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{arg}: {output:?}");
        let value = json(&output);
        assert_eq!(value["returns"].as_u64().unwrap() % 16, low, "{arg}");
        let buffers: Vec<&str> = value["buffers"].as_array().unwrap().iter().map(|b| b.as_str().unwrap()).collect();
        if arg.starts_with("random") {
            assert_eq!(buffers[0], little_endian(6457827717110365317));
        } else {
            assert_eq!(buffers, Vec::from_iter(buffer), "{arg}");
        }
    }
    let same =
        sim(&["call", path.to_str().unwrap(), "id", "--core", "m4", "--arg", "same:1", "--arg", "buf:77", "--json"]);
    assert_eq!(json(&same)["buffers"], serde_json::json!(["77", "77"]));
}

fn little_endian(value: u64) -> String {
    value.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn secrets_of_a_call() {
    let dir = tempfile::tempdir().unwrap();
    let code = [wide(imm(LdrImm, 1, 0, 0)), wide(imm(CmpImm, 0, 1, 0)), wide(branch(Cond::Eq, 0)), bx_lr()];
    let path = file(dir.path(), "leak.o", &object("leak", &code));
    let call = ["call", path.to_str().unwrap(), "leak", "--core", "m4", "--arg", "zero:4", "--json"];
    assert_eq!(sim(&call).status.code(), Some(0));
    let output = sim(&[&call[..], &["--secret", "0"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(json(&output)["faults"][0].as_str().unwrap().contains("branches on a secret"));
}

#[test]
fn bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let good = file(dir.path(), "sum.o", &sum(false));
    let cut = file(dir.path(), "cut.o", &sum(false)[..60]);
    let (good, cut) = (good.to_str().unwrap(), cut.to_str().unwrap());
    let missing = dir.path().join("nothing.o");
    let call = |path: &str, symbol: &str, rest: &[&str]| {
        let args: Vec<String> =
            ["call", path, symbol, "--core", "m4"].iter().chain(rest).map(|s| s.to_string()).collect();
        args
    };
    let rows: Vec<(Vec<String>, &str)> = vec![
        (call(missing.to_str().unwrap(), "sum", &[]), "nothing.o"),
        (call(cut, "sum", &[]), "not a readable ELF"),
        (call(good, "sun", &[]), "did you mean `sum`?"),
        (call(good, "sum", &[]), "too few arguments: r1"),
        (call(good, "sum", &["--arg", "zero:4"]), "only 1 was given"),
        (call(good, "sum", &["--arg", "buf:0g"]), "`g` is no hex digit"),
        (call(good, "sum", &["--arg", "buf:012"]), "3 hex digits"),
        (call(good, "sum", &["--arg", "buf:@/no/such/file"]), "/no/such/file"),
        (call(good, "sum", &["--arg", "zero:4@3"]), "no power of two"),
        (call(good, "sum", &["--arg", "zero:4@x"]), "expected @ALIGN"),
        (call(good, "sum", &["--arg", "zero:4294967295"]), "more than the limit"),
        (call(good, "sum", &["--arg", "random:4"]), "random:LEN:SEED"),
        (call(good, "sum", &["--arg", "text:4"]), "`text:` is unknown"),
        (call(good, "sum", &["--arg", "4294967296"]), "no 32-bit number"),
        (call(good, "sum", &["--arg", "same:0"]), "argument 0"),
        (call(good, "sum", &["--arg", "1", "--secret", "0"]), "argument 0 is no buffer"),
        (vec!["run".into(), good.into(), "--core".into(), "m4".into()], "no vector table"),
        (vec!["call".into(), good.into(), "sum".into()], "--core is missing"),
        (vec!["run".into(), good.into(), "--board".into(), "nothing.toml".into()], "nothing.toml"),
        (vec!["run".into(), good.into(), "--board".into(), good.into()], "sum.o: "),
        (call(good, "sum", &["--interrupt-every", "0"]), "expected at least 1"),
        (call(good, "sum", &["--interrupt-every", "5:250"]), "there are interrupts 0 to 239"),
        (
            call(good, "sum", &["--arg", "zero:4", "--arg", "zero:8", "--interrupt-every", "5:1"]),
            "no interrupt controller",
        ),
    ];
    for (args, message) in rows {
        let output = Command::new(env!("CARGO_BIN_EXE_sim")).args(&args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(message), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// A bare executable with one segment at address 0, without sections and symbols.
fn firmware(code: &[Inst]) -> Vec<u8> {
    let mut segment = vec![];
    segment.extend(0x2000_1000u32.to_le_bytes());
    segment.extend(9u32.to_le_bytes());
    segment.extend(assemble(code));
    elf(&[(0, &segment)])
}

#[test]
fn firmware_images() {
    let dir = tempfile::tempdir().unwrap();
    let semihost = Inst { imm: 0xab, ..Inst::new(Bkpt) };
    // Writes "hi" from the stack with SYS_WRITE0, counts cycles with the DWT, and exits with code 5 by SYS_EXIT_EXTENDED.
    let code = [
        imm(Movw, 2, 0, 0x6968),
        push(1 << 2),
        wide(reg(MovReg, 1, 0, 13)),
        wide(imm(MovImm, 0, 0, 4)),
        semihost,
        imm(Movw, 3, 0, 0x1004),
        imm(Movt, 3, 0, 0xe000),
        wide(imm(LdrImm, 4, 3, 0)),
        wide(imm(LdrImm, 5, 3, 0)),
        reg(SubReg, 5, 5, 4),
        // The first load waits a cycle for its address, and takes 2.
        wide(imm(CmpImm, 0, 5, 3)),
        wide(branch(Cond::Ne, -4)),
        imm(Movw, 2, 0, 0x26),
        imm(Movt, 2, 0, 2),
        wide(imm(MovImm, 3, 0, 5)),
        push(1 << 2 | 1 << 3),
        wide(reg(MovReg, 1, 0, 13)),
        wide(imm(MovImm, 0, 0, 0x20)),
        semihost,
    ]
    .map(|inst| if inst.op == SubReg { wide(flags(inst)) } else { inst });
    let path = file(dir.path(), "image.elf", &firmware(&code));
    let output = sim(&["run", path.to_str().unwrap(), "--core", "m3", "--limit", "1000"]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert_eq!(output.stdout, b"hi");
    assert!(String::from_utf8(output.stderr).unwrap().contains("12 bytes of stack"));
    let stopped = file(dir.path(), "stopped.elf", &firmware(&[Inst::new(Wfi), branch(Cond::Al, -4)]));
    let output = sim(&["run", stopped.to_str().unwrap(), "--core", "m3", "--interrupt-every", "1", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(json(&output)["end"].as_str().unwrap().starts_with("asleep for ever"), "{output:?}");
    let endless = file(dir.path(), "endless.elf", &firmware(&[branch(Cond::Al, -4)]));
    let output = sim(&["run", endless.to_str().unwrap(), "--core", "m3", "--limit", "1000"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("jumps to itself, and nothing can interrupt it"));
    let around = [wide(Inst::new(Nop)), branch(Cond::Al, -8)];
    let endless = file(dir.path(), "around.elf", &firmware(&around));
    let output = sim(&["run", endless.to_str().unwrap(), "--core", "m3", "--limit", "1000"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("not finished after 1000 instructions"));
}

#[test]
fn firmware_with_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let semihost = Inst { imm: 0xab, ..Inst::new(Bkpt) };
    let operation = |number| [imm(Movw, 0, 0, number), semihost];
    // Its stack holds: a word, the block about it, and the name "k". The word is secret, then public, and decides a branch.
    let block = [
        wide(imm(MovImm, 2, 0, 0x6b)),
        push(1 << 2),
        wide(reg(MovReg, 2, 0, 13)),
        wide(imm(MovImm, 1, 0, 4)),
        wide(imm(MovImm, 3, 0, 1)),
        wide(imm(SubImm, 0, 13, 16)),
        push(0b1111),
        wide(reg(MovReg, 1, 0, 13)),
    ];
    let branch = [wide(imm(LdrImm, 3, 1, 0)), wide(imm(CmpImm, 0, 3, 0)), wide(branch(Cond::Eq, 0))];
    let end = [Inst { imm: 1, ..Inst::new(Bkpt) }];
    let code = [&block[..], &operation(0x151), &operation(0x150), &branch, &end].concat();
    let path = file(dir.path(), "image.elf", &firmware(&code));
    let run = |more: &[&str]| sim(&[&["run", path.to_str().unwrap(), "--core", "m4"], more].concat());
    let output = run(&["--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let marked = |mark| serde_json::json!({"mark": mark, "name": "k", "calls": 1, "bytes": 4});
    assert_eq!(json(&output)["marked"], serde_json::json!([marked("secret"), marked("public")]));
    let text = String::from_utf8(run(&[]).stderr).unwrap();
    assert!(text.starts_with("secret: k (1 times, 4 bytes)\npublic: k (1 times, 4 bytes)\n"), "{text}");
    assert_eq!(run(&["--keep-secret", "x"]).status.code(), Some(0));
    let output = run(&["--keep-secret", "x", "--keep-secret", "k"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("fault: `beq.w") && text.contains("it comes from `k`, 4 bytes at 0x20000fec"), "{text}");
}
