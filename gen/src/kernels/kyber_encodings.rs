//! Encodings of polynomials of Kyber and ML-KEM (FIPS 203, section 4.2.1): each coefficient in a few bits, the lowest first.

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::map::{ANY, Element, Groups, Map, Value};
use kernels::params::mlkem as params;

const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;
/// Bits of a coefficient that is not compressed.
const WHOLE: u32 = 12;

fn kernel(name: &str, bits: u32, summary: &'static str, notes: &'static [&'static str], code: Code) -> Kernel {
    let out = ParamType::ByteArray(N / 8 * bits);
    let params = vec![
        Param { name: "out", ty: out, direction: Direction::Out, secret: true, doc: "the bytes" },
        Param {
            name: "r",
            ty: ParamType::Halfwords(N),
            direction: Direction::In,
            secret: true,
            doc: "256 coefficients",
        },
    ];
    Kernel::mapping(name, "kyber", Interface { summary, notes, params, returns: None }, map(bits, code))
}

/// What becomes of a coefficient.
type Code = fn(&mut Map, Value) -> Value;

/// As many coefficients in a group as fill words.
fn map(bits: u32, code: Code) -> Map {
    let words = bits / gcd(bits, 32);
    let coefficients = 32 * words / bits;
    let mut m = Map::new(Groups::Fixed(N / coefficients), Q);
    let out = m.array(0, Element::Bytes, words, ANY);
    let r = m.array(1, Element::Coefficient, coefficients, ANY);
    let mut word: Option<Value> = None;
    for i in 0..coefficients {
        let x = m.load(r, i);
        let number = code(&mut m, x);
        let (at, bit) = (i * bits / 32, i * bits % 32);
        let filled = word.map_or(number, |word| m.join(word, number, bit));
        word = Some(filled);
        if bit + bits >= 32 {
            m.store(out, at, filled);
            word = (bit + bits > 32).then(|| m.drop_bits(number, 32 - bit));
        }
    }
    m
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

const COMPRESS: &str =
    "Compresses and encodes a polynomial of Kyber and ML-KEM (FIPS 203, section 4.2.1 and algorithm 5)";
const COMPRESS_NOTES: &[&str] = &["round(2^d/q x) modulo 2^d of each coefficient x, which may be any. q = 3329."];

/// `kyber_compress4`.
pub fn compress4() -> Kernel {
    kernel("kyber_compress4", 4, COMPRESS, COMPRESS_NOTES, |m, x| m.compress(x, 4))
}

/// `kyber_compress5`.
pub fn compress5() -> Kernel {
    kernel("kyber_compress5", 5, COMPRESS, COMPRESS_NOTES, |m, x| m.compress(x, 5))
}

/// `kyber_compress10`.
pub fn compress10() -> Kernel {
    kernel("kyber_compress10", 10, COMPRESS, COMPRESS_NOTES, |m, x| m.compress(x, 10))
}

/// `kyber_compress11`.
pub fn compress11() -> Kernel {
    kernel("kyber_compress11", 11, COMPRESS, COMPRESS_NOTES, |m, x| m.compress(x, 11))
}

/// `kyber_encode`.
pub fn encode() -> Kernel {
    let notes = &["Each coefficient, which may be any, modulo q = 3329 in 12 bits."];
    kernel(
        "kyber_encode",
        WHOLE,
        "Encodes a polynomial of Kyber and ML-KEM (FIPS 203, algorithm 5)",
        notes,
        Map::canonical,
    )
}
