//! Text in columns.

/// Which way a column's cells are pushed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of equal length under a heading.
pub struct Table {
    /// Title and alignment of each column.
    pub columns: Vec<(&'static str, Align)>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Columns two spaces apart, for a terminal.
    pub fn plain(&self) -> String {
        self.lines().map(|cells| cells.join("  ").trim_end().to_owned() + "\n").collect()
    }

    /// A Markdown table whose source is aligned too.
    pub fn markdown(&self) -> String {
        let mut lines: Vec<String> = self.lines().map(|cells| format!("| {} |\n", cells.join(" | "))).collect();
        let rule = self.columns.iter().zip(self.widths()).map(|((_, align), width)| match align {
            Align::Left => format!("|{}", "-".repeat(width + 2)),
            Align::Right => format!("|{}:", "-".repeat(width + 1)),
        });
        lines.insert(1, rule.chain(["|\n".to_owned()]).collect());
        lines.concat()
    }

    fn widths(&self) -> Vec<usize> {
        let width = |(at, (title, _)): (usize, &(&str, Align))| {
            self.rows.iter().map(|row| row[at].chars().count()).chain([title.len()]).max().unwrap_or(0)
        };
        self.columns.iter().enumerate().map(width).collect()
    }

    /// The heading and the rows, every cell filled up to its column's width.
    fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        let widths = self.widths();
        let heading: Vec<String> = self.columns.iter().map(|(title, _)| title.to_string()).collect();
        std::iter::once(heading).chain(self.rows.iter().cloned()).map(move |cells| {
            let columns = self.columns.iter().zip(&widths);
            let fill = |(cell, ((_, align), width)): (String, (&(&str, Align), &usize))| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            };
            cells.into_iter().zip(columns).map(fill).collect()
        })
    }
}

/// The cells of a Markdown table in `text`: the lines that begin with `|`, without heading and rule.
pub fn parse_markdown(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_read_back() {
        let rows = vec![vec!["a".to_owned(), "1".to_owned()], vec!["long name".to_owned(), "1000".to_owned()]];
        let table = Table { columns: vec![("what", Align::Left), ("n", Align::Right)], rows };
        assert_eq!(table.plain(), "what          n\na             1\nlong name  1000\n");
        let markdown = "| what      |    n |\n|-----------|-----:|\n| a         |    1 |\n| long name | 1000 |\n";
        assert_eq!(table.markdown(), markdown);
        assert_eq!(parse_markdown(&format!("# Title\n\n{markdown}\nend")), table.rows);
    }
}
