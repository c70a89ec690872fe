//! What the types of cores compute with: what the build has generated for them, or [`Soft`].

use crate::*;
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, CounterExhausted, State};
use kernels::cipher::inout::InOutBuf;
#[allow(unused_imports)]
use kernels::keccak::{Interleaved, KeccakBackend, interleaved};
use kernels::mlkem::{MlKemBackend, Poly, Term, Xof};
use kernels::params::chacha::{Counter, Rounds};
use kernels::params::mlkem::{Bits, Eta, POLY_BYTES, SEED_BYTES};

include!(concat!(env!("OUT_DIR"), "/backends.rs"));

/// A generated function that encrypts a message.
#[cfg(quadround)]
type Encrypt = unsafe extern "C" fn(out: *mut u8, input: *const u8, length: u32, state: *const u32) -> u32;

/// Calls it; anything but 0 means that the counter would wrap.
#[cfg(quadround)]
#[inline]
fn encrypt(function: Encrypt, state: &State, data: InOutBuf<'_, '_, u8>) -> Result<(), CounterExhausted> {
    // An address has 32 bits here, and so has every length.
    let length = data.len() as u32;
    let (input, out) = data.into_raw();
    // SAFETY: both point to `length` bytes that are borrowed for the call; they are the same bytes or do not overlap, as
    // the function demands. The state is sixteen words.
    let refused = unsafe { function(out, input, length, state.as_ptr()) };
    if refused == 0 { Ok(()) } else { Err(CounterExhausted) }
}
