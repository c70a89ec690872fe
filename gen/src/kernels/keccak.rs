//! Keccak-f\[1600\] (FIPS 202, section 3), on lanes whose even and odd bits are in words of their own.
//!
//! A rotation of such a lane by an even number rotates both words by half of it; one by an odd number also exchanges them (Bertoni and
//! others, *Keccak implementation overview*, 2.1). The parities that theta wants are summed up as the rows of the round before come out.

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::{Builder, InPlace, Kernel, Var};
use crate::map::{ANY, Element, Groups, Map};
use kernels::params::keccak::{LANES, ROTATIONS, ROUND_CONSTANTS};

/// Lanes of a row, and rows.
const SIDE: usize = 5;
/// Words of a lane: its even bits, then its odd ones.
const HALVES: usize = 2;
const WORDS: usize = HALVES * LANES;

/// The order in which the rows of even and of odd bits are computed. Any order is right; in this one neighbours have much of theta's effect in
/// common, so that it is loaded less often.
const ORDER: [[usize; SIDE]; HALVES] = [[0, 2, 4, 3, 1], [0, 2, 4, 1, 3]];

/// The word with the even (0) or odd (1) bits of lane (x, y).
const fn word(x: usize, y: usize, half: usize) -> usize {
    HALVES * (x + SIDE * y) + half
}

/// The word with the even or odd bits of a column's parity, or of what theta adds to a column.
const fn column(x: usize, half: usize) -> usize {
    HALVES * (x % SIDE) + half
}

/// Which half of a lane becomes its even or odd bits when it is rotated left by `n`, and how far that word is rotated.
const fn turned(half: usize, n: u32) -> (usize, u32) {
    match (n % 2, half) {
        (0, _) => (half, n / 2),
        (_, 0) => (1, n.div_ceil(2) % 32),
        _ => (0, n / 2),
    }
}

/// The even (0) or odd (1) bits of a lane.
fn bits(lane: u64, half: usize) -> u32 {
    (0..32).fold(0, |word, i| word | ((lane >> (2 * i + half) & 1) as u32) << i)
}

/// Sums of the columns; FIPS 202, algorithm 1, step 1.
fn parities(b: &mut Builder<'_>, a: &[Var], c: &[Var]) {
    for x in 0..SIDE {
        b.step(format!("parity of column {x}"), |s| {
            for half in 0..HALVES {
                let first = s.sum("c", a[word(x, 0, half)], a[word(x, 1, half)]);
                let sum = (2..SIDE).fold(first, |sum, y| s.sum("c", sum, a[word(x, y, half)]));
                s.copy(c[column(x, half)], sum);
            }
        });
    }
}

/// What theta adds to each column; algorithm 1, step 2.
fn effect(b: &mut Builder<'_>, c: &[Var], d: &[Var]) {
    b.step("theta", |s| {
        for x in 0..SIDE {
            for half in 0..HALVES {
                let (from, n) = turned(half, 1);
                let next = s.rotated("c", c[column(x + 1, from)], n);
                let sum = s.sum("d", c[column(x + SIDE - 1, half)], next);
                s.copy(d[column(x, half)], sum);
            }
        }
    });
}

/// One word of each lane of row `y` after the round (algorithms 1 step 3, 2, 3, 4 and 6), and the parities with it.
fn row(b: &mut Builder<'_>, y: usize, half: usize, [a, d, new, c]: [&[Var]; 4]) {
    let bits = if half == 0 { "even" } else { "odd" };
    b.step(format!("row {y}, {bits} bits"), |s| {
        let lanes: [Var; SIDE] = std::array::from_fn(|x| {
            let (from_x, from_y) = ((x + 3 * y) % SIDE, x);
            let (from, n) = turned(half, ROTATIONS[from_x + SIDE * from_y]);
            let sum = s.sum("t", a[word(from_x, from_y, from)], d[column(from_x, from)]);
            s.rotated("t", sum, n)
        });
        for x in 0..SIDE {
            let others = s.and_not("u", lanes[(x + 2) % SIDE], lanes[(x + 1) % SIDE]);
            let mut lane = s.sum("w", lanes[x], others);
            if (x, y) == (0, 0) {
                let constant = s.constant("rc", half as u32);
                lane = s.sum("w", lane, constant);
            }
            s.copy(new[word(x, y, half)], lane);
            let c = c[column(x, half)];
            let parity = if y == ORDER[half][0] { lane } else { s.sum("c", c, lane) };
            s.copy(c, parity);
        }
    });
}

fn interface() -> Interface {
    Interface {
        summary: "The permutation Keccak-f[1600] (FIPS 202, section 3.4) on lanes with even and odd bits apart",
        notes: &[
            "Lane (x, y) is in state[2 * (x + 5 * y)] and the word after it: bit 2i of the lane is bit i of the first word, bit 2i + 1 is bit i of \
             the second.",
        ],
        params: vec![Param {
            name: "state",
            ty: ParamType::Words(WORDS as u32),
            direction: Direction::InOut,
            secret: true,
            doc: "50 words of state, even and odd bits apart, lane (0, 0) first",
        }],
        returns: None,
    }
}

/// `keccak_f1600`: the permutation.
pub fn f1600() -> Kernel {
    let constants = ROUND_CONSTANTS.iter().map(|&lane| (0..HALVES).map(|half| bits(lane, half)).collect()).collect();
    Kernel::new("keccak_f1600".to_owned(), "keccak", interface(), |b| {
        b.in_place(InPlace { words: WORDS as u32, words_per_lane: HALVES as u32, columns: SIDE as u32 });
        let a = b.load("state", WORDS as u32, "a");
        let [c, d] = ["c", "d"].map(|name| b.declared(HALVES * SIDE, name));
        let new = b.declared(WORDS, "b");
        parities(b, &a, &c);
        b.repeat_with(constants, |b| {
            effect(b, &c, &d);
            for (half, rows) in ORDER.into_iter().enumerate() {
                rows.into_iter().for_each(|y| row(b, y, half, [&a, &d, &new, &c]));
            }
            b.step("", |s| a.iter().zip(&new).for_each(|(&a, &new)| s.copy(a, new)));
        });
        b.store("state", &a);
    })
}

/// log2 of the distances over which bits change places when a lane is taken apart, in this order: each exchanges the number of the word with a
/// bit of the number of the bit in it, and so the word's number becomes the highest bit of the place, and the lowest one the word's.
const EXCHANGES: [u32; 5] = [4, 3, 2, 1, 0];

/// Lanes of the rate of SHA3-256, and of SHAKE128 (FIPS 202, section 6): what the calls take whose cycles are stated.
pub const MEASURED_IN: u32 = 17;
/// The same for what is taken out.
pub const MEASURED_OUT: u32 = 21;

const BYTE_LANES: &str = "Lane i is in bytes 8 i to 8 i + 7, lowest bits first (FIPS 202, B.1); in the state its even bits are in state[2 i], its odd \
                          ones in state[2 i + 1].";

fn state(direction: Direction, doc: &'static str) -> Param {
    Param { name: "state", ty: ParamType::Words(WORDS as u32), direction, secret: true, doc }
}

fn bytes(direction: Direction, measured: u32, doc: &'static str) -> Param {
    let ty = ParamType::Chunks { bytes: 8, count: "lanes", most: LANES as u32, measured };
    Param { name: "bytes", ty, direction, secret: true, doc }
}

fn lanes() -> Param {
    let doc = "how many lanes, from 0 to 25";
    Param { name: "lanes", ty: ParamType::Value, direction: Direction::In, secret: false, doc }
}

fn of_lanes(usual: u32, call: &'static str) -> Map {
    Map { call, ..Map::new(Groups::Given { param: 2, usual }, 1) }
}

/// `keccak_xor_lanes`: absorbs whole lanes.
pub fn xor_lanes() -> Kernel {
    let interface = Interface {
        summary: "Adds lanes of bytes to the first lanes of a state of Keccak-f[1600] whose even and odd bits are apart",
        notes: &[BYTE_LANES, "The other lanes stay as they are."],
        params: vec![
            state(Direction::InOut, "50 words of state, even and odd bits apart, lane (0, 0) first"),
            bytes(Direction::In, MEASURED_IN, "8 bytes for each lane"),
            lanes(),
        ],
        returns: None,
    };
    let mut m = of_lanes(MEASURED_IN, "17 aligned lanes");
    let state = m.array(0, Element::Bits, 2, ANY);
    let bytes = m.array(1, Element::Bytes, 8, ANY);
    let lane = [0, 4].map(|at| m.load_bytes(bytes, at, 4));
    let old = [0, 1].map(|k| m.load(state, k));
    let bits = EXCHANGES.into_iter().fold(lane, |lane, n| m.exchange(lane, n));
    for (k, (old, bits)) in (0..).zip(old.into_iter().zip(bits)) {
        let new = m.xor(old, bits);
        m.store(state, k, new);
    }
    Kernel::mapping("keccak_xor_lanes", "keccak", interface, m)
}

/// `keccak_copy_lanes`: squeezes whole lanes.
pub fn copy_lanes() -> Kernel {
    let interface = Interface {
        summary: "Writes the first lanes of a state of Keccak-f[1600] whose even and odd bits are apart as bytes",
        notes: &[BYTE_LANES],
        params: vec![
            bytes(Direction::Out, MEASURED_OUT, "8 bytes for each lane"),
            state(Direction::In, "50 words of state, even and odd bits apart, lane (0, 0) first"),
            lanes(),
        ],
        returns: None,
    };
    let mut m = of_lanes(MEASURED_OUT, "21 aligned lanes");
    let bytes = m.array(0, Element::Bytes, 8, ANY);
    let state = m.array(1, Element::Bits, 2, ANY);
    let bits = [0, 1].map(|k| m.load(state, k));
    let lane = EXCHANGES.into_iter().rev().fold(bits, |bits, n| m.exchange(bits, n));
    [0, 4].into_iter().zip(lane).for_each(|(at, word)| m.store_bytes(bytes, at, 4, word));
    Kernel::mapping("keccak_copy_lanes", "keccak", interface, m)
}
