//! The passes in their order, from a kernel in its shape to a function.

use super::assign::{self, Placed, Placement, Slots};
use super::check::{self, Ends, Reference};
use super::finish::{self, Chunk};
use super::fold::{self, Folded};
use super::problem::REGISTERS;
use super::{Group, V, in_place, map, rejection, stream, transform};
use crate::compile::{self, CompileError, Rated, Trace};
use crate::function::Function;
use crate::ir::{Kernel, Place, Var};
use crate::plan::{self, Action, MoveCost, Problem, Set};
use crate::problem::{self, Numbering, all_touched};
use crate::target::{Shape, Target};
use crate::unroll;
use isa::thumb::{Cond, Inst, Op as Row, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// Compiles a kernel; cycles and cases of the result are still zero.
pub fn compile(kernel: &Kernel, target: Target, shape: Shape, trace: Trace<'_>) -> Result<Function, CompileError> {
    trace("kernel", kernel.listing());
    if let Some(t) = &kernel.transform {
        return transform::compile(kernel, t, target, shape, trace);
    }
    if let Some(r) = &kernel.rejection {
        return rejection::compile(kernel, r, target, shape, trace);
    }
    if kernel.map.is_some() {
        return map::compile(kernel, target, shape, trace);
    }
    if let Some(array) = kernel.in_place {
        return in_place::compile(kernel, array, target, shape, trace);
    }
    let shaped = unroll::unroll(&kernel.body, shape)?;
    let segments = fold::fold(&shaped.segments);
    check::fold(&shaped, &segments, &[])?;
    trace("fold", finish::virtual_listing(kernel, &segments));
    match &kernel.stream {
        Some(stream) => stream::compile(kernel, stream, target, shape, (segments, shaped.inputs), trace),
        None => {
            let params = (0..kernel.interface.params.len()).map(Kernel::param);
            let unit = Unit::new(kernel, target, segments, shaped.inputs, params.clone().collect(), &[])?;
            let reg = params.filter_map(|v| Some((unit.number(v)?, Reg(v.0 as u8)))).collect();
            let start = Placement { reg, ..Placement::default() };
            let slots = Slots::new(if target.has_fpu() { 0xffff } else { 0 }, 0);
            unit.best(trace, |choice, trace| {
                let (chunks, slots) = unit.place(start.clone(), slots.clone(), None, choice, &mut *trace)?;
                finish::finish(kernel, target, shape, chunks, slots, trace)
            })
        }
    }
}

/// So many steps are planned in a second or so.
const STEPS_PLANNED: usize = 1200;
/// Forms of a loop that are tried to the end.
const CHOICES: usize = 16;

/// Gives each loop its counter: set before it, decremented in it.
fn count_loops(segments: &mut [Folded], mut vars: u16) {
    for i in 1..segments.len() {
        let count = segments[i].count;
        if count == 1 {
            continue;
        }
        let counter = V::of(Var(vars));
        vars += 1;
        // Flags are nobody's here, and the form that sets them is shorter.
        let set = Inst { d: counter, imm: count as i32, set_flags: true, ..Inst::new(Row::MovImm) };
        let step = Inst { d: counter, n: counter, imm: 1, set_flags: true, ..Inst::new(Row::SubImm) };
        let group = |title: &str, inst| Group { title: title.to_owned(), insts: vec![inst], touches: Vec::new() };
        segments[i - 1].groups.push(group("", set));
        segments[i].groups.push(group("", step));
    }
}

/// Before a loop every input has to be fetched: as many at once as there is room for beside the addresses, then the others, each time
/// in one load of many words.
fn touch_inputs(segments: &mut [Folded], inputs: &[(Var, Place)], params: usize) {
    if segments.len() == 1 {
        return;
    }
    let vars: Vec<Var> = inputs.iter().map(|(v, _)| *v).collect();
    let (first, rest) = vars.split_at(vars.len().min(REGISTERS as usize - params));
    let touch = |vars: &[Var]| Group { title: String::new(), insts: Vec::new(), touches: vars.to_vec() };
    let at_start = [first, rest].into_iter().filter(|vars| !vars.is_empty()).map(touch);
    segments[0].groups.splice(0..0, at_start);
}

/// A kernel between folding and finishing.
pub struct Unit {
    pub(super) segments: Vec<Folded>,
    pub(super) inputs: Vec<(Var, Place)>,
    pub(super) numbering: Numbering,
    /// Wanted after each segment (for a loop, also at its start).
    live: Vec<Set>,
    cost: MoveCost,
    /// For each segment that is a loop: equally good choices of who is resident at its ends, with the plan of its body.
    loops: Vec<Vec<(Set, Vec<Action>)>>,
    /// Variables that hold addresses and counts.
    public: Set,
    /// What every later form has to compute.
    pub(super) reference: Reference,
}

impl Unit {
    /// `pointers` are the parameters that are variables of the code; other bases are the stack pointer.
    pub fn new(
        kernel: &Kernel,
        target: Target,
        mut segments: Vec<Folded>,
        inputs: Vec<(Var, Place)>,
        pointers: BTreeSet<Var>,
        live_out: &[Var],
    ) -> Result<Self, CompileError> {
        count_loops(&mut segments, kernel.vars.len() as u16);
        touch_inputs(&mut segments, &inputs, pointers.len());
        let mut shared = pointers.clone();
        shared.extend(inputs.iter().map(|&(v, _)| v));
        let numbering = Numbering::new(segments.iter().map(|s| s.groups.as_slice()), &shared);
        let live = problem::live(&segments, &numbering, live_out);
        let counters = (kernel.vars.len() as u16..).take(segments.len()).map(Var);
        let public = numbering.set(pointers.into_iter().chain(counters));
        let cost = if target.has_fpu() {
            MoveCost { load: 1, load_batch: 0, save: 1, save_fresh: 0 }
        } else {
            MoveCost { load: 1, load_batch: 1, save: 1, save_fresh: 1 }
        };
        let reference = Reference::new(kernel, &segments, &inputs, live_out, &[])?;
        let mut unit = Unit { segments, inputs, public, numbering, live, cost, loops: Vec::new(), reference };
        unit.loops = (0..unit.segments.len()).map(|i| unit.plan_loop(i)).collect::<Result<_, _>>()?;
        Ok(unit)
    }

    fn problem(&self, i: usize) -> Problem {
        let inputs = if i == 0 { self.inputs.as_slice() } else { &[] };
        let problem = problem::problem(&self.segments[i].groups, inputs, &self.numbering, REGISTERS, self.cost);
        Problem { live_out: self.live[i], ..problem }
    }

    /// The planner's number of a variable that lives across steps.
    pub fn number(&self, var: Var) -> Option<u32> {
        self.numbering.get(var)
    }

    /// Builds the function for every choice of loop plans and keeps the fastest, the shortest among equals.
    pub fn best(
        &self,
        trace: Trace<'_>,
        build: impl Fn(usize, Trace<'_>) -> Result<Rated, CompileError>,
    ) -> Result<Function, CompileError> {
        let choices = self.loops.iter().map(Vec::len).max().unwrap_or(1).clamp(1, CHOICES);
        compile::best(choices, trace, |choice, trace| {
            let (cycles, function) = build(choice, trace)?;
            self.reference.finished(&function)?;
            Ok((cycles, function))
        })
    }

    /// Plans and assigns every segment, from what is where at the start to `resident_out` in registers at the end.
    pub fn place(
        &self,
        mut place: Placement,
        mut slots: Slots,
        resident_out: Option<Set>,
        choice: usize,
        trace: Trace<'_>,
    ) -> Result<(Vec<Chunk>, Slots), CompileError> {
        let loops: Vec<_> = self.loops.iter().map(|l| l.get(choice % l.len().max(1))).collect();
        let in_loops = loops.iter().flatten().fold(0, |hot, (_, actions)| hot | moving(actions));
        let hot = in_loops | self.public;
        let before = place.clone();
        let mut chunks = Vec::new();
        for i in 0..self.segments.len() {
            let actions = match loops[i] {
                Some((_, actions)) => actions.clone(),
                None => {
                    let next = loops.get(i + 1).map(|l| l.map(|(set, _)| *set));
                    let resident_out = next.unwrap_or(resident_out);
                    let (resident, saved) = where_is(&place);
                    let problem = Problem { resident, saved, resident_out, ..self.problem(i) };
                    let (actions, _) = plan::plan(&problem)?;
                    check::plan(&problem, &actions)?;
                    actions
                }
            };
            let looping = loops[i].is_some();
            let code = self.assign(i, &actions, &mut place, &mut slots, looping, hot)?;
            trace("assign", finish::listing(&code));
            chunks.push(self.chunk(i, code, looping));
        }
        self.reference.assigned(&self.numbering, Ends { before: &before, after: &place }, &slots, &chunks)?;
        Ok((chunks, slots))
    }

    fn chunk(&self, i: usize, code: Vec<Placed>, looping: bool) -> Chunk {
        let label = looping.then(|| format!("loop{i}"));
        let branch = label.clone().map(|l| (Inst { cond: Cond::Ne, ..Inst::new(Row::B) }, l));
        Chunk { label, code, branch, count: self.segments[i].count, aligned: looping }
    }

    fn assign(
        &self,
        i: usize,
        actions: &[Action],
        place: &mut Placement,
        slots: &mut Slots,
        looping: bool,
        hot: Set,
    ) -> Result<Vec<Placed>, CompileError> {
        if looping {
            // What is resident changes in the loop, what is out stays where it is.
            place.resident_only(slots);
        }
        let header = place.clone();
        let out = place.slot.keys().fold(0, |s, v| s | 1 << v);
        place.pinned |= if looping { out } else { 0 };
        let inputs = if i == 0 { self.inputs.as_slice() } else { &[] };
        let segment = assign::Segment {
            groups: &self.segments[i].groups,
            numbering: &self.numbering,
            inputs,
            live_out: self.live[i],
            hot: moving(actions) | hot,
            public: self.public,
            compact: self.segments.len() > 1,
            prefer: if looping { header.reg.clone() } else { BTreeMap::new() },
        };
        if !looping {
            return Ok(assign::assign(&segment, actions, &[], place, slots));
        }
        let start = (place.clone(), slots.clone());
        let attempt = |detours: &[usize]| {
            let (mut place, mut slots) = start.clone();
            let code = assign::assign(&segment, actions, detours, &mut place, &mut slots);
            let swaps = assign::swaps(&place.reg, &header.reg);
            (swaps, code, place, slots)
        };
        let mut best = attempt(&[]);
        for detours in detours(actions) {
            if best.0.is_empty() {
                break;
            }
            let other = attempt(&detours);
            if other.0.len() < best.0.len() {
                best = other;
            }
        }
        let (swaps, mut code, after, slots_after) = best;
        code.extend(swaps);
        *place = Placement { reg: header.reg, pinned: header.pinned, valid: header.valid, ..after };
        *slots = slots_after;
        Ok(code)
    }

    /// For a loop: who is resident at its ends, and the plan of its body, in every equally good form.
    fn plan_loop(&self, i: usize) -> Result<Vec<(Set, Vec<Action>)>, CompileError> {
        if self.segments[i].count == 1 {
            return Ok(Vec::new());
        }
        let once = self.problem(i);
        let candidates = plan::thinned(self.loop_candidates(i, &once), once.steps.len(), STEPS_PLANNED);
        let problem = |&resident: &Set| Problem {
            resident,
            saved: once.live_out & !resident,
            resident_out: Some(resident),
            ..once.clone()
        };
        let best = plan::plan_best(candidates.iter().map(problem).collect())?;
        best.iter().try_for_each(|(n, (actions, _))| check::plan(&problem(&candidates[*n]), actions))?;
        Ok(best.into_iter().map(|(n, (actions, _))| (candidates[n], actions)).collect())
    }

    /// Who can be out between two iterations: every choice of as few as have to be. What the loop does not touch is out, and so is its
    /// counter, which is wanted for a moment only.
    fn loop_candidates(&self, i: usize, once: &Problem) -> Vec<Set> {
        let groups = &self.segments[i].groups;
        let touched: Set = once.steps.iter().fold(0, |s, need| s | need.reads | need.writes);
        let counter = groups.last().map_or(0, |g| self.numbering.set(all_touched(g)));
        let carried = touched & once.live_out & !counter;
        let out = carried.count_ones().saturating_sub(once.registers);
        let mut candidates = Vec::new();
        plan::subsets(carried, out, &mut |absent| candidates.push(carried & !absent));
        candidates
    }
}

/// Ways to depart from the registers that are picked first, for a plan with few loads: every combination of the first few candidates.
fn detours(actions: &[Action]) -> impl Iterator<Item = Vec<usize>> {
    const CANDIDATES: usize = 3;
    const MOST: usize = 8;
    let loads = actions.iter().filter(|a| matches!(a, Action::Load(_) | Action::Fetch(_))).count().min(MOST);
    (0..CANDIDATES.pow(loads as u32))
        .map(move |n| (0..loads).map(|k| n / CANDIDATES.pow(k as u32) % CANDIDATES).collect())
}

/// Variables that a plan moves between registers and slots.
fn moving(actions: &[Action]) -> Set {
    actions.iter().fold(0, |set, action| match action {
        Action::Save(v) | Action::Load(v) => set | 1 << v,
        _ => set,
    })
}

fn where_is(place: &Placement) -> (Set, Set) {
    (place.reg.keys().fold(0, |s, v| s | 1 << v), place.valid)
}
