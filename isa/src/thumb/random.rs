//! Random legal instructions, for tests.

use super::decode::decode_as;
use super::rows::Rule;
use super::table::Table;
use super::{Inst, Op};

pub use crate::random::Rng;

/// A random legal instruction of the row, as decoding gives it, with the IT state `it` before it (0 outside a block).
/// `None` if the row has none there. The second of two equivalent encodings never comes out.
pub fn inst(op: Op, rng: &mut Rng, it: u8) -> Option<Inst> {
    const TRIES: u32 = 100_000;
    let forms = Table::get().of(op);
    (0..TRIES).find_map(|_| {
        let form = &forms[rng.below(forms.len() as u32) as usize];
        let word = form.value | rng.bits() & !form.mask & if form.length == 2 { 0xffff } else { u32::MAX };
        let inst = decode_as(form, word, it).ok()?;
        let spare = form.rules.iter().any(|rule| matches!(rule, Rule::SpareIfSame | Rule::SpareIfLowInIt));
        (!(spare && inst.imm2 == 1)).then_some(inst)
    })
}
