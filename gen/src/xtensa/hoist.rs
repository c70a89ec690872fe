//! What the work on a block has in common with that on every other block of a message is done once.
//!
//! From block to block only the counter changes. In the first round of ChaCha three quarter rounds do not see it, and parts of the second
//! round do not either: their results are kept beside the state, and the work on a block begins with those.

use crate::ir::{Op, Place, Stream, Var};
use crate::unroll::{Segment, Shaped, Step};
use std::collections::BTreeSet;

/// A block's work in two parts.
pub struct Hoisted {
    /// Done once, and stored.
    pub once: Shaped,
    /// Done for each block, with some inputs where the first part has stored them.
    pub each: Shaped,
    /// How many words it stores.
    pub words: u32,
}

/// Splits the work on a block whose inputs are words of the state at `base`; results are stored `offset` bytes from there. `None` if it is not
/// straight code or has nothing in common with other blocks.
pub fn hoist(shaped: &Shaped, stream: &Stream, base: Var, offset: u32) -> Option<Hoisted> {
    let [segment] = shaped.segments.as_slice() else { return None };
    let counters = 4 * stream.counter_word..4 * (stream.counter_word + stream.counter_words);
    let changes = |place: &Place| counters.contains(&place.offset);
    let mut split = Split {
        same: shaped.inputs.iter().filter(|(_, place)| !changes(place)).map(|(var, _)| *var).collect(),
        read: BTreeSet::new(),
        written: BTreeSet::new(),
    };
    let (mut once, mut each) = (Vec::new(), Vec::new());
    for step in &segment.steps {
        let (same, other): (Vec<Op>, Vec<Op>) = step.ops.iter().partition(|op| split.is_same(op));
        let part = |ops| Step { title: step.title.clone(), ops };
        once.extend((!same.is_empty()).then(|| part(same)));
        each.extend((!other.is_empty()).then(|| part(other)));
    }
    let places: Vec<(Var, Place)> =
        split.written.iter().zip(0..).map(|(&var, k)| (var, Place { base, offset: offset + 4 * k })).collect();
    for &(var, place) in &places {
        once.push(Step { title: String::new(), ops: vec![Op::Store(var, place)] });
    }
    let moved = |&(var, place): &(Var, Place)| places.iter().find(|(v, _)| *v == var).map_or((var, place), |&p| p);
    let used: BTreeSet<Var> = once.iter().flat_map(|s| &s.ops).flat_map(touched).collect();
    let inputs = shaped.inputs.iter().filter(|(var, _)| used.contains(var)).copied().collect();
    let of = |inputs, steps| Shaped { inputs, segments: vec![Segment { count: 1, steps, constants: Vec::new() }] };
    (!places.is_empty()).then(|| Hoisted {
        once: of(inputs, once),
        each: of(shaped.inputs.iter().map(moved).collect(), each),
        words: places.len() as u32,
    })
}

struct Split {
    /// Variables whose value is the same for every block.
    same: BTreeSet<Var>,
    /// Variables whose present value is read for each block.
    read: BTreeSet<Var>,
    /// Variables that are changed once.
    written: BTreeSet<Var>,
}

impl Split {
    /// Decides where the next operation belongs.
    fn is_same(&mut self, op: &Op) -> bool {
        let (d, from) = match *op {
            Op::Add(d, a, b) | Op::Xor(d, a, b) | Op::AndNot(d, a, b) => (d, vec![a, b]),
            Op::Rotl(d, a, _) | Op::Copy(d, a) => (d, vec![a]),
            Op::Load(d, _) | Op::Constant(d, _) => {
                self.same.remove(&d);
                return false;
            }
            Op::Store(s, _) => {
                self.read.insert(s);
                return false;
            }
        };
        // A value that is still read for each block must not be overwritten before.
        let same = from.iter().all(|v| self.same.contains(v)) && !self.read.contains(&d);
        if same {
            self.same.insert(d);
            self.written.insert(d);
        } else {
            self.read.extend(from);
            self.same.remove(&d);
        }
        same
    }
}

fn touched(op: &Op) -> Vec<Var> {
    match *op {
        Op::Add(d, a, b) | Op::Xor(d, a, b) | Op::AndNot(d, a, b) => vec![d, a, b],
        Op::Rotl(d, a, _) | Op::Copy(d, a) => vec![d, a],
        Op::Constant(d, _) => vec![d],
        Op::Load(d, place) | Op::Store(d, place) => vec![d, place.base],
    }
}
