//! Polynomials of Kyber and ML-KEM (FIPS 203, section 4.3).

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::transform::{self, Transform};

/// FIPS 203, 2.4: coefficients of a polynomial, and what they count modulo.
const N: u32 = 256;
const Q: u32 = 3329;
/// FIPS 203, 4.3: a primitive 256-th root of unity.
const ZETA: u32 = 17;
/// The polynomials come to be of degree 1: 7 layers halve 256 coefficients down to 2.
const LAYERS: u32 = 7;

/// Coefficients before a transform are from minus this to this.
pub const BEFORE: u32 = Q;
/// After `kyber_ntt`.
pub const AFTER_NTT: u32 = 5 * Q;
/// After `kyber_invntt`.
pub const AFTER_INVERSE_NTT: u32 = 9 * Q;

fn transform(direction: transform::Direction, factor: u32, bound_after: u32) -> Transform {
    Transform { direction, modulus: Q, size: N, layers: LAYERS, root: ZETA, factor, bound: BEFORE, bound_after }
}

fn in_place(summary: &'static str, notes: &'static [&'static str]) -> Interface {
    let ty = ParamType::Halfwords(N);
    let param = Param { name: "r", ty, direction: Direction::InOut, secret: true, doc: "256 coefficients" };
    Interface { summary, notes, params: vec![param], returns: None }
}

/// `kyber_ntt`: FIPS 203 algorithm 9.
pub fn ntt() -> Kernel {
    let interface = in_place(
        "The number-theoretic transform of Kyber and ML-KEM (FIPS 203, algorithm 9)",
        &["Coefficients count modulo q = 3329. Before: from -q to q. After: from -5 q to 5 q."],
    );
    Kernel::new("kyber_ntt".to_owned(), "kyber", interface, |b| {
        b.transform(transform(transform::Direction::Forward, 1, AFTER_NTT));
    })
}

/// `kyber_invntt`: FIPS 203 algorithm 10.
pub fn invntt() -> Kernel {
    let interface = in_place(
        "The inverse number-theoretic transform of Kyber and ML-KEM (FIPS 203, algorithm 10)",
        &["Coefficients count modulo q = 3329. Before: from -q to q. After: from -9 q to 9 q."],
    );
    // 1/128 modulo q.
    let factor = 3303;
    Kernel::new("kyber_invntt".to_owned(), "kyber", interface, |b| {
        b.transform(transform(transform::Direction::Inverse, factor, AFTER_INVERSE_NTT));
    })
}
