//! ChaCha on generated functions.

/// The backend of a core: a function for each part of ChaCha, for some numbers of rounds; [`Soft`](kernels::Soft) for the others.
///
/// Where the number of rounds is a constant, as in every cipher, the compiler drops all but one arm, and the linker the
/// functions that nobody calls.
macro_rules! chacha {
    ($core:ident $($rounds:literal => $permute:ident, $block:ident, $xor:ident, $xor_djb:ident;)*) => {
        impl ChaChaBackend for $core {
            #[inline]
            fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
                match rounds.get() {
                    // SAFETY: both are sixteen words, borrowed for the call.
                    $($rounds => unsafe { functions::$permute(out.as_mut_ptr(), input.as_ptr()) },)*
                    _ => ChaChaBackend::permute(&Soft, rounds, out, input),
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
