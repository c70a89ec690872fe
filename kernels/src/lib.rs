//! Portable Rust for every kernel the generator emits, the schemes on top, the parameters of both, and the backend
//! traits that a faster implementation fills in.
//!
//! [`Soft`] is the portable backend: it needs nothing but `core`, and it is the oracle that generated
//! code is compared with. A scheme is written once, over a backend:
//!
//! ```
//! use kernels::chacha::ChaCha20;
//! use kernels::cipher::{KeyIvInit, StreamCipher};
//!
//! let mut message = *b"attack at dawn";
//! let mut cipher = ChaCha20::new(&[7; 32].into(), &[9; 12].into());
//! cipher.try_apply_keystream(&mut message)?;
//! # Ok::<(), kernels::cipher::StreamCipherError>(())
//! ```
//!
//! This crate knows no instruction and no board.
//!
//! | feature | |
//! |---|---|
//! | `keygen`, `encaps`, `decaps` (default) | the operations of key-encapsulation mechanisms |
//! | `kyber-90s` | the 90s variants of Kyber, with AES-256 and SHA-2 |
//! | `testing` | published vectors and checks for any backend |

#![no_std]
#![forbid(unsafe_code)]

pub mod backend;
pub mod chacha;
pub mod keccak;
pub mod mlkem;
pub mod params;
#[cfg(feature = "testing")]
pub mod testing;

pub use backend::Soft;
pub use cipher;
pub use kem;
/// What [`MlKemBackend`](mlkem::MlKemBackend) and [`KeccakBackend`](keccak::KeccakBackend) demand of a backend's types.
pub use zeroize;
