//! Operations of the schemes, to be measured.

use super::harness::Call;
#[cfg(feature = "mlkem")]
use super::kem::{self, Keys};
use super::linked::MESSAGE_BYTES;
use kernels::chacha::{ChaChaBackend, Construction, Extended, Ietf, Legacy, Stream};
use kernels::cipher::{KeyIvInit, StreamCipher};
use kernels::mlkem::MlKemBackend;

/// What operations work on, aligned like the kernels' own buffers.
#[repr(align(4))]
pub struct Memory {
    message: [u8; MESSAGE_BYTES],
    /// Keys and a ciphertext.
    #[cfg(feature = "mlkem")]
    pub keys: Keys,
}

impl Memory {
    /// Zeroes.
    pub const ZERO: Memory = Memory {
        message: [0; MESSAGE_BYTES],
        #[cfg(feature = "mlkem")]
        keys: Keys::ZERO,
    };
}

/// An operation.
#[derive(Clone, Copy)]
pub struct Operation {
    /// What is measured of it.
    pub labels: &'static Labels,
    /// What it does.
    pub function: extern "C" fn(&mut Memory),
}

/// What is measured of an operation.
pub struct Labels {
    /// Cycles: their mean, the fewest and the most.
    pub cycles: [&'static str; 3],
    /// Cycles, those inside the kernels, and these as a share.
    pub inside: [&'static str; 3],
    /// Stack.
    pub stack: &'static str,
}

/// The labels of an operation whose scheme has others, too, or none.
macro_rules! labels {
    ($operation:literal, $kernel:literal) => {
        &Labels {
            cycles: [
                concat!($operation, "cycles"),
                concat!($operation, "cycles, least"),
                concat!($operation, "cycles, most"),
            ],
            inside: [
                concat!($operation, "cycles"),
                concat!($operation, "cycles inside ", $kernel),
                concat!($operation, "percent inside ", $kernel),
            ],
            stack: concat!($operation, "stack bytes"),
        }
    };
}
#[cfg(feature = "mlkem")]
pub(super) use labels;

/// Operations that belong together: each works on what the ones before it have left.
#[derive(Clone, Copy)]
pub struct Scheme {
    /// The cipher and the length of its message, or the key-encapsulation mechanism.
    pub name: &'static str,
    /// The operations, in this order.
    pub operations: &'static [Operation],
    /// Other inputs for each run.
    pub draw: fn(&mut Memory, run: u32),
    /// Panics if what the operations have left is wrong.
    pub check: fn(&Memory),
    /// Its kernels are counted by [`Counting`](super::counting::Counting).
    pub has_kernels: bool,
    /// Bytes of stack that suffice, beside those of a [`Memory`].
    pub stack_bytes: usize,
}

impl Operation {
    /// The operation on this memory.
    pub fn call(&self, memory: &mut Memory) -> Call {
        let address = (&raw mut *memory).expose_provenance();
        // SAFETY: the function takes the address of a memory, which outlives every call that is made of this.
        unsafe { Call::new(self.function as usize, [address, 0, 0, 0]) }
    }
}

/// Shows the schemes whose kernels are linked, on a backend.
pub fn each<B: ChaChaBackend + MlKemBackend + Default>(take: &mut dyn FnMut(&Scheme)) {
    #[cfg(feature = "chacha20")]
    {
        cipher::<Ietf<20>, B>("ChaCha20, 1024 bytes", take);
        cipher::<Extended<20>, B>("XChaCha20, 1024 bytes", take);
        cipher::<Legacy<20>, B>("ChaCha20Legacy, 1024 bytes", take);
    }
    #[cfg(feature = "chacha12")]
    {
        cipher::<Ietf<12>, B>("ChaCha12, 1024 bytes", take);
        cipher::<Legacy<12>, B>("ChaCha12Legacy, 1024 bytes", take);
    }
    #[cfg(feature = "chacha8")]
    {
        cipher::<Ietf<8>, B>("ChaCha8, 1024 bytes", take);
        cipher::<Legacy<8>, B>("ChaCha8Legacy, 1024 bytes", take);
    }
    #[cfg(feature = "mlkem")]
    kem::each::<B>(take);
}

/// More than any cipher takes.
const CIPHER_STACK_BYTES: usize = 1024;

fn cipher<C: Construction, B: ChaChaBackend + Default>(name: &'static str, take: &mut dyn FnMut(&Scheme)) {
    take(&Scheme {
        name,
        operations: &const { [Operation { labels: labels!("", "ChaCha"), function: encrypt::<C, B> }] },
        draw: |_, _| {},
        check: |_| {},
        has_kernels: true,
        stack_bytes: CIPHER_STACK_BYTES,
    });
}

/// From key and nonce to a message that is encrypted in place.
extern "C" fn encrypt<C: Construction, B: ChaChaBackend + Default>(memory: &mut Memory) {
    let mut cipher = Stream::<C, B>::new(&[1; 32].into(), &Default::default());
    cipher.apply_keystream(&mut memory.message);
}
