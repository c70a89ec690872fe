//! Keccak-f\[1600\] (FIPS 202, section 3), on lanes whose even and odd bits are in words of their own.
//!
//! A rotation of such a lane by an even number rotates both words by half of it; one by an odd number also exchanges them (Bertoni and
//! others, *Keccak implementation overview*, 2.1). The parities that theta wants are summed up as the rows of the round before come out.

use crate::function::{Direction, Interface, Param, ParamType};
use crate::ir::{Builder, InPlace, Kernel, Var};
use kernels::params::keccak::{LANES, ROTATIONS, ROUND_CONSTANTS};

/// Lanes of a row, and rows.
const SIDE: usize = 5;
/// Words of a lane: its even bits, then its odd ones.
const HALVES: usize = 2;
const WORDS: usize = HALVES * LANES;

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
            let parity = if y == 0 { lane } else { s.sum("c", c, lane) };
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
            for half in 0..HALVES {
                (0..SIDE).for_each(|y| row(b, y, half, [&a, &d, &new, &c]));
            }
            b.step("", |s| a.iter().zip(&new).for_each(|(&a, &new)| s.copy(a, new)));
        });
        b.store("state", &a);
    })
}
