//! The backends that are there, and nothing else: which one a scheme runs on is its type parameter.
//!
//! What a backend has to do stands with each kernel family, as in [`ChaChaBackend`](crate::chacha::ChaChaBackend) and
//! [`KeccakBackend`](crate::keccak::KeccakBackend). A backend is a small value, usually a unit struct, so that being
//! generic over it costs nothing.

/// The portable backend: safe Rust, no table, no branch and no address that depends on a secret. It is also the oracle
/// that generated code is compared with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Soft;
