//! How reports are printed.
//!
//! [`select`] decides which lines there are, `columns` what is in them; each format has a file of its own.

mod columns;
mod json;
pub mod select;
mod table;

use crate::report::FileReport;
use clap::ValueEnum;
use select::View;

/// How reports are printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Format {
    /// Aligned columns
    #[default]
    Table,
    /// {"files": [{"file", "symbols", "sections", "total_bytes", …}]}
    Json,
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
}

/// The text of the reports, with its last line end.
///
/// # Errors
/// Only by a fault in this program.
pub fn print(files: &[FileReport], view: &View, format: Format, _listings: &[Listing]) -> Result<String, Error> {
    match format {
        Format::Table => Ok(table::table(files, view)),
        Format::Json => Ok(json::json(files, view)?),
    }
}
