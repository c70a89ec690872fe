//! The memory that instructions read and write.

/// Why a memory access was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusFault {
    /// Nothing is mapped there.
    Unmapped,
    /// Mapped, but not for this kind of access.
    Permission,
}

/// What instructions read and write. Addresses may be unaligned: the semantics have already refused what the architecture refuses.
pub trait Bus {
    /// Reads `size` bytes (1, 2 or 4), little-endian.
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault>;
    /// Writes the low `size` bytes (1, 2 or 4), little-endian.
    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault>;
}
