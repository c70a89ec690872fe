//! Which function takes which bytes of ROM, for any ELF file, object or archive.
//!
//! ```text
//! path → input (files, archive members) → image (sections, symbols, mapping symbols)
//!      → range_map (every byte has one owner or none) → attribute (rows) → report (table, JSON)
//! ```
//!
//! The rows of a section always add up to the section: a byte is counted once, and a byte that no symbol claims is
//! in a row named `[padding]` or `[unattributed]`. [`report::FileReport::check`] verifies that on every run.

pub mod attribute;
pub mod budget;
pub mod code;
pub mod diff;
pub mod disasm;
pub mod image;
pub mod input;
pub mod manifest;
pub mod names;
pub mod range_map;
pub mod report;
pub mod source;
pub mod view;

use manifest::Manifest;
use report::FileReport;
use std::path::Path;

/// What keeps an input from being measured. The message says what is wrong and where, without the file's name.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot be read ({0}); check the name and the permissions")]
    Read(#[from] std::io::Error),
    /// A folder was given.
    #[error("is a folder; give an ELF file, an object or an archive")]
    Folder,
    /// A device, pipe or socket was given.
    #[error("is not a regular file; write what it delivers to one and give that")]
    NotRegular,
    /// There is nothing in it.
    #[error("is empty; give an ELF file, an object or an archive")]
    Empty,
    /// It begins like nothing that can be measured.
    #[error("is neither an ELF file nor an archive (it begins with {0}); give an ELF file, an object or an archive")]
    UnknownFormat(String),
    /// An archive without members.
    #[error("is an archive without members; add objects to it")]
    NoMembers,
    /// A thin archive holds file names only.
    #[error("is a thin archive, which holds no code; give its members, or make a plain archive with `ar rcs`")]
    ThinArchive,
    /// Part of the file contradicts another part or its length.
    #[error("is truncated or corrupt: {what}: {why}; copy it again or build it again")]
    Corrupt {
        /// Which part.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The rows do not add up: a fault in this program.
    #[error("internal fault: {0}; please report it with the file")]
    Invariant(#[from] report::Imbalance),
}

impl Error {
    fn corrupt(what: impl Into<String>, why: impl ToString) -> Error {
        Error::Corrupt { what: what.into(), why: why.to_string() }
    }
}

/// Measures a file, or every member of an archive: pairs of a display name and a checked report or what went wrong.
/// Generated kernels are described by `manifest`, or by what lies beside the file if that is `None`.
pub fn measure(path: &Path, manifest: Option<&Manifest>) -> Vec<(String, Result<FileReport, Error>)> {
    let shown = path.display().to_string();
    let bytes = match input::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return vec![(shown, Err(error))],
    };
    let (beside, mut warnings) = manifest.map_or_else(|| Manifest::beside(path), |given| (given.clone(), Vec::new()));
    let measured = input::split(&shown, &bytes).into_iter().map(|(name, data)| {
        let mut report = data.and_then(|data| measure_bytes(&name, data));
        if let Ok(report) = &mut report {
            report.warnings.append(&mut warnings);
            beside.decorate(report);
        }
        (name, report)
    });
    measured.collect()
}

/// Measures one ELF file or object that is already in memory; `name` is only shown.
pub fn measure_bytes(name: &str, data: &[u8]) -> Result<FileReport, Error> {
    let mut image = image::Image::parse(data)?;
    source::add(data, &mut image);
    let report = attribute::attribute(name, &image);
    report.check()?;
    Ok(report)
}
