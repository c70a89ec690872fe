//! State outside the register files that instructions read and set.

use std::ops::{BitOr, BitOrAssign};

/// A set of state registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct States(pub u16);

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

    /// Both sets.
    pub const fn with(self, other: States) -> States {
        States(self.0 | other.0)
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
    /// Floating-point comparison: adds to the flags.
    pub const FLAG: StateUse = StateUse { reads: States::FLOAT_FLAGS, sets: States::FLOAT_FLAGS };
    /// Reads and sets system state.
    pub const SYSTEM: StateUse = StateUse { reads: States::SYSTEM, sets: States::SYSTEM };
    /// The same, and rotates the window.
    pub const SYSTEM_WINDOW: StateUse =
        StateUse { reads: States::SYSTEM.with(States::WINDOW), sets: States::SYSTEM.with(States::WINDOW) };
}
