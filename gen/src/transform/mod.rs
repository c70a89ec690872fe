//! Number-theoretic transforms, as the standards write them: layers of butterflies whose factors are powers of a root of unity.
//!
//! A [`Transform`] says what is computed. [`mod@passes`] decides which layers are done while their coefficients are in registers, and
//! writes each pass down as operations on the coefficients of one block; what multiplies, and in how many coefficients at once, is the
//! backend's affair. [`bounds`] follows how large coefficients get.

pub mod bounds;
pub mod passes;
pub mod short;

pub use passes::{Block, Op, Pass, passes};

/// The most columns that the body of a loop does, and repetitions that can be unrolled: fully unrolled, a transform would be too large for any core's cache or patience.
pub const COLUMNS: u32 = 2;

/// Which way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Blocks are halved from layer to layer; the upper half is multiplied, then added and subtracted (FIPS 203 algorithm 9).
    Forward,
    /// The reverse: halves are added and subtracted, then the difference is multiplied; at the end all coefficients are multiplied by a
    /// factor (FIPS 203 algorithm 10).
    Inverse,
}

/// What a transform computes. A polynomial is an array of 16-bit coefficients.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Transform {
    /// Which way.
    pub direction: Direction,
    /// The prime modulo which coefficients count.
    pub modulus: u32,
    /// Coefficients: a power of two.
    pub size: u32,
    /// Layers: blocks of the last (forward) or first (inverse) one have `size >> layers` coefficients in each of their halves, doubled.
    pub layers: u32,
    /// A root of unity of order `2 << layers`.
    pub root: u32,
    /// What an inverse transform multiplies all coefficients by at its end; 1 for a forward one.
    pub factor: u32,
    /// Coefficients are from -`bound` to `bound` before the transform.
    pub bound: u32,
    /// And from -`bound_after` to `bound_after` after it.
    pub bound_after: u32,
}

impl Transform {
    /// `base` to the power of `exponent`, modulo the modulus.
    pub fn power(&self, base: u32, exponent: u32) -> u32 {
        (0..exponent).fold(1, |product, _| self.times(product, base))
    }

    /// A product modulo the modulus.
    pub fn times(&self, a: u32, b: u32) -> u32 {
        (u64::from(a) * u64::from(b) % u64::from(self.modulus)) as u32
    }

    /// What is congruent to -`a`.
    pub fn negated(&self, a: u32) -> u32 {
        (self.modulus - a) % self.modulus
    }

    /// The factor of the butterflies of block `block` in the layer that has `1 << layer` blocks: the root's power whose exponent is the
    /// number of the block among those of all layers, with its bits reversed. The inverse takes the same powers from the last one down,
    /// and multiplies upper minus lower by them.
    pub fn zeta(&self, layer: u32, block: u32) -> u32 {
        let number = match self.direction {
            Direction::Forward => (1 << layer) + block,
            Direction::Inverse => (2 << layer) - 1 - block,
        };
        self.power(self.root, number.reverse_bits() >> (32 - self.layers))
    }
}
