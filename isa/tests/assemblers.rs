//! Our bytes against those that GNU as and LLVM make of our text: random legal operands of every row.

use isa::thumb::random::{self, Rng};
use isa::thumb::{Cond, Control, Inst, Op, Reg, encode};
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

fn cases(tool: &Tool, labels: bool) -> Vec<Case> {
    let mut rng = Rng::new(3);
    let mut cases = Vec::new();
    for &op in Op::ALL {
        for it in [0, 0x18] {
            let insts = (0..PER_ROW).map_while(|_| random::inst(op, &mut rng, it));
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
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (dir.join(format!("{name}.s")), dir.join(format!("{name}.o")));
    std::fs::write(&input, source).unwrap();
    let run = Command::new(tool.command[0]).args(&tool.command[1..]).arg("-o").arg(&output).arg(&input).output();
    let run =
        run.unwrap_or_else(|e| panic!("{} cannot be run ({e}): `cargo xtask setup` installs it", tool.command[0]));
    let messages = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}", refused(&messages, source));
    text_section(&output)
}

/// The assembler's errors, each with its source line.
fn refused(messages: &str, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let errors = messages.lines().filter(|line| line.to_lowercase().contains("error"));
    let with_source = errors.map(|line| {
        let number = line.split(':').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
        format!("{} <- {line}", lines[number - 1])
    });
    with_source.collect::<Vec<_>>().join("\n")
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

/// Compares all cases, with or without labels; `name` is that of the files.
fn check(tool: &Tool, labels: bool, name: &str) {
    let cases = cases(tool, labels);
    let bad = differences(&cases, &assemble(tool, &source(&cases, labels), name));
    assert!(bad.is_empty(), "{} of {} differ:\n{}", bad.len(), cases.len(), bad.join("\n"));
}

#[test]
#[ignore = "needs arm-none-eabi-as"]
fn gnu_as_gives_our_bytes() {
    check(&GAS, false, "gas");
    check(&GAS, true, "gas_labels");
}

#[test]
#[ignore = "needs llvm-mc-22"]
fn llvm_gives_our_bytes() {
    check(&LLVM, false, "llvm");
    check(&LLVM, true, "llvm_labels");
}
