//! Registers and state as a set.

use isa::xtensa::{Class, Reg, Registers, States};

/// A set: bit i is a(i), then 16 bits each for f, b and [`States`], then m0..m3.
pub(crate) type Set = u128;

const FLOAT: u32 = 16;
const BOOL: u32 = 32;
const STATES: u32 = 48;
const MAC: u32 = 64;

const fn shift(class: Class) -> u32 {
    match class {
        Class::Core => 0,
        Class::Float => FLOAT,
        Class::Bool => BOOL,
        Class::Mac => MAC,
    }
}

/// The set of these registers.
pub(crate) const fn of(registers: &Registers) -> Set {
    registers.core as Set
        | (registers.float as Set) << FLOAT
        | (registers.bools as Set) << BOOL
        | (registers.mac as Set) << MAC
        | states(registers.states)
}

/// The set of this state.
pub(crate) const fn states(states: States) -> Set {
    (states.0 as Set) << STATES
}

/// The set of one register.
pub(crate) const fn register(class: Class, register: Reg) -> Set {
    file(class) & 1 << (shift(class) + register.0 as u32)
}

/// All registers of a file.
pub(crate) const fn file(class: Class) -> Set {
    let count = if matches!(class, Class::Mac) { 4 } else { 16 };
    ((1 << count) - 1) << shift(class)
}
