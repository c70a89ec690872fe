//! The worst case of the stack over all calls.

use super::flow::Summary;
use super::places::{Destination, Places};
use super::{Function, Outside};
use crate::image::{Image, Place, Target};
use crate::names;
use crate::report::{Stack, Unknown};

/// At most so many reasons are given for one function: those that come first. With more than 20,000 functions there are
/// fewer, so that all together take no more than some tens of megabytes.
const REASONS_MAX: usize = 16;

/// Reasons of all functions together.
const ALL_REASONS_MAX: usize = 320_000;

fn reasons_max(functions: usize) -> usize {
    (ALL_REASONS_MAX / functions.max(1)).clamp(1, REASONS_MAX)
}

/// The name of what is outside of a file.
pub fn name_of(image: &Image<'_>, outside: Outside) -> String {
    match outside {
        Outside::Address(address) => format!("{address:#x}"),
        Outside::Symbol { section, relocation } => match &image.sections[section].relocations[relocation].target {
            Target::External(name) => names::demangled(name),
            _ => "an absolute address".to_owned(),
        },
    }
}

/// A name for code that belongs to no function.
fn name_of_place(image: &Image<'_>, place: Place) -> String {
    let section = &image.sections[place.section];
    match image.relocatable {
        true => format!("{}+{:#x}", section.name, place.offset),
        false => format!("{:#x}", section.address.wrapping_add(place.offset)),
    }
}

/// The stacks of all functions.
pub fn stacks(places: &Places<'_, '_>, functions: &[Function], summaries: &[Summary]) -> Vec<Stack> {
    let mut graph = Graph::new(places, functions, summaries);
    let components = components(&graph.calls);
    graph.note_recursion(&components, functions);
    graph.sort_reasons();
    let mut worst =
        Worst { graph: &graph, bytes: vec![0; functions.len()], unknown: vec![Vec::new(); functions.len()] };
    let mut component_of = vec![usize::MAX; functions.len()];
    for (number, component) in components.iter().enumerate() {
        component.iter().for_each(|function| component_of[*function] = number);
        worst.add(component, &component_of);
    }
    let stack = |function: usize| Stack {
        frame_bytes: summaries[function].followed.then_some(u64::from(summaries[function].depth)),
        worst_bytes: worst.bytes[function],
        unknown: worst.unknown[function].iter().map(|reason| graph.reasons[*reason].clone()).collect(),
    };
    (0..functions.len()).map(stack).collect()
}

struct Graph {
    /// The functions that each function calls, and at which depth.
    calls: Vec<Vec<(usize, u32)>>,
    depth: Vec<u32>,
    /// All reasons, each once, in order.
    reasons: Vec<Unknown>,
    /// Reasons of each function that are its own: while they are collected as they come, then as indices.
    found: Vec<(usize, Unknown)>,
    own: Vec<Vec<usize>>,
}

impl Graph {
    fn new(places: &Places<'_, '_>, functions: &[Function], summaries: &[Summary]) -> Graph {
        let mut graph = Graph {
            calls: Vec::new(),
            depth: summaries.iter().map(|summary| summary.depth).collect(),
            reasons: Vec::new(),
            found: Vec::new(),
            own: vec![Vec::new(); functions.len()],
        };
        for (index, (function, summary)) in functions.iter().zip(summaries).enumerate() {
            let mut calls = Vec::new();
            for &(destination, depth) in &summary.calls {
                let outside = match destination {
                    Destination::Place(place) => match places.function_at(place) {
                        Some(callee) => {
                            calls.push((callee, depth));
                            continue;
                        }
                        None => name_of_place(places.image, place),
                    },
                    Destination::Outside(outside) => name_of(places.image, outside),
                };
                graph.found.push((index, Unknown::External(outside)));
            }
            if summary.indirect {
                graph.found.push((index, Unknown::Indirect(function.name.clone())));
            }
            if !summary.followed {
                graph.found.push((index, Unknown::Frame(function.name.clone())));
            }
            graph.calls.push(calls);
        }
        graph
    }

    fn note_recursion(&mut self, components: &[Vec<usize>], functions: &[Function]) {
        for component in components {
            let one = component[0];
            if component.len() > 1 || self.calls[one].iter().any(|(callee, _)| *callee == one) {
                let reason = |member: &usize| (*member, Unknown::Recursion(functions[*member].name.clone()));
                self.found.extend(component.iter().map(reason));
            }
        }
    }

    fn sort_reasons(&mut self) {
        self.reasons = self.found.iter().map(|(_, reason)| reason.clone()).collect();
        self.reasons.sort_unstable();
        self.reasons.dedup();
        for (function, reason) in self.found.drain(..) {
            let number = self.reasons.partition_point(|other| *other < reason);
            self.own[function].push(number);
        }
        let most = reasons_max(self.own.len());
        for own in &mut self.own {
            own.sort_unstable();
            own.dedup();
            own.truncate(most);
        }
    }
}

/// What is known of the functions whose callees are known.
struct Worst<'a> {
    graph: &'a Graph,
    bytes: Vec<u64>,
    /// Indices of reasons, in ascending order.
    unknown: Vec<Vec<usize>>,
}

impl Worst<'_> {
    /// Adds functions that call each other in a circle, or one that is in none. Each is counted once: whatever the order
    /// in which they call each other, it is no more than all of them up to their calls, and the rest of one.
    fn add(&mut self, component: &[usize], component_of: &[usize]) {
        let within = |callee: usize| component_of[callee] == component_of[component[0]];
        let limit = reasons_max(self.bytes.len());
        let mut unknown: Vec<usize> = Vec::new();
        let mut chain = 0;
        let mut most = 0;
        for &member in component {
            let mut end = u64::from(self.graph.depth[member]);
            let mut passing = 0;
            merge(&mut unknown, &self.graph.own[member], limit);
            for &(callee, depth) in &self.graph.calls[member] {
                if within(callee) {
                    passing = passing.max(u64::from(depth));
                } else {
                    end = end.max(u64::from(depth).saturating_add(self.bytes[callee]));
                    merge(&mut unknown, &self.unknown[callee], limit);
                }
            }
            // A function that only calls itself is counted once.
            let passing = if component.len() == 1 { 0 } else { passing };
            chain += passing;
            most = most.max(end.saturating_sub(passing));
        }
        for &member in component {
            self.bytes[member] = most.saturating_add(chain);
            self.unknown[member].clone_from(&unknown);
        }
    }
}

/// Adds what is not there yet, and keeps the first ones.
fn merge(known: &mut Vec<usize>, other: &[usize], most: usize) {
    if other.iter().all(|reason| known.binary_search(reason).is_ok()) {
        return;
    }
    known.extend(other);
    known.sort_unstable();
    known.dedup();
    known.truncate(most);
}

/// The strongly connected components of a graph, callees before callers (Tarjan's algorithm, without recursion).
fn components(calls: &[Vec<(usize, u32)>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; calls.len()];
    let mut low = vec![0; calls.len()];
    let mut on_stack = vec![false; calls.len()];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..calls.len() {
        if index[root] != NEW {
            continue;
        }
        // Functions on the way, and how many of their calls were looked at.
        let mut way = vec![(root, 0)];
        while let Some(&(function, done)) = way.last() {
            if done == 0 {
                (index[function], low[function]) = (next, next);
                next += 1;
                stack.push(function);
                on_stack[function] = true;
            }
            if let Some(&(callee, _)) = calls[function].get(done) {
                if let Some(top) = way.last_mut() {
                    top.1 += 1;
                }
                if index[callee] == NEW {
                    way.push((callee, 0));
                } else if on_stack[callee] {
                    low[function] = low[function].min(index[callee]);
                }
                continue;
            }
            way.pop();
            if let Some(&(caller, _)) = way.last() {
                low[caller] = low[caller].min(low[function]);
            }
            if low[function] == index[function] {
                let start = stack.iter().rposition(|member| *member == function).unwrap_or(0);
                let component = stack.split_off(start);
                component.iter().for_each(|member| on_stack[*member] = false);
                found.push(component);
            }
        }
    }
    found
}
