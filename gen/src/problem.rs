//! From groups to planning problems: who needs what, which variables live across groups, what must come after what.

use crate::compile::{Folded, Group};
use crate::ir::{Place, Var};
use crate::plan::{Action, MoveCost, Need, Problem, Set};
use std::collections::{BTreeMap, BTreeSet};

/// An instruction over variables, of any instruction set.
pub trait Operands {
    /// Variables read and written, in the order of its fields.
    fn touched(&self) -> (Vec<Var>, Vec<Var>);
}

/// Every variable a group has to do with.
pub fn all_touched<I: Operands>(group: &Group<I>) -> impl Iterator<Item = Var> {
    let by_insts = group.insts.iter().flat_map(|i| {
        let (reads, writes) = i.touched();
        reads.into_iter().chain(writes)
    });
    by_insts.chain(group.touches.iter().copied())
}

/// Names for the planner: variables that live across groups, numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Numbering {
    /// Planner number to variable.
    pub vars: Vec<Var>,
    of: BTreeMap<Var, u32>,
}

impl Numbering {
    /// Numbers the variables that are used in more than one group of `segments`, or are in `shared`.
    pub fn new<'a, I: Operands + 'a>(
        segments: impl Iterator<Item = &'a [Group<I>]>,
        shared: &BTreeSet<Var>,
    ) -> Numbering {
        let mut homes: BTreeMap<Var, (usize, bool)> = shared.iter().map(|&v| (v, (usize::MAX, true))).collect();
        for (id, group) in segments.flatten().enumerate() {
            let mut defined: BTreeSet<Var> = BTreeSet::new();
            group.touches.iter().for_each(|&v| homes.entry(v).or_insert((id, true)).1 = true);
            for inst in &group.insts {
                let (reads, writes) = inst.touched();
                for v in reads.into_iter().filter(|v| !defined.contains(v)) {
                    homes.entry(v).or_insert((id, true)).1 = true;
                }
                for v in writes {
                    let entry = homes.entry(v).or_insert((id, false));
                    entry.1 |= entry.0 != id;
                    defined.insert(v);
                }
            }
        }
        let mut numbering = Numbering::default();
        for (var, _) in homes.into_iter().filter(|(_, (_, across))| *across) {
            numbering.of.insert(var, numbering.vars.len() as u32);
            numbering.vars.push(var);
        }
        numbering
    }

    /// The planner's number, if the variable lives across groups.
    pub fn get(&self, var: Var) -> Option<u32> {
        self.of.get(&var).copied()
    }

    /// How many groups touch each variable, by planner number.
    pub fn uses<I: Operands>(&self, groups: &[Group<I>]) -> Vec<u32> {
        let mut uses = vec![0; 64];
        for group in groups {
            let set = self.set(all_touched(group));
            (0..64).filter(|v| set >> v & 1 == 1).for_each(|v| uses[v] += 1);
        }
        uses
    }

    /// How many inputs a plan fetches through each base, by planner number.
    pub fn bases(&self, inputs: &[(Var, Place)], actions: &[Action]) -> BTreeMap<u32, u32> {
        let mut bases = BTreeMap::new();
        let fetched = |v: &u32| actions.contains(&Action::Fetch(*v));
        for (var, place) in inputs {
            if let (Some(_), Some(base)) = (self.get(*var).filter(fetched), self.get(place.base)) {
                *bases.entry(base).or_insert(0) += 1;
            }
        }
        bases
    }

    /// Where an input is in memory, by its planner number.
    pub fn input(&self, inputs: &[(Var, Place)], v: u32) -> Option<Place> {
        let var = self.vars[v as usize];
        inputs.iter().find(|(input, _)| *input == var).map(|&(_, place)| place)
    }

    /// The set of these variables.
    pub fn set(&self, vars: impl IntoIterator<Item = Var>) -> Set {
        vars.into_iter().filter_map(|v| self.get(v)).fold(0, |s, n| s | 1 << n)
    }
}

/// The planning problem of one segment; who is where at its ends is filled in by the caller.
pub fn problem<I: Operands>(
    groups: &[Group<I>],
    inputs: &[(Var, Place)],
    numbering: &Numbering,
    registers: u32,
    cost: MoveCost,
) -> Problem {
    let mut steps: Vec<Need> = Vec::new();
    for group in groups {
        let need = need(group, numbering);
        let conflict = |e: &Need| (e.writes & (need.reads | need.writes)) | (e.reads & need.writes);
        let mut after = (0..steps.len()).filter(|&i| conflict(&steps[i]) != 0).collect();
        thin(&mut after, &steps);
        steps.push(Need { after, ..need });
    }
    let inputs = inputs.iter().filter_map(|(v, place)| Some((numbering.get(*v)?, numbering.get(place.base)))).collect();
    Problem { registers, steps, inputs, cost, ..Problem::default() }
}

/// Leaves out what follows from the others.
fn thin(after: &mut Vec<usize>, steps: &[Need]) {
    let all = after.clone();
    after.retain(|&p| !all.iter().any(|&q| q > p && steps[q].after.contains(&p)));
}

fn need<I: Operands>(group: &Group<I>, numbering: &Numbering) -> Need {
    let forced = numbering.set(group.touches.iter().copied());
    let mut need = Need { reads: forced, writes: forced, ..Need::default() };
    let last_use = |var: Var| {
        group.insts.iter().rposition(|i| {
            let (reads, writes) = i.touched();
            reads.contains(&var) || writes.contains(&var)
        })
    };
    let mut temps: BTreeSet<Var> = BTreeSet::new();
    for (at, inst) in group.insts.iter().enumerate() {
        let (reads, writes) = inst.touched();
        need.reads |= numbering.set(reads) & !need.writes;
        need.writes |= numbering.set(writes.iter().copied());
        temps.extend(writes.into_iter().filter(|&v| numbering.get(v).is_none()));
        need.temps = need.temps.max(temps.len() as u32);
        temps.retain(|&v| last_use(v) > Some(at));
    }
    need
}

/// Variables read before they are written, and variables written, in program order.
fn exposed<I: Operands>(groups: &[Group<I>], numbering: &Numbering) -> (Set, Set) {
    let (mut exposed, mut defined): (Set, Set) = (0, 0);
    for group in groups {
        exposed |= numbering.set(group.touches.iter().copied()) & !defined;
        for inst in &group.insts {
            let (reads, writes) = inst.touched();
            exposed |= numbering.set(reads) & !defined;
            defined |= numbering.set(writes);
        }
    }
    (exposed, defined)
}

/// For each segment what is wanted after it (for a loop, also at its start), if `live_out` is wanted in the end.
pub fn live<I: Operands>(segments: &[Folded<I>], numbering: &Numbering, live_out: &[Var]) -> Vec<Set> {
    let mut live = vec![0; segments.len()];
    let mut wanted = numbering.set(live_out.iter().copied());
    for (i, segment) in segments.iter().enumerate().rev() {
        let (exposed, defined) = exposed(&segment.groups, numbering);
        live[i] = if segment.count > 1 { wanted | exposed } else { wanted };
        wanted = exposed | (wanted & !defined);
    }
    live
}
