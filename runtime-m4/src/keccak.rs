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
                state.xor_bytes(offset, bytes, interleaved::xor_lanes);
            }

            fn copy_bytes(&self, state: &Interleaved, offset: usize, bytes: &mut [u8]) {
                state.copy_bytes(offset, bytes, interleaved::copy_lanes);
            }
        }
    };
}
