//! The passes in their order, from a kernel in its shape to a function.

use super::assign::{self, Placed, Placement, Slots};
use super::check::{self, Ends, Reference};
use super::finish::{self, Chunk};
use super::fold::{self, Folded};
use super::problem::{self as xtensa, REGISTERS};
use super::{Group, V, stream};
use crate::compile::{self, CompileError, Rated, Trace};
use crate::function::Function;
use crate::ir::{Kernel, Place, Var};
use crate::lockstep::{self, Lockstep};
use crate::plan::{self, Action, MoveCost, PlanError, Problem, Set};
use crate::problem::{self, Numbering};
use crate::target::{Abi, Shape, Target};
use crate::unroll;
use isa::xtensa::{Inst, Op as Row, Reg, sr};
use std::collections::BTreeSet;

/// Compiles a kernel; cycles and cases of the result are still zero.
///
/// # Errors
/// If the shape does not fit the kernel, no plan is found, or a check after a pass fails.
pub fn compile(
    kernel: &Kernel,
    target: Target,
    abi: Abi,
    shape: Shape,
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    trace("kernel", kernel.listing());
    let core = target.xtensa_core().ok_or(CompileError::Target { target, abi })?;
    if !kernel.is_of_words() {
        return Err(CompileError::InPlace { kernel: kernel.name.clone(), target });
    }
    let goal = finish::Goal { kernel, target, core, abi, shape };
    let shaped = unroll::unroll(&kernel.body, shape)?;
    let segments = fold::fold(&shaped.segments);
    check::fold(&shaped, &segments)?;
    trace("fold", finish::virtual_listing(kernel, &segments));
    if let Some(stream) = &kernel.stream {
        return stream::compile(&goal, stream, segments, &shaped, trace);
    }
    let params = (0..kernel.interface.params.len()).map(Kernel::param);
    let reference = Reference::new(kernel, &segments, &shaped.inputs, &[])?;
    let vars = kernel.vars.len() as u16;
    let unit = Unit::new(vars, segments, shaped.inputs, params.clone().collect(), &[], reference)?;
    let reg = params.filter_map(|v| Some((unit.number(v)?, Reg(v.0 as u8 + finish::FIRST_PARAM)))).collect();
    let start = Placement { reg, ..Placement::default() };
    let slots = Slots::new(finish::FREE_MAC, 0);
    unit.best(trace, |choice, trace| {
        let (chunks, after, slots) = unit.place(start.clone(), slots.clone(), None, choice, &mut *trace)?;
        unit.check(Ends { before: &start, after: &after }, &slots, &chunks)?;
        finish::finish(&goal, chunks, slots, trace)
    })
}

/// So many steps are planned in a second or so: for a loop over a double round of ChaCha every way.
const STEPS_PLANNED: usize = 16_000;
/// Forms of a loop that are tried to the end.
const CHOICES: usize = 8;

/// Who is in registers at the ends of a loop, and the plan of its body.
type Looped = (Set, Vec<Action>);

/// A constant: an immediate, or a literal before the function if it is too large for one.
fn constant(t: V, value: u32) -> Inst<V> {
    let row = if value < 2048 { Row::Movi } else { Row::L32r };
    Inst { t, imm: value.into(), ..Inst::new(row) }
}

/// Before each loop a group sets it up: LOOP by itself reaches 256 bytes, and every loop over rounds is longer. So LOOP is given the loop's
/// beginning as its end, and that address, which LEND holds then, becomes LBEG, and LEND what is the loop's length behind it. ISYNC is needed
/// before the instructions at the new ends are fetched.
fn set_up_loops(segments: &mut [Folded], mut vars: u16) {
    for i in 1..segments.len() {
        let count = segments[i].count;
        if count == 1 {
            continue;
        }
        let t = V::of(Var(vars));
        vars += 1;
        let special = |row, register: usize| Inst { t, imm: register as i64, ..Inst::new(row) };
        let insts = vec![
            constant(t, count),
            Inst { s: t, ..Inst::new(Row::Loop) },
            special(Row::Rsr, sr::LEND),
            special(Row::Wsr, sr::LBEG),
            Inst { t, s: t, ..Inst::new(Row::Addmi) },
            Inst { t, s: t, ..Inst::new(Row::Addi) },
            special(Row::Wsr, sr::LEND),
            Inst::new(Row::Isync),
        ];
        let title = format!("{count} times");
        segments[i - 1].groups.insert(0, Group { title, insts, touches: Vec::new() });
    }
}

/// Before a loop every input has to be fetched.
fn touch_inputs(segments: &mut [Folded], inputs: &[(Var, Place)]) {
    if segments.len() > 1 {
        let touch = |&(v, _): &(Var, Place)| Group { title: String::new(), insts: Vec::new(), touches: vec![v] };
        segments[0].groups.extend(inputs.iter().map(touch));
    }
}

/// A kernel between folding and finishing.
pub struct Unit {
    segments: Vec<Folded>,
    inputs: Vec<(Var, Place)>,
    pub(super) numbering: Numbering,
    /// Wanted after each segment (for a loop, also at its start).
    live: Vec<Set>,
    /// For each segment that is a loop: equally good ways.
    loops: Vec<Vec<Looped>>,
    /// What every later form has to compute.
    pub(super) reference: Reference,
}

impl Unit {
    /// `vars` are the kernel's variables; `pointers` are the parameters that are variables of the code; other bases are the stack pointer.
    pub fn new(
        vars: u16,
        mut segments: Vec<Folded>,
        inputs: Vec<(Var, Place)>,
        pointers: BTreeSet<Var>,
        live_out: &[Var],
        reference: Reference,
    ) -> Result<Self, CompileError> {
        set_up_loops(&mut segments, vars);
        touch_inputs(&mut segments, &inputs);
        let mut shared = pointers;
        shared.extend(inputs.iter().map(|&(v, _)| v));
        let numbering = Numbering::new(segments.iter().map(|s| s.groups.as_slice()), &shared);
        let live = problem::live(&segments, &numbering, live_out);
        let mut unit = Unit { segments, inputs, numbering, live, loops: Vec::new(), reference };
        unit.loops = (0..unit.segments.len()).map(|i| unit.plan_loop(i)).collect::<Result<_, _>>()?;
        Ok(unit)
    }

    /// The planner's number of a variable that lives across steps.
    pub fn number(&self, var: Var) -> Option<u32> {
        self.numbering.get(var)
    }

    fn lockstep(&self, i: usize, start: &Placement, resident_out: Option<Set>) -> Lockstep {
        let groups = &self.segments[i].groups;
        let inputs = if i == 0 { self.inputs.as_slice() } else { &[] };
        let problem = problem::problem(groups, inputs, &self.numbering, REGISTERS, MoveCost::default());
        let resident = start.reg.keys().fold(0, |s, v| s | 1 << v);
        let problem = Problem { resident, saved: start.valid, live_out: self.live[i], resident_out, ..problem };
        let modes = groups.iter().map(xtensa::mode).collect();
        Lockstep { problem, modes, costs: xtensa::costs(), may_leave: Set::MAX, pinned: start.pinned }
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
    ) -> Result<(Vec<Chunk>, Placement, Slots), CompileError> {
        let loops: Vec<_> = self.loops.iter().map(|l| l.get(choice % l.len().max(1))).collect();
        let mut chunks = Vec::new();
        for i in 0..self.segments.len() {
            let header = place.clone();
            let actions = match loops[i] {
                Some((_, actions)) => actions.clone(),
                None => {
                    let next = loops.get(i + 1).map(|l| l.map(|(set, _)| *set));
                    let lockstep = self.lockstep(i, &place, next.unwrap_or(resident_out));
                    let (actions, _) = lockstep::plan(&lockstep)?;
                    check::plan(&lockstep.problem, &actions)?;
                    actions
                }
            };
            let code = self.assign(i, &actions, &mut place, &mut slots);
            if loops[i].is_some() && (place.reg != header.reg || place.slot != header.slot) {
                return crate::check::error("assign", "a loop ends with variables in other places than it begins");
            }
            trace("assign", finish::listing(&code));
            let label = loops[i].map(|_| format!("loop{i}"));
            chunks.push(Chunk { label, code, count: self.segments[i].count });
        }
        Ok((chunks, place, slots))
    }

    /// Checks placed code: it computes what the kernel asks for.
    pub fn check(&self, ends: Ends<'_>, slots: &Slots, chunks: &[Chunk]) -> Result<(), CompileError> {
        self.reference.assigned(&self.numbering, ends, slots, chunks)
    }

    fn assign(&self, i: usize, actions: &[Action], place: &mut Placement, slots: &mut Slots) -> Vec<Placed> {
        let loop_follows = self.segments.get(i + 1).is_some_and(|s| s.count > 1);
        let segment = assign::Segment {
            groups: &self.segments[i].groups,
            numbering: &self.numbering,
            inputs: if i == 0 { self.inputs.as_slice() } else { &[] },
            live_out: self.live[i],
            setup: loop_follows.then(|| (0, format!("loop{}", i + 1))),
        };
        assign::assign(&segment, actions, place, slots)
    }

    /// For a loop: who is resident at its ends, and the plan of its body, in every equally good form. Between iterations as few as have to
    /// be are out; of those that the loop touches only one more may leave than that, so that its exchanges undo one another.
    fn plan_loop(&self, i: usize) -> Result<Vec<Looped>, CompileError> {
        if self.segments[i].count == 1 {
            return Ok(Vec::new());
        }
        let once = self.lockstep(i, &Placement::default(), None);
        let touched: Set = once.problem.steps.iter().fold(0, |s, need| s | need.reads | need.writes);
        let carried = touched & once.problem.live_out;
        let out = carried.count_ones().saturating_sub(REGISTERS);
        let mut ways = Vec::new();
        plan::subsets(carried, if out == 0 { 0 } else { out + 1 }, &mut |may_leave| {
            plan::subsets(may_leave, out, &mut |absent| ways.push((may_leave, carried & !absent)));
        });
        let mut best: (u32, Vec<Looped>) = (u32::MAX, Vec::new());
        for (may_leave, resident) in plan::thinned(ways, once.problem.steps.len(), STEPS_PLANNED) {
            let saved = once.problem.live_out & !resident;
            let problem = Problem { resident, saved, resident_out: Some(resident), ..once.problem.clone() };
            let lockstep = Lockstep { problem, may_leave, ..once.clone() };
            let Ok((actions, cost)) = lockstep::plan(&lockstep) else { continue };
            check::plan(&lockstep.problem, &actions)?;
            if cost < best.0 {
                best = (cost, Vec::new());
            }
            if cost == best.0 {
                best.1.push((resident, actions));
            }
        }
        if best.1.is_empty() { Err(PlanError::None.into()) } else { Ok(best.1) }
    }
}
