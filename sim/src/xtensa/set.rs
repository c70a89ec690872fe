//! Registers and state as a set.

use isa::xtensa::{Class, Reg, Registers, States};

/// A set: bit i is a(i), then 16 bits each for f and b, 32 for [`States`], then m0..m3 and q0..q7.
pub(crate) type Set = u128;

const FLOAT: u32 = 16;
const BOOL: u32 = 32;
const STATES: u32 = 48;
const MAC: u32 = 80;
const VECTOR: u32 = 84;

const fn shift(class: Class) -> u32 {
    match class {
        Class::Core => 0,
        Class::Float => FLOAT,
        Class::Bool => BOOL,
        Class::Mac => MAC,
        Class::Vector => VECTOR,
    }
}

/// The set of these registers.
pub(crate) const fn of(registers: &Registers) -> Set {
    registers.core as Set
        | (registers.float as Set) << FLOAT
        | (registers.bools as Set) << BOOL
        | (registers.mac as Set) << MAC
        | (registers.vector as Set) << VECTOR
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
    let count = match class {
        Class::Core | Class::Float | Class::Bool => 16,
        Class::Mac => 4,
        Class::Vector => 8,
    };
    ((1 << count) - 1) << shift(class)
}
