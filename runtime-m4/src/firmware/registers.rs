//! Registers at fixed addresses.

/// Reads a register.
pub fn read(address: u32) -> u32 {
    // SAFETY: callers name registers of the core (ARMv7-M, B3) or of the board's file, whose reading changes no memory that
    // the compiler knows of.
    unsafe { core::ptr::with_exposed_provenance::<u32>(address as usize).read_volatile() }
}

/// Writes a register.
pub fn write(address: u32, value: u32) {
    // SAFETY: callers name registers of the core (ARMv7-M, B3) or of the board's file, whose writing changes no memory that
    // the compiler knows of.
    unsafe { core::ptr::with_exposed_provenance_mut::<u32>(address as usize).write_volatile(value) }
}

/// Clears some bits and then sets some.
pub fn change(address: u32, clear: u32, set: u32) {
    write(address, read(address) & !clear | set);
}
