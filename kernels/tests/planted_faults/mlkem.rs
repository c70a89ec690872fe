//! A backend for ML-KEM that is wrong in one way.

use kernels::Soft;
use kernels::keccak::KeccakBackend;
use kernels::mlkem::{Compact, LowStack, MlKemBackend, PIECE_BYTES, Poly, SoftSum, Term};
use kernels::mlkem_from;
use kernels::params::mlkem::{Bits, Eta, N, PIECE, POLY_BYTES, Q};
use kernels::testing::mlkem::{all, compact};
use std::panic::catch_unwind;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// None, but all coefficients that may differ by multiples of q are as far from 0 as they may be.
    Farthest,
    /// Keccak loses a bit of its state once in a while.
    Permutation,
    /// Noise of eta = 3 is wrong when all its bits are set.
    Noise,
    /// Noise replaces a coefficient instead of being added.
    NoiseReplaces,
    /// Noise alone begins with what was there.
    NoiseKeeps,
    /// The last coefficient of the transform is wrong for extreme ones.
    Transform,
    /// The transform is right, but not within its bounds.
    TransformBounds,
    /// The operand's transform is left out.
    Prepare,
    /// A candidate equal to q is accepted.
    AcceptsQ,
    /// The candidate q - 1 is refused.
    RefusesLast,
    /// A coefficient after those that are there is written.
    WritesBeyond,
    /// The number of coefficients is one too many at the end of a block.
    Counts,
    /// 12-bit numbers are reduced.
    DecodeReduces,
    /// The coefficient -32768 is encoded wrongly.
    Encode,
    /// The first product is added to what was there.
    First,
    /// A later product replaces what was there.
    Next,
    /// The second root of a pair of pairs has the wrong sign.
    Root,
    /// A sum that is too large wraps.
    Wraps,
    /// A sum is right, but not within its bounds.
    SumBounds,
    /// The inverse transform is 9 q too large: right, but not within its bounds.
    InverseBounds,
    /// The inverse transform of the last coefficient is wrong.
    Inverse,
    /// One value is rounded the wrong way.
    Compress,
    /// Only the first half is compared.
    CompareHalf,
    /// The lowest bit is not compared.
    CompareBit,
    /// The largest 11-bit number is decompressed wrongly.
    Decompress,
    /// The last bit of a message is not added.
    AddMessage,
    /// Half of q counts as 0.
    Message,
    /// Sums are reduced by q, that is, changed.
    Add,
    /// The difference has the other sign.
    Subtract,
}

#[derive(Clone)]
struct Faulty(Fault);

impl Faulty {
    /// Adds multiples of q to the even coefficients and subtracts them from the odd ones, up to `bound` times q.
    fn move_out(&self, poly: &mut Poly, bound: i16) {
        if self.0 == Fault::Farthest {
            for [even, odd] in poly.0.as_chunks_mut().0 {
                *even += (bound * Q - *even) / Q * Q;
                *odd -= (bound * Q + *odd) / Q * Q;
            }
        }
    }
}

impl KeccakBackend for Faulty {
    type State = <Soft as KeccakBackend>::State;

    fn permute(&self, state: &mut Self::State) {
        Soft.permute(state);
        if self.0 == Fault::Permutation && state[3] % 64 == 0 {
            state[0] ^= 1 << 17;
        }
    }

    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        Soft.xor_bytes(state, offset, bytes);
    }

    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        Soft.copy_bytes(state, offset, bytes);
    }
}

impl MlKemBackend for Faulty {
    type Operand = Poly;
    type Sum = SoftSum;
    type Bytes = <Soft as MlKemBackend>::Bytes;

    fn add_noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly) {
        let before = poly.0[100];
        Soft.add_noise(eta, bytes, poly);
        if self.0 == Fault::Noise && eta == Eta::Three && bytes.iter().all(|byte| *byte == 0xff) {
            poly.0[0] += 1;
        }
        if self.0 == Fault::NoiseReplaces {
            poly.0[100] -= before;
        }
    }

    fn noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly) {
        let kept = poly.0[255];
        Soft.noise(eta, bytes, poly);
        poly.0[255] += if self.0 == Fault::NoiseKeeps { kept } else { 0 };
    }

    fn ntt(&self, poly: &mut Poly) {
        let extreme = poly.0.iter().all(|x| x.abs() == Q);
        Soft.ntt(poly);
        self.move_out(poly, 5);
        poly.0[255] += i16::from(extreme && self.0 == Fault::Transform);
        poly.0[7] += if self.0 == Fault::TransformBounds { 6 * Q } else { 0 };
    }

    fn prepare(&self, operand: &mut Poly) {
        if self.0 != Fault::Prepare {
            self.ntt(operand);
        }
    }

    fn sample(&self, poly: &mut Poly, filled: usize, block: &[u8]) -> usize {
        let mut block = block.to_vec();
        for three in block.chunks_mut(3) {
            let first = i16::from(three[0]) | i16::from(three[1] & 15) << 8;
            let changed = match self.0 {
                Fault::AcceptsQ if first == Q => 0,
                Fault::RefusesLast if first == Q - 1 => 4095,
                _ => first,
            };
            three[0] = changed as u8;
            three[1] = three[1] & 0xf0 | (changed >> 8) as u8;
        }
        let count = Soft.sample(poly, filled, &block);
        if self.0 == Fault::WritesBeyond && count < N {
            poly.0[count] = 0;
        }
        count + usize::from(self.0 == Fault::Counts && count < N)
    }

    fn decode(&self, bytes: &[u8; POLY_BYTES], poly: &mut Poly) {
        Soft.decode(bytes, poly);
        if self.0 == Fault::DecodeReduces {
            poly.0.iter_mut().for_each(|x| *x %= Q);
        }
    }

    fn encode(&self, poly: &Poly, bytes: &mut [u8; POLY_BYTES]) {
        Soft.encode(poly, bytes);
        bytes[0] ^= u8::from(self.0 == Fault::Encode && poly.0[0] == i16::MIN);
    }

    fn multiply(&self, term: Term, a: &Poly, b: &Poly, sum: &mut SoftSum) {
        let term = match self.0 {
            Fault::First => Term::Next,
            Fault::Next => Term::First,
            _ => term,
        };
        let (mut a, mut b) = (a.clone(), b.clone());
        if self.0 == Fault::Root {
            // As if the odd coefficients were those of the other root.
            (a.0[255], b.0[255]) = (a.0[255] % Q, -b.0[255]);
        }
        if self.0 == Fault::Wraps {
            a.0.iter_mut().for_each(|x| *x = (*x << 4) >> 4);
        }
        Soft.multiply(term, &a, &b, sum);
    }

    fn normalise<'a>(&self, sum: &'a mut SoftSum) -> &'a mut Poly {
        let poly = Soft.normalise(sum);
        self.move_out(poly, 2);
        poly.0[9] += if self.0 == Fault::SumBounds { 3 * Q } else { 0 };
        poly
    }

    fn inverse<'a>(&self, sum: &'a mut SoftSum) -> &'a mut Poly {
        let poly = Soft.inverse(sum);
        self.move_out(poly, 8);
        poly.0[9] += if self.0 == Fault::InverseBounds { 9 * Q } else { 0 };
        poly.0[255] ^= i16::from(self.0 == Fault::Inverse);
        poly
    }

    fn compress(&self, bits: Bits, poly: &Poly, bytes: &mut [u8]) {
        let mut poly = poly.clone();
        if self.0 == Fault::Compress {
            // 3320 is just below the middle between two values of 10 bits.
            poly.0.iter_mut().filter(|x| **x == 3320).for_each(|x| *x += 1);
        }
        Soft.compress(bits, &poly, bytes);
    }

    fn compare(&self, bits: Bits, poly: &mut Poly, bytes: &[u8]) -> u32 {
        let mut ours = vec![0; bits.bytes()];
        self.compress(bits, poly, &mut ours);
        let length = if self.0 == Fault::CompareHalf { bytes.len() / 2 } else { bytes.len() };
        let mask = if self.0 == Fault::CompareBit { 0xfe } else { 0xff };
        ours.iter().zip(&bytes[..length]).fold(0, |all, (a, b)| all | u32::from((a ^ b) & mask))
    }

    fn decompress(&self, bits: Bits, bytes: &[u8], poly: &mut Poly) {
        Soft.decompress(bits, bytes, poly);
        if self.0 == Fault::Decompress && bits == Bits::D11 {
            poly.0.iter_mut().filter(|x| **x == 3327).for_each(|x| *x += 1);
        }
    }

    fn add_message(&self, message: &[u8; 32], poly: &mut Poly) {
        let mut message = *message;
        message[31] &= if self.0 == Fault::AddMessage { 0x7f } else { 0xff };
        Soft.add_message(&message, poly);
    }

    fn message(&self, poly: &Poly, message: &mut [u8; 32]) {
        let mut poly = poly.clone();
        if self.0 == Fault::Message {
            poly.0.iter_mut().filter(|x| **x == 833).for_each(|x| *x -= 1);
        }
        Soft.message(&poly, message);
    }

    fn add(&self, poly: &mut Poly, other: &Poly) {
        Soft.add(poly, other);
        poly.0[1] -= if self.0 == Fault::Add && poly.0[1] > 20_000 { Q } else { 0 };
    }

    fn subtract(&self, poly: &mut Poly, other: &Poly) {
        Soft.subtract(poly, other);
        if self.0 == Fault::Subtract {
            poly.0[2] = poly.0[2].wrapping_neg();
        }
    }
}

#[test]
fn every_fault_is_caught() {
    all(&Faulty(Fault::None));
    all(&Faulty(Fault::Farthest));
    for fault in [
        Fault::Permutation,
        Fault::Noise,
        Fault::NoiseReplaces,
        Fault::NoiseKeeps,
        Fault::Transform,
        Fault::TransformBounds,
        Fault::Prepare,
        Fault::AcceptsQ,
        Fault::RefusesLast,
        Fault::WritesBeyond,
        Fault::Counts,
        Fault::DecodeReduces,
        Fault::Encode,
        Fault::First,
        Fault::Next,
        Fault::Root,
        Fault::Wraps,
        Fault::SumBounds,
        Fault::InverseBounds,
        Fault::Inverse,
        Fault::Compress,
        Fault::CompareHalf,
        Fault::CompareBit,
        Fault::Decompress,
        Fault::AddMessage,
        Fault::Message,
        Fault::Add,
        Fault::Subtract,
    ] {
        assert!(catch_unwind(|| all(&Faulty(fault))).is_err(), "{fault:?} was not caught");
    }
}

/// A backend whose part of the profile for little stack is wrong in one way.
#[derive(Clone, Copy, PartialEq, Debug)]
enum PieceFault {
    None,
    /// The first coefficients are sampled again instead of being appended to.
    SampleReplaces,
    /// A piece of which nothing is accepted counts as one coefficient.
    SampleCounts,
    /// The last piece is added where the one before it is.
    Number,
    /// What was in the sum is lost.
    Replaces,
    /// The next coefficient is written, too.
    WritesBeyond,
    /// A sum is right, but not within its bounds.
    Normalise,
    /// The last coefficient of the inverse transform is wrong.
    Inverse,
}

#[derive(Clone)]
struct FaultyPieces(PieceFault);

impl KeccakBackend for FaultyPieces {
    type State = <Soft as KeccakBackend>::State;

    fn permute(&self, state: &mut Self::State) {
        Soft.permute(state);
    }

    fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
        Soft.xor_bytes(state, offset, bytes);
    }

    fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
        Soft.copy_bytes(state, offset, bytes);
    }
}

impl MlKemBackend for FaultyPieces {
    type Operand = Poly;
    type Sum = SoftSum;
    type Bytes = <Soft as MlKemBackend>::Bytes;

    mlkem_from! { self => Soft; encodings }
    mlkem_from! { self => Soft; packing }
    mlkem_from! { self => Soft; sampling }
    mlkem_from! { self => Soft; products }
    mlkem_from! { self => Soft; transforms }
}

impl Compact for FaultyPieces {
    fn sample_piece(&self, piece: &mut [i16; 2 * PIECE], filled: usize, bytes: &[u8; PIECE_BYTES]) -> usize {
        let from = if self.0 == PieceFault::SampleReplaces && filled > 3 { filled - 1 } else { filled };
        let now = Soft.sample_piece(piece, from, bytes);
        now + usize::from(now == filled && filled < PIECE && self.0 == PieceFault::SampleCounts)
    }

    fn add_piece(&self, a: &[i16; PIECE], number: usize, b: &Poly, sum: &mut Poly) {
        let last = N / PIECE - 1;
        let number = if self.0 == PieceFault::Number { number.min(last - 1) } else { number };
        if self.0 == PieceFault::Replaces {
            sum.0[number * PIECE] = 0;
        }
        Soft.add_piece(a, number, b, sum);
        if self.0 == PieceFault::WritesBeyond && number < last {
            sum.0[(number + 1) * PIECE] += 1;
        }
    }

    fn normalise_compact(&self, sum: &mut Poly) {
        Soft.normalise_compact(sum);
        sum.0[5] += if self.0 == PieceFault::Normalise { 3 * Q } else { 0 };
    }

    fn inverse_compact(&self, sum: &mut Poly) {
        Soft.inverse_compact(sum);
        sum.0[255] += i16::from(self.0 == PieceFault::Inverse);
    }
}

#[test]
fn every_fault_of_the_profile_for_little_stack_is_caught() {
    all(&LowStack(FaultyPieces(PieceFault::None)));
    compact::all(&FaultyPieces(PieceFault::None));
    for fault in [
        PieceFault::SampleReplaces,
        PieceFault::SampleCounts,
        PieceFault::Number,
        PieceFault::Replaces,
        PieceFault::WritesBeyond,
        PieceFault::Normalise,
        PieceFault::Inverse,
    ] {
        assert!(catch_unwind(|| all(&LowStack(FaultyPieces(fault)))).is_err(), "{fault:?} was not caught");
        assert!(catch_unwind(|| compact::all(&FaultyPieces(fault))).is_err(), "{fault:?} was not caught by itself");
    }
}
