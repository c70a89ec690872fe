//! The portable backend: NIST's examples, the formulas behind the constants, and equality with RustCrypto.

use kernels::Soft;
use kernels::keccak::{
    Interleaved, KeccakBackend, Sha3_256, Sha3_512, Shake128, Shake256, Sponge, digest, interleaved,
};
use kernels::params::keccak::{LANES, ROTATIONS, ROUND_CONSTANTS, STATE_BYTES};
use kernels::testing::{self, Random};
use sha3::Digest;
use shake::digest::{ExtendableOutput, Update, XofReader};

#[test]
fn soft_passes_the_published_vectors() {
    testing::keccak::all(&Soft);
}

/// A backend whose lanes have their even and odd bits apart, except while they are permuted.
struct Apart;

impl KeccakBackend for Apart {
    type State = Interleaved;

    fn permute(&self, state: &mut Interleaved) {
        let (mut whole, mut bytes) = (Default::default(), [0; STATE_BYTES]);
        self.copy_bytes(state, 0, &mut bytes);
        Soft.xor_bytes(&mut whole, 0, &bytes);
        Soft.permute(&mut whole);
        Soft.copy_bytes(&whole, 0, &mut bytes);
        *state = Interleaved::default();
        self.xor_bytes(state, 0, &bytes);
    }

    fn xor_bytes(&self, state: &mut Interleaved, offset: usize, bytes: &[u8]) {
        state.xor_bytes(offset, bytes, interleaved::xor_lanes);
    }

    fn copy_bytes(&self, state: &Interleaved, offset: usize, bytes: &mut [u8]) {
        state.copy_bytes(offset, bytes, interleaved::copy_lanes);
    }
}

#[test]
fn lanes_whose_even_and_odd_bits_are_apart_pass_the_published_vectors() {
    testing::keccak::all(&Apart);
}

/// Bit 2i of a lane is bit i of its first word, bit 2i + 1 is bit i of its second.
#[test]
fn even_and_odd_bits_are_apart() {
    for bit in 0..8 * STATE_BYTES {
        let (mut state, mut bytes) = (Interleaved::default(), [0; STATE_BYTES]);
        bytes[bit / 8] = 1 << (bit % 8);
        Apart.xor_bytes(&mut state, 0, &bytes);
        let mut expected = [0; 2 * LANES];
        expected[2 * (bit / 64) + bit % 2] = 1 << (bit % 64 / 2);
        assert_eq!(state.0, expected, "bit {bit}");
    }
}

/// FIPS 202, algorithm 2, step 3.
#[test]
fn rotations_follow_their_formula() {
    let mut expected = [0; LANES];
    let (mut x, mut y) = (1, 0);
    for t in 0..24 {
        expected[x + 5 * y] = (t + 1) * (t + 2) / 2 % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
    }
    assert_eq!(ROTATIONS, expected);
}

/// FIPS 202, algorithms 5 and 6.
#[test]
fn round_constants_follow_their_formula() {
    let mut register = 1u16;
    let mut bit = || {
        let out = register & 1;
        register <<= 1;
        // x^8 is x^6 + x^5 + x^4 + 1.
        register ^= (register >> 8) * 0b1_0111_0001;
        u64::from(out)
    };
    for constant in ROUND_CONSTANTS {
        let expected = (0..7).map(|j| bit() << ((1 << j) - 1)).sum();
        assert_eq!(constant, expected);
    }
}

#[test]
fn all_functions_equal_those_of_rustcrypto() {
    let mut random = Random::new(12);
    for length in (0..700).chain([4000, 5001]) {
        let mut message = vec![0; length];
        random.fill(&mut message);
        let mut got = [0; 1000];
        digest::<Sha3_256, Soft>(Soft, &[&message], &mut got[..32]);
        assert_eq!(got[..32], sha3::Sha3_256::digest(&message)[..], "SHA3-256, {length} bytes");
        digest::<Sha3_512, Soft>(Soft, &[&message], &mut got[..64]);
        assert_eq!(got[..64], sha3::Sha3_512::digest(&message)[..], "SHA3-512, {length} bytes");

        let mut expected = [0; 1000];
        let mut hasher = shake::Shake128::default();
        hasher.update(&message);
        hasher.finalize_xof().read(&mut expected);
        digest::<Shake128, Soft>(Soft, &[&message], &mut got);
        assert_eq!(got, expected, "SHAKE128, {length} bytes");
        let mut hasher = shake::Shake256::default();
        hasher.update(&message);
        hasher.finalize_xof().read(&mut expected);
        digest::<Shake256, Soft>(Soft, &[&message], &mut got);
        assert_eq!(got, expected, "SHAKE256, {length} bytes");
    }
}

#[test]
fn debug_output_shows_no_state() {
    let mut sponge = Sponge::<Shake256, Soft>::new(Soft);
    sponge.update(&[0xab; 7]);
    assert_eq!(format!("{sponge:?}"), "SHAKE256 { .. }");
    assert_eq!(format!("{:?}", sponge.finish()), "SHAKE256 { .. }");
}
