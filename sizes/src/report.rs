//! What is known about a file once every byte has an owner, and the invariant that holds it together.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the row for alignment fill between symbols.
pub const PADDING: &str = "[padding]";
/// Name of the row for literals that several functions load, or none.
pub const LITERAL_POOL: &str = "[literal pool]";
/// Name of the row for all other bytes that no symbol claims.
pub const UNATTRIBUTED: &str = "[unattributed]";
/// Name of the row for the ELF and program headers, where a segment loads them.
pub const HEADERS: &str = "[headers]";

/// What one symbol takes in one section.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Row {
    /// Symbol, demangled, or one of the names in brackets.
    pub name: String,
    /// Section it is in.
    pub section: String,
    /// Address of its first byte, Thumb bit cleared; in objects the offset in the section.
    pub address: u64,
    /// ROM bytes of instructions.
    pub code_bytes: u64,
    /// ROM bytes of data between the instructions: literal pools and tables.
    pub literal_bytes: u64,
    /// ROM bytes of constants and of initial values.
    pub data_bytes: u64,
    /// ROM bytes of alignment fill.
    pub padding_bytes: u64,
    /// ROM bytes: the sum of the four.
    pub total_bytes: u64,
    /// RAM bytes: of variables, and of what is copied to RAM before it is used.
    pub ram_bytes: u64,
    /// Name in the symbol table, where `name` is demangled from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Other names of the same bytes, and those of places inside that own no bytes of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What it is.
    pub kind: RowKind,
    /// The crate that a Rust name begins with.
    #[serde(rename = "crate", skip_serializing_if = "Option::is_none")]
    pub crate_name: Option<String>,
    /// Family of a generated kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The one function that uses this constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by: Option<String>,
    /// ROM bytes of the constants that this function alone uses; they have rows of their own.
    #[serde(skip_serializing_if = "is_zero")]
    pub constant_bytes: u64,
    /// Stack of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<Stack>,
    /// What the manifest beside the file says of a generated kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What a row stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// Instructions.
    Function,
    /// Constants or variables.
    Data,
    /// Bytes without an owner, in a row with a name in brackets.
    #[default]
    Gap,
}

/// Stack of a function, in bytes below the sp at its entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stack {
    /// The deepest that its own instructions go; `None` if they cannot be followed.
    pub frame_bytes: Option<u64>,
    /// The deepest over all calls. Where `unknown` is not empty it is what is known: the true value may be larger.
    pub worst_bytes: u64,
    /// Why the worst case is not known, each reason once, in alphabetical order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Unknown>,
}

/// What keeps the worst case from being known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "why", content = "name")]
pub enum Unknown {
    /// A call of, or a jump to, an address that is computed at run time, in this function (demangled).
    Indirect(String),
    /// This function can be entered again before it returns.
    Recursion(String),
    /// A call of something that is not in the file.
    External(String),
    /// This function's stack pointer cannot be followed (a size computed at run time, or code that cannot be read).
    Frame(String),
}

/// What a manifest says of a generated kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the core.
    pub target: String,
    /// `unrolled`, `looped`, or `unroll` with its factor.
    pub shape: String,
    /// Cycles of the measured call.
    pub cycles: u64,
    /// What the measured call is.
    pub cycles_of: String,
    /// Bytes of stack that the generator states.
    pub stack_bytes: u64,
}

/// A section and its size. Bytes of a loaded segment that are in no section are in one named `[segment ADDRESS]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SectionTotal {
    /// Name.
    pub name: String,
    /// Address of its first byte at run time; 0 in objects.
    pub address: u64,
    /// Bytes in ROM.
    pub bytes: u64,
    /// Bytes in RAM.
    pub ram_bytes: u64,
}

/// A kind of memory and how much of it is used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RegionTotal {
    /// `ROM` and `RAM`, and what the chip's vendor calls its memories.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
}

/// Everything about one ELF file or object.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct FileReport {
    /// Path as given, with the member in brackets if it comes from an archive.
    pub file: String,
    /// Rows, largest first.
    pub symbols: Vec<Row>,
    /// Sections that take ROM or RAM, in the file's order.
    pub sections: Vec<SectionTotal>,
    /// Use of each kind of memory.
    pub regions: Vec<RegionTotal>,
    /// Bytes in ROM: all loaded segments, or in an object all sections with contents.
    pub total_bytes: u64,
    /// Bytes in RAM.
    pub ram_bytes: u64,
    /// What could not be told, and why: no symbols, or an unknown machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What is wrong with files beside it, by name; no byte depends on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Rows that do not add up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what} adds up to {sum} bytes, not {expected}")]
pub struct Imbalance {
    /// Which row, section or file.
    pub what: String,
    sum: u64,
    expected: u64,
}

impl Row {
    /// Code, literals, data, padding.
    pub fn parts(&self) -> [u64; 4] {
        [self.code_bytes, self.literal_bytes, self.data_bytes, self.padding_bytes]
    }
}

impl FileReport {
    /// Verifies that the parts of a row add up to the row, rows to their section, sections to the total, in ROM and in
    /// RAM.
    pub fn check(&self) -> Result<(), Imbalance> {
        let balance = |what: String, sum: u64, expected: u64| {
            if sum == expected { Ok(()) } else { Err(Imbalance { what, sum, expected }) }
        };
        let mut by_section: BTreeMap<&str, [(u64, u64); 2]> = BTreeMap::new();
        for row in &self.symbols {
            balance(format!("row {}", row.name), row.parts().iter().sum(), row.total_bytes)?;
            let [rom, ram] = by_section.entry(&row.section).or_default();
            rom.0 += row.total_bytes;
            ram.0 += row.ram_bytes;
        }
        for section in &self.sections {
            let [rom, ram] = by_section.entry(&section.name).or_default();
            rom.1 += section.bytes;
            ram.1 += section.ram_bytes;
        }
        for (name, [rom, ram]) in by_section {
            balance(format!("section {name}"), rom.0, rom.1)?;
            balance(format!("section {name} in RAM"), ram.0, ram.1)?;
        }
        balance(self.file.clone(), self.sections.iter().map(|section| section.bytes).sum(), self.total_bytes)?;
        let ram = self.sections.iter().map(|section| section.ram_bytes).sum();
        balance(format!("{} in RAM", self.file), ram, self.ram_bytes)
    }
}
