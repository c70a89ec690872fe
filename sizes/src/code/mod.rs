//! What the instructions of a file refer to, and how much stack they take.

use crate::image::{Image, Place};
use crate::report::Stack;
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
    /// It loads this many bytes from there with an address relative to its own (`ldr rX, [pc, #n]`, `l32r`).
    Load(u32),
    /// It knows the address: by an instruction that computes it, or in a literal that it loads.
    Address,
    /// It calls or jumps there.
    Call,
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
pub fn analyse(_image: &Image<'_>, functions: &[Function]) -> Analysis {
    Analysis { references: Vec::new(), stacks: vec![None; functions.len()] }
}
