//! What is printed: tables for people, the manifest for programs.

use crate::cli::{Failure, KernelInfo};
use crate::emit::manifest::Entry;
use crate::emit::{MANIFEST, SET};
use crate::function::Function;
use crate::target::Target;
use std::path::Path;
use templates::{Align, Table, Template};

const FUNCTION_COLUMNS: [(&str, Align); 11] = [
    ("symbol", Align::Left),
    ("target", Align::Left),
    ("abi", Align::Left),
    ("shape", Align::Left),
    ("instructions", Align::Right),
    ("code", Align::Right),
    ("rodata", Align::Right),
    ("stack", Align::Right),
    ("cycles", Align::Right),
    ("per", Align::Left),
    ("cases", Align::Right),
];

/// The column that stands only where some core leaves a choice.
const ABI_COLUMN: usize = 2;

const KERNEL_COLUMNS: [(&str, Align); 4] =
    [("kernel", Align::Left), ("family", Align::Left), ("repetitions", Align::Right), ("computes", Align::Left)];

/// One row for each function, totals, and where the files are.
pub fn table(functions: &[Function], out: &Path, files: usize) -> Result<String, Failure> {
    let mut columns = FUNCTION_COLUMNS.to_vec();
    let mut rows: Vec<Vec<String>> = functions.iter().map(row).collect();
    let sum = |value: fn(&Function) -> usize| functions.iter().map(value).sum::<usize>().to_string();
    let mut total = vec![String::new(); FUNCTION_COLUMNS.len()];
    total[0] = format!("TOTAL of {}", functions.len());
    total[5] = sum(|function| function.code_bytes());
    total[6] = sum(|function| function.rodata.len());
    let notes = vec![
        "Bytes of code, constants and stack. Cycles from a function's first instruction through its return, on the simulated core,"
            .to_string(),
        "memory without wait states. Cases are comparisons of the machine code with the portable code, made just now.".to_string(),
        format!("{files} files in {}: {SET}.h, {SET}.rs and {MANIFEST} describe them all, lib{SET}.a holds them.", out.display()),
    ];
    if functions.iter().all(|function| function.target.abis().len() == 1) {
        columns.remove(ABI_COLUMN);
        rows.iter_mut().chain([&mut total]).for_each(|row| drop(row.remove(ABI_COLUMN)));
    }
    render(Table::new(&columns, &rows, &[total], notes))
}

fn row(function: &Function) -> Vec<String> {
    vec![
        function.symbol.clone(),
        function.target.to_string(),
        if function.target.abis().len() > 1 { function.abi.to_string() } else { String::new() },
        function.shape.to_string(),
        function.instructions.to_string(),
        function.code_bytes().to_string(),
        function.rodata.len().to_string(),
        function.stack_bytes.to_string(),
        function.cycles.to_string(),
        function.cycles_of.to_string(),
        function.verified_cases.to_string(),
    ]
}

/// The manifest.
pub fn json(functions: &[Function]) -> Result<String, Failure> {
    let entries: Vec<Entry> = functions.iter().map(Entry::new).collect();
    let text = serde_json::to_string_pretty(&entries).map_err(|error| Failure::Usage(format!("manifest: {error}")))?;
    Ok(text + "\n")
}

/// What can be generated, for which cores, and what more on request.
pub fn catalogue(kernels: &[KernelInfo], on_request: String) -> Result<String, Failure> {
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .map(|k| vec![k.name.clone(), k.family.clone(), k.repeats.to_string(), k.summary.clone()])
        .collect();
    let names = |targets: &[Target]| targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ");
    let targets = format!(
        "For {}; for {} with register windows or, by --abi call0, without.",
        names(&Target::THUMB),
        names(&Target::XTENSA)
    );
    render(Table::new(&KERNEL_COLUMNS, &rows, &[], vec![targets, on_request]))
}

fn render(table: Table) -> Result<String, Failure> {
    table.render().map_err(|error| Failure::Usage(format!("report: {error}")))
}
