//! Every generated function is run on the simulator against the portable code before a byte of it is written.
//!
//! [`verify`] runs the function's machine code with all checks of the simulator on: permissions and alignment of every
//! access, the procedure call standard, no read of stack that was not written, no branch and no address that depends on
//! a secret. What the function computes is compared with [`kernels::Soft`], or with the standard's algorithm in plain numbers
//! where results may differ by multiples of a modulus, and everything it was not asked to write with what was there before.

mod chacha;
mod keccak;
mod keccak_lanes;
pub(crate) mod kyber;
mod kyber_decodings;
mod kyber_encodings;
mod kyber_products;
mod kyber_sampling;
mod machine;
mod runner;

use crate::function::{Clobbers, Function};
use thiserror::Error;

pub use chacha::state_arg;
pub use runner::{Arg, Measured, Ran, Runner};

/// What is known of a function after all its cases passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Calls whose results were compared, the benchmark call not counted.
    pub cases: u64,
    /// Cycles of the benchmark call, first instruction through return, ideal memory.
    pub cycles: u64,
    /// Executed instructions of the benchmark call.
    pub instructions: u64,
    /// Bytes of stack below the entry sp: the most that any case wrote or reserved.
    pub stack_bytes: u32,
    /// Registers that some case left with another value than they had.
    pub clobbers: Clobbers,
}

/// Why a function is not to be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum VerifyError {
    /// There is no portable code to compare with.
    #[error("{symbol}: no portable code for kernel `{kernel}`; add it to gen/src/verify")]
    UnknownKernel {
        /// The function.
        symbol: String,
        /// The kernel's name.
        kernel: String,
    },
    /// The function could not be put into the simulator.
    #[error("{symbol}: cannot be loaded: {reason}")]
    Load {
        /// The function.
        symbol: String,
        /// What the simulator said.
        reason: String,
    },
    /// The function did something that no function may do.
    #[error("{symbol}: {case}: {fault}")]
    Fault {
        /// The function.
        symbol: String,
        /// Which call.
        case: String,
        /// What the simulator said.
        fault: String,
    },
    /// The function computed something else.
    #[error("{symbol}: {case}: {difference}")]
    Wrong {
        /// The function.
        symbol: String,
        /// Which call.
        case: String,
        /// Where the first difference is.
        difference: String,
    },
}

/// Runs a function's machine code against the portable code, case by case, and its benchmark call.
///
/// # Errors
/// The first case that does not pass, or that the kernel is unknown here.
pub fn verify(function: &Function) -> Result<Verified, VerifyError> {
    run(function, Runner::new(function)?)
}

/// The same for one of `one_in` cases, with an interrupt after every so many instructions, whose handler overwrites what lies below sp.
/// What it takes is not counted.
///
/// # Errors
/// As for [`verify`].
pub fn verify_interrupted(function: &Function, instructions: u64, one_in: u64) -> Result<Verified, VerifyError> {
    let mut runner = Runner::new(function)?;
    runner.interrupt_every(instructions);
    runner.sample(one_in);
    run(function, runner)
}

fn run(function: &Function, mut runner: Runner) -> Result<Verified, VerifyError> {
    let oracle = oracle(&function.kernel).ok_or_else(|| {
        let (symbol, kernel) = (function.symbol.clone(), function.kernel.clone());
        VerifyError::UnknownKernel { symbol, kernel }
    })?;
    oracle.check(&mut runner)?;
    let cases = runner.cases();
    let Measured { cycles, instructions } = oracle.benchmark(&mut runner)?;
    Ok(Verified { cases, cycles, instructions, stack_bytes: runner.stack_bytes(), clobbers: runner.clobbers() })
}

/// What a kernel's functions have to compute.
trait Oracle {
    /// Runs every case.
    ///
    /// # Errors
    /// The first case in which the function does something else, or something it must not do at all.
    fn check(&self, runner: &mut Runner) -> Result<(), VerifyError>;

    /// Runs the call whose cycles are stated.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn benchmark(&self, runner: &mut Runner) -> Result<Measured, VerifyError>;
}

/// The oracle of the kernel of this name.
fn oracle(kernel: &str) -> Option<Box<dyn Oracle>> {
    fn boxed(oracle: impl Oracle + 'static) -> Box<dyn Oracle> {
        Box::new(oracle)
    }
    let chacha = || chacha::Kernel::parse(kernel).map(boxed);
    let keccak = || keccak::F1600::parse(kernel).map(boxed);
    let keccak_lanes = || keccak_lanes::Kernel::parse(kernel).map(boxed);
    let kyber = || kyber::Kernel::parse(kernel).map(boxed);
    let kyber_products = || kyber_products::Kernel::parse(kernel).map(boxed);
    let kyber_encodings = || kyber_encodings::Kernel::parse(kernel).map(boxed);
    let kyber_decodings = || kyber_decodings::Kernel::parse(kernel).map(boxed);
    let kyber_subtract = || kyber_decodings::Subtract::parse(kernel).map(boxed);
    let kyber_sampling = || kyber_sampling::Sample::parse(kernel).map(boxed);
    chacha()
        .or_else(keccak)
        .or_else(keccak_lanes)
        .or_else(kyber)
        .or_else(kyber_products)
        .or_else(kyber_encodings)
        .or_else(kyber_decodings)
        .or_else(kyber_subtract)
        .or_else(kyber_sampling)
}

/// Coefficients as bytes.
pub(crate) fn halfwords(coefficients: &[i16]) -> Vec<u8> {
    coefficients.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Words as text.
fn hex(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
}
