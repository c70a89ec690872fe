//! Schemes with everything secret that is: seeds, messages, keys. The simulator follows them through the compiled code.

use super::board::BOARD;
use super::linked::Core;
use super::report::{Body, Report, fail};
use super::watched::{Watched, is_there, public, secret, secret_bytes};
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, Construction, Extended, Ietf, Legacy, Stream};
use kernels::cipher::{Iv, Key, KeyIvInit, StreamCipher, StreamCipherSeek};
use kernels::mlkem::{
    DecapsulationKey, EncapsulationKey, LowStack, MlKemBackend, ParameterSet, SharedKey, Visitor, each_set,
};
use kernels::params::mlkem::Transform;
use kernels::testing::Random;

/// What the firmware itself looks at to see that results are right. No scheme does that.
const RESULT: &str = "result";

/// All schemes.
pub const SECRETS: Body = Body::Numbers(|report| {
    // An emulator has no cycle counter, and boards answer no semihosting.
    if !BOARD.semihosting || !report.counts || !is_there() {
        fail(format_args!("this program is for the simulator, on a board with semihosting: use `--run sim`"));
    }
    each_set(&mut Kem::<'_, Core, true> { report, backend: Watched::default() });
    each_set(&mut Kem::<'_, LowStack<Core>, false> { report, backend: Watched::default() });
    each_set(&mut Kem::<'_, Soft, false> { report, backend: Watched::default() });
    ciphers::<Core>(report);
    ciphers::<Soft>(report);
});

/// Tries each parameter set, or those of the standard only: the others have little code of their own.
struct Kem<'a, B, const ALL: bool> {
    report: &'a mut Report,
    backend: Watched<B>,
}

impl<B: MlKemBackend + Copy + Default, const ALL: bool> Visitor for Kem<'_, B, ALL> {
    fn visit<P: ParameterSet>(&mut self) {
        if const { !ALL && matches!(P::ROW.transform, Transform::Round3) } {
            return;
        }
        let backend = self.backend;
        self.report.numbers(P::ROW.name, &["secret bytes of shared keys"], |values| values[0] = kem::<P, _>(backend));
    }
}

/// Everything with a pair of keys. Gives the number of secret bytes in what comes out: a key sent, received, and that of a
/// wrong ciphertext.
fn kem<P: ParameterSet, B: MlKemBackend + Copy>(backend: B) -> u32 {
    let mut random = Random::new(6);
    let (mut seed, mut message) = ([0; 64], [0; 32]);
    random.fill(&mut seed);
    random.fill(&mut message);
    secret("seed", &mut seed);
    secret("message", &mut message);
    let generated = DecapsulationKey::<P, _>::from_seed_with(backend, &seed);
    let Ok(ek) = EncapsulationKey::<P, _>::with_backend(backend, generated.encapsulation_key().as_bytes()) else {
        panic!("{}: a key of its own is refused", P::ROW.name);
    };
    let (mut ciphertext, mut sent) = ek.encapsulate_with_message(&message);
    let mut expanded = generated.to_expanded();
    secret("dk", &mut expanded);
    let Ok(dk) = DecapsulationKey::<P, _>::from_expanded_with(backend, &expanded) else {
        panic!("{}: an expanded key of its own is refused", P::ROW.name);
    };
    let mut received = dk.decapsulate(&ciphertext);
    ciphertext[0] ^= 1;
    let mut rejected = dk.decapsulate(&ciphertext);
    let keys = [&mut sent, &mut received, &mut rejected];
    let secrets = keys.into_iter().map(result).sum();
    assert!(sent == received && sent != rejected, "{}: wrong keys", P::ROW.name);
    secrets
}

/// How many bytes of a shared key are secret, which it is not from here on.
fn result(key: &mut SharedKey) -> u32 {
    let secrets = secret_bytes(key);
    public(RESULT, key);
    secrets
}

/// Every kind of stream.
fn ciphers<B: ChaChaBackend + Default>(report: &mut Report) {
    for (name, cipher) in [
        ("ChaCha20", cipher::<Ietf<20>, B> as fn() -> u32),
        ("XChaCha20", cipher::<Extended<20>, B>),
        ("ChaCha20Legacy", cipher::<Legacy<20>, B>),
    ] {
        report.numbers(name, &["secret bytes of 300"], |values| values[0] = cipher());
    }
}

/// A message in pieces, from the middle of a block on. Gives the number of secret bytes in it.
fn cipher<C: Construction, B: ChaChaBackend + Default>() -> u32 {
    let mut key = Key::<Stream<C, B>>::default();
    Random::new(7).fill(&mut key);
    secret("cipher key", &mut key);
    let mut cipher = Stream::<C, B>::new(&key, &Iv::<Stream<C, B>>::default());
    cipher.seek(70_u32);
    let mut message = [0; 300];
    let (first, rest) = message.split_at_mut(13);
    cipher.apply_keystream(first);
    cipher.apply_keystream(rest);
    secret_bytes(&message)
}
