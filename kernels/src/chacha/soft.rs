//! The portable permutation.

use super::{ChaChaBackend, State};
use crate::backend::Soft;
use crate::params::chacha::{QUARTER_ROUNDS, ROTATIONS, Rounds};

impl ChaChaBackend for Soft {
    #[inline]
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        let mut x = *input;
        for _ in 0..rounds.pairs() {
            // Written out: constant indices let all sixteen words live in registers.
            let [q0, q1, q2, q3, q4, q5, q6, q7] = QUARTER_ROUNDS;
            quarter_round(&mut x, q0);
            quarter_round(&mut x, q1);
            quarter_round(&mut x, q2);
            quarter_round(&mut x, q3);
            quarter_round(&mut x, q4);
            quarter_round(&mut x, q5);
            quarter_round(&mut x, q6);
            quarter_round(&mut x, q7);
        }
        *out = x;
    }
}

/// The quarter round on four words of the state (RFC 8439 sections 2.1 and 2.2).
#[inline(always)]
pub fn quarter_round(x: &mut State, [a, b, c, d]: [usize; 4]) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(ROTATIONS[0]);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(ROTATIONS[1]);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(ROTATIONS[2]);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(ROTATIONS[3]);
}
