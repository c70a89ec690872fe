//! The fast kernels for Cortex-M3 and Cortex-M4, as backends of the ciphers and key-encapsulation mechanisms in [`kernels`].
//!
//! ```
//! use kernels::chacha::ChaCha;
//! use kernels::cipher::{KeyIvInit, StreamCipher};
//!
//! let mut message = *b"attack at dawn";
//! let mut cipher = ChaCha::<20, runtime_m4::Native>::new(&[7; 32].into(), &[9; 12].into());
//! cipher.apply_keystream(&mut message);
//! # let mut cipher = kernels::chacha::ChaCha20::new(&[7; 32].into(), &[9; 12].into());
//! # cipher.apply_keystream(&mut message);
//! # assert_eq!(&message, b"attack at dawn");
//! ```
//!
//! ML-KEM and Kyber are the mechanisms of [`kernels::mlkem`] on these types, in its traits or on bytes that you keep:
//!
//! ```
//! use kernels::mlkem::{DecapsulationKey, EncapsulationKey, MlKem768};
//! use runtime_m4::Native;
//!
//! let dk = DecapsulationKey::<MlKem768, Native>::from_seed(&[7; 64]);
//! let ek = EncapsulationKey::<MlKem768, Native>::from_slice(dk.encapsulation_key().as_bytes())?;
//! let (ciphertext, sent) = ek.encapsulate_with_message(&[9; 32]);
//! assert_eq!(dk.decapsulate(&ciphertext), sent);
//! # assert_eq!(sent, DecapsulationKey::<MlKem768>::from_seed(&[7; 64]).decapsulate(&ciphertext));
//! # Ok::<(), kernels::mlkem::KeyError>(())
//! ```
//!
//! That is the profile for speed; [`LowStack`](kernels::mlkem::LowStack)`<Native>` in its place takes three fifths of the stack and up to a tenth
//! more time: `docs/benchmarks.md` has both.
//!
//! The build generates what the features ask for, tests it on a simulated core and links it; no assembler is needed. What no
//! feature asks for is computed by [`kernels::Soft`], and so are other numbers of rounds.
//!
//! | feature | what is generated |
//! |---|---|
//! | `chacha20` (default), `chacha12`, `chacha8` | ChaCha with this number of rounds |
//! | `keccak` | Keccak-f\[1600\], and how bytes go into its state and out of it |
//! | `kyber` | number-theoretic transforms, products and reductions of ML-KEM and Kyber |
//! | `mlkem` (default) | both of these |
//! | `kyber-90s` | `kyber`; the 90s variants themselves, whose AES and SHA-2 are portable code |
//!
//! | target | types | [`Native`] |
//! |---|---|---|
//! | `thumbv7m-none-eabi` | `CortexM3` | `CortexM3` |
//! | `thumbv7em-none-eabi` | `CortexM4`, `CortexM4F` | `CortexM4` |
//! | `thumbv7em-none-eabihf` | `CortexM4`, `CortexM4F` | `CortexM4F` |
//! | any other, such as the host of an application's tests | all three, computing with [`kernels::Soft`] | `CortexM4F` |
//!
//! `CortexM4F` keeps words in FPU registers: the FPU must be enabled, which start-up code for `eabihf` does and start-up code
//! for `eabi` does not.
//!
//! # Speed, size, RAM
//!
//! Kernels are unrolled where a scheme gains by it; with the feature `speed` wherever that makes them faster, with `size` nowhere.
//! What is not generated is compiled as your profile says; `opt-level = "s"` costs the mechanisms about 1 % and saves a third of
//! that code. A file `quadround.toml` beside your workspace's `Cargo.toml`
//! can say more, for each kernel:
//!
//! ```toml
//! shape = "speed"             # or "balanced" or "size": for every kernel that nothing else is said about
//! placement = "flash"         # or "ram": copied there by start-up code, with the variables
//!
//! [kernel."chacha20_xor"]
//! shape = "looped"            # or "speed", "unrolled", "balanced", "size", or an unroll factor such as 2
//! placement = "ram"
//!
//! [kernel."chacha20_block"]
//! rom_bytes_max = 1000        # the fastest shape with no more bytes of code and constants than this
//! ```
//!
//! It is looked for in the folders above the build folder; where that is elsewhere (`CARGO_TARGET_DIR`), set
//! `QUADROUND_CONFIG` to its absolute path, or to nothing if there is no such file. When it is new, touch the `Cargo.toml` beside it once. In RAM means in a section `.data.<symbol>`, which `link.x` of
//! cortex-m-rt puts there.
//!
//! Generation is quick only if the generator is optimised:
//!
//! ```toml
//! [profile.dev.build-override]
//! opt-level = 2
//! [profile.release.build-override]
//! opt-level = 2
//! ```

#![no_std]

// Cores for which everything is generated take nothing from others.
#[allow(unused_imports)]
#[macro_use(mlkem_from)]
extern crate kernels;

#[macro_use]
mod chacha;
#[macro_use]
mod keccak;
#[macro_use]
mod mlkem;
mod backends;
#[cfg(feature = "firmware")]
pub mod vectors;

#[cfg(all(feature = "firmware", quadround))]
pub mod firmware;

/// The `main` of a bin: on a board it does what it is for, elsewhere it says where it belongs.
#[cfg(feature = "firmware")]
#[doc(hidden)]
#[macro_export]
macro_rules! program {
    ($name:literal, $body:ident) => {
        #[cfg(target_os = "none")]
        #[cortex_m_rt::entry]
        fn main() -> ! {
            runtime_m4::firmware::start($name, runtime_m4::firmware::bins::$body)
        }

        #[cfg(not(target_os = "none"))]
        fn main() -> std::process::ExitCode {
            eprintln!("{} is firmware: `cargo xtask firmware m4 --bin {0}` builds and runs it", $name);
            std::process::ExitCode::from(2)
        }
    };
}

/// The generated functions: their raw declarations, wrappers for references and slices, and what they cost.
#[cfg(quadround)]
#[allow(missing_docs, clippy::undocumented_unsafe_blocks)]
pub mod functions {
    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

/// Functions for Cortex-M3 (ARMv7-M).
#[cfg(not(quadround = "m4"))]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CortexM3;

/// Functions for Cortex-M4 (ARMv7E-M), with or without FPU.
#[cfg(not(quadround = "m3"))]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CortexM4;

/// Functions for Cortex-M4 with FPU (FPv4-SP), which has to be enabled.
#[cfg(not(quadround = "m3"))]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CortexM4F;

/// The best type for the target.
#[cfg(quadround = "m3")]
pub type Native = CortexM3;
/// The best type for the target: without `eabihf` nobody has enabled an FPU.
#[cfg(all(quadround = "m4", target_abi = "eabi"))]
pub type Native = CortexM4;
/// The best type for the target.
#[cfg(not(any(quadround = "m3", all(quadround = "m4", target_abi = "eabi"))))]
pub type Native = CortexM4F;
