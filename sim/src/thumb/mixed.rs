//! Registers that hold a word of which some bytes are secret and others are not, for as long as it is only moved.
//!
//! Copying memory by words would otherwise make a public byte as secret as its neighbours, and compilers copy structures so.

use super::effects::Set;

/// Which registers, and which of their bytes.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    registers: Set,
    /// Bit i of a register's entry: byte i is secret.
    bytes: [u8; Set::BITS as usize],
}

impl Default for Mixed {
    fn default() -> Mixed {
        Mixed { registers: 0, bytes: [0; Set::BITS as usize] }
    }
}

impl Mixed {
    /// These registers are written to.
    #[inline]
    pub(crate) fn forget(&mut self, registers: Set) {
        self.registers &= !registers;
    }

    /// A register has been loaded with a word.
    pub(crate) fn loaded(&mut self, register: Set, bytes: u8) {
        if register != 0 {
            self.registers |= register;
            self.bytes[register.trailing_zeros() as usize] = bytes;
        }
    }

    /// The secret bytes of a register, if they are known one by one.
    pub(crate) fn bytes(&self, register: Set) -> Option<u8> {
        (register & self.registers != 0).then(|| self.bytes[register.trailing_zeros() as usize])
    }
}
