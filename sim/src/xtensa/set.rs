//! Registers and state as a set.

use isa::xtensa::{Class, Reg, Registers, States, register_name};

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

/// What is followed: not what the surroundings always define, nor the flags and modes of floating point.
pub(crate) const fn followed(set: Set) -> Set {
    const OTHERS: States = States::WINDOW
        .with(States::SYSTEM)
        .with(States::USER)
        .with(States::FLOAT_MODE)
        .with(States::FLOAT_FLAGS)
        .with(States::GPIO);
    set & !states(OTHERS)
}

/// Names of state that is followed.
const STATE_NAMES: [(States, &str); 10] = [
    (States::SAR, "SAR"),
    (States::LOOP, "LBEG, LEND or LCOUNT"),
    (States::ACC, "ACC"),
    (States::SCOMPARE, "SCOMPARE1"),
    (States::ACCX, "ACCX"),
    (States::QACC_L, "QACC_L"),
    (States::QACC_H, "QACC_H"),
    (States::SAR_BYTE, "SAR_BYTE"),
    (States::UA_STATE, "UA_STATE"),
    (States::FFT_BIT_WIDTH, "FFT_BIT_WIDTH"),
];

/// Names of the members of a set, as instructions write them.
pub(crate) fn names(set: Set) -> impl Iterator<Item = String> {
    let registers =
        [Class::Core, Class::Float, Class::Bool, Class::Mac, Class::Vector].into_iter().flat_map(move |class| {
            let named = (0..16).map(Reg).filter(move |&index| set & register(class, index) != 0);
            named.map(move |index| register_name(class, index))
        });
    let named = STATE_NAMES.iter().filter(move |(state, _)| set & states(*state) != 0);
    registers.chain(named.map(|(_, name)| (*name).to_owned()))
}
