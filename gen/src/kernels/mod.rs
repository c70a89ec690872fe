//! What can be generated.

pub mod chacha;
pub mod kyber;
