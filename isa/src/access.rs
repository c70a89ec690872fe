//! What an instruction does with a register and with memory.

/// What an instruction does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}

impl Access {
    /// True for `Read` and `ReadWrite`.
    pub const fn reads(self) -> bool {
        !matches!(self, Access::Write)
    }

    /// True for `Write` and `ReadWrite`.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::Read)
    }
}

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Reads.
    Loads,
    /// Writes.
    Stores,
}
