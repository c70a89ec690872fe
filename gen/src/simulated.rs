//! Generated functions as a backend of the portable ciphers: every call compiles what it needs, once, and runs it on the
//! simulator. So the schemes of `kernels` and their published vectors can be tried on a core that is not there.

use crate::compile::compile;
use crate::kernels::chacha;
use crate::target::{Abi, Shape, Target};
use crate::verify::{Arg, Kernel, Ran, Runner, state_arg};
use kernels::chacha::{ChaChaBackend, CounterExhausted, State, bytes_of};
use kernels::cipher::inout::InOutBuf;
use kernels::params::chacha::{Counter, Rounds};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A simulated core that runs generated functions of one shape. Clones share the core.
///
/// # Panics
/// The methods of [`ChaChaBackend`] cannot fail, so they panic where a kernel cannot be generated, or where its function
/// does what no function may do: then the generator is at fault, and the message says what it was.
#[derive(Clone)]
pub struct SimulatedBackend {
    target: Target,
    abi: Abi,
    shape: Shape,
    runners: Rc<RefCell<HashMap<Kernel, Runner>>>,
}

impl SimulatedBackend {
    /// A core of this kind, running functions of this shape that are called like this.
    pub fn new(target: Target, abi: Abi, shape: Shape) -> SimulatedBackend {
        SimulatedBackend { target, abi, shape, runners: Rc::default() }
    }

    fn run(&self, kernel: Kernel, args: &[Arg<'_>]) -> Ran {
        let mut runners = self.runners.borrow_mut();
        let runner = runners.entry(kernel).or_insert_with(|| self.load(kernel));
        runner.run(args).unwrap_or_else(|fault| panic!("{kernel:?}, {}, {}: {fault}", self.target, self.shape))
    }

    fn load(&self, kernel: Kernel) -> Runner {
        let description = match kernel {
            Kernel::Permute(rounds) => chacha::permute(rounds),
            Kernel::Block(rounds) => chacha::block(rounds),
            Kernel::Xor(rounds, counter) => chacha::xor(rounds, counter),
        };
        let function = compile(&description, self.target, self.abi, self.shape, &mut |_, _| {})
            .unwrap_or_else(|error| panic!("{}, {}, {}: {error}", description.name, self.target, self.shape));
        Runner::new(&function).unwrap_or_else(|error| panic!("{error}"))
    }

    fn words(&self, kernel: Kernel, out: &mut State, input: &State) {
        let (before, input) = (bytes_of(out), bytes_of(input));
        let ran = self.run(kernel, &[Arg::Out { before: &before, offset: 0 }, Arg::input(&input, 0)]);
        for (word, four) in out.iter_mut().zip(ran.out.as_chunks().0) {
            *word = u32::from_le_bytes(*four);
        }
    }
}

impl ChaChaBackend for SimulatedBackend {
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.words(Kernel::Permute(rounds), out, input);
    }

    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.words(Kernel::Block(rounds), out, input);
    }

    fn xor(
        &self,
        rounds: Rounds,
        counter: Counter,
        state: &State,
        mut data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), CounterExhausted> {
        let in_place = data.get_in().as_ptr() == data.get_out().as_ptr();
        let (input, before) = (data.get_in().to_vec(), data.get_out().to_vec());
        let state = bytes_of(state);
        let args = [
            Arg::Out { before: &before, offset: 0 },
            if in_place { Arg::SameAs(0) } else { Arg::input(&input, 0) },
            Arg::Value(input.len() as u32),
            state_arg(counter, &state),
        ];
        let ran = self.run(Kernel::Xor(rounds, counter), &args);
        data.get_out().copy_from_slice(&ran.out);
        if ran.returned == 0 { Ok(()) } else { Err(CounterExhausted) }
    }
}
