//! Random numbers for tests of all instruction sets.

/// A small generator of random numbers (xorshift64*), the same on every host.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Seeds it; every seed is good.
    pub const fn new(seed: u64) -> Rng {
        Rng(seed ^ 0x9e37_79b9_7f4a_7c15 | 1 << 63)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// 32 bits of which few, about half, or most are set, so that small and extreme operands are common.
    pub fn bits(&mut self) -> u32 {
        let (x, y, z) = (self.next_u32(), self.next_u32(), self.next_u32());
        match self.below(8) {
            0 => x & y & z,
            1 => x & y,
            2 => x | y | z,
            _ => x,
        }
    }
}
