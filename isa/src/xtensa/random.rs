//! Random legal instructions, for tests.

use super::decode::decode_as;
use super::table::Table;
use super::{Inst, Op};

pub use crate::random::Rng;

/// A random legal instruction of the row; `None` if none is found.
pub fn inst(op: Op, rng: &mut Rng) -> Option<Inst> {
    const TRIES: u32 = 100_000;
    let pattern = Table::get().of(op);
    let free = pattern.free();
    (0..TRIES).find_map(|_| decode_as(pattern, pattern.value | rng.bits() & free).ok())
}
