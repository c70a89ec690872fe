//! Bytes of the state, cut where lanes begin.

use crate::params::keccak::LANE_BYTES;

/// Where bytes that begin anywhere in the state fall into lanes.
#[derive(Clone, Copy)]
pub struct Cut {
    /// Bytes before the first whole lane.
    pub head: usize,
    /// The number of the first whole lane.
    pub first: usize,
    /// Whole lanes.
    pub lanes: usize,
    /// Where the bytes after the last of them begin.
    pub tail: usize,
}

impl Cut {
    /// Cuts `length` bytes that begin at byte `offset` of the state.
    #[inline]
    pub fn new(offset: usize, length: usize) -> Cut {
        let head = (offset.wrapping_neg() % LANE_BYTES).min(length);
        let lanes = (length - head) / LANE_BYTES;
        Cut { head, first: (offset + head) / LANE_BYTES, lanes, tail: head + LANE_BYTES * lanes }
    }
}
