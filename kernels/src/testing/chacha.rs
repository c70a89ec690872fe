//! Checks of a ChaCha backend: the published vectors, and what they leave open.

use super::Random;
use super::chacha_vectors::{BLOCK, HCHACHA20, Kind, VECTORS, Vector, WRAP};
use crate::backend::Soft;
use crate::chacha::{ChaChaBackend, Construction, Extended, Ietf, Legacy, State, Stream, hchacha};
use crate::params::chacha::{COUNTER_WORD, Counter, Rounds};
use cipher::inout::InOutBuf;
use cipher::{StreamCipher, StreamCipherSeek};

/// Longer than any message in the vectors.
const MESSAGE_BYTES_MAX: usize = 512;

/// Everything below.
pub fn all<B: ChaChaBackend + Clone>(backend: &B) {
    published(backend);
    like_soft(backend);
    counter_ends(backend);
    splits_and_seeks(backend);
}

/// The published vectors: block function, HChaCha, keystreams and ciphertexts.
pub fn published<B: ChaChaBackend + Clone>(backend: &B) {
    let mut out = State::default();
    backend.permute(Rounds::R20, &mut out, &BLOCK[0]);
    assert_eq!(out, BLOCK[1], "RFC 8439, 2.3.2, after 20 rounds");
    backend.block(Rounds::R20, &mut out, &BLOCK[0]);
    assert_eq!(out, BLOCK[2], "RFC 8439, 2.3.2");
    let (key, nonce, subkey) = &HCHACHA20;
    assert_eq!(&hchacha(backend, Rounds::R20, key, nonce), subkey, "draft-irtf-cfrg-xchacha-03, 2.2.1");
    for vector in VECTORS {
        match (vector.kind, vector.rounds) {
            (Kind::Ietf, 20) => encryption::<Ietf<20>, B>(backend, vector),
            (Kind::Extended, 20) => encryption::<Extended<20>, B>(backend, vector),
            (Kind::Legacy, 20) => encryption::<Legacy<20>, B>(backend, vector),
            (Kind::Legacy, 12) => encryption::<Legacy<12>, B>(backend, vector),
            (Kind::Legacy, 8) => encryption::<Legacy<8>, B>(backend, vector),
            other => panic!("{}: no cipher for {other:?}", vector.source),
        }
    }
    let mut keystream = [0; WRAP.len()];
    let state = with_counter(Legacy::<8>::setup(backend, &[0; 32], &[0; 8].into()), Counter::Djb, u64::MAX);
    assert_eq!(backend.xor(Rounds::R8, Counter::Djb, &state, keystream.as_mut_slice().into()), Ok(()));
    assert_eq!(keystream, WRAP, "the 64-bit counter wraps");
}

/// One vector through the raw interface and through the stream cipher; from buffer to buffer and in place.
fn encryption<C: Construction, B: ChaChaBackend + Clone>(backend: &B, vector: &Vector) {
    let length = vector.output.len();
    let mut input = [0; MESSAGE_BYTES_MAX];
    input[..vector.input.len()].copy_from_slice(vector.input);
    let input = &input[..length];
    let nonce = vector.nonce.try_into().expect("a nonce of the construction's length");
    let state = with_counter(C::setup(backend, vector.key, nonce), C::COUNTER, vector.counter);
    let mut output = [0; MESSAGE_BYTES_MAX];
    let output = &mut output[..length];
    let data = InOutBuf::new(input, output).expect("equal lengths");
    assert_eq!(backend.xor(C::ROUNDS, C::COUNTER, &state, data), Ok(()), "{}", vector.source);
    assert_eq!(output, vector.output, "{}", vector.source);

    let mut cipher = Stream::<C, B>::with_backend(backend.clone(), vector.key.into(), nonce);
    cipher.try_seek(vector.counter * 64).expect("a position inside the keystream");
    cipher.try_apply_keystream(output).expect("enough keystream");
    assert_eq!(output, input, "{}: decryption in place", vector.source);
}

/// The state with another block counter.
fn with_counter(mut state: State, counter: Counter, block: u64) -> State {
    state[COUNTER_WORD] = block as u32;
    if counter == Counter::Djb {
        state[COUNTER_WORD + 1] = (block >> 32) as u32;
    }
    state
}

/// The same results as [`Soft`] for 8, 12 and 20 rounds: random states, and messages of every length up to 257 bytes.
pub fn like_soft<B: ChaChaBackend>(backend: &B) {
    let mut random = Random::new(1);
    for rounds in [Rounds::R8, Rounds::R12, Rounds::R20] {
        let state = random.words();
        let (mut got, mut expected) = (State::default(), State::default());
        backend.permute(rounds, &mut got, &state);
        Soft.permute(rounds, &mut expected, &state);
        assert_eq!(got, expected, "{rounds} rounds, permutation of {state:08x?}");
        backend.block(rounds, &mut got, &state);
        Soft.block(rounds, &mut expected, &state);
        assert_eq!(got, expected, "{rounds} rounds, block of {state:08x?}");
        for length in 0..=257 {
            for counter in [Counter::Ietf, Counter::Djb] {
                let state = with_counter(random.words(), counter, random.next_u64() >> 8);
                let mut input = [0; 257];
                random.fill(&mut input);
                let (mut got, mut expected) = (input, input);
                let got_end = backend.xor(rounds, counter, &state, (&mut got[..length]).into());
                let expected_end = Soft.xor(rounds, counter, &state, (&mut expected[..length]).into());
                assert_eq!(got_end, expected_end, "{rounds} rounds, {counter:?}, {length} bytes");
                assert_eq!(got, expected, "{rounds} rounds, {counter:?}, {length} bytes");
            }
        }
    }
}

/// A message that needs the last block is encrypted; one that needs one block more is refused and stays as it is; the
/// 64-bit counter carries and wraps.
pub fn counter_ends<B: ChaChaBackend + Clone>(backend: &B) {
    for (block, length, accepted) in [
        (u32::MAX, 0, true),
        (u32::MAX, 1, true),
        (u32::MAX, 64, true),
        (u32::MAX, 65, false),
        (u32::MAX - 1, 128, true),
        (u32::MAX - 1, 129, false),
        (u32::MAX - 3, 257, false),
        (u32::MAX - 4, 257, true),
    ] {
        let state = with_counter(Random::new(2).words(), Counter::Ietf, block.into());
        let mut data = [0xa5; 257];
        let end = backend.xor(Rounds::R20, Counter::Ietf, &state, (&mut data[..length]).into());
        assert_eq!(end.is_ok(), accepted, "counter {block}, {length} bytes");
        assert!(accepted || data == [0xa5; 257], "counter {block}, {length} bytes: refused, but something was written");
    }
    stream_end::<Ietf<20>, B>(backend);
    stream_end::<Extended<12>, B>(backend);
    stream_end::<Legacy<8>, B>(backend);
    for block in [u64::from(u32::MAX), u64::MAX] {
        let state = with_counter(Random::new(3).words(), Counter::Djb, block);
        let mut both = [0; 128];
        assert_eq!(backend.xor(Rounds::R20, Counter::Djb, &state, both.as_mut_slice().into()), Ok(()));
        let state = with_counter(state, Counter::Djb, block.wrapping_add(1));
        let mut second = [0; 64];
        assert_eq!(backend.xor(Rounds::R20, Counter::Djb, &state, second.as_mut_slice().into()), Ok(()));
        assert_eq!(both[64..], second, "the block after {block:#x}");
    }
}

/// The stream cipher gives its last byte of keystream and not one more.
fn stream_end<C: Construction, B: ChaChaBackend + Clone>(backend: &B) {
    let mut cipher = Stream::<C, B>::with_backend(backend.clone(), &[1; 32].into(), &Default::default());
    let end = C::COUNTER.blocks() * 64;
    assert!(cipher.try_seek(end + 1).is_err(), "{cipher:?}: past the end");
    for (before_end, length, accepted) in
        [(0, 0, true), (0, 1, false), (1, 1, true), (1, 2, false), (64, 64, true), (100, 100, true), (100, 101, false)]
    {
        cipher.try_seek(end - before_end).expect("a position inside the keystream");
        let mut data = [0x5a; 128];
        let result = cipher.try_apply_keystream(&mut data[..length]);
        assert_eq!(result.is_ok(), accepted, "{cipher:?}: {length} bytes, {before_end} before the end");
        assert!(accepted || data == [0x5a; 128], "{cipher:?}: refused, but something was written");
        let position = end - before_end + if accepted { length as u128 } else { 0 };
        assert_eq!(cipher.current_pos::<u128>(), position, "{cipher:?}");
    }
}

/// However a message is cut, and wherever the cipher is sent in between, the keystream is the same.
pub fn splits_and_seeks<B: ChaChaBackend + Clone>(backend: &B) {
    let mut random = Random::new(4);
    let fresh = Stream::<Ietf<8>, B>::with_backend(backend.clone(), &[2; 32].into(), &[3; 12].into());
    let mut whole = [0; MESSAGE_BYTES_MAX];
    fresh.clone().write_keystream(&mut whole);
    let mut cipher = fresh;
    for _ in 0..64 {
        let mut at = random.below(MESSAGE_BYTES_MAX);
        cipher.seek(at as u32);
        while at < MESSAGE_BYTES_MAX {
            let length = random.below(MESSAGE_BYTES_MAX - at + 1).min(random.below(200));
            let mut piece = [0; MESSAGE_BYTES_MAX];
            cipher.apply_keystream(&mut piece[..length]);
            assert_eq!(piece[..length], whole[at..at + length], "{length} bytes at {at}");
            at += length;
            assert_eq!(cipher.current_pos::<u64>(), at as u64);
        }
    }
}
