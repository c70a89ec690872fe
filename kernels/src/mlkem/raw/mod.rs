//! The mechanism on bytes in memory that the caller owns: no key is copied (FIPS 203 sections 5 to 7; Kyber round 3,
//! algorithms 4 to 9).
//!
//! No matrix is ever stored: each entry is sampled where it is multiplied, and each polynomial of a ciphertext leaves, or is
//! compared, as soon as it is there. So a vector of secret operands and one sum are all that is alive at a time.
//!
//! All randomness is an argument. Whoever chooses it badly gives the shared key away: through the traits of the `kem` crate it
//! comes from a generator.

#[cfg(feature = "decaps")]
mod decaps;
#[cfg(feature = "encaps")]
mod encaps;
#[cfg(any(feature = "encaps", feature = "decaps"))]
mod encryption;
#[cfg(feature = "keygen")]
mod keygen;
#[cfg(any(feature = "keygen", feature = "encaps", feature = "decaps"))]
mod vectors;

use super::KeyError;
use super::backend::MlKemBackend;
use super::encodings::candidates;
use super::public;
use super::set::ParameterSet;
use super::symmetric::Symmetric;
use crate::params::mlkem::{Q, SEED_BYTES};
use hybrid_array::Array;

#[cfg(feature = "decaps")]
pub use decaps::decapsulate;
#[cfg(feature = "encaps")]
pub use encaps::encapsulate;
#[cfg(feature = "keygen")]
pub use keygen::generate;

/// A seed, a message, a hash or a shared key.
pub type Bytes32 = [u8; SEED_BYTES];

/// The hash of an encapsulation key, H(ek).
pub fn hash<P: ParameterSet, B: MlKemBackend>(backend: &B, ek: &Array<u8, P::EkSize>, hash: &mut Bytes32) {
    P::Symmetric::h(backend, &[ek], hash);
}

/// The modulus check of an encapsulation key (FIPS 203 section 7.2): every coefficient is less than q. The time depends on
/// the key alone, which is public. Kyber of round 3 does not ask for it, but makes no key that would not pass.
///
/// # Errors
/// [`KeyError::Coefficient`] with the number of the first that is too large.
pub fn check<P: ParameterSet>(ek: &Array<u8, P::EkSize>) -> Result<(), KeyError> {
    let vector = &ek[..P::ROW.vector_bytes()];
    for (pair, &[a, b, c]) in vector.as_chunks().0.iter().enumerate() {
        if let Some(index) = candidates(a, b, c).iter().position(|coefficient| *coefficient >= Q) {
            return Err(KeyError::Coefficient { index: 2 * pair + index });
        }
    }
    Ok(())
}

/// An expanded decapsulation key, wherever its parts are.
#[derive(Clone, Copy)]
pub struct Parts<'a, P: ParameterSet> {
    /// The secret vector.
    pub secret: &'a Array<u8, P::SecretSize>,
    /// The encapsulation key.
    pub ek: &'a Array<u8, P::EkSize>,
    /// Its hash.
    pub hash: &'a Bytes32,
    /// What the shared key is made of when a ciphertext is wrong.
    pub z: &'a Bytes32,
}

impl<'a, P: ParameterSet> Parts<'a, P> {
    /// The parts of an expanded decapsulation key (FIPS 203 algorithm 16).
    pub fn new(dk: &'a Array<u8, P::DkSize>) -> Self {
        let (secret, rest) = dk.split_at(P::ROW.vector_bytes());
        let (ek, rest) = rest.split_at(P::ROW.ek_bytes());
        let (Ok(secret), Ok(ek), ([hash, z], [])) = (secret.try_into(), ek.try_into(), rest.as_chunks()) else {
            unreachable!("the sizes of the parts add up, as a check at compile time sees to")
        };
        Parts { secret, ek, hash, z }
    }

    /// The check of a decapsulation key (FIPS 203 section 7.3), and that of the encapsulation key in it. The time depends on
    /// the public half alone.
    ///
    /// # Errors
    /// [`KeyError::Hash`] if the hash is not that of the encapsulation key, [`KeyError::Coefficient`] if that is invalid.
    pub fn check<B: MlKemBackend>(&self, backend: &B) -> Result<(), KeyError> {
        backend.declassify(public::EK_IN_DK, self.ek);
        backend.declassify(public::HASH_IN_DK, self.hash);
        let mut found = [0; SEED_BYTES];
        hash::<P, B>(backend, self.ek, &mut found);
        if found != *self.hash {
            return Err(KeyError::Hash);
        }
        check::<P>(self.ek)
    }
}
