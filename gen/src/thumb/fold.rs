//! Rotations disappear into the second operands of the instructions that use them.
//!
//! A register may hold a word rotated: the variable is `v = ror(V, pending)` where V is what the register holds. ADD and
//! EOR rotate their second operand for nothing, so a rotation costs an instruction only where a word must stand plainly: in
//! memory, or where two rotated words meet in an addition. For each EOR either operand may be the rotated one, and the result inherits
//! the other's pending rotation; working backwards from the words that must end up plain, the choices are made so that they do.

use super::{Group, V};
use crate::ir::{Op, Place, Var};
use crate::unroll::{Segment, Step};
use isa::thumb::{Inst, Op as Row, Shift};
use std::collections::BTreeMap;

/// Pending rotations, 0..=31, of variables; one that is not listed has none.
pub type Pending = BTreeMap<Var, u32>;

/// A segment in instructions: one group for each step, and one for each rotation that remains.
pub type Folded = crate::compile::Folded<Inst<V>>;

/// Folds the rotations of all segments.
pub fn fold(segments: &[Segment]) -> Vec<Folded> {
    let starts: Vec<Pending> = segments.iter().map(loop_invariant).collect();
    let mut folded = Vec::new();
    let mut pending = Pending::new();
    for (i, segment) in segments.iter().enumerate() {
        let start = std::mem::take(&mut pending);
        let end = if segment.count > 1 { &starts[i] } else { starts.get(i + 1).unwrap_or(&pending) };
        let (groups, after) = fold_steps(&segment.steps, &start, end);
        folded.push(Folded { count: segment.count, groups });
        pending = after;
    }
    folded
}

/// For a loop: rotations that can be pending at both of its ends, as near to none as choices in its body allow.
fn loop_invariant(segment: &Segment) -> Pending {
    if segment.count == 1 {
        return Pending::new();
    }
    let values = Values::new(&segment.steps, &|_| 0);
    let ends = values.last.iter().filter(|&(_, &v)| v >= values.inputs);
    ends.map(|(&var, &v)| (var, values.reach[v].trailing_zeros() % 32)).filter(|&(_, p)| p != 0).collect()
}

/// Every value a variable takes, with the set of rotations (as a mask) it can have pending.
struct Values {
    /// Values below this one are the variables' values at the start.
    inputs: usize,
    /// For each operation: its sources, and the value it defines, if any.
    ops: Vec<(Op, [usize; 2], Option<usize>)>,
    reach: Vec<u32>,
    last: BTreeMap<Var, usize>,
}

impl Values {
    fn new(steps: &[Step], at_start: &dyn Fn(Var) -> u32) -> Values {
        let mut last = BTreeMap::new();
        let mut reach = Vec::new();
        let all = || steps.iter().flat_map(|s| &s.ops);
        for var in all().flat_map(|op| sources(op).into_iter().flatten()) {
            last.entry(var).or_insert_with(|| {
                reach.push(at_start(var));
                reach.len() - 1
            });
        }
        let inputs = reach.len();
        let mut ops = Vec::new();
        for op in all() {
            let from = sources(op).map(|v| v.map_or(0, |v| last[&v]));
            let defined = match *op {
                Op::Add(..) | Op::Load(..) | Op::Constant(..) => Some(1),
                Op::Xor(..) => Some(reach[from[0]] | reach[from[1]]),
                Op::AndNot(..) | Op::Copy(..) => Some(reach[from[0]]),
                Op::Rotl(_, _, n) => Some(reach[from[0]].rotate_left(32 - n)),
                Op::Store(..) => None,
            };
            let value = defined.map(|mask| {
                reach.push(mask);
                last.insert(destination(op), reach.len() - 1);
                reach.len() - 1
            });
            ops.push((*op, from, value));
        }
        Values { inputs, ops, reach, last }
    }

    /// For each operation that is an XOR: true if its first operand is the one that stays unrotated.
    fn choose(&self, end: &Pending) -> Vec<bool> {
        let mut wanted: Vec<Option<u32>> = vec![None; self.reach.len()];
        for (var, &value) in &self.last {
            wanted[value] = Some(end.get(var).copied().unwrap_or(0));
        }
        let mut first = vec![true; self.ops.len()];
        for (i, (op, from, value)) in self.ops.iter().enumerate().rev() {
            let want = value.and_then(|v| wanted[v]);
            match op {
                Op::Store(..) => wanted[from[0]] = Some(0),
                Op::Rotl(_, _, n) => wanted[from[0]] = wanted[from[0]].or(want.map(|w| (w + n) % 32)),
                Op::Add(..) if from.iter().all(|&v| self.reach[v] != 1) => {
                    let plain = from.iter().find(|&&v| self.reach[v] & 1 == 1 && wanted[v].unwrap_or(0) == 0);
                    plain.into_iter().for_each(|&v| wanted[v] = Some(0));
                }
                Op::Xor(..) => {
                    let side = self.unrotated_side(from, want, &wanted);
                    first[i] = side == 0;
                    wanted[from[side]] = wanted[from[side]].or(want);
                }
                Op::AndNot(..) | Op::Copy(..) => wanted[from[0]] = wanted[from[0]].or(want),
                Op::Add(..) | Op::Load(..) | Op::Constant(..) => {}
            }
        }
        first
    }

    /// The operand that gives the wanted rotation; a value with a single possibility before one that must be steered.
    fn unrotated_side(&self, from: &[usize; 2], want: Option<u32>, wanted: &[Option<u32>]) -> usize {
        let fits = |v: usize| match want {
            Some(w) => self.reach[v] >> w & 1 == 1 && wanted[v].is_none_or(|other| other == w),
            None => true,
        };
        let fixed = |v: usize| self.reach[v].is_power_of_two();
        let best = (0..2).find(|&s| fits(from[s]) && fixed(from[s]));
        best.or((0..2).find(|&s| fits(from[s]))).unwrap_or(0)
    }
}

fn destination(op: &Op) -> Var {
    match *op {
        Op::Add(d, ..) | Op::Xor(d, ..) | Op::AndNot(d, ..) | Op::Rotl(d, ..) => d,
        Op::Copy(d, _) | Op::Constant(d, _) | Op::Load(d, _) | Op::Store(d, _) => d,
    }
}

fn sources(op: &Op) -> [Option<Var>; 2] {
    match *op {
        Op::Add(_, a, b) | Op::Xor(_, a, b) | Op::AndNot(_, a, b) => [Some(a), Some(b)],
        Op::Rotl(_, a, _) | Op::Copy(_, a) | Op::Store(a, _) => [Some(a), None],
        Op::Load(..) | Op::Constant(..) => [None, None],
    }
}

/// Groups of a segment, and what is pending after it: what `end` asks for.
fn fold_steps(steps: &[Step], start: &Pending, end: &Pending) -> (Vec<Group>, Pending) {
    let values = Values::new(steps, &|v| 1 << start.get(&v).copied().unwrap_or(0));
    let mut choices = values.choose(end).into_iter();
    let mut emit = Emit { pending: start.clone() };
    let mut groups = Vec::new();
    for step in steps {
        let mut insts = Vec::new();
        for op in &step.ops {
            emit.op(op, choices.next().unwrap_or(true), &mut insts);
        }
        groups.push(Group { title: step.title.clone(), insts, touches: Vec::new() });
    }
    let touched: Vec<Var> = emit.pending.keys().chain(end.keys()).copied().collect();
    for var in touched {
        let mut insts = Vec::new();
        emit.settle(var, end.get(&var).copied().unwrap_or(0), &mut insts);
        if !insts.is_empty() {
            groups.push(Group { title: String::new(), insts, touches: Vec::new() });
        }
    }
    emit.pending.retain(|_, p| *p != 0);
    (groups, emit.pending)
}

struct Emit {
    pending: Pending,
}

impl Emit {
    fn of(&self, var: Var) -> u32 {
        self.pending.get(&var).copied().unwrap_or(0)
    }

    /// Rotates a register so that `pending` remains of the variable's rotation.
    fn settle(&mut self, var: Var, pending: u32, insts: &mut Vec<Inst<V>>) {
        let amount = (32 + self.of(var) - pending) % 32;
        if amount != 0 {
            insts.push(Inst { d: V::of(var), m: V::of(var), shift: Shift::ror(amount), ..Inst::new(Row::RorImm) });
            self.pending.insert(var, pending);
        }
    }

    fn op(&mut self, op: &Op, first_unrotated: bool, insts: &mut Vec<Inst<V>>) {
        match *op {
            Op::Add(d, a, b) => {
                if self.of(a) != 0 && self.of(b) != 0 {
                    self.settle(a, 0, insts);
                }
                let (n, m) = if self.of(a) == 0 { (a, b) } else { (b, a) };
                insts.push(two_operands(Row::AddReg, d, n, m, self.of(m)));
                self.pending.insert(d, 0);
            }
            Op::Xor(d, a, b) => {
                let (n, m) = if first_unrotated { (a, b) } else { (b, a) };
                insts.push(two_operands(Row::EorReg, d, n, m, 32 + self.of(m) - self.of(n)));
                self.pending.insert(d, self.of(n));
            }
            Op::AndNot(d, a, b) => {
                insts.push(two_operands(Row::BicReg, d, a, b, 32 + self.of(b) - self.of(a)));
                self.pending.insert(d, self.of(a));
            }
            Op::Copy(d, a) => {
                insts.push(Inst { d: V::of(d), m: V::of(a), ..Inst::new(Row::MovReg) });
                self.pending.insert(d, self.of(a));
            }
            // Only kernels that work in place have constants.
            Op::Constant(..) => {}
            Op::Rotl(d, a, n) => {
                if d != a {
                    insts.push(Inst { d: V::of(d), m: V::of(a), ..Inst::new(Row::MovReg) });
                }
                self.pending.insert(d, (self.of(a) + 32 - n) % 32);
            }
            Op::Load(d, place) => {
                insts.push(memory(Row::LdrImm, d, place));
                self.pending.insert(d, 0);
            }
            Op::Store(s, place) => {
                self.settle(s, 0, insts);
                insts.push(memory(Row::StrImm, s, place));
            }
        }
    }
}

fn two_operands(row: Row, d: Var, n: Var, m: Var, ror: u32) -> Inst<V> {
    Inst { d: V::of(d), n: V::of(n), m: V::of(m), shift: Shift::ror(ror), ..Inst::new(row) }
}

/// A word load or store.
pub fn memory(row: Row, d: Var, place: Place) -> Inst<V> {
    Inst { d: V::of(d), n: V::of(place.base), imm: place.offset as i32, ..Inst::new(row) }
}
