//! In which order steps run, and which variables are in registers meanwhile.
//!
//! Too few registers mean that variables have to leave and come back. What that costs depends on the order of the steps, and
//! the best order depends on who is out: both are searched together, by a beam over (steps done, variables resident, copies valid)
//! whose width is enough to hold every such state of kernels like ChaCha, so that their plans are optimal.

use crate::made::Made;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use thiserror::Error;

/// A set of variables, by number (below 64).
pub type Set = u64;

/// What a step needs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Need {
    /// Variables whose value it reads.
    pub reads: Set,
    /// Variables it changes or defines.
    pub writes: Set,
    /// Registers for values that live inside the step only.
    pub temps: u32,
    /// Steps (by number) that must come before it.
    pub after: Vec<usize>,
}

/// Steps may move this far against their order in the kernel.
pub const WINDOW: usize = 64;

/// A planning problem: a stretch of straight code.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Problem {
    /// Registers there are.
    pub registers: u32,
    /// In the order of the kernel.
    pub steps: Vec<Need>,
    /// For variables that start in memory: the variable that holds the base address, if one is needed.
    pub inputs: Vec<(u32, Option<u32>)>,
    /// In registers at the start.
    pub resident: Set,
    /// Variables whose copy outside registers is valid at the start (inputs count as such without being listed).
    pub saved: Set,
    /// Wanted at the end, somewhere.
    pub live_out: Set,
    /// If given: exactly these are in registers at the end, and the others of `live_out` have valid copies.
    pub resident_out: Option<Set>,
    /// Cycles to bring a variable back, to save one, and extra for a batch that brings any back.
    pub cost: MoveCost,
}

/// What moving a variable costs, in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MoveCost {
    /// Into a register.
    pub load: u32,
    /// Once for every group of loads.
    pub load_batch: u32,
    /// Out of a register.
    pub save: u32,
    /// Extra for saving a variable that the step just before has written, in eighths of a cycle: where a load must not follow a store
    /// closely there is nothing left to put between them.
    pub save_fresh: u32,
}

/// One thing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Copy a variable out of its register, which becomes free.
    Save(u32),
    /// The variable's register becomes free; a valid copy exists.
    Drop(u32),
    /// Bring a variable back into a register.
    Load(u32),
    /// Fetch an input; if its base is not used later, it may take the base's register.
    Fetch(u32),
    /// Run a step.
    Run(usize),
}

/// No plan was found.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// A step needs more registers than there are.
    #[error("step {step} needs {needed} registers at once, but there are {registers}")]
    TooFewRegisters {
        /// Its number.
        step: usize,
        /// What it needs.
        needed: u32,
        /// What there is.
        registers: u32,
    },
    /// No order of the steps was found.
    #[error("no order of the steps was found")]
    None,
}

/// States kept after each step.
const BEAM: usize = 1500;
/// Cycles that a state may be behind the best one.
const SLACK: u32 = 3 * CYCLE;
/// Costs are in eighths of a cycle, so that a preference never outweighs a cycle before there are many of it.
pub const CYCLE: u32 = 8;
/// Up to this many variables are chosen freely when they have to leave at once.
const CHOOSE_FREELY: u32 = 2;

/// States are hashed millions of times and nobody chooses them with bad intent: multiply and rotate.
#[derive(Clone, Copy, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(u64::from(b)));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct State {
    base: u32,
    window: u64,
    resident: Set,
    saved: Set,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    state: State,
    cost: u32,
    parent: usize,
    evicted: Set,
    loaded: Set,
    step: usize,
}

/// What to do, in order, and what it costs, in [`CYCLE`]s.
pub type Plan = (Vec<Action>, u32);

/// Equally good plans for some of several problems, each with the number of its problem.
pub type Best = Vec<(usize, Plan)>;

/// Plans made so far: kernels share their loops, and cores with the same costs share everything.
static MADE: Made<Vec<Problem>, Result<Best, PlanError>> = Made::new();

/// The cheapest plan found, with its cost.
pub fn plan(problem: &Problem) -> Result<Plan, PlanError> {
    let best = plan_best(vec![problem.clone()])?;
    best.into_iter().next().map(|(_, plan)| plan).ok_or(PlanError::None)
}

/// The cheapest plans among several problems, each with the number of its problem; all of them cost the same.
pub fn plan_best(problems: Vec<Problem>) -> Result<Best, PlanError> {
    MADE.get(problems, |problems| search_all(problems))
}

fn search_all(problems: &[Problem]) -> Result<Best, PlanError> {
    let mut best = Best::new();
    for (i, problem) in problems.iter().enumerate() {
        let known = best.first().map_or(u32::MAX - 1, |(_, (_, cost))| *cost);
        if let Some(plan) = plan_below(problem, known + 1)? {
            if plan.1 < known {
                best.clear();
            }
            best.push((i, plan));
        }
    }
    Ok(best)
}

/// The cheapest plan, if it costs less than `limit`.
fn plan_below(problem: &Problem, limit: u32) -> Result<Option<Plan>, PlanError> {
    Search::new(problem, limit).run()
}

struct Search<'a> {
    problem: &'a Problem,
    /// Only plans that cost less are of interest.
    limit: u32,
    /// For each first step of a window: which steps of the window touch each variable, as masks.
    users: Vec<[u64; 64]>,
    /// One more than the last step that touches a variable.
    end_of_use: [usize; 64],
    /// Variables that start in memory, and the variables that hold their addresses.
    inputs: Set,
    bases: Set,
    base_of: [Option<u32>; 64],
    nodes: Vec<Node>,
}

fn members(set: Set) -> impl Iterator<Item = u32> {
    let mut rest = set;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let v = rest.trailing_zeros();
        rest &= rest - 1;
        Some(v)
    })
}

/// Calls `f` with every subset of `set` that has `size` members.
pub fn subsets(set: Set, size: u32, f: &mut impl FnMut(Set)) {
    choose(set, size, 0, f);
}

fn choose(set: Set, size: u32, chosen: Set, f: &mut impl FnMut(Set)) {
    if size == 0 {
        return f(chosen);
    }
    let mut rest = set;
    while rest.count_ones() >= size {
        let lowest = rest & rest.wrapping_neg();
        rest ^= lowest;
        choose(rest, size - 1, chosen | lowest, f);
    }
}

/// As many candidates as can be planned, each with so many steps, if `most` steps in all can be; evenly spread.
pub fn thinned<T>(candidates: Vec<T>, steps: usize, most: usize) -> Vec<T> {
    let every = (candidates.len() * steps).div_ceil(most).max(1);
    candidates.into_iter().step_by(every).collect()
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, limit: u32) -> Self {
        let steps = problem.steps.len();
        let mut users = vec![[0; 64]; steps + 1];
        let mut end_of_use = [0; 64];
        for base in (0..steps).rev() {
            let touched = problem.steps[base].reads | problem.steps[base].writes;
            for v in 0..64 {
                users[base][v] = users[base + 1][v] << 1 | touched >> v & 1;
                if touched >> v & 1 == 1 {
                    end_of_use[v] = end_of_use[v].max(base + 1);
                }
            }
        }
        let mut search =
            Search { problem, limit, users, end_of_use, inputs: 0, bases: 0, base_of: [None; 64], nodes: Vec::new() };
        for &(input, base) in &problem.inputs {
            search.inputs |= 1 << input;
            search.base_of[input as usize] = base;
            search.bases |= base.map_or(0, |b| 1 << b);
        }
        search
    }

    /// True if a step that is not done touches the variable; `extra` is taken as done.
    fn used(&self, state: &State, var: u32, extra: Option<usize>) -> bool {
        let base = state.base as usize;
        let extra = extra.map_or(0, |step| 1 << (step - base));
        self.users[base][var as usize] & !(state.window | extra) != 0 || self.end_of_use[var as usize] > base + WINDOW
    }

    fn done(state: &State, step: usize) -> bool {
        let base = state.base as usize;
        step < base || (step - base < WINDOW && state.window >> (step - base) & 1 == 1)
    }

    fn ready(&self, state: &State) -> Vec<usize> {
        let base = state.base as usize;
        let end = self.problem.steps.len().min(base + WINDOW);
        let fits =
            |&i: &usize| !Self::done(state, i) && self.problem.steps[i].after.iter().all(|&p| Self::done(state, p));
        (base..end).filter(fits).collect()
    }

    /// True if somebody still wants the variable's present value.
    fn alive(&self, state: &State, var: u32) -> bool {
        self.problem.live_out >> var & 1 == 1 || self.used(state, var, None) || self.is_pending_base(state, var)
    }

    /// True if `var` is the base of an input that is neither fetched nor saved elsewhere yet but will be wanted.
    fn is_pending_base(&self, state: &State, var: u32) -> bool {
        let waits = |input: u32| self.base_of[input as usize] == Some(var) && self.used(state, input, None);
        self.bases >> var & 1 == 1 && members(self.at_inputs(state)).any(waits)
    }

    /// Variables that have to be fetched from their input places when they are next wanted.
    fn at_inputs(&self, state: &State) -> Set {
        self.inputs & !(state.resident | state.saved)
    }

    fn bases_of(&self, fetched: Set) -> Set {
        members(fetched).filter_map(|v| self.base_of[v as usize]).fold(0, |s, b| s | 1 << b)
    }

    fn run(mut self) -> Result<Option<Plan>, PlanError> {
        self.check()?;
        let start = State { base: 0, window: 0, resident: self.problem.resident, saved: self.problem.saved };
        self.nodes.push(Node { state: start, cost: 0, parent: usize::MAX, evicted: 0, loaded: 0, step: usize::MAX });
        let mut layer = vec![0usize];
        for _ in 0..self.problem.steps.len() {
            layer = self.next_layer(&layer);
        }
        let finished: Vec<(usize, u32)> = layer.iter().map(|&n| (n, self.nodes[n].cost + self.exit_cost(n))).collect();
        let best = finished.into_iter().filter(|f| f.1 < self.limit).min_by_key(|&(n, cost)| (cost, n));
        Ok(best.map(|(node, cost)| (self.actions(node), cost)))
    }

    fn check(&self) -> Result<(), PlanError> {
        for (i, step) in self.problem.steps.iter().enumerate() {
            let needed = (step.reads | step.writes).count_ones() + step.temps;
            if needed > self.problem.registers {
                return Err(PlanError::TooFewRegisters { step: i, needed, registers: self.problem.registers });
            }
        }
        Ok(())
    }

    fn next_layer(&mut self, layer: &[usize]) -> Vec<usize> {
        let mut index: HashMap<State, usize, BuildHasherDefault<Mix>> = HashMap::default();
        let mut next: Vec<usize> = Vec::new();
        let mut limit = self.limit;
        for &parent in layer {
            let state = self.nodes[parent].state;
            let ready = self.ready(&state);
            let free = ready.iter().copied().find(|&s| self.costs_nothing(&state, s));
            for step in free.map_or(ready, |s| vec![s]) {
                let mut fresh = Vec::new();
                self.expand(parent, step, &mut limit, &mut fresh);
                for node in fresh {
                    match index.entry(node.state) {
                        Entry::Occupied(known) => {
                            let known = *known.get();
                            if node.cost < self.nodes[known].cost {
                                self.nodes[known] = node;
                            }
                        }
                        Entry::Vacant(place) => {
                            place.insert(self.nodes.len());
                            next.push(self.nodes.len());
                            self.nodes.push(node);
                        }
                    }
                }
            }
        }
        next.sort_by_key(|&n| (self.nodes[n].cost, n));
        next.retain(|&n| self.nodes[n].cost < limit);
        next.truncate(BEAM);
        next
    }

    /// True if the step can run at once: then nothing is lost by running it before anything is moved.
    fn costs_nothing(&self, state: &State, step: usize) -> bool {
        let need = &self.problem.steps[step];
        let free = self.problem.registers - state.resident.count_ones();
        (need.reads | need.writes) & !state.resident == 0 && need.temps <= free
    }

    /// Who may have to leave, if `count` have to: of a small number every choice is tried, of a large one only among those that are
    /// wanted last in the kernel's order.
    fn candidates(&self, state: &State, set: Set, count: u32) -> Set {
        if count <= CHOOSE_FREELY {
            return set;
        }
        let next_use = |v: u32| (self.users[state.base as usize][v as usize] & !state.window).trailing_zeros();
        let mut ranked: Vec<u32> = members(set).collect();
        ranked.sort_by_key(|&v| (u32::MAX - next_use(v), v));
        ranked.truncate((count + CHOOSE_FREELY) as usize);
        ranked.into_iter().fold(0, |s, v| s | 1 << v)
    }

    /// Every way to make room for a step and run it.
    /// Nothing is made that costs `limit` or more, which is kept at what is too far behind the best one.
    fn expand(&self, parent: usize, step: usize, limit: &mut u32, nodes: &mut Vec<Node>) {
        let Node { state, cost, .. } = self.nodes[parent];
        let need = &self.problem.steps[step];
        let wanted = need.reads | need.writes;
        let missing = wanted & !state.resident;
        let fetched = missing & need.reads & self.at_inputs(&state);
        let bases = self.bases_of(fetched);
        let keep = wanted | bases;
        let loads = (missing | bases) & !state.resident;
        let after_fetch = State { resident: state.resident | loads, ..state };
        let dying = members(bases & !wanted).filter(|&b| !self.alive(&after_fetch, b)).count() as u32;
        let peak = (state.resident & !keep).count_ones() + keep.count_ones() - dying.min(1) + need.temps;
        let evict = peak.saturating_sub(self.problem.registers);
        let from_slots = loads & !fetched & (need.reads | bases);
        let mut moved = (from_slots | fetched).count_ones() * self.problem.cost.load;
        moved += if from_slots != 0 { self.problem.cost.load_batch } else { 0 };
        let mut done = after_fetch;
        self.mark_done(&mut done, step);
        let dead = members(keep).filter(|&v| !self.alive(&done, v)).fold(0, |s: Set, v| s | 1 << v);
        let just_written = match self.nodes[parent].step {
            usize::MAX => 0,
            before => self.problem.steps[before].writes,
        };
        subsets(self.candidates(&state, state.resident & !keep, evict), evict, &mut |evicted| {
            let dirty = evicted & !state.saved;
            let fresh = (dirty & just_written).count_ones() * self.problem.cost.save_fresh;
            let cost = cost + (moved + dirty.count_ones() * self.problem.cost.save) * CYCLE + fresh;
            if cost < *limit {
                *limit = (*limit).min(cost + SLACK + 1);
                let resident = done.resident & !evicted & !dead;
                let saved = (state.saved | dirty) & !need.writes & !dead;
                let state = State { resident, saved, ..done };
                nodes.push(Node { state, cost, parent, evicted, loaded: loads, step });
            }
        });
    }

    fn mark_done(&self, state: &mut State, step: usize) {
        state.window |= 1 << (step - state.base as usize);
        let shift = state.window.trailing_ones();
        state.base += shift;
        state.window = state.window.checked_shr(shift).unwrap_or(0);
    }

    fn exit_moves(&self, state: &State) -> (Set, Set) {
        let Some(out) = self.problem.resident_out else { return (0, 0) };
        (state.resident & !out, out & !state.resident)
    }

    fn exit_cost(&self, node: usize) -> u32 {
        let state = &self.nodes[node].state;
        let (evicted, loaded) = self.exit_moves(state);
        let cost = &self.problem.cost;
        let batch = if loaded != 0 { cost.load_batch } else { 0 };
        ((evicted & !state.saved).count_ones() * cost.save + loaded.count_ones() * cost.load + batch) * CYCLE
    }

    fn actions(&self, last: usize) -> Vec<Action> {
        let mut path = Vec::new();
        let mut node = last;
        while self.nodes[node].parent != usize::MAX {
            path.push(node);
            node = self.nodes[node].parent;
        }
        let mut actions = Vec::new();
        for &node in path.iter().rev() {
            let Node { parent, evicted, loaded, step, .. } = self.nodes[node];
            let before = self.nodes[parent].state;
            self.moves(&before, evicted, loaded, self.problem.steps[step].reads, &mut actions);
            actions.push(Action::Run(step));
        }
        let state = self.nodes[last].state;
        let (evicted, loaded) = self.exit_moves(&state);
        self.moves(&state, evicted, loaded, loaded, &mut actions);
        actions
    }

    /// Saves first, then loads of saved variables, then fetches (their bases are resident by then).
    fn moves(&self, before: &State, evicted: Set, loaded: Set, reads: Set, actions: &mut Vec<Action>) {
        for v in members(evicted) {
            actions.push(if before.saved >> v & 1 == 1 { Action::Drop(v) } else { Action::Save(v) });
        }
        let fetched = loaded & reads & self.at_inputs(before);
        let bases = self.bases_of(fetched);
        actions.extend(members(loaded & (reads | bases) & !fetched).map(Action::Load));
        actions.extend(members(fetched).map(Action::Fetch));
    }
}
