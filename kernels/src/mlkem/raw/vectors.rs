//! What all operations share: vectors of noise that are multiplied.

use crate::mlkem::backend::MlKemBackend;
use crate::mlkem::set::ParameterSet;
use crate::mlkem::symmetric::{Expander, Symmetric};
use zeroize::Zeroize;

/// What expands the seeds of an operation.
pub type ExpanderOf<'a, P, B> =
    <<P as ParameterSet>::Symmetric as Symmetric>::Expander<'a, B, <P as ParameterSet>::Bytes<B>>;

/// A vector that is multiplied several times. Dropping it overwrites it.
pub struct Operands<P: ParameterSet, B: MlKemBackend>(P::Vector<B::Operand>);

impl<P: ParameterSet, B: MlKemBackend> Operands<P, B> {
    /// Room for a vector.
    pub fn new() -> Self {
        Operands(Default::default())
    }

    /// Its elements.
    pub fn all(&self) -> &[B::Operand] {
        self.0.as_ref()
    }

    /// Fills the vector with noise, transformed. In place, since it is large.
    #[inline(always)]
    pub fn fill(&mut self, backend: &B, expander: &mut ExpanderOf<'_, P, B>) {
        for (number, operand) in (0..).zip(self.0.as_mut().iter_mut()) {
            backend.noise(P::ROW.eta1, expander.noise(number, P::ROW.eta1), operand.as_mut());
            backend.prepare(operand);
        }
    }
}

impl<P: ParameterSet, B: MlKemBackend> Drop for Operands<P, B> {
    fn drop(&mut self) {
        self.0.as_mut().iter_mut().for_each(Zeroize::zeroize);
    }
}
