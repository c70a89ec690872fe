//! One page that needs nothing else: no script to be read, no network, no font.

use super::columns::{self, Grid};
use super::select::View;
use super::treemap::{self, Tile};
use super::{Extras, Listing};
use crate::report::{FileReport, Row, SectionTotal};
use askama::Template;
use std::collections::BTreeMap;

/// The four parts of ROM: class and name, in the order of [`Row::parts`].
const PARTS: [(&str, &str); 4] = [("code", "code"), ("literal", "literals"), ("data", "data"), ("padding", "padding")];
/// Families with a colour of their own; the style sheet has as many.
const FAMILY_COLOURS: usize = 8;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    /// Of the headings of parts: they are below the page's heading, or below that of their file.
    level: u8,
    files: Vec<Chapter<'a>>,
    listings: &'a [Listing],
    width: f64,
    height: f64,
}

/// What the page shows of a file.
struct Chapter<'a> {
    report: &'a FileReport,
    machine: Option<&'a str>,
    bars: Vec<Bar<'a>>,
    legend: Vec<(String, &'a str)>,
    tiles: Vec<Tile>,
    grid: Grid,
    sections: &'a [SectionTotal],
}

/// Use of a region.
struct Bar<'a> {
    name: &'a str,
    used: String,
    /// Of which so many are in use.
    limit: Option<String>,
    over: bool,
    /// Class, name, bytes, and width in percent of the whole bar.
    parts: Vec<(&'static str, &'static str, u64, f64)>,
}

/// Which colour a row has.
pub struct Palette<'a> {
    /// The largest families, if there are any, in the order of the classes.
    families: Vec<&'a str>,
}

impl<'a> Palette<'a> {
    fn new(report: &'a FileReport) -> Palette<'a> {
        let mut families: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &report.symbols {
            if let Some(family) = &row.family {
                *families.entry(family).or_default() += row.total_bytes;
            }
        }
        let mut families: Vec<_> = families.into_iter().collect();
        families.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        Palette { families: families.into_iter().take(FAMILY_COLOURS).map(|(family, _)| family).collect() }
    }

    /// The class of a row: its family, or the largest of its parts.
    pub fn class(&self, row: &Row) -> String {
        let family = self.families.iter().position(|family| row.family.as_deref() == Some(family));
        let parts = row.parts().into_iter().zip(PARTS);
        // Of equal parts the last is the largest: code comes last.
        let largest = parts.rev().max_by_key(|(bytes, _)| *bytes).map_or(PARTS[0], |(_, part)| part);
        family.map_or(largest.0.to_owned(), |at| format!("family{at}"))
    }

    /// The classes of these tiles with what they mean.
    fn legend(&self, tiles: &[Tile]) -> Vec<(String, &'a str)> {
        let families = self.families.iter().enumerate().map(|(at, family)| (format!("family{at}"), *family));
        let parts = PARTS.iter().map(|(class, name)| ((*class).to_owned(), *name));
        let all = families.chain(parts).chain([("small".to_owned(), "pale: smaller ones together")]);
        all.filter(|(class, _)| tiles.iter().any(|tile| tile.class.split(' ').any(|of| of == class))).collect()
    }
}

/// The page with a chapter for each file.
pub fn html(files: &[FileReport], view: &View, extras: &Extras) -> Result<String, askama::Error> {
    let (title, level) = match files {
        [file] => (format!("Sizes of {}", file.file), 2),
        _ => (format!("Sizes of {} files", files.len()), 3),
    };
    let files = files.iter().map(|report| Chapter::new(report, view, extras)).collect();
    let page = Page { title, level, files, listings: &extras.listings, width: treemap::WIDTH, height: treemap::HEIGHT };
    page.render()
}

impl<'a> Chapter<'a> {
    fn new(report: &'a FileReport, view: &View, extras: &'a Extras) -> Chapter<'a> {
        let palette = Palette::new(report);
        let alone = std::slice::from_ref(report);
        let tiles = treemap::tiles(report, &palette);
        let mut targets = report.symbols.iter().filter_map(|row| Some(row.kernel.as_ref()?.target.as_str()));
        Chapter {
            report,
            machine: targets.next(),
            bars: bars(report, extras),
            legend: palette.legend(&tiles),
            tiles,
            grid: Grid::new(alone, &view.select(alone)).name_first(),
            sections: &report.sections,
        }
    }

    /// What a reader who does not see the treemap is told instead.
    fn alternative(&self) -> String {
        format!("Treemap of the {} bytes of ROM of {}; the table below says the same", self.rom(), self.report.file)
    }

    fn rom(&self) -> String {
        grouped(self.report.total_bytes)
    }

    fn ram(&self) -> String {
        grouped(self.report.ram_bytes)
    }
}

/// A bar for each region that is in use or limited. Bars without a limit are in proportion to each other.
fn bars<'a>(report: &'a FileReport, extras: &Extras) -> Vec<Bar<'a>> {
    let largest = report.regions.iter().map(|region| region.bytes).max().unwrap_or(0).max(1);
    let mut rom = [0; 4];
    for row in &report.symbols {
        rom.iter_mut().zip(row.parts()).for_each(|(sum, bytes)| *sum += bytes);
    }
    let bar = |name: &'a str, bytes: u64| {
        let limit = extras.limits.get(name).copied();
        let whole = limit.unwrap_or(largest).max(bytes).max(1);
        let part = |class, name, bytes: u64| (class, name, bytes, bytes as f64 * 100.0 / whole as f64);
        let parts = match name {
            "ROM" => PARTS.iter().zip(rom).map(|((class, name), bytes)| part(*class, *name, bytes)).collect(),
            _ => vec![part("plain", "used", bytes)],
        };
        let parts = parts.into_iter().filter(|(_, _, bytes, _)| *bytes > 0).collect();
        let over = limit.is_some_and(|limit| bytes > limit);
        Bar { name, used: grouped(bytes), limit: limit.map(grouped), over, parts }
    };
    let regions = report.regions.iter().filter(|region| region.bytes > 0 || extras.limits.contains_key(&region.name));
    regions.map(|region| bar(&region.name, region.bytes)).collect()
}

/// A number with its digits in threes, parted by narrow blanks.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}
