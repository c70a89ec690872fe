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

#![no_std]
#![forbid(unsafe_code)]

pub mod backend;
pub mod chacha;
pub mod keccak;
pub mod params;
#[cfg(feature = "testing")]
pub mod testing;

pub use backend::Soft;
pub use cipher;
