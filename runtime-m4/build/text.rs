//! Rust text that tells the library and its firmware what was generated.

use crate::choose::Chosen;
use generator::emit::Placement;
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

/// `backends.rs`: for each core the functions of each number of rounds. For no cores, every type without any.
pub fn backends(cores: &[Target], chosen: &[Chosen]) -> String {
    let mut text = String::new();
    let all = if cores.is_empty() { &Target::THUMB } else { cores };
    for core in all {
        let Some(kind) = core.thumb_core().map(type_of) else { continue };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "backend! {{ {kind}");
        let of_core = || chosen.iter().filter(|chosen| chosen.function.target == *core);
        let mut rounds: Vec<u32> = of_core().filter_map(|c| parts(&c.function.kernel)).map(|(r, _)| r).collect();
        rounds.sort_unstable();
        rounds.dedup();
        for rounds in rounds {
            let symbol = |part: &&str| {
                let found = of_core().find(|chosen| parts(&chosen.function.kernel) == Some((rounds, part)));
                found.map(|chosen| chosen.function.symbol.as_str())
            };
            let symbols: Vec<&str> = PARTS.iter().filter_map(symbol).collect();
            let _ = writeln!(text, "    {rounds} => {};", symbols.join(", "));
        }
        text += "}\n";
    }
    text
}

/// `linked.rs`: the table of linked functions and the type of the board's core.
pub fn linked(chosen: &[&Chosen], core: Core) -> String {
    let mut text = format!("/// The backend of the board's core.\npub type Native = crate::{};\n\n", type_of(core));
    text += "/// Every generated function that is linked.\npub const LINKED: &[Linked] = &[\n";
    for Chosen { function, placement } in chosen {
        let kind = match parts(&function.kernel) {
            Some((_, "permute" | "block")) => "Words",
            _ => "Bytes",
        };
        let (symbol, constants) = (&function.symbol, function.symbol.to_uppercase());
        let _ = writeln!(
            text,
            "    Linked {{ symbol: {symbol:?}, function: Call::{kind}(functions::{symbol}), in_ram: {}, \
             code_bytes: functions::{constants}_CODE_BYTES, rodata_bytes: functions::{constants}_RODATA_BYTES, \
             stack_bytes: functions::{constants}_STACK_BYTES, cycles: functions::{constants}_CYCLES }},",
            *placement == Placement::Ram
        );
    }
    text + "];\n"
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
