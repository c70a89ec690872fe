//! Random legal instructions, for tests.

use super::decode::decode_as;
use super::rows::Rule;
use super::table::Table;
use super::{Inst, Op};

/// A small generator of random numbers (xorshift64*), the same on every host.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Seeds it; every seed is good.
    pub const fn new(seed: u64) -> Rng {
        Rng(seed ^ 0x9e37_79b9_7f4a_7c15 | 1 << 63)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// 32 bits of which few, about half, or most are set, so that small and extreme operands are common.
    pub fn bits(&mut self) -> u32 {
        let (x, y, z) = (self.next_u32(), self.next_u32(), self.next_u32());
        match self.below(8) {
            0 => x & y & z,
            1 => x & y,
            2 => x | y | z,
            _ => x,
        }
    }
}

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
