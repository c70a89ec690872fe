//! The columns that the table, Markdown and HTML have in common.

use super::select::{Entry, Selection};
use crate::report::{FileReport, Row, Stack};
use std::borrow::Cow;

/// A column: its heading, and how a cell is written. An empty cell has nothing to say.
pub struct Column {
    /// Heading.
    pub heading: &'static str,
    /// What it shows, for a reader who does not know.
    pub meaning: &'static str,
    /// True for numbers, which are aligned right.
    pub number: bool,
    cell: fn(&Entry<'_>, u64) -> String,
}

const fn number(heading: &'static str, meaning: &'static str, cell: fn(&Entry<'_>, u64) -> String) -> Column {
    Column { heading, meaning, number: true, cell }
}

const fn text(heading: &'static str, meaning: &'static str, cell: fn(&Entry<'_>, u64) -> String) -> Column {
    Column { heading, meaning, number: false, cell }
}

/// Heading of the column that says what a row is.
pub const NAME: &str = "Name";

/// All columns, in order.
const COLUMNS: [Column; 14] = [
    number("ROM%", "share of all ROM bytes", |entry, of| share(entry.row.total_bytes, of)),
    number("Total", "ROM bytes", |entry, _| entry.row.total_bytes.to_string()),
    number("Code", "ROM bytes of instructions", |entry, _| bytes(entry.row.code_bytes)),
    number("Literals", "ROM bytes of literal pools and tables in the code", |entry, _| bytes(entry.row.literal_bytes)),
    number("Data", "ROM bytes of constants and initial values", |entry, _| bytes(entry.row.data_bytes)),
    number("Padding", "ROM bytes of alignment fill", |entry, _| bytes(entry.row.padding_bytes)),
    number("Constants", "ROM bytes, in rows of their own, of constants that this function alone uses", |entry, _| {
        bytes(entry.row.constant_bytes)
    }),
    number("RAM", "RAM bytes", |entry, _| bytes(entry.row.ram_bytes)),
    number("Stack", "bytes of stack of the function itself", |entry, _| frame(entry.row.stack.as_ref())),
    number("Worst", "bytes of stack with all calls; ≥ where more is possible", |entry, _| {
        worst(entry.row.stack.as_ref())
    }),
    number("Cycles", "cycles of a generated kernel by its manifest", |entry, _| {
        entry.row.kernel.as_ref().map_or(String::new(), |kernel| kernel.cycles.to_string())
    }),
    text("Section", "section of the file", |entry, _| entry.row.section.clone()),
    text(NAME, "symbol, its other names, and the only function that uses it", |entry, _| name(&entry.row)),
    text("File", "file or archive member", |entry, _| entry.file.to_owned()),
];

/// The last column is of use only where there is more than one file.
const WITHOUT_FILE: usize = COLUMNS.len() - 1;

/// A view as cells, only with columns that are not empty or zero throughout.
pub struct Grid {
    /// Its columns.
    pub columns: Vec<&'static Column>,
    /// A line for each shown row.
    pub lines: Vec<Vec<String>>,
    /// What is not shown, if there is such, and the total.
    pub sums: Vec<Vec<String>>,
}

impl Grid {
    /// The cells of a selection from these files.
    pub fn new(files: &[FileReport], selection: &Selection<'_>) -> Grid {
        let of = selection.total.total_bytes;
        let rest = Some(&selection.rest).filter(|_| selection.hidden > 0);
        let sums: Vec<Entry> =
            rest.into_iter().chain([&selection.total]).map(|row| Entry { file: "", row: Cow::Borrowed(row) }).collect();
        let all = &COLUMNS[..if files.len() > 1 { COLUMNS.len() } else { WITHOUT_FILE }];
        let full = |entries: &[Entry]| -> Vec<Vec<String>> {
            entries.iter().map(|entry| all.iter().map(|column| (column.cell)(entry, of)).collect()).collect()
        };
        let (lines, sums) = (full(&selection.shown), full(&sums));
        let says: Vec<bool> =
            (0..all.len()).map(|at| lines.iter().chain(&sums).any(|cells| !["", "0"].contains(&&*cells[at]))).collect();
        let kept = |lines: Vec<Vec<String>>| -> Vec<Vec<String>> {
            let cells = |line: Vec<String>| line.into_iter().zip(&says).filter_map(|(cell, says)| says.then_some(cell));
            lines.into_iter().map(|line| cells(line).collect()).collect()
        };
        let columns = all.iter().zip(&says).filter_map(|(column, says)| says.then_some(column)).collect();
        Grid { columns, lines: kept(lines), sums: kept(sums) }
    }

    /// The same with the name in front, where the head of a row belongs in a page that may be scrolled to the right.
    pub fn name_first(mut self) -> Grid {
        if let Some(at) = self.columns.iter().position(|column| column.heading == NAME) {
            self.columns[..=at].rotate_right(1);
            self.lines.iter_mut().chain(&mut self.sums).for_each(|line| line[..=at].rotate_right(1));
        }
        self
    }

    /// The cells of a line with their columns.
    pub fn cells<'a>(&self, line: &'a [String]) -> impl Iterator<Item = (&'static Column, &'a str)> {
        self.columns.iter().copied().zip(line.iter().map(String::as_str))
    }
}

/// `12.3%`; nothing for nothing.
pub fn share(part: u64, of: u64) -> String {
    if part == 0 { String::new() } else { format!("{:.1}%", part as f64 * 100.0 / of as f64) }
}

fn bytes(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

fn frame(stack: Option<&Stack>) -> String {
    stack.map_or(String::new(), |stack| stack.frame_bytes.map_or("?".to_owned(), |bytes| bytes.to_string()))
}

fn worst(stack: Option<&Stack>) -> String {
    let mark = |stack: &Stack| if stack.unknown.is_empty() { "" } else { "≥" };
    stack.map_or(String::new(), |stack| format!("{}{}", mark(stack), stack.worst_bytes))
}

fn name(row: &Row) -> String {
    let mut text = row.name.clone();
    if !row.aliases.is_empty() {
        text.push_str(&format!(" (= {})", row.aliases.join(", ")));
    }
    if let Some(user) = &row.used_by {
        text.push_str(&format!(" ← {user}"));
    }
    text
}
