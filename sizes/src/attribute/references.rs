//! Literals and constants: who uses which bytes that lie elsewhere.

use super::claims::{Claims, Owner};
use super::fill::trailing_fill;
use crate::code::{How, Reference};
use crate::image::{Content, Image, Kind, Machine, Place, Section, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Who refers to a place: a function, or words of data, which anybody may follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum User {
    Function(Owner),
    Data,
}

/// Who uses a place, and how many bytes there.
#[derive(Clone, Default, Debug)]
struct Point {
    users: BTreeSet<User>,
    /// Bytes that are loaded from there; 0 if only the address is known.
    loaded_bytes: u64,
}

/// The places that functions and data refer to, other than by calls.
#[derive(Debug)]
pub struct Usage {
    points: Vec<BTreeMap<u64, Point>>,
}

impl Usage {
    /// Collects who refers to what. `owners[n]` is the symbol of function `n`.
    pub fn new(image: &Image<'_>, owners: &[Owner], references: &[Reference]) -> Usage {
        let mut usage = Usage { points: vec![BTreeMap::new(); image.sections.len()] };
        for reference in references {
            let bytes = match reference.how {
                How::Load(bytes) => u64::from(bytes),
                How::Address => 0,
                How::Call => continue,
            };
            usage.add(reference.to, User::Function(owners[reference.from]), bytes);
        }
        // Without a single reference from code nothing is known of this machine's code, and data need not be searched.
        if !references.is_empty() {
            usage.add_data(image);
        }
        usage
    }

    fn add(&mut self, place: Place, user: User, bytes: u64) {
        let point = self.points[place.section].entry(place.offset).or_default();
        point.users.insert(user);
        point.loaded_bytes = point.loaded_bytes.max(bytes);
    }

    /// Words of data that are addresses: by relocation in objects, by value in what is linked.
    fn add_data(&mut self, image: &Image<'_>) {
        for section in image.sections.iter().filter(|section| !section.executable && !is_unwind_table(section)) {
            if image.relocatable {
                let targets = section.relocations.iter().filter_map(|relocation| match &relocation.target {
                    Target::Place { place, whole_section } => {
                        let implicit = if relocation.implicit_addend { section.word(relocation.offset) } else { None };
                        let addend = implicit.map_or(relocation.addend, |word| i64::from(word as i32));
                        let offset = place.offset.wrapping_add_signed(addend);
                        Some(Place { offset: if *whole_section { offset } else { place.offset }, ..*place })
                    }
                    _ => None,
                });
                targets.for_each(|place| self.add(place, User::Data, 0));
            } else if image.little_endian {
                let start = (4 - section.address % 4) % 4;
                let words = (start..section.bytes.len() as u64).step_by(4).filter_map(|offset| section.word(offset));
                let places = words.filter_map(|word| image.place_of(u64::from(word)));
                places.for_each(|place| self.add(place, User::Data, 0));
            }
        }
    }

    /// Gives bytes without an owner to the function that alone refers to them: literals behind its end, tables, and
    /// constants without a name. Loaded bytes are as many as are loaded; other constants reach to the next place that
    /// is referred to.
    pub fn give_to_only_user(&self, image: &Image<'_>, claims: &mut Claims) {
        for (index, section) in image.sections.iter().enumerate().filter(|(_, section)| !is_unwind_table(section)) {
            for gap in claims.map(index).gaps() {
                for (range, user) in pieces(section, &self.points[index], gap, image.machine) {
                    claims.claim(index, range, user);
                }
            }
        }
    }

    /// The only function that uses `range` of a section; `None` if there are several, or data, or nobody.
    pub fn only_user(&self, section: usize, range: Range<u64>) -> Option<Owner> {
        let mut users = self.points[section].range(range).flat_map(|(_, point)| point.users.iter());
        let first = users.next()?;
        match first {
            User::Function(owner) if users.all(|user| user == first) => Some(*owner),
            _ => None,
        }
    }

    /// True if something refers to any byte of `range`.
    pub fn is_used(&self, section: usize, range: Range<u64>) -> bool {
        self.is_loaded(section, range.start) || self.points[section].range(range).next().is_some()
    }

    /// How many bytes of `range` are loaded, each counted once.
    pub fn loaded_in(&self, section: usize, range: Range<u64>) -> u64 {
        let mut at = range.start;
        let mut bytes = 0;
        for (start, point) in self.points[section].range(range.clone()) {
            let end = start.saturating_add(point.loaded_bytes).min(range.end);
            bytes += end.saturating_sub(at.max(*start));
            at = at.max(end);
        }
        bytes
    }

    /// True if some function loads the bytes at `offset`.
    pub fn is_loaded(&self, section: usize, offset: u64) -> bool {
        let before = self.points[section].range(..=offset).next_back();
        before.is_some_and(|(start, point)| offset < start.saturating_add(point.loaded_bytes))
    }
}

/// The parts of a gap that one function alone refers to.
fn pieces(
    section: &Section<'_>,
    points: &BTreeMap<u64, Point>,
    gap: Range<u64>,
    machine: Machine,
) -> Vec<(Range<u64>, Owner)> {
    let mut pieces = Vec::new();
    let mut points = points.range(gap.clone()).peekable();
    while let Some((&start, point)) = points.next() {
        let next = points.peek().map_or(gap.end, |(next, _)| **next);
        let end = match point.loaded_bytes {
            // Only what is known to be data can be a table.
            0 if section.executable && section.content(start) != Some(Content::Data) => continue,
            0 => next - trailing_fill(section, machine.fill(), start..next),
            bytes => next.min(start.saturating_add(bytes)),
        };
        let mut users = point.users.iter();
        if let (Some(User::Function(owner)), None) = (users.next(), users.next()) {
            pieces.push((start..end, *owner));
        }
    }
    pieces
}

/// Tables for unwinding refer to every function, and use none.
pub fn is_unwind_table(section: &Section<'_>) -> bool {
    [".ARM.exidx", ".ARM.extab", ".eh_frame", ".gcc_except_table"].iter().any(|name| section.name.starts_with(name))
}

/// True if a symbol stands for constants or variables.
pub fn is_data(section: &Section<'_>, kind: Kind) -> bool {
    kind == Kind::Data || !section.executable
}
