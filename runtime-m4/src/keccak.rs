//! Keccak on generated functions.

/// The backend of a core: a module with generated functions, or without one [`Soft`](kernels::Soft).
macro_rules! keccak {
    ($core:ident) => {
        impl KeccakBackend for $core {
            type State = <Soft as KeccakBackend>::State;

            #[inline]
            fn permute(&self, state: &mut Self::State) {
                KeccakBackend::permute(&Soft, state);
            }

            #[inline]
            fn xor_bytes(&self, state: &mut Self::State, offset: usize, bytes: &[u8]) {
                Soft.xor_bytes(state, offset, bytes);
            }

            #[inline]
            fn copy_bytes(&self, state: &Self::State, offset: usize, bytes: &mut [u8]) {
                Soft.copy_bytes(state, offset, bytes);
            }
        }
    };
    ($core:ident, $functions:ident) => {
        impl KeccakBackend for $core {
            type State = Interleaved;

            #[inline]
            fn permute(&self, state: &mut Interleaved) {
                // SAFETY: the function takes fifty words, borrowed for the call.
                unsafe { $functions::keccak_f1600(state.0.as_mut_ptr()) };
            }

            fn xor_bytes(&self, state: &mut Interleaved, offset: usize, bytes: &[u8]) {
                state.xor_bytes(offset, bytes, |words, bytes| {
                    // SAFETY: the function reads `lanes` times 8 bytes and reads and writes twice as many words; `xor_bytes`
                    // gives whole lanes, of which the state has as many from there on.
                    unsafe { $functions::keccak_xor_lanes(words.as_mut_ptr(), bytes.as_ptr(), lanes(bytes)) };
                });
            }

            fn copy_bytes(&self, state: &Interleaved, offset: usize, bytes: &mut [u8]) {
                state.copy_bytes(offset, bytes, |words, bytes| {
                    let lanes = lanes(bytes);
                    // SAFETY: the function writes `lanes` times 8 bytes and reads twice as many words; `copy_bytes` gives whole
                    // lanes, of which the state has as many from there on.
                    unsafe { $functions::keccak_copy_lanes(bytes.as_mut_ptr(), words.as_ptr(), lanes) };
                });
            }
        }
    };
}
