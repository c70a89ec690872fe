//! Operations of key-encapsulation mechanisms, to be measured: on keys in memory, as who sends and receives them has them.

use super::operations::{Labels, Memory, Operation, Scheme, labels};
use kernels::cipher::Array;
use kernels::mlkem::raw::{self, Bytes32, Parts};
use kernels::mlkem::{MlKemBackend, ParameterSet, Visitor, each_set};
use kernels::params::mlkem::{ML_KEM_1024, Primitives, SEED_BYTES};
use kernels::testing::Random;

/// Keys, a ciphertext, and what all is made of: room for the largest set.
#[repr(align(4))]
pub struct Keys {
    /// The expanded decapsulation key: the secret, the encapsulation key, its hash, the rejection seed.
    dk: [u8; ML_KEM_1024.dk_bytes()],
    ciphertext: [u8; ML_KEM_1024.ct_bytes()],
    /// The shared key of both sides.
    sent: Bytes32,
    received: Bytes32,
    /// The seeds d and z.
    seeds: [Bytes32; 2],
    message: Bytes32,
}

impl Keys {
    /// Zeroes.
    pub const ZERO: Keys = Keys {
        dk: [0; ML_KEM_1024.dk_bytes()],
        ciphertext: [0; ML_KEM_1024.ct_bytes()],
        sent: [0; SEED_BYTES],
        received: [0; SEED_BYTES],
        seeds: [[0; SEED_BYTES]; 2],
        message: [0; SEED_BYTES],
    };
}

/// Shows the parameter sets, on a backend.
pub fn each<B: MlKemBackend + Default>(take: &mut dyn FnMut(&Scheme)) {
    struct Take<'a, B>(&'a mut dyn FnMut(&Scheme), core::marker::PhantomData<B>);

    impl<B: MlKemBackend + Default> Visitor for Take<'_, B> {
        fn visit<P: ParameterSet>(&mut self) {
            (self.0)(&Scheme {
                name: P::ROW.name,
                operations: &const {
                    [
                        Operation { labels: labels!("keygen ", "Keccak"), function: keygen::<P, B> },
                        Operation { labels: labels!("encaps ", "Keccak"), function: encaps::<P, B> },
                        Operation { labels: labels!("decaps ", "Keccak"), function: decaps::<P, B> },
                    ]
                },
                draw,
                check: |memory| assert!(memory.keys.sent == memory.keys.received, "the keys of both sides"),
                has_kernels: matches!(P::ROW.primitives, Primitives::Keccak),
                stack_bytes: stack_bytes::<P, B>(),
            });
        }
    }

    each_set(&mut Take::<B>(take, core::marker::PhantomData));
}

/// A vector, a sum and two polynomials; states and blocks of hash functions, and what calls need.
const fn stack_bytes<P: ParameterSet, B: MlKemBackend>() -> usize {
    P::ROW.k * size_of::<B::Operand>() + size_of::<B::Sum>() + 2560
}

fn draw(memory: &mut Memory, run: u32) {
    let mut random = Random::new(run.into());
    let keys = &mut memory.keys;
    random.fill(keys.seeds.as_flattened_mut());
    random.fill(&mut keys.message);
}

/// Both keys: FIPS 203 algorithm 16 but for the drawing of its seeds.
extern "C" fn keygen<P: ParameterSet, B: MlKemBackend + Default>(memory: &mut Memory) {
    let backend = B::default();
    let Keys { dk, seeds: [d, z], .. } = &mut memory.keys;
    let (secret, rest) = dk.split_at_mut(P::ROW.vector_bytes());
    let (ek, rest) = rest.split_at_mut(P::ROW.ek_bytes());
    let ek: Result<&mut Array<u8, P::EkSize>, _> = ek.try_into();
    let (Ok(secret), Ok(ek), [hash, rejection, ..]) = (secret.try_into(), ek, rest.as_chunks_mut().0) else { return };
    raw::generate::<P, B>(&backend, d, secret, &mut *ek);
    raw::hash::<P, B>(&backend, ek, hash);
    *rejection = *z;
}

/// From the bytes of an encapsulation key: its check, its hash, then FIPS 203 algorithm 17.
extern "C" fn encaps<P: ParameterSet, B: MlKemBackend + Default>(memory: &mut Memory) {
    let backend = B::default();
    let Keys { dk, ciphertext, sent, message, .. } = &mut memory.keys;
    let ek = &dk[P::ROW.vector_bytes()..][..P::ROW.ek_bytes()];
    let (Ok(ek), Ok(ciphertext)) = (ek.try_into(), (&mut ciphertext[..P::ROW.ct_bytes()]).try_into()) else { return };
    assert!(raw::check::<P>(ek).is_ok(), "a key of ours");
    let mut hash = [0; SEED_BYTES];
    raw::hash::<P, B>(&backend, ek, &mut hash);
    raw::encapsulate::<P, B>(&backend, ek, &hash, message, ciphertext, sent);
}

/// From an expanded key that was checked when it came: FIPS 203 algorithm 18, with the encryption in it.
extern "C" fn decaps<P: ParameterSet, B: MlKemBackend + Default>(memory: &mut Memory) {
    let Keys { dk, ciphertext, received, .. } = &mut memory.keys;
    let (Ok(dk), Ok(ciphertext)) = (dk[..P::ROW.dk_bytes()].try_into(), ciphertext[..P::ROW.ct_bytes()].try_into())
    else {
        return;
    };
    raw::decapsulate::<P, B>(&B::default(), Parts::<P>::new(dk), ciphertext, received);
}
