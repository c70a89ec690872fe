//! What changed between two builds: sections and rows that grew, shrank, came or went.
//!
//! Rows are matched by name and section, both without the hashes that compilers put into them. Of several with one name
//! those with the same symbol belong together, then those in the same place when ordered by size.

mod matching;
mod print;

pub use matching::{PairError, pair_paths, pair_reports};
pub use print::{Error, print};

use crate::report::{FileReport, Row, SectionTotal};
use crate::view::select::View;
use serde::Serialize;
use std::borrow::Cow;

/// A number in two builds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Figure {
    /// In the older build; `None` if there is nothing that has it, or if it is not known.
    pub base: Option<u64>,
    /// In the newer build, likewise.
    pub new: Option<u64>,
    /// The newer less the older; of what was added or removed, its whole. 0 if it is known of only one of two.
    pub delta: i64,
}

/// What happened to a row or a section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// The first figure that differs is larger.
    Grown,
    /// The first figure that differs is smaller.
    Shrunk,
    /// It is only in the newer build.
    Added,
    /// It is only in the older build.
    Removed,
}

/// A row or a section that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// What happened.
    pub change: Change,
    /// Name, as in [`Row`] and [`SectionTotal`].
    pub name: String,
    /// Section of a row, in the newer build if it is there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// ROM bytes.
    pub total_bytes: Figure,
    /// RAM bytes.
    pub ram_bytes: Figure,
    /// Stack with all calls, where it is known.
    #[serde(skip_serializing_if = "Figure::is_unknown")]
    pub worst_bytes: Figure,
    /// Cycles of a generated kernel.
    #[serde(skip_serializing_if = "Figure::is_unknown")]
    pub cycles: Figure,
}

/// A kind of memory in two builds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Region {
    /// Name, as in [`crate::report::RegionTotal`].
    pub name: String,
    /// Bytes in use.
    pub bytes: Figure,
}

/// Two builds of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileDiff {
    /// The newer one; empty if a member of an archive is gone.
    pub file: String,
    /// The older one; empty if a member of an archive is new.
    pub base: String,
    /// ROM bytes.
    pub total_bytes: Figure,
    /// RAM bytes.
    pub ram_bytes: Figure,
    /// All kinds of memory.
    pub regions: Vec<Region>,
    /// Sections that differ, the largest difference first.
    pub sections: Vec<Line>,
    /// How many sections do not differ.
    pub unchanged_sections: usize,
    /// Rows that differ, the largest difference first.
    pub symbols: Vec<Line>,
    /// How many rows do not differ.
    pub unchanged_symbols: usize,
}

impl Figure {
    fn new(base: Option<u64>, new: Option<u64>) -> Figure {
        let delta = i128::from(new.unwrap_or(0)) - i128::from(base.unwrap_or(0));
        let limit = if delta < 0 { i64::MIN } else { i64::MAX };
        Figure { base, new, delta: i64::try_from(delta).unwrap_or(limit) }
    }

    fn is_unknown(&self) -> bool {
        self.base.is_none() && self.new.is_none()
    }

    /// The two sums.
    fn plus(self, other: Figure) -> Figure {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0)));
        Figure::new(sum(self.base, other.base), sum(self.new, other.new))
    }
}

/// What a line is made of.
struct Item<'a> {
    /// Name and section as they are matched.
    key: (Cow<'a, str>, Cow<'a, str>),
    /// What distinguishes items of one key.
    symbol: &'a str,
    name: &'a str,
    section: &'a str,
    /// ROM, RAM, stack, cycles.
    figures: [Option<u64>; 4],
}

impl<'a> Item<'a> {
    fn of_row(row: &'a Row) -> Item<'a> {
        Item {
            key: (Cow::Borrowed(&row.name), matching::without_hash(&row.section)),
            symbol: row.symbol.as_deref().unwrap_or(&row.name),
            name: &row.name,
            section: &row.section,
            figures: [
                Some(row.total_bytes),
                Some(row.ram_bytes),
                // A lower bound is nothing to compare.
                row.stack.as_ref().filter(|stack| stack.unknown.is_empty()).map(|stack| stack.worst_bytes),
                row.kernel.as_ref().map(|kernel| kernel.cycles),
            ],
        }
    }

    fn of_section(section: &'a SectionTotal) -> Item<'a> {
        Item {
            key: (matching::without_hash(&section.name), Cow::Borrowed("")),
            symbol: &section.name,
            name: &section.name,
            section: "",
            figures: [Some(section.bytes), Some(section.ram_bytes), None, None],
        }
    }
}

impl Line {
    /// `None` if nothing differs.
    fn new(base: Option<&Item<'_>>, new: Option<&Item<'_>>) -> Option<Line> {
        let item = new.or(base)?;
        let figure = |at: usize| {
            let figure = Figure::new(base.and_then(|item| item.figures[at]), new.and_then(|item| item.figures[at]));
            // What is known of only one of two builds has not changed.
            let comparable = base.is_none() || new.is_none() || (figure.base.is_some() && figure.new.is_some());
            if comparable { figure } else { Figure { delta: 0, ..figure } }
        };
        let figures: [Figure; 4] = std::array::from_fn(figure);
        let change = match (base, new) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            _ => match figures.iter().find(|figure| figure.delta != 0)?.delta {
                ..0 => Change::Shrunk,
                _ => Change::Grown,
            },
        };
        let [total_bytes, ram_bytes, worst_bytes, cycles] = figures;
        let (name, section) = (item.name.to_owned(), item.section.to_owned());
        Some(Line { change, name, section, total_bytes, ram_bytes, worst_bytes, cycles })
    }

    fn figures(&self) -> [Figure; 4] {
        [self.total_bytes, self.ram_bytes, self.worst_bytes, self.cycles]
    }
}

/// Compares two builds. Rows are grouped and filtered as the view says.
pub fn compare(base: &FileReport, new: &FileReport, view: &View) -> FileDiff {
    let all = View { rows_max: None, ..view.clone() };
    let rows = |report| all.select(std::slice::from_ref(report)).shown;
    let (base_rows, new_rows) = (rows(base), rows(new));
    let (symbols, unchanged_symbols) = lines(
        base_rows.iter().map(|entry| Item::of_row(&entry.row)).collect(),
        new_rows.iter().map(|entry| Item::of_row(&entry.row)).collect(),
    );
    let (sections, unchanged_sections) = lines(
        base.sections.iter().map(Item::of_section).collect(),
        new.sections.iter().map(Item::of_section).collect(),
    );
    FileDiff {
        file: new.file.clone(),
        base: base.file.clone(),
        total_bytes: Figure::new(Some(base.total_bytes), Some(new.total_bytes)),
        ram_bytes: Figure::new(Some(base.ram_bytes), Some(new.ram_bytes)),
        regions: regions(base, new),
        sections,
        unchanged_sections,
        symbols,
        unchanged_symbols,
    }
}

/// The lines that differ, the largest difference first, and how many do not.
fn lines(base: Vec<Item<'_>>, new: Vec<Item<'_>>) -> (Vec<Line>, usize) {
    let pairs = matching::pairs(base, new);
    let count = pairs.len();
    let mut lines: Vec<Line> = pairs.iter().filter_map(|(base, new)| Line::new(base.as_ref(), new.as_ref())).collect();
    lines.sort_by(|a, b| {
        let size = |line: &Line| line.figures().map(|figure| figure.delta.unsigned_abs());
        size(b).cmp(&size(a)).then_with(|| (&a.name, &a.section).cmp(&(&b.name, &b.section)))
    });
    let unchanged = count - lines.len();
    (lines, unchanged)
}

/// The regions of both, in the order of the newer one.
fn regions(base: &FileReport, new: &FileReport) -> Vec<Region> {
    let bytes = |report: &FileReport, name: &str| {
        report.regions.iter().find(|region| region.name == name).map(|region| region.bytes)
    };
    let only_before = base.regions.iter().filter(|region| bytes(new, &region.name).is_none());
    let both = new.regions.iter().chain(only_before);
    both.map(|region| Region {
        name: region.name.clone(),
        bytes: Figure::new(bytes(base, &region.name), bytes(new, &region.name)),
    })
    .collect()
}
