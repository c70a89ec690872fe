//! Which place an address is, and what the linker will put where.

use super::known::Known;
use super::{Function, Outside};
use crate::image::{Image, Machine, Place, Relocation, Section, Target};

/// What a relocation fills in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// The distance to a place in a branch, a call, or a load of a literal.
    Distance,
    /// A word that is an address.
    Word,
    /// A word from which an address follows by adding another.
    RelativeWord,
    /// Half of an address in an instruction that moves a constant.
    Move,
}

/// The relocations that are understood (AAELF32, 5.6.1; binutils' `include/elf/xtensa.h`).
fn use_of(machine: Machine, kind: u32) -> Option<Use> {
    match (machine, kind) {
        // PC24, THM_CALL, PLT32, CALL, JUMP24, THM_JUMP24, THM_JUMP19, THM_JUMP6, THM_JUMP11, THM_JUMP8.
        (Machine::Arm { .. }, 1 | 10 | 27..=30 | 51 | 52 | 102 | 103) => Some(Use::Distance),
        // ABS32, TARGET1.
        (Machine::Arm { .. }, 2 | 38) => Some(Use::Word),
        // REL32, GOT_BREL, GOT_PREL.
        (Machine::Arm { .. }, 3 | 26 | 96) => Some(Use::RelativeWord),
        // MOVW_ABS_NC, MOVT_ABS, and the same of Thumb.
        (Machine::Arm { .. }, 43 | 44 | 47 | 48) => Some(Use::Move),
        // 32; SLOT0_OP.
        (Machine::Xtensa, 1) => Some(Use::Word),
        (Machine::Xtensa, 20) => Some(Use::Distance),
        _ => None,
    }
}

/// Where a branch goes or what a word stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Destination {
    /// In this file.
    Place(Place),
    /// Not in this file.
    Outside(Outside),
}

/// The sections and functions of an image, by place.
pub struct Places<'a, 'data> {
    pub image: &'a Image<'data>,
    /// Section, first byte, end and index of the functions' ranges, in ascending order.
    ranges: Vec<(usize, u64, u64, usize)>,
}

impl<'a, 'data> Places<'a, 'data> {
    pub fn new(image: &'a Image<'data>, functions: &[Function]) -> Self {
        let of = |(index, function): (usize, &Function)| {
            let section = function.entry.section;
            function.ranges.iter().map(move |range| (section, range.start, range.end, index)).collect::<Vec<_>>()
        };
        let mut ranges: Vec<_> = functions.iter().enumerate().flat_map(of).collect();
        ranges.sort_unstable();
        Places { image, ranges }
    }

    pub fn section(&self, index: usize) -> &'a Section<'data> {
        &self.image.sections[index]
    }

    /// The function whose bytes include a place.
    pub fn function_at(&self, place: Place) -> Option<usize> {
        let after =
            self.ranges.partition_point(|(section, start, ..)| (*section, *start) <= (place.section, place.offset));
        let (section, _, end, index) = *self.ranges.get(after.checked_sub(1)?)?;
        (section == place.section && place.offset < end).then_some(index)
    }

    /// The place of an address that code in `section` computes from its own.
    pub fn near(&self, section: usize, address: u32) -> Option<Place> {
        let home = self.section(section);
        let offset = u64::from(address.wrapping_sub(home.address as u32));
        if offset < home.size { Some(Place { section, offset }) } else { self.image.place_of(u64::from(address)) }
    }

    /// The place with this number as its address, or as its address with a Thumb bit.
    pub fn numbered(&self, number: u32) -> Option<Place> {
        self.image.place_of(u64::from(number)).map(|place| self.without_thumb_bit(place))
    }

    fn without_thumb_bit(&self, place: Place) -> Place {
        let has = matches!(self.image.machine, Machine::Arm { .. }) && self.section(place.section).executable;
        Place { offset: place.offset & !u64::from(has), ..place }
    }

    /// Where the instruction at `place` goes, or loads from, if its bytes say `address`.
    pub fn destination(&self, place: Place, address: u32) -> Destination {
        let found = self.relocation(place, |found| found == Use::Distance);
        let Some((index, relocation)) = found else {
            return match self.near(place.section, address) {
                Some(place) => Destination::Place(place),
                None => Destination::Outside(Outside::Address(address)),
            };
        };
        let here = self.section(place.section).address.wrapping_add(place.offset) as u32;
        let distance = match relocation.implicit_addend {
            true => i64::from(address.wrapping_sub(here) as i32),
            // On ARM it makes up for the program counter that is ahead; such files are Thumb's, if there are any.
            false if matches!(self.image.machine, Machine::Arm { .. }) => relocation.addend.wrapping_add(4),
            false => relocation.addend,
        };
        self.target(place.section, index, relocation, distance)
    }

    /// The address that a move instruction at `place` gets from the linker; its bytes say `half`.
    pub fn moved(&self, place: Place, half: u16) -> Option<Known> {
        let (index, relocation) = self.relocation(place, |found| found == Use::Move)?;
        Some(self.known(place.section, index, relocation, i64::from(half as i16)))
    }

    /// What the word at `place` holds.
    pub fn word(&self, place: Place) -> Known {
        let section = self.section(place.section);
        let Some(word) = self.bytes_at(place, 4) else { return Known::Unknown };
        // Code that is copied to RAM has its literals with it.
        if section.writable && !section.executable {
            return Known::Unknown;
        }
        match self.relocation(place, |found| found != Use::Move) {
            Some((index, relocation)) => self.known(place.section, index, relocation, i64::from(word as i32)),
            None => Known::Number(word),
        }
    }

    /// What a word that is only added to another tells: which place it is about.
    pub fn relative_word(&self, place: Place) -> Option<Place> {
        let (_, relocation) = self.relocation(place, |found| found == Use::RelativeWord)?;
        match relocation.target {
            Target::Place { place, whole_section: false } => Some(place),
            _ => None,
        }
    }

    /// The value of one, two or four bytes.
    pub fn bytes_at(&self, place: Place, count: u32) -> Option<u32> {
        let start = usize::try_from(place.offset).ok()?;
        let bytes = self.section(place.section).bytes.get(start..start.checked_add(count as usize)?)?;
        let value = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        Some(match self.image.little_endian {
            true => bytes.iter().rev().fold(0, value),
            false => bytes.iter().fold(0, value),
        })
    }

    fn relocation(&self, place: Place, wanted: impl Fn(Use) -> bool) -> Option<(usize, &'a Relocation)> {
        let all = &self.section(place.section).relocations;
        let first = all.partition_point(|relocation| relocation.offset < place.offset);
        let here = all.iter().enumerate().skip(first).take_while(|(_, relocation)| relocation.offset == place.offset);
        let mut wanted =
            here.filter(|(_, relocation)| use_of(self.image.machine, relocation.kind).is_some_and(&wanted));
        wanted.next()
    }

    fn known(&self, section: usize, index: usize, relocation: &Relocation, implicit: i64) -> Known {
        if use_of(self.image.machine, relocation.kind) == Some(Use::RelativeWord) {
            return Known::Unknown;
        }
        let addend = if relocation.implicit_addend { implicit } else { relocation.addend };
        match self.target(section, index, relocation, addend) {
            Destination::Place(place) => Known::Place(place),
            Destination::Outside(outside) => Known::Outside(outside),
        }
    }

    fn target(&self, section: usize, index: usize, relocation: &Relocation, addend: i64) -> Destination {
        match relocation.target {
            Target::Place { place, .. } => {
                let offset = place.offset.wrapping_add_signed(addend);
                let inside = offset <= self.section(place.section).size;
                let place = Place { offset: if inside { offset } else { place.offset }, ..place };
                Destination::Place(self.without_thumb_bit(place))
            }
            _ => Destination::Outside(Outside::Symbol { section, relocation: index }),
        }
    }
}
