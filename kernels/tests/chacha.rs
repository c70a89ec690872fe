//! The portable backend: the published vectors, and equality with the `chacha20` crate.

use kernels::Soft;
use kernels::chacha::{self, State, quarter_round};
use kernels::cipher::consts::{U8, U12, U24};
use kernels::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek, array::Array};
use kernels::params::chacha::{BadRounds, Rounds};
use kernels::testing::{self, Random};

#[test]
fn soft_passes_the_published_vectors() {
    testing::chacha::all(&Soft);
}

#[test]
fn quarter_round_is_the_one_of_rfc_8439() {
    // 2.1.1, on the first words of an otherwise empty state.
    let mut state: State = [0; 16];
    state[..4].copy_from_slice(&[0x11111111, 0x01020304, 0x9b8d6f43, 0x01234567]);
    quarter_round(&mut state, [0, 1, 2, 3]);
    assert_eq!(state[..4], [0xea2a92f4, 0xcb1cf8ce, 0x4581472e, 0x5881c4bb]);
    // 2.2.1: words 2, 7, 8 and 13 change, the others stay.
    let mut state: State = [
        0x879531e0, 0xc5ecf37d, 0x516461b1, 0xc9a62f8a, 0x44c20ef3, 0x3390af7f, 0xd9fc690b, 0x2a5f714c, 0x53372767,
        0xb00a5631, 0x974c541a, 0x359e9963, 0x5c971061, 0x3d631689, 0x2098d9d6, 0x91dbd320,
    ];
    let mut expected = state;
    (expected[2], expected[7], expected[8], expected[13]) = (0xbdb886dc, 0xcfacafd2, 0xe46bea80, 0xccc07c79);
    quarter_round(&mut state, [2, 7, 8, 13]);
    assert_eq!(state, expected);
}

#[test]
fn rounds_are_even_and_not_zero() {
    for (number, expected) in [(0, None), (1, None), (2, Some(1)), (7, None), (8, Some(4)), (20, Some(10))] {
        let rounds = Rounds::new(number);
        assert_eq!(rounds.ok().map(Rounds::pairs), expected, "{number}");
        assert!(expected.is_some() || rounds == Err(BadRounds(number)));
    }
}

/// A cipher of ours and the other crate's give the same keystream for every length up to 257 and at every position,
/// in particular on both sides of 2^32 blocks if there are so many.
fn same<Ours, Theirs, N>(nonce: Array<u8, N>, positions: &[u128])
where
    N: kernels::cipher::array::ArraySize,
    Ours: KeyIvInit<KeySize = kernels::cipher::consts::U32, IvSize = N> + StreamCipher + StreamCipherSeek,
    Theirs: KeyIvInit<KeySize = kernels::cipher::consts::U32, IvSize = N> + StreamCipher + StreamCipherSeek,
{
    let key = [0x42; 32].into();
    for &position in positions {
        for length in 0..=257 {
            let (mut ours, mut theirs) = (Ours::new(&key, &nonce), Theirs::new(&key, &nonce));
            ours.seek(position);
            theirs.seek(position);
            let mut input = [0; 257];
            Random::new(length as u64).fill(&mut input);
            let (mut got, mut expected) = ([0; 257], [0; 257]);
            ours.apply_keystream_b2b(&input[..length], &mut got[..length]);
            theirs.apply_keystream_b2b(&input[..length], &mut expected[..length]);
            assert_eq!(got, expected, "{length} bytes at {position}");
            assert_eq!(ours.current_pos::<u128>(), theirs.current_pos::<u128>());
            ours.apply_keystream(&mut got);
            theirs.apply_keystream(&mut expected);
            assert_eq!(got, expected, "after {length} bytes at {position}");
        }
    }
}

#[test]
fn keystreams_equal_those_of_the_chacha20_crate() {
    let near = [0, 1, 63, 64, 100, 6400, (1 << 36) + 5];
    let far = [0, 77, (1 << 38) - 70, (1 << 38) - 64, (1 << 38) + 3, (1 << 69) + 1];
    let nonce: Array<u8, U12> = [7; 12].into();
    same::<chacha::ChaCha8, chacha20::ChaCha8, U12>(nonce, &near);
    same::<chacha::ChaCha12, chacha20::ChaCha12, U12>(nonce, &near);
    same::<chacha::ChaCha20, chacha20::ChaCha20, U12>(nonce, &near);
    let nonce: Array<u8, U24> = core::array::from_fn(|i| i as u8).into();
    same::<chacha::XChaCha8, chacha20::XChaCha8, U24>(nonce, &near);
    same::<chacha::XChaCha12, chacha20::XChaCha12, U24>(nonce, &near);
    same::<chacha::XChaCha20, chacha20::XChaCha20, U24>(nonce, &near);
    same::<chacha::ChaCha20Legacy, chacha20::ChaCha20Legacy, U8>([9; 8].into(), &far);
}

#[test]
fn hchacha_equals_that_of_the_chacha20_crate() {
    let mut random = Random::new(5);
    for _ in 0..100 {
        let (mut key, mut nonce) = ([0; 32], [0; 16]);
        random.fill(&mut key);
        random.fill(&mut nonce);
        let expected = [
            chacha20::hchacha::<chacha20::R8>(&key.into(), &nonce.into()),
            chacha20::hchacha::<chacha20::R12>(&key.into(), &nonce.into()),
            chacha20::hchacha::<chacha20::R20>(&key.into(), &nonce.into()),
        ];
        for (rounds, expected) in [Rounds::R8, Rounds::R12, Rounds::R20].into_iter().zip(expected) {
            assert_eq!(chacha::hchacha(&Soft, rounds, &key, &nonce)[..], expected[..], "{rounds} rounds");
        }
    }
}

#[test]
fn debug_output_names_the_cipher_and_nothing_else() {
    let key = [0xab; 32].into();
    for (shown, expected) in [
        (format!("{:?}", chacha::ChaCha20::new(&key, &[0xcd; 12].into())), "ChaCha20 { .. }"),
        (format!("{:?}", chacha::XChaCha12::new(&key, &[0xcd; 24].into())), "XChaCha12 { .. }"),
        (format!("{:?}", chacha::ChaCha8Legacy::new(&key, &[0xcd; 8].into())), "ChaCha8Legacy { .. }"),
    ] {
        assert_eq!(shown, expected);
    }
}
