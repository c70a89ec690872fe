//! What a view shows: rows that are filtered, added up in groups, sorted and cut. Totals stay those of the whole.

use crate::report::{FileReport, Row};
use clap::ValueEnum;
use regex_lite::Regex;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Name of the group of rows that belong to none.
pub const OTHER: &str = "[other]";

/// What makes a line of a view.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum By {
    /// A line for each symbol in each section
    #[default]
    Function,
    /// Rows added up by the crate that a Rust name begins with
    Crate,
    /// Rows added up by the family of generated kernels
    Family,
    /// Rows added up by section
    Section,
    /// Rows added up by input file or archive member; if there is only one, by source file
    File,
}

/// What lines are ordered by.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Sort {
    /// ROM bytes, largest first
    #[default]
    Total,
    /// Bytes of instructions, largest first
    Code,
    /// Bytes of literal pools, largest first
    Literals,
    /// Bytes of constants and initial values, largest first
    Data,
    /// Bytes of alignment fill, largest first
    Padding,
    /// RAM bytes, largest first
    Ram,
    /// Stack of the function itself, largest first
    Stack,
    /// Stack over all calls, as far as it is known, largest first
    Worst,
    /// Cycles of a generated kernel, most first
    Cycles,
    /// Name, in alphabetical order
    Name,
    /// Address, lowest first
    Address,
}

/// Which rows are shown, and how. What is left out is still counted in the totals.
#[derive(Clone, Default, Debug)]
pub struct View {
    /// What makes a line.
    pub by: By,
    /// Order of the lines.
    pub sort: Sort,
    /// Only rows of which a name (demangled, mangled, or an alias) matches.
    pub filter: Option<Regex>,
    /// At most this many lines; all if `None`.
    pub rows_max: Option<usize>,
}

/// A line: a row of a file, or rows added up.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The file it is in; empty for a group with rows in several.
    pub file: &'a str,
    /// The row. In a group only the name, the section if all are in one, and the sums are set.
    pub row: Cow<'a, Row>,
}

/// The lines of a view.
#[derive(Clone, Debug)]
pub struct Selection<'a> {
    /// Lines that are shown, in order.
    pub shown: Vec<Entry<'a>>,
    /// How many lines are not.
    pub hidden: usize,
    /// The sum of the lines that are not shown, named `[n more rows]`.
    pub rest: Row,
    /// The sum of all rows, named `TOTAL`.
    pub total: Row,
}

impl View {
    /// True if a row passes the filter.
    pub fn shows(&self, row: &Row) -> bool {
        let mut names = [&row.name].into_iter().chain(&row.symbol).chain(&row.aliases);
        self.filter.as_ref().is_none_or(|filter| names.any(|name| filter.is_match(name)))
    }

    /// The lines of all files together.
    pub fn select<'a>(&self, files: &'a [FileReport]) -> Selection<'a> {
        let rows = files.iter().flat_map(|file| file.symbols.iter().map(|row| (file.file.as_str(), row)));
        let (matching, others): (Vec<_>, Vec<_>) = rows.clone().partition(|(_, row)| self.shows(row));
        let several = files.len() > 1;
        let mut shown = self.lines(&matching, several);
        shown.sort_by(|a, b| self.sort.compare(&a.row, &b.row));
        let cut = shown.split_off(self.rows_max.unwrap_or(usize::MAX).min(shown.len()));
        let hidden = cut.len() + self.lines(&others, several).len();
        let what = if hidden == 1 { "row" } else { "rows" };
        let mut rest = named(format!("[{hidden} more {what}]"));
        cut.iter().for_each(|entry| add(&mut rest, &entry.row));
        others.iter().for_each(|(_, row)| add(&mut rest, row));
        let mut total = named("TOTAL".to_owned());
        rows.for_each(|(_, row)| add(&mut total, row));
        Selection { shown, hidden, rest, total }
    }

    fn lines<'a>(&self, rows: &[(&'a str, &'a Row)], several: bool) -> Vec<Entry<'a>> {
        if self.by == By::Function {
            return rows.iter().map(|(file, row)| Entry { file, row: Cow::Borrowed(*row) }).collect();
        }
        let mut groups: BTreeMap<&str, Entry> = BTreeMap::new();
        for &(file, row) in rows {
            let name = self.by.group(file, row, several);
            let start = || {
                // A group by file or section has the name that would stand there.
                let section = if self.by == By::Section { String::new() } else { row.section.clone() };
                let file = if self.by == By::File && several { "" } else { file };
                Entry { file, row: Cow::Owned(Row { section, ..named(name.to_owned()) }) }
            };
            let group = groups.entry(name).or_insert_with(start);
            if group.file != file {
                group.file = "";
            }
            let sum = group.row.to_mut();
            if sum.section != row.section {
                sum.section.clear();
            }
            add(sum, row);
        }
        groups.into_values().collect()
    }
}

impl By {
    fn group<'a>(self, file: &'a str, row: &'a Row, several: bool) -> &'a str {
        match self {
            By::Function => &row.name,
            By::Crate => row.crate_name.as_deref().unwrap_or(OTHER),
            By::Family => row.family.as_deref().unwrap_or(OTHER),
            By::Section => &row.section,
            By::File if several => file,
            By::File => row.source.as_deref().unwrap_or(OTHER),
        }
    }
}

impl Sort {
    /// Equal lines are ordered by ROM, then by RAM, and else keep the order of the report.
    fn compare(self, a: &Row, b: &Row) -> Ordering {
        let first = match self {
            Sort::Name => a.name.cmp(&b.name),
            Sort::Address => a.address.cmp(&b.address).then_with(|| a.section.cmp(&b.section)),
            _ => self.number(b).cmp(&self.number(a)),
        };
        first.then_with(|| (b.total_bytes, b.ram_bytes).cmp(&(a.total_bytes, a.ram_bytes)))
    }

    fn number(self, row: &Row) -> Option<u64> {
        let stack = row.stack.as_ref();
        match self {
            Sort::Code => Some(row.code_bytes),
            Sort::Literals => Some(row.literal_bytes),
            Sort::Data => Some(row.data_bytes),
            Sort::Padding => Some(row.padding_bytes),
            Sort::Ram => Some(row.ram_bytes),
            Sort::Stack => stack.and_then(|stack| stack.frame_bytes),
            Sort::Worst => stack.map(|stack| stack.worst_bytes),
            Sort::Cycles => row.kernel.as_ref().map(|kernel| kernel.cycles),
            Sort::Total | Sort::Name | Sort::Address => Some(row.total_bytes),
        }
    }
}

fn named(name: String) -> Row {
    Row { name, ..Row::default() }
}

fn add(sum: &mut Row, row: &Row) {
    sum.code_bytes += row.code_bytes;
    sum.literal_bytes += row.literal_bytes;
    sum.data_bytes += row.data_bytes;
    sum.padding_bytes += row.padding_bytes;
    sum.total_bytes += row.total_bytes;
    sum.ram_bytes += row.ram_bytes;
}
