//! ML-KEM and Kyber: each operation of a backend against its definition, over the whole of what it may be given; the
//! published known answers; what is refused.

pub mod compact;
pub mod known_answers;
pub mod operations;
pub mod transforms;

use super::Random;
use crate::backend::Soft;
use crate::keccak::{Shake256, digest};
use crate::mlkem::{DecapsulationKey, MlKemBackend, ParameterSet, Visitor, each_set};
use crate::params::mlkem::{Primitives, Transform};

/// The first known answer, and some flipped bytes.
struct Briefly<'a, B>(&'a B, usize);

impl<B: MlKemBackend + Clone> Visitor for Briefly<'_, B> {
    fn visit<P: ParameterSet>(&mut self) {
        known_answers::first::<P, B>(self.0);
        rejection::<P, B>(self.0, self.1);
    }
}

/// Every check of this module, with as few runs of whole schemes as will do.
pub fn all<B: MlKemBackend + Clone>(backend: &B) {
    operations::all(backend);
    transforms::all(backend);
    each_set(&mut Briefly(backend, 199));
}

/// Every parameter set, once: what can be waited for on a small core.
pub fn brief<B: MlKemBackend + Clone>(backend: &B) {
    each_set(&mut Briefly(backend, usize::MAX));
}

/// A ciphertext in which one byte is changed gives exactly the key for rejection: every `step`-th byte from the first, and
/// the last.
pub fn rejection<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B, step: usize) {
    let mut random = Random::new(20);
    let (mut seed, mut m) = ([0; 64], [0; 32]);
    random.fill(&mut seed);
    random.fill(&mut m);
    let dk = DecapsulationKey::<P, B>::from_seed_with(backend.clone(), &seed);
    let (ciphertext, key) = dk.encapsulation_key().encapsulate_with_message(&m);
    assert_eq!(dk.decapsulate(&ciphertext), key, "{}: the keys of both sides", P::ROW.name);
    for at in (0..ciphertext.len()).step_by(step).chain([ciphertext.len() - 1]) {
        let mut wrong = ciphertext.clone();
        wrong[at] ^= 1 << random.below(8);
        let got: [u8; 32] = dk.decapsulate(&wrong).into();
        assert_eq!(got, rejection_key::<P>(&seed[32..], &wrong), "{}: byte {at} changed", P::ROW.name);
    }
}

/// The key for a wrong ciphertext: J(z, c) of FIPS 203, KDF(z, H(c)) of round 3.
fn rejection_key<P: ParameterSet>(z: &[u8], ciphertext: &[u8]) -> [u8; 32] {
    use crate::keccak::Sha3_256;
    use sha2::{Digest, Sha256};

    let mut key = [0; 32];
    match (P::ROW.transform, P::ROW.primitives) {
        (Transform::Standard, _) => digest::<Shake256, Soft>(Soft, &[z, ciphertext], &mut key),
        (Transform::Round3, Primitives::Keccak) => {
            let mut hash = [0; 32];
            digest::<Sha3_256, Soft>(Soft, &[ciphertext], &mut hash);
            digest::<Shake256, Soft>(Soft, &[z, &hash], &mut key);
        }
        (Transform::Round3, Primitives::Nineties) => {
            key = Sha256::new().chain_update(z).chain_update(Sha256::digest(ciphertext)).finalize().into();
        }
    }
    key
}
