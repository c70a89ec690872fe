//! What can be generated.

pub mod chacha;
