//! The form of NIST's known-answer files: their random numbers, and digests of their text without storing it.

use aes::Aes256;
use cipher::{BlockCipherEncrypt, KeyInit};
use sha2::{Digest, Sha256};

/// Bytes of the seed of a record.
pub const SEED_BYTES: usize = 48;

/// NIST's generator: CTR_DRBG with AES-256 and no derivation function (SP 800-90A section 10.2.1), as in the `rng.c` that
/// submissions used.
#[derive(Clone, Debug)]
pub struct Drbg {
    key: [u8; 32],
    counter: u128,
}

impl Drbg {
    /// The generator with this seed.
    pub fn new(seed: &[u8; SEED_BYTES]) -> Self {
        let mut drbg = Drbg { key: [0; 32], counter: 0 };
        drbg.update(seed);
        drbg
    }

    fn block(&mut self, cipher: &Aes256) -> [u8; 16] {
        self.counter = self.counter.wrapping_add(1);
        let mut block = self.counter.to_be_bytes().into();
        cipher.encrypt_block(&mut block);
        block.into()
    }

    fn update(&mut self, provided: &[u8; SEED_BYTES]) {
        let cipher = Aes256::new(&self.key.into());
        let mut state = *provided;
        for sixteen in state.as_chunks_mut::<16>().0 {
            sixteen.iter_mut().zip(self.block(&cipher)).for_each(|(byte, random)| *byte ^= random);
        }
        self.key.copy_from_slice(&state[..32]);
        self.counter = state[32..].iter().fold(0, |all, byte| all << 8 | u128::from(*byte));
    }

    /// Fills `out`. How bytes are shared between calls matters: each call ends with new state.
    pub fn fill(&mut self, out: &mut [u8]) {
        let cipher = Aes256::new(&self.key.into());
        for some in out.chunks_mut(16) {
            let block = self.block(&cipher);
            some.copy_from_slice(&block[..some.len()]);
        }
        self.update(&[0; SEED_BYTES]);
    }

    /// As [`fill`](Self::fill).
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.fill(&mut out);
        out
    }
}

/// The text of a known-answer file, hashed as it comes.
#[derive(Clone, Debug)]
pub struct Transcript(Sha256);

impl Transcript {
    /// A line `name = HEX`.
    pub fn line(&mut self, name: &str, bytes: &[u8]) {
        self.0.update(name);
        self.0.update(" = ");
        let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value)];
        bytes.iter().for_each(|byte| self.0.update([digit(byte >> 4), digit(byte & 15)]));
        self.0.update("\n");
    }

    /// The line `count = number`.
    fn count(&mut self, number: usize) {
        let digits = [100, 10, 1].map(|unit| b'0' + (number / unit % 10) as u8);
        let first = if number >= 100 { 0 } else { 1 + usize::from(number < 10) };
        self.0.update("count = ");
        self.0.update(&digits[first..]);
        self.0.update("\n");
    }
}

/// SHA-256 of the first `records` records, at most 1000, with an empty line between two: what the projects that collect
/// implementations publish, `single` for one record and `all` for the whole file. `record` writes the lines after the seed.
pub fn digest(records: usize, mut record: impl FnMut(&mut Drbg, &mut Transcript)) -> [u8; 32] {
    let mut seeds = Drbg::new(&core::array::from_fn(|i| i as u8));
    let mut transcript = Transcript(Sha256::new());
    for number in 0..records {
        if number > 0 {
            transcript.0.update("\n");
        }
        let seed = seeds.bytes();
        transcript.count(number);
        transcript.line("seed", &seed);
        record(&mut Drbg::new(&seed), &mut transcript);
    }
    transcript.0.finalize().into()
}
