//! The exported checks catch a backend that is wrong in any one way.

mod chacha;
mod keccak;
mod mlkem;
