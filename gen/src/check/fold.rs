//! Folded code against the steps it was made from, on concrete words.

use super::error;
use crate::compile::{CompileError, Folded, Group};
use crate::ir::{Op, Place, Var};
use crate::unroll::Shaped;
use std::collections::BTreeMap;

/// Where inputs come from.
#[derive(Clone, Copy, Debug)]
enum Inputs {
    /// The same word everywhere.
    All(u32),
    /// Different ones; the number chooses which.
    Mixed(u32),
}

const TRIALS: [Inputs; 6] =
    [Inputs::All(0), Inputs::All(u32::MAX), Inputs::Mixed(1), Inputs::Mixed(2), Inputs::Mixed(3), Inputs::Mixed(4)];

/// Checks that the folded segments store the same words in the same places as the steps, for the chosen inputs. `execute` executes an
/// instruction, or gives `None` if it does not understand it. `constants` are right before the code.
pub fn fold<I>(
    shaped: &Shaped,
    folded: &[Folded<I>],
    constants: &[u32],
    execute: &dyn Fn(&mut Words, &I) -> Option<()>,
) -> Result<(), CompileError> {
    let counts = |s: &mut dyn Iterator<Item = u32>| s.collect::<Vec<_>>();
    if counts(&mut shaped.segments.iter().map(|s| s.count)) != counts(&mut folded.iter().map(|f| f.count)) {
        return error("fold", "the repetitions are not those of the kernel");
    }
    for words in TRIALS {
        let (mut wanted, mut found) = (Words::new(words, shaped), Words::new(words, shaped));
        found.constants = constants.to_vec();
        for segment in &shaped.segments {
            for repetition in 0..segment.count as usize {
                wanted.constants = segment.constants.get(repetition).cloned().unwrap_or_default();
                segment.steps.iter().flat_map(|s| &s.ops).for_each(|op| wanted.op(op));
            }
        }
        for segment in folded {
            for _ in 0..segment.count {
                segment.groups.iter().try_for_each(|group| found.group(group, execute))?;
            }
        }
        if let Some((place, word)) = wanted.stored.iter().find(|(place, word)| found.stored.get(place) != Some(word)) {
            let other = found.stored.get(place).map_or("nothing".to_owned(), |w| format!("{w:#010x}"));
            return error("fold", format!("{} gets {other} instead of {word:#010x} for {words:?}", named(*place)));
        }
        if let Some(place) = found.stored.keys().find(|place| !wanted.stored.contains_key(place)) {
            return error("fold", format!("{} is written, which the kernel does not", named(*place)));
        }
    }
    Ok(())
}

fn named((base, offset): (u16, u32)) -> String {
    format!("word {} of parameter {base}", offset / 4)
}

/// Variables and memory.
pub struct Words {
    words: Inputs,
    vars: BTreeMap<Var, u32>,
    stored: BTreeMap<(u16, u32), u32>,
    /// Of the present repetition, or of the code.
    constants: Vec<u32>,
}

impl Words {
    fn new(words: Inputs, shaped: &Shaped) -> Words {
        let mut run = Words { words, vars: BTreeMap::new(), stored: BTreeMap::new(), constants: Vec::new() };
        for &(var, place) in &shaped.inputs {
            let word = run.load(place);
            run.vars.insert(var, word);
        }
        run
    }

    /// What is in memory.
    pub fn load(&self, place: Place) -> u32 {
        let key = (place.base.0, place.offset);
        let initial = match self.words {
            Inputs::All(word) => word,
            Inputs::Mixed(seed) => mix(mix(mix(seed) ^ u32::from(key.0)) ^ key.1),
        };
        self.stored.get(&key).copied().unwrap_or(initial)
    }

    /// What is at a place, which may be among the constants before the code: addresses there count from its start. `None` if that is nowhere.
    pub fn word(&self, place: Place) -> Option<u32> {
        match self.vars.get(&place.base) {
            None => Some(self.load(place)),
            Some(address) => {
                let bytes = address.wrapping_add(place.offset).wrapping_add(4 * self.constants.len() as u32);
                self.constants.get(bytes as usize / 4).copied()
            }
        }
    }

    /// What is in a byte among the constants, or nowhere.
    pub fn byte(&self, place: Place) -> Option<u32> {
        let address = self.vars.get(&place.base)?.wrapping_add(place.offset);
        let word = self.word(place)?;
        Some(word.to_le_bytes()[address as usize % 4].into())
    }

    /// The value of a variable. One without a value is as good as any other word: no two runs agree by it.
    pub fn get(&self, var: Var) -> u32 {
        self.vars.get(&var).copied().unwrap_or(0x5555_5555)
    }

    fn op(&mut self, op: &Op) {
        let (d, word) = match *op {
            Op::Add(d, a, b) => (d, self.get(a).wrapping_add(self.get(b))),
            Op::Xor(d, a, b) => (d, self.get(a) ^ self.get(b)),
            Op::AndNot(d, a, b) => (d, self.get(a) & !self.get(b)),
            Op::Rotl(d, a, n) => (d, self.get(a).rotate_left(n)),
            Op::Copy(d, s) => (d, self.get(s)),
            Op::Constant(d, k) => (d, self.constants.get(k as usize).copied().unwrap_or_default()),
            Op::Load(d, place) => (d, self.load(place)),
            Op::Store(s, place) => {
                self.store(place, self.get(s));
                return;
            }
        };
        self.set(d, word);
    }

    /// Gives a variable a value.
    pub fn set(&mut self, var: Var, word: u32) {
        self.vars.insert(var, word);
    }

    /// Puts a word into memory.
    pub fn store(&mut self, place: Place, word: u32) {
        self.stored.insert((place.base.0, place.offset), word);
    }

    fn group<I>(
        &mut self,
        group: &Group<I>,
        execute: &dyn Fn(&mut Words, &I) -> Option<()>,
    ) -> Result<(), CompileError> {
        match group.insts.iter().position(|inst| execute(self, inst).is_none()) {
            Some(at) => error("fold", format!("step {:?}: instruction {at} is not understood here", group.title)),
            None => Ok(()),
        }
    }
}

/// Spreads a word over all bits: a multiplication by an odd number, and the upper half into the lower, twice.
fn mix(word: u32) -> u32 {
    let half = |w: u32| (w ^ w >> 16).wrapping_mul(0x9e37_79b1);
    half(half(word.wrapping_add(0x7f4a_7c15)))
}
