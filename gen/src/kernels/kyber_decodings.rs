//! Decodings of polynomials of Kyber and ML-KEM (FIPS 203, section 4.2.1): coefficients out of a few bits each, the lowest first.

use super::kyber_encodings::{SMALL, WHOLE, whole_words};
use super::kyber_noise::coefficients;
use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::map::{ANY, Element, Groups, Map, Value};
use kernels::params::mlkem as params;

const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;

/// What becomes of a number.
type Code = fn(&mut Map, Value, u32) -> Value;

/// A kernel whose coefficients are from 0 to `most`.
fn kernel(name: &str, bits: u32, text: (&'static str, &'static [&'static str]), most: u32, code: Code) -> Kernel {
    let (summary, notes) = text;
    let params = vec![
        coefficients(Direction::Out),
        Param {
            name: "bytes",
            ty: ParamType::ByteArray(N / 8 * bits),
            direction: Direction::In,
            secret: true,
            doc: "the bytes",
        },
    ];
    let interface = Interface { summary, notes, params, returns: None };
    Kernel::mapping(name, "kyber", interface, map(bits, whole_words(bits), most, code))
        .with_small_groups(map(bits, SMALL, most, code))
}

/// Bytes that are loaded together.
#[derive(Clone, Copy)]
struct Piece {
    value: Value,
    /// The first bit of the group that is in it.
    first: u32,
    bits: u32,
}

/// So many coefficients in a group, which fill whole bytes.
fn map(bits: u32, coefficients: u32, most: u32, code: Code) -> Map {
    let mut m = Map::new(Groups::Fixed(N / coefficients), Q);
    let r = m.array(0, Element::Coefficient, coefficients, (0, most as i32));
    let bytes = m.array(1, Element::Bytes, coefficients * bits / 8, ANY);
    let mut piece: Option<Piece> = None;
    for i in 0..coefficients {
        let number = number(&mut m, bytes, &mut piece, i * bits, bits);
        let x = code(&mut m, number, bits);
        m.store(r, i, x);
    }
    m
}

/// The number of so many bits from bit `first` of the group on. The last piece that was loaded has its lowest bit, or ends before it.
fn number(m: &mut Map, bytes: usize, last: &mut Option<Piece>, first: u32, bits: u32) -> Value {
    let piece = last.filter(|piece| first < piece.first + piece.bits).unwrap_or_else(|| load(m, bytes, first));
    *last = Some(piece);
    let (at, end) = (first - piece.first, piece.first + piece.bits);
    if at + bits < piece.bits {
        return m.bits(piece.value, at, bits);
    }
    let low = m.drop_bits(piece.value, at);
    if first + bits == end {
        return low;
    }
    let next = load(m, bytes, end);
    *last = Some(next);
    m.insert(low, next.value, end - first, first + bits - end)
}

/// As many bytes as there are from this bit on, up to four.
fn load(m: &mut Map, bytes: usize, first: u32) -> Piece {
    let left = m.arrays[bytes].bytes - first / 8;
    let count = [4, 2, 1].into_iter().find(|count| *count <= left).unwrap_or(1);
    Piece { value: m.load_bytes(bytes, first / 8, count), first, bits: 8 * count }
}

/// `kyber_decode`.
pub fn decode() -> Kernel {
    let notes = &["12 bits for each coefficient, which is from 0 to 4095: it is not reduced modulo q = 3329."];
    let text: (_, &[_]) = ("Decodes a polynomial of Kyber and ML-KEM (FIPS 203, algorithm 6)", notes);
    kernel("kyber_decode", WHOLE, text, (1 << WHOLE) - 1, |_, number, _| number)
}

const DECOMPRESS: &str =
    "Decodes and decompresses a polynomial of Kyber and ML-KEM (FIPS 203, algorithm 6 and section 4.2.1)";
const DECOMPRESS_NOTES: &[&str] = &["round(q/2^d y) for each number y of d bits: from 0 to q - 1. q = 3329."];

fn decompress(name: &str, bits: u32) -> Kernel {
    kernel(name, bits, (DECOMPRESS, DECOMPRESS_NOTES), Q - 1, Map::decompress)
}

/// `kyber_decompress4`.
pub fn decompress4() -> Kernel {
    decompress("kyber_decompress4", 4)
}

/// `kyber_decompress5`.
pub fn decompress5() -> Kernel {
    decompress("kyber_decompress5", 5)
}

/// `kyber_decompress10`.
pub fn decompress10() -> Kernel {
    decompress("kyber_decompress10", 10)
}

/// `kyber_decompress11`.
pub fn decompress11() -> Kernel {
    decompress("kyber_decompress11", 11)
}
