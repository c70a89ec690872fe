//! Why a key is refused.

use core::fmt;

/// A key was refused. All that this depends on is public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyError {
    /// The key has not the length of its parameter set.
    Length {
        /// The right number of bytes.
        expected: usize,
        /// The number of bytes given.
        found: usize,
    },
    /// A coefficient of the encapsulation key is not less than q (FIPS 203 section 7.2, "modulus check").
    Coefficient {
        /// Which, from 0 to 256k - 1: the first that is wrong.
        index: usize,
    },
    /// The decapsulation key does not contain the hash of its encapsulation key (FIPS 203 section 7.3, "hash check").
    Hash,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Length { expected, found } => {
                write!(f, "the key has {found} bytes where its parameter set has {expected}")
            }
            KeyError::Coefficient { index } => {
                write!(f, "coefficient {index} of the encapsulation key is not reduced: the key is damaged or forged")
            }
            KeyError::Hash => f.write_str(
                "the decapsulation key does not contain the hash of its encapsulation key: it is damaged or forged",
            ),
        }
    }
}

impl core::error::Error for KeyError {}
