//! In which order steps run where some of them need a mode of the machine, such as a shift amount in a register of its own.
//!
//! Changing the mode costs, and so does bringing a variable back that had to leave: steps of independent computations are gathered so that
//! they share a mode, as far as there are registers for them. Both are searched together. Whatever can run without a cost runs at once;
//! a state is what remains to be decided on, and the states of equal cost in which most is done are followed.

use crate::made::Made;
use crate::plan::{Action, Plan, PlanError, Problem, Set};
use std::collections::{BTreeMap, HashMap};

/// Steps may run this far before the first one that waits.
const WINDOW: usize = 96;
/// States followed at each cost.
const BEAM: usize = 48;
/// If several variables have to leave at once, this many that are wanted last are candidates.
const LAST_WANTED: usize = 5;

/// What decisions cost, in any unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Costs {
    /// Changing the mode.
    pub mode: u32,
    /// Bringing a variable back.
    pub load: u32,
    /// Moving one out whose copy outside is not valid.
    pub save: u32,
    /// Both in one: one variable takes the place of the other.
    pub exchange: u32,
}

/// A planning problem with modes. The costs and registers of the problem itself are for moves without exchange.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lockstep {
    /// Steps, registers, who is where.
    pub problem: Problem,
    /// The mode that each step needs, if any.
    pub modes: Vec<Option<u8>>,
    /// What decisions cost.
    pub costs: Costs,
    /// Only these may leave while they are wanted.
    pub may_leave: Set,
    /// These keep their places outside: nobody takes one by an exchange.
    pub pinned: Set,
}

/// What is to be decided on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct State {
    /// All steps before this one are done, and of those after it the ones in `window`.
    base: usize,
    window: u128,
    mode: Option<u8>,
    resident: Set,
    saved: Set,
}

/// A way to unblock a step: who leaves. All else follows.
#[derive(Clone, Copy, Debug)]
struct Decision {
    step: usize,
    leaves: Set,
}

struct Node {
    state: State,
    parent: usize,
    decision: Decision,
}

struct Search<'a> {
    lockstep: &'a Lockstep,
    /// For each first step of a window: which steps of the window touch each variable.
    users: Vec<[u128; 64]>,
    /// One more than the last step that touches a variable.
    end_of_use: [usize; 64],
    base_of: [Option<u32>; 64],
    inputs: Set,
    nodes: Vec<Node>,
}

fn members(set: Set) -> impl Iterator<Item = u32> {
    (0..64).filter(move |v| set >> v & 1 == 1)
}

/// Plans made so far.
static MADE: Made<Lockstep, Result<Plan, PlanError>> = Made::new();

/// The cheapest plan found, with its cost.
///
/// # Errors
/// If a step needs more registers than there are, or no order was found.
pub fn plan(lockstep: &Lockstep) -> Result<Plan, PlanError> {
    MADE.get(lockstep.clone(), search)
}

fn search(lockstep: &Lockstep) -> Result<Plan, PlanError> {
    let problem = &lockstep.problem;
    for (step, need) in problem.steps.iter().enumerate() {
        let needed = (need.reads | need.writes).count_ones() + need.temps;
        if needed > problem.registers {
            return Err(PlanError::TooFewRegisters { step, needed, registers: problem.registers });
        }
    }
    Search::new(lockstep).run()
}

impl<'a> Search<'a> {
    fn new(lockstep: &'a Lockstep) -> Self {
        let steps = &lockstep.problem.steps;
        let mut users = vec![[0; 64]; steps.len() + 1];
        let mut end_of_use = [0; 64];
        for base in (0..steps.len()).rev() {
            let touched = steps[base].reads | steps[base].writes;
            for v in 0..64 {
                users[base][v] = users[base + 1][v] << 1 | u128::from(touched >> v & 1);
                end_of_use[v] = if touched >> v & 1 == 1 { end_of_use[v].max(base + 1) } else { end_of_use[v] };
            }
        }
        let (mut base_of, mut inputs) = ([None; 64], 0);
        for &(input, base) in &lockstep.problem.inputs {
            base_of[input as usize] = base;
            inputs |= 1 << input;
        }
        Search { lockstep, users, end_of_use, base_of, inputs, nodes: Vec::new() }
    }

    fn run(mut self) -> Result<Plan, PlanError> {
        let problem = &self.lockstep.problem;
        let mut start = State { base: 0, window: 0, mode: None, resident: problem.resident, saved: problem.saved };
        self.settle(&mut start, &mut |_| {});
        let none = Decision { step: usize::MAX, leaves: 0 };
        self.nodes.push(Node { state: start, parent: usize::MAX, decision: none });
        let mut known: HashMap<State, u32> = HashMap::from([(start, 0)]);
        let mut levels: BTreeMap<u32, Vec<usize>> = BTreeMap::from([(0, vec![0])]);
        let mut best: Option<(u32, usize)> = None;
        while let Some((cost, mut level)) = levels.pop_first() {
            if best.is_some_and(|(least, _)| least <= cost) {
                break;
            }
            level.retain(|&n| known.get(&self.nodes[n].state) == Some(&cost));
            level.sort_by_key(|&n| (usize::MAX - done_steps(&self.nodes[n].state), n));
            level.truncate(BEAM);
            for parent in level {
                let state = self.nodes[parent].state;
                if state.base == problem.steps.len() {
                    let total = cost + self.exit_cost(&state);
                    best = if best.is_none_or(|(least, _)| total < least) { Some((total, parent)) } else { best };
                    continue;
                }
                for (decision, next, more) in self.decisions(&state) {
                    let total = cost + more;
                    if known.get(&next).is_some_and(|&other| other <= total) {
                        continue;
                    }
                    known.insert(next, total);
                    levels.entry(total).or_default().push(self.nodes.len());
                    self.nodes.push(Node { state: next, parent, decision });
                }
            }
        }
        let (cost, node) = best.ok_or(PlanError::None)?;
        Ok((self.actions(node), cost))
    }

    fn is_done(state: &State, step: usize) -> bool {
        step < state.base || (step - state.base < WINDOW && state.window >> (step - state.base) & 1 == 1)
    }

    fn mark_done(state: &mut State, step: usize) {
        state.window |= 1 << (step - state.base);
        let shift = state.window.trailing_ones();
        state.base += shift as usize;
        state.window = state.window.checked_shr(shift).unwrap_or(0);
    }

    /// Steps that are not done but for which all that they wait for is.
    fn ready(&self, state: &State) -> impl Iterator<Item = usize> {
        let steps = &self.lockstep.problem.steps;
        let state = *state;
        let end = steps.len().min(state.base + WINDOW);
        (state.base..end).filter(move |&i| {
            !Self::is_done(&state, i) && steps[i].after.iter().all(|&before| Self::is_done(&state, before))
        })
    }

    /// True if a step to come touches the variable.
    fn used(&self, state: &State, v: u32) -> bool {
        self.users[state.base][v as usize] & !state.window != 0 || self.end_of_use[v as usize] > state.base + 128
    }

    /// True if an input is still to be fetched through `v`.
    fn is_pending_base(&self, state: &State, v: u32) -> bool {
        let waiting = self.inputs & !(state.resident | state.saved);
        members(waiting).any(|input| self.base_of[input as usize] == Some(v) && self.used(state, input))
    }

    fn alive(&self, state: &State, v: u32) -> bool {
        self.lockstep.problem.live_out >> v & 1 == 1 || self.used(state, v) || self.is_pending_base(state, v)
    }

    /// Runs a step whose variables are in registers; who is not wanted any more gives his register up.
    fn finish(&self, state: &mut State, step: usize) {
        let need = &self.lockstep.problem.steps[step];
        state.resident |= need.writes;
        state.saved &= !need.writes;
        Self::mark_done(state, step);
        self.bury(state, need.reads | need.writes);
    }

    fn bury(&self, state: &mut State, some: Set) {
        let dead = members(some).filter(|&v| !self.alive(state, v)).fold(0, |dead: Set, v| dead | 1 << v);
        state.resident &= !dead;
        state.saved &= !dead;
    }

    /// What a step lacks: variables to bring in, with the bases of those that are fetched.
    fn lacks(&self, state: &State, step: usize) -> (Set, Set) {
        let need = &self.lockstep.problem.steps[step];
        let missing = (need.reads | need.writes) & !state.resident;
        let fetched = missing & need.reads & self.inputs & !state.saved;
        let bases = members(fetched).filter_map(|v| self.base_of[v as usize]).fold(0, |s: Set, b| s | 1 << b);
        (missing, bases)
    }

    /// How many have to leave for a step.
    fn excess(&self, state: &State, step: usize) -> u32 {
        let need = &self.lockstep.problem.steps[step];
        let (missing, bases) = self.lacks(state, step);
        let after = State { resident: state.resident | missing | bases, ..*state };
        // The last word that is fetched through a base may take the base's register.
        let dies = members(bases & !(need.reads | need.writes)).any(|b| !self.alive(&after, b));
        let peak = after.resident.count_ones() + need.temps - u32::from(dies && need.temps == 0);
        peak.saturating_sub(self.lockstep.problem.registers)
    }

    fn fits_mode(&self, state: &State, step: usize) -> bool {
        self.lockstep.modes[step].is_none_or(|mode| state.mode == Some(mode))
    }

    /// True if nothing has to be paid for a step: it can run, or its inputs only have to be fetched.
    fn is_free(&self, state: &State, step: usize) -> bool {
        let need = &self.lockstep.problem.steps[step];
        let (missing, bases) = self.lacks(state, step);
        let loaded = (missing & need.reads & state.saved) | (bases & !state.resident);
        self.fits_mode(state, step) && loaded == 0 && self.excess(state, step) == 0
    }

    /// Runs whatever costs nothing.
    fn settle(&self, state: &mut State, emit: &mut dyn FnMut(Action)) {
        loop {
            let complete = |&i: &usize| self.lacks(state, i).0 == 0;
            let free: Vec<usize> = self.ready(state).filter(|&i| self.is_free(state, i)).collect();
            // Who needs nothing goes before who needs a register.
            let Some(&step) = free.iter().find(|i| complete(i)).or(free.first()) else { return };
            self.bring_and_run(state, step, 0, emit);
        }
    }

    /// Makes room, brings in what a step lacks, and runs it.
    fn bring_and_run(&self, state: &mut State, step: usize, leaves: Set, emit: &mut dyn FnMut(Action)) {
        let need = &self.lockstep.problem.steps[step];
        let (missing, bases) = self.lacks(state, step);
        let back = (missing & need.reads & state.saved) | (bases & !state.resident);
        let fetched = missing & need.reads & !state.saved;
        for v in members(leaves) {
            emit(if state.saved >> v & 1 == 1 { Action::Drop(v) } else { Action::Save(v) });
        }
        let dirty = leaves & !state.saved;
        state.resident &= !leaves;
        state.saved |= leaves;
        members(back).for_each(|v| emit(Action::Load(v)));
        // Who takes the place of another leaves no copy behind.
        let exchanged = members(back & !self.lockstep.pinned).take(dirty.count_ones() as usize);
        let exchanged = exchanged.fold(0, |s: Set, v| s | 1 << v);
        state.saved &= !exchanged;
        members(fetched).for_each(|v| emit(Action::Fetch(v)));
        state.resident |= back | fetched;
        emit(Action::Run(step));
        state.mode = self.lockstep.modes[step].or(state.mode);
        self.finish(state, step);
        self.bury(state, bases);
    }

    /// Everything that can be done next, with the state it leads to and what it costs.
    fn decisions(&self, state: &State) -> Vec<(Decision, State, u32)> {
        let mut all = Vec::new();
        for step in self.ready(state) {
            let need = &self.lockstep.problem.steps[step];
            let (missing, bases) = self.lacks(state, step);
            let back = (missing & need.reads & state.saved) | (bases & !state.resident);
            let mode = if self.fits_mode(state, step) { 0 } else { self.lockstep.costs.mode };
            for leaves in self.choices(state, need.reads | need.writes | bases, self.excess(state, step)) {
                let cost = mode + self.cost(back, leaves & !state.saved);
                let mut next = *state;
                self.bring_and_run(&mut next, step, leaves, &mut |_| {});
                self.settle(&mut next, &mut |_| {});
                all.push((Decision { step, leaves }, next, cost));
            }
        }
        all
    }

    fn cost(&self, back: Set, dirty: Set) -> u32 {
        let costs = &self.lockstep.costs;
        let (loads, saves) = (back.count_ones(), dirty.count_ones());
        let both = (back & !self.lockstep.pinned).count_ones().min(saves);
        both * costs.exchange + (loads - both) * costs.load + (saves - both) * costs.save
    }

    /// Who may leave, if `count` have to.
    fn choices(&self, state: &State, keep: Set, count: u32) -> Vec<Set> {
        let mut candidates: Vec<u32> = members(state.resident & !keep & self.lockstep.may_leave).collect();
        if count > 1 {
            let next_use = |v: u32| (self.users[state.base][v as usize] & !state.window).trailing_zeros();
            candidates.sort_by_key(|&v| (u32::MAX - next_use(v), v));
            candidates.truncate(LAST_WANTED.max(count as usize));
        }
        let set = candidates.into_iter().fold(0, |s: Set, v| s | 1 << v);
        let mut choices = Vec::new();
        crate::plan::subsets(set, count, &mut |leaves| choices.push(leaves));
        choices
    }

    fn exit_moves(&self, state: &State) -> (Set, Set) {
        let Some(out) = self.lockstep.problem.resident_out else { return (0, 0) };
        (state.resident & !out, out & !state.resident)
    }

    fn exit_cost(&self, state: &State) -> u32 {
        let (leaves, back) = self.exit_moves(state);
        self.cost(back, leaves & !state.saved)
    }

    fn actions(&self, last: usize) -> Vec<Action> {
        let mut path = Vec::new();
        let mut node = last;
        while self.nodes[node].parent != usize::MAX {
            path.push(self.nodes[node].decision);
            node = self.nodes[node].parent;
        }
        let problem = &self.lockstep.problem;
        let mut state = State { base: 0, window: 0, mode: None, resident: problem.resident, saved: problem.saved };
        let mut actions = Vec::new();
        self.settle(&mut state, &mut |a| actions.push(a));
        for decision in path.into_iter().rev() {
            self.bring_and_run(&mut state, decision.step, decision.leaves, &mut |a| actions.push(a));
            self.settle(&mut state, &mut |a| actions.push(a));
        }
        let (leaves, back) = self.exit_moves(&state);
        actions
            .extend(members(leaves).map(|v| if state.saved >> v & 1 == 1 { Action::Drop(v) } else { Action::Save(v) }));
        actions.extend(members(back).map(Action::Load));
        actions
    }
}

fn done_steps(state: &State) -> usize {
    state.base + state.window.count_ones() as usize
}
