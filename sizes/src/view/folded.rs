//! Folded stacks: `file;section;crate or family;name bytes`, which flame graph tools draw.

use super::select::{Entry, OTHER, View};
use crate::report::FileReport;

/// A line for each row with bytes in ROM, and one for the rows that are not shown.
pub fn folded(files: &[FileReport], view: &View) -> String {
    let selection = view.select(files);
    let rest = [frame(&selection.rest.name)].to_vec();
    let lines = selection.shown.iter().map(|entry| (frames(entry), entry.row.total_bytes));
    let lines = lines.chain([(rest, selection.rest.total_bytes)]).filter(|(_, bytes)| *bytes > 0);
    lines.map(|(frames, bytes)| format!("{} {bytes}\n", frames.join(";"))).collect()
}

/// A group has its name only, below the file and the section that all its rows are in.
fn frames(entry: &Entry<'_>) -> Vec<String> {
    let row = &entry.row;
    let mut frames = vec![entry.file, row.section.as_str()];
    if let std::borrow::Cow::Borrowed(row) = row {
        frames.push(row.crate_name.as_deref().or(row.family.as_deref()).unwrap_or(OTHER));
    }
    frames.push(&row.name);
    frames.into_iter().filter(|name| !name.is_empty()).map(frame).collect()
}

/// A semicolon would end the frame and a blank the stack.
fn frame(name: &str) -> String {
    let escaped = |c: char| match c {
        ';' => ',',
        c if c.is_whitespace() || c.is_control() => '_',
        c => c,
    };
    name.chars().map(escaped).collect()
}
