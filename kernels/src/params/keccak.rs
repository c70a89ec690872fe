//! Keccak-f\[1600\] and the functions of FIPS 202 on it.

/// Lanes of the state, 64 bits each; lane (x, y) has number x + 5y (FIPS 202 section 3.1).
pub const LANES: usize = 25;

/// Bytes of a lane.
pub const LANE_BYTES: usize = 8;

/// Bytes of the state (FIPS 202 section 3.1.2).
pub const STATE_BYTES: usize = LANE_BYTES * LANES;

/// Rounds of the permutation (FIPS 202 section 3.4).
pub const ROUNDS: usize = 24;

/// Left rotation of each lane in the step rho: lane (0, 0) stays, and the t-th lane of the walk (x, y) → (y, 2x + 3y) from
/// (1, 0) turns by (t + 1)(t + 2)/2 modulo 64 (FIPS 202 section 3.2.2).
pub const ROTATIONS: [u32; LANES] =
    [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/// What the step iota adds to lane (0, 0) in each round: bit 2^j - 1 is bit j + 7i of the sequence of the linear feedback
/// shift register x^8 + x^6 + x^5 + x^4 + 1 (FIPS 202 section 3.2.5).
pub const ROUND_CONSTANTS: [u64; ROUNDS] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// A function of FIPS 202: how a sponge on the permutation is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// Its name in the standard.
    pub name: &'static str,
    /// Bytes that enter or leave the state between two permutations: 200 less twice the strength in bytes (section 6).
    pub rate_bytes: usize,
    /// What follows the message: the suffix of the function, lowest bit first, then the first 1 of the padding (sections
    /// 5.1, 6.1 and 6.2).
    pub suffix: u8,
}

impl Function {
    const fn new(name: &'static str, strength_bits: usize, suffix: u8) -> Self {
        Function { name, rate_bytes: STATE_BYTES - strength_bits / 4, suffix }
    }
}

/// SHA3-256 (FIPS 202 section 6.1).
pub const SHA3_256: Function = Function::new("SHA3-256", 256, 0b110);
/// SHA3-512 (FIPS 202 section 6.1).
pub const SHA3_512: Function = Function::new("SHA3-512", 512, 0b110);
/// SHAKE128 (FIPS 202 section 6.2).
pub const SHAKE128: Function = Function::new("SHAKE128", 128, 0b11111);
/// SHAKE256 (FIPS 202 section 6.2).
pub const SHAKE256: Function = Function::new("SHAKE256", 256, 0b11111);
