//! The published digests of known answers.

use crate::backend::Soft;
use crate::keccak::{Shake128, Sponge};
use crate::mlkem::{DecapsulationKey, EncapsulationKey, MlKemBackend, ParameterSet};
use crate::params::mlkem::Transform;
use crate::testing::nist::{self, Drbg, Transcript};
use hex_literal::hex;
use hybrid_array::Array;

/// Records of a known-answer file.
pub const RECORDS: usize = 100;

/// Published digests of a parameter set: of the first record, and of all.
struct Digests {
    single: [u8; 32],
    all: [u8; 32],
}

/// ML-KEM: PQClean (`META.yml` of ml-kem-*) and liboqs (`kats.json`). Kyber: the reference of round 3 and liboqs.
fn digests(name: &str) -> Digests {
    let (single, all) = match name {
        "ML-KEM-512" => (
            hex!("c70041a761e01cd6426fa60e9fd6a4412c2be817386c8d0f3334898082512782"),
            hex!("74b470e797cbdbd589a31d387d36c72aad5033446ab5159bf4014c24652b1173"),
        ),
        "ML-KEM-768" => (
            hex!("5352539586b6c3df58be6158a6250aeff402bd73060b0a3de68850ac074c17c3"),
            hex!("e5d6911117c708d8342702db222f66bef5ac5b0314fb8bc36eb22a536c9b34fb"),
        ),
        "ML-KEM-1024" => (
            hex!("f580d851e5fb27e6876e5e203fa18be4cdbfd49e05d48fec3d3992c8f43a13e6"),
            hex!("81d1ae0468f62154885b6f2a293c0eb48f9339645357a88bbbc186c57ab0ace0"),
        ),
        "Kyber512" => (
            hex!("bb0481d3325d828817900b709d23917cefbc10026fc857f098979451f67bb0ca"),
            hex!("0435224d77cc89bf77b82aa82af254b62f25d24e18c44dcd0aa9473cde97217a"),
        ),
        "Kyber768" => (
            hex!("89e82a5bf2d4ddb2c6444e10409e6d9ca65dafbca67d1a0db2c9b54920a29172"),
            hex!("b3a12005fe1ce49f5df510aea6a56bfa4bdc2d3d706afb0361d70dc88188a2a6"),
        ),
        "Kyber1024" => (
            hex!("5afcf2a568ad32d49b55105b032af1850f03f3888ff9e2a72f4059c58e968f60"),
            hex!("b72b97eb9270d76f2c7a8a0b03022c81c879af9e247abff52405127d77dd3a46"),
        ),
        "Kyber512-90s" => (
            hex!("7bfe0653b63b3fac7ee300a6e4801046c1a3d8d445b271633b6c9d81ed125e5b"),
            hex!("71b66a74e74b5696d2406e711f7537c1e659fd632eefc5e9374a276fd133b4c0"),
        ),
        "Kyber768-90s" => (
            hex!("68bf2e3914c0b4e053cefc67dd9f10f567946da5720f0b453b347610c3cc2c0a"),
            hex!("7755f161b333d70a6c2cba4239e0f0d6ac54a322d0e60c746387220999eec73f"),
        ),
        "Kyber1024-90s" => (
            hex!("a1b564348a126a118fbc49a6aeaebcb74896753fd99f30eeb0f75f0b2d25115f"),
            hex!("ffc857936221276ecc5d16e888d45540b03c1b0b920462a98d883c76bf7efb59"),
        ),
        other => panic!("no digests of {other}"),
    };
    Digests { single, all }
}

/// The first record of the known-answer file.
pub fn first<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B) {
    let got = nist::digest(1, |drbg, transcript| record::<P, B>(backend, drbg, transcript));
    assert_eq!(got, digests(P::ROW.name).single, "{}, first record", P::ROW.name);
}

/// All records of the known-answer file.
pub fn every<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B) {
    let got = nist::digest(RECORDS, |drbg, transcript| record::<P, B>(backend, drbg, transcript));
    assert_eq!(got, digests(P::ROW.name).all, "{}, all records", P::ROW.name);
}

/// The first records of the known-answer file give the same text as with [`Soft`], for whom time is no object.
pub fn some<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B, records: usize) {
    let got = nist::digest(records, |drbg, transcript| record::<P, B>(backend, drbg, transcript));
    let expected = nist::digest(records, |drbg, transcript| record::<P, Soft>(&Soft, drbg, transcript));
    assert_eq!(got, expected, "{}, {records} records", P::ROW.name);
}

/// A record: a key pair, an encapsulation, and its decapsulation, which has to give the same key.
fn record<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B, drbg: &mut Drbg, transcript: &mut Transcript) {
    let seed = match P::ROW.transform {
        Transform::Standard => drbg.bytes(),
        Transform::Round3 => {
            let mut seed = [0; 64];
            let (d, z) = seed.split_at_mut(32);
            drbg.fill(d);
            drbg.fill(z);
            seed
        }
    };
    let dk = DecapsulationKey::<P, B>::from_seed_with(backend.clone(), &seed);
    let (ciphertext, key) = dk.encapsulation_key().encapsulate_with_message(&drbg.bytes());
    transcript.line("pk", dk.encapsulation_key().as_bytes());
    transcript.line("sk", &dk.to_expanded());
    transcript.line("ct", &ciphertext);
    transcript.line("ss", &key);
    assert_eq!(dk.decapsulate(&ciphertext), key, "{}: the keys of both sides", P::ROW.name);
}

/// How many of the accumulated vectors are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accumulated {
    /// 100.
    Few,
    /// All 10,000 that have a published digest.
    Many,
}

/// The accumulated vectors of C2SP's CCTV for ML-KEM (FIPS 203 as published, not the draft of 2023): keys, encapsulations,
/// and decapsulations of random ciphertexts, all hashed together. The digests of the first 100 are in the tests of several
/// other implementations.
pub fn accumulated<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B, count: Accumulated) {
    let (few, many) = match P::ROW.name {
        "ML-KEM-512" => (
            hex!("449120c6e320ef3e9fbfa2316e5f2d2e1e6dd37d8ff5d086d5d2db7d42aff0a1"),
            hex!("705dcffc87f4e67e35a09dcaa31772e86f3341bd3ccf1e78a5fef99ae6a35a13"),
        ),
        "ML-KEM-768" => (
            hex!("8d65b902f28edc683cebee2872962fd165a4d197c9e24ec74caa4470270df0b7"),
            hex!("f959d18d3d1180121433bf0e05f11e7908cf9d03edc150b2b07cb90bef5bc1c1"),
        ),
        "ML-KEM-1024" => (
            hex!("c3ffe9ebecfa479c142656cbfbc6417efa05b77e994fe538eef4daed166363df"),
            hex!("e3bf82b013307b2e9d47dde791ff6dfc82e694e6382404abdb948b908b75bad5"),
        ),
        other => panic!("no accumulated vectors of {other}"),
    };
    let (tests, expected) = match count {
        Accumulated::Few => (100, few),
        Accumulated::Many => (10_000, many),
    };
    assert_eq!(accumulate::<P, B>(backend, tests), expected, "{}, {tests} accumulated vectors", P::ROW.name);
}

/// The digest of the first `tests` of the accumulated vectors.
fn accumulate<P: ParameterSet, B: MlKemBackend + Clone>(backend: &B, tests: usize) -> [u8; 32] {
    let mut random = Sponge::<Shake128, Soft>::new(Soft).finish();
    let mut all = Sponge::<Shake128, Soft>::new(Soft);
    for _ in 0..tests {
        let (mut seed, mut m, mut wrong) = ([0; 64], [0; 32], Array::default());
        random.read(&mut seed);
        random.read(&mut m);
        random.read(&mut wrong);
        let dk = DecapsulationKey::<P, B>::from_seed_with(backend.clone(), &seed);
        let published = EncapsulationKey::<P, B>::with_backend(backend.clone(), dk.encapsulation_key().as_bytes());
        let (ciphertext, key) = published.expect("a key of ours").encapsulate_with_message(&m);
        all.update(dk.encapsulation_key().as_bytes());
        all.update(&dk.to_expanded());
        all.update(&ciphertext);
        all.update(&key);
        all.update(&dk.decapsulate(&wrong));
    }
    let mut digest = [0; 32];
    all.finish().read(&mut digest);
    digest
}
