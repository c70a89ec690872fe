//! Our decoding and printing against Capstone's.

#![allow(clippy::unwrap_used)]

use capstone::arch::arm::{ArchExtraMode, ArchMode};
use capstone::prelude::*;
use isa::thumb::random::{self, Rng};
use isa::thumb::{Inst, Op, Timing, encode};

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
