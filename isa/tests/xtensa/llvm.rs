//! Our bytes against those that LLVM makes of our text, and our text against what LLVM makes of bytes.

use super::{bytes, expect_none};
use isa::xtensa::random::{self, Rng};
use isa::xtensa::{DecodeError, Extension, Inst, Op, decode, encode, length};
use object::{Object, ObjectSection};
use std::path::PathBuf;
use std::process::{Command, Output};

/// Instructions of each row.
const PER_ROW: usize = 200;
/// Bytes from one instruction to the next.
const SLOT: usize = 16;
/// Where the disassembler is told that the code lies, so that no target is below 0.
const BASE: usize = 0x4000_0000;

/// Rows that this LLVM does not know, beside the vector extension.
const UNKNOWN: [Op; 6] = [Op::L32ai, Op::S32ri, Op::Ssa8b, Op::Simcall, Op::Rer, Op::Wer];

fn is_known(inst: &Inst) -> bool {
    !UNKNOWN.contains(&inst.op) && inst.extension() != Extension::Vector
}

fn random_insts(seed: u64) -> Vec<Inst> {
    let mut rng = Rng::new(seed);
    let of_row = |&op: &Op| (0..PER_ROW).map_while(|_| random::inst(op, &mut rng)).collect::<Vec<_>>();
    Op::ALL.iter().flat_map(of_row).filter(is_known).collect()
}

/// Runs a program on a source file, which makes an object file of the same name.
fn assemble(source: &str, name: &str) -> (Output, PathBuf) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (dir.join(format!("{name}.s")), dir.join(format!("{name}.o")));
    std::fs::write(&input, source).unwrap();
    let mut command = Command::new("llvm-mc-22");
    command.args(["--triple=xtensa", "--mcpu=esp32", "-filetype=obj", "-o"]).arg(&output).arg(&input);
    let run = command.output();
    (run.unwrap_or_else(|e| panic!("llvm-mc-22 cannot be run ({e}): `cargo xtask setup` installs it")), output)
}

/// The text section that LLVM makes of the source.
fn text_section(source: &str, name: &str) -> Vec<u8> {
    let (run, output) = assemble(source, name);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let data = std::fs::read(output).unwrap();
    let file = object::File::parse(&*data).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

/// One instruction to a slot; places as labels or as distances.
fn source(insts: &[Inst], labels: bool) -> String {
    let slot = |(index, inst): (usize, &Inst)| {
        let label = format!("target{index}");
        let place = inst.origin(0).filter(|_| labels).map(|origin| i64::from(origin) + inst.imm);
        let set = place.map_or_else(String::new, |place| format!(".set {label}, . + {place}\n"));
        format!(".balign {SLOT}, 0\n{set}{}\n", inst.text(place.map(|_| label.as_str())))
    };
    let slots: String = insts.iter().enumerate().map(slot).collect();
    format!("{slots}.balign {SLOT}, 0\n")
}

/// Instructions whose bytes differ.
fn differences(insts: &[Inst], text: &[u8]) -> Vec<String> {
    assert_eq!(text.len(), insts.len() * SLOT);
    let slots = insts.iter().zip(text.chunks(SLOT)).map(|(inst, slot)| (inst, bytes(inst), slot));
    let different = slots.filter(|(_, ours, slot)| {
        let (code, padding) = slot.split_at(ours.len());
        code != ours || padding.iter().any(|&byte| byte != 0)
    });
    different.map(|(inst, ours, slot)| format!("{inst}: ours {ours:02x?}, theirs {slot:02x?}")).collect()
}

#[test]
#[ignore = "needs llvm-mc-22"]
fn llvm_gives_our_bytes() {
    let insts = random_insts(3);
    for (labels, name) in [(false, "xtensa"), (true, "xtensa_labels")] {
        expect_none(&differences(&insts, &text_section(&source(&insts, labels), name)));
    }
}

/// The rows that are left out are really unknown, so that a later LLVM gets them tested.
#[test]
#[ignore = "needs llvm-mc-22"]
fn llvm_does_not_know_what_is_left_out() {
    let mut rng = Rng::new(4);
    for op in UNKNOWN {
        let inst = random::inst(op, &mut rng).unwrap();
        let (run, _) = assemble(&source(&[inst], false), "xtensa_unknown");
        assert!(String::from_utf8_lossy(&run.stderr).contains("unrecognized instruction mnemonic"), "{inst}");
    }
}

/// A flipped bit in any byte is a difference, and so is text that says something else.
#[test]
fn planted_bits_are_found() {
    let insts = random_insts(5);
    let slot = |inst: &Inst| [bytes(inst), vec![0; SLOT - bytes(inst).len()]].concat();
    let right: Vec<u8> = insts.iter().flat_map(slot).collect();
    expect_none(&differences(&insts, &right));
    let mut rng = Rng::new(11);
    for _ in 0..20 {
        let mut wrong = right.clone();
        wrong[rng.below(right.len() as u32) as usize] ^= 1 << rng.below(8);
        assert_eq!(differences(&insts, &wrong).len(), 1);
    }
}

#[test]
#[ignore = "needs llvm-mc-22"]
fn planted_text_is_found() {
    let insts = random_insts(6);
    let wrong = source(&insts, true).replacen("addx4 ", "addx2 ", 1).replacen("mula.da.hl ", "mula.da.lh ", 1);
    assert_eq!(differences(&insts, &text_section(&wrong, "xtensa_planted")).len(), 2);
}

/// The bytes of a word and behind it no-operations of two bytes, which bring a disassembler back in step.
fn padded(word: u32) -> Vec<u8> {
    let length = length(word as u8) as usize;
    let mut slot = word.to_le_bytes()[..length].to_vec();
    while slot.len() + 3 < SLOT {
        slot.extend([0x3d, 0xf0]);
    }
    slot.extend(if length == 2 { &[0x3d, 0xf0][..] } else { &[0xf0, 0x20, 0x00] });
    slot
}

/// What LLVM's disassembler prints for each word; `None` where it knows no instruction.
fn disassemble(words: &[u32]) -> Vec<Option<String>> {
    let line = |&word: &u32| format!(".byte {:?}\n", padded(word)).replace(['[', ']'], "");
    let (run, output) = assemble(&words.iter().map(line).collect::<String>(), "xtensa_words");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let base = format!("--adjust-vma={BASE:#x}");
    let options = ["-d", "--no-show-raw-insn", "--mcpu=esp32", &base];
    let run = Command::new("llvm-objdump-22").args(options).arg(output).output().unwrap();
    let mut found = vec![None; words.len()];
    let mut lines = 0;
    for line in String::from_utf8(run.stdout).unwrap().lines() {
        let Some((address, text)) = line.split_once(':') else { continue };
        let Ok(address) = usize::from_str_radix(address.trim(), 16) else { continue };
        let address = address.wrapping_sub(BASE);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if address.is_multiple_of(SLOT) && !text.is_empty() {
            lines += 1;
            found[address / SLOT] = Some(text).filter(|text| text != "<unknown>");
        }
    }
    assert_eq!(lines, words.len(), "out of step");
    found
}

/// Our text for an instruction in its slot, as this disassembler writes places.
fn as_theirs(inst: &Inst, index: usize) -> String {
    let pc = (BASE + index * SLOT) as u32;
    inst.text(inst.target(pc).or(inst.literal(pc)).map(|place| format!("{place:#x}")).as_deref())
}

/// The text without its last operand.
fn all_but_last(text: &str) -> &str {
    text.rsplit_once(',').map_or(text, |(first, _)| first)
}

/// What LLVM and we think differently of a word.
fn disagreement(word: u32, index: usize, theirs: Option<&String>) -> Option<String> {
    let ours = decode(&word.to_le_bytes()).map(|(inst, _)| inst);
    match (ours, theirs) {
        (Ok(inst), Some(text)) => {
            let ours = as_theirs(&inst, index);
            // LLVM assembles these two rightly, but prints a wrong last operand.
            let same = match inst.op {
                Op::L32r | Op::Addmi => all_but_last(&ours) == all_but_last(text),
                _ => ours == *text,
            };
            (!same).then(|| format!("{word:06x}: {ours}, theirs {text}"))
        }
        (Ok(inst), None) => is_known(&inst).then(|| format!("{word:06x}: {inst} is not known to LLVM")),
        (Err(DecodeError::Undefined { .. }), Some(text)) => Some(format!("{word:06x}: we lack {text}")),
        _ => None,
    }
}

/// Random words, and words that differ in one bit from an instruction.
fn words() -> Vec<u32> {
    let mut rng = Rng::new(12);
    let random: Vec<u32> = (0..60_000).map(|_| rng.bits()).collect();
    let near = random_insts(7).into_iter().step_by(4).flat_map(|inst| {
        let word = encode(&inst).unwrap().bits;
        [word, word ^ 1 << rng.below(8 * length(word as u8))]
    });
    let all = near.chain(random).filter(|&word| length(word as u8) != 4);
    all.map(|word| if length(word as u8) == 2 { word & 0xffff } else { word & 0xff_ffff }).collect()
}

#[test]
#[ignore = "needs llvm-mc-22 and llvm-objdump-22"]
fn llvm_reads_bytes_as_we_do() {
    let words = words();
    let theirs = disassemble(&words);
    let known = theirs.iter().flatten().count();
    let all = words.iter().zip(&theirs).enumerate();
    let found = all.filter_map(|(index, (&word, theirs))| disagreement(word, index, theirs.as_ref()));
    expect_none(&found.collect::<Vec<_>>());
    assert!(known > 40_000, "LLVM knows only {known}");
}

#[test]
fn planted_disagreements_are_found() {
    let check = |word, theirs: Option<&str>| disagreement(word, 1, theirs.map(str::to_owned).as_ref()).is_some();
    // beqz a2, . + 8 in slot 1; an undefined word; s32ri; l32r.
    let right = [
        (0x00_4216, Some("beqz a2, 0x40000018")),
        (0xff_fff0, None),
        (0x00_f232, None),
        (0xff_fe21, Some("l32r a2, ?")),
    ];
    let wrong = [
        (0x00_4216, Some("beqz a2, 0x4000001c")),
        (0x00_4216, None),
        (0xff_fff0, Some("other a2, a3")),
        (0xff_fe21, Some("l32r a3, ?")),
    ];
    assert!(right.into_iter().all(|(word, theirs)| !check(word, theirs)));
    assert!(wrong.into_iter().all(|(word, theirs)| check(word, theirs)));
}
