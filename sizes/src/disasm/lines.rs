//! The lines of a listing.

use super::Lister;
use super::items::{Item, What};
use crate::code::known::Known;
use crate::code::places::Destination;
use crate::code::{Function, name_of};
use crate::image::{Image, Kind, Machine, Place, Target};
use crate::names;
use std::collections::{BTreeMap, BTreeSet};

/// Where comments begin if the instruction is shorter.
const TEXT_CHARS: usize = 32;
/// As many as two halfwords take.
const BYTES_CHARS: usize = 9;

/// Symbols by place.
pub struct Symbols<'a> {
    image: &'a Image<'a>,
    /// Of each section the best symbol at each offset that has any.
    at: Vec<BTreeMap<u64, usize>>,
}

impl<'a> Symbols<'a> {
    /// Collects the symbols.
    pub fn new(image: &'a Image<'_>) -> Symbols<'a> {
        let of = |section: &crate::image::Section<'_>| {
            let mut at: BTreeMap<u64, usize> = BTreeMap::new();
            for (index, symbol) in section.symbols.iter().enumerate().filter(|(_, s)| s.kind != Kind::LocalLabel) {
                let rank = |index: usize| (section.symbols[index].kind, section.symbols[index].binding);
                let best = at.entry(symbol.offset).or_insert(index);
                if rank(index) < rank(*best) {
                    *best = index;
                }
            }
            at
        };
        Symbols { image, at: image.sections.iter().map(of).collect() }
    }

    /// `symbol` or `symbol+0x4`; `None` if the place is in no symbol.
    fn named(&self, place: Place) -> Option<String> {
        let section = &self.image.sections[place.section];
        let (start, index) = self.at[place.section].range(..=place.offset).next_back()?;
        let symbol = &section.symbols[*index];
        let distance = place.offset - start;
        let name = names::demangled(&symbol.name);
        match distance {
            0 => Some(name),
            _ if symbol.size == 0 || distance < symbol.size => Some(format!("{name}+{distance:#x}")),
            _ => None,
        }
    }

    /// As `named`, else by section or address.
    fn name(&self, place: Place) -> String {
        let section = &self.image.sections[place.section];
        self.named(place).unwrap_or_else(|| match self.image.relocatable {
            true => format!("{}+{:#x}", section.name, place.offset),
            false => format!("{:#x}", section.address.wrapping_add(place.offset)),
        })
    }

    /// The symbol that a number is the address of: exactly, or anywhere in data. In code many numbers are addresses by
    /// chance.
    fn pointed_to(&self, place: Place) -> Option<String> {
        let exact = self.at[place.section].contains_key(&place.offset);
        let data = !self.image.sections[place.section].executable;
        if exact || data { self.named(place) } else { None }
    }
}

/// A heading, and a line for each item, with labels where the function branches to.
pub fn lines(lister: &Lister<'_, '_>, function: &Function, items: &[Item]) -> Vec<String> {
    let writer = Writer { lister, function, labels: BTreeMap::new() };
    let targets: BTreeSet<u64> = items.iter().filter_map(|item| writer.inside(writer.target(item)?)).collect();
    let labels = targets.into_iter().zip(0..).map(|(offset, number): (u64, usize)| (offset, format!("L{number}")));
    let writer = Writer { labels: labels.collect(), ..writer };
    let cycles = items.iter().any(|item| item.cycles.is_some());
    let mut lines = Vec::new();
    for item in items {
        if let Some(label) = writer.labels.get(&item.offset) {
            lines.push(format!("{label}:"));
        }
        lines.push(writer.line(item, cycles));
    }
    lines
}

struct Writer<'w, 'a, 'data> {
    lister: &'w Lister<'a, 'data>,
    function: &'w Function,
    /// Labels by offset.
    labels: BTreeMap<u64, String>,
}

impl Writer<'_, '_, '_> {
    fn place(&self, item: &Item) -> Place {
        item.place(self.function.entry.section)
    }

    fn address(&self, item: &Item) -> u64 {
        self.lister.address(self.place(item))
    }

    /// Where a branch or call goes.
    fn target(&self, item: &Item) -> Option<Destination> {
        let target = item.refers(self.address(item) as u32).target?;
        Some(self.lister.places.destination(self.place(item), target))
    }

    /// The offset of a destination in this function.
    fn inside(&self, destination: Destination) -> Option<u64> {
        let Destination::Place(place) = destination else { return None };
        let holds = self.function.ranges.iter().any(|range| range.contains(&place.offset));
        (place.section == self.function.entry.section && holds).then_some(place.offset)
    }

    fn line(&self, item: &Item, with_cycles: bool) -> String {
        let (text, comment) = self.text(item);
        let cycles = match item.cycles {
            Some((passed, Some(taken))) => format!("{passed}/{taken}"),
            Some((passed, None)) => passed.to_string(),
            None => String::new(),
        };
        let column = if with_cycles { format!("{cycles:>5}  ") } else { String::new() };
        let comment = if comment.is_empty() { comment } else { format!("; {comment}") };
        let line = format!(
            "{:08x}  {:<BYTES_CHARS$}  {column}{text:<TEXT_CHARS$}  {comment}",
            self.address(item),
            self.bytes(item)
        );
        line.trim_end().to_owned()
    }

    /// The bytes, as numbers of the size in which they are read.
    fn bytes(&self, item: &Item) -> String {
        let section = &self.lister.image.sections[self.function.entry.section];
        let range = item.offset as usize..(item.offset + item.length) as usize;
        let bytes = section.bytes.get(range).unwrap_or(&[]);
        let little = match (self.lister.image.machine, &item.what) {
            (Machine::Arm { little_endian_code, .. }, What::Thumb(_) | What::Other(..)) => little_endian_code,
            _ => self.lister.image.little_endian,
        };
        let size = match item.what {
            What::Thumb(_) | What::Other(_, true) => 2,
            _ => bytes.len().max(1),
        };
        let number = |bytes: &[u8]| -> String {
            let hex = |byte: &u8| format!("{byte:02x}");
            if little { bytes.iter().rev().map(hex).collect() } else { bytes.iter().map(hex).collect() }
        };
        bytes.chunks(size).map(number).collect::<Vec<_>>().join(" ")
    }

    /// Instruction and comment.
    fn text(&self, item: &Item) -> (String, String) {
        let target = self.target(item);
        let name = target.map(|target| match (self.inside(target), target) {
            (Some(offset), _) => self.labels.get(&offset).cloned().unwrap_or_default(),
            (None, Destination::Place(place)) => self.lister.labels.name(place),
            (None, Destination::Outside(outside)) => name_of(self.lister.image, outside),
        });
        let comment = if target.is_some() { String::new() } else { self.comment(item) };
        match &item.what {
            What::Thumb(inst) => (inst.text(name.as_deref()), comment),
            What::Xtensa(inst) => {
                let literal = item.refers(self.address(item) as u32).literal.map(|address| format!("{address:#x}"));
                (inst.text(name.or(literal).as_deref()), comment)
            }
            What::Other(text, _) => (text.clone(), name.unwrap_or(comment)),
            What::Data => (self.data(item), self.known(self.lister.places.word(self.place(item)), item.length == 4)),
        }
    }

    fn data(&self, item: &Item) -> String {
        let directive = match item.length {
            1 => ".byte",
            2 => ".short",
            _ => ".word",
        };
        format!("{directive} 0x{}", self.bytes(item))
    }

    /// What an instruction loads or has the address of, and what the linker puts into it.
    fn comment(&self, item: &Item) -> String {
        let refers = item.refers(self.address(item) as u32);
        if let Some(address) = refers.literal {
            let Destination::Place(place) = self.lister.places.destination(self.place(item), address) else {
                return format!("{address:#x}");
            };
            let word = self.lister.places.bytes_at(place, 4).filter(|_| refers.loads);
            let Some(word) = word else { return self.lister.labels.name(place) };
            let known = self.lister.places.word(place);
            return match known {
                // The linker has still to fill it in.
                Known::Place(_) | Known::Outside(_) => format!("= {}", self.known(known, true)),
                _ => format!("= {word:#x} {}", self.known(known, true)),
            };
        }
        let section = &self.lister.image.sections[self.function.entry.section];
        let relocation = section.relocation_in(item.offset..item.offset + item.length);
        relocation.map_or(String::new(), |relocation| {
            let target = match &relocation.target {
                Target::Place { place, .. } => self.lister.labels.name(*place),
                Target::External(name) => names::demangled(name),
                Target::Nothing => "an absolute address".to_owned(),
            };
            format!("relocation {} of {target}", relocation.kind)
        })
    }

    /// The value of a word in words.
    fn known(&self, known: Known, is_word: bool) -> String {
        match known {
            _ if !is_word => String::new(),
            Known::Place(place) => self.lister.labels.name(place),
            Known::Outside(outside) => name_of(self.lister.image, outside),
            Known::Number(number) => {
                let place = self.lister.places.numbered(number);
                place.and_then(|place| self.lister.labels.pointed_to(place)).unwrap_or_default()
            }
            _ => String::new(),
        }
    }
}
