//! What decodings of Kyber's polynomials and its noise have to be, by FIPS 203 algorithms 6 and 8 and section 4.2.1: bit after bit. And sums that are not reduced.

use super::runner::{Arg, Measured, Runner};
use super::{Oracle, VerifyError, halfwords};
use crate::kernels::kyber_noise::BEFORE;
use crate::kernels::kyber_sums::{BEFORE_MESSAGE, FROM, SUBTRACTED};
use kernels::params::mlkem::{self, N};
use kernels::testing::Random;

const Q: usize = mlkem::Q as usize;
/// Bits of a coefficient that is not compressed.
const WHOLE: usize = 12;
/// Random inputs.
const RANDOM: usize = 1000;
/// Code that is any good needs less than a tenth of this.
const INSTRUCTIONS_MAX: u64 = 50_000;

/// A function that makes coefficients of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// Numbers of so many bits: 12 if they are not compressed.
    Decode(usize),
    /// Noise, which is added, for this eta.
    Noise(usize),
    /// A message, which is added.
    Message,
}

impl Kernel {
    /// The kernel of this name, if it is one of these.
    pub fn parse(name: &str) -> Option<Kernel> {
        Some(match name {
            "kyber_decode" => Kernel::Decode(WHOLE),
            "kyber_decompress4" => Kernel::Decode(4),
            "kyber_decompress5" => Kernel::Decode(5),
            "kyber_decompress10" => Kernel::Decode(10),
            "kyber_decompress11" => Kernel::Decode(11),
            "kyber_add_noise2" => Kernel::Noise(2),
            "kyber_add_noise3" => Kernel::Noise(3),
            "kyber_add_message" => Kernel::Message,
            _ => return None,
        })
    }

    /// Bits for each coefficient.
    fn bits(self) -> usize {
        match self {
            Kernel::Decode(bits) => bits,
            Kernel::Noise(eta) => 2 * eta,
            Kernel::Message => 1,
        }
    }

    /// The largest coefficients to which something is added.
    fn most(self) -> i16 {
        (if self == Kernel::Message { BEFORE_MESSAGE } else { BEFORE }) as i16
    }

    fn coefficient(self, bits: &[usize], before: i16) -> i16 {
        match self {
            Kernel::Noise(eta) => {
                let [x, y] = [&bits[..eta], &bits[eta..]].map(|bits| bits.iter().sum::<usize>() as i16);
                before + x - y
            }
            // A bit is decompressed.
            Kernel::Message => before + Kernel::Decode(1).coefficient(bits, 0),
            Kernel::Decode(d) => {
                let number: usize = bits.iter().enumerate().map(|(j, bit)| bit << j).sum();
                // The next whole number: half of 2^d more, divided.
                (if d == WHOLE { number } else { (2 * Q * number + (1 << d)) >> (d + 1) }) as i16
            }
        }
    }

    fn expected(self, bytes: &[u8], before: &[i16; N]) -> [i16; N] {
        let bits: Vec<usize> = bytes.iter().flat_map(|byte| (0..8).map(move |k| usize::from(byte >> k & 1))).collect();
        let each = self.bits();
        std::array::from_fn(|i| self.coefficient(&bits[i * each..][..each], before[i]))
    }

    /// All bits the same, every number that there is in turns, and random bytes.
    fn inputs(self) -> impl Iterator<Item = Vec<u8>> {
        let bits = self.bits();
        let bytes = N / 8 * bits;
        let same = [0, 0xff, 0x55, 0xaa, 0x0f, 0xf0].into_iter().map(move |byte| vec![byte; bytes]);
        let numbers = (0..1usize << bits).step_by(N.min(1 << bits)).map(move |first| {
            let mut all = vec![0; bytes];
            // Turned, so that no place has always the same lowest bits.
            let number = |i: usize| first + (i + first / N) % N;
            let ones = (0..N * bits).filter(|bit| number(bit / bits) >> (bit % bits) & 1 == 1);
            ones.for_each(|bit| all[bit / 8] |= 1 << (bit % 8));
            all
        });
        let mut random = Random::new(10);
        let random = (0..RANDOM).map(move |_| (0..bytes).map(|_| random.next_u32() as u8).collect());
        same.chain(numbers).chain(random)
    }
}

/// `kyber_subtract`.
pub struct Subtract;

impl Subtract {
    /// If the name is that.
    pub fn parse(name: &str) -> Option<Subtract> {
        (name == "kyber_subtract").then_some(Subtract)
    }
}

impl Oracle for Subtract {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        let mut random = Random::new(12);
        (0..RANDOM).try_for_each(|index| {
            let mut number = |most: i32, sign: i32| match index % 4 {
                0 => sign * most,
                1 => -sign * most,
                2 => {
                    if random.next_u32() & 1 == 0 {
                        most
                    } else {
                        -most
                    }
                }
                _ => (random.next_u32() % (2 * most as u32 + 1)) as i32 - most,
            };
            let [r, a] = [(FROM, 1), (SUBTRACTED, -1)].map(|(most, sign)| [(); N].map(|()| number(most, sign) as i16));
            let expected: [i16; N] = std::array::from_fn(|i| r[i] - a[i]);
            let (offset, at) = ([0, 4, 8, 2][index / 4 % 4], [0, 2, 4, 8][index / 16 % 4]);
            let [r, a] = [r, a].map(|poly| halfwords(&poly));
            let args = [Arg::Out { before: &r, offset }, Arg::input(&a, at)];
            runner.expect(&args, None, &halfwords(&expected), || format!("case {index}"))
        })
    }

    /// Runs the call whose cycles are stated: both arrays at multiples of 4.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let zeroes = [0; 2 * N];
        runner.measure(&[Arg::Out { before: &zeroes, offset: 0 }, Arg::input(&zeroes, 0)])
    }
}

impl Oracle for Kernel {
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError> {
        runner.set_limit(INSTRUCTIONS_MAX);
        let mut random = Random::new(11);
        self.inputs().enumerate().try_for_each(|(index, bytes)| {
            let most = self.most();
            let mut between = || ((random.next_u32() % (2 * most as u32 + 1)) as i32 - i32::from(most)) as i16;
            let before = match index % 4 {
                0 => [most; N],
                1 => [-most; N],
                2 => std::array::from_fn(|i| if i % 2 == 0 { most } else { -most }),
                _ => std::array::from_fn(|_| between()),
            };
            // Bytes anywhere, coefficients sometimes across words.
            let (at, offset) = ((index / 4 % 4) as u32, [0, 4, 8, 2][index % 4]);
            let memory = halfwords(&before);
            let args = [Arg::Out { before: &memory, offset }, Arg::input(&bytes, at)];
            let expected = halfwords(&self.expected(&bytes, &before));
            runner.expect(&args, None, &expected, || format!("case {index}, bytes at {at} mod 16, {bytes:02x?}"))
        })
    }

    /// Runs the call whose cycles are stated: both arrays at multiples of 4.
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError> {
        let bytes = vec![1; N / 8 * self.bits()];
        runner.measure(&[Arg::Out { before: &[0; 2 * N], offset: 0 }, Arg::input(&bytes, 0)])
    }
}
