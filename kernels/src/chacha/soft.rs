//! The portable permutation.

use super::{ChaChaBackend, State};
use crate::backend::Soft;
use crate::params::chacha::{QUARTER_ROUNDS, ROTATIONS, Rounds};

impl ChaChaBackend for Soft {
    #[inline]
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        let mut x = *input;
        for _ in 0..rounds.pairs() {
            for words in QUARTER_ROUNDS {
                quarter_round(&mut x, words);
            }
        }
        *out = x;
    }
}

/// The quarter round on four words of the state (RFC 8439 sections 2.1 and 2.2).
#[inline(always)]
pub fn quarter_round(x: &mut State, [a, b, c, d]: [usize; 4]) {
    for (pair, [sum, add, rotated]) in [[a, b, d], [c, d, b], [a, b, d], [c, d, b]].into_iter().enumerate() {
        x[sum] = x[sum].wrapping_add(x[add]);
        x[rotated] = (x[rotated] ^ x[sum]).rotate_left(ROTATIONS[pair]);
    }
}
