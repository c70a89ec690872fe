//! Key generation.

use super::Bytes32;
use super::vectors::{ExpanderOf, Operands};
use crate::mlkem::backend::{MlKemBackend, Term};
use crate::mlkem::public;
use crate::mlkem::set::ParameterSet;
use crate::mlkem::symmetric::{Expander, Symmetric};
use crate::params::mlkem::{POLY_BYTES, SEED_BYTES, Transform};
use hybrid_array::Array;
use zeroize::Zeroizing;

/// Key generation (FIPS 203 algorithms 13 and 16; Kyber round 3, algorithms 4 and 7): from the seed `d`, fills the secret
/// vector and the encapsulation key. With the hash of the latter and a rejection seed they are the decapsulation key.
#[inline]
pub fn generate<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    d: &Bytes32,
    secret: &mut Array<u8, P::SecretSize>,
    ek: &mut Array<u8, P::EkSize>,
) {
    let mut sigma = Zeroizing::new([0; SEED_BYTES]);
    let (_, rho) = ek.as_chunks_mut::<POLY_BYTES>();
    let Ok(rho): Result<&mut Bytes32, _> = rho.try_into() else { unreachable!("a seed after the vector") };
    let domain: &[u8] = match P::ROW.transform {
        Transform::Standard => &[P::ROW.k as u8],
        Transform::Round3 => &[],
    };
    P::Symmetric::g(backend, &[d, domain], &mut *rho, &mut sigma);
    backend.declassify(public::RHO, rho);
    expand::<P, B>(backend, &sigma, secret, ek);
    backend.declassify(public::EK, ek);
}

/// Key generation from the seeds of noise and of the matrix, which is in its place at the end of the encapsulation key (FIPS 203
/// algorithm 13 from line 2 on).
#[inline(never)]
fn expand<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    sigma: &Bytes32,
    secret: &mut Array<u8, P::SecretSize>,
    ek: &mut Array<u8, P::EkSize>,
) {
    let (rows, rho) = ek.as_chunks_mut::<POLY_BYTES>();
    let Ok(rho) = (&*rho).try_into() else { unreachable!("a seed after the vector") };
    let mut expander: ExpanderOf<'_, P, B> = P::Symmetric::expander(backend, rho, sigma);
    let mut s = Operands::<P, B>::new();
    s.fill(backend, &mut expander);
    for (operand, bytes) in s.all().iter().zip(secret.as_chunks_mut().0) {
        backend.encode(operand.as_ref(), bytes);
    }
    let mut sum = Zeroizing::new(B::Sum::default());
    for (i, bytes) in (0..).zip(rows) {
        for (j, operand) in (0..).zip(s.all()) {
            let term = Term::number(j.into());
            expander.start(j, i);
            backend.multiply_uniform(term, &mut expander, operand, &mut sum);
        }
        let noise = expander.noise(P::ROW.k as u8 + i, P::ROW.eta1);
        backend.encode_with_noise(&mut sum, P::ROW.eta1, noise, bytes);
    }
}
