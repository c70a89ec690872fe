//! What all operations share: vectors of noise that are multiplied.

use crate::mlkem::backend::MlKemBackend;
use crate::mlkem::set::ParameterSet;
use crate::mlkem::symmetric::{Noise, Symmetric};
use crate::params::mlkem::Eta;
use hybrid_array::Array;
use zeroize::Zeroize;

/// What seeds secret noise.
type NoiseOf<'a, P, B> = <<P as ParameterSet>::Symmetric as Symmetric>::Noise<'a, B>;

/// A vector that is multiplied several times. Dropping it overwrites it.
pub struct Operands<P: ParameterSet, B: MlKemBackend>(pub Array<B::Operand, P::K>);

impl<P: ParameterSet, B: MlKemBackend> Operands<P, B> {
    /// Room for a vector.
    pub fn new() -> Self {
        Operands(Array::default())
    }

    /// Fills the vector with noise, transformed. In place, since it is large.
    #[inline(never)]
    pub fn fill(&mut self, backend: &B, seed: &NoiseOf<'_, P, B>) {
        for (number, operand) in (0..).zip(self.0.iter_mut()) {
            noise(seed, number, P::ROW.eta1, |bytes| backend.noise(P::ROW.eta1, bytes, operand.as_mut()));
            backend.prepare(operand);
        }
    }
}

impl<P: ParameterSet, B: MlKemBackend> Drop for Operands<P, B> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// The bytes that one polynomial of noise is made of.
pub fn noise(seed: &impl Noise, number: u8, eta: Eta, use_bytes: impl FnOnce(&[u8])) {
    let mut bytes = [0; Eta::Three.bytes()];
    let bytes = &mut bytes[..eta.bytes()];
    seed.fill(number, bytes);
    use_bytes(bytes);
    bytes.zeroize();
}
