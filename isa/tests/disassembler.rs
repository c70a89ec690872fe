//! Our decoding and printing against Capstone's, and the completeness of our table against LLVM's.

#![allow(clippy::unwrap_used)]

use capstone::arch::arm::{ArchExtraMode, ArchMode};
use capstone::prelude::*;
use isa::thumb::random::{self, Rng};
use isa::thumb::{Cond, DecodeError, Inst, Op, Timing, decode, encode, length};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

fn capstone() -> Capstone {
    let mode = Capstone::new().arm().mode(ArchMode::Thumb).extra_mode([ArchExtraMode::MClass].into_iter());
    mode.build().unwrap()
}

/// Capstone's names where they are not the canonical ones: theirs, ours.
const SPELLING: [(&str, &str); 9] = [
    ("str", "push"),
    ("ldr", "pop"),
    ("adr", "add"),
    ("blo", "bcc"),
    ("bhs", "bcs"),
    ("trap", "udf"),
    ("dfb", "dsb"),
    ("vldmia", "vldm"),
    ("vstmia", "vstm"),
];

/// The mnemonic without width.
fn normal(mnemonic: &str) -> String {
    mnemonic.replace(".w", "").replace(".n", "")
}

/// What Capstone says of an instruction, if it knows it: mnemonic and length.
fn theirs(capstone: &Capstone, bytes: &[u8]) -> Option<(String, usize)> {
    let all = capstone.disasm_count(bytes, 0, 1).ok()?;
    let first = all.iter().next()?;
    Some((normal(first.mnemonic()?), first.bytes().len()))
}

/// What differs, or an empty string; `None` if Capstone does not know the instruction.
fn difference(capstone: &Capstone, inst: &Inst, bytes: &[u8]) -> Option<String> {
    let (mnemonic, length) = theirs(capstone, &[bytes, &[0x00, 0xbf]].concat())?;
    let text = inst.to_string();
    let ours = normal(text.split(' ').next().unwrap());
    let same = mnemonic == ours || SPELLING.contains(&(&mnemonic, &ours));
    let difference = format!("{text}: {} bytes, Capstone {mnemonic}, {length}", bytes.len());
    Some(if same && length == bytes.len() { String::new() } else { difference })
}

fn bytes(inst: &Inst) -> Vec<u8> {
    encode(inst, false).unwrap().bytes().collect()
}

/// Coprocessors from 8 on are Arm's own, with instructions of later architectures that Capstone prints instead.
fn is_ours(inst: &Inst) -> bool {
    inst.op.row().timing != Timing::Coprocessor || inst.imm2 & 15 < 8
}

#[test]
fn capstone_agrees() {
    let (capstone, mut rng) = (capstone(), Rng::new(9));
    let (mut bad, mut known) = (Vec::new(), 0);
    for &op in Op::ALL {
        let insts = (0..400).map_while(|_| random::inst(op, &mut rng, 0)).filter(is_ours);
        let results: Vec<String> = insts.filter_map(|inst| difference(&capstone, &inst, &bytes(&inst))).collect();
        known += usize::from(results.len() >= 40);
        bad.extend(results.into_iter().filter(|result| !result.is_empty()));
    }
    assert!(bad.is_empty(), "{} differences:\n{}", bad.len(), bad.join("\n"));
    assert!(known > 300, "Capstone knows only {known} rows");
}

#[test]
fn planted_faults_are_found() {
    let (capstone, mut rng) = (capstone(), Rng::new(10));
    for &op in Op::ALL {
        let other = if op == Op::Umaal { Op::AdcReg } else { Op::Umaal };
        let (inst, other) = (random::inst(op, &mut rng, 0).unwrap(), random::inst(other, &mut rng, 0).unwrap());
        assert_ne!(difference(&capstone, &inst, &bytes(&other)).as_deref(), Some(""), "{inst} for {other}");
    }
}

/// LLVM's names of instructions that this table leaves out: unallocated hints, the deprecated FLDMX and FSTMX, and two barriers
/// of later architectures.
const LEFT_OUT: [&str; 7] = ["hint", "fldmiax", "fldmdbx", "fstmiax", "fstmdbx", "ssbb", "pssbb"];

/// True if the stem of a mnemonic as LLVM prints it, perhaps with S or a condition, is a row's.
fn is_known(stem: &str) -> bool {
    let is_row = |stem: &str| {
        let stem = SPELLING[3..].iter().find(|(theirs, _)| *theirs == stem).map_or(stem, |(_, ours)| ours);
        Op::ALL.iter().any(|op| op.row().mnemonic.split('.').next() == Some(stem))
    };
    let branch = |suffix: &str| suffix == "hs" || suffix == "lo" || Cond::ALL.iter().any(|c| c.suffix() == suffix);
    LEFT_OUT.contains(&stem)
        || is_row(stem)
        || stem.strip_suffix('s').is_some_and(is_row)
        || stem.strip_suffix('l').is_some_and(|stem| matches!(stem, "ldc" | "ldc2" | "stc" | "stc2"))
        || stem.strip_prefix('b').is_some_and(branch)
        || matches!(stem, "cpsie" | "cpsid")
        || stem.strip_prefix("it").is_some_and(|rest| rest.bytes().all(|c| matches!(c, b't' | b'e')))
}

/// What LLVM's disassembler prints for each instruction, by address; four no-operations follow each, for IT.
fn llvm(codes: &[(u16, u16)]) -> Vec<(usize, String)> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (dir.join("words.s"), dir.join("words.o"));
    let line = |&(first, second): &(u16, u16)| match length(first) {
        4 => format!(".inst.w 0x{first:04x}{second:04x}"),
        _ => format!(".inst.n 0x{first:04x}; nop"),
    };
    let lines: Vec<String> = codes.iter().map(line).collect();
    std::fs::write(&input, format!(".thumb\n{}; nop; nop; nop; nop\n", lines.join("; nop; nop; nop; nop\n"))).unwrap();
    let triple = ["--triple=thumbv7em-none-eabi", "-mcpu=cortex-m4"];
    let run = Command::new("llvm-mc-22").args(triple).arg("-filetype=obj").arg("-o").arg(&output).arg(&input).status();
    assert!(run.unwrap().success());
    let options =
        ["-d", "--no-show-raw-insn", "--triple=thumbv7em-none-eabi", "--mcpu=cortex-m4", "--mattr=+vfp4d16sp"];
    let run = Command::new("llvm-objdump-22").args(options).arg(&output).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let parse = |line: &str| {
        let (address, rest) = line.split_once(':')?;
        Some((usize::from_str_radix(address.trim(), 16).ok()?, rest.trim().to_owned()))
    };
    text.lines().filter_map(parse).collect()
}

#[test]
fn a_missing_row_is_found() {
    let known = ["bhs", "ldc2l", "adds", "itete", "vldmia", "cpsid", "hint", "smlaldx"];
    assert!(known.into_iter().all(is_known));
    assert!(!["vrintz", "adde", "lda", "bxaut", "sdivs2", "cdpl"].into_iter().any(is_known));
}

/// LLVM knows no instruction of this core that our table lacks, and none of ours is unknown to it.
#[test]
#[ignore = "needs llvm-mc-22 and llvm-objdump-22"]
fn nothing_is_missing() {
    const SLOT: usize = 12;
    let mut rng = Rng::new(12);
    let narrow = (0..=u16::MAX).filter(|&first| length(first) == 2).map(|first| (first, 0));
    let wide = (0..100_000).map(|_| (0xe800 | rng.below(0x1800) as u16, rng.bits() as u16));
    let codes: Vec<(u16, u16)> = narrow.chain(wide).collect();
    let (mut missing, mut invented, mut seen) = (BTreeSet::new(), Vec::new(), 0);
    for (address, text) in llvm(&codes).into_iter().filter(|(address, _)| address % SLOT == 0) {
        let (first, second) = codes[address / SLOT];
        seen += 1;
        let ours = decode(first, second, 0);
        let stem = text.split([' ', '\t', '.']).next().unwrap();
        match (text.starts_with("<unknown>"), ours) {
            (true, Ok((inst, _))) => invented.push(format!("{first:04x} {second:04x} {inst}")),
            (false, Err(DecodeError::Undefined { .. })) if !is_known(stem) => drop(missing.insert(stem.to_owned())),
            _ => {}
        }
    }
    assert!(seen > 150_000, "only {seen} lines understood");
    assert!(missing.is_empty() && invented.is_empty(), "missing {missing:?}, not known to LLVM: {invented:?}");
}
