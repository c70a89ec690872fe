//! State outside the register files that instructions read and set.

use std::ops::{BitOr, BitOrAssign};

/// A set of state registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct States(pub u32);

impl States {
    /// None.
    pub const NONE: States = States(0);
    /// SAR, the shift amount.
    pub const SAR: States = States(1);
    /// LBEG, LEND and LCOUNT.
    pub const LOOP: States = States(1 << 1);
    /// The 40-bit accumulator of MAC16, ACCLO and ACCHI.
    pub const ACC: States = States(1 << 2);
    /// SCOMPARE1.
    pub const SCOMPARE: States = States(1 << 3);
    /// WINDOWBASE, WINDOWSTART and PS.CALLINC.
    pub const WINDOW: States = States(1 << 4);
    /// FCR: rounding mode.
    pub const FLOAT_MODE: States = States(1 << 5);
    /// FSR: flags that stay set.
    pub const FLOAT_FLAGS: States = States(1 << 6);
    /// THREADPTR and the other user registers.
    pub const USER: States = States(1 << 7);
    /// PS, exceptions, interrupts, timers, debugging, memory protection.
    pub const SYSTEM: States = States(1 << 8);

    /// ACCX, the 40-bit accumulator of the vector extension.
    pub const ACCX: States = States(1 << 9);
    /// QACC_L, the accumulators of the lower lanes.
    pub const QACC_L: States = States(1 << 10);
    /// QACC_H, the accumulators of the upper lanes.
    pub const QACC_H: States = States(1 << 11);
    /// QACC_L and QACC_H.
    pub const QACC: States = States::QACC_L.with(States::QACC_H);
    /// SAR_BYTE, by how many bytes unaligned data are shifted.
    pub const SAR_BYTE: States = States(1 << 12);
    /// UA_STATE, what is left of unaligned data.
    pub const UA_STATE: States = States(1 << 13);
    /// FFT_BIT_WIDTH.
    pub const FFT_BIT_WIDTH: States = States(1 << 14);
    /// GPIO_OUT, and the pins that are read.
    pub const GPIO: States = States(1 << 15);

    /// What consists of several words, of which WSR and WUR write one and leave the others as they were.
    pub const COMPOUND: States = States::LOOP
        .with(States::ACC)
        .with(States::WINDOW)
        .with(States::USER)
        .with(States::SYSTEM)
        .with(States::ACCX)
        .with(States::QACC)
        .with(States::UA_STATE);

    /// Both sets.
    pub const fn with(self, other: States) -> States {
        States(self.0 | other.0)
    }

    /// What is in both.
    pub const fn common(self, other: States) -> States {
        States(self.0 & other.0)
    }

    /// True if they have a member in common.
    pub const fn meets(self, other: States) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for States {
    type Output = States;

    fn bitor(self, other: States) -> States {
        self.with(other)
    }
}

impl BitOrAssign for States {
    fn bitor_assign(&mut self, other: States) {
        *self = *self | other;
    }
}

/// State that a row reads and sets, beyond that of the special or user register that it names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StateUse {
    /// Read.
    pub reads: States,
    /// Set.
    pub sets: States,
}

impl StateUse {
    /// Neither reads nor sets any.
    pub const KEEP: StateUse = StateUse { reads: States::NONE, sets: States::NONE };
    /// Shifts by SAR.
    pub const BY_SAR: StateUse = StateUse { reads: States::SAR, sets: States::NONE };
    /// Sets SAR.
    pub const SET_SAR: StateUse = StateUse { reads: States::NONE, sets: States::SAR };
    /// Sets up a loop.
    pub const SET_LOOP: StateUse = StateUse { reads: States::NONE, sets: States::LOOP };
    /// A new product in the accumulator.
    pub const PRODUCT: StateUse = StateUse { reads: States::NONE, sets: States::ACC };
    /// A product added to or subtracted from the accumulator.
    pub const SUM: StateUse = StateUse { reads: States::ACC, sets: States::ACC };
    /// Compares memory with SCOMPARE1.
    pub const COMPARE: StateUse = StateUse { reads: States::SCOMPARE, sets: States::NONE };
    /// Says by how much the callee's ENTRY rotates the window.
    pub const CALL_WINDOW: StateUse = StateUse { reads: States::NONE, sets: States::WINDOW };
    /// Rotates the window, or looks at which windows are live.
    pub const WINDOW: StateUse = StateUse { reads: States::WINDOW, sets: States::WINDOW };
    /// Floating-point arithmetic: rounds, and adds to the flags.
    pub const ROUND: StateUse =
        StateUse { reads: States::FLOAT_MODE.with(States::FLOAT_FLAGS), sets: States::FLOAT_FLAGS };
    /// Floating-point comparison, and conversion with a rounding of its own: adds to the flags.
    pub const FLAG: StateUse = StateUse { reads: States::FLOAT_FLAGS, sets: States::FLOAT_FLAGS };
    /// Reads and sets system state.
    pub const SYSTEM: StateUse = StateUse { reads: States::SYSTEM, sets: States::SYSTEM };
    /// The same, and rotates the window.
    pub const SYSTEM_WINDOW: StateUse =
        StateUse { reads: States::SYSTEM.with(States::WINDOW), sets: States::SYSTEM.with(States::WINDOW) };
}

const fn reads(states: States) -> StateUse {
    StateUse { reads: states, sets: States::NONE }
}

const fn sets(states: States) -> StateUse {
    StateUse { reads: States::NONE, sets: states }
}

const fn changes(states: States) -> StateUse {
    StateUse { reads: states, sets: states }
}

/// Changes one and reads SAR_BYTE.
const fn changes_and_funnels(states: States) -> StateUse {
    StateUse { reads: states.with(States::SAR_BYTE), sets: states }
}

/// Those of the vector extension.
impl StateUse {
    /// Reads ACCX.
    pub const GET_ACCX: StateUse = reads(States::ACCX);
    /// Sets ACCX.
    pub const SET_ACCX: StateUse = sets(States::ACCX);
    /// Adds to ACCX, or shifts it.
    pub const SUM_ACCX: StateUse = changes(States::ACCX);
    /// The same, and moves unaligned data by SAR_BYTE.
    pub const SUM_ACCX_FUNNEL: StateUse = changes_and_funnels(States::ACCX);
    /// Sets all of QACC.
    pub const SET_QACC: StateUse = sets(States::QACC);
    /// Adds to QACC, or shifts it.
    pub const SUM_QACC: StateUse = changes(States::QACC);
    /// The same, and moves unaligned data by SAR_BYTE.
    pub const SUM_QACC_FUNNEL: StateUse = changes_and_funnels(States::QACC);
    /// Reads QACC_L.
    pub const GET_QACC_L: StateUse = reads(States::QACC_L);
    /// Reads QACC_H.
    pub const GET_QACC_H: StateUse = reads(States::QACC_H);
    /// Sets a part of QACC_L.
    pub const PART_QACC_L: StateUse = changes(States::QACC_L);
    /// Sets a part of QACC_H.
    pub const PART_QACC_H: StateUse = changes(States::QACC_H);
    /// Sets SAR_BYTE.
    pub const SET_SAR_BYTE: StateUse = sets(States::SAR_BYTE);
    /// Moves unaligned data by SAR_BYTE.
    pub const FUNNEL: StateUse = reads(States::SAR_BYTE);
    /// Reads UA_STATE.
    pub const GET_UA_STATE: StateUse = reads(States::UA_STATE);
    /// Sets UA_STATE.
    pub const SET_UA_STATE: StateUse = sets(States::UA_STATE);
    /// Shifts by SAR, moves unaligned data by SAR_BYTE, and keeps the rest of it in UA_STATE.
    pub const UNALIGNED: StateUse =
        StateUse { reads: States::SAR.with(States::SAR_BYTE).with(States::UA_STATE), sets: States::UA_STATE };
    /// Reverses as many bits as FFT_BIT_WIDTH says.
    pub const BIT_WIDTH: StateUse = reads(States::FFT_BIT_WIDTH);
    /// Reads pins.
    pub const PINS: StateUse = reads(States::GPIO);
    /// Changes pins.
    pub const SET_PINS: StateUse = changes(States::GPIO);
}
