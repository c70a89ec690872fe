//! The portable backend: known answers, equality with RustCrypto, and what is refused.

use kernels::Soft;
use kernels::kem::common::rand_core::{TryCryptoRng, TryRng};
use kernels::kem::{self, Decapsulate, Decapsulator, Encapsulate, Kem, KeyExport, TryKeyInit};
use kernels::mlkem::{
    DecapsulationKey, EncapsulationKey, KeyError, Kyber512_90s, LowStack, MlKem512, MlKem768, MlKem1024, ParameterSet,
    Scheme, Visitor, each_set, raw,
};
use kernels::params::mlkem::{N, Q, ZETA, ZETAS};
use kernels::testing::mlkem::known_answers::{self, Accumulated};
use kernels::testing::mlkem::{all, compact, rejection};
use kernels::testing::{Random, nist};
use std::convert::Infallible;

/// True if the long sweeps are wanted.
fn full() -> bool {
    std::env::var_os("QUADROUND_FULL").is_some()
}

#[test]
fn soft_passes_every_check() {
    all(&Soft);
    all(&LowStack(Soft));
    compact::all(&Soft);
}

/// FIPS 203 appendix A: the formula, and the first and the last of the printed numbers.
#[test]
fn twiddles_follow_their_formula() {
    for (i, power) in ZETAS.into_iter().enumerate() {
        let exponent = format!("{i:07b}").chars().rev().collect::<String>();
        let exponent = u32::from_str_radix(&exponent, 2).unwrap();
        let expected = (0..exponent).fold(1, |power, _| power * i64::from(ZETA) % i64::from(Q));
        assert_eq!(i64::from(power), expected, "{i}");
    }
    assert_eq!(ZETAS[..8], [1, 1729, 2580, 3289, 2642, 630, 1897, 848]);
    assert_eq!(ZETAS[124..], [2110, 2935, 885, 2154]);
}

struct EveryRecord;

impl Visitor for EveryRecord {
    fn visit<P: ParameterSet>(&mut self) {
        known_answers::every::<P, Soft>(&Soft);
        known_answers::some::<P, Soft>(&Soft, 2);
    }
}

#[test]
fn known_answers_are_those_published() {
    each_set(&mut EveryRecord);
}

/// The generator's first output is the first seed of all known-answer files.
#[test]
fn seeds_of_known_answers_are_nists() {
    let seed: [u8; 48] = nist::Drbg::new(&core::array::from_fn(|i| i as u8)).bytes();
    let shown: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7056a8c266f9ef97ed08541dbd2e1ffa1";
    assert_eq!(shown, expected);
}

#[test]
fn accumulated_vectors_are_those_published() {
    let count = if full() { Accumulated::Many } else { Accumulated::Few };
    known_answers::accumulated::<MlKem512, Soft>(&Soft, count);
    known_answers::accumulated::<MlKem768, Soft>(&Soft, count);
    known_answers::accumulated::<MlKem1024, Soft>(&Soft, count);
}

struct EveryByte;

impl Visitor for EveryByte {
    fn visit<P: ParameterSet>(&mut self) {
        rejection::<P, Soft>(&Soft, 1);
    }
}

#[test]
fn a_change_of_any_byte_of_a_ciphertext_gives_the_key_for_rejection() {
    each_set(&mut EveryByte);
}

/// Key generation, encapsulation and decapsulation of right and wrong ciphertexts give what RustCrypto's give.
macro_rules! same_as_rustcrypto {
    ($set:ident) => {
        let mut random = Random::new(50);
        for round in 0..if full() { 500 } else { 50 } {
            let (mut seed, mut m) = ([0; 64], [0; 32]);
            random.fill(&mut seed);
            random.fill(&mut m);
            let ours = DecapsulationKey::<$set>::from_seed(&seed);
            let theirs = ml_kem::DecapsulationKey::<ml_kem::$set>::from_seed(seed.into());
            assert_eq!(ours.encapsulation_key().as_bytes()[..], theirs.encapsulation_key().to_bytes()[..], "{round}");
            #[allow(deprecated)]
            let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&theirs);
            assert_eq!(ours.to_expanded()[..], expanded[..], "{round}");
            let (mut ciphertext, key) = ours.encapsulation_key().encapsulate_with_message(&m);
            let expected = theirs.encapsulation_key().encapsulate_deterministic(&m.into());
            assert_eq!((ciphertext, key), expected, "{round}");
            let at = random.below(ciphertext.len());
            ciphertext[at] ^= 1 << random.below(8);
            assert_eq!(ours.decapsulate(&ciphertext), theirs.decapsulate(&ciphertext), "{round}");
            random.fill(&mut ciphertext);
            assert_eq!(ours.decapsulate(&ciphertext), theirs.decapsulate(&ciphertext), "{round}");
        }
    };
}

#[test]
fn all_operations_equal_those_of_rustcrypto() {
    same_as_rustcrypto!(MlKem512);
    same_as_rustcrypto!(MlKem768);
    same_as_rustcrypto!(MlKem1024);
}

/// A key pair of this set.
fn key<P: ParameterSet>() -> DecapsulationKey<P> {
    DecapsulationKey::from_seed(&core::array::from_fn(|i| i as u8))
}

struct Refusals;

impl Visitor for Refusals {
    fn visit<P: ParameterSet>(&mut self) {
        let name = P::ROW.name;
        let dk = key::<P>();
        let (ek, expanded) = (dk.encapsulation_key().as_bytes(), dk.to_expanded());
        let refused = |bytes: &[u8]| EncapsulationKey::<P>::from_slice(bytes).err();
        assert_eq!(refused(ek), None, "{name}");
        for index in 0..N * P::ROW.k {
            for (value, fine) in [(Q - 1, true), (Q, false), (Q + 1, false), (4095, false)] {
                let mut wrong = ek.clone();
                let (pair, value) = (index / 2 * 3, value.to_le_bytes());
                match index % 2 {
                    0 => (wrong[pair], wrong[pair + 1]) = (value[0], wrong[pair + 1] & 0xf0 | value[1]),
                    _ => {
                        wrong[pair + 1] = wrong[pair + 1] & 0x0f | value[0] << 4;
                        wrong[pair + 2] = value[0] >> 4 | value[1] << 4;
                    }
                }
                let expected = if fine { None } else { Some(KeyError::Coefficient { index }) };
                assert_eq!(refused(&wrong), expected, "{name}");
            }
        }
        for found in [0, 1, ek.len() - 1, ek.len() + 1, expanded.len()] {
            let expected = KeyError::Length { expected: ek.len(), found };
            assert_eq!(refused(&vec![0; found]), Some(expected), "{name}");
        }
        refused_expanded::<P>(&expanded);
    }
}

/// Wrong lengths, and a changed byte: in the encapsulation key or its hash it is found, elsewhere it cannot be.
fn refused_expanded<P: ParameterSet>(expanded: &[u8]) {
    let name = P::ROW.name;
    let refused = |bytes: &[u8]| DecapsulationKey::<P>::from_expanded(bytes).err();
    assert_eq!(refused(expanded), None, "{name}");
    assert_eq!(
        DecapsulationKey::<P>::from_expanded(expanded).expect("a good key").to_expanded()[..],
        *expanded,
        "{name}"
    );
    for found in [0, 64, expanded.len() - 1, expanded.len() + 1] {
        let expected = KeyError::Length { expected: expanded.len(), found };
        assert_eq!(refused(&vec![0; found]), Some(expected), "{name}");
    }
    let public = P::ROW.vector_bytes()..P::ROW.vector_bytes() + P::ROW.ek_bytes() + 32;
    for at in 0..expanded.len() {
        let mut wrong = expanded.to_vec();
        wrong[at] ^= 0x10;
        assert_eq!(refused(&wrong), public.contains(&at).then_some(KeyError::Hash), "{name}, byte {at}");
    }
    // The right hash of an encapsulation key that is not reduced.
    let mut wrong = expanded.to_vec();
    wrong[public.start..][..3].fill(0xff);
    let ek = wrong[public.start..public.end - 32].try_into().expect("its length");
    let mut hash = [0; 32];
    raw::hash::<P, Soft>(&Soft, ek, &mut hash);
    wrong[public.end - 32..public.end].copy_from_slice(&hash);
    assert_eq!(refused(&wrong), Some(KeyError::Coefficient { index: 0 }), "{name}");
}

#[test]
fn bad_keys_are_refused_with_the_reason() {
    each_set(&mut Refusals);
}

#[test]
fn reasons_are_told_in_words() {
    for (error, expected) in [
        (KeyError::Length { expected: 800, found: 7 }, "the key has 7 bytes where its parameter set has 800"),
        (
            KeyError::Coefficient { index: 255 },
            "coefficient 255 of the encapsulation key is not reduced: the key is damaged or forged",
        ),
        (
            KeyError::Hash,
            "the decapsulation key does not contain the hash of its encapsulation key: it is damaged or forged",
        ),
    ] {
        assert_eq!(error.to_string(), expected);
    }
}

/// A generator for tests.
struct Generator(Random);

impl TryRng for Generator {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Generator {}

/// As code that knows nothing but the traits uses a mechanism.
fn exchange<K>()
where
    K: Kem + kem::FromSeed<SeedSize = kem::consts::U64>,
    K::DecapsulationKey: Decapsulate,
{
    let (dk, ek) = K::generate_keypair_from_rng(&mut Generator(Random::new(60)));
    assert_eq!(&ek, dk.encapsulation_key());
    let received = K::EncapsulationKey::new(&ek.to_bytes()).expect("a good key");
    let (ciphertext, sent) = received.encapsulate_with_rng(&mut Generator(Random::new(61)));
    assert_eq!(dk.decapsulate(&ciphertext), sent);
    assert!(dk.decapsulate_slice(&ciphertext[1..]).is_err());
    let (mut seed, mut bad) = ([0; 64], ek.to_bytes());
    Random::new(60).fill(&mut seed);
    assert_eq!(K::from_seed(&seed.into()).1, ek);
    bad[..3].fill(0xff);
    assert!(K::EncapsulationKey::new(&bad).is_err());
    assert!(K::EncapsulationKey::new_from_slice(&bad[1..]).is_err());
}

struct Exchange;

impl Visitor for Exchange {
    fn visit<P: ParameterSet>(&mut self) {
        exchange::<Scheme<P>>();
    }
}

#[test]
fn the_traits_of_the_kem_crate_are_enough() {
    each_set(&mut Exchange);
}

#[test]
fn debug_output_names_the_parameter_set_and_nothing_else() {
    assert_eq!(format!("{:?}", key::<MlKem768>()), "DecapsulationKey<ML-KEM-768> { .. }");
    let dk = key::<Kyber512_90s>();
    assert_eq!(format!("{:?}", dk.encapsulation_key()), "EncapsulationKey<Kyber512-90s> { .. }");
}
