//! The generated functions that are linked, as a table.

use super::harness::Call as HarnessCall;
use crate::functions;
use kernels::params::chacha::STATE_WORDS;
use kernels::testing::Random;

include!(concat!(env!("OUT_DIR"), "/linked.rs"));

/// A generated function.
pub struct Linked {
    /// Its name.
    pub symbol: &'static str,
    function: Call,
    /// It is executed from RAM.
    pub in_ram: bool,
    /// Bytes of code.
    pub code_bytes: u32,
    /// Bytes of constants.
    pub rodata_bytes: u32,
    /// Bytes of stack.
    pub stack_bytes: u32,
    /// Cycles on the simulated core.
    pub cycles: u32,
}

/// How a function is called.
enum Call {
    /// With a result and a state.
    Words(unsafe extern "C" fn(*mut u32, *const u32)),
    /// With a result, a message, its length and a state.
    Bytes(unsafe extern "C" fn(*mut u8, *const u8, u32, *const u32) -> u32),
}

/// Bytes of the message of the benchmark call.
pub const MESSAGE_BYTES: usize = 1024;

/// What the benchmark call reads and writes: word-aligned, separate.
pub struct Buffers {
    out: [u32; MESSAGE_BYTES / 4],
    message: [u32; MESSAGE_BYTES / 4],
    state: [u32; STATE_WORDS],
}

impl Buffers {
    /// An empty message and a state like any other.
    pub fn new() -> Buffers {
        Buffers { out: [0; MESSAGE_BYTES / 4], message: [0; MESSAGE_BYTES / 4], state: Random::new(1).words() }
    }
}

impl Linked {
    /// The call whose cycles the manifest states.
    pub fn benchmark(&self, buffers: &mut Buffers) -> HarnessCall {
        let out = buffers.out.as_mut_ptr().expose_provenance();
        let message = buffers.message.as_ptr().expose_provenance();
        let state = buffers.state.as_ptr().expose_provenance();
        let (function, arguments) = match self.function {
            Call::Words(function) => (function as usize, [out, state, 0, 0]),
            Call::Bytes(function) => (function as usize, [out, message, MESSAGE_BYTES, state]),
        };
        // SAFETY: the arguments are of the kinds and lengths that the function's declaration demands.
        unsafe { HarnessCall::new(function, arguments) }
    }
}
