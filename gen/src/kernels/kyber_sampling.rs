//! Sampling of Kyber's and ML-KEM's uniform polynomials (FIPS 203, algorithm 7).

use crate::function::{Direction, Interface, Param, ParamType, Returned};
use crate::ir::{Kernel, Rejection};
use kernels::params::mlkem::{N, Q};

/// Bits of a candidate.
const BITS: u32 = 12;
/// Bytes of the call whose cycles are stated: the rate of SHAKE128.
pub const MEASURED: usize = 168;

/// `kyber_sample`: the coefficients in some bytes.
pub fn sample() -> Kernel {
    let param = |name, ty, direction, doc| Param { name, ty, direction, secret: false, doc };
    let interface = Interface {
        summary: "Appends the coefficients of a uniform polynomial of Kyber and ML-KEM that are in some bytes (FIPS 203, algorithm 7)",
        notes: &[
            "Each 3 bytes are two candidates of 12 bits; those below q = 3329 are appended until there are 256. A last byte or two are not used.",
            "Time depends on the bytes, which are public.",
            "With more than 256 coefficients from the start, nothing is done.",
        ],
        params: vec![
            param(
                "r",
                ParamType::Halfwords(N as u32),
                Direction::InOut,
                "256 coefficients, of which the first `filled` stay",
            ),
            param("filled", ParamType::Value, Direction::In, "how many coefficients there are already, from 0 to 256"),
            param("block", ParamType::Bytes { length: "length" }, Direction::In, "uniform bytes"),
            param("length", ParamType::Value, Direction::In, "how many bytes: a multiple of 3"),
        ],
        returns: Some(Returned::Number("how many coefficients there are now")),
    };
    let rejection = Rejection { bits: BITS, bound: Q as u32, most: N as u32, call: "168 aligned bytes, none filled" };
    Kernel::rejecting("kyber_sample", "kyber", interface, rejection)
}
