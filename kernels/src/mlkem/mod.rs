//! ML-KEM (FIPS 203), and Kyber of round 3 with its 90s variants: key-encapsulation mechanisms.
//!
//! ```
//! use kernels::mlkem::{DecapsulationKey, EncapsulationKey, MlKem768};
//!
//! // On the receiver: 64 random bytes are the key.
//! let dk = DecapsulationKey::<MlKem768>::from_seed(&[7; 64]);
//! let published = dk.encapsulation_key().as_bytes();
//!
//! // On the sender: 32 random bytes.
//! let ek = EncapsulationKey::<MlKem768>::from_slice(published)?;
//! let (ciphertext, sent) = ek.encapsulate_with_message(&[9; 32]);
//!
//! assert_eq!(dk.decapsulate(&ciphertext), sent);
//! # Ok::<(), kernels::mlkem::KeyError>(())
//! ```
//!
//! The types implement the traits of the [`kem`] crate, where randomness comes from a generator. All is generic over a
//! [`MlKemBackend`]; [`raw`] is the same on bytes that the caller keeps where he likes. Of the features `keygen`, `encaps`
//! and `decaps`, each brings its operation; what the traits ask for needs all three.
//!
//! Secrets are overwritten when they are no longer needed. No branch, no address and no multiplication of more than 32 bits
//! depends on one; [`public`] has what does not count as one any more.

mod backend;
mod encodings;
mod error;
mod from;
mod keys;
mod low_stack;
#[cfg(feature = "kyber-90s")]
mod nineties;
pub mod public;
pub mod raw;
mod set;
mod soft;
mod symmetric;
#[cfg(all(feature = "keygen", feature = "encaps", feature = "decaps"))]
mod traits;

pub use backend::{Cached, MlKemBackend, Poly, Room, Term, Xof, uniform};
pub use error::KeyError;
pub use keys::{Ciphertext, DecapsulationKey, EncapsulationKey, ExpandedKey, SharedKey};
pub use low_stack::{Compact, LowStack, PIECE_BYTES};
pub use set::*;
pub use soft::SoftSum;
pub use symmetric::{Expander, Symmetric};
#[cfg(all(feature = "keygen", feature = "encaps", feature = "decaps"))]
pub use traits::Scheme;
