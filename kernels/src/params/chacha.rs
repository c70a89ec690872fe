//! ChaCha (RFC 8439 section 2; D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008).

use core::fmt;

/// Words of the state, 32 bits each (RFC 8439 section 2.1).
pub const STATE_WORDS: usize = 16;

/// Bytes of a keystream block (RFC 8439 section 2.3).
pub const BLOCK_BYTES: usize = 64;

/// "expand 32-byte k" as four little-endian words: words 0 to 3 of the initial state (RFC 8439 section 2.3).
pub const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// First word of the key, which takes eight (RFC 8439 section 2.3).
pub const KEY_WORD: usize = 4;

/// The word that holds the block counter, or its low half if it has 64 bits (RFC 8439 section 2.3).
pub const COUNTER_WORD: usize = 12;

/// The words (a, b, c, d) of the eight quarter rounds of a double round: four columns, then four diagonals
/// (RFC 8439 section 2.3).
pub const QUARTER_ROUNDS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// Left rotations of a quarter round, in the order of its four steps (RFC 8439 section 2.1).
pub const ROTATIONS: [u32; 4] = [16, 12, 8, 7];

/// A number of rounds: even and at least 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rounds(u32);

/// The number of rounds is zero or odd.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadRounds(
    /// The refused number.
    pub u32,
);

impl Rounds {
    /// ChaCha8.
    pub const R8: Rounds = Rounds(8);
    /// ChaCha12.
    pub const R12: Rounds = Rounds(12);
    /// ChaCha20, the one RFC 8439 defines.
    pub const R20: Rounds = Rounds(20);

    /// Checks that `rounds` is even and at least 2.
    ///
    /// # Errors
    /// [`BadRounds`] otherwise.
    pub const fn new(rounds: u32) -> Result<Rounds, BadRounds> {
        if rounds >= 2 && rounds.is_multiple_of(2) { Ok(Rounds(rounds)) } else { Err(BadRounds(rounds)) }
    }

    /// The number of rounds.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number of double rounds, at least 1.
    pub const fn pairs(self) -> u32 {
        self.0 / 2
    }
}

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for BadRounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rounds: ChaCha needs an even number of rounds, at least 2", self.0)
    }
}

impl core::error::Error for BadRounds {}

/// Where the block counter stands and what happens at its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counter {
    /// 32 bits in word 12, a 96-bit nonce after it; it never wraps (RFC 8439 section 2.3).
    Ietf,
    /// 64 bits in words 12 (low) and 13 (high), a 64-bit nonce after it; it wraps to 0 (the original ChaCha).
    Djb,
}

impl Counter {
    /// How many blocks one key and nonce give before the counter would repeat.
    pub const fn blocks(self) -> u128 {
        match self {
            Counter::Ietf => 1 << 32,
            Counter::Djb => 1 << 64,
        }
    }
}
