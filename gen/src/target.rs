//! The cores code is generated for, and the shapes a kernel can take.

use std::fmt;
use std::num::NonZeroU32;

/// A core, with the instruction set extensions and the registers that a kernel may use on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// Cortex-M3: ARMv7-M. Long multiplies and divisions take a data-dependent time.
    M3,
    /// Cortex-M4 without FPU: ARMv7E-M.
    M4,
    /// Cortex-M4F: ARMv7E-M with FPv4-SP; s0..s31 can hold spilled words.
    M4f,
}

impl Target {
    /// Every target, in the order in which they are generated.
    pub const ALL: [Target; 3] = [Target::M3, Target::M4, Target::M4f];

    /// The name on the command line, in symbols and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Target::M3 => "m3",
            Target::M4 => "m4",
            Target::M4f => "m4f",
        }
    }

    /// The core that the simulator and its cycle model run code for this target on.
    pub const fn core(self) -> sim::cycles::Core {
        match self {
            Target::M3 => sim::cycles::Core::M3,
            Target::M4 => sim::cycles::Core::M4,
            Target::M4f => sim::cycles::Core::M4f,
        }
    }

    /// True if single-precision registers are there.
    pub const fn has_fpu(self) -> bool {
        matches!(self, Target::M4f)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How far a kernel's `repeat` is unrolled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// Fully: no loop is left of it.
    Unrolled,
    /// A loop whose body holds this many repetitions (2 or more).
    By(NonZeroU32),
    /// A loop over a single repetition.
    Looped,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Unrolled => f.write_str("unrolled"),
            Shape::By(n) => write!(f, "unroll{n}"),
            Shape::Looped => f.write_str("looped"),
        }
    }
}
