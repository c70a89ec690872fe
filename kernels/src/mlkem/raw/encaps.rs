//! Encapsulation.

use super::Bytes32;
use super::encryption::{Target, derive, encrypt};
use crate::mlkem::backend::MlKemBackend;
use crate::mlkem::set::ParameterSet;
use crate::mlkem::symmetric::Symmetric;
use crate::params::mlkem::{SEED_BYTES, Transform};
use hybrid_array::Array;
use zeroize::Zeroizing;

/// Encapsulation with the message `m` (FIPS 203 algorithm 17; Kyber round 3, algorithm 8). `hash` is that of `ek`, which
/// has passed [`check`](super::check).
#[inline]
pub fn encapsulate<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    ek: &Array<u8, P::EkSize>,
    hash: &Bytes32,
    m: &Bytes32,
    ciphertext: &mut Array<u8, P::CtSize>,
    key: &mut Bytes32,
) {
    match P::ROW.transform {
        Transform::Standard => with_message::<P, B>(backend, ek, hash, m, ciphertext, key),
        Transform::Round3 => {
            let mut hashed = Zeroizing::new([0; SEED_BYTES]);
            P::Symmetric::h(backend, &[m], &mut hashed);
            with_message::<P, B>(backend, ek, hash, &hashed, ciphertext, key);
        }
    }
}

/// From the message that is encrypted on.
#[inline(always)]
fn with_message<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    ek: &Array<u8, P::EkSize>,
    hash: &Bytes32,
    m: &Bytes32,
    ciphertext: &mut Array<u8, P::CtSize>,
    key: &mut Bytes32,
) {
    let mut coins = Zeroizing::new([0; SEED_BYTES]);
    P::Symmetric::g(backend, &[m, hash], key, &mut coins);
    encrypt::<P, B>(backend, ek, m, &coins, Target::Write(ciphertext));
    if P::ROW.transform == Transform::Round3 {
        derive::<P, B>(backend, ciphertext, key);
    }
}
