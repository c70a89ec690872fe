//! The number-theoretic transform and products, against their definitions: evaluation, and polynomials modulo X² - γ.

use crate::mlkem::{MlKemBackend, Poly, Term, Xof};
use crate::params::mlkem::{Eta, N, POLY_BYTES, Q, ZETA};
use crate::testing::Random;

/// Every check of this module.
pub fn all<B: MlKemBackend>(backend: &B) {
    forward(backend);
    products(backend);
    uniform(backend);
}

/// Coefficients from 0 to q - 1.
pub(super) type Reduced = [i64; N];

/// q, wide.
const MODULUS: i64 = Q as i64;

pub(super) fn reduced(poly: &Poly) -> Reduced {
    poly.0.map(|x| i64::from(x).rem_euclid(MODULUS))
}

/// The root that belongs to a pair of coefficients: γ = zeta^(2 BitRev7(pair) + 1) (FIPS 203 section 4.3).
pub(super) fn gamma(pair: usize) -> i64 {
    let exponent = 2 * usize::from((pair as u8).reverse_bits() >> 1) + 1;
    (0..exponent).fold(1, |power, _| power * i64::from(ZETA) % MODULUS)
}

/// The transform by its definition: the remainders of the polynomial modulo X² - γ.
pub(super) fn transform(poly: &Poly) -> Reduced {
    let mut out = [0; N];
    for (pair, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        let gamma = gamma(pair);
        // Horner: the even coefficients are those of a polynomial in X², and so are the odd ones.
        let step = |high: i64, next: i16| (high * gamma + i64::from(next)).rem_euclid(MODULUS);
        let pairs = poly.0.as_chunks().0.iter().rev();
        *out = pairs.fold([0, 0], |[even, odd], &[e, o]| [step(even, e), step(odd, o)]);
    }
    out
}

/// The sum of the products of pairs modulo X² - γ.
fn product_sum(terms: &[(Reduced, Reduced)]) -> Reduced {
    let mut out = [0; N];
    for (a, b) in terms {
        let pairs = out.as_chunks_mut().0.iter_mut().zip(a.as_chunks().0).zip(b.as_chunks().0);
        for (pair, ((out, &[a0, a1]), &[b0, b1])) in pairs.enumerate() {
            let [even, odd]: &mut [i64; 2] = out;
            *even = (*even + a0 * b0 + a1 * b1 % MODULUS * gamma(pair)) % MODULUS;
            *odd = (*odd + a0 * b1 + a1 * b0) % MODULUS;
        }
    }
    out
}

/// Polynomials with coefficients from -q to q: the extremes, with equal, alternating and random signs; zero; each power of
/// X with an extreme coefficient if `bases`; noise; random ones.
fn inputs(random: &mut Random, bases: bool) -> impl Iterator<Item = Poly> {
    (0..16 + if bases { 2 * N } else { 0 }).map(move |kind| {
        Poly(core::array::from_fn(|i| match kind {
            0 => Q,
            1 => -Q,
            2 if i % 2 == 0 => Q,
            3 if i / 2 % 2 == 0 => Q,
            4 if i < N / 2 => Q,
            2..=4 => -Q,
            5 => 0,
            6 => Q - 1,
            7 => (Q - 1) / 2,
            8..=10 => [Q, -Q][random.below(2)],
            11 => random.below(7) as i16 - 3,
            12..=15 => random.below(2 * Q as usize + 1) as i16 - Q,
            _ if i == (kind - 16) / 2 => [Q - 1, 1 - Q][kind % 2],
            _ => 0,
        }))
    })
}

/// The transform alone, and that of an operand.
pub fn forward<B: MlKemBackend>(backend: &B) {
    for (number, input) in inputs(&mut Random::new(40), true).enumerate() {
        let expected = transform(&input);
        let mut got = input.clone();
        backend.ntt(&mut got);
        assert_eq!(reduced(&got), expected, "transform of input {number}");
        assert!(got.0.iter().all(|x| x.abs() <= 5 * Q), "transform of input {number}: {:?}", got.0);
        let mut operand = B::Operand::default();
        operand.as_mut().0 = input.0;
        backend.prepare(&mut operand);
        assert_eq!(reduced(operand.as_ref()), expected, "operand from input {number}");
        assert!(operand.as_ref().0.iter().all(|x| x.abs() <= 5 * Q), "operand from input {number}");
    }
}

/// First factors: from 0 to 4095.
fn first_factor(random: &mut Random, kind: usize) -> Poly {
    Poly(core::array::from_fn(|i| match kind % 5 {
        0 => 4095,
        1 if i % 2 == 0 => 4095,
        1 => 0,
        2 => Q - 1,
        3 => [0, 4095][random.below(2)],
        _ => random.below(4096) as i16,
    }))
}

/// A sum is what its products add up to, in both domains and within its bounds, whatever was in it before.
fn check_sum<B: MlKemBackend>(backend: &B, expected: &Reduced, fill: impl Fn(&mut B::Sum), about: &str) {
    let mut sum = B::Sum::default();
    fill(&mut sum);
    let got = backend.normalise(&mut sum);
    assert_eq!(reduced(got), *expected, "{about}: sum");
    assert!(got.0.iter().all(|x| x.abs() <= 2 * Q), "{about}: sum {:?}", got.0);
    fill(&mut sum);
    let got = backend.inverse(&mut sum);
    assert_eq!(transform(got), *expected, "{about}: inverse transform of the sum");
    assert!(got.0.iter().all(|x| x.abs() <= 8 * Q), "{about}: inverse transform {:?}", got.0);
}

/// Sums of one to four products, at the extremes of what may be multiplied.
pub fn products<B: MlKemBackend>(backend: &B) {
    let mut random = Random::new(41);
    for (number, input) in inputs(&mut Random::new(42), false).enumerate() {
        let mut operand = B::Operand::default();
        operand.as_mut().0 = input.0;
        backend.prepare(&mut operand);
        let factors: [Poly; 4] = core::array::from_fn(|i| first_factor(&mut random, number + i / 2));
        for terms in 1..=4 {
            let expected: [_; 4] = core::array::from_fn(|i| (reduced(&factors[i]), reduced(operand.as_ref())));
            let expected = product_sum(&expected[..terms]);
            let plainly = |sum: &mut B::Sum| {
                for (i, factor) in factors[..terms].iter().enumerate() {
                    backend.multiply(Term::number(i), factor, &operand, sum);
                }
            };
            check_sum(backend, &expected, plainly, "products");
            let encoded = |sum: &mut B::Sum| {
                for (i, factor) in factors[..terms].iter().enumerate() {
                    let mut bytes = [0; POLY_BYTES];
                    for (&[a, b], bytes) in factor.0.as_chunks().0.iter().zip(bytes.as_chunks_mut().0) {
                        *bytes = [a as u8, (a >> 8 | b << 4) as u8, (b >> 4) as u8];
                    }
                    backend.multiply_encoded(Term::number(i), &bytes, &operand, sum);
                }
            };
            check_sum(backend, &expected, encoded, "products of encoded polynomials");
            check_key(backend, &expected, plainly, &mut random);
        }
    }
}

/// A sum with the transform of noise added, encoded.
fn check_key<B: MlKemBackend>(backend: &B, sum: &Reduced, fill: impl Fn(&mut B::Sum), random: &mut Random) {
    for eta in [Eta::Two, Eta::Three] {
        let mut bytes = [0; Eta::Three.bytes()];
        let bytes = &mut bytes[..eta.bytes()];
        random.fill(bytes);
        let mut noise = Poly::default();
        backend.noise(eta, bytes, &mut noise);
        let noise = transform(&noise);
        let (mut operand, mut encoded) = (B::Sum::default(), [0; POLY_BYTES]);
        fill(&mut operand);
        backend.encode_with_noise(&mut operand, eta, bytes, &mut encoded);
        for (pair, &[a, b, c]) in encoded.as_chunks().0.iter().enumerate() {
            let (a, b, c) = (i64::from(a), i64::from(b), i64::from(c));
            let expected = [2 * pair, 2 * pair + 1].map(|i| (sum[i] + noise[i]) % MODULUS);
            assert_eq!([a | (b & 15) << 8, b >> 4 | c << 4], expected, "{eta:?}, sum with noise, pair {pair}");
        }
    }
}

/// A stream of which one candidate in so many is accepted, and which ends when nobody should want more.
struct Stream {
    random: Random,
    accepted_one_in: usize,
    block: [u8; 168],
    length: usize,
    blocks_left: usize,
}

impl Xof for Stream {
    fn block(&mut self) -> &[u8] {
        assert!(self.blocks_left > 0, "more was read than a polynomial needs");
        self.blocks_left -= 1;
        for three in self.block.as_chunks_mut().0 {
            let [a, b] = [0, 0].map(|_| match self.random.below(self.accepted_one_in) {
                0 => self.random.below(Q as usize),
                _ => 4095 - self.random.below(4096 - Q as usize),
            });
            *three = [a as u8, (a >> 8 | b << 4) as u8, (b >> 4) as u8];
        }
        &self.block[..self.length]
    }
}

impl Stream {
    fn new(seed: u64, accepted_one_in: usize, length: usize, blocks_left: usize) -> Self {
        Stream { random: Random::new(seed), accepted_one_in, block: [0; 168], length, blocks_left }
    }

    /// The polynomial by the definition of sampling, and how many blocks it takes.
    fn polynomial(mut self) -> (Poly, usize) {
        let (mut poly, mut filled, mut blocks) = (Poly::default(), 0, 0);
        while filled < N {
            blocks += 1;
            for &[a, b, c] in self.block().as_chunks().0 {
                let (a, b, c) = (i16::from(a), i16::from(b), i16::from(c));
                for candidate in [a | (b & 15) << 8, b >> 4 | c << 4] {
                    if candidate < Q && filled < N {
                        poly.0[filled] = candidate;
                        filled += 1;
                    }
                }
            }
        }
        (poly, blocks)
    }
}

/// Products with polynomials from streams that are accepted wholly, at times, and nearly never, in blocks of any length that is allowed: no
/// block more is read than needed.
pub fn uniform<B: MlKemBackend>(backend: &B) {
    let mut operand = B::Operand::default();
    let mut random = Random::new(43);
    operand.as_mut().0 = core::array::from_fn(|_| random.below(7) as i16 - 3);
    backend.prepare(&mut operand);
    for (accepted_one_in, length) in [(1, 168), (1, 24), (1, 120), (2, 168), (3, 48), (50, 168), (300, 168), (7, 24)] {
        let streams = || (0..3).map(move |seed| (seed, accepted_one_in, length));
        let mut terms = [([0; N], [0; N]); 3];
        let mut blocks = [0; 3];
        for ((term, blocks), (seed, one_in, length)) in terms.iter_mut().zip(&mut blocks).zip(streams()) {
            let (poly, needed) = Stream::new(seed, one_in, length, usize::MAX).polynomial();
            *term = (reduced(&poly), reduced(operand.as_ref()));
            *blocks = needed;
        }
        let fill = |sum: &mut B::Sum| {
            for (i, (seed, one_in, length)) in streams().enumerate() {
                let mut stream = Stream::new(seed, one_in, length, blocks[i]);
                backend.multiply_uniform(Term::number(i), &mut stream, &operand, sum);
            }
        };
        check_sum(backend, &product_sum(&terms), fill, "products with uniform polynomials");
    }
}
