//! Whole schemes: the runtime's firmware on the simulator, from the numbers that it prints and the functions that it calls.

use super::row::{Published, Row};
use crate::bundle::schemes;
use crate::firmware::{Built, build_for};
use anyhow::{Context, bail};
use object::{Object, ObjectSymbol, SymbolKind};
use serde::Deserialize;
use sim::cycles::Memory;
use sim::{Machine, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Boards whose memory does not wait, and the core that they have.
const BOARDS: [(&str, &str); 2] = [("mps2-an386", "m4f"), ("mps2-an385", "m3")];
/// What their firmware is built with beside the default; as in its tests, so that it is built once.
pub const FEATURES: &str = "chacha8,chacha12,kyber-90s";
/// The profiles, and the feature that each takes more.
const PROFILES: [(&str, &str); 2] = [("balanced", ""), ("low-stack", ",low-stack")];
/// The operations of a mechanism, in the order in which the firmware measures them: what it calls them begins so.
const OPERATIONS: [&str; 3] = ["keygen", "encaps", "decaps"];
/// What the symbols of the functions that do them contain: the runtime's module `kem`, and the beginning of their names.
const OPERATION: &str = "8firmware3kem6";
/// Instructions of a program, at most.
const INSTRUCTIONS_MAX: u64 = 20_000_000_000;

/// A number in the firmware's report.
#[derive(Deserialize)]
struct Number {
    name: String,
    what: String,
    value: u64,
}

/// A program that has run.
struct Ran {
    numbers: Vec<Number>,
    /// The functions that ran while an operation did, in the order of the operations.
    functions: Vec<BTreeSet<String>>,
    /// Bytes of each function.
    sizes: BTreeMap<String, u64>,
}

/// Rows of the mechanisms whose names `wanted` likes.
pub fn measure(published: &Published, wanted: impl Fn(&str) -> bool) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (board, target) in BOARDS {
        for (profile, feature) in PROFILES {
            let features = format!("{FEATURES}{feature}");
            let [speed, stack] = ["speed", "stack"].map(|bin| ran(build_for(board, bin, &features)?));
            let all = of_board(&speed?, &stack?, [target, profile], published)?;
            rows.extend(all.into_iter().filter(|row| wanted(&row.what)));
        }
    }
    Ok(rows)
}

/// Runs a program, and watches what its operations call.
fn ran(Built { elf, board }: Built) -> anyhow::Result<Ran> {
    let program = Program::on_board(&elf, &board)?;
    let memory = Memory { wait_states: board.wait_states, ..Memory::default() };
    let mut machine = Machine::new(program, board.core, memory)?;
    machine.set_board(board);
    machine.set_limit(INSTRUCTIONS_MAX);
    machine.count_by_function(Some(OPERATION)).map_err(anyhow::Error::msg)?;
    let mut text = Vec::new();
    let exit = machine.boot(&mut text)?;
    let text = String::from_utf8(text).context("what the firmware printed")?;
    if !text.contains("\n{\"result\":\"ok\"}\n") {
        bail!("the firmware failed: {}\n{text}", exit.end);
    }
    let mut functions = Vec::new();
    for cost in machine.by_function() {
        functions.resize_with(functions.len().max(cost.within + 1), BTreeSet::new);
        functions[cost.within].insert(cost.name);
    }
    let file = object::File::parse(&*elf)?;
    let numbers = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok(Ran { numbers, functions, sizes: sizes(&file) })
}

/// Bytes of each function, and of the constants right before it: there a generated one has its own. Anything else between two
/// functions, less than a word, makes the second begin at a multiple of 4.
fn sizes(file: &object::File<'_>) -> BTreeMap<String, u64> {
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let mut all: Vec<(u64, u64, &str)> =
        functions.filter_map(|symbol| Some((symbol.address() & !1, symbol.size(), symbol.name().ok()?))).collect();
    all.sort_unstable();
    let mut end = 0;
    let mut found = BTreeMap::new();
    for (address, size, name) in all {
        let before = if name.starts_with("qr_") { address.saturating_sub(end) } else { 0 };
        end = end.max(address + size);
        found.insert(name.to_owned(), before + size);
    }
    found
}

fn of_board(speed: &Ran, stack: &Ran, [target, profile]: [&str; 2], published: &Published) -> anyhow::Result<Vec<Row>> {
    let names: Vec<&str> = mechanisms(speed);
    if speed.functions.len() != OPERATIONS.len() * names.len() {
        bail!("{} mechanisms, but {} functions for their operations", names.len(), speed.functions.len());
    }
    let mut rows = Vec::new();
    for (name, functions) in names.into_iter().zip(speed.functions.chunks(OPERATIONS.len())) {
        let (code, hashing) = code_bytes(speed, functions);
        for operation in OPERATIONS {
            let cycles = number(speed, name, &format!("{operation} cycles"))?;
            let stack_bytes = number(stack, name, &format!("{operation} stack bytes"))?;
            let row = Row {
                what: schemes::short_name(name),
                op: operation.to_owned(),
                target: target.to_owned(),
                shape: profile.to_owned(),
                profile: "ideal".to_owned(),
                cycles,
                code_bytes: code,
                hashing_bytes: hashing,
                rodata_bytes: 0,
                stack_bytes,
                published: None,
                published_source: None,
            };
            rows.push(row.with(published));
        }
    }
    Ok(rows)
}

/// The mechanisms, in the order of the report.
fn mechanisms(ran: &Ran) -> Vec<&str> {
    let first = format!("{} cycles", OPERATIONS[0]);
    ran.numbers.iter().filter(|number| number.what == first).map(|number| number.name.as_str()).collect()
}

fn number(ran: &Ran, name: &str, what: &str) -> anyhow::Result<u64> {
    let found = ran.numbers.iter().find(|number| number.name == name && number.what == what);
    found.map(|number| number.value).with_context(|| format!("the firmware reports no {what} of {name}"))
}

/// Bytes of all functions that ran, those for hashing apart.
fn code_bytes(ran: &Ran, functions: &[BTreeSet<String>]) -> (u64, u64) {
    let all: BTreeSet<&String> = functions.iter().flatten().collect();
    let is_hashing = |name: &str| ["keccak", "sha2", "aes", "digest"].iter().any(|part| name.contains(part));
    let bytes = |hashing: bool| {
        let chosen = all.iter().filter(|name| is_hashing(name) == hashing);
        chosen.filter_map(|name| ran.sizes.get(name.as_str())).sum()
    };
    (bytes(false), bytes(true))
}
