//! Rows, their invariant, and how they are printed.

use crate::image::Section;
use serde::Serialize;
use std::collections::BTreeMap;

/// What one symbol takes in one section.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// Symbol, or `[padding]` or `[unattributed]`.
    pub name: String,
    /// Section it is in.
    pub section: String,
    /// Address of its first byte, Thumb bit cleared; in objects the offset in the section.
    pub address: u64,
    /// Bytes of instructions.
    pub code_bytes: u64,
    /// Bytes of data between the instructions: literal pools and tables.
    pub literal_bytes: u64,
    /// Bytes of constants and of initial values.
    pub data_bytes: u64,
    /// Bytes of alignment fill.
    pub padding_bytes: u64,
    /// The sum of the four.
    pub total_bytes: u64,
}

impl Row {
    /// A row without bytes for something at `offset` in `section`.
    pub fn new(name: &str, section: &Section<'_>, offset: u64) -> Row {
        Row {
            name: name.to_owned(),
            section: section.name.clone(),
            address: section.address.wrapping_add(offset),
            code_bytes: 0,
            literal_bytes: 0,
            data_bytes: 0,
            padding_bytes: 0,
            total_bytes: 0,
        }
    }

    fn parts(&self) -> [u64; 5] {
        [self.code_bytes, self.literal_bytes, self.data_bytes, self.padding_bytes, self.total_bytes]
    }
}

/// A section and its size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SectionTotal {
    /// Name.
    pub name: String,
    /// Bytes in the file.
    pub bytes: u64,
}

/// Everything about one ELF file or object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileReport {
    /// Path as given, with the member in brackets if it comes from an archive.
    pub file: String,
    /// Rows, largest first.
    pub symbols: Vec<Row>,
    /// Sections that take ROM, in the file's order.
    pub sections: Vec<SectionTotal>,
    /// Bytes of all those sections.
    pub total_bytes: u64,
}

/// Rows that do not add up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what} adds up to {sum} bytes, not {expected}")]
pub struct Imbalance {
    what: String,
    sum: u64,
    expected: u64,
}

impl FileReport {
    /// Verifies that the parts of a row add up to the row, rows to their section and sections to the total.
    pub fn check(&self) -> Result<(), Imbalance> {
        let balance = |what: String, sum: u64, expected: u64| {
            if sum == expected { Ok(()) } else { Err(Imbalance { what, sum, expected }) }
        };
        let mut by_section: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for row in &self.symbols {
            let [code, literal, data, padding, total] = row.parts();
            balance(format!("row {}", row.name), code + literal + data + padding, total)?;
            by_section.entry(&row.section).or_default().0 += total;
        }
        for section in &self.sections {
            by_section.entry(&section.name).or_default().1 += section.bytes;
        }
        for (name, (rows, bytes)) in by_section {
            balance(format!("section {name}"), rows, bytes)?;
        }
        balance(self.file.clone(), self.sections.iter().map(|section| section.bytes).sum(), self.total_bytes)
    }
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
    lines.extend(shown.iter().map(|(file, row)| Line::new(row.parts(), total, [&row.section, &row.name, file])));
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
        sums.iter_mut().zip(row.parts()).for_each(|(sum, part)| *sum += part);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> FileReport {
        let row = |name: &str, code, padding| Row {
            name: name.to_owned(),
            section: ".text".to_owned(),
            address: 0,
            code_bytes: code,
            literal_bytes: 0,
            data_bytes: 0,
            padding_bytes: padding,
            total_bytes: code + padding,
        };
        FileReport {
            file: "a.o".to_owned(),
            symbols: vec![row("f", 90, 0), row("g", 8, 0), row("[padding]", 0, 2)],
            sections: vec![SectionTotal { name: ".text".to_owned(), bytes: 100 }],
            total_bytes: 100,
        }
    }

    type Plant = fn(&mut FileReport);

    /// Each planted fault breaks one of the sums; the check must name it.
    #[test]
    fn the_check_finds_planted_faults() {
        assert_eq!(report().check(), Ok(()));
        let faults: [(&str, Plant); 5] = [
            ("row f", |r| r.symbols[0].code_bytes += 1),
            ("section .text", |r| drop(r.symbols.pop())),
            ("section .text", |r| r.symbols.push(r.symbols[1].clone())),
            ("section .rodata", |r| r.sections.push(SectionTotal { name: ".rodata".to_owned(), bytes: 4 })),
            ("a.o", |r| r.total_bytes += 1),
        ];
        for (named, plant) in faults {
            let mut faulty = report();
            plant(&mut faulty);
            assert_eq!(faulty.check().expect_err(named).what, named);
        }
    }

    #[test]
    fn the_table_adds_up_whatever_is_shown() {
        let cases: &[(usize, &str, &str)] = &[
            (9, "", "f g [padding] TOTAL"),
            (1, "", "f [2 more rows] TOTAL"),
            (9, "^g", "g [2 more rows] TOTAL"),
            (9, "[fg]", "f g [padding] TOTAL"),
            (0, "", "[3 more rows] TOTAL"),
        ];
        for (rows_max, filter, names) in cases {
            let view = View { rows_max: Some(*rows_max), filter: Some(regex_lite::Regex::new(filter).unwrap()) };
            let table = table(&[report()], &view);
            let (body, sections) = table.split_once("\n\n").unwrap();
            assert_eq!(sections, "a.o: .text 100");
            let rows: Vec<Vec<&str>> = body.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
            let numbers = |row: &[&str]| -> Vec<u64> { row[1..6].iter().map(|cell| cell.parse().unwrap()).collect() };
            let (total, shown) = rows.split_last().unwrap();
            for at in 0..5 {
                assert_eq!(shown.iter().map(|row| numbers(row)[at]).sum::<u64>(), numbers(total)[at], "{table}");
            }
            let found: Vec<String> =
                rows.iter().map(|row| row[6..].join(" ").trim_start_matches(".text ").to_owned()).collect();
            assert_eq!(found.join(" "), *names, "{table}");
        }
    }
}
