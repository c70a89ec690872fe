//! What every file says about a function, in words: one source for the comments of `.s`, `.h` and `.rs`.

use crate::emit::LICENCE;
use crate::function::{Direction, Function, Param, ParamType};
use crate::target::{Abi, Isa, Shape, Target};
use isa::xtensa::States;

/// Width of the label column.
const LABEL: usize = 11;

/// The command that makes this function and nothing else.
pub fn command(function: &Function) -> String {
    let shape = match function.shape {
        Shape::Unrolled => "--unroll".to_string(),
        Shape::By(n) => format!("--unroll={n}"),
        Shape::Looped => "--looped".to_string(),
    };
    let abi = if function.abi == Abi::Call0 { "--abi call0 " } else { "" };
    format!("cargo run -p gen -- --kernel {} --target {} {abi}{shape}", function.kernel, function.target)
}

/// A core by its full name.
pub fn core(target: Target) -> &'static str {
    match target {
        Target::M3 => "Cortex-M3 (ARMv7-M)",
        Target::M4 => "Cortex-M4 (ARMv7E-M), no FPU needed",
        Target::M4f => "Cortex-M4F (ARMv7E-M, FPv4-SP); the FPU must be enabled",
        Target::Esp32 => "ESP32 (Xtensa LX6)",
        Target::Esp32s3 => "ESP32-S3 (Xtensa LX7)",
    }
}

/// The C declaration, without semicolon.
pub fn prototype(function: &Function) -> String {
    let returned = if function.interface.returns.is_some() { "uint32_t" } else { "void" };
    let params: Vec<String> = function.interface.params.iter().map(c_param).collect();
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    format!("{returned} {}({params})", function.symbol)
}

fn c_param(param: &Param) -> String {
    let qualifier = if param.direction == Direction::In { "const " } else { "" };
    match param.ty {
        ParamType::Words(words) => format!("{qualifier}uint32_t {}[{words}]", param.name),
        ParamType::SignedWords(words) => format!("{qualifier}int32_t {}[{words}]", param.name),
        ParamType::Halfwords(halfwords) => format!("{qualifier}int16_t {}[{halfwords}]", param.name),
        ParamType::ByteArray(bytes) => format!("{qualifier}uint8_t {}[{bytes}]", param.name),
        ParamType::Bytes { .. } | ParamType::Chunks { .. } => format!("{qualifier}uint8_t *{}", param.name),
        ParamType::Value => format!("uint32_t {}", param.name),
    }
}

/// What callers have to know beside the parameters, and what odd addresses cost on the core.
pub fn notes(function: &Function) -> Vec<&'static str> {
    let is_buffer = |ty: ParamType| ty.counted_by().is_some() || matches!(ty, ParamType::ByteArray(_));
    let has_buffers = function.interface.params.iter().any(|param| is_buffer(param.ty));
    let unaligned = match function.target.isa() {
        Isa::Thumb => {
            "Buffers at odd addresses are read and written with unaligned LDR and STR, which take more cycles: normal memory, \
             CCR.UNALIGN_TRP clear."
        }
        Isa::Xtensa => {
            "Messages from or to addresses that are no multiples of 4 take more cycles; no access is unaligned."
        }
    };
    function.interface.notes.iter().copied().chain(has_buffers.then_some(unaligned)).collect()
}

/// What a parameter is, then alignment, direction and secrecy.
pub fn param(param: &Param) -> String {
    let used = match param.direction {
        Direction::In => "read",
        Direction::Out => "written",
        Direction::InOut => "read and written",
    };
    let secrecy = if param.secret { "secret" } else { "public" };
    match param.ty {
        ParamType::Halfwords(_) => format!("{} (2-byte aligned, {used}, {secrecy})", param.doc),
        ParamType::Words(_) | ParamType::SignedWords(_) => format!("{} (4-byte aligned, {used}, {secrecy})", param.doc),
        ParamType::ByteArray(_) | ParamType::Bytes { .. } | ParamType::Chunks { .. } => {
            format!("{} (any alignment, {used}, {secrecy})", param.doc)
        }
        ParamType::Value => format!("{} ({secrecy})", param.doc),
    }
}

/// Registers that are not preserved, as names.
pub fn clobbers(function: &Function) -> Vec<String> {
    let isa = function.target.isa();
    let all = &function.clobbers;
    let s = if isa == Isa::Thumb { "s" } else { "f" };
    let core = (0..16).filter(|&i| all.core >> i & 1 == 1).map(|i| core_register(isa, i));
    let fp = (0..32).filter(|&i| all.fp >> i & 1 == 1).map(|i| format!("{s}{i}"));
    let mac = (0..4).filter(|&i| all.mac >> i & 1 == 1).map(|i| format!("m{i}"));
    let states = STATES.iter().filter(|(states, _)| all.states.meets(*states));
    let states = states.flat_map(|(_, names)| names.iter().map(|name| name.to_string()));
    core.chain(fp).chain(mac).chain(states).collect()
}

/// State of an Xtensa core that a function may change.
const STATES: [(States, &[&str]); 3] =
    [(States::ACC, &["acclo", "acchi"]), (States::SAR, &["sar"]), (States::LOOP, &["lbeg", "lend", "lcount"])];

/// The usual name of a core register.
pub fn core_register(isa: Isa, number: u8) -> String {
    match (isa, number) {
        (Isa::Xtensa, _) => format!("a{number}"),
        (Isa::Thumb, 13) => "sp".to_string(),
        (Isa::Thumb, 14) => "lr".to_string(),
        (Isa::Thumb, 15) => "pc".to_string(),
        (Isa::Thumb, _) => format!("r{number}"),
    }
}

/// The register of a parameter, counted from 0, as the function sees it.
pub fn parameter_register(isa: Isa, parameter: u8) -> String {
    let first = if isa == Isa::Thumb { 0 } else { 2 };
    core_register(isa, first + parameter)
}

/// The head of the assembly file.
pub fn assembly_head(function: &Function) -> Vec<String> {
    let mut lines = vec![function.symbol.clone(), String::new(), sentence(function.interface.summary)];
    lines.extend(notes(function).into_iter().map(sentence));
    lines.extend([String::new(), format!("    {};", prototype(function)), String::new()]);
    for (p, number) in function.interface.params.iter().zip(0..) {
        let register = parameter_register(function.target.isa(), number);
        lines.push(labelled(&format!("{register} {}", p.name), &param(p)));
    }
    if let Some(returned) = function.interface.returns {
        lines.push(labelled("Returns", returned.text()));
    }
    lines.extend(facts(function));
    lines.extend([String::new(), labelled("Made by", &command(function)), licence()]);
    lines
}

/// The head of a file that declares functions.
pub fn set_head(name: &str, functions: &[Function]) -> Vec<String> {
    let title = match functions {
        [function] if function.symbol == name => format!("{name}: how to call {name}.s or {name}.o"),
        _ => format!("{name}: every generated function, how to call it, and what it costs"),
    };
    vec![title, String::new(), licence()]
}

/// The numbers of a function that callers can compute with: name, value, and what it is.
pub fn constants(function: &Function) -> impl Iterator<Item = (String, u64, String)> {
    let prefix = function.symbol.to_uppercase();
    let rows = [
        ("CODE_BYTES", function.code_bytes() as u64, "Bytes of machine code.".to_string()),
        ("RODATA_BYTES", function.rodata.len() as u64, "Bytes of constants.".to_string()),
        ("STACK_BYTES", u64::from(function.stack_bytes), "Bytes of stack below the caller's.".to_string()),
        ("CYCLES", function.cycles, sentence(&format!("Cycles: {}", cycles(function)))),
    ];
    rows.into_iter().map(move |(name, value, doc)| (format!("{prefix}_{name}"), value, doc))
}

/// What the machine code was measured and checked to be.
pub fn facts(function: &Function) -> Vec<String> {
    let mut lines = vec![labelled("Core", core(function.target))];
    lines.extend(called(function.abi).map(|text| labelled("Called", text)));
    lines.extend([
        labelled("Clobbers", &all_clobbers(function)),
        labelled("Stack", &stack(function)),
        labelled("Code", &code(function)),
        labelled("Cycles", &cycles(function)),
        labelled(
            "Verified",
            &format!("{} cases on the simulated core against the portable code", function.verified_cases),
        ),
    ]);
    if !function.residue.is_empty() {
        lines.push(labelled("Residue", function.residue));
    }
    lines
}

/// How it is called, if the core leaves a choice.
fn called(abi: Abi) -> Option<&'static str> {
    match abi {
        Abi::Aapcs => None,
        Abi::Windowed => Some("windowed: by CALL4, CALL8 or CALL12; registers are named as the function sees them"),
        Abi::Call0 => Some("call0: by CALL0, without register windows"),
    }
}

/// Everything that a caller must not rely on.
fn all_clobbers(function: &Function) -> String {
    let named = ranges(&clobbers(function));
    let other = match function.abi {
        Abi::Aapcs => "flags",
        Abi::Windowed => "its own window",
        Abi::Call0 => "",
    };
    let parts: Vec<&str> = [named.as_str(), other].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") }
}

fn stack(function: &Function) -> String {
    let below = match function.abi {
        Abi::Windowed => "; the 16 below them are left to the handlers of window exceptions",
        Abi::Aapcs | Abi::Call0 => "",
    };
    format!("{} bytes{below}", function.stack_bytes)
}

fn code(function: &Function) -> String {
    let literals = match function.literals.len() {
        0 => String::new(),
        words => format!(", of which {} are literals before the entry", 4 * words),
    };
    format!("{} bytes{literals}, constants {} bytes", function.code_bytes(), function.rodata.len())
}

/// A cycle count with core, memory model and what it includes.
pub fn cycles(function: &Function) -> String {
    format!(
        "{} for {}, first instruction through return, on a simulated {} with memory that never waits",
        function.cycles,
        function.cycles_of,
        match function.target {
            Target::M3 => "Cortex-M3",
            Target::M4 => "Cortex-M4",
            Target::M4f => "Cortex-M4F",
            Target::Esp32 => "Xtensa LX6",
            Target::Esp32s3 => "Xtensa LX7",
        }
    )
}

/// The licence line.
pub fn licence() -> String {
    labelled("Licence", &format!("SPDX-License-Identifier: {LICENCE}"))
}

/// A line with its label in a column.
pub fn labelled(label: &str, text: &str) -> String {
    format!("{label:<LABEL$} {text}")
}

/// With a full stop.
pub fn sentence(text: &str) -> String {
    if text.is_empty() || text.ends_with(['.', ':', '!', '?']) { text.to_string() } else { format!("{text}.") }
}

/// `r0, r1, r2, r3, lr` as `r0-r3, lr`: runs of three or more neighbours are joined.
fn ranges(names: &[String]) -> String {
    let mut runs: Vec<(&String, &String, usize)> = Vec::new();
    for name in names {
        match runs.last_mut() {
            Some(run) if follows(run.1, name) => *run = (run.0, name, run.2 + 1),
            _ => runs.push((name, name, 1)),
        }
    }
    let text = runs.iter().map(|(first, last, length)| match length {
        1 => first.to_string(),
        2 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    });
    text.collect::<Vec<_>>().join(", ")
}

/// True if `name` is the register after `before` in the same file.
fn follows(before: &str, name: &str) -> bool {
    let number = |text: &str| text.get(1..).and_then(|digits| digits.parse::<u32>().ok());
    before.get(..1) == name.get(..1) && number(before).zip(number(name)).is_some_and(|(a, b)| a + 1 == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &str, expected: &str) {
        let names: Vec<String> = names.split_whitespace().map(str::to_string).collect();
        assert_eq!(ranges(&names), expected);
    }

    #[test]
    fn register_lists_are_short() {
        check("", "");
        check("r0", "r0");
        check("r0 r1", "r0, r1");
        check("r0 r1 r2 r3 r12 lr", "r0-r3, r12, lr");
        check("r3 s4 s5 s6 s8", "r3, s4-s6, s8");
    }
}
