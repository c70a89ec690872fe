//! How a comparison is printed: cells are `value (+delta)`.

use super::{Figure, FileDiff, Line};
use crate::view::Format;
use crate::view::csv::quoted;
use crate::view::md::code;
use crate::view::table::{TEXT_CHARS_MAX, pad, shortened};
use serde_json::json;

/// Why a comparison cannot be printed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The format has no place for it.
    #[error("--format {0} cannot show a comparison; use table, md, json, csv or html with --diff")]
    Format(&'static str),
    /// It cannot be written as JSON.
    #[error("internal fault: JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The page cannot be filled in.
    #[error("internal fault: HTML: {0}")]
    Html(#[from] askama::Error),
}

/// The text of the comparisons, with its last line end; of each at most `rows_max` rows.
///
/// # Errors
/// If the format cannot show a comparison; all others are faults in this program.
pub fn print(diffs: &[FileDiff], rows_max: Option<usize>, format: Format) -> Result<String, Error> {
    match format {
        Format::Table => Ok(table(diffs, rows_max)),
        Format::Md => Ok(md(diffs, rows_max)),
        Format::Json => json(diffs, rows_max),
        Format::Csv => Ok(csv(diffs, rows_max)),
        Format::Html => Ok(html(diffs, rows_max)?),
        Format::Folded => Err(Error::Format("folded")),
        Format::Berkeley => Err(Error::Format("berkeley")),
    }
}

/// Rows that Markdown shows at once; the others are in a fold.
const ROWS_SEEN: usize = 20;

fn cell(figure: Figure) -> String {
    match (figure.delta, figure.new.or(figure.base)) {
        (_, None) => String::new(),
        (0, Some(0)) => String::new(),
        (0, Some(value)) => value.to_string(),
        (delta, _) => format!("{} ({delta:+})", figure.new.unwrap_or(0)),
    }
}

/// Cells with headings; columns that are empty throughout are left out.
struct Grid {
    /// Heading, and true for numbers.
    columns: Vec<(&'static str, bool)>,
    lines: Vec<Vec<String>>,
}

const COLUMNS: [(&str, bool); 7] = [
    ("Change", false),
    ("ROM", true),
    ("RAM", true),
    ("Worst", true),
    ("Cycles", true),
    ("Section", false),
    ("Name", false),
];

impl Grid {
    fn new(lines: &[Line]) -> Grid {
        let cells = |line: &Line| {
            let [rom, ram, worst, cycles] = line.figures().map(cell);
            let change = format!("{:?}", line.change).to_lowercase();
            vec![change, rom, ram, worst, cycles, line.section.clone(), line.name.clone()]
        };
        let full: Vec<Vec<String>> = lines.iter().map(cells).collect();
        let says = |at: &usize| full.iter().any(|line| !line[*at].is_empty());
        let kept: Vec<usize> = (0..COLUMNS.len()).filter(says).collect();
        Grid {
            columns: kept.iter().map(|&at| COLUMNS[at]).collect(),
            lines: full.iter().map(|line| kept.iter().map(|&at| line[at].clone()).collect()).collect(),
        }
    }

    fn text(&self) -> String {
        let heading = self.columns.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        let short = |line: &Vec<String>| line.iter().map(|cell| shortened(cell, TEXT_CHARS_MAX)).collect();
        let lines: Vec<Vec<String>> = std::iter::once(heading).chain(self.lines.iter().map(short)).collect();
        let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let cells = line.iter().zip(&widths).zip(&self.columns);
            let padded = cells.map(|((cell, width), (_, number))| pad(cell, *width, *number));
            text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    fn md(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|(heading, _)| (*heading).to_owned()).collect());
        text +=
            &line(self.columns.iter().map(|(_, number)| if *number { "---:" } else { ":---" }.to_owned()).collect());
        for cells in &self.lines {
            let names = |(cell, (heading, number)): (&String, &(&str, bool))| match *number || *heading == "Change" {
                true => cell.clone(),
                false => code(cell),
            };
            text += &line(cells.iter().zip(&self.columns).map(names).collect());
        }
        text
    }
}

/// At most `rows_max` lines, and what the others are.
fn cut(lines: &[Line], rows_max: Option<usize>) -> (&[Line], Option<String>) {
    let (shown, rest) = lines.split_at(rows_max.unwrap_or(usize::MAX).min(lines.len()));
    let rom: i128 = rest.iter().map(|line| i128::from(line.total_bytes.delta)).sum();
    let more =
        format!("{} more {} ({rom:+} bytes ROM)", rest.len(), if rest.len() == 1 { "change" } else { "changes" });
    (shown, (!rest.is_empty()).then_some(more))
}

/// Regions, as `ROM 3012 (+100)`.
fn regions(diff: &FileDiff) -> String {
    let used = diff.regions.iter().map(|region| (region, cell(region.bytes))).filter(|(_, cell)| !cell.is_empty());
    used.map(|(region, cell)| format!("{} {cell}", region.name)).collect::<Vec<_>>().join(", ")
}

fn unchanged(diff: &FileDiff) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    format!("unchanged: {}, {}", count(diff.unchanged_sections, "section"), count(diff.unchanged_symbols, "row"))
}

/// What is compared; of a member that is only in one archive, that.
fn title(diff: &FileDiff, name: fn(&str) -> String) -> String {
    match (&*diff.base, &*diff.file) {
        ("", file) => format!("{}: added", name(file)),
        (base, "") => format!("{}: removed", name(base)),
        (base, file) => format!("{} compared with {}", name(file), name(base)),
    }
}

/// Totals over all files, if there are several.
fn total(diffs: &[FileDiff]) -> Option<String> {
    let sum = |of: fn(&FileDiff) -> Figure| diffs.iter().map(of).reduce(Figure::plus).unwrap_or_default();
    let (rom, ram) = (sum(|diff| diff.total_bytes), sum(|diff| diff.ram_bytes));
    (diffs.len() > 1).then(|| {
        let cells = [("ROM", cell(rom)), ("RAM", cell(ram))];
        let used = cells.iter().filter(|(_, cell)| !cell.is_empty());
        format!("TOTAL {}", used.map(|(name, cell)| format!("{name} {cell}")).collect::<Vec<_>>().join(", "))
    })
}

fn table(diffs: &[FileDiff], rows_max: Option<usize>) -> String {
    let mut text = String::new();
    for diff in diffs {
        text += &format!("{}\n", title(diff, str::to_owned));
        let (shown, more) = cut(&diff.symbols, rows_max);
        for lines in [&diff.sections[..], shown].into_iter().filter(|lines| !lines.is_empty()) {
            text += &format!("{}\n", Grid::new(lines).text());
        }
        for line in more.into_iter().chain([unchanged(diff), regions(diff)]).filter(|line| !line.is_empty()) {
            text += &format!("{line}\n");
        }
        text += "\n";
    }
    match total(diffs) {
        Some(total) => text + &total + "\n",
        None => text.trim_end().to_owned() + "\n",
    }
}

fn md(diffs: &[FileDiff], rows_max: Option<usize>) -> String {
    let mut text = String::new();
    for diff in diffs {
        text += &format!("### {}\n\n{}\n\n", title(diff, code), regions(diff));
        let (shown, more) = cut(&diff.symbols, rows_max);
        let (seen, folded) = shown.split_at(if rows_max.is_none() { ROWS_SEEN.min(shown.len()) } else { shown.len() });
        for lines in [&diff.sections[..], seen].into_iter().filter(|lines| !lines.is_empty()) {
            text += &format!("{}\n", Grid::new(lines).md());
        }
        if !folded.is_empty() {
            let table = Grid::new(folded).md();
            text += &format!("<details><summary>{} more changes</summary>\n\n{table}\n</details>\n\n", folded.len());
        }
        more.into_iter().chain([unchanged(diff)]).for_each(|line| text += &format!("{line}\n\n"));
    }
    total(diffs).into_iter().for_each(|total| text += &format!("**{total}**\n\n"));
    text.trim_end().to_owned() + "\n"
}

fn json(diffs: &[FileDiff], rows_max: Option<usize>) -> Result<String, Error> {
    let cut = |diff: &FileDiff| {
        let symbols = cut(&diff.symbols, rows_max).0.to_vec();
        FileDiff { symbols, ..diff.clone() }
    };
    Ok(serde_json::to_string_pretty(&json!({ "diffs": diffs.iter().map(cut).collect::<Vec<_>>() }))? + "\n")
}

/// A record for each region, section and row that differs.
fn csv(diffs: &[FileDiff], rows_max: Option<usize>) -> String {
    let mut text = "file,base_file,kind,change,section,name".to_owned();
    for name in ["total_bytes", "ram_bytes", "worst_bytes", "cycles"] {
        text += &format!(",{name},base_{name},delta_{name}");
    }
    text.push('\n');
    for diff in diffs {
        let sections = diff.sections.iter().map(|line| ("section", line));
        let symbols = cut(&diff.symbols, rows_max).0.iter().map(|line| ("row", line));
        for (kind, line) in sections.chain(symbols) {
            let change = format!("{:?}", line.change).to_lowercase();
            let texts = [&diff.file, &diff.base, kind, &change, &line.section, &line.name];
            let mut cells: Vec<String> = texts.into_iter().map(|text| quoted(text.to_owned())).collect();
            let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
            for figure in line.figures() {
                let delta = if figure.is_unknown() { String::new() } else { figure.delta.to_string() };
                cells.extend([number(figure.new), number(figure.base), delta]);
            }
            text += &(cells.join(",") + "\n");
        }
    }
    text
}

/// One page that needs nothing else.
#[derive(askama::Template)]
#[template(path = "diff.html")]
struct Page {
    chapters: Vec<Chapter>,
    total: Option<String>,
}

struct Chapter {
    title: String,
    lines: Vec<String>,
    grids: Vec<Grid>,
}

fn html(diffs: &[FileDiff], rows_max: Option<usize>) -> Result<String, askama::Error> {
    let chapter = |diff: &FileDiff| {
        let (shown, more) = cut(&diff.symbols, rows_max);
        let lines = [regions(diff), unchanged(diff)].into_iter().chain(more).filter(|line| !line.is_empty());
        let grids = [&diff.sections[..], shown].into_iter().filter(|lines| !lines.is_empty()).map(Grid::new);
        Chapter { title: title(diff, str::to_owned), lines: lines.collect(), grids: grids.collect() }
    };
    let page = Page { chapters: diffs.iter().map(chapter).collect(), total: total(diffs) };
    askama::Template::render(&page)
}
