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
pub fn encapsulate<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    ek: &Array<u8, P::EkSize>,
    hash: &Bytes32,
    m: &Bytes32,
    ciphertext: &mut Array<u8, P::CtSize>,
    key: &mut Bytes32,
) {
    let mut m = Zeroizing::new(*m);
    if P::ROW.transform == Transform::Round3 {
        let sent = Zeroizing::new(*m);
        P::Symmetric::h(backend, &[&*sent], &mut m);
    }
    let mut both = Zeroizing::new([[0; SEED_BYTES]; 2]);
    P::Symmetric::g(backend, &[&*m, hash], &mut both);
    let [before, coins] = &*both;
    encrypt::<P, B>(backend, ek, &m, coins, Target::Write(ciphertext));
    match P::ROW.transform {
        Transform::Standard => *key = *before,
        Transform::Round3 => derive::<P, B>(backend, before, ciphertext, key),
    }
}
