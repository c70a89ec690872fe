//! What symbols claim.

use super::fill::trailing_fill;
use super::references::{Usage, is_data, is_unwind_table};
use crate::code::Function;
use crate::image::{Content, Image, Kind, Place, Section};
use crate::names;
use crate::range_map::RangeMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// A symbol, as the owner of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Owner {
    /// Index in [`Image::sections`] of the section that the symbol is in.
    pub section: usize,
    /// Index in that section's symbols.
    pub symbol: usize,
}

/// Who owns which bytes: a map for each section.
#[derive(Debug)]
pub(crate) struct Claims {
    maps: Vec<RangeMap<Owner>>,
    /// Data behind code whose symbols state no size, in the section of the code: its function's, unless another uses it.
    behind: Vec<(Range<u64>, Owner)>,
}

impl Claims {
    /// What the symbols of an image claim.
    pub fn of_symbols(image: &Image<'_>) -> Claims {
        let mut behind = Vec::new();
        let claim = |(index, section): (usize, &Section<'_>)| {
            let mut map = RangeMap::new(section.size);
            let fill = image.machine.fill();
            let mut sections = Symbols { index, section, fill, map: &mut map, behind: &mut behind };
            sections.claim_sized();
            // Start-up code marks the ends of unwinding tables with symbols without a size.
            if !is_unwind_table(section) {
                sections.claim_unsized();
                sections.claim_from_local_labels();
            }
            map
        };
        let maps = image.sections.iter().enumerate().map(claim).collect();
        Claims { maps, behind }
    }

    /// Data behind a function without a size that nobody refers to is the function's.
    pub fn claim_behind(&mut self, usage: &Usage) {
        for (range, owner) in std::mem::take(&mut self.behind) {
            if !usage.is_used(owner.section, range.clone()) {
                self.claim(owner.section, range, owner);
            }
        }
    }

    /// Gives those bytes of `range` in a section that have no owner to `owner`.
    pub fn claim(&mut self, section: usize, range: Range<u64>, owner: Owner) {
        self.maps[section].claim(range, owner);
    }

    /// The map of a section.
    pub fn map(&self, section: usize) -> &RangeMap<Owner> {
        &self.maps[section]
    }

    /// The functions: code of executable sections that symbols own. Owners in the order of the functions.
    pub fn functions(&self, image: &Image<'_>) -> (Vec<Owner>, Vec<Function>) {
        let mut found = BTreeMap::new();
        for (index, section) in image.sections.iter().enumerate().filter(|(_, section)| section.executable) {
            for (range, owner) in self.maps[index].claims() {
                let symbol = &section.symbols[owner.symbol];
                if symbol.kind == Kind::Data || section.bytes.is_empty() {
                    continue;
                }
                let function: &mut Function = found.entry(owner).or_insert_with(|| Function {
                    name: names::demangled(&symbol.name),
                    entry: Place { section: index, offset: symbol.offset },
                    also_entered_at: Vec::new(),
                    thumb: symbol.thumb,
                    ranges: Vec::new(),
                });
                match function.ranges.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => function.ranges.push(range),
                }
            }
            for symbol in section.symbols.iter().filter(|symbol| symbol.kind <= Kind::Label) {
                let owner = self.maps[index].owner_of(symbol.offset);
                let Some(function) = owner.and_then(|owner| found.get_mut(&owner)) else { continue };
                if symbol.offset != function.entry.offset {
                    function.also_entered_at.push(symbol.offset);
                }
            }
        }
        for function in found.values_mut() {
            function.also_entered_at.sort_unstable();
            function.also_entered_at.dedup();
        }
        found.into_iter().unzip()
    }
}

/// The symbols of one section while they claim.
struct Symbols<'a> {
    index: usize,
    section: &'a Section<'a>,
    fill: &'static [&'static [u8]],
    map: &'a mut RangeMap<Owner>,
    behind: &'a mut Vec<(Range<u64>, Owner)>,
}

impl Symbols<'_> {
    fn owner(&self, symbol: usize) -> Owner {
        Owner { section: self.index, symbol }
    }

    /// Symbols that state their size come first. Of several that begin at one place the longest is preferred, then
    /// functions, then global ones; an alias gets nothing, so that its bytes are counted once.
    fn claim_sized(&mut self) {
        let symbols = &self.section.symbols;
        let mut order: Vec<usize> = (0..symbols.len()).filter(|&i| symbols[i].size > 0).collect();
        order.sort_by_key(|&i| {
            let symbol = &symbols[i];
            (symbol.offset, Reverse(symbol.size), symbol.kind, symbol.binding, &symbol.name)
        });
        for i in order {
            let symbol = &symbols[i];
            self.map.claim(symbol.offset..symbol.offset.saturating_add(symbol.size), self.owner(i));
        }
    }

    /// Symbols without a size reach to the next symbol or the end of the section. Code does so without the alignment
    /// fill before it; in data, zeros may well be data.
    fn claim_unsized(&mut self) {
        let symbols = &self.section.symbols;
        let is_start = |i: &usize| symbols[*i].size == 0 && symbols[*i].kind != Kind::LocalLabel;
        let mut order: Vec<usize> =
            (0..symbols.len()).filter(is_start).filter(|&i| !self.map.is_claimed(symbols[i].offset)).collect();
        order.sort_by_key(|&i| (symbols[i].offset, symbols[i].kind, symbols[i].binding, &symbols[i].name));
        order.dedup_by_key(|&mut i| symbols[i].offset);
        for (n, &i) in order.iter().enumerate() {
            let start = symbols[i].offset;
            let next = order.get(n + 1).map_or(self.section.size, |&next| symbols[next].offset);
            let end = next.min(self.map.next_claim(start));
            let data = is_data(self.section, symbols[i].kind);
            let fill = if data { 0 } else { trailing_fill(self.section, self.fill, start..end) };
            for (part, content) in self.section.contents(start..end - fill) {
                match content {
                    Some(Content::Data) if !data => self.behind.push((part, self.owner(i))),
                    _ => self.map.claim(part, self.owner(i)),
                }
            }
        }
    }

    /// Code that no other symbol claims belongs to the first local label in it: start-up code in assembly often has
    /// nothing else.
    fn claim_from_local_labels(&mut self) {
        let symbols = &self.section.symbols;
        let mut order: Vec<usize> = (0..symbols.len()).filter(|&i| symbols[i].kind == Kind::LocalLabel).collect();
        order.sort_by_key(|&i| (symbols[i].offset, &symbols[i].name));
        for i in order {
            let start = symbols[i].offset;
            if self.map.is_claimed(start) || self.section.content(start) == Some(Content::Data) {
                continue;
            }
            let end = self.map.next_claim(start);
            let fill = trailing_fill(self.section, self.fill, start..end);
            self.map.claim(start..end - fill, self.owner(i));
        }
    }
}
