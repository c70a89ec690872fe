//! The assembly file, for people to read and for GNU as and clang to assemble.

use crate::emit::{EmitError, about, attributes, frame};
use crate::function::{Function, Line};
use crate::target::Target;
use templates::{Assembly, Row, Template};

/// Constants per line.
const BYTES_PER_LINE: usize = 16;

/// The assembly file of one function.
pub fn render(function: &Function) -> Result<String, EmitError> {
    let cpu = if function.target == Target::M3 { "cortex-m3" } else { "cortex-m4" };
    let fpu = function.target.has_fpu().then_some("fpv4-sp-d16");
    let explicit = attributes::explicit(function);
    let assembly = Assembly {
        about: about::assembly_head(function),
        symbol: function.symbol.clone(),
        cpu,
        fpu,
        attributes: explicit.iter().map(|attribute| (attribute.name, attribute.value)).collect(),
        rows: function.lines.iter().map(|line| row(&function.symbol, line)).collect(),
        constants: function.rodata.chunks(BYTES_PER_LINE).map(byte_list).collect(),
    };
    assembly.render().map_err(|error| EmitError::text(&function.symbol, error))
}

/// Every line with the offset of the code that follows it (an instruction: its own offset).
///
/// The length of an instruction is read off its first halfword (DDI 0403, A5.1), not asked from the encoder.
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
            let first = function.code.get(offset + 1).ok_or_else(|| misfit(index))?;
            offset += if first >> 3 >= 0b11101 { 4 } else { 2 };
        }
    }
    if offset == function.code.len() { Ok(lines) } else { Err(misfit(function.lines.len())) }
}

fn row(symbol: &str, line: &Line) -> Row {
    match line {
        Line::Label(name) => Row::Label(local(symbol, name)),
        Line::Comment(text) => Row::Comment(text.clone()),
        Line::Inst { inst, target, remark } => {
            let label = target.as_deref().map(|name| local(symbol, name));
            let text = inst.text(label.as_deref());
            let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
            Row::Instruction { mnemonic: mnemonic.into(), operands: operands.into(), remark: remark.clone() }
        }
        Line::CfaOffset(bytes) => Row::Directive(format!(".cfi_def_cfa_offset {bytes}")),
        Line::SavedAt { reg, below_cfa } => {
            Row::Directive(format!(".cfi_offset {}, -{below_cfa}", dwarf_register(*reg)))
        }
        Line::SavedInFp { reg, s } => Row::Directive(format!(
            ".cfi_register {}, {}",
            dwarf_register(*reg),
            dwarf_register(frame::single_precision(*s))
        )),
        Line::Restored(reg) => Row::Directive(format!(".cfi_restore {}", dwarf_register(*reg))),
    }
}

/// Labels carry the symbol so that the files can be concatenated.
fn local(symbol: &str, label: &str) -> String {
    format!(".L{symbol}_{label}")
}

/// A register as CFI directives name it: FP registers have no name there, only their DWARF number.
fn dwarf_register(number: u8) -> String {
    if number < 16 { about::core_register(number) } else { number.to_string() }
}

fn byte_list(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:#04x}")).collect::<Vec<_>>().join(", ")
}
