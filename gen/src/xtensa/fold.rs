//! Steps in instructions. A rotation is a funnel shift of a word with itself, by what is in SAR: it becomes a group of its own, which begins
//! with the SSAI that it needs. Planning gathers groups with equal shift amounts, and only where the amount changes an SSAI remains.

use super::{Group, V};
use crate::ir::{Op, Place, Var};
use crate::unroll::{Segment, Step};
use isa::xtensa::{Inst, Op as Row};

/// A segment in instructions.
pub type Folded = crate::compile::Folded<Inst<V>>;

/// All segments in instructions.
pub fn fold(segments: &[Segment]) -> Vec<Folded> {
    let folded = |s: &Segment| Folded { count: s.count, groups: s.steps.iter().flat_map(groups).collect() };
    segments.iter().map(folded).collect()
}

/// The groups of a step; the first one has its title.
fn groups(step: &Step) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut plain: Vec<Inst<V>> = Vec::new();
    let group = |insts| Group { title: String::new(), insts, touches: Vec::new() };
    for op in &step.ops {
        match *op {
            Op::Rotl(d, a, n) => {
                if !plain.is_empty() {
                    groups.push(group(std::mem::take(&mut plain)));
                }
                groups.push(group(rotation(d, a, n).into()));
            }
            Op::Add(d, a, b) => plain.push(three(Row::Add, d, a, b)),
            Op::Xor(d, a, b) => plain.push(three(Row::Xor, d, a, b)),
            Op::Load(d, place) => plain.push(memory(Row::L32i, d, place)),
            Op::Store(s, place) => plain.push(memory(Row::S32i, s, place)),
            Op::Copy(d, s) => plain.push(three(Row::Or, d, s, s)),
            // Only in kernels that work in place, which are refused before.
            Op::AndNot(..) | Op::Constant(..) => {}
        }
    }
    if !plain.is_empty() {
        groups.push(group(plain));
    }
    if let Some(first) = groups.first_mut() {
        first.title.clone_from(&step.title);
    }
    groups
}

/// `d = a <<< n`.
fn rotation(d: Var, a: Var, n: u32) -> [Inst<V>; 2] {
    let shift = Inst { imm: i64::from(32 - n), ..Inst::new(Row::Ssai) };
    [shift, three(Row::Src, d, a, a)]
}

fn three(row: Row, d: Var, a: Var, b: Var) -> Inst<V> {
    Inst { r: V::of(d), s: V::of(a), t: V::of(b), ..Inst::new(row) }
}

/// A word load or store.
pub fn memory(row: Row, d: Var, place: Place) -> Inst<V> {
    Inst { t: V::of(d), s: V::of(place.base), imm: place.offset.into(), ..Inst::new(row) }
}
