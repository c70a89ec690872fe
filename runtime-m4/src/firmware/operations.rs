//! Operations of the ciphers, to be measured: from key and nonce to a message that is encrypted in place.

use super::harness::Call;
use super::linked::MESSAGE_BYTES;
use kernels::chacha::{ChaChaBackend, Construction, Extended, Ietf, Legacy, Stream};
use kernels::cipher::{KeyIvInit, StreamCipher};

/// A message, aligned like the kernels' own.
#[repr(align(4))]
pub struct Message([u8; MESSAGE_BYTES]);

impl Message {
    /// Zeroes.
    pub fn new() -> Message {
        Message([0; MESSAGE_BYTES])
    }
}

/// An operation.
pub struct Operation {
    /// What it does.
    pub name: &'static str,
    function: extern "C" fn(&mut Message),
}

impl Operation {
    /// The operation on this message.
    pub fn call(&self, message: &mut Message) -> Call {
        let address = (&raw mut *message).expose_provenance();
        // SAFETY: the function takes the address of a message, which outlives every call that is made of this.
        unsafe { Call::new(self.function as usize, [address, 0, 0, 0]) }
    }
}

/// The operations of every cipher whose kernels are linked, on a backend.
pub fn all<B: ChaChaBackend + Default>() -> impl IntoIterator<Item = Operation> {
    [
        #[cfg(feature = "chacha20")]
        of::<Ietf<20>, B>("ChaCha20, 1024 bytes"),
        #[cfg(feature = "chacha20")]
        of::<Extended<20>, B>("XChaCha20, 1024 bytes"),
        #[cfg(feature = "chacha20")]
        of::<Legacy<20>, B>("ChaCha20Legacy, 1024 bytes"),
        #[cfg(feature = "chacha12")]
        of::<Ietf<12>, B>("ChaCha12, 1024 bytes"),
        #[cfg(feature = "chacha12")]
        of::<Legacy<12>, B>("ChaCha12Legacy, 1024 bytes"),
        #[cfg(feature = "chacha8")]
        of::<Ietf<8>, B>("ChaCha8, 1024 bytes"),
        #[cfg(feature = "chacha8")]
        of::<Legacy<8>, B>("ChaCha8Legacy, 1024 bytes"),
    ]
}

fn of<C: Construction, B: ChaChaBackend + Default>(name: &'static str) -> Operation {
    Operation { name, function: encrypt::<C, B> }
}

extern "C" fn encrypt<C: Construction, B: ChaChaBackend + Default>(message: &mut Message) {
    let mut cipher = Stream::<C, B>::new(&[1; 32].into(), &Default::default());
    cipher.apply_keystream(&mut message.0);
}
