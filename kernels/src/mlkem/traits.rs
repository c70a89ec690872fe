//! The traits of the `kem` crate.

use super::backend::MlKemBackend;
use super::keys::{Ciphertext, DecapsulationKey, EncapsulationKey, SharedKey};
use super::set::ParameterSet;
use crate::backend::Soft;
use core::fmt::Debug;
use core::marker::PhantomData;
use hybrid_array::Array;
use kem::TryKeyInit;
use kem::common::rand_core::{CryptoRng, TryCryptoRng};
use kem::consts::{U32, U64};
use kem::{Decapsulate, Decapsulator, Encapsulate, Generate, InvalidKey, Kem, Key, KeyExport, KeyInit, KeySizeUser};
use zeroize::Zeroizing;

/// The mechanism with parameters `P` on backend `B`, for code that is generic over [`Kem`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Scheme<P, B = Soft>(PhantomData<(P, B)>);

/// What the `kem` crate wants of a backend besides: that it is a value without content.
pub trait UnitBackend: MlKemBackend + Copy + Default + Ord + Debug + Send + Sync + 'static {}

impl<B: MlKemBackend + Copy + Default + Ord + Debug + Send + Sync + 'static> UnitBackend for B {}

impl<P: ParameterSet, B: UnitBackend> Kem for Scheme<P, B> {
    type DecapsulationKey = DecapsulationKey<P, B>;
    type EncapsulationKey = EncapsulationKey<P, B>;
    type SharedKeySize = U32;
    type CiphertextSize = P::CtSize;
}

impl<P: ParameterSet, B> KeySizeUser for EncapsulationKey<P, B> {
    type KeySize = P::EkSize;
}

impl<P: ParameterSet, B: UnitBackend> TryKeyInit for EncapsulationKey<P, B> {
    fn new(key: &Key<Self>) -> Result<Self, InvalidKey> {
        Self::with_backend(B::default(), key).map_err(|_| InvalidKey)
    }
}

impl<P: ParameterSet, B: UnitBackend> KeyExport for EncapsulationKey<P, B> {
    fn to_bytes(&self) -> Key<Self> {
        self.as_bytes().clone()
    }
}

impl<P: ParameterSet, B: UnitBackend> Encapsulate for EncapsulationKey<P, B> {
    type Kem = Scheme<P, B>;

    fn encapsulate_with_rng<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> (Ciphertext<P>, SharedKey) {
        let mut m = Zeroizing::new([0; 32]);
        rng.fill_bytes(m.as_mut());
        self.encapsulate_with_message(&m)
    }
}

/// The key is the seed.
impl<P: ParameterSet, B> KeySizeUser for DecapsulationKey<P, B> {
    type KeySize = U64;
}

impl<P: ParameterSet, B: UnitBackend> KeyInit for DecapsulationKey<P, B> {
    fn new(key: &Key<Self>) -> Self {
        Self::from_seed(key.as_ref())
    }
}

impl<P: ParameterSet, B: UnitBackend> Generate for DecapsulationKey<P, B> {
    fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut seed = Zeroizing::new([0; 64]);
        rng.try_fill_bytes(seed.as_mut())?;
        Ok(Self::from_seed(&seed))
    }
}

impl<P: ParameterSet, B: UnitBackend> Decapsulator for DecapsulationKey<P, B> {
    type Kem = Scheme<P, B>;

    fn encapsulation_key(&self) -> &EncapsulationKey<P, B> {
        self.encapsulation_key()
    }
}

impl<P: ParameterSet, B: UnitBackend> Decapsulate for DecapsulationKey<P, B> {
    fn decapsulate(&self, ciphertext: &Array<u8, P::CtSize>) -> SharedKey {
        self.decapsulate(ciphertext)
    }
}
