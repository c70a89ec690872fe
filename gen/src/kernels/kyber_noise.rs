//! Noise of Kyber and ML-KEM (FIPS 203, algorithm 8): differences of the numbers of ones in neighbouring bits.

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::map::{Change, Element, Groups, Map, Value};
use kernels::params::mlkem as params;

const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;

/// Coefficients before are from minus this to this: the largest noise makes them no larger than 16 bits hold.
pub const BEFORE: i32 = i16::MAX as i32 - 3;

const NOTES: &[&str] = &["Coefficients before: from -32764 to 32764. They are not reduced."];

/// The coefficients that are changed.
pub(super) fn coefficients(direction: Direction) -> Param {
    Param { name: "r", ty: ParamType::Halfwords(N), direction, secret: true, doc: "256 coefficients" }
}

fn kernel(name: &str, eta: u32, summary: &'static str) -> Kernel {
    let params = vec![
        coefficients(Direction::InOut),
        Param {
            name: "bytes",
            ty: ParamType::ByteArray(N / 4 * eta),
            direction: Direction::In,
            secret: true,
            doc: "random bytes",
        },
    ];
    Kernel::mapping(name, "kyber", Interface { summary, notes: NOTES, params, returns: None }, map(eta))
}

/// The arrays, with so many coefficients in a group.
fn arrays(eta: u32, coefficients: u32) -> (Map, usize, usize) {
    let mut m = Map::new(Groups::Fixed(N / coefficients), Q);
    let r = m.array(0, Element::Coefficient, coefficients, (-BEFORE, BEFORE));
    m.arrays[r].written = (i16::MIN.into(), i16::MAX.into());
    let bytes = m.array(1, Element::Bytes, coefficients * eta / 4, (i32::MIN, i32::MAX));
    (m, r, bytes)
}

/// Coefficients from number `first` on, as many as the operation takes.
fn add(m: &mut Map, r: usize, first: u32, eta: u32, bits: Value) {
    let at = first..first + if eta == 2 { 8 } else { FOUR };
    let old = at.clone().map(|k| m.load(r, k)).collect();
    let new = m.change(old, Change::Noise(bits, eta));
    at.zip(new).for_each(|(k, value)| m.store(r, k, value));
}

/// Coefficients for which there are 24 bits each time.
const FOUR: u32 = 4;

/// As many coefficients as there are bits for in whole words.
fn map(eta: u32) -> Map {
    if eta == 2 {
        let (mut m, r, bytes) = arrays(eta, 8);
        let bits = m.load_bytes(bytes, 0, 4);
        add(&mut m, r, 0, eta, bits);
        return m;
    }
    let (mut m, r, bytes) = arrays(eta, 4 * FOUR);
    let first = m.load_bytes(bytes, 0, 4);
    add(&mut m, r, 0, eta, first);
    let second = m.load_bytes(bytes, 4, 4);
    let rest = m.drop_bits(first, 24);
    let bits = m.insert(rest, second, 8, 16);
    add(&mut m, r, FOUR, eta, bits);
    let third = m.load_bytes(bytes, 8, 4);
    let rest = m.drop_bits(second, 16);
    let bits = m.insert(rest, third, 16, 8);
    add(&mut m, r, 2 * FOUR, eta, bits);
    let bits = m.drop_bits(third, 8);
    add(&mut m, r, 3 * FOUR, eta, bits);
    m
}

/// Four coefficients and three bytes.
fn small() -> Map {
    let (mut m, r, bytes) = arrays(3, FOUR);
    let [low, high] = [(0, 2), (2, 1)].map(|(at, count)| m.load_bytes(bytes, at, count));
    let bits = m.insert(low, high, 16, 8);
    add(&mut m, r, 0, 3, bits);
    m
}

/// `kyber_add_noise2`.
pub fn add_noise2() -> Kernel {
    kernel(
        "kyber_add_noise2",
        2,
        "Adds noise to a polynomial of Kyber and ML-KEM: from -2 to 2 (FIPS 203, algorithm 8 for eta = 2)",
    )
}

/// `kyber_add_noise3`.
pub fn add_noise3() -> Kernel {
    kernel(
        "kyber_add_noise3",
        3,
        "Adds noise to a polynomial of Kyber and ML-KEM: from -3 to 3 (FIPS 203, algorithm 8 for eta = 3)",
    )
    .with_small_groups(small())
}
