//! A small assembler: the rows of the instruction table, labels, words.

use isa::xtensa::{Access, Field, Inst, Op, Reg, encode, special_register, user_register};

/// What was assembled.
#[derive(Default)]
pub struct Assembled {
    pub bytes: Vec<u8>,
    /// Each instruction with its address and its length.
    pub code: Vec<(u32, Inst, u32)>,
    pub labels: Vec<(String, u32)>,
}

impl Assembled {
    /// Where a label is.
    pub fn label(&self, name: &str) -> Option<u32> {
        self.labels.iter().find(|(label, _)| label == name).map(|(_, address)| *address)
    }
}

/// Assembles lines for the address `base`: `label:`, `.word NUMBER|LABEL` (at a multiple of 4), `.align`, `.at OFFSET`, and
/// instructions as they are printed, with labels or distances from their origin where those go.
pub fn assemble(source: &str, base: u32) -> Assembled {
    // Lengths do not depend on labels, so that a second pass has them all.
    let first = pass(source, base, &Assembled::default());
    pass(source, base, &first)
}

/// The instructions of straight code with their lengths.
pub fn code(source: &str) -> Vec<(Inst, u32)> {
    assemble(source, 0).code.into_iter().map(|(_, inst, length)| (inst, length)).collect()
}

fn pass(source: &str, base: u32, before: &Assembled) -> Assembled {
    let mut made = Assembled::default();
    for line in source.lines().flat_map(|line| line.split(';')) {
        let line = line.trim();
        let address = base + made.bytes.len() as u32;
        if let Some(label) = line.strip_suffix(':') {
            made.labels.push((label.to_owned(), address));
        } else if let Some(word) = line.strip_prefix(".word ") {
            let value = number(word).map_or_else(|| before.label(word).unwrap_or(0), |value| value as u32);
            made.bytes.extend(value.to_le_bytes());
        } else if line == ".align" {
            made.bytes.resize(made.bytes.len().next_multiple_of(4), 0);
        } else if let Some(offset) = line.strip_prefix(".at ") {
            made.bytes.resize(number(offset).unwrap() as usize, 0);
        } else if !line.is_empty() {
            let inst = inst(line, address, before);
            let encoding = encode(&inst).unwrap_or_else(|error| panic!("{line}: {error}"));
            made.bytes.extend(encoding.bytes());
            made.code.push((address, inst, encoding.len));
        }
    }
    made
}

fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let value = digits.strip_prefix("0x").map_or_else(|| digits.parse(), |hex| i64::from_str_radix(hex, 16));
    value.ok().map(|value| sign * value)
}

fn inst(line: &str, address: u32, before: &Assembled) -> Inst {
    let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
    let op = Op::ALL.iter().find(|op| op.row().mnemonic == mnemonic);
    let op = *op.unwrap_or_else(|| panic!("{line}: no such mnemonic"));
    let mut inst = Inst::new(op);
    let words = op.row().syntax.split(", ").filter(|word| !word.is_empty());
    for (word, text) in words.zip(rest.split(',').map(str::trim)) {
        operand(&mut inst, word, text, address, before).unwrap_or_else(|| panic!("{line}: operand `{text}`"));
    }
    inst
}

/// Reads one operand; `word` is what the table calls it.
fn operand(inst: &mut Inst, word: &str, text: &str, address: u32, before: &Assembled) -> Option<()> {
    match word {
        "imm" => inst.imm = number(text)?,
        "imm2" => inst.imm2 = number(text)?,
        "imm3" => inst.imm3 = number(text)? as u8,
        "label" | "function" | "literal" => {
            let target = before.label(text);
            let distance = |target| i64::from(target) - inst.origin(address).map_or(0, i64::from);
            // Unknown in the first pass: anything that can be encoded.
            let anything = number(text).unwrap_or(if word == "literal" { -4 } else { 0 });
            inst.imm = target.map_or(anything, distance);
        }
        "special" => {
            let access = match inst.op {
                Op::Rsr => Access::Read,
                Op::Wsr => Access::Write,
                _ => Access::ReadWrite,
            };
            inst.imm = (0..256).find(|&n| special_register(n, access).is_some_and(|(name, _)| name == text))?;
        }
        "user" => inst.imm = (0..256).find(|&n| user_register(n).is_some_and(|(name, _)| name == text))?,
        register => {
            let field = match (register.as_bytes().last()?, register.contains('m')) {
                (b'r', _) | (b'x', true) => Field::R,
                (b's', _) => Field::S,
                (b't', _) | (b'y', true) => Field::T,
                (b'x', _) => Field::X,
                (b'y', _) => Field::Y,
                (b'z', _) => Field::Z,
                _ => Field::W,
            };
            *inst.reg_mut(field) = Reg(text.get(1..)?.parse().ok()?);
        }
    }
    Some(())
}
