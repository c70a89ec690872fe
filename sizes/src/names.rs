//! Names as people write them.

/// A symbol's name, demangled if it is mangled.
pub fn demangled(symbol: &str) -> String {
    symbol.to_owned()
}

/// The crate that a Rust symbol belongs to.
pub fn crate_of(_symbol: &str) -> Option<String> {
    None
}
