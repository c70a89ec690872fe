//! How reports are printed.

use crate::report::{FileReport, Row};

/// Code, literals, data, padding, total.
fn parts(row: &Row) -> [u64; 5] {
    let [code, literal, data, padding] = row.parts();
    [code, literal, data, padding, row.total_bytes]
}

/// Which rows are shown. What is left out is still counted in the totals.
#[derive(Debug, Default)]
pub struct View {
    /// At most this many rows; all if `None`.
    pub rows_max: Option<usize>,
    /// Only rows whose name matches.
    pub filter: Option<regex_lite::Regex>,
}

impl View {
    fn shows(&self, row: &Row) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(&row.name))
    }
}

/// The reports as `{"files": [...]}`.
pub fn json(mut files: Vec<FileReport>, view: &View) -> serde_json::Result<String> {
    for file in &mut files {
        file.symbols.retain(|row| view.shows(row));
        file.symbols.truncate(view.rows_max.unwrap_or(usize::MAX));
    }
    serde_json::to_string_pretty(&serde_json::json!({ "files": files }))
}

/// The reports as one table: largest row first, then what is not shown, then the total.
pub fn table(files: &[FileReport], view: &View) -> String {
    let mut all: Vec<(&str, &Row)> =
        files.iter().flat_map(|file| file.symbols.iter().map(|row| (file.file.as_str(), row))).collect();
    // Stable: equal rows keep the order of the files, then that of the report.
    all.sort_by_key(|(_, row)| std::cmp::Reverse(row.total_bytes));
    let total: u64 = files.iter().map(|file| file.total_bytes).sum();
    let (shown, hidden) = choose(all.clone(), view);
    let with_files = files.len() > 1;
    let mut lines = vec![Line::heading(with_files)];
    lines.extend(shown.iter().map(|(file, row)| Line::new(parts(row), total, [&row.section, &row.name, file])));
    if !hidden.is_empty() {
        let name = format!("[{} more {}]", hidden.len(), if hidden.len() == 1 { "row" } else { "rows" });
        lines.push(Line::new(sum(&hidden), total, ["", &name, ""]));
    }
    lines.push(Line::new(sum(&all), total, ["", "TOTAL", ""]));
    let mut text = align(&lines);
    for file in files {
        text.push_str(&format!("\n{}: {}", file.file, summary(file, with_files)));
    }
    text
}

/// The sections of a file, or only their sum where there are many files.
fn summary(file: &FileReport, brief: bool) -> String {
    if file.sections.is_empty() {
        "no sections that take ROM".to_owned()
    } else if brief {
        file.total_bytes.to_string()
    } else {
        let sections = file.sections.iter().map(|section| format!("{} {}", section.name, section.bytes));
        sections.collect::<Vec<_>>().join(", ")
    }
}

type Shown<'a> = Vec<(&'a str, &'a Row)>;

fn choose<'a>(all: Shown<'a>, view: &View) -> (Shown<'a>, Shown<'a>) {
    let (mut shown, mut hidden): (Shown, Shown) = all.into_iter().partition(|(_, row)| view.shows(row));
    hidden.extend(shown.split_off(view.rows_max.unwrap_or(usize::MAX).min(shown.len())));
    (shown, hidden)
}

fn sum(rows: &[(&str, &Row)]) -> [u64; 5] {
    rows.iter().fold([0; 5], |mut sums, (_, row)| {
        sums.iter_mut().zip(parts(row)).for_each(|(sum, part)| *sum += part);
        sums
    })
}

/// Longer section names are cut in the table.
const SECTION_CHARS_MAX: usize = 20;

/// A table line: six cells to align right, and text to align left.
struct Line {
    numbers: [String; 6],
    texts: Vec<String>,
}

impl Line {
    fn heading(with_files: bool) -> Line {
        let texts = if with_files { &["Section", "Name", "File"][..] } else { &["Section", "Name"] };
        Line {
            numbers: ["ROM%", "Total", "Code", "Literals", "Data", "Padding"].map(str::to_owned),
            texts: texts.iter().map(|text| text.to_string()).collect(),
        }
    }

    fn new([code, literal, data, padding, total]: [u64; 5], of: u64, texts: [&str; 3]) -> Line {
        let share = if of == 0 { "-".to_owned() } else { format!("{:.1}%", total as f64 * 100.0 / of as f64) };
        let bytes = [total, code, literal, data, padding].map(|bytes| bytes.to_string());
        let [total, code, literal, data, padding] = bytes;
        let [section, name, file] = texts;
        // With a section for each function its name repeats the symbol's.
        let section = match section.char_indices().nth(SECTION_CHARS_MAX) {
            Some((cut, _)) => format!("{}…", &section[..cut]),
            None => section.to_owned(),
        };
        Line {
            numbers: [share, total, code, literal, data, padding],
            texts: vec![section, name.to_owned(), file.to_owned()],
        }
    }
}

fn align(lines: &[Line]) -> String {
    let columns = lines[0].texts.len();
    let number_width = |at: usize| lines.iter().map(|line| line.numbers[at].chars().count()).max().unwrap_or(0);
    let text_width = |at: usize| lines.iter().map(|line| line.texts[at].chars().count()).max().unwrap_or(0);
    let number_widths: [usize; 6] = std::array::from_fn(number_width);
    let text_widths: Vec<usize> = (0..columns).map(text_width).collect();
    let mut text = String::new();
    for line in lines {
        let numbers = line.numbers.iter().zip(number_widths).map(|(cell, width)| format!("{cell:>width$}"));
        let texts = line.texts.iter().zip(&text_widths).map(|(cell, width)| format!("{cell:<width$}"));
        let cells: Vec<String> = numbers.chain(texts).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
