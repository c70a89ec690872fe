//! What is known of generated kernels from elsewhere: the manifest that was written beside them.
//!
//! A manifest is JSON: a list of objects, or one, each with the fields of `Entry`; other fields are of no interest
//! here. It is believed only for code of the size that it states.

use crate::report::{FileReport, Kernel, Row, RowKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Name of a manifest for all files of its folder.
pub const NAME: &str = "quadround.json";
/// What the names of generated functions begin with.
pub const PREFIX: &str = "qr_";
/// A larger file is no manifest: one of a function takes less than 10 KB.
const BYTES_MAX: u64 = 64 << 20;

/// What a manifest says of one function.
#[derive(Clone, Debug, Deserialize)]
struct Entry {
    symbol: String,
    family: String,
    code_bytes: u64,
    #[serde(flatten)]
    kernel: Kernel,
}

/// One or several manifests.
#[derive(Clone, Default, Debug)]
pub struct Manifest {
    /// Where an entry is from, and the entry, by symbol.
    entries: BTreeMap<String, (String, Entry)>,
}

/// Why a file is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is too large to be one.
    #[error("has {0} bytes, more than any manifest of kernels")]
    Large(u64),
    /// It is not JSON, or JSON of something else.
    #[error("is no manifest of kernels: {0}")]
    Json(#[from] serde_json::Error),
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// If the file cannot be read or is no manifest; the message does not name it.
    pub fn read(path: &Path) -> Result<Manifest, Error> {
        let bytes = std::fs::metadata(path)?.len();
        if bytes > BYTES_MAX {
            return Err(Error::Large(bytes));
        }
        let text = std::fs::read(path)?;
        let is_list = text.trim_ascii_start().first() == Some(&b'[');
        let entries: Vec<Entry> =
            if is_list { serde_json::from_slice(&text)? } else { vec![serde_json::from_slice(&text)?] };
        let shown = path.display().to_string();
        let named = entries.into_iter().map(|entry| (entry.symbol.clone(), (shown.clone(), entry)));
        Ok(Manifest { entries: named.collect() })
    }

    /// The manifests beside a file: `quadround.json`, and before it `NAME.json` for a file `NAME.elf`, `NAME.o` or
    /// `NAME`. With them, what is wrong with those that cannot be read: a sentence for each that names it.
    pub fn beside(path: &Path) -> (Manifest, Vec<String>) {
        let mut found = Manifest::default();
        let mut warnings = Vec::new();
        for candidate in [path.with_file_name(NAME), path.with_extension("json")] {
            if candidate == path || !candidate.is_file() {
                continue;
            }
            match Manifest::read(&candidate) {
                Ok(manifest) => found.entries.extend(manifest.entries),
                Err(why) => warnings.push(format!("{}: {why}; it is ignored", candidate.display())),
            }
        }
        (found, warnings)
    }

    /// Adds kernel and family to the rows of generated functions. An entry about code of another size is about other
    /// code: instead of its figures there is a warning.
    ///
    /// A function that no manifest knows gets only a family, from its name: the letters after `qr_`, up to the first
    /// digit or underscore (`qr_chacha20_xor_…` is of the family `chacha`).
    pub fn decorate(&self, report: &mut FileReport) {
        for row in &mut report.symbols {
            let symbol = row.symbol.as_ref().unwrap_or(&row.name);
            let Some((from, entry)) = self.entries.get(symbol).filter(|_| row.kind == RowKind::Function) else {
                row.family = family_by_name(symbol).map(str::to_owned);
                continue;
            };
            row.family = Some(entry.family.clone());
            let bytes = code_bytes(row);
            if bytes == entry.code_bytes {
                row.kernel = Some(entry.kernel.clone());
            } else {
                let expected = entry.code_bytes;
                report.warnings.push(format!(
                    "{from}: {symbol} has {expected} bytes there and {bytes} in {}: its cycles are those of other code \
                     and not shown",
                    report.file
                ));
            }
        }
    }
}

/// Bytes of a function, with what lies in its code.
fn code_bytes(row: &Row) -> u64 {
    row.code_bytes + row.literal_bytes + row.padding_bytes
}

fn family_by_name(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_prefix(PREFIX)?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::family_by_name;

    #[test]
    fn a_family_is_the_letters_behind_the_prefix() {
        for (symbol, family) in [
            ("qr_chacha20_xor_unrolled_m4", Some("chacha")),
            ("qr_xoodoo_permute_looped_m3", Some("xoodoo")),
            ("qr_salsa", Some("salsa")),
            ("qr_20_x", None),
            ("qr__x", None),
            ("qr_", None),
            ("chacha20_xor", None),
            ("my_qr_chacha20", None),
        ] {
            assert_eq!(family_by_name(symbol), family, "{symbol}");
        }
    }
}
