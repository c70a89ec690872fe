//! ChaCha on generated functions.

use crate::*;
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, CounterExhausted, State};
use kernels::cipher::inout::InOutBuf;
use kernels::params::chacha::{Counter, Rounds};

/// The backend of a core: a function for each part of ChaCha, for some numbers of rounds; [`Soft`] for the others.
///
/// Where the number of rounds is a constant, as in every cipher, the compiler drops all but one arm, and the linker the
/// functions that nobody calls.
macro_rules! backend {
    ($core:ident $($rounds:literal => $permute:ident, $block:ident, $xor:ident, $xor_djb:ident;)*) => {
        impl ChaChaBackend for $core {
            #[inline]
            fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
                match rounds.get() {
                    // SAFETY: both are sixteen words, borrowed for the call.
                    $($rounds => unsafe { functions::$permute(out.as_mut_ptr(), input.as_ptr()) },)*
                    _ => Soft.permute(rounds, out, input),
                }
            }

            #[inline]
            fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
                match rounds.get() {
                    // SAFETY: both are sixteen words, borrowed for the call.
                    $($rounds => unsafe { functions::$block(out.as_mut_ptr(), input.as_ptr()) },)*
                    _ => Soft.block(rounds, out, input),
                }
            }

            #[inline]
            fn xor(
                &self,
                rounds: Rounds,
                counter: Counter,
                state: &State,
                data: InOutBuf<'_, '_, u8>,
            ) -> Result<(), CounterExhausted> {
                match (rounds.get(), counter) {
                    $(
                        ($rounds, Counter::Ietf) => encrypt(functions::$xor, state, data),
                        ($rounds, Counter::Djb) => encrypt(functions::$xor_djb, state, data),
                    )*
                    _ => Soft.xor(rounds, counter, state, data),
                }
            }
        }
    };
}

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
