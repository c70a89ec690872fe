//! Our bytes against those that GNU as and LLVM make of our text: random legal operands of every row.

#![allow(clippy::unwrap_used)]

use isa::thumb::random::{self, Rng};
use isa::thumb::{Cond, Control, Extension, Inst, Op, Reg, encode};
use object::{Object, ObjectSection};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Instructions of each row, outside and again inside an IT block.
const PER_ROW: usize = 200;
/// Bytes from one instruction to the next: an IT and what it makes conditional fit.
const SLOT: usize = 16;

/// One instruction with the bytes that it must become.
#[derive(Clone, Debug)]
struct Case {
    inst: Inst,
    it: u8,
    /// Its place in the batch.
    index: usize,
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.it == 0 { Vec::new() } else { vec![self.it, 0xbf] };
        bytes.extend(encode(&self.inst, self.it != 0).unwrap().bytes());
        for _ in conditions(&self.inst) {
            bytes.extend([0x00, 0xbf]);
        }
        bytes
    }

    /// Its lines of source: an IT around it, or the instructions that an IT itself needs after it.
    fn source(&self, labels: bool) -> String {
        let Case { inst, it, index } = self;
        let label = format!("target{index}");
        let place = if labels { place(inst, *it) } else { None };
        let mut text = place.map_or_else(String::new, |place| format!(".set {label}, . + {place}\n"));
        if *it != 0 {
            text.push_str(&format!("it {}\n", Cond::ALL[usize::from(it >> 4)].suffix()));
        }
        text.push_str(&inst.text(place.map(|_| label.as_str())));
        for cond in conditions(inst) {
            text.push_str(&format!("\nnop{}", if cond == Cond::Al { "al" } else { cond.suffix() }));
        }
        text
    }
}

/// Where a branch or a literal lies from the slot's beginning, which is a multiple of 4.
fn place(inst: &Inst, it: u8) -> Option<i32> {
    let branch = matches!(inst.control(), Control::Branch | Control::Call);
    let row = inst.op.row();
    let literal = row.syntax.contains("literal") || row.syntax.contains("adr");
    (branch || literal).then(|| inst.imm + 4 + if branch && it != 0 { 2 } else { 0 })
}

/// The conditions in the block that an IT opens; none for other instructions.
fn conditions(it: &Inst) -> Vec<Cond> {
    if it.op != Op::It {
        return Vec::new();
    }
    let low = it.cond as u32 & 1;
    let bit = |i: u32| if i == 0 { low } else { it.imm2 >> (4 - i) & 1 };
    (0..4 - it.imm2.trailing_zeros()).map(|i| if bit(i) == low { it.cond } else { it.cond.inverted() }).collect()
}

/// An assembler.
struct Tool {
    command: &'static [&'static str],
    /// True for an instruction that no text gives, or none without (or with) a label.
    inexpressible: fn(&Inst, bool) -> bool,
}

const GAS: Tool = Tool {
    command: &["arm-none-eabi-as", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mthumb"],
    inexpressible: |inst, _| match inst.op {
        // Refused, though MRC takes it.
        Op::Mrc2 => inst.d == Reg::PC,
        // Taken for a half-precision VLDR or VSTR.
        Op::Ldc | Op::Ldc2 | Op::Stc | Op::Stc2 => inst.imm2 & 15 == 9,
        // Refused for a single-precision FPU, which has them (DDI 0403, A7.7.245 and A7.7.246).
        Op::VmovLaneR | Op::VmovRLane => true,
        // The sign is dropped.
        _ => has_minus_zero(inst),
    },
};

const LLVM: Tool = Tool {
    command: &["llvm-mc-22", "--triple=thumbv7em-none-eabi", "-mcpu=cortex-m4", "-filetype=obj"],
    inexpressible: |inst, labels| match inst.op {
        // Not predicable there.
        Op::Udf => inst.cond != Cond::Al,
        Op::Dsb => inst.cond != Cond::Al && matches!(inst.imm, 0 | 4),
        // `mul.w` is refused, and without it the 16-bit form is taken.
        Op::Mul => inst.to_string().contains(".w"),
        // These need labels.
        Op::B | Op::Cbz | Op::Cbnz => !labels,
        Op::Adr => !labels && inst.to_string().starts_with("add") || labels && has_minus_zero(inst),
        _ => labels && has_minus_zero(inst),
    },
};

fn has_minus_zero(inst: &Inst) -> bool {
    inst.to_string().contains("#-0") || (inst.op == Op::Adr && inst.imm2 == 1)
}

/// What the instruction needs: its row's extension, and for the GE bits the DSP extension.
fn extension(inst: &Inst) -> Extension {
    if inst.op == Op::Msr && inst.imm != 2 { Extension::Dsp } else { inst.op.row().extension }
}

/// Random instructions of the rows of these extensions, outside and inside an IT block.
fn cases(tool: &Tool, labels: bool, extensions: &[Extension]) -> Vec<Case> {
    let mut rng = Rng::new(3);
    let mut cases = Vec::new();
    for &op in Op::ALL {
        for it in [0, 0x18] {
            let insts = (0..PER_ROW).map_while(|_| random::inst(op, &mut rng, it));
            let insts = insts.filter(|inst| extensions.contains(&extension(inst)));
            for inst in insts.filter(|inst| !(tool.inexpressible)(inst, labels)) {
                cases.push(Case { inst, it, index: cases.len() });
            }
        }
    }
    cases
}

fn source(cases: &[Case], labels: bool) -> String {
    let mut text = String::from(".syntax unified\n.thumb\n.text\n");
    for case in cases {
        text.push_str(&format!(".balign {SLOT}, 0\n{}\n", case.source(labels)));
    }
    text + &format!(".balign {SLOT}, 0\n")
}

/// The text section that the tool makes of the source.
fn assemble(tool: &Tool, source: &str, name: &str) -> Vec<u8> {
    run(tool, source, name).unwrap_or_else(|errors| panic!("{}", errors.join("\n")))
}

/// The text section, or the errors, each with its source line.
fn run(tool: &Tool, source: &str, name: &str) -> Result<Vec<u8>, Vec<String>> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (dir.join(format!("{name}.s")), dir.join(format!("{name}.o")));
    std::fs::write(&input, source).unwrap();
    let run = Command::new(tool.command[0]).args(&tool.command[1..]).arg("-o").arg(&output).arg(&input).output();
    let run =
        run.unwrap_or_else(|e| panic!("{} cannot be run ({e}): `cargo xtask setup` installs it", tool.command[0]));
    if run.status.success() {
        return Ok(text_section(&output));
    }
    let lines: Vec<&str> = source.lines().collect();
    let messages = String::from_utf8_lossy(&run.stderr);
    let numbers = messages.lines().filter(|line| line.to_lowercase().contains("error:"));
    Err(numbers.map(|line| format!("{} <- {line}", lines[line_number(line) - 1])).collect())
}

/// The number in `file:number: ...`.
fn line_number(message: &str) -> usize {
    message.split(':').nth(1).and_then(|number| number.parse().ok()).unwrap_or(1)
}

fn text_section(path: &Path) -> Vec<u8> {
    let data = std::fs::read(path).unwrap();
    let file = object::File::parse(&*data).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

/// Cases whose bytes differ.
fn differences(cases: &[Case], text: &[u8]) -> Vec<String> {
    assert_eq!(text.len(), cases.len() * SLOT);
    let slots = cases.iter().zip(text.chunks(SLOT));
    let different = slots.filter(|(case, slot)| {
        let ours = case.bytes();
        let (code, padding) = slot.split_at(ours.len());
        code != ours || padding.iter().any(|&b| b != 0)
    });
    different.map(|(case, slot)| format!("{}: ours {:02x?}, theirs {slot:02x?}", case.inst, case.bytes())).collect()
}

const ALL: &[Extension] = &[Extension::V7M, Extension::Dsp, Extension::Fp];

/// Compares all cases, with or without labels; `name` is that of the files.
fn check(tool: &Tool, labels: bool, extensions: &[Extension], name: &str) {
    let cases = cases(tool, labels, extensions);
    let bad = differences(&cases, &assemble(tool, &source(&cases, labels), name));
    assert!(bad.is_empty(), "{} of {} differ:\n{}", bad.len(), cases.len(), bad.join("\n"));
}

/// The first instruction of each row that a Cortex-M3 does not have: the assembler refuses every one.
fn check_refused(tool: &Tool, name: &str) {
    let mut cases = cases(tool, false, &[Extension::Dsp, Extension::Fp]);
    cases.dedup_by_key(|case| case.inst.op);
    cases.retain(|case| case.it == 0);
    let text: Vec<String> = cases.iter().map(|case| case.source(false)).collect();
    let errors = run(tool, &format!(".syntax unified\n.thumb\n{}\n", text.join("\n")), name).unwrap_err();
    let accepted: Vec<&String> = text.iter().filter(|line| !errors.iter().any(|e| e.starts_with(*line))).collect();
    assert!(accepted.is_empty(), "a Cortex-M3 has these: {accepted:?}");
}

#[test]
#[ignore = "needs arm-none-eabi-as"]
fn gnu_as_gives_our_bytes() {
    check(&GAS, false, ALL, "gas");
    check(&GAS, true, ALL, "gas_labels");
}

#[test]
#[ignore = "needs llvm-mc-22"]
fn llvm_gives_our_bytes() {
    check(&LLVM, false, ALL, "llvm");
    check(&LLVM, true, ALL, "llvm_labels");
}

#[test]
#[ignore = "needs arm-none-eabi-as and llvm-mc-22"]
fn cortex_m3_has_the_rows_of_armv7m_only() {
    let gas = Tool { command: &["arm-none-eabi-as", "-mcpu=cortex-m3", "-mthumb"], ..GAS };
    let llvm =
        Tool { command: &["llvm-mc-22", "--triple=thumbv7m-none-eabi", "-mcpu=cortex-m3", "-filetype=obj"], ..LLVM };
    for (tool, name) in [(gas, "gas_m3"), (llvm, "llvm_m3")] {
        check(&tool, false, &[Extension::V7M], name);
        check_refused(&tool, &format!("{name}_refused"));
    }
}

/// A flipped bit in any byte is a difference.
#[test]
fn planted_bits_are_found() {
    let cases = cases(&GAS, false, &[Extension::Fp]);
    let slot = |case: &Case| [case.bytes(), vec![0; SLOT - case.bytes().len()]].concat();
    let right: Vec<u8> = cases.iter().flat_map(slot).collect();
    assert_eq!(differences(&cases, &right).len(), 0);
    let mut rng = Rng::new(11);
    for _ in 0..20 {
        let mut wrong = right.clone();
        wrong[rng.below(right.len() as u32) as usize] ^= 1 << rng.below(8);
        assert_eq!(differences(&cases, &wrong).len(), 1);
    }
}

/// Text that says something else is a difference.
#[test]
#[ignore = "needs arm-none-eabi-as and llvm-mc-22"]
fn planted_text_is_found() {
    for (tool, name) in [(GAS, "gas_planted"), (LLVM, "llvm_planted")] {
        let cases = cases(&tool, true, &[Extension::Dsp]);
        let right = source(&cases, true);
        let wrong = right.replacen("smlad ", "smladx ", 1).replacen("uqasx", "uqsax", 1);
        assert_eq!(differences(&cases, &assemble(&tool, &wrong, name)).len(), 2);
    }
}
