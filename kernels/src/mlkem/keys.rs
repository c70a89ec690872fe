//! Keys as types: what has one has a checked key.

use super::backend::MlKemBackend;
use super::set::ParameterSet;
use super::{KeyError, raw};
use crate::backend::Soft;
use core::fmt;
use hybrid_array::Array;
use raw::{Bytes32, Parts};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A ciphertext.
pub type Ciphertext<P> = Array<u8, <P as ParameterSet>::CtSize>;
/// An expanded decapsulation key as bytes (FIPS 203 algorithm 16). Secret.
pub type ExpandedKey<P> = Array<u8, <P as ParameterSet>::DkSize>;
/// A shared key. Secret: whoever is done with it overwrites it.
pub type SharedKey = Array<u8, kem::consts::U32>;

/// A public key: with it, shared keys are encapsulated.
#[derive(Clone)]
pub struct EncapsulationKey<P: ParameterSet, B = Soft> {
    bytes: Array<u8, P::EkSize>,
    /// Kept, since each encapsulation needs it.
    hash: Bytes32,
    backend: B,
}

impl<P: ParameterSet, B: MlKemBackend> EncapsulationKey<P, B> {
    /// Checks and takes a key, on this backend.
    ///
    /// # Errors
    /// [`KeyError::Coefficient`], see [`raw::check`].
    pub fn with_backend(backend: B, bytes: &Array<u8, P::EkSize>) -> Result<Self, KeyError> {
        raw::check::<P>(bytes)?;
        let mut key = EncapsulationKey { bytes: bytes.clone(), hash: [0; 32], backend };
        raw::hash::<P, B>(&key.backend, &key.bytes, &mut key.hash);
        Ok(key)
    }

    /// Checks and takes a key.
    ///
    /// # Errors
    /// [`KeyError::Length`] or [`KeyError::Coefficient`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self, KeyError>
    where
        B: Default,
    {
        Self::with_backend(B::default(), sized(bytes)?)
    }

    /// What it computes with.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// The key as it is sent.
    pub fn as_bytes(&self) -> &Array<u8, P::EkSize> {
        &self.bytes
    }

    /// A shared key, and the ciphertext for the holder of the decapsulation key, both made of `m`: 32 random bytes that
    /// nobody knows and that are used once (FIPS 203 algorithm 17).
    #[cfg(feature = "encaps")]
    pub fn encapsulate_with_message(&self, m: &Bytes32) -> (Ciphertext<P>, SharedKey) {
        let (mut ciphertext, mut key) = (Array::default(), SharedKey::default());
        raw::encapsulate::<P, B>(&self.backend, &self.bytes, &self.hash, m, &mut ciphertext, key.as_mut());
        (ciphertext, key)
    }
}

/// A secret key: with it, shared keys are decapsulated.
///
/// Dropping it overwrites its secrets. Copies that the compiler made when the key was moved are beyond its reach; [`raw`] moves
/// none.
#[derive(Clone)]
pub struct DecapsulationKey<P: ParameterSet, B = Soft> {
    secret: Array<u8, P::SecretSize>,
    z: Bytes32,
    ek: EncapsulationKey<P, B>,
}

impl<P: ParameterSet, B: MlKemBackend> DecapsulationKey<P, B> {
    /// The key that this seed is short for, on this backend: 64 random bytes, d and z of FIPS 203 algorithm 16.
    #[cfg(feature = "keygen")]
    pub fn from_seed_with(backend: B, seed: &[u8; 64]) -> Self {
        let (mut d, mut z) = ([0; 32], [0; 32]);
        d.iter_mut().chain(&mut z).zip(seed).for_each(|(byte, from)| *byte = *from);
        let ek = EncapsulationKey { bytes: Array::default(), hash: [0; 32], backend };
        let mut key = DecapsulationKey { secret: Array::default(), z, ek };
        raw::generate::<P, B>(&key.ek.backend, &d, &mut key.secret, &mut key.ek.bytes);
        raw::hash::<P, B>(&key.ek.backend, &key.ek.bytes, &mut key.ek.hash);
        d.zeroize();
        z.zeroize();
        key
    }

    /// The key that this seed is short for: 64 random bytes. The seed is all that need be kept.
    #[cfg(feature = "keygen")]
    pub fn from_seed(seed: &[u8; 64]) -> Self
    where
        B: Default,
    {
        Self::from_seed_with(B::default(), seed)
    }

    /// Checks and takes an expanded key, on this backend.
    ///
    /// # Errors
    /// [`KeyError::Hash`] or [`KeyError::Coefficient`], see [`Parts::check`].
    pub fn from_expanded_with(backend: B, bytes: &ExpandedKey<P>) -> Result<Self, KeyError> {
        let parts = Parts::<P>::new(bytes);
        parts.check(&backend)?;
        let ek = EncapsulationKey { bytes: parts.ek.clone(), hash: *parts.hash, backend };
        Ok(DecapsulationKey { secret: parts.secret.clone(), z: *parts.z, ek })
    }

    /// Checks and takes an expanded key.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn from_expanded(bytes: &[u8]) -> Result<Self, KeyError>
    where
        B: Default,
    {
        Self::from_expanded_with(B::default(), sized(bytes)?)
    }

    /// The expanded key as bytes (FIPS 203 algorithm 16).
    pub fn to_expanded(&self) -> ExpandedKey<P> {
        let mut bytes = Array::default();
        let parts = self.secret.iter().chain(&self.ek.bytes).chain(&self.ek.hash).chain(&self.z);
        bytes.iter_mut().zip(parts).for_each(|(byte, from)| *byte = *from);
        bytes
    }

    /// The public key.
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P, B> {
        &self.ek
    }

    /// The shared key in a ciphertext; for a wrong ciphertext, one that nobody else can know (FIPS 203 algorithm 18).
    #[cfg(feature = "decaps")]
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedKey {
        let mut key = SharedKey::default();
        let parts = Parts { secret: &self.secret, ek: &self.ek.bytes, hash: &self.ek.hash, z: &self.z };
        raw::decapsulate::<P, B>(&self.ek.backend, parts, ciphertext, key.as_mut());
        key
    }
}

/// Bytes of the right number.
fn sized<S: hybrid_array::ArraySize>(bytes: &[u8]) -> Result<&Array<u8, S>, KeyError> {
    bytes.try_into().map_err(|_| KeyError::Length { expected: S::USIZE, found: bytes.len() })
}

impl<P: ParameterSet, B> PartialEq for EncapsulationKey<P, B> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<P: ParameterSet, B> Eq for EncapsulationKey<P, B> {}

impl<P: ParameterSet, B> fmt::Debug for EncapsulationKey<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncapsulationKey<{}> {{ .. }}", P::ROW.name)
    }
}

impl<P: ParameterSet, B> fmt::Debug for DecapsulationKey<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecapsulationKey<{}> {{ .. }}", P::ROW.name)
    }
}

impl<P: ParameterSet, B> Drop for DecapsulationKey<P, B> {
    fn drop(&mut self) {
        self.secret.as_mut_slice().zeroize();
        self.z.zeroize();
    }
}

impl<P: ParameterSet, B> ZeroizeOnDrop for DecapsulationKey<P, B> {}
