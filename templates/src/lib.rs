//! The text of every file and table that leaves the generator.
//!
//! Each type here is the plain data of one template; its [`Template::render`] gives the text. What goes into the fields, and
//! whether a file is written at all, is decided by whoever fills them: this crate knows layout and nothing else.

mod assembly;
mod table;

pub use askama::{Error, Template};
pub use assembly::{Assembly, Row, XtensaAssembly};
pub use table::{Align, Table};

/// A C header with one or more functions.
#[derive(Template)]
#[template(path = "header.h")]
pub struct Header {
    /// Comment at the top of the file, one entry per line, without comment marks.
    pub about: Vec<String>,
    /// The include guard.
    pub guard: String,
    /// What is declared, in this order.
    pub functions: Vec<HeaderFunction>,
}

/// One function of a C header.
pub struct HeaderFunction {
    /// Doc comment, one entry per line, without comment marks.
    pub doc: Vec<String>,
    /// What the preprocessor must find true for the function to be declared, if anything.
    pub condition: Option<&'static str>,
    /// The declaration with its semicolon.
    pub prototype: String,
    /// Macro name and value, printed as an unsigned constant.
    pub constants: Vec<(String, u64)>,
}

/// A Rust module: finished code under a comment.
#[derive(Template)]
#[template(path = "bindings.rs")]
pub struct Bindings {
    /// Comment at the top of the file, one entry per line, without comment marks.
    ///
    /// It is a plain comment, not a doc comment, because inner attributes are refused in a file that is `include!`d.
    pub about: Vec<String>,
    /// Formatted code, with its last line end.
    pub code: String,
}
