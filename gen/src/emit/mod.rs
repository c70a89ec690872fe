//! From finished functions to files: `.s`, `.o`, `.h`, `.rs` and `.json` for each, and one header, one bindings module, one
//! static library and one manifest for the whole set.
//!
//! [`bundle`] is a pure function of the functions it is given: no time, no path, no host shows in its output. Writing the
//! files is [`publish`]'s business.

mod about;
mod archive;
mod assembly;
mod attributes;
mod bindings;
mod elf;
mod frame;
mod header;
mod info;
pub mod manifest;
pub mod publish;

pub use archive::archive;
pub use bindings::render as bindings;
pub use elf::Placement;

use crate::function::Function;

/// Name, without extension, of the files that describe the whole set.
pub const SET: &str = "quadround";

/// What every symbol, and every file of a single function, begins with.
pub const PREFIX: &str = "qr_";

/// Name of the manifest: the one list of what was generated.
pub const MANIFEST: &str = "quadround.json";

/// The licence of everything generated, as an SPDX expression.
pub const LICENCE: &str = "MIT OR Apache-2.0";

/// One file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its name in the output directory: a single path component.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// Why files could not be made out of a function. Each is a fault of the generator, not of its user.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The lines of a function do not add up to its code.
    #[error("{symbol}: line {line} of the listing does not fit the {code_bytes} bytes of code")]
    Listing {
        /// The function.
        symbol: String,
        /// Index of the line at which the code ended, or the number of lines if code was left over.
        line: usize,
        /// Length of the code.
        code_bytes: usize,
    },
    /// A template failed.
    #[error("{symbol}: {reason}")]
    Text {
        /// The function, or the name of the set.
        symbol: String,
        /// What the template engine, the Rust parser or the JSON writer said.
        reason: String,
    },
    /// The object file could not be laid out.
    #[error("{symbol}: object file: {reason}")]
    Object {
        /// The function.
        symbol: String,
        /// What the object writer said.
        reason: String,
    },
}

impl EmitError {
    fn text(symbol: &str, reason: impl ToString) -> Self {
        EmitError::Text { symbol: symbol.to_string(), reason: reason.to_string() }
    }

    fn object(symbol: &str, reason: impl ToString) -> Self {
        EmitError::Object { symbol: symbol.to_string(), reason: reason.to_string() }
    }
}

/// Everything that is written for these functions, in the order in which it is written: the manifest is last.
///
/// # Errors
/// If a function contradicts itself, for example if its listing and its code have different lengths.
pub fn bundle(functions: &[Function]) -> Result<Vec<File>, EmitError> {
    let mut files = Vec::with_capacity(functions.len() * EXTENSIONS.len() + 4);
    for function in functions {
        let name = |extension: &str| format!("{}.{extension}", function.symbol);
        let one = std::slice::from_ref(function);
        files.push(File { name: name("s"), bytes: assembly::render(function)?.into_bytes() });
        files.push(File { name: name("o"), bytes: elf::object(function, Placement::Flash)? });
        files.push(File { name: name("h"), bytes: header::render(&function.symbol, one)?.into_bytes() });
        files.push(File { name: name("rs"), bytes: bindings::render(&function.symbol, one)?.into_bytes() });
        let entry = manifest::Entry::new(function);
        files.push(File { name: name("json"), bytes: json(&function.symbol, &entry)? });
    }
    files.push(File { name: format!("{SET}.h"), bytes: header::render(SET, functions)?.into_bytes() });
    files.push(File { name: format!("{SET}.rs"), bytes: bindings::render(SET, functions)?.into_bytes() });
    files.push(File { name: library(), bytes: archive(functions, |_| Placement::Flash)? });
    let entries: Vec<manifest::Entry> = functions.iter().map(manifest::Entry::new).collect();
    files.push(File { name: MANIFEST.to_string(), bytes: json(SET, &entries)? });
    Ok(files)
}

/// Name of the static library, which linkers find by `-lquadround`.
fn library() -> String {
    format!("lib{SET}.a")
}

/// The files of one function, by extension.
const EXTENSIONS: [&str; 5] = ["s", "o", "h", "rs", "json"];

fn json(symbol: &str, value: &impl serde::Serialize) -> Result<Vec<u8>, EmitError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| EmitError::text(symbol, error))?;
    text.push(b'\n');
    Ok(text)
}
