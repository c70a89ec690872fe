//! Polynomials of Kyber and ML-KEM (FIPS 203, section 4.3).

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::transform::{self, Transform};
use kernels::params::mlkem as params;

/// Coefficients of a polynomial, and what they count modulo.
const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;
/// The polynomials come to be of degree 1: 7 layers halve 256 coefficients down to 2.
const LAYERS: u32 = 7;
/// 1/128 modulo q, by which the inverse transform multiplies at its end (FIPS 203, algorithm 10).
pub const LAST_FACTOR: u32 = 3303;
/// -2^32/128 modulo q: the same for what was reduced after Plantard, which multiplies by -2^-32.
pub const LAST_FACTOR_OF_SUM: u32 = 1888;

/// Coefficients before a transform are from minus this to this.
pub const BEFORE: u32 = Q;
/// After `kyber_ntt`.
pub const AFTER_NTT: u32 = 5 * Q;
/// After `kyber_invntt` and `kyber_invntt_sum`.
pub const AFTER_INVERSE_NTT: u32 = 8 * Q;

fn transform(direction: transform::Direction, factor: u32, bound_after: u32) -> Transform {
    Transform {
        direction,
        modulus: Q,
        size: N,
        layers: LAYERS,
        root: params::ZETA as u32,
        factor,
        bound: BEFORE,
        bound_after,
    }
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
        &["Coefficients count modulo q = 3329. Before: from -q to q. After: from -8 q to 8 q."],
    );
    Kernel::new("kyber_invntt".to_owned(), "kyber", interface, |b| {
        b.transform(transform(transform::Direction::Inverse, LAST_FACTOR, AFTER_INVERSE_NTT));
    })
}

/// `kyber_invntt_sum`: FIPS 203 algorithm 10 of -2^32 times the polynomial, at no cost.
pub fn invntt_sum() -> Kernel {
    let interface = in_place(
        "The inverse number-theoretic transform of Kyber and ML-KEM (FIPS 203, algorithm 10) of a reduced sum of products",
        &[
            "Coefficients count modulo q = 3329. Before: from -q to q. After: from -8 q to 8 q.",
            "A sum is reduced after Plantard, which multiplies it by -2^-32 modulo q; the result is without that factor.",
        ],
    );
    Kernel::new("kyber_invntt_sum".to_owned(), "kyber", interface, |b| {
        b.transform(transform(transform::Direction::Inverse, LAST_FACTOR_OF_SUM, AFTER_INVERSE_NTT));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_factor_undoes_the_doublings_of_all_layers() {
        assert_eq!((LAST_FACTOR << LAYERS) % Q, 1);
        assert_eq!((u64::from(LAST_FACTOR_OF_SUM << LAYERS) + (1 << 32)) % u64::from(Q), 0);
    }
}
