//! Which function takes which bytes of ROM.
fn main() {}
