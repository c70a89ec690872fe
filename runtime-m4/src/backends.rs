//! What the types of cores compute with: what the build has generated for them, or [`Soft`].

use crate::*;
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, CounterExhausted, State};
use kernels::cipher::inout::InOutBuf;
#[allow(unused_imports)]
use kernels::keccak::{Interleaved, KeccakBackend};
#[allow(unused_imports)]
use kernels::mlkem::{Cached, Compact, MlKemBackend, PIECE_BYTES, Poly, Term, Xof, uniform};
use kernels::params::chacha::{Counter, Rounds};
#[allow(unused_imports)]
use kernels::params::keccak::LANE_BYTES;
#[allow(unused_imports)]
use kernels::params::mlkem::{Bits, Eta, N, PIECE, POLY_BYTES, SEED_BYTES};
#[allow(unused_imports)]
use kernels::zeroize::Zeroize;

include!(concat!(env!("OUT_DIR"), "/backends.rs"));

/// A generated function that encrypts a message.
#[cfg(all(quadround, any(feature = "chacha8", feature = "chacha12", feature = "chacha20")))]
type Encrypt = unsafe extern "C" fn(out: *mut u8, input: *const u8, length: u32, state: *const u32) -> u32;

/// Calls it; anything but 0 means that the counter would wrap.
#[cfg(all(quadround, any(feature = "chacha8", feature = "chacha12", feature = "chacha20")))]
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

/// How many lanes these bytes are.
#[cfg(all(quadround, feature = "keccak"))]
#[inline]
fn lanes(bytes: &[u8]) -> u32 {
    (bytes.len() / LANE_BYTES) as u32
}

/// A sum of products in full width, and the factor that has just been decoded or sampled, in a place that need not be cleared
/// for each.
#[cfg(all(quadround, feature = "kyber"))]
#[repr(C)]
pub struct Sum {
    wide: [i32; N],
    factor: Poly,
}

#[cfg(all(quadround, feature = "kyber"))]
impl Default for Sum {
    fn default() -> Self {
        Sum { wide: [0; N], factor: Poly::default() }
    }
}

#[cfg(all(quadround, feature = "kyber"))]
impl Zeroize for Sum {
    fn zeroize(&mut self) {
        self.wide.zeroize();
        self.factor.zeroize();
    }
}

#[cfg(all(quadround, feature = "kyber"))]
impl Sum {
    /// The sum, reduced by a function into its own place.
    #[inline]
    fn reduced(&mut self, function: unsafe extern "C" fn(r: *mut i16, sum: *const i32)) -> &mut Poly {
        let wide = self.wide.as_mut_ptr();
        // SAFETY: the function reads 256 words and writes 256 coefficients, which may be at the same address. They are a
        // polynomial: the words have room for it and are aligned as it is, and any bits are coefficients.
        unsafe {
            function(wide.cast(), wide);
            &mut *wide.cast::<Poly>()
        }
    }
}
