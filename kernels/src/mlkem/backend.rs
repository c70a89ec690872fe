//! What an implementation of the polynomials does.

use crate::keccak::KeccakBackend;
use crate::params::mlkem::{Bits, Eta, N, POLY_BYTES, SEED_BYTES};
use zeroize::Zeroize;

/// 256 coefficients. What they mean and how large they may be depends on the operation; they count modulo q = 3329.
///
/// Aligned to words, so that a backend can take two coefficients at a time.
#[derive(Clone, Debug)]
#[repr(C, align(4))]
pub struct Poly(pub [i16; N]);

impl Default for Poly {
    fn default() -> Self {
        Poly([0; N])
    }
}

impl Zeroize for Poly {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl AsRef<Poly> for Poly {
    fn as_ref(&self) -> &Poly {
        self
    }
}

impl AsMut<Poly> for Poly {
    fn as_mut(&mut self) -> &mut Poly {
        self
    }
}

/// A polynomial that several others are multiplied by, and what these products have in common: for backends that compute it
/// once.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Cached {
    /// The polynomial.
    pub poly: Poly,
    /// A number for each pair of coefficients.
    pub cache: [i16; N / 2],
}

impl Default for Cached {
    fn default() -> Self {
        Cached { poly: Poly::default(), cache: [0; N / 2] }
    }
}

impl Zeroize for Cached {
    fn zeroize(&mut self) {
        self.poly.zeroize();
        self.cache.zeroize();
    }
}

impl AsRef<Poly> for Cached {
    fn as_ref(&self) -> &Poly {
        &self.poly
    }
}

impl AsMut<Poly> for Cached {
    fn as_mut(&mut self) -> &mut Poly {
        &mut self.poly
    }
}

/// Room for bytes.
pub trait Room: Default + AsMut<[u8]> {}

impl<T: Default + AsMut<[u8]>> Room for T {}

/// Where a product goes in a sum of products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// It begins the sum: what was there does not count.
    First,
    /// It is added to the sum.
    Next,
}

impl Term {
    /// The `index`-th product of a sum.
    pub const fn number(index: usize) -> Self {
        if index == 0 { Term::First } else { Term::Next }
    }
}

/// Uniformly random bytes without end, from a public seed.
pub trait Xof {
    /// The next bytes: at least 24, and a multiple of 24, which is sixteen numbers of 12 bits in whole words.
    fn block(&mut self) -> &[u8];
}

/// What an implementation of the polynomials of ML-KEM does. The arithmetic of FIPS 203 section 4.3, the sampling of 4.2.2
/// and the encodings of 4.2.1, cut so that whatever form numbers have inside is the backend's own affair:
///
/// - a sum of products has the type [`Sum`](Self::Sum), and may carry a constant factor (Montgomery's, Plantard's), as
///   [`inverse`](Self::inverse) and [`normalise`](Self::normalise), which end each sum, take it out;
/// - a factor that meets several others has the type [`Operand`](Self::Operand), and may carry what makes that quick.
///
/// So a backend chooses between stack and speed: an operation holds as many operands as a vector has, one sum, and little
/// else. With a [`Poly`] for each and an own [`multiply_uniform`](Self::multiply_uniform) that is half a kilobyte for each of
/// them; wide sums and prepared products take more and save reductions.
///
/// Sizes of coefficients are part of each operation, and tests try its extremes. A result is right if it is congruent
/// modulo q and within its bounds. Nothing but [`sample`](Self::sample), and what is built on it, may let a branch, an
/// address or an instruction's time depend on a coefficient or on data.
pub trait MlKemBackend: KeccakBackend {
    /// A polynomial, and what [`prepare`](Self::prepare) makes of it.
    type Operand: AsRef<Poly> + AsMut<Poly> + Default + Zeroize;

    /// A sum of at most four products in the transformed domain.
    type Sum: Default + Zeroize;

    /// Room for expanded bytes: 128, which is the noise of eta = 2, or 168, which is a block of SHAKE128, and spares calls.
    type Bytes: Room;

    /// Adds noise of the centred binomial distribution, made of `bytes`, of which there are [`Eta::bytes`] (FIPS 203
    /// algorithm 8). Coefficients of `poly` may have any value up to ±(32767 - 3).
    fn add_noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly);

    /// The polynomial of noise alone: coefficients from -eta to eta.
    fn noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly) {
        *poly = Poly::default();
        self.add_noise(eta, bytes, poly);
    }

    /// The number-theoretic transform (FIPS 203 algorithm 9). Coefficients in: from -q to q. Out: from -5q to 5q.
    fn ntt(&self, poly: &mut Poly);

    /// The transform of a polynomial that will be multiplied. In: the polynomial of `operand`, from -q to q. Out: its
    /// transform in the same place, from -5q to 5q, and whatever `multiply` wants besides.
    fn prepare(&self, operand: &mut Self::Operand);

    /// Rejection sampling (FIPS 203 algorithm 7): takes 12 bits at a time out of `block`, whose length is a multiple of 3,
    /// and appends those below q to the first `filled` coefficients, at most 256. Returns how many there are then.
    fn sample(&self, poly: &mut Poly, filled: usize, block: &[u8]) -> usize;

    /// A polynomial from 12 bits a coefficient (FIPS 203 algorithm 6): from 0 to 4095, not reduced.
    fn decode(&self, bytes: &[u8; POLY_BYTES], poly: &mut Poly);

    /// A polynomial as 12 bits a coefficient (FIPS 203 algorithm 5), each reduced to 0 to q - 1. Any coefficients.
    fn encode(&self, poly: &Poly, bytes: &mut [u8; POLY_BYTES]);

    /// A product in the transformed domain (FIPS 203 algorithms 11 and 12), into a sum. `a` from 0 to 4095, `b` prepared.
    fn multiply(&self, term: Term, a: &Poly, b: &Self::Operand, sum: &mut Self::Sum);

    /// [`multiply`](Self::multiply) of an entry of the matrix, which need never exist as a whole.
    fn multiply_uniform<X: Xof>(&self, term: Term, xof: &mut X, b: &Self::Operand, sum: &mut Self::Sum) {
        let mut entry = Poly::default();
        uniform(self, xof, &mut entry);
        self.multiply(term, &entry, b, sum);
    }

    /// [`multiply`](Self::multiply) of an encoded polynomial.
    fn multiply_encoded(&self, term: Term, a: &[u8; POLY_BYTES], b: &Self::Operand, sum: &mut Self::Sum) {
        let mut poly = Poly::default();
        self.decode(a, &mut poly);
        self.multiply(term, &poly, b, sum);
        poly.zeroize();
    }

    /// The sum itself, in the transformed domain: from -2q to 2q.
    fn normalise<'a>(&self, sum: &'a mut Self::Sum) -> &'a mut Poly;

    /// The sum and the transform of noise, encoded: a polynomial of an encapsulation key (FIPS 203 algorithm 13, lines 18 and 19).
    /// What is left in the sum is of no use. Noise as in [`noise`](Self::noise).
    fn encode_with_noise(&self, sum: &mut Self::Sum, eta: Eta, noise: &[u8], bytes: &mut [u8; POLY_BYTES]) {
        let sum = self.normalise(sum);
        let mut error = Poly::default();
        self.noise(eta, noise, &mut error);
        self.ntt(&mut error);
        self.add(sum, &error);
        self.encode(sum, bytes);
        error.zeroize();
    }

    /// The inverse transform of the sum (FIPS 203 algorithm 10): from -8q to 8q, so that noise and a message can be added to
    /// it, and it can be subtracted from a decompressed polynomial.
    fn inverse<'a>(&self, sum: &'a mut Self::Sum) -> &'a mut Poly;

    /// Adds `other` to `poly`. No sum may leave 16 bits.
    fn add(&self, poly: &mut Poly, other: &Poly) {
        poly.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += b);
    }

    /// Subtracts `other` from `poly`. No difference may leave 16 bits.
    fn subtract(&self, poly: &mut Poly, other: &Poly) {
        poly.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a -= b);
    }

    /// Compresses and encodes: round(2^bits / q · c) mod 2^bits (FIPS 203 section 4.2.1). Any coefficients;
    /// [`Bits::bytes`] of them come out.
    fn compress(&self, bits: Bits, poly: &Poly, bytes: &mut [u8]);

    /// Compares what [`compress`](Self::compress) would give with `bytes`: 0 if they are equal, and not 0 if not. What is left
    /// in the polynomial is of no use.
    fn compare(&self, bits: Bits, poly: &mut Poly, bytes: &[u8]) -> u32;

    /// Decodes and decompresses: round(q / 2^bits · y), from 0 to q - 1 (FIPS 203 section 4.2.1).
    fn decompress(&self, bits: Bits, bytes: &[u8], poly: &mut Poly);

    /// Adds a message, 0 or (q + 1)/2 for each of its bits. No sum may leave 16 bits.
    fn add_message(&self, message: &[u8; SEED_BYTES], poly: &mut Poly);

    /// The message in a polynomial: each coefficient compressed to 1 bit. Any coefficients.
    fn message(&self, poly: &Poly, message: &mut [u8; SEED_BYTES]);
}

/// A whole polynomial by rejection sampling (FIPS 203 algorithm 7).
#[inline(always)]
pub fn uniform<B: MlKemBackend + ?Sized, X: Xof>(backend: &B, xof: &mut X, poly: &mut Poly) {
    let mut filled = 0;
    // Each pair of bytes and a half is accepted with probability 0.81: no limit is needed (FIPS 203 appendix B).
    while filled < N {
        filled = backend.sample(poly, filled, xof.block());
    }
}
