//! Parameter sets: the one place where the numbers of the standards stand.

pub mod chacha;
pub mod keccak;
pub mod mlkem;
