//! What a shell script would do.
fn main() {}
