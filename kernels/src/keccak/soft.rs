//! The portable permutation, on lanes of 64 bits.

use super::KeccakBackend;
use super::cut::Cut;
use crate::backend::Soft;
use crate::params::keccak::{LANE_BYTES, LANES, ROTATIONS, ROUND_CONSTANTS, STATE_BYTES};

impl KeccakBackend for Soft {
    type State = [u64; LANES];

    fn permute(&self, state: &mut Self::State) {
        // A copy, so that the compiler sees that nobody else looks at it meanwhile.
        let mut lanes = *state;
        for constant in ROUND_CONSTANTS {
            round(&mut lanes, constant);
        }
        *state = lanes;
    }

    #[inline]
    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        let Cut { head, first, lanes, tail } = Cut::new(offset, bytes.len());
        for (at, byte) in (offset..STATE_BYTES).zip(&bytes[..head]) {
            state[at / LANE_BYTES] ^= u64::from(*byte) << (8 * (at % LANE_BYTES));
        }
        for (lane, bytes) in state.iter_mut().skip(first).zip(bytes[head..tail].as_chunks().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        for (at, byte) in ((first + lanes) * LANE_BYTES..STATE_BYTES).zip(&bytes[tail..]) {
            state[at / LANE_BYTES] ^= u64::from(*byte) << (8 * (at % LANE_BYTES));
        }
    }

    #[inline]
    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        let Cut { head, first, lanes, tail } = Cut::new(offset, bytes.len());
        for (at, byte) in (offset..STATE_BYTES).zip(&mut bytes[..head]) {
            *byte = (state[at / LANE_BYTES] >> (8 * (at % LANE_BYTES))) as u8;
        }
        for (lane, bytes) in state.iter().skip(first).zip(bytes[head..tail].as_chunks_mut().0) {
            *bytes = lane.to_le_bytes();
        }
        for (at, byte) in ((first + lanes) * LANE_BYTES..STATE_BYTES).zip(&mut bytes[tail..]) {
            *byte = (state[at / LANE_BYTES] >> (8 * (at % LANE_BYTES))) as u8;
        }
    }
}

/// A round: theta, rho and pi, chi, iota (FIPS 202 sections 3.2 and 3.3). Without a loop, so that all indices are constant
/// and lanes can live in registers.
#[inline(always)]
fn round(a: &mut [u64; LANES], constant: u64) {
    let [p0, p1, p2, p3, p4] = [parity(a, 0), parity(a, 1), parity(a, 2), parity(a, 3), parity(a, 4)];
    let effect = [
        p4 ^ p1.rotate_left(1),
        p0 ^ p2.rotate_left(1),
        p1 ^ p3.rotate_left(1),
        p2 ^ p4.rotate_left(1),
        p3 ^ p0.rotate_left(1),
    ];
    let planes =
        [plane(a, &effect, 0), plane(a, &effect, 1), plane(a, &effect, 2), plane(a, &effect, 3), plane(a, &effect, 4)];
    let [[b0, b1, b2, b3, b4], [b5, b6, b7, b8, b9], [b10, b11, b12, b13, b14], [b15, b16, b17, b18, b19], last] =
        planes;
    let [b20, b21, b22, b23, b24] = last;
    *a = [
        b0 ^ constant,
        b1,
        b2,
        b3,
        b4,
        b5,
        b6,
        b7,
        b8,
        b9,
        b10,
        b11,
        b12,
        b13,
        b14,
        b15,
        b16,
        b17,
        b18,
        b19,
        b20,
        b21,
        b22,
        b23,
        b24,
    ];
}

/// The parity of column `x`, for theta.
#[inline(always)]
fn parity(a: &[u64; LANES], x: usize) -> u64 {
    a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]
}

/// Lanes (0, y) to (4, y) after theta's last step, rho, pi and chi.
#[inline(always)]
fn plane(a: &[u64; LANES], effect: &[u64; 5], y: usize) -> [u64; 5] {
    let [b0, b1, b2, b3, b4] = [
        moved(a, effect, 0, y),
        moved(a, effect, 1, y),
        moved(a, effect, 2, y),
        moved(a, effect, 3, y),
        moved(a, effect, 4, y),
    ];
    [b0 ^ (!b1 & b2), b1 ^ (!b2 & b3), b2 ^ (!b3 & b4), b3 ^ (!b4 & b0), b4 ^ (!b0 & b1)]
}

/// The lane that pi moves to (x, y): it comes from column x + 3y of plane x.
#[inline(always)]
fn moved(a: &[u64; LANES], effect: &[u64; 5], x: usize, y: usize) -> u64 {
    let column = (x + 3 * y) % 5;
    let from = column + 5 * x;
    (a[from] ^ effect[column]).rotate_left(ROTATIONS[from])
}
