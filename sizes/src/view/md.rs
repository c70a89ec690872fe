//! Markdown: a report card for a pull request.

use super::columns::Grid;
use super::select::View;
use crate::report::FileReport;

/// Rows that are seen at once where the view does not say how many.
const ROWS_SEEN: usize = 20;

/// What each file takes, the first rows, and in a fold the rest.
pub fn md(files: &[FileReport], view: &View) -> String {
    let mut text = String::new();
    for file in files {
        text.push_str(&format!(
            "- {}: {} bytes ROM, {} bytes RAM\n",
            code(&file.file),
            file.total_bytes,
            file.ram_bytes
        ));
    }
    let rows_max = view.rows_max.unwrap_or(ROWS_SEEN);
    let card = Grid::new(files, &View { rows_max: Some(rows_max), ..view.clone() }.select(files));
    text.push('\n');
    text.push_str(&table(&card, card.lines.iter().chain(&card.sums)));
    if view.rows_max.is_none() {
        let all = Grid::new(files, &view.select(files));
        if let Some(rest) = all.lines.get(ROWS_SEEN..).filter(|rest| !rest.is_empty()) {
            text.push_str(&format!("\n<details><summary>The other {}</summary>\n\n", rest.len()));
            text.push_str(&table(&all, rest.iter()));
            text.push_str("\n</details>\n");
        }
    }
    text
}

fn table<'a>(grid: &Grid, lines: impl Iterator<Item = &'a Vec<String>>) -> String {
    let columns = &grid.columns;
    let heading = columns.iter().map(|column| column.heading.to_owned());
    let rule = columns.iter().map(|column| if column.number { "---:" } else { ":---" }.to_owned());
    let mut text = line(heading) + &line(rule);
    for cells in lines {
        let cells = grid.cells(cells);
        text.push_str(&line(cells.map(|(column, cell)| if column.number { cell.to_owned() } else { code(cell) })));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Names as code: nothing in them is markup. What would end the code or the cell is replaced.
pub(crate) fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}
