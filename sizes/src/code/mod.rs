//! What the instructions of a file refer to, and how much stack they take.
//!
//! ```text
//! arm, xtensa → step (what one instruction does, whatever the machine) → body (the instructions of one function)
//!     → flow (sp and constants on all ways through it) → graph (the worst case over all calls)
//! ```
//!
//! Nothing is guessed: where sp cannot be followed, or what is called is not known, the result says so.

mod arm;
mod body;
mod flow;
mod graph;
pub(crate) mod known;
pub(crate) mod places;
mod step;
mod xtensa;

use crate::image::{Content, Image, Machine, Place};
use crate::report::Stack;
use flow::Summary;
pub(crate) use graph::name_of;
use places::{Destination, Places};
use std::ops::Range;

/// A function as attribution found it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Name, demangled.
    pub name: String,
    /// Its first byte.
    pub entry: Place,
    /// Where else its bytes begin: other symbols with the same bytes, and those inside it.
    pub also_entered_at: Vec<u64>,
    /// True if its symbol says that it is Thumb code.
    pub thumb: bool,
    /// Its bytes in the section of its entry, in ascending order, disjoint.
    pub ranges: Vec<Range<u64>>,
}

/// That a function refers to a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reference {
    /// Index of the function.
    pub from: usize,
    /// What it refers to.
    pub to: Place,
    /// How.
    pub how: How,
}

/// How a function refers to a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    /// It loads this many bytes from there with an address relative to its own (`ldr rX, [pc, #n]`, `l32r`), or jumps by
    /// what they say (`tbb`).
    Load(u32),
    /// It knows the address: by an instruction that computes it, or in a literal that it loads.
    Address,
    /// It calls or jumps there.
    Call,
}

/// What is called outside of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Outside {
    /// The symbol of a relocation.
    Symbol {
        /// Index of the section.
        section: usize,
        /// Index in its relocations.
        relocation: usize,
    },
    /// An address.
    Address(u32),
}

/// What can be told from the instructions of all functions of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Analysis {
    /// All references, in ascending order, each once.
    pub references: Vec<Reference>,
    /// Stack of each function; `None` where the instructions of the machine are not read here.
    pub stacks: Vec<Option<Stack>>,
}

/// Reads the instructions of all functions.
pub fn analyse(image: &Image<'_>, functions: &[Function]) -> Analysis {
    let places = Places::new(image, functions);
    let summaries = match image.machine {
        Machine::Arm { little_endian_code: true, architecture, m_profile } => {
            // From `Tag_CPU_arch` 14 on it is ARMv8.
            let v8 = architecture.is_some_and(|number| number >= 14);
            let m_class = m_profile || (architecture.is_none() && !has_arm_code(image));
            in_parallel(functions, |chunk| summarize_arm(&places, chunk, functions, m_class, v8))
        }
        Machine::Xtensa => in_parallel(functions, |chunk| {
            let mut reader = xtensa::Reader::default();
            Some(chunk.iter().map(|function| flow::summarize(&places, function, &mut reader, &|_| false)).collect())
        }),
        _ => None,
    };
    let Some(summaries) = summaries else {
        return Analysis { references: Vec::new(), stacks: vec![None; functions.len()] };
    };
    let stacks = graph::stacks(&places, functions, &summaries);
    let of = |(from, summary): (usize, Summary)| {
        summary.references.into_iter().map(move |(to, how)| Reference { from, to, how })
    };
    Analysis {
        references: summaries.into_iter().enumerate().flat_map(of).collect(),
        stacks: stacks.into_iter().map(Some).collect(),
    }
}

fn has_arm_code(image: &Image<'_>) -> bool {
    image.sections.iter().any(|section| section.mapping.iter().any(|(_, content)| *content == Content::Arm))
}

fn summarize_arm(
    places: &Places<'_, '_>,
    chunk: &[Function],
    functions: &[Function],
    m_class: bool,
    v8: bool,
) -> Option<Vec<Summary>> {
    let engines = arm::Engines::new(m_class, v8)?;
    let mut reader = arm::Reader::new(&engines)?;
    let is_switch = |destination| is_switch(places, functions, destination);
    Some(chunk.iter().map(|function| flow::summarize(places, function, &mut reader, &is_switch)).collect())
}

/// True for the helpers of GCC that jump into the table of distances behind the call.
fn is_switch(places: &Places<'_, '_>, functions: &[Function], destination: Destination) -> bool {
    const PREFIX: &str = "__gnu_thumb1_case_";
    match destination {
        Destination::Place(place) => {
            places.function_at(place).is_some_and(|function| functions[function].name.starts_with(PREFIX))
        }
        Destination::Outside(outside @ Outside::Symbol { .. }) => {
            graph::name_of(places.image, outside).starts_with(PREFIX)
        }
        Destination::Outside(Outside::Address(_)) => false,
    }
}

/// Less code than this is read by one thread.
const BYTES_FOR_THREADS: u64 = 0x10000;

/// Applies `read` to stretches of the functions, on all cores if there is much to do.
fn in_parallel(
    functions: &[Function],
    read: impl Fn(&[Function]) -> Option<Vec<Summary>> + Sync,
) -> Option<Vec<Summary>> {
    let bytes = |function: &Function| function.ranges.iter().map(|range| range.end - range.start).sum::<u64>();
    let total: u64 = functions.iter().map(bytes).sum();
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    if total < BYTES_FOR_THREADS || cores == 1 {
        return read(functions);
    }
    let mut chunks: Vec<&[Function]> = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (index, function) in functions.iter().enumerate() {
        sum += bytes(function);
        if sum >= total.div_ceil(cores) || index + 1 == functions.len() {
            chunks.push(&functions[start..=index]);
            (start, sum) = (index + 1, 0);
        }
    }
    let read = &read;
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = chunks.into_iter().map(|chunk| scope.spawn(move || read(chunk))).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    results.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.into_iter().flatten().collect())
}
