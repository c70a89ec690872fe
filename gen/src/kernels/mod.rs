//! What can be generated.

pub mod chacha;
pub mod keccak;
pub mod kyber;
pub mod kyber_decodings;
pub mod kyber_encodings;
pub mod kyber_noise;
pub mod kyber_products;
pub mod kyber_sampling;
pub mod kyber_sums;
