//! A text table for terminals.

use askama::Template;

/// To which side of its column a cell is pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// A laid-out table: every line finished.
#[derive(Template)]
#[template(path = "table.txt")]
pub struct Table {
    head: Vec<String>,
    body: Vec<String>,
    foot: Vec<String>,
    notes: Vec<String>,
}

impl Table {
    /// Lays out `body` under `head` and over `foot`, each cell as wide as the widest of its column, two spaces between columns.
    ///
    /// Every row of `body` and `foot` has at most as many cells as `head`. `notes` are lines below the table, as they are.
    pub fn new(head: &[(&str, Align)], body: &[Vec<String>], foot: &[Vec<String>], notes: Vec<String>) -> Self {
        let titles: Vec<String> = head.iter().map(|(title, _)| title.to_string()).collect();
        let mut widths = vec![0; head.len()];
        for row in std::iter::once(&titles).chain(body).chain(foot) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).zip(head).map(|((cell, &width), (_, align))| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
        };
        Table {
            head: vec![line(&titles)],
            body: body.iter().map(line).collect(),
            foot: foot.iter().map(line).collect(),
            notes,
        }
    }
}
