//! The assembly file, for people to read and for GNU as and clang to assemble.

use crate::emit::{EmitError, about, attributes, frame};
use crate::function::{Function, Inst, Line};
use crate::target::{Isa, Target};
use isa::{thumb, xtensa};
use templates::{Assembly, Row, Template, XtensaAssembly};

/// Constants per line.
const BYTES_PER_LINE: usize = 16;

/// The assembly file of one function.
pub fn render(function: &Function) -> Result<String, EmitError> {
    let lines = placed(function)?;
    let ends = |(offset, line): &(u32, &Line)| match line {
        Line::Inst { inst, .. } => loaded(function, *offset, inst) == Some(function.literals.len()),
        _ => false,
    };
    let literals_end = lines.iter().any(ends).then(|| literal(function, function.literals.len()));
    let rows = lines.into_iter().filter_map(|(offset, line)| row(function, offset, line)).collect();
    let about = about::assembly_head(function);
    let symbol = function.symbol.clone();
    let constants = function.rodata.chunks(BYTES_PER_LINE).map(byte_list).collect();
    let value = |(index, value): (usize, &u32)| (literal(function, index), format!("{value:#010x}"));
    let literals = function.literals.iter().enumerate().map(value).collect();
    let text = match function.target.isa() {
        Isa::Thumb => {
            let cpu = if function.target == Target::M3 { "cortex-m3" } else { "cortex-m4" };
            let fpu = function.target.has_fpu().then_some("fpv4-sp-d16");
            let explicit = attributes::explicit(function);
            let attributes = explicit.iter().map(|attribute| (attribute.name, attribute.value)).collect();
            Assembly { about, symbol, cpu, fpu, attributes, literals, literals_end, rows, constants }.render()
        }
        Isa::Xtensa => XtensaAssembly { about, symbol: function.symbol.clone(), literals, rows, constants }.render(),
    };
    text.map_err(|error| EmitError::text(&function.symbol, error))
}

/// Every line with the offset of the code that follows it (an instruction: its own offset).
///
/// The length of an instruction is read off its bytes (Thumb: DDI 0403, A5.1), not asked from the encoder.
///
/// # Errors
/// If the listing has more or fewer instructions than the code.
pub fn placed(function: &Function) -> Result<Vec<(u32, &Line)>, EmitError> {
    let mut offset = 0;
    let mut lines = Vec::with_capacity(function.lines.len());
    let misfit = |line| EmitError::Listing { symbol: function.symbol.clone(), line, code_bytes: function.code.len() };
    for (index, line) in function.lines.iter().enumerate() {
        lines.push((offset as u32, line));
        if let Line::Inst { .. } = line {
            let bytes = function.code.get(offset..offset + 2).ok_or_else(|| misfit(index))?;
            offset += match function.target.isa() {
                Isa::Thumb if bytes[1] >> 3 >= 0b11101 => 4,
                Isa::Thumb => 2,
                Isa::Xtensa => xtensa::length(bytes[0]) as usize,
            };
        }
    }
    if offset == function.code.len() { Ok(lines) } else { Err(misfit(function.lines.len())) }
}

/// A line at this offset of the code; `None` if the assembler is not to be told.
fn row(function: &Function, offset: u32, line: &Line) -> Option<Row> {
    let symbol = &function.symbol;
    match line {
        Line::Label(name) => Some(Row::Label(local(symbol, name))),
        Line::Comment(text) => Some(Row::Comment(text.clone())),
        Line::Inst { inst, target, remark } => {
            let label = target.as_deref().map(|name| local(symbol, name));
            let label = label.or_else(|| Some(literal(function, loaded(function, offset, inst)?)));
            let text = inst.text(label.as_deref());
            let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
            Some(Row::Instruction { mnemonic: mnemonic.into(), operands: operands.into(), remark: remark.clone() })
        }
        // GNU as has no call-frame directives for Xtensa; the object file says what they would.
        Line::SavedInSpecial { .. } => None,
        _ if function.target.isa() == Isa::Xtensa => None,
        Line::CfaOffset(bytes) => Some(Row::Directive(format!(".cfi_def_cfa_offset {bytes}"))),
        Line::SavedAt { reg, below_cfa } => {
            Some(Row::Directive(format!(".cfi_offset {}, -{below_cfa}", dwarf_register(*reg))))
        }
        Line::SavedInFp { reg, s } => {
            Some(Row::Directive(format!(".cfi_register {}, {}", dwarf_register(*reg), frame::floating(Isa::Thumb, *s))))
        }
        Line::Restored(reg) => Some(Row::Directive(format!(".cfi_restore {}", dwarf_register(*reg)))),
    }
}

/// Which literal an instruction at this offset of the code loads, or takes the address of; their number for what is behind the last one.
fn loaded(function: &Function, offset: u32, inst: &Inst) -> Option<usize> {
    // The code begins at a multiple of 4, right behind the last literal.
    let at = 4 * function.literals.len() as u32 + offset;
    match inst {
        Inst::Xtensa(inst) => inst.literal(at).map(|address| address as usize / 4),
        Inst::Thumb(inst) if inst.op == thumb::Op::Adr => {
            Some(((at + 4) & !3).wrapping_add_signed(inst.imm) as usize / 4)
        }
        Inst::Thumb(_) => None,
    }
}

/// Labels carry the symbol so that the files can be concatenated.
fn local(symbol: &str, label: &str) -> String {
    format!(".L{symbol}_{label}")
}

/// The label of a literal, or of what is behind the last one.
fn literal(function: &Function, index: usize) -> String {
    let last = index == function.literals.len();
    local(&function.symbol, &if last { "literals_end".to_owned() } else { format!("literal{index}") })
}

/// A core register of ARMv7-M as CFI directives name it.
fn dwarf_register(number: u8) -> String {
    about::core_register(Isa::Thumb, number)
}

fn byte_list(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:#04x}")).collect::<Vec<_>>().join(", ")
}
