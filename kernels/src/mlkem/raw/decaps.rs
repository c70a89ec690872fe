//! Decryption and decapsulation.

use super::encryption::{Target, derive, encrypt};
use super::{Bytes32, Parts};
use crate::mlkem::backend::{MlKemBackend, Term};
use crate::mlkem::set::ParameterSet;
use crate::mlkem::symmetric::Symmetric;
use crate::params::mlkem::{SEED_BYTES, Transform};
use hybrid_array::Array;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

/// Decapsulation (FIPS 203 algorithm 18; Kyber round 3, algorithm 9). The parts of the key have passed [`Parts::check`].
///
/// A wrong ciphertext gives a key that only the holder of the rejection seed could tell from a right one, in the same time.
#[inline]
pub fn decapsulate<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    dk: Parts<'_, P>,
    ciphertext: &Array<u8, P::CtSize>,
    key: &mut Bytes32,
) {
    let mut m = Zeroizing::new([0; SEED_BYTES]);
    decrypt::<P, B>(backend, dk.secret, ciphertext, &mut m);
    let mut coins = Zeroizing::new([0; SEED_BYTES]);
    P::Symmetric::g(backend, &[&*m, dk.hash], key, &mut coins);
    let mut difference = 0;
    encrypt::<P, B>(backend, dk.ek, &m, &coins, Target::Compare(ciphertext, &mut difference));
    decide::<P, B>(backend, !difference.ct_eq(&0), dk.z, ciphertext, key);
}

/// The shared key in the place of what the message gave, or that of a wrong ciphertext.
#[inline(never)]
fn decide<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    wrong: Choice,
    z: &Bytes32,
    ciphertext: &Array<u8, P::CtSize>,
    key: &mut Bytes32,
) {
    match P::ROW.transform {
        Transform::Standard => {
            let mut rejected = Zeroizing::new([0; SEED_BYTES]);
            P::Symmetric::j(backend, &[z, ciphertext], &mut rejected);
            key.conditional_assign(&rejected, wrong);
        }
        Transform::Round3 => {
            key.conditional_assign(z, wrong);
            derive::<P, B>(backend, ciphertext, key);
        }
    }
}

/// Decryption (FIPS 203 algorithm 15). A function of its own, so that its memory is free again for the encryption.
#[inline(never)]
fn decrypt<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    secret: &Array<u8, P::SecretSize>,
    ciphertext: &Array<u8, P::CtSize>,
    message: &mut Bytes32,
) {
    let row = P::ROW;
    let (u, v) = ciphertext.split_at(row.u_bytes());
    let mut sum = Zeroizing::new(B::Sum::default());
    let mut operand = Zeroizing::new(B::Operand::default());
    for (j, (secret, u)) in secret.as_chunks().0.iter().zip(u.chunks_exact(row.du.bytes())).enumerate() {
        backend.decompress(row.du, u, operand.as_mut());
        backend.prepare(&mut operand);
        backend.multiply_encoded(Term::number(j), secret, &operand, &mut sum);
    }
    let product = backend.inverse(&mut sum);
    let w = operand.as_mut();
    backend.decompress(row.dv, v, w);
    backend.subtract(w, product);
    backend.message(w, message);
}
