//! The passes in their order, from a kernel in its shape to a function.

use super::assign::{self, Placed, Placement, Slots};
use super::finish::{self, Chunk};
use super::fold::{self, Folded};
use super::problem::{self, Numbering, all_touched, touched};
use super::{Group, V};
use crate::function::Function;
use crate::ir::{Kernel, Place, Var};
use crate::plan::{self, Action, MoveCost, PlanError, Problem, Set};
use crate::target::{Shape, Target};
use crate::unroll::{self, UnrollError};
use isa::thumb::{Cond, Inst, Op as Row};
use std::collections::BTreeSet;
use thiserror::Error;

/// Why a kernel could not be compiled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CompileError {
    /// The unroll factor does not fit.
    #[error(transparent)]
    Unroll(#[from] UnrollError),
    /// The planner gave up.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A pass left code that its checker refuses.
    #[error("{pass}: {what}")]
    Check {
        /// The pass.
        pass: &'static str,
        /// What is wrong.
        what: String,
    },
}

/// Called with the name and the output of each pass.
pub type Trace<'a> = &'a mut dyn FnMut(&str, String);

/// Compiles a kernel; cycles and cases of the result are still zero.
pub fn compile(kernel: &Kernel, target: Target, shape: Shape, trace: Trace<'_>) -> Result<Function, CompileError> {
    trace("kernel", kernel.listing());
    let shaped = unroll::unroll(&kernel.body, shape)?;
    let mut segments = fold::fold(&shaped.segments);
    trace("fold", finish::virtual_listing(kernel, &segments));
    let mut vars = kernel.vars.len() as u16;
    count_loops(&mut segments, &mut vars);
    touch_inputs(&mut segments, &shaped.inputs);
    let unit = Unit::new(kernel, target, segments, shaped.inputs);
    let (chunks, slots) = unit.place(&mut *trace)?;
    finish::finish(kernel, target, shape, chunks, slots, trace)
}

/// Gives each loop its counter: set before it, decremented in it.
fn count_loops(segments: &mut [Folded], vars: &mut u16) {
    for i in 1..segments.len() {
        let count = segments[i].count;
        if count == 1 {
            continue;
        }
        let counter = V::of(Var(*vars));
        *vars += 1;
        let set = Inst { d: counter, imm: count as i32, ..Inst::new(Row::MovImm) };
        let step = Inst { d: counter, n: counter, imm: 1, set_flags: true, ..Inst::new(Row::SubImm) };
        let group = |title: &str, inst| Group { title: title.to_owned(), insts: vec![inst], touches: Vec::new() };
        segments[i - 1].groups.push(group("", set));
        segments[i].groups.push(group("", step));
    }
}

/// Before a loop every input has to be fetched, also those that the code before it does not use.
fn touch_inputs(segments: &mut [Folded], inputs: &[(Var, Place)]) {
    if segments.len() == 1 {
        return;
    }
    let used: BTreeSet<Var> = segments[0].groups.iter().flat_map(all_touched).collect();
    for (var, _) in inputs.iter().filter(|(v, _)| !used.contains(v)) {
        segments[0].groups.push(Group { title: String::new(), insts: Vec::new(), touches: vec![*var] });
    }
}

/// A kernel between folding and finishing.
struct Unit<'a> {
    kernel: &'a Kernel,
    target: Target,
    segments: Vec<Folded>,
    inputs: Vec<(Var, Place)>,
    numbering: Numbering,
    /// Wanted after each segment (for a loop, also at its start).
    live: Vec<Set>,
    cost: MoveCost,
}

impl<'a> Unit<'a> {
    fn new(kernel: &'a Kernel, target: Target, segments: Vec<Folded>, inputs: Vec<(Var, Place)>) -> Self {
        let mut shared: BTreeSet<Var> = inputs.iter().flat_map(|&(v, place)| [v, place.base]).collect();
        shared.extend((0..kernel.interface.params.len()).map(Kernel::param));
        let numbering = Numbering::new(segments.iter().map(|s| s.groups.as_slice()), &shared);
        let mut live = vec![0; segments.len()];
        let mut wanted = 0;
        for (i, segment) in segments.iter().enumerate().rev() {
            let (exposed, defined) = exposed(&segment.groups, &numbering);
            live[i] = if segment.count > 1 { wanted | exposed } else { wanted };
            wanted = exposed | (wanted & !defined);
        }
        let cost = if target.has_fpu() {
            MoveCost { load: 1, load_batch: 0, save: 1 }
        } else {
            MoveCost { load: 1, load_batch: 1, save: 1 }
        };
        Unit { kernel, target, segments, inputs, numbering, live, cost }
    }

    fn problem(&self, i: usize) -> Problem {
        let inputs = if i == 0 { self.inputs.as_slice() } else { &[] };
        let problem = problem::problem(&self.segments[i].groups, inputs, &self.numbering, self.cost);
        Problem { live_out: self.live[i], ..problem }
    }

    /// Plans and assigns every segment.
    fn place(&self, trace: Trace<'_>) -> Result<(Vec<Chunk>, Slots), CompileError> {
        let mut place = Placement::default();
        let params = (0..self.kernel.interface.params.len()).map(|p| (Kernel::param(p), isa::thumb::Reg(p as u8)));
        place.reg = params.filter_map(|(v, reg)| Some((self.numbering.get(v)?, reg))).collect();
        let mut slots = Slots::new(if self.target.has_fpu() { 0xffff } else { 0 }, 0);
        let loops: Vec<Option<(Set, Vec<Action>)>> =
            (0..self.segments.len()).map(|i| self.plan_loop(i)).collect::<Result<_, _>>()?;
        let mut chunks = Vec::new();
        for i in 0..self.segments.len() {
            let actions = match &loops[i] {
                Some((_, actions)) => actions.clone(),
                None => {
                    let resident_out = loops.get(i + 1).and_then(|l| l.as_ref()).map(|(set, _)| *set);
                    let (resident, saved) = where_is(&place);
                    plan::plan(&Problem { resident, saved, resident_out, ..self.problem(i) })?.0
                }
            };
            let looping = loops[i].is_some();
            let code = self.assign(i, &actions, &mut place, &mut slots, looping)?;
            trace("assign", finish::listing(&code));
            chunks.push(self.chunk(i, code, looping));
        }
        Ok((chunks, slots))
    }

    fn chunk(&self, i: usize, code: Vec<Placed>, looping: bool) -> Chunk {
        let label = looping.then(|| format!("loop{i}"));
        let branch = label.clone().map(|l| (Inst { cond: Cond::Ne, ..Inst::new(Row::B) }, l));
        Chunk { label, code, branch, looping }
    }

    fn assign(
        &self,
        i: usize,
        actions: &[Action],
        place: &mut Placement,
        slots: &mut Slots,
        looping: bool,
    ) -> Result<Vec<Placed>, CompileError> {
        let header = place.clone();
        if looping {
            place.pinned |= place.slot.keys().fold(0, |s, v| s | 1 << v);
        }
        let hot = actions.iter().fold(0, |s, a| match a {
            Action::Save(v) | Action::Load(v) => s | 1 << v,
            _ => s,
        });
        let inputs = if i == 0 { self.inputs.as_slice() } else { &[] };
        let segment = assign::Segment {
            groups: &self.segments[i].groups,
            numbering: &self.numbering,
            inputs,
            live_out: self.live[i],
            hot,
            prefer: if looping { header.reg.clone() } else { Default::default() },
        };
        let code = assign::assign(&segment, actions, place, slots);
        if looping && place.reg != header.reg {
            let what = format!("registers differ at the two ends of loop {i}: {:?}, {:?}", header.reg, place.reg);
            return Err(CompileError::Check { pass: "assign", what });
        }
        if looping {
            place.pinned = header.pinned;
        }
        Ok(code)
    }

    /// For a loop: who is resident at its ends, and the plan of its body.
    fn plan_loop(&self, i: usize) -> Result<Option<(Set, Vec<Action>)>, PlanError> {
        if self.segments[i].count == 1 {
            return Ok(None);
        }
        let once = self.problem(i);
        let mut best: Option<(u32, Set, Vec<Action>)> = None;
        for resident in self.loop_candidates(i, &once)? {
            let saved = once.live_out & !resident;
            let problem = Problem { resident, saved, resident_out: Some(resident), ..once.clone() };
            let (actions, cost) = plan::plan(&problem)?;
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, resident, actions));
            }
        }
        Ok(best.map(|(_, set, actions)| (set, actions)))
    }

    /// Three iterations planned as straight code show who is best resident between two of them.
    fn loop_candidates(&self, i: usize, once: &Problem) -> Result<Vec<Set>, PlanError> {
        let groups = &self.segments[i].groups;
        let thrice: Vec<Group> = (0..3).flat_map(|_| groups.iter().cloned()).collect();
        let repeated = Problem {
            saved: once.live_out,
            live_out: once.live_out,
            ..problem::problem(&thrice, &[], &self.numbering, self.cost)
        };
        let (actions, _) = plan::plan(&repeated)?;
        let mut resident: Set = 0;
        let mut run = 0;
        let mut candidates = BTreeSet::new();
        for action in &actions {
            match *action {
                Action::Save(v) | Action::Drop(v) => resident &= !(1 << v),
                Action::Load(v) | Action::Fetch(v) => resident |= 1 << v,
                Action::Run(_) => {
                    run += 1;
                    if run % groups.len() == 0 {
                        candidates.insert(resident);
                    }
                }
            }
        }
        Ok(candidates.into_iter().collect())
    }
}

/// Variables read before they are written, and variables written, in program order.
fn exposed(groups: &[Group], numbering: &Numbering) -> (Set, Set) {
    let (mut exposed, mut defined): (Set, Set) = (0, 0);
    for group in groups {
        exposed |= numbering.set(group.touches.iter().copied()) & !defined;
        for inst in &group.insts {
            let (reads, writes) = touched(inst);
            exposed |= numbering.set(reads) & !defined;
            defined |= numbering.set(writes);
        }
    }
    (exposed, defined)
}

fn where_is(place: &Placement) -> (Set, Set) {
    let set = |vars: &mut dyn Iterator<Item = &u32>| vars.fold(0, |s, v| s | 1 << v);
    (set(&mut place.reg.keys()), set(&mut place.slot.keys()))
}
