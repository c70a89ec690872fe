//! A measured operation, from the generator's report to the committed page and back.

use crate::table::{Align, Table, parse_markdown};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

/// One operation in one shape on one core with one kind of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// Kernel or scheme.
    pub what: String,
    /// What is measured of it, for example `one call` or `1024 aligned bytes`.
    pub op: String,
    /// Core.
    pub target: String,
    /// How far it is unrolled.
    pub shape: String,
    /// Memory model.
    pub profile: String,
    /// Cycles of the operation, from the first instruction through the return.
    pub cycles: u64,
    /// Bytes of instructions and literals.
    pub code_bytes: u64,
    /// Of a scheme, bytes of what hashes and expands seeds, which are not among those.
    pub hashing_bytes: u64,
    /// Bytes of constants.
    pub rodata_bytes: u64,
    /// Bytes of stack.
    pub stack_bytes: u64,
    /// Cycles that somebody else has published for the same operation on such a core.
    pub published: Option<u64>,
    /// Who, and under which conditions.
    pub published_source: Option<String>,
}

/// A row of the generator's report, as far as it is used here.
#[derive(Deserialize)]
struct Generated {
    kernel: String,
    cycles_of: String,
    target: String,
    shape: String,
    #[serde(default = "ideal")]
    profile: String,
    cycles: u64,
    code_bytes: u64,
    rodata_bytes: u64,
    stack_bytes: u64,
}

/// Memory without wait states: what the generator measures unless it says otherwise.
fn ideal() -> String {
    "ideal".to_owned()
}

/// `published.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// In no particular order.
    pub figure: Vec<Figure>,
}

/// What somebody else has published.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Kernel or scheme, as in [`Row::what`].
    pub what: String,
    /// Operation, as in [`Row::op`].
    pub op: String,
    /// The cores it is comparable with.
    pub targets: Vec<String>,
    /// The shape that it is comparable with, if not with all that no other figure is for.
    pub shape: Option<String>,
    /// Cycles.
    pub cycles: u64,
    /// Who, on which board, what it includes.
    pub source: String,
}

/// The figures of others.
pub fn published() -> anyhow::Result<Published> {
    toml::from_str(include_str!("../../published.toml")).context("xtask/published.toml")
}

const HEADING: &str = "# Benchmarks

Written by `cargo xtask bench`; `cargo xtask bench --check`, a part of `cargo xtask test`, fails when a number gets worse.

- **cycles**: counted by the simulator, from the function's first instruction through its return, for the operation named
  under *op*. The call itself and reading a timer are not included.
- **target**: Cortex-M3 (m3), Cortex-M4 without FPU (m4), Cortex-M4 with FPU (m4f); the cores of the ESP32 (esp32, Xtensa LX6)
  and of the ESP32-S3 (esp32s3, Xtensa LX7), called with register windows. Functions for CALL0 differ by ten cycles or so.
- **profile**: the memory. *ideal* has no wait states for code and data.
- **code**, **rodata**: bytes of ROM for instructions with their literals, and for constants.
- **hashing**: of a scheme, bytes of what hashes and expands seeds, which are not in *code*.
- **stack**: bytes below the stack pointer at entry.
- **published**: cycles that others report for the same operation, measured on a board unless the source says otherwise.

Rows with *keygen*, *encaps* and *decaps* are of whole firmware for the boards mps2-an386 and mps2-an385 with all kernels, compiled Rust and all, as its programs `speed` and `stack` report them:
the mean of ten runs with other seeds. *keygen* makes both keys from 64 bytes, with the hash of the encapsulation key. *encaps* begins with the bytes of
an encapsulation key: it checks that every coefficient is reduced, which the peers do not, hashes the key and encapsulates a given
message. *decaps* takes an expanded key that was checked when it came, and includes the second encryption and, for ML-KEM, the key for
rejection. *balanced* is the firmware as it comes, *low-stack* that with the feature of this name, which takes the type `LowStack`. No row includes the drawing of random bytes; the peers' draw some, which takes little. *code* is of all functions that run in the three
operations together, with the constants of those that are generated.

";

impl Row {
    /// Rows from the JSON that `gen --format json` prints.
    pub fn from_gen(json: &str, published: &Published) -> anyhow::Result<Vec<Row>> {
        let rows: Vec<Generated> = serde_json::from_str(json).context("what `gen --format json` printed")?;
        Ok(rows.into_iter().map(|row| Row::join(row, published)).collect())
    }

    fn join(row: Generated, published: &Published) -> Row {
        let row = Row {
            published: None,
            published_source: None,
            what: row.kernel,
            op: row.cycles_of,
            target: row.target,
            shape: row.shape,
            profile: row.profile,
            cycles: row.cycles,
            code_bytes: row.code_bytes,
            hashing_bytes: 0,
            rodata_bytes: row.rodata_bytes,
            stack_bytes: row.stack_bytes,
        };
        row.with(published)
    }

    /// With the figure that is published for the same operation, if there is one.
    pub fn with(self, published: &Published) -> Row {
        let fits = |figure: &&Figure| {
            figure.what == self.what && figure.op == self.op && figure.targets.contains(&self.target)
        };
        let fitting = || published.figure.iter().filter(fits);
        let own = fitting().find(|figure| figure.shape.as_ref() == Some(&self.shape));
        let figure = own.or_else(|| fitting().find(|figure| figure.shape.is_none()));
        Row {
            published: figure.map(|figure| figure.cycles),
            published_source: figure.map(|figure| figure.source.clone()),
            ..self
        }
    }

    /// The rows of a page that [`page`] made, without the published figures.
    pub fn from_page(text: &str) -> anyhow::Result<Vec<Row>> {
        parse_markdown(text).iter().map(|cells| Row::from_cells(cells)).collect()
    }

    fn from_cells(cells: &[String]) -> anyhow::Result<Row> {
        let [what, op, target, shape, profile, cycles, code, hashing, rodata, stack, ..] = cells else {
            bail!("docs/benchmarks.md: a row has {} cells: {}", cells.len(), cells.join(" | "));
        };
        let number = |cell: &String| {
            cell.parse::<u64>()
                .with_context(|| format!("docs/benchmarks.md: {what}, {target}: {cell:?} is not a number"))
        };
        Ok(Row {
            what: what.clone(),
            op: op.clone(),
            target: target.clone(),
            shape: shape.clone(),
            profile: profile.clone(),
            cycles: number(cycles)?,
            code_bytes: number(code)?,
            hashing_bytes: number(hashing)?,
            rodata_bytes: number(rodata)?,
            stack_bytes: number(stack)?,
            published: None,
            published_source: None,
        })
    }

    /// What tells it from the others.
    pub fn key(&self) -> String {
        format!("{} ({}), {}, {}, {}", self.what, self.op, self.target, self.shape, self.profile)
    }

    /// What must not grow.
    pub fn numbers(&self) -> [(&'static str, u64); 5] {
        [
            ("cycles", self.cycles),
            ("code_bytes", self.code_bytes),
            ("hashing_bytes", self.hashing_bytes),
            ("rodata_bytes", self.rodata_bytes),
            ("stack_bytes", self.stack_bytes),
        ]
    }
}

/// The committed page.
pub fn page(rows: &[Row]) -> String {
    HEADING.to_owned() + &table(rows).markdown()
}

/// The rows as a table, in the order that [`Row::from_page`] reads.
pub fn table(rows: &[Row]) -> Table {
    use Align::{Left, Right};
    let text = ["what", "op", "target", "shape", "profile"].map(|title| (title, Left));
    let numbers = ["cycles", "code", "hashing", "rodata", "stack", "published"].map(|title| (title, Right));
    let columns = text.into_iter().chain(numbers).chain([("source", Left)]).collect();
    let cells = |row: &Row| {
        let text = [&row.what, &row.op, &row.target, &row.shape, &row.profile].map(String::clone);
        let numbers = row.numbers().map(|(_, number)| number.to_string());
        let published = row.published.map_or(String::new(), |cycles| cycles.to_string());
        // A bar would end the cell.
        let source = row.published_source.clone().unwrap_or_default().replace('|', "/");
        text.into_iter().chain(numbers).chain([published, source]).collect()
    };
    Table { columns, rows: rows.iter().map(cells).collect() }
}
