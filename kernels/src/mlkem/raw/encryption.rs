//! Encryption, for encapsulation and for the check in decapsulation.

use super::Bytes32;
use super::vectors::{ExpanderOf, Operands};
use crate::mlkem::backend::{MlKemBackend, Poly, Term};
use crate::mlkem::set::ParameterSet;
use crate::mlkem::symmetric::{Expander, Symmetric};
use crate::params::mlkem::{Bits, POLY_BYTES};
use hybrid_array::Array;
use zeroize::Zeroizing;

/// Where a ciphertext goes.
pub enum Target<'a> {
    /// Into memory.
    #[cfg(feature = "encaps")]
    Write(&'a mut [u8]),
    /// Nowhere: it is compared with one that is there. The number becomes other than 0 if they differ.
    #[cfg(feature = "decaps")]
    Compare(&'a [u8], &'a mut u32),
}

impl Target<'_> {
    /// The part of the ciphertext that begins at byte `at`: a polynomial, compressed. What is left in it is of no use.
    fn put<B: MlKemBackend>(&mut self, backend: &B, bits: Bits, poly: &mut Poly, at: usize) {
        let part = at..at + bits.bytes();
        match self {
            #[cfg(feature = "encaps")]
            Target::Write(bytes) => backend.compress(bits, poly, &mut bytes[part]),
            #[cfg(feature = "decaps")]
            Target::Compare(bytes, difference) => **difference |= backend.compare(bits, poly, &bytes[part]),
        }
    }
}

/// Encryption of a message with the given coins (FIPS 203 algorithm 14).
#[inline(never)]
pub fn encrypt<P: ParameterSet, B: MlKemBackend>(
    backend: &B,
    ek: &Array<u8, P::EkSize>,
    message: &Bytes32,
    coins: &Bytes32,
    mut target: Target<'_>,
) {
    let row = P::ROW;
    let (t, rho) = ek.as_chunks::<POLY_BYTES>();
    let Ok(rho) = rho.try_into() else { unreachable!("a seed after the vector") };
    let mut expander: ExpanderOf<'_, P, B> = P::Symmetric::expander(backend, rho, coins);
    let mut y = Operands::<P, B>::new();
    y.fill(backend, &mut expander);
    let mut sum = Zeroizing::new(B::Sum::default());
    for i in 0..row.k as u8 {
        for (j, operand) in (0..).zip(y.all()) {
            let term = Term::number(j.into());
            expander.start(i, j);
            backend.multiply_uniform(term, &mut expander, operand, &mut sum);
        }
        let u = backend.inverse(&mut sum);
        backend.add_noise(row.eta2, expander.noise(row.k as u8 + i, row.eta2), u);
        target.put(backend, row.du, u, usize::from(i) * row.du.bytes());
    }
    for (j, (t, operand)) in t.iter().zip(y.all()).enumerate() {
        backend.multiply_encoded(Term::number(j), t, operand, &mut sum);
    }
    let v = backend.inverse(&mut sum);
    backend.add_noise(row.eta2, expander.noise(2 * row.k as u8, row.eta2), v);
    backend.add_message(message, v);
    target.put(backend, row.dv, v, row.u_bytes());
}

/// The shared key of round 3, in the place of the pre-key, or of the rejection seed: that is hashed with the hash of the ciphertext.
#[inline(never)]
pub fn derive<P: ParameterSet, B: MlKemBackend>(backend: &B, ciphertext: &Array<u8, P::CtSize>, key: &mut Bytes32) {
    let mut hash = [0; size_of::<Bytes32>()];
    P::Symmetric::h(backend, &[ciphertext], &mut hash);
    let before = Zeroizing::new(*key);
    P::Symmetric::j(backend, &[&*before, &hash], key);
}
