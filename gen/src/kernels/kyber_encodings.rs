//! Encodings of polynomials of Kyber and ML-KEM (FIPS 203, section 4.2.1): each coefficient in a few bits, the lowest first.

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::map::{ANY, Element, Groups, Map, Value};
use kernels::params::mlkem as params;

const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;
/// Bits of a coefficient that is not compressed.
pub(super) const WHOLE: u32 = 12;

fn kernel(name: &str, bits: u32, summary: &'static str, notes: &'static [&'static str], code: Code) -> Kernel {
    let out = ParamType::ByteArray(N / 8 * bits);
    let params = vec![
        Param {
            name: "out",
            ty: out,
            direction: Direction::Out,
            secret: true,
            doc: "the bytes; may be at the address of r",
        },
        Param {
            name: "r",
            ty: ParamType::Halfwords(N),
            direction: Direction::In,
            secret: true,
            doc: "256 coefficients",
        },
    ];
    let interface = Interface { summary, notes, params, returns: None };
    Kernel::mapping(name, "kyber", interface, map(bits, whole_words(bits), code))
        .with_small_groups(map(bits, SMALL, code))
}

/// What becomes of a coefficient.
type Code = fn(&mut Map, Value) -> Value;

/// The fewest coefficients that fill bytes, whatever their bits.
pub(super) const SMALL: u32 = 8;

/// As many coefficients as fill words.
pub(super) fn whole_words(bits: u32) -> u32 {
    32 / gcd(bits, 32)
}

/// So many coefficients in a group.
fn map(bits: u32, coefficients: u32, code: Code) -> Map {
    let mut m = Map::new(Groups::Fixed(N / coefficients), Q);
    m.overlaps = true;
    let bytes = coefficients * bits / 8;
    let out = m.array(0, Element::Bytes, bytes, ANY);
    let r = m.array(1, Element::Coefficient, coefficients, ANY);
    let mut word: Option<Value> = None;
    for i in 0..coefficients {
        let x = m.load(r, i);
        let number = code(&mut m, x);
        let (at, bit) = (4 * (i * bits / 32), i * bits % 32);
        let filled = word.map_or(number, |word| m.insert(word, number, bit, bits.min(32 - bit)));
        word = Some(filled);
        if bit + bits >= 32 {
            m.store_bytes(out, at, 4, filled);
            word = (bit + bits > 32).then(|| m.drop_bits(number, 32 - bit));
        }
    }
    if let Some(rest) = word {
        store_rest(&mut m, out, bytes, rest);
    }
    m
}

/// Stores the bytes that do not fill a word.
fn store_rest(m: &mut Map, out: usize, bytes: u32, rest: Value) {
    let at = bytes / 4 * 4;
    if bytes & 2 != 0 {
        m.store_bytes(out, at, 2, rest);
    }
    if bytes & 1 != 0 {
        let last = if bytes & 2 != 0 { m.drop_bits(rest, 16) } else { rest };
        m.store_bytes(out, bytes - 1, 1, last);
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

const OVERLAP: &str = "out may be at the address of r, or be apart from it.";
const COMPRESS: &str =
    "Compresses and encodes a polynomial of Kyber and ML-KEM (FIPS 203, section 4.2.1 and algorithm 5)";
const COMPRESS_NOTES: &[&str] =
    &["round(2^d/q x) modulo 2^d of each coefficient x, which may be any. q = 3329.", OVERLAP];

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
    let notes = &["Each coefficient, which may be any, modulo q = 3329 in 12 bits.", OVERLAP];
    kernel(
        "kyber_encode",
        WHOLE,
        "Encodes a polynomial of Kyber and ML-KEM (FIPS 203, algorithm 5)",
        notes,
        Map::canonical,
    )
}

/// `kyber_message`.
pub fn message() -> Kernel {
    let summary = "The message in a polynomial of Kyber and ML-KEM: each coefficient compressed to a bit (FIPS 203, algorithm 15)";
    kernel("kyber_message", 1, summary, COMPRESS_NOTES, |m, x| m.compress(x, 1))
}
