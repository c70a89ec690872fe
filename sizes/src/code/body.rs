//! The instructions of one function: where they are, and which of them are jumped to.

use super::Function;
use super::places::{Destination, Places};
use super::step::{Base, Decoder, Effect, Entry, Flow, Step};
use crate::image::{Content, Machine, Place};
use std::collections::BTreeMap;

/// A stretch of a function.
#[derive(Debug)]
struct Part {
    start: u64,
    end: u64,
    /// Whether it is code, and of which instruction set.
    thumb: Option<bool>,
    /// True if the file says what it is.
    certain: bool,
    /// Number of the slot of its first byte.
    first_slot: usize,
}

/// What is known of the bytes from a place on that an instruction could begin at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    Unread,
    /// Index in the steps.
    Step(u32),
    /// No instruction can be read there, or it is a literal.
    Not,
}

/// Where a jump goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To this offset in the function.
    Inside(u64),
    /// Out of the function.
    Out(Destination),
}

/// The instructions of one function.
pub struct Body<'p, 'a, 'data> {
    pub places: &'p Places<'a, 'data>,
    pub section: usize,
    pub entry: u64,
    parts: Vec<Part>,
    /// Instructions begin at multiples of 1 << this.
    shift: u32,
    slots: Vec<Slot>,
    leaders: Vec<bool>,
    steps: Vec<Step>,
    tables: BTreeMap<(Place, Entry), Table>,
    /// How many entries of tables may still be read.
    entries_left: usize,
}

/// So many entries of tables are read at least. Functions have no more than two for each of their instructions, but
/// what only looks like code may have any number.
const ENTRIES_MIN: usize = 1024;

/// A table of jumps.
#[derive(Debug)]
pub struct Table {
    /// Where it goes, each once.
    pub targets: Vec<u64>,
    /// Bytes of its entries.
    pub bytes: u64,
}

impl<'p, 'a, 'data> Body<'p, 'a, 'data> {
    pub fn new(places: &'p Places<'a, 'data>, function: &Function) -> Self {
        let section = places.section(function.entry.section);
        let (shift, all_thumb) = match places.image.machine {
            Machine::Arm { m_profile, .. } => (1, m_profile || function.thumb),
            _ => (0, false),
        };
        let mut parts: Vec<Part> = Vec::new();
        let mut slots = 0;
        for (range, content) in function.ranges.iter().flat_map(|range| section.contents(range.clone())) {
            let thumb = match content {
                Some(Content::Data) => None,
                Some(Content::Thumb) => Some(true),
                Some(Content::Arm) => Some(false),
                Some(Content::Code) | None => Some(all_thumb),
            };
            let certain = content.is_some();
            parts.push(Part { start: range.start, end: range.end, thumb, certain, first_slot: slots });
            slots += ((range.end - range.start) >> shift) as usize + 1;
        }
        Body {
            places,
            section: function.entry.section,
            entry: function.entry.offset,
            parts,
            shift,
            slots: vec![Slot::Unread; slots],
            leaders: vec![false; slots],
            steps: Vec::new(),
            tables: BTreeMap::new(),
            entries_left: ENTRIES_MIN + 2 * slots,
        }
    }

    fn part_of(&self, offset: u64) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.start <= offset);
        self.parts.get(after.checked_sub(1)?).filter(|part| offset < part.end)
    }

    /// Number of the slot at an offset that is code of this function.
    pub fn slot(&self, offset: u64) -> Option<usize> {
        let part = self.part_of(offset).filter(|part| part.thumb.is_some())?;
        let distance = offset - part.start;
        (distance & ((1 << self.shift) - 1) == 0).then(|| part.first_slot + (distance >> self.shift) as usize)
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The instruction at an offset.
    pub fn step(&self, offset: u64) -> Option<&Step> {
        match self.slots[self.slot(offset)?] {
            Slot::Step(index) => self.steps.get(index as usize),
            _ => None,
        }
    }

    /// True if an instruction could begin there that was not read.
    pub fn is_unread(&self, offset: u64) -> bool {
        self.slot(offset).is_some_and(|slot| self.slots[slot] == Slot::Unread)
    }

    /// True if something jumps there, or calls something before it.
    pub fn is_leader(&self, slot: usize) -> bool {
        self.leaders[slot]
    }

    /// Offsets of all instructions, in ascending order, and whether the file says that they are code.
    pub fn offsets(&self) -> impl Iterator<Item = (u64, bool)> + '_ {
        self.parts.iter().flat_map(move |part| {
            let slots = 0..(part.end - part.start) >> self.shift;
            let read = move |n: &u64| matches!(self.slots[part.first_slot + *n as usize], Slot::Step(_));
            slots.filter(read).map(move |n| (part.start + (n << self.shift), part.certain))
        })
    }

    /// The address of an offset, as instructions compute it.
    pub fn address(&self, offset: u64) -> u32 {
        self.places.section(self.section).address.wrapping_add(offset) as u32
    }

    /// The place of an offset.
    pub fn place(&self, offset: u64) -> Place {
        Place { section: self.section, offset }
    }

    /// Where an instruction that says `address` goes.
    pub fn target(&self, offset: u64, address: u32) -> Target {
        self.sorted(self.places.destination(self.place(offset), address))
    }

    /// Whether a destination is inside.
    pub fn sorted(&self, destination: Destination) -> Target {
        match destination {
            Destination::Place(place) if place.section == self.section && self.part_of(place.offset).is_some() => {
                Target::Inside(place.offset)
            }
            out => Target::Out(out),
        }
    }

    /// Reads what can be reached from `starts`, which become leaders.
    pub fn discover(&mut self, decoder: &mut impl Decoder<'data>, starts: &[u64]) {
        let mut first: Vec<u64> = Vec::new();
        for &start in starts {
            self.lead(start, &mut first);
        }
        // What follows calls is read last: after a call that does not return there may be literals, and what loads
        // them tells.
        let mut later: Vec<u64> = Vec::new();
        while let Some(start) = first.pop().or_else(|| later.pop()) {
            self.read_from(decoder, start, &mut first, &mut later);
        }
    }

    /// Reads what was not reached, and returns where such code begins. Without `guess` only what is surely code.
    pub fn discover_rest(&mut self, decoder: &mut impl Decoder<'data>, guess: bool) -> Vec<u64> {
        let mut starts = Vec::new();
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            let (start, first_slot) = (part.start, part.first_slot);
            if part.thumb.is_none() || !(part.certain || guess) {
                continue;
            }
            let (mut at, end) = (0, (part.end - part.start) >> self.shift);
            while at < end {
                let offset = start + (at << self.shift);
                if self.slots[first_slot + at as usize] == Slot::Unread {
                    self.discover(decoder, &[offset]);
                    starts.push(offset);
                }
                at += match self.step(offset) {
                    Some(step) => (u64::from(step.length) >> self.shift).max(1),
                    None => 1,
                };
            }
        }
        starts
    }

    fn lead(&mut self, offset: u64, starts: &mut Vec<u64>) {
        let Some(slot) = self.slot(offset) else { return };
        if self.slots[slot] == Slot::Unread {
            starts.push(offset);
        }
        self.leaders[slot] = true;
    }

    fn read_from(&mut self, decoder: &mut impl Decoder<'data>, start: u64, first: &mut Vec<u64>, later: &mut Vec<u64>) {
        let Some(part) = self.part_of(start) else { return };
        let (Some(thumb), end) = (part.thumb, part.end) else { return };
        let bytes = self.places.section(self.section).bytes;
        let Some(code) = bytes.get(start as usize..(end as usize).min(bytes.len())) else { return };
        decoder.start(code, self.address(start), thumb);
        let mut offset = start;
        while let Some(slot) = self.slot(offset).filter(|_| offset < end) {
            if self.slots[slot] != Slot::Unread {
                return;
            }
            let Some(step) = decoder.next() else {
                self.slots[slot] = Slot::Not;
                return;
            };
            self.slots[slot] = Slot::Step(self.steps.len() as u32);
            self.steps.push(step);
            let next = offset + u64::from(step.length);
            if !self.follow(offset, step, first, later) {
                return;
            }
            offset = next;
        }
        // On into a part of another kind.
        if offset >= end {
            self.lead(offset, first);
        }
    }

    /// Makes leaders of what a step goes to. True if the next instruction is to be read at once.
    fn follow(&mut self, offset: u64, step: Step, first: &mut Vec<u64>, later: &mut Vec<u64>) -> bool {
        if let Effect::Load { address, bytes, .. } = step.effect {
            self.note_literal(offset, address, bytes);
        }
        match step.flow {
            Flow::Jump(address) | Flow::Branch(address) => {
                if let Target::Inside(target) = self.target(offset, address) {
                    self.lead(target, first);
                }
                step.condition.is_some() || matches!(step.flow, Flow::Branch(_))
            }
            Flow::JumpTable { base: Base::Address(address), entry } => {
                if let Some(place) = self.places.near(self.section, address) {
                    self.read_table(place, entry, first);
                }
                step.condition.is_some()
            }
            Flow::Call(_) | Flow::CallRegister(_) | Flow::System => {
                if let Flow::Call(address) = step.flow
                    && let Target::Inside(target) = self.target(offset, address)
                {
                    self.lead(target, first);
                }
                self.lead(offset + u64::from(step.length), later);
                false
            }
            Flow::Next => true,
            Flow::JumpRegister { .. }
            | Flow::JumpTable { .. }
            | Flow::JumpInside
            | Flow::Return { .. }
            | Flow::Stop => step.condition.is_some(),
        }
    }

    /// Bytes that are loaded are no instructions, unless the file says that they are.
    fn note_literal(&mut self, offset: u64, address: u32, bytes: u32) {
        let Target::Inside(target) = self.target(offset, address) else { return };
        for at in (target..target.saturating_add(u64::from(bytes))).step_by(1 << self.shift) {
            let uncertain = self.part_of(at).is_some_and(|part| !part.certain);
            if let Some(slot) = self.slot(at).filter(|_| uncertain)
                && self.slots[slot] == Slot::Unread
            {
                self.slots[slot] = Slot::Not;
            }
        }
    }

    /// A table that was read.
    pub fn table(&self, place: Place, entry: Entry) -> Option<&Table> {
        self.tables.get(&(place, entry))
    }

    /// Reads tables, and the instructions that they go to.
    pub fn discover_tables(&mut self, decoder: &mut impl Decoder<'data>, tables: &[(Place, Entry)]) {
        let mut starts = Vec::new();
        for &(place, entry) in tables {
            self.read_table(place, entry, &mut starts);
        }
        self.discover(decoder, &starts);
    }

    fn read_table(&mut self, place: Place, entry: Entry, first: &mut Vec<u64>) {
        if self.tables.contains_key(&(place, entry)) {
            return;
        }
        let table = self.parse_table(place, entry);
        self.entries_left = self.entries_left.saturating_sub(table.targets.len());
        for &target in &table.targets {
            self.lead(target, first);
        }
        self.tables.insert((place, entry), table);
    }

    /// The table ends where something else begins: at an entry that goes elsewhere, at the lowest of the places behind
    /// it that it goes to, and where the file says that data ends.
    fn parse_table(&self, place: Place, entry: Entry) -> Table {
        let section = self.places.section(place.section);
        let own = place.section == self.section;
        let mut end = match self.part_of(place.offset).filter(|_| own) {
            Some(part) if part.certain && part.thumb.is_none() => part.end,
            Some(_) => self.parts.last().map_or(0, |part| part.end),
            None => section.size,
        };
        let bytes = u64::from(entry.bytes());
        let mut targets = Vec::new();
        let mut at = place.offset;
        while at.saturating_add(bytes) <= end && targets.len() < self.entries_left {
            let target = self.table_entry(Place { offset: at, ..place }, entry);
            // An entry that goes into the table is fill behind it.
            let outside = |target: &u64| !own || !(place.offset..at + bytes).contains(target);
            let Some(target) = target.filter(|target| self.slot(*target).is_some()).filter(outside) else { break };
            if own && target > at {
                end = end.min(target);
            }
            targets.push(target);
            at += bytes;
        }
        targets.sort_unstable();
        targets.dedup();
        Table { targets, bytes: at - place.offset }
    }

    fn table_entry(&self, place: Place, entry: Entry) -> Option<u64> {
        let destination = match entry {
            Entry::Byte(origin) | Entry::Half(origin) => {
                let halves = self.places.bytes_at(place, entry.bytes())?;
                Destination::Place(self.places.near(self.section, origin.wrapping_add(2 * halves))?)
            }
            Entry::Word => Destination::Place(self.places.word(place).place(self.places)?),
        };
        match self.sorted(destination) {
            Target::Inside(offset) => Some(offset),
            Target::Out(_) => None,
        }
    }
}
