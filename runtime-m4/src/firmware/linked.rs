//! The generated functions that are linked, as a table.

use super::harness::Call;
use crate::functions;
use kernels::testing::Random;

include!(concat!(env!("OUT_DIR"), "/linked.rs"));

/// A generated function.
pub struct Linked {
    /// Its name.
    pub symbol: &'static str,
    /// Its address.
    function: *const (),
    arguments: &'static [Argument],
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

/// What a function is called with.
enum Argument {
    /// The address of a buffer, read or written.
    Buffer,
    /// A number.
    Value(u32),
}

/// Arguments of a function, at most.
const ARGUMENTS_MAX: usize = 4;

/// Bytes of the message of the benchmark call; no other buffer is longer.
pub const MESSAGE_BYTES: usize = 1024;

/// What the benchmark call reads and writes: word-aligned, separate.
pub struct Buffers([[u32; MESSAGE_BYTES / 4]; ARGUMENTS_MAX]);

impl Buffers {
    /// Fills the last with words like any other, the others with zeroes.
    pub fn fill(&mut self) {
        let mut random = Random::new(1);
        let (last, others) = self.0.split_last_mut().expect("four buffers");
        others.as_flattened_mut().fill(0);
        last.fill_with(|| random.next_u32());
    }
}

impl Linked {
    /// The call whose cycles the manifest states.
    pub fn benchmark(&self, buffers: &mut Buffers) -> Call {
        let mut arguments = [0; ARGUMENTS_MAX];
        for ((out, argument), buffer) in arguments.iter_mut().zip(self.arguments).zip(&mut buffers.0) {
            *out = match argument {
                Argument::Buffer => buffer.as_mut_ptr().expose_provenance(),
                Argument::Value(value) => *value as usize,
            };
        }
        // SAFETY: the arguments are of the kinds and lengths that the function's declaration demands.
        unsafe { Call::new(self.function.expose_provenance(), arguments) }
    }
}
