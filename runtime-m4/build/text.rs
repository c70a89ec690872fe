//! Rust text that tells the library and its firmware what was generated.

use crate::choose::Chosen;
use generator::emit::Placement;
use generator::function::{Function, Param, ParamType, Returned};
use generator::target::Target;
use sim::cycles::Core;
use std::fmt::Write;
use std::time::Duration;

/// The order of functions in `backend!`.
const PARTS: [&str; 4] = ["permute", "block", "xor", "xor_djb"];

/// A core's type in the library.
fn type_of(core: Core) -> &'static str {
    match core {
        Core::M3 => "CortexM3",
        Core::M4 => "CortexM4",
        Core::M4f => "CortexM4F",
    }
}

/// `chacha20_xor` as 20 and `xor`.
fn parts(kernel: &str) -> Option<(u32, &str)> {
    let (rounds, part) = kernel.strip_prefix("chacha")?.split_once('_')?;
    Some((rounds.parse().ok()?, part))
}

/// `backends.rs`: for each core the functions that it takes. For no cores, every type without any.
pub fn backends(cores: &[Target], chosen: &[Chosen]) -> String {
    let mut text = String::new();
    let all = if cores.is_empty() { &Target::THUMB } else { cores };
    for core in all {
        let Some(kind) = core.thumb_core().map(type_of) else { continue };
        let functions: Vec<&Function> =
            chosen.iter().map(|chosen| &chosen.function).filter(|function| function.target == *core).collect();
        text += &chacha(kind, &functions);
        text += &polynomials(kind, &core.to_string(), &functions);
    }
    text
}

/// The functions of each number of rounds of ChaCha.
fn chacha(kind: &str, functions: &[&Function]) -> String {
    let mut text = format!("chacha! {{ {kind}\n");
    let mut rounds: Vec<u32> = functions.iter().filter_map(|f| parts(&f.kernel)).map(|(r, _)| r).collect();
    rounds.sort_unstable();
    rounds.dedup();
    for rounds in rounds {
        let symbol = |part: &&str| {
            let found = functions.iter().find(|function| parts(&function.kernel) == Some((rounds, part)));
            found.map(|function| function.symbol.as_str())
        };
        let symbols: Vec<&str> = PARTS.iter().filter_map(symbol).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "    {rounds} => {};", symbols.join(", "));
    }
    text + "}\n"
}

/// A module with the functions that schemes on polynomials take, by the names of their kernels; and which families are in it.
fn polynomials(kind: &str, core: &str, functions: &[&Function]) -> String {
    let named = functions.iter().filter(|function| parts(&function.kernel).is_none());
    let named: Vec<String> = named.map(|function| format!("{} as {}", function.symbol, function.kernel)).collect();
    let mut text = String::new();
    if !named.is_empty() {
        text += &format!(
            "#[allow(unused_imports)]\nmod {core} {{\n    pub use crate::functions::{{{}}};\n}}\n",
            named.join(", ")
        );
    }
    for (family, backend) in [("keccak", "keccak"), ("kyber", "mlkem")] {
        let has = functions.iter().any(|function| function.family == family);
        let packs = functions.iter().any(|function| family == "kyber" && function.kernel == "kyber_encode");
        let more = if packs { ", dsp" } else { "" };
        text += &if has {
            format!("{backend}! {{ {kind}, {core}{more} }}\n")
        } else {
            format!("{backend}! {{ {kind} }}\n")
        };
    }
    text
}

/// `linked.rs`: the table of linked functions and the type of the board's core. What returns how far it got, such as rejection sampling, is
/// not in it: its time depends on the bytes that it is given, and the firmware has others than the verification.
pub fn linked(chosen: &[&Chosen], core: Core) -> String {
    let core = type_of(core);
    let mut text = format!(
        "/// The board's core.\npub type Core = crate::{core};\n\n\
         /// What is measured on it.\n#[cfg(not(feature = \"low-stack\"))]\npub type Native = Core;\n\n\
         /// What is measured on it.\n#[cfg(feature = \"low-stack\")]\npub type Native = kernels::mlkem::LowStack<Core>;\n\n"
    );
    text += "/// Every generated function that is linked.\npub const LINKED: &[Linked] = &[\n";
    let counts = |chosen: &&&Chosen| matches!(chosen.function.interface.returns, Some(Returned::Number(_)));
    for Chosen { function, placement } in chosen.iter().filter(|chosen| !counts(chosen)) {
        let params = &function.interface.params;
        let arguments: Vec<String> = params.iter().map(|param| argument(param, params)).collect();
        let (symbol, constants) = (&function.symbol, function.symbol.to_uppercase());
        let _ = writeln!(
            text,
            "    Linked {{ symbol: {symbol:?}, function: functions::{symbol} as *const (), arguments: &[{}], in_ram: {}, \
             code_bytes: functions::{constants}_CODE_BYTES, rodata_bytes: functions::{constants}_RODATA_BYTES, \
             stack_bytes: functions::{constants}_STACK_BYTES, cycles: functions::{constants}_CYCLES }},",
            arguments.join(", "),
            *placement == Placement::Ram
        );
    }
    text + "];\n"
}

/// An argument of the call whose cycles are stated.
fn argument(param: &Param, params: &[Param]) -> String {
    let chunks = params.iter().find_map(|counted| match counted.ty {
        ParamType::Chunks { count, measured, .. } if count == param.name => Some(measured),
        _ => None,
    });
    match (param.ty, chunks) {
        (ParamType::Value, Some(chunks)) => format!("Argument::Value({chunks})"),
        (ParamType::Value, None) => "Argument::Value(MESSAGE_BYTES as u32)".to_owned(),
        _ => "Argument::Buffer".to_owned(),
    }
}

/// Where the kernels are, in a few words.
pub fn placement(chosen: &[&Chosen]) -> String {
    match chosen.iter().filter(|chosen| chosen.placement == Placement::Ram).count() {
        0 => "flash".to_owned(),
        all if all == chosen.len() => "RAM".to_owned(),
        some => format!("flash, but {some} of {} in RAM", chosen.len()),
    }
}

/// An optimised generator takes seconds, another one minutes.
const SLOW: Duration = Duration::from_secs(30);

/// What to do about slow generation.
pub fn advice(took: Duration) -> Option<String> {
    let why = format!(
        "generating the kernels took {} s; it takes a fraction of that with \"opt-level = 2\" under \
         [profile.dev.build-override] and [profile.release.build-override] in your Cargo.toml, if it is not there yet",
        took.as_secs()
    );
    (took >= SLOW).then_some(why)
}

/// What to do where a file of this name cannot be found by the place of the build folder.
pub fn lost(config: &str) -> String {
    format!(
        "the build folder is outside of your crate, so that no {config} was looked for: set QUADROUND_CONFIG to its absolute \
         path, or to nothing if there is none"
    )
}
