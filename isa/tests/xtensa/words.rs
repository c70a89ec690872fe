//! One known word for every row. What `llvm-mc` knows was made by it; of the few others the manual gives the encoding. Words of
//! the vector extension were put together from the bit positions of operands in the configuration that the vendor publishes for
//! its assembler.

use super::{bytes, expect_none};
use isa::xtensa::{Op, decode};

/// `bytes in memory order  text`, a line for each row.
const WORDS: &str = include_str!("words.txt");

/// What is wrong with a line, and its row.
fn check(line: &str) -> (Option<Op>, Vec<String>) {
    let (hex, text) = line.split_once("  ").unwrap();
    let memory: Vec<u8> = hex.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    match decode(&memory) {
        Err(error) => (None, vec![format!("{line}: {error}")]),
        Ok((inst, _)) => {
            let right = inst.to_string() == text && bytes(&inst) == memory;
            let failure = format!("{line}: {inst}, {:02x?}", bytes(&inst));
            (Some(inst.op), if right { vec![] } else { vec![failure] })
        }
    }
}

#[test]
fn every_row_has_its_word() {
    let mut rows: Vec<Op> = Vec::new();
    for line in WORDS.lines() {
        let (op, failures) = check(line);
        expect_none(&failures);
        rows.extend(op);
    }
    rows.sort();
    assert_eq!(rows, Op::ALL, "each row once");
}

#[test]
fn planted_bits_are_found() {
    for line in WORDS.lines() {
        let other = if line.as_bytes()[3] == b'1' { "2" } else { "1" };
        let wrong = format!("{}{other}{}", &line[..3], &line[4..]);
        assert_eq!(check(&wrong).1.len(), 1, "{wrong}");
    }
}
