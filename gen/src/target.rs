//! The cores code is generated for, how functions are called there, and the shapes a kernel can take.

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
    /// The cores of the ESP32: Xtensa LX6.
    Esp32,
    /// The cores of the ESP32-S3: Xtensa LX7.
    Esp32s3,
}

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Isa {
    /// Thumb-2 of ARMv7-M.
    Thumb,
    /// Xtensa.
    Xtensa,
}

impl Target {
    /// Every target, in the order in which they are generated.
    pub const ALL: [Target; 5] = [Target::M3, Target::M4, Target::M4f, Target::Esp32, Target::Esp32s3];

    /// Those of ARMv7-M.
    pub const THUMB: [Target; 3] = [Target::M3, Target::M4, Target::M4f];

    /// Those of ARMv7-M with the DSP extension.
    pub const DSP: [Target; 2] = [Target::M4, Target::M4f];

    /// Those of Xtensa.
    pub const XTENSA: [Target; 2] = [Target::Esp32, Target::Esp32s3];

    /// The name on the command line, in symbols and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Target::M3 => "m3",
            Target::M4 => "m4",
            Target::M4f => "m4f",
            Target::Esp32 => "esp32",
            Target::Esp32s3 => "esp32s3",
        }
    }

    /// The instruction set.
    pub const fn isa(self) -> Isa {
        match self {
            Target::M3 | Target::M4 | Target::M4f => Isa::Thumb,
            Target::Esp32 | Target::Esp32s3 => Isa::Xtensa,
        }
    }

    /// The core that the simulator and its cycle model run code for this target on, if it is one of ARMv7-M.
    pub const fn thumb_core(self) -> Option<sim::cycles::Core> {
        match self {
            Target::M3 => Some(sim::cycles::Core::M3),
            Target::M4 => Some(sim::cycles::Core::M4),
            Target::M4f => Some(sim::cycles::Core::M4f),
            Target::Esp32 | Target::Esp32s3 => None,
        }
    }

    /// The same, if it is one of Xtensa.
    pub const fn xtensa_core(self) -> Option<isa::xtensa::Core> {
        match self {
            Target::M3 | Target::M4 | Target::M4f => None,
            Target::Esp32 => Some(isa::xtensa::Core::Lx6),
            Target::Esp32s3 => Some(isa::xtensa::Core::Lx7),
        }
    }

    /// True if single-precision registers are there, for kernels to use.
    pub const fn has_fpu(self) -> bool {
        matches!(self, Target::M4f | Target::Esp32 | Target::Esp32s3)
    }

    /// How functions can be called there, the usual way first.
    pub const fn abis(self) -> &'static [Abi] {
        match self.isa() {
            Isa::Thumb => &[Abi::Aapcs],
            Isa::Xtensa => &[Abi::Windowed, Abi::Call0],
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A calling convention.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Abi {
    /// *Procedure Call Standard for the Arm Architecture*, without floating-point arguments.
    Aapcs,
    /// Xtensa with register windows: ENTRY and RETW.
    Windowed,
    /// Xtensa without them: CALL0 and RET.
    Call0,
}

impl Abi {
    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Abi::Aapcs => "aapcs",
            Abi::Windowed => "windowed",
            Abi::Call0 => "call0",
        }
    }
}

impl fmt::Display for Abi {
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
