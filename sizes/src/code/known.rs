//! What is known of registers while a function runs.

use super::Outside;
use super::places::{Destination, Places};
use super::step::{Convention, Effect, Formula, REGISTERS, Register, Set};
use crate::image::Place;

/// What is known of the value in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing.
    Unknown,
    /// The address that the function returns to.
    ReturnAddress,
    /// sp at the entry plus this.
    Stack(i32),
    /// A number.
    Number(u32),
    /// The address of a place.
    Place(Place),
    /// An address outside of the file.
    Outside(Outside),
}

impl Known {
    /// The place that it is the address of.
    pub fn place(self, places: &Places<'_, '_>) -> Option<Place> {
        match self {
            Known::Place(place) => Some(place),
            Known::Number(number) => places.numbered(number),
            _ => None,
        }
    }

    /// Where a jump to it goes.
    pub fn destination(self, places: &Places<'_, '_>) -> Option<Destination> {
        match self {
            Known::Place(place) => Some(Destination::Place(place)),
            Known::Number(number) => Some(match places.numbered(number) {
                Some(place) => Destination::Place(place),
                None => Destination::Outside(Outside::Address(number)),
            }),
            Known::Outside(outside) => Some(Destination::Outside(outside)),
            Known::Unknown | Known::ReturnAddress | Known::Stack(_) => None,
        }
    }

    fn plus(self, number: u32) -> Known {
        match self {
            known if number == 0 => known,
            Known::Stack(offset) => Known::Stack(offset.wrapping_add(number as i32)),
            Known::Number(value) => Known::Number(value.wrapping_add(number)),
            Known::Place(place) => {
                Known::Place(Place { offset: place.offset.wrapping_add_signed(i64::from(number as i32)), ..place })
            }
            _ => Known::Unknown,
        }
    }

    fn aligned(self, low_bits: u8) -> Known {
        let mask = 1_u32.checked_shl(u32::from(low_bits)).unwrap_or(0).wrapping_sub(1);
        match self {
            Known::Number(number) => Known::Number(number & !mask),
            Known::Stack(offset) => {
                // sp is a multiple of 8 at the entry (AAPCS32, 6.2.1.2), so that below that it is known what is cleared.
                // Above, the most that may be: the greatest remainder that the offset allows.
                let cleared = (offset as u32 & mask & 7) + (mask & !7);
                Known::Stack(offset.wrapping_sub(cleared as i32))
            }
            _ => Known::Unknown,
        }
    }
}

/// What is known of all registers at a point of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    registers: [Known; REGISTERS],
    /// Where the return address is saved, relative to sp at the entry.
    saved_link: Option<i32>,
}

impl State {
    /// Nothing.
    pub fn unknown() -> State {
        State { registers: [Known::Unknown; REGISTERS], saved_link: None }
    }

    /// As at the entry of a function.
    pub fn at_entry(convention: Convention) -> State {
        let mut state = State::unknown();
        state.set(convention.stack, Known::Stack(0));
        state.set(convention.link, Known::ReturnAddress);
        state
    }

    /// Without what is known of these registers.
    pub fn without(mut self, registers: Set) -> State {
        for register in (0..REGISTERS).filter(|register| registers >> register & 1 == 1) {
            self.registers[register] = Known::Unknown;
        }
        self
    }

    /// As it is at the beginning of what is called.
    pub fn called(&self, convention: Convention) -> State {
        let mut state = self.clone();
        state.set(convention.link, Known::ReturnAddress);
        state
    }

    /// What is known of a register.
    pub fn get(&self, register: Register) -> Known {
        self.registers[usize::from(register) % REGISTERS]
    }

    fn set(&mut self, register: Register, known: Known) {
        self.registers[usize::from(register) % REGISTERS] = known;
    }

    /// sp relative to the entry.
    pub fn stack(&self, convention: Convention) -> Option<i32> {
        match self.get(convention.stack) {
            Known::Stack(offset) => Some(offset),
            _ => None,
        }
    }

    /// Keeps what both know. True if anything was lost.
    pub fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        for (known, other) in self.registers.iter_mut().zip(other.registers) {
            if *known != other {
                *known = Known::Unknown;
            }
        }
        if self.saved_link != other.saved_link {
            self.saved_link = None;
        }
        *self != before
    }

    /// Takes note of an effect. `loaded` is what a load loads, `moved` what the linker fills in.
    pub fn apply(
        &mut self,
        convention: Convention,
        clobbers: Set,
        effect: Effect,
        value: impl FnOnce(&State, Formula) -> Known,
        loaded: impl FnOnce() -> Known,
    ) {
        let stack = self.get(convention.stack);
        let link = self.get(convention.link);
        let result = match effect {
            Effect::Set(register, formula) => Some((register, value(self, formula))),
            Effect::Load { to: Some(register), .. } => Some((register, loaded())),
            _ => None,
        };
        let popped_link = match (effect, stack, self.saved_link) {
            (Effect::Pop { registers, .. }, Known::Stack(offset), Some(saved)) => {
                link_in(registers, saved.wrapping_sub(offset))
            }
            _ => None,
        };
        for register in (0..REGISTERS).filter(|register| clobbers >> register & 1 == 1) {
            self.registers[register] = Known::Unknown;
        }
        match effect {
            Effect::Push { bytes, link_at } => {
                let stack = stack.plus(bytes.wrapping_neg());
                self.set(convention.stack, stack);
                if let (Known::Stack(offset), Some(at), Known::ReturnAddress) = (stack, link_at, link) {
                    self.saved_link = Some(offset.wrapping_add(at as i32));
                }
            }
            Effect::Pop { bytes, .. } => self.set(convention.stack, stack.plus(bytes)),
            _ => {}
        }
        if let Some(register) = popped_link {
            self.set(register, Known::ReturnAddress);
        }
        if let Some((register, known)) = result {
            self.set(register, known);
        }
    }

    /// The value of a formula in code of `section`.
    pub fn value(&self, formula: Formula, section: usize, places: &Places<'_, '_>) -> Known {
        match formula {
            Formula::Number(number) => Known::Number(number),
            Formula::Address(address) => match places.near(section, address) {
                Some(place) => Known::Place(place),
                None => Known::Number(address),
            },
            Formula::Add(register, number, is_pc) => match self.get(register) {
                // A place less the program counter is known as a number only.
                Known::Place(_) | Known::Stack(_) if is_pc => Known::Unknown,
                known => known.plus(number),
            },
            Formula::Sum(left, right) => match (self.get(left), self.get(right)) {
                (known, Known::Number(number)) | (Known::Number(number), known) => known.plus(number),
                _ => Known::Unknown,
            },
            Formula::Difference(left, right) => match (self.get(left), self.get(right)) {
                (known, Known::Number(number)) => known.plus(number.wrapping_neg()),
                (Known::Stack(left), Known::Stack(right)) => Known::Number(left.wrapping_sub(right) as u32),
                _ => Known::Unknown,
            },
            Formula::High(register, high) => match self.get(register) {
                Known::Number(number) => Known::Number(number & 0xffff | u32::from(high) << 16),
                _ => Known::Unknown,
            },
            Formula::Shifted(register, by) => match self.get(register) {
                Known::Number(number) => Known::Number(number.checked_shl(u32::from(by)).unwrap_or(0)),
                _ => Known::Unknown,
            },
            Formula::Aligned(register, low_bits) => self.get(register).aligned(low_bits),
        }
    }
}

/// Which of the registers that are loaded in ascending order gets the word at `at` bytes.
fn link_in(registers: Set, at: i32) -> Option<Register> {
    let rank = usize::try_from(at).ok().filter(|at| at % 4 == 0)? / 4;
    (0..REGISTERS).filter(|register| registers >> register & 1 == 1).nth(rank).map(|register| register as Register)
}
