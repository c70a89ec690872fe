//! Keccak: published vectors, and equality with [`Soft`] for every way of cutting messages and output.

use super::Random;
use crate::backend::Soft;
use crate::keccak::{Function, KeccakBackend, Reader, Sha3_256, Sha3_512, Shake128, Shake256, Sponge, digest};
use crate::params::keccak::STATE_BYTES;
use hex_literal::hex;

/// Longer than two blocks of any function.
const BYTES_MAX: usize = 2 * 168 + 9;

/// Every check of this module.
pub fn all<B: KeccakBackend>(backend: &B) {
    published(backend);
    bytes_in_and_out(backend);
    permutations(backend);
    sponges::<Sha3_256, B>(backend);
    sponges::<Sha3_512, B>(backend);
    sponges::<Shake128, B>(backend);
    sponges::<Shake256, B>(backend);
}

/// NIST's examples for FIPS 202 (csrc.nist.gov, "Examples with Intermediate Values"): no message, and 1600 bits.
pub fn published<B: KeccakBackend>(backend: &B) {
    let long = [0xa3; 200];
    let check = |name: &str, got: &[u8], expected: &[u8]| assert_eq!(got, expected, "{name}");
    let mut out = [0; 64];
    digest::<Sha3_256, &B>(backend, &[], &mut out[..32]);
    check("SHA3-256", &out[..32], &hex!("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"));
    digest::<Sha3_256, &B>(backend, &[&long], &mut out[..32]);
    check("SHA3-256", &out[..32], &hex!("79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787"));
    digest::<Sha3_512, &B>(backend, &[], &mut out);
    let expected = hex!(
        "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
        "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26"
    );
    check("SHA3-512", &out, &expected);
    digest::<Sha3_512, &B>(backend, &[&long], &mut out);
    let expected = hex!(
        "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca8"
        "1b7c13c30adf52a3659584739a2df46be589c51ca1a4a8416df6545a1ce8ba00"
    );
    check("SHA3-512", &out, &expected);
    digest::<Shake128, &B>(backend, &[], &mut out[..32]);
    check("SHAKE128", &out[..32], &hex!("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
    digest::<Shake128, &B>(backend, &[&long], &mut out[..32]);
    check("SHAKE128", &out[..32], &hex!("131ab8d2b594946b9c81333f9bb6e0ce75c3b93104fa3469d3917457385da037"));
    digest::<Shake256, &B>(backend, &[], &mut out[..32]);
    check("SHAKE256", &out[..32], &hex!("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"));
    digest::<Shake256, &B>(backend, &[&long], &mut out[..32]);
    check("SHAKE256", &out[..32], &hex!("cd8a920ed141aa0407a22d59288652e9d9f1a7ee0c1e7c1ca699424da84a904d"));
}

/// The whole state, in the order of FIPS 202.
fn dump<B: KeccakBackend>(backend: &B, state: &B::State) -> [u8; STATE_BYTES] {
    let mut bytes = [0; STATE_BYTES];
    backend.copy_bytes(state, 0, &mut bytes);
    bytes
}

/// Every place and every number of bytes: they arrive where they belong, all others stay, and those are copied that were
/// asked for.
pub fn bytes_in_and_out<B: KeccakBackend>(backend: &B) {
    let mut random = Random::new(10);
    let mut state = B::State::default();
    let mut expected = [0; STATE_BYTES];
    assert_eq!(dump(backend, &state), expected, "the default state");
    for offset in 0..=STATE_BYTES {
        for length in 0..=STATE_BYTES - offset {
            // All lengths about a few lanes, some of the longer ones.
            if length > 24 && !(length + offset).is_multiple_of(13) {
                continue;
            }
            let mut bytes = [0; STATE_BYTES];
            random.fill(&mut bytes[..length]);
            backend.xor_bytes(&mut state, offset, &bytes[..length]);
            expected[offset..].iter_mut().zip(&bytes[..length]).for_each(|(byte, added)| *byte ^= added);
            let mut got = [0x5a; STATE_BYTES];
            backend.copy_bytes(&state, offset, &mut got[..length]);
            assert_eq!(got[..length], expected[offset..offset + length], "{length} bytes from {offset}");
            assert!(got[length..].iter().all(|byte| *byte == 0x5a), "more than {length} bytes from {offset}");
            if length % 7 == 0 {
                assert_eq!(dump(backend, &state), expected, "{length} bytes to {offset}");
            }
        }
    }
}

/// The same as [`Soft`]: zeroes, ones, each single bit, and many permutations one after the other.
pub fn permutations<B: KeccakBackend>(backend: &B) {
    let same = |bytes: &[u8; STATE_BYTES], times: usize| {
        let (mut ours, mut softs) = (B::State::default(), Default::default());
        backend.xor_bytes(&mut ours, 0, bytes);
        Soft.xor_bytes(&mut softs, 0, bytes);
        for time in 1..=times {
            backend.permute(&mut ours);
            Soft.permute(&mut softs);
            assert_eq!(dump(backend, &ours), dump(&Soft, &softs), "permutation {time} of {bytes:02x?}");
        }
    };
    same(&[0; STATE_BYTES], 20);
    same(&[0xff; STATE_BYTES], 20);
    for bit in 0..8 * STATE_BYTES {
        let mut bytes = [0; STATE_BYTES];
        bytes[bit / 8] = 1 << (bit % 8);
        same(&bytes, 1);
    }
}

/// Messages of every length to beyond two blocks, at once and in pieces; output at once and in pieces; all like [`Soft`].
pub fn sponges<F: Function, B: KeccakBackend>(backend: &B) {
    let mut random = Random::new(11);
    for length in 0..=BYTES_MAX {
        let mut message = [0; BYTES_MAX];
        random.fill(&mut message[..length]);
        let message = &message[..length];
        let mut expected = [0; BYTES_MAX];
        digest::<F, Soft>(Soft, &[message], &mut expected);
        let mut got = [0; BYTES_MAX];
        digest::<F, &B>(backend, &[message], &mut got);
        assert_eq!(got, expected, "{}, {length} bytes", F::ROW.name);

        let (first, rest) = message.split_at(random.below(length + 1));
        let (second, third) = rest.split_at(random.below(rest.len() + 1));
        let mut sponge = Sponge::<F, &B>::new(backend);
        [first, second, third].into_iter().for_each(|part| sponge.update(part));
        pieces(sponge.finish(), &expected, &mut random);
        pieces(Reader::<F, &B>::new(backend, &[first, second, third]), &expected, &mut random);
    }
}

/// Reads what is expected in pieces of random lengths.
fn pieces<F: Function, B: KeccakBackend>(mut reader: Reader<F, B>, expected: &[u8], random: &mut Random) {
    let mut at = 0;
    while at < expected.len() {
        let mut piece = [0; BYTES_MAX];
        let length = random.below(expected.len() - at + 1).min(1 + random.below(200));
        reader.read(&mut piece[..length]);
        assert_eq!(piece[..length], expected[at..at + length], "{}, {length} bytes at {at}", F::ROW.name);
        at += length;
    }
}
