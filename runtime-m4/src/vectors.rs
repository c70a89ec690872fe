//! Inputs and outputs that are the same on every machine, whatever computes them.

use core::fmt;
use kernels::Soft;
use kernels::chacha::{ChaCha, ChaChaBackend, State, XChaCha, bytes_of};
use kernels::cipher::Array;
use kernels::cipher::StreamCipher;
use kernels::keccak::{Sha3_256, digest};
use kernels::mlkem::{MlKemBackend, ParameterSet, Visitor, each_set, raw};
use kernels::params::chacha::{COUNTER_WORD, Counter, Rounds};
use kernels::testing::Random;

/// The numbers of rounds, in the order of the vectors.
const ROUNDS: [(Rounds, &str); 3] = [(Rounds::R20, "chacha20"), (Rounds::R12, "chacha12"), (Rounds::R8, "chacha8")];

/// Lengths of messages: around the borders of a block, and a long one.
const LENGTHS: [usize; 6] = [1, 63, 64, 65, 128, 200];

/// Bytes of the longest message.
const MESSAGE_BYTES_MAX: usize = 200;

/// A line: what it belongs to, what it is, and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// Kernel or cipher.
    pub name: &'static str,
    /// Which input or output.
    pub what: &'static str,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl fmt::Display for Line<'_> {
    /// A label, and on the next line the bytes, as the scripts of mupq read it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:\n{}", self.name, self.what, Hex(self.bytes))
    }
}

/// Bytes as hexadecimal digits.
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Each parameter set's keys, ciphertext and shared keys, as digests, since they are long.
struct Mechanisms<'a, 'b, B>(&'a B, Random, Take<'b>);

impl<B: MlKemBackend> Visitor for Mechanisms<'_, '_, B> {
    fn visit<P: ParameterSet>(&mut self) {
        let Mechanisms(backend, random, take) = self;
        let mut line = |what, bytes: &[u8]| take(Line { name: P::ROW.name, what, bytes });
        let ([mut d, mut z, mut m], mut key) = ([[0; 32]; 3], [0; 32]);
        [&mut d, &mut z, &mut m].into_iter().for_each(|bytes| random.fill(bytes));
        line("d", &d);
        line("z", &z);
        line("m", &m);
        let (mut secret, mut ek, mut ciphertext) = (Array::default(), Array::default(), Array::default());
        raw::generate::<P, B>(backend, &d, &mut secret, &mut ek);
        let mut hash = [0; 32];
        raw::hash::<P, B>(backend, &ek, &mut hash);
        line("secret (SHA3-256)", &digest_of(&secret));
        line("encapsulation key (SHA3-256)", &digest_of(&ek));
        raw::encapsulate::<P, B>(backend, &ek, &hash, &m, &mut ciphertext, &mut key);
        line("ciphertext (SHA3-256)", &digest_of(&ciphertext));
        line("shared key", &key);
        for what in ["decapsulated", "decapsulated, one bit wrong"] {
            let parts = raw::Parts::<P> { secret: &secret, ek: &ek, hash: &hash, z: &z };
            raw::decapsulate::<P, B>(backend, parts, &ciphertext, &mut key);
            line(what, &key);
            ciphertext[100] ^= 4;
        }
    }
}

/// By portable code, whatever computed the bytes.
fn digest_of(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    digest::<Sha3_256, Soft>(Soft, &[bytes], &mut out);
    out
}

/// Takes lines.
pub type Take<'a> = &'a mut dyn FnMut(Line<'_>);

/// Gives every line to `take`, as the backend computes them.
pub fn each<B: ChaChaBackend + MlKemBackend + Default>(backend: &B, take: Take<'_>) {
    let mut random = Random::new(5);
    for (rounds, name) in ROUNDS {
        let state: State = random.words();
        let mut out = State::default();
        take(Line { name, what: "state", bytes: &bytes_of(&state) });
        ChaChaBackend::permute(backend, rounds, &mut out, &state);
        take(Line { name, what: "permutation", bytes: &bytes_of(&out) });
        backend.block(rounds, &mut out, &state);
        take(Line { name, what: "block", bytes: &bytes_of(&out) });
        for counter in [Counter::Ietf, Counter::Djb] {
            messages(backend, rounds, counter, name, &mut random, take);
        }
    }
    let (mut key, mut nonce) = ([0; 32], [0; 24]);
    random.fill(&mut key);
    random.fill(&mut nonce);
    take(Line { name: "ciphers", what: "key", bytes: &key });
    take(Line { name: "ciphers", what: "nonce", bytes: &nonce });
    let mut keystream = |name, cipher: &mut dyn FnMut(&mut [u8])| {
        let mut bytes = [0; MESSAGE_BYTES_MAX];
        cipher(&mut bytes);
        take(Line { name, what: "keystream", bytes: &bytes });
    };
    let (short, long) = (nonce.first_chunk::<12>().copied().unwrap_or_default(), nonce);
    let (key, short, long) = (&key.into(), &short.into(), &long.into());
    keystream("ChaCha20", &mut |bytes| {
        ChaCha::<20, B>::with_backend(B::default(), key, short).write_keystream(bytes);
    });
    keystream("XChaCha20", &mut |bytes| {
        XChaCha::<20, B>::with_backend(B::default(), key, long).write_keystream(bytes);
    });
    if cfg!(feature = "mlkem") {
        each_set(&mut Mechanisms(backend, Random::new(6), take));
    }
}

/// Messages of every length, with a counter that carries after the first block.
fn messages<B: ChaChaBackend>(
    backend: &B,
    rounds: Rounds,
    counter: Counter,
    name: &'static str,
    random: &mut Random,
    take: Take<'_>,
) {
    let (input, output) = match counter {
        Counter::Ietf => ("message", "encrypted"),
        Counter::Djb => ("message, 64-bit counter", "encrypted, 64-bit counter"),
    };
    for length in LENGTHS {
        let mut state: State = random.words();
        state[COUNTER_WORD] = match counter {
            Counter::Ietf => 1,
            Counter::Djb => u32::MAX,
        };
        let mut message = [0; MESSAGE_BYTES_MAX];
        let message = &mut message[..length];
        random.fill(message);
        take(Line { name, what: "state", bytes: &bytes_of(&state) });
        take(Line { name, what: input, bytes: message });
        let refused = backend.xor(rounds, counter, &state, message.into()).is_err();
        take(Line { name, what: if refused { "refused" } else { output }, bytes: message });
    }
}
