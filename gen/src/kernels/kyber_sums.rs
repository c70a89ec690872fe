//! Sums of polynomials of Kyber and ML-KEM that are not reduced: with a message (FIPS 203, algorithm 14), and differences (algorithm 15).

use super::kyber_noise::coefficients;
use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::Kernel;
use crate::map::{Change, Element, Groups, Map};
use kernels::params::mlkem as params;

const N: u32 = params::N as u32;
const Q: u32 = params::Q as u32;
/// What a bit of a message becomes: q/2, rounded.
pub const BIT: i16 = (params::Q + 1) / 2;
/// Coefficients to which a message is added are from minus this to this.
pub const BEFORE_MESSAGE: i32 = (i16::MAX - BIT) as i32;
/// Coefficients of which others are subtracted.
pub const FROM: i32 = Q as i32;
/// Those that are subtracted: what an inverse transform leaves.
pub const SUBTRACTED: i32 = 8 * Q as i32;

/// Coefficients of a group.
const GROUP: u32 = 8;

/// A map whose first array has coefficients between these bounds, and any afterwards.
fn map(before: i32) -> (Map, usize) {
    let mut m = Map::new(Groups::Fixed(N / GROUP), Q);
    let r = m.array(0, Element::Coefficient, GROUP, (-before, before));
    m.arrays[r].written = (i16::MIN.into(), i16::MAX.into());
    (m, r)
}

/// `kyber_add_message`.
pub fn add_message() -> Kernel {
    let message = ParamType::ByteArray(params::SEED_BYTES as u32);
    let interface = Interface {
        summary: "Adds a message to a polynomial of Kyber and ML-KEM: 1665 for each bit that is 1 (FIPS 203, algorithm 14)",
        notes: &["Coefficients before: from -31102 to 31102. They are not reduced."],
        params: vec![
            coefficients(Direction::InOut),
            Param { name: "message", ty: message, direction: Direction::In, secret: true, doc: "32 bytes" },
        ],
        returns: None,
    };
    let (mut m, r) = map(BEFORE_MESSAGE);
    let message = m.array(1, Element::Bytes, GROUP / 8, (i32::MIN, i32::MAX));
    let old = (0..GROUP).map(|k| m.load(r, k)).collect();
    let bits = m.load_bytes(message, 0, 1);
    let new = m.change(old, Change::Bits(bits, BIT));
    (0..).zip(new).for_each(|(k, value)| m.store(r, k, value));
    Kernel::mapping("kyber_add_message", "kyber", interface, m)
}

/// `kyber_subtract`.
pub fn subtract() -> Kernel {
    let interface = Interface {
        summary: "Subtracts a polynomial of Kyber and ML-KEM from another",
        notes: &["r before: from -q to q; a: from -8 q to 8 q. q = 3329. The difference is not reduced."],
        params: vec![
            coefficients(Direction::InOut),
            Param {
                name: "a",
                ty: ParamType::Halfwords(N),
                direction: Direction::In,
                secret: true,
                doc: "256 coefficients that are subtracted",
            },
        ],
        returns: None,
    };
    let (mut m, r) = map(FROM);
    let a = m.array(1, Element::Coefficient, GROUP, (-SUBTRACTED, SUBTRACTED));
    for pair in (0..GROUP).step_by(2) {
        let [from, others] = [r, a].map(|array| [0, 1].map(|k| m.load(array, pair + k)).to_vec());
        let new = m.change(from, Change::Minus(others));
        (pair..).zip(new).for_each(|(k, value)| m.store(r, k, value));
    }
    Kernel::mapping("kyber_subtract", "kyber", interface, m)
}
