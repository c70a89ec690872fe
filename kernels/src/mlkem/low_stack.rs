//! The profile for little stack: a polynomial of 512 bytes for each operand and for a sum, and nothing else of that size.
//!
//! An entry of the matrix, or an encoded polynomial that is public, is never whole: sixteen coefficients at a time are sampled or
//! decoded, and their product is added to the sum.

use super::backend::{MlKemBackend, Poly, Term, Xof};
use super::encodings;
use crate::chacha::{ChaChaBackend, CounterExhausted, State};
use crate::keccak::KeccakBackend;
use crate::mlkem_from;
use crate::params::chacha::{Counter, Rounds};
use crate::params::mlkem::{Eta, N, PIECE, POLY_BYTES};
use cipher::inout::InOutBuf;
use hybrid_array::Array;
use hybrid_array::sizes::U128;
use zeroize::Zeroize;

/// Bytes of an encoded piece, 12 bits a coefficient.
pub const PIECE_BYTES: usize = PIECE * 12 / 8;

/// What a backend does for [`LowStack`]. Sums are polynomials of 16 bits and carry whatever factor the backend likes, as those of
/// [`MlKemBackend`] do.
pub trait Compact: MlKemBackend {
    /// Rejection sampling, as [`MlKemBackend::sample`]: appends the coefficients in some bytes to the first `filled`, at most
    /// [`PIECE`]. Returns how many there are then.
    fn sample_piece(&self, piece: &mut [i16; 2 * PIECE], filled: usize, bytes: &[u8; PIECE_BYTES]) -> usize;

    /// The part of a product in the transformed domain (FIPS 203 algorithms 11 and 12) that is made of the coefficients of `a`,
    /// from 0 to 4095, which are those from [`PIECE`] · `number` on, and of those of `b` that are in the same place, from -5q to
    /// 5q, is added to the sum. A number above 15 counts as 15.
    fn add_piece(&self, a: &[i16; PIECE], number: usize, b: &Poly, sum: &mut Poly);

    /// As [`MlKemBackend::normalise`], in place.
    fn normalise_compact(&self, sum: &mut Poly);

    /// As [`MlKemBackend::inverse`], in place.
    fn inverse_compact(&self, sum: &mut Poly);
}

/// Backend `B` with as little stack as will do.
///
/// ```
/// use kernels::Soft;
/// use kernels::mlkem::{DecapsulationKey, LowStack, MlKem768};
///
/// let dk = DecapsulationKey::<MlKem768, LowStack<Soft>>::from_seed(&[7; 64]);
/// # assert_eq!(dk.encapsulation_key().as_bytes(), DecapsulationKey::<MlKem768>::from_seed(&[7; 64]).encapsulation_key().as_bytes());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct LowStack<B>(pub B);

impl<B: KeccakBackend> KeccakBackend for LowStack<B> {
    type State = B::State;

    #[inline]
    fn permute(&self, state: &mut Self::State) {
        self.0.permute(state);
    }

    #[inline]
    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        self.0.xor_bytes(state, offset, bytes);
    }

    #[inline]
    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        self.0.copy_bytes(state, offset, bytes);
    }

    #[inline(always)]
    fn declassify(&self, name: &'static str, bytes: &[u8]) {
        self.0.declassify(name, bytes);
    }
}

/// Ciphers are those of `B`.
impl<B: ChaChaBackend> ChaChaBackend for LowStack<B> {
    #[inline]
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.0.permute(rounds, out, input);
    }

    #[inline]
    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.0.block(rounds, out, input);
    }

    #[inline]
    fn xor(
        &self,
        rounds: Rounds,
        counter: Counter,
        state: &State,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), CounterExhausted> {
        self.0.xor(rounds, counter, state, data)
    }
}

impl<B: Compact> LowStack<B> {
    /// Clears a sum that begins.
    fn begin(term: Term, sum: &mut Poly) {
        if term == Term::First {
            *sum = Poly::default();
        }
    }
}

impl<B: Compact> MlKemBackend for LowStack<B> {
    type Operand = Poly;
    type Sum = Poly;
    type Bytes = Array<u8, U128>;

    mlkem_from! { self => self.0; encodings }
    mlkem_from! { self => self.0; packing }
    mlkem_from! { self => self.0; sampling }
    mlkem_from! { self => self.0; fn ntt(poly: &mut Poly); }

    #[inline]
    fn prepare(&self, operand: &mut Poly) {
        self.ntt(operand);
    }

    fn multiply(&self, term: Term, a: &Poly, b: &Poly, sum: &mut Poly) {
        Self::begin(term, sum);
        let pieces = a.0.as_chunks().0.iter().enumerate();
        pieces.for_each(|(number, piece)| self.0.add_piece(piece, number, b, sum));
    }

    #[inline(never)]
    fn multiply_uniform<X: Xof>(&self, term: Term, xof: &mut X, b: &Poly, sum: &mut Poly) {
        Self::begin(term, sum);
        let mut coefficients = [0; 2 * PIECE];
        let (mut filled, mut number) = (0, 0);
        loop {
            for bytes in xof.block().as_chunks().0 {
                filled = self.0.sample_piece(&mut coefficients, filled, bytes);
                if let Some(rest) = filled.checked_sub(PIECE) {
                    let [piece, next] = coefficients.as_chunks_mut().0 else { unreachable!("two pieces") };
                    self.0.add_piece(piece, number, b, sum);
                    *piece = *next;
                    (filled, number) = (rest, number + 1);
                    if number == N / PIECE {
                        return;
                    }
                }
            }
        }
    }

    #[inline(never)]
    fn multiply_encoded(&self, term: Term, a: &[u8; POLY_BYTES], b: &Poly, sum: &mut Poly) {
        Self::begin(term, sum);
        let mut piece = [0; PIECE];
        for (number, bytes) in a.as_chunks::<PIECE_BYTES>().0.iter().enumerate() {
            encodings::decode(bytes, &mut piece);
            self.0.add_piece(&piece, number, b, sum);
        }
        piece.zeroize();
    }

    #[inline]
    fn normalise<'a>(&self, sum: &'a mut Poly) -> &'a mut Poly {
        self.0.normalise_compact(sum);
        sum
    }

    /// The sum waits where its result goes while the noise is transformed in its place.
    fn encode_with_noise(&self, sum: &mut Poly, eta: Eta, noise: &[u8], bytes: &mut [u8; POLY_BYTES]) {
        self.normalise(sum);
        self.encode(sum, bytes);
        self.noise(eta, noise, sum);
        self.ntt(sum);
        encodings::add_decoded(bytes, &mut sum.0);
        self.encode(sum, bytes);
    }

    #[inline]
    fn inverse<'a>(&self, sum: &'a mut Poly) -> &'a mut Poly {
        self.0.inverse_compact(sum);
        sum
    }
}
