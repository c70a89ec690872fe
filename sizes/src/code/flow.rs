//! How sp and constants move through one function.
//!
//! The state of the registers at each leader (a place that is jumped to, or that follows a call) is followed over all
//! ways through the function until nothing changes; then every instruction is looked at once with what is known there.
//!
//! What follows a call comes last. If sp would be another there than on the other ways to the same place, or if nothing
//! can be executed there, the call does not return.

use super::body::{Body, Target};
use super::known::{Known, State};
use super::places::{Destination, Places};
use super::step::{Base, Condition, Convention, Decoder, Effect, Entry, Flow, Formula, Register, Step};
use super::{Function, How};
use crate::image::Place;
use std::collections::VecDeque;

/// What a function does that others need to know of.
#[derive(Debug, Default)]
pub struct Summary {
    /// Bytes below the sp at its entry that it was seen to use.
    pub depth: u32,
    /// False if sp cannot be followed everywhere.
    pub followed: bool,
    /// What it calls or ends with, in ascending order, each once, and the greatest depth at which it does.
    pub calls: Vec<(Destination, u32)>,
    /// True if it calls or jumps to an address that is not known.
    pub indirect: bool,
    /// What it refers to, in ascending order, each once.
    pub references: Vec<(Place, How)>,
}

/// How often a function is gone through because of what was found the time before.
const ROUNDS_MAX: usize = 8;

/// Reads a function.
pub fn summarize<'data>(
    places: &Places<'_, 'data>,
    function: &Function,
    decoder: &mut impl Decoder<'data>,
    is_switch: &impl Fn(Destination) -> bool,
) -> Summary {
    let mut body = Body::new(places, function);
    let mut entries = vec![function.entry.offset];
    entries.extend(&function.also_entered_at);
    body.discover(decoder, &entries);
    let convention = decoder.convention();
    let mut rest = body.discover_rest(decoder, false);
    let mut guessed = false;
    for round in 1..=ROUNDS_MAX {
        let mut flow = FlowOf::new(&body, convention, is_switch);
        flow.run(&entries, &rest);
        let (targets, tables) = (std::mem::take(&mut flow.new_targets), std::mem::take(&mut flow.new_tables));
        let complete = targets.is_empty() && tables.is_empty();
        if round == ROUNDS_MAX || (complete && (guessed || flow.inside.is_none())) {
            return flow.finish(complete);
        }
        if complete {
            rest.extend(body.discover_rest(decoder, true));
            guessed = true;
        } else {
            body.discover(decoder, &targets);
            body.discover_tables(decoder, &tables);
        }
    }
    Summary::default()
}

/// What is known at a leader.
#[derive(Debug)]
struct Leader {
    offset: u64,
    state: State,
    /// True if it may not be reached at all, as what follows a call that does not return.
    weak: bool,
    waiting: bool,
}

struct FlowOf<'b, 'p, 'a, 'data, F> {
    body: &'b Body<'p, 'a, 'data>,
    convention: Convention,
    is_switch: &'b F,
    leaders: Vec<Leader>,
    /// Index of the leader at each slot.
    leader_at: Vec<u32>,
    waiting: Vec<u32>,
    after_calls: VecDeque<(u64, State)>,
    /// Where jumps with computed addresses go that were not known to be jumped to.
    new_targets: Vec<u64>,
    new_tables: Vec<(Place, Entry)>,
    /// What is known at all jumps to unknown places of the function.
    inside: Option<State>,
    /// True if something is only reached by such a jump.
    rest_entered: bool,
    /// True if parts of the function are called by others.
    inner_calls: bool,
    followed: bool,
    record: Option<Record>,
}

/// What is written down when everything is known.
#[derive(Default)]
struct Record {
    seen: Vec<bool>,
    /// True while code is looked at that nothing is known to reach.
    detached: bool,
    depth: u32,
    calls: Vec<(Destination, Option<u32>)>,
    indirect: bool,
    references: Vec<(Place, How)>,
}

const NO_LEADER: u32 = u32::MAX;

/// The ways through conditional instructions: on the first the condition holds, on the second it does not.
struct Ways {
    condition: Option<Condition>,
    states: [Option<State>; 2],
}

impl<'b, 'p, 'a, 'data, F: Fn(Destination) -> bool> FlowOf<'b, 'p, 'a, 'data, F> {
    fn new(body: &'b Body<'p, 'a, 'data>, convention: Convention, is_switch: &'b F) -> Self {
        FlowOf {
            body,
            convention,
            is_switch,
            leaders: Vec::new(),
            leader_at: vec![NO_LEADER; body.slots()],
            waiting: Vec::new(),
            after_calls: VecDeque::new(),
            new_targets: Vec::new(),
            new_tables: Vec::new(),
            inside: None,
            rest_entered: false,
            inner_calls: false,
            followed: true,
            record: None,
        }
    }

    /// Follows all ways until nothing changes. `rest` is entered as the unresolved jumps leave the function.
    fn run(&mut self, entries: &[u64], rest: &[u64]) {
        for (n, &entry) in entries.iter().enumerate() {
            // A symbol inside that was come to is a label there; otherwise it is called.
            if n == 0 || self.leader(entry).is_none() {
                self.go(entry, &State::at_entry(self.convention));
                self.settle();
            }
        }
        self.enter_rest(rest);
    }

    /// Goes on where only unresolved jumps can lead, with what is known at all of them.
    fn enter_rest(&mut self, rest: &[u64]) {
        let entered: Vec<u64> = rest.iter().copied().filter(|start| self.leader(*start).is_none()).collect();
        let mut before = None;
        while self.inside != before {
            before = self.inside.clone();
            let Some(state) = &before else { return };
            for &start in &entered {
                match self.leader(start) {
                    Some(index) => self.join(index, state),
                    // Weakly: it may be fill before data.
                    None => self.enter(start, state, true),
                }
                self.settle();
            }
            self.rest_entered |= !entered.is_empty();
        }
    }

    fn settle(&mut self) {
        loop {
            if let Some(index) = self.waiting.pop() {
                let leader = &mut self.leaders[index as usize];
                leader.waiting = false;
                let (offset, state, weak) = (leader.offset, leader.state.clone(), leader.weak);
                self.walk(offset, state, weak);
            } else if let Some((offset, state)) = self.after_calls.pop_front() {
                self.come_back(offset, &state);
            } else {
                return;
            }
        }
    }

    fn leader(&self, offset: u64) -> Option<usize> {
        let index = self.leader_at[self.body.slot(offset)?];
        (index != NO_LEADER).then_some(index as usize)
    }

    /// Goes to an offset that surely is reached.
    fn go(&mut self, offset: u64, state: &State) {
        let leader = self.leader(offset);
        let same = leader.is_some_and(|index| self.has_same_stack(index, state));
        if self.record.is_some() {
            self.followed &= same || self.is_detached();
            return;
        }
        match leader {
            // The call before it does not return.
            Some(index) if !same && self.leaders[index].weak => {
                let leader = &mut self.leaders[index];
                leader.state = state.clone();
                leader.weak = false;
                self.wait(index);
            }
            Some(index) => {
                self.leaders[index].weak = false;
                self.join(index, state);
            }
            None if self.body.step(offset).is_some() => self.enter(offset, state, false),
            None => {}
        }
    }

    /// What follows a call is gone to when all else is done.
    fn later(&mut self, offset: u64, state: State) {
        if self.record.is_none() {
            self.after_calls.push_back((offset, state));
        }
    }

    /// Goes to what follows a call.
    fn come_back(&mut self, offset: u64, state: &State) {
        match self.leader(offset) {
            Some(index) if self.has_same_stack(index, state) => self.join(index, state),
            Some(_) => {}
            None if self.body.step(offset).is_some() => self.enter(offset, state, true),
            None if self.body.is_unread(offset) => self.new_targets.push(offset),
            None => {}
        }
    }

    fn has_same_stack(&self, index: usize, state: &State) -> bool {
        self.leaders[index].state.stack(self.convention) == state.stack(self.convention)
    }

    fn join(&mut self, index: usize, state: &State) {
        if self.leaders[index].state.join(state) {
            self.wait(index);
        }
    }

    fn wait(&mut self, index: usize) {
        let leader = &mut self.leaders[index];
        if !std::mem::replace(&mut leader.waiting, true) {
            self.waiting.push(index as u32);
        }
    }

    fn enter(&mut self, offset: u64, state: &State, weak: bool) {
        let Some(slot) = self.body.slot(offset) else { return };
        let index = self.leaders.len() as u32;
        self.leader_at[slot] = index;
        self.leaders.push(Leader { offset, state: state.clone(), weak, waiting: true });
        self.waiting.push(index);
    }

    /// Follows instructions from a leader to the next.
    fn walk(&mut self, start: u64, state: State, mut weak: bool) {
        let mut ways = Ways { condition: None, states: [Some(state), None] };
        let mut offset = start;
        loop {
            let slot = self.body.slot(offset);
            let at_leader = slot.is_some_and(|slot| match &self.record {
                Some(record) => record.seen[slot] || self.leader_at[slot] != NO_LEADER,
                None => self.body.is_leader(slot),
            });
            if offset != start && at_leader {
                for state in ways.states.into_iter().flatten() {
                    if weak { self.later(offset, state) } else { self.go(offset, &state) }
                }
                return;
            }
            let body = self.body;
            let Some((slot, step)) = slot.zip(body.step(offset)) else {
                let state = ways.joined(self);
                return self.leave_at_end(offset, state, weak);
            };
            if let Some(record) = &mut self.record {
                record.seen[slot] = true;
            }
            weak &= step.clobbers == 0 && step.effect == Effect::None && step.flow == Flow::Next;
            if step.condition.is_none() || ways.parted_otherwise(step.condition) {
                ways = Ways { condition: None, states: [ways.joined(self), None] };
            }
            self.take(offset, step, &mut ways);
            if step.sets_flags && ways.condition.is_some() {
                ways = Ways { condition: None, states: [ways.joined(self), None] };
            }
            if ways.states.iter().all(Option::is_none) {
                return;
            }
            offset += u64::from(step.length);
        }
    }

    /// Takes a step on the way on which it is executed.
    fn take(&mut self, offset: u64, step: &Step, ways: &mut Ways) {
        let mut way = 0;
        if let Some(condition) = step.condition {
            if ways.condition.is_none() {
                ways.condition = Some(condition);
                ways.states[1] = ways.states[0].clone();
            }
            way = usize::from(ways.condition != Some(condition));
        }
        ways.states[way] = ways.states[way].take().and_then(|state| self.execute(offset, step, state));
    }

    /// The state behind a step, if the next instruction comes next.
    fn execute(&mut self, offset: u64, step: &Step, mut state: State) -> Option<State> {
        let body = self.body;
        let callee = match step.flow {
            Flow::CallRegister(register) => Some(state.get(register)),
            _ => None,
        };
        let mut literal = None;
        if let Effect::Load { address, .. } = step.effect {
            literal = match body.places.destination(body.place(offset), address) {
                Destination::Place(place) => Some(place),
                Destination::Outside(_) => None,
            };
        }
        state.apply(
            self.convention,
            step.clobbers,
            step.effect,
            |state, formula| value(body, offset, state, formula),
            || literal.map_or(Known::Unknown, |place| body.places.word(place)),
        );
        self.note_references(step, &state, literal);
        self.note_depth(step, &state);
        let next = offset + u64::from(step.length);
        match step.flow {
            Flow::Next => return Some(state),
            Flow::Branch(address) => {
                self.jump(body.target(offset, address), &state);
                return Some(state);
            }
            Flow::Jump(address) => self.jump(body.target(offset, address), &state),
            Flow::Call(address) => self.call(body.target(offset, address), next, state),
            Flow::CallRegister(_) => match callee.and_then(|known| known.destination(body.places)) {
                Some(destination) => self.call(body.sorted(destination), next, state),
                None => {
                    self.note_indirect();
                    self.later(next, state);
                }
            },
            Flow::System => self.later(next, state),
            Flow::JumpRegister { register, leaves } => self.jump_register(register, leaves, next, state),
            Flow::JumpTable { base, entry } => self.jump_table(base, entry, &state),
            Flow::JumpInside => self.jump_inside(&state),
            Flow::Return { restores } => self.leave(restores, &state),
            Flow::Stop => {}
        }
        None
    }

    fn jump(&mut self, target: Target, state: &State) {
        match target {
            Target::Inside(offset) => {
                let known = self.body.slot(offset).is_some_and(|slot| self.body.is_leader(slot));
                if known || self.body.slot(offset).is_none() {
                    self.go(offset, state);
                } else {
                    self.new_targets.push(offset);
                }
            }
            Target::Out(destination) => self.note_call(destination, state),
        }
    }

    fn call(&mut self, target: Target, next: u64, state: State) {
        match target {
            Target::Inside(offset) if offset == self.body.entry => {
                self.note_call(Destination::Place(self.body.place(offset)), &state);
            }
            // A part of this function that is called works on below.
            Target::Inside(_) => {
                self.inner_calls = true;
                self.jump(target, &state.called(self.convention));
            }
            Target::Out(destination) => {
                self.note_call(destination, &state);
                if (self.is_switch)(destination) {
                    return self.jump_inside(&state);
                }
            }
        }
        self.later(next, state);
    }

    fn jump_register(&mut self, register: Register, leaves: bool, next: u64, state: State) {
        let known = state.get(register);
        let link = state.get(self.convention.link);
        // `mov lr, pc` before it makes it a call.
        if link == Known::Place(self.body.place(next)) {
            match known.destination(self.body.places) {
                Some(destination) => self.note_call(destination, &state),
                None => self.note_indirect(),
            }
            return self.later(next, state.without(self.convention.changed_by_calls));
        }
        match known.destination(self.body.places) {
            Some(destination) => self.jump(self.body.sorted(destination), &state),
            None if known == Known::ReturnAddress || register == self.convention.link => self.leave(true, &state),
            None if leaves && state.stack(self.convention).is_none_or(|offset| offset == 0) => self.note_indirect(),
            None => self.jump_inside(&state),
        }
    }

    fn jump_table(&mut self, base: Base, entry: Entry, state: &State) {
        let body = self.body;
        let place = match base {
            Base::Address(address) => body.places.near(body.section, address),
            Base::Register(register) => state.get(register).place(body.places),
        };
        let Some(place) = place else { return self.jump_inside(state) };
        match body.table(place, entry) {
            Some(table) if table.targets.is_empty() => self.jump_inside(state),
            Some(table) => {
                if let Some(record) = &mut self.record {
                    record.references.push((place, How::Load(table.bytes as u32)));
                }
                for &target in &table.targets {
                    self.go(target, state);
                }
            }
            None => self.new_tables.push((place, entry)),
        }
    }

    fn jump_inside(&mut self, state: &State) {
        match &mut self.inside {
            _ if self.record.is_some() => {}
            Some(known) => {
                known.join(state);
            }
            None => self.inside = Some(state.clone()),
        }
    }

    /// Returns to the caller.
    fn leave(&mut self, restores: bool, state: &State) {
        let checked = restores && !self.inner_calls && self.record.is_some() && !self.is_detached();
        if checked && state.stack(self.convention) != Some(0) {
            self.followed = false;
        }
    }

    /// Comes to where no instruction of this function is.
    fn leave_at_end(&mut self, offset: u64, state: Option<State>, weak: bool) {
        let Some(state) = state.filter(|_| !weak && self.record.is_some() && !self.is_detached()) else { return };
        let place = self.body.place(offset);
        match self.body.places.function_at(place) {
            Some(_) if self.body.sorted(Destination::Place(place)) != Target::Inside(offset) => {
                self.write_call(Destination::Place(place), &state);
            }
            _ => self.followed = false,
        }
    }

    fn is_detached(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.detached)
    }

    fn note_references(&mut self, step: &Step, state: &State, literal: Option<Place>) {
        let places = self.body.places;
        let Some(record) = &mut self.record else { return };
        let address = match (step.effect, literal) {
            (Effect::Load { bytes, .. }, Some(place)) => {
                record.references.push((place, How::Load(bytes)));
                if bytes == 4 { places.word(place).place(places).or_else(|| places.relative_word(place)) } else { None }
            }
            (Effect::Set(register, formula), _) => {
                let whole = matches!(formula, Formula::Address(_) | Formula::High(..) | Formula::Add(_, _, true));
                let moved = matches!(formula, Formula::Number(_)) && matches!(state.get(register), Known::Place(_));
                if whole || moved { state.get(register).place(places) } else { None }
            }
            _ => None,
        };
        record.references.extend(address.map(|place| (place, How::Address)));
    }

    /// Takes note of how deep sp is, or that it is not known.
    fn note_depth(&mut self, step: &Step, state: &State) {
        if self.is_detached() || self.record.is_none() {
            return;
        }
        match (state.stack(self.convention), &mut self.record) {
            (Some(offset), Some(record)) => record.depth = record.depth.max(depth_of(offset)),
            _ if matches!(step.flow, Flow::Return { .. }) => {}
            _ => self.followed = false,
        }
    }

    fn note_indirect(&mut self) {
        if let Some(record) = &mut self.record {
            record.indirect = true;
        }
    }

    fn note_call(&mut self, destination: Destination, state: &State) {
        if let (Some(record), Destination::Place(place)) = (&mut self.record, destination) {
            record.references.push((place, How::Call));
        }
        self.write_call(destination, state);
    }

    fn write_call(&mut self, destination: Destination, state: &State) {
        let offset = state.stack(self.convention);
        if let Some(record) = &mut self.record {
            record.calls.push((destination, offset.map(depth_of)));
        }
    }

    /// Looks at every instruction with what is known there.
    fn finish(mut self, complete: bool) -> Summary {
        self.followed = complete;
        self.record = Some(Record { seen: vec![false; self.body.slots()], ..Record::default() });
        let mut order: Vec<usize> = (0..self.leaders.len()).collect();
        order.sort_unstable_by_key(|index| self.leaders[*index].offset);
        for index in order {
            let leader = &self.leaders[index];
            let (offset, state, weak) = (leader.offset, leader.state.clone(), leader.weak);
            self.walk(offset, state, weak);
        }
        if let Some(record) = &mut self.record {
            record.detached = true;
        }
        for (offset, certain) in self.body.offsets() {
            let seen = self.record.as_ref().zip(self.body.slot(offset)).is_some_and(|(record, slot)| record.seen[slot]);
            if certain && !seen {
                self.walk(offset, State::unknown(), false);
            }
        }
        let lost = self.inside.is_some() && !self.rest_entered;
        let places = self.body.places;
        self.record.map_or_else(Summary::default, |mut record| {
            record.references.retain(|(place, _)| place.offset < places.section(place.section).size);
            record.summary(self.followed, lost)
        })
    }
}

impl Record {
    fn summary(mut self, followed: bool, lost: bool) -> Summary {
        self.references.sort_unstable();
        self.references.dedup();
        // Where sp is not known it is as deep as it ever is.
        let mut calls: Vec<_> =
            self.calls.into_iter().map(|(callee, depth)| (callee, depth.unwrap_or(self.depth))).collect();
        calls.sort_unstable_by_key(|(callee, depth)| (*callee, std::cmp::Reverse(*depth)));
        calls.dedup_by_key(|(callee, _)| *callee);
        let indirect = self.indirect || lost;
        Summary { depth: self.depth, followed, calls, indirect, references: self.references }
    }
}

impl Ways {
    /// Whether they are parted by a condition that is neither this one nor its opposite.
    fn parted_otherwise(&self, condition: Option<Condition>) -> bool {
        self.condition.zip(condition).is_some_and(|(own, other)| own != other && !own.is_opposite(other))
    }

    /// What is known on both.
    fn joined<F: Fn(Destination) -> bool>(&mut self, flow: &mut FlowOf<'_, '_, '_, '_, F>) -> Option<State> {
        match self.states.each_mut().map(Option::take) {
            [Some(mut state), Some(other)] => {
                let same = state.stack(flow.convention) == other.stack(flow.convention);
                flow.followed &= same || flow.record.is_none() || flow.is_detached();
                state.join(&other);
                Some(state)
            }
            [one, other] => one.or(other),
        }
    }
}

/// How far below the sp at the entry this is.
fn depth_of(offset: i32) -> u32 {
    offset.min(0).unsigned_abs()
}

/// The value of a formula in an instruction at `offset`, which the linker may fill in.
fn value(body: &Body<'_, '_, '_>, offset: u64, state: &State, formula: Formula) -> Known {
    let half = match formula {
        Formula::Number(number) => Some(number as u16),
        Formula::High(_, high) => Some(high),
        _ => None,
    };
    let relocated = body.places.image.relocatable.then_some(half).flatten();
    let moved = relocated.and_then(|half| body.places.moved(body.place(offset), half));
    moved.unwrap_or_else(|| state.value(formula, body.section, body.places))
}
