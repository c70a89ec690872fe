//! Comma-separated values, quoted as RFC 4180 says; lines end with a line feed alone.

use super::select::{Entry, View};
use super::table::reason;
use crate::report::{FileReport, Kernel, Row, RowKind, Stack};
use std::borrow::Cow;

type Cell = fn(&Entry<'_>) -> String;

/// Names, which are those of the JSON where there is such, and what is below them.
const COLUMNS: [(&str, Cell); 24] = [
    ("file", |entry| entry.file.to_owned()),
    ("name", |entry| entry.row.name.clone()),
    ("symbol", |entry| text(&entry.row.symbol)),
    ("aliases", |entry| entry.row.aliases.join("; ")),
    ("kind", |entry| kind(entry).to_owned()),
    ("section", |entry| entry.row.section.clone()),
    ("address", |entry| entry.row.address.to_string()),
    ("total_bytes", |entry| entry.row.total_bytes.to_string()),
    ("code_bytes", |entry| entry.row.code_bytes.to_string()),
    ("literal_bytes", |entry| entry.row.literal_bytes.to_string()),
    ("data_bytes", |entry| entry.row.data_bytes.to_string()),
    ("padding_bytes", |entry| entry.row.padding_bytes.to_string()),
    ("constant_bytes", |entry| entry.row.constant_bytes.to_string()),
    ("ram_bytes", |entry| entry.row.ram_bytes.to_string()),
    ("frame_bytes", |entry| stack(entry, |stack| stack.frame_bytes.map_or(String::new(), |bytes| bytes.to_string()))),
    ("worst_bytes", |entry| stack(entry, |stack| stack.worst_bytes.to_string())),
    ("worst_unknown", |entry| stack(entry, |stack| stack.unknown.iter().map(reason).collect::<Vec<_>>().join("; "))),
    ("cycles", |entry| kernel(&entry.row, |kernel| kernel.cycles.to_string())),
    ("target", |entry| kernel(&entry.row, |kernel| kernel.target.clone())),
    ("shape", |entry| kernel(&entry.row, |kernel| kernel.shape.clone())),
    ("crate", |entry| text(&entry.row.crate_name)),
    ("family", |entry| text(&entry.row.family)),
    ("source", |entry| text(&entry.row.source)),
    ("used_by", |entry| text(&entry.row.used_by)),
];

/// A heading and a record for each line that the view shows. What it does not show is not added up.
pub fn csv(files: &[FileReport], view: &View) -> String {
    let mut csv = COLUMNS.map(|(name, _)| name).join(",") + "\n";
    for entry in view.select(files).shown {
        csv.push_str(&COLUMNS.map(|(_, cell)| quoted(cell(&entry))).join(","));
        csv.push('\n');
    }
    csv
}

pub(crate) fn quoted(text: String) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

fn text(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

fn kind(entry: &Entry<'_>) -> &'static str {
    match (&entry.row, entry.row.kind) {
        (Cow::Owned(_), _) => "group",
        (_, RowKind::Function) => "function",
        (_, RowKind::Data) => "data",
        (_, RowKind::Gap) => "gap",
    }
}

fn stack(entry: &Entry<'_>, cell: fn(&Stack) -> String) -> String {
    entry.row.stack.as_ref().map_or(String::new(), cell)
}

fn kernel(row: &Row, cell: fn(&Kernel) -> String) -> String {
    row.kernel.as_ref().map_or(String::new(), cell)
}
