//! How reports are printed.
//!
//! [`select`] decides which lines there are, `columns` what is in them; each format has a file of its own.

mod berkeley;
mod columns;
pub(crate) mod csv;
mod folded;
mod html;
mod json;
pub(crate) mod md;
pub mod select;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod treemap;

use crate::report::FileReport;
use clap::ValueEnum;
use select::View;
use std::collections::BTreeMap;

/// How reports are printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Format {
    /// Aligned columns
    #[default]
    Table,
    /// {"files": [{"file", "symbols", "sections", "total_bytes", …}]}
    Json,
    /// Comma-separated values with all columns
    Csv,
    /// Markdown: a report card, 20 rows and the others in a fold
    Md,
    /// Stacks for flame graphs: file;section;crate or family;name bytes
    Folded,
    /// One page with bars, treemap, tables and listings, which needs nothing else
    Html,
    /// text, data, bss, dec, hex, as `size` prints them; options that select rows change nothing
    Berkeley,
}

/// What is known beside the reports. Only HTML shows it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Extras {
    /// Annotated listings of functions.
    pub listings: Vec<Listing>,
    /// How many bytes there are in a region, by its name.
    pub limits: BTreeMap<String, u64>,
}

/// The annotated listing of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Name of the function.
    pub name: String,
    /// Lines of text, without line ends.
    pub lines: Vec<String>,
}

/// What keeps a report from being printed: a fault in this program.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The report cannot be written as JSON.
    #[error("internal fault: JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The page cannot be filled in.
    #[error("internal fault: HTML: {0}")]
    Html(#[from] askama::Error),
}

/// The text of the reports, with its last line end.
///
/// # Errors
/// Only by a fault in this program.
pub fn print(files: &[FileReport], view: &View, format: Format, extras: &Extras) -> Result<String, Error> {
    match format {
        Format::Table => Ok(table::table(files, view)),
        Format::Json => Ok(json::json(files, view)?),
        Format::Csv => Ok(csv::csv(files, view)),
        Format::Md => Ok(md::md(files, view)),
        Format::Folded => Ok(folded::folded(files, view)),
        Format::Html => Ok(html::html(files, view, extras)?),
        Format::Berkeley => Ok(berkeley::berkeley(files)),
    }
}
