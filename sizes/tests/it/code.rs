//! Instructions read: references, stack frames and the worst case over the call graph.

mod arm;
mod clang;
mod listing;
mod xtensa;

use listing::Listing;
use object::Architecture;
use sizes::code::Analysis;
use sizes::report::Unknown;

/// The first reasons are kept, and no more than stated.
#[test]
fn reasons_are_limited() {
    let calls: String = (10..40).map(|n| format!("f7ff fffe | bl\n-> 10 e{n}\n")).collect();
    let text = format!("f:\nb510 | push {{r4, lr}}\n{calls}bd10 | pop {{r4, pc}}");
    let stacks = Listing::parse(&text).analyse(Architecture::Arm).stacks;
    let expected: Vec<Unknown> = (10..26).map(|n| Unknown::External(format!("e{n}"))).collect();
    assert_eq!(stacks[0].as_ref().unwrap().unknown, expected);
}

#[test]
fn other_machines_have_no_stacks() {
    let analysis = Listing::parse("f:\n8280 | ret").analyse(Architecture::Riscv32);
    assert_eq!(analysis, Analysis { references: Vec::new(), stacks: vec![None] });
}

/// Any bytes are read, whatever they are: no panic, and nothing that grows with their square.
#[test]
fn noise_is_read() {
    let mut seed = 1_u64;
    let mut noise = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 56) as u8
    };
    for architecture in [Architecture::Arm, Architecture::Xtensa] {
        for names in [&["f"][..], &["f", "$t"], &["f", "$a"]] {
            let listing = Listing {
                bytes: (0..0x8000).map(|_| noise()).collect(),
                functions: vec![("f", 0), ("g", 0x3000)],
                mapping: names[1..].iter().map(|name| (name.to_string(), 0)).collect(),
                relocations: Vec::new(),
            };
            let analysis = listing.analyse(architecture);
            assert_eq!(analysis.stacks.len(), 2);
            assert!(analysis.references.iter().all(|reference| reference.to.offset < 0x8000));
        }
    }
}
