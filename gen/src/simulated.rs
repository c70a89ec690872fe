//! Generated functions as a backend of the portable ciphers: every call compiles what it needs, once, and runs it on the
//! simulator. So the schemes of `kernels` and their published vectors can be tried on a core that is not there.

use crate::cli::generator;
use crate::compile::compile;
use crate::target::{Abi, Shape, Target};
use crate::verify::{Arg, Ran, Runner, halfwords, state_arg};
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, CounterExhausted, State, bytes_of};
use kernels::cipher::inout::InOutBuf;
use kernels::keccak::{Interleaved, KeccakBackend};
use kernels::mlkem::{Cached, Compact, MlKemBackend, PIECE_BYTES, Poly, Term};
use kernels::params::chacha::{Counter, Rounds};
use kernels::params::keccak::{LANE_BYTES, STATE_BYTES};
use kernels::params::mlkem::{Bits, Eta, N, PIECE, POLY_BYTES, SEED_BYTES};
use kernels::zeroize::Zeroize;
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
    runners: Rc<RefCell<HashMap<String, Runner>>>,
}

impl SimulatedBackend {
    /// A core of this kind, running functions of this shape that are called like this.
    pub fn new(target: Target, abi: Abi, shape: Shape) -> SimulatedBackend {
        SimulatedBackend { target, abi, shape, runners: Rc::default() }
    }

    fn run(&self, kernel: &str, args: &[Arg<'_>]) -> Ran {
        let mut runners = self.runners.borrow_mut();
        let runner = runners.entry(kernel.to_owned()).or_insert_with(|| self.load(kernel));
        runner.run(args).unwrap_or_else(|fault| panic!("{kernel}, {}, {}: {fault}", self.target, self.shape))
    }

    fn load(&self, kernel: &str) -> Runner {
        let refuse = |error: String| -> ! { panic!("{kernel}, {}, {}: {error}", self.target, self.shape) };
        let Some(Ok(description)) = generator::parse(kernel) else { refuse("there is no such kernel".into()) };
        let shape = if self.shape == Shape::Unrolled { generator::info(&description).fast } else { self.shape };
        let function = compile(&description, self.target, self.abi, shape, &mut |_, _| {});
        let function = function.unwrap_or_else(|error| refuse(error.to_string()));
        Runner::new(&function).unwrap_or_else(|error| panic!("{error}"))
    }

    fn words(&self, kernel: &str, out: &mut State, input: &State) {
        let (before, input) = (bytes_of(out), bytes_of(input));
        let ran = self.run(kernel, &[Arg::Out { before: &before, offset: 0 }, Arg::input(&input, 0)]);
        read(out, &ran.out);
    }

    /// Runs a kernel on 256 coefficients, in place.
    fn in_place(&self, kernel: &str, poly: &mut Poly) {
        let ran = self.run(kernel, &[Arg::Out { before: &halfwords(&poly.0), offset: 0 }]);
        read_coefficients(&mut poly.0, &ran.out);
    }

    /// Runs a kernel that makes bytes of 256 coefficients.
    fn packed(&self, kernel: &str, poly: &Poly, bytes: &mut [u8]) {
        let (before, poly) = (bytes.to_vec(), halfwords(&poly.0));
        let ran = self.run(kernel, &[Arg::Out { before: &before, offset: 0 }, Arg::input(&poly, 0)]);
        bytes.copy_from_slice(&ran.out);
    }

    /// Runs a kernel that makes 256 coefficients of bytes, or changes them by some.
    fn with_bytes(&self, kernel: &str, poly: &mut Poly, bytes: &[u8]) {
        let before = halfwords(&poly.0);
        let ran = self.run(kernel, &[Arg::Out { before: &before, offset: 0 }, Arg::input(bytes, 0)]);
        read_coefficients(&mut poly.0, &ran.out);
    }

    /// The sum, reduced.
    fn reduced<'a>(&self, kernel: &str, sum: &'a mut Sum) -> &'a mut Poly {
        let wide = sum.bytes();
        let ran = self.run(kernel, &[Arg::Out { before: &[0; 2 * N], offset: 0 }, Arg::input(&wide, 0)]);
        read_coefficients(&mut sum.poly.0, &ran.out);
        &mut sum.poly
    }
}

/// Words from bytes.
fn read(out: &mut [u32], bytes: &[u8]) {
    out.iter_mut().zip(bytes.as_chunks().0).for_each(|(word, four)| *word = u32::from_le_bytes(*four));
}

/// Some words of a state, and zeroes for the others.
fn state_bytes(words: &[u32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(STATE_BYTES, 0);
    bytes
}

fn read_coefficients(poly: &mut [i16], bytes: &[u8]) {
    poly.iter_mut().zip(bytes.as_chunks().0).for_each(|(x, two)| *x = i16::from_le_bytes(*two));
}

/// A sum of products in full width, and the polynomial that it becomes.
pub struct Sum {
    wide: [u32; N],
    poly: Poly,
}

impl Default for Sum {
    fn default() -> Self {
        Sum { wide: [0; N], poly: Poly::default() }
    }
}

impl Zeroize for Sum {
    fn zeroize(&mut self) {
        self.wide.zeroize();
        self.poly.zeroize();
    }
}

impl Sum {
    fn bytes(&self) -> Vec<u8> {
        self.wide.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

impl ChaChaBackend for SimulatedBackend {
    fn permute(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.words(&format!("chacha{rounds}_permute"), out, input);
    }

    fn block(&self, rounds: Rounds, out: &mut State, input: &State) {
        self.words(&format!("chacha{rounds}_block"), out, input);
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
        let suffix = if counter == Counter::Djb { "_djb" } else { "" };
        let ran = self.run(&format!("chacha{rounds}_xor{suffix}"), &args);
        data.get_out().copy_from_slice(&ran.out);
        if ran.returned == 0 { Ok(()) } else { Err(CounterExhausted) }
    }
}

impl KeccakBackend for SimulatedBackend {
    type State = Interleaved;

    fn permute(&self, state: &mut Interleaved) {
        let before = state_bytes(&state.0);
        read(&mut state.0, &self.run("keccak_f1600", &[Arg::Out { before: &before, offset: 0 }]).out);
    }

    fn xor_bytes(&self, state: &mut Interleaved, offset: usize, bytes: &[u8]) {
        state.xor_bytes(offset, bytes, |words, bytes| {
            let before = state_bytes(words);
            let lanes = Arg::Value((bytes.len() / LANE_BYTES) as u32);
            let args = [Arg::Out { before: &before, offset: 0 }, Arg::input(bytes, 0), lanes];
            read(words, &self.run("keccak_xor_lanes", &args).out);
        });
    }

    fn copy_bytes(&self, state: &Interleaved, offset: usize, bytes: &mut [u8]) {
        state.copy_bytes(offset, bytes, |words, bytes| {
            let (before, state) = (bytes.to_vec(), state_bytes(words));
            let lanes = Arg::Value((bytes.len() / LANE_BYTES) as u32);
            let args = [Arg::Out { before: &before, offset: 0 }, Arg::input(&state, 0), lanes];
            bytes.copy_from_slice(&self.run("keccak_copy_lanes", &args).out);
        });
    }
}

impl MlKemBackend for SimulatedBackend {
    type Operand = Cached;
    type Sum = Sum;
    type Bytes = <Soft as MlKemBackend>::Bytes;

    fn add_noise(&self, eta: Eta, bytes: &[u8], poly: &mut Poly) {
        self.with_bytes(&format!("kyber_add_noise{}", eta.get()), poly, bytes);
    }

    fn decode(&self, bytes: &[u8; POLY_BYTES], poly: &mut Poly) {
        self.with_bytes("kyber_decode", poly, bytes);
    }

    fn decompress(&self, bits: Bits, bytes: &[u8], poly: &mut Poly) {
        self.with_bytes(&format!("kyber_decompress{}", bits.get()), poly, bytes);
    }

    fn add_message(&self, message: &[u8; SEED_BYTES], poly: &mut Poly) {
        self.with_bytes("kyber_add_message", poly, message);
    }

    fn subtract(&self, poly: &mut Poly, other: &Poly) {
        self.with_bytes("kyber_subtract", poly, &halfwords(&other.0));
    }

    fn message(&self, poly: &Poly, message: &mut [u8; SEED_BYTES]) {
        if Target::DSP.contains(&self.target) {
            self.packed("kyber_message", poly, message);
        } else {
            Soft.message(poly, message);
        }
    }

    fn encode(&self, poly: &Poly, bytes: &mut [u8; POLY_BYTES]) {
        if Target::DSP.contains(&self.target) {
            self.packed("kyber_encode", poly, bytes);
        } else {
            Soft.encode(poly, bytes);
        }
    }

    fn compress(&self, bits: Bits, poly: &Poly, bytes: &mut [u8]) {
        if Target::DSP.contains(&self.target) {
            self.packed(&format!("kyber_compress{}", bits.get()), poly, bytes);
        } else {
            Soft.compress(bits, poly, bytes);
        }
    }

    fn sample(&self, poly: &mut Poly, filled: usize, block: &[u8]) -> usize {
        let before = halfwords(&poly.0);
        let numbers = [filled, block.len()].map(|number| Arg::Value(number as u32));
        let [filled, length] = numbers;
        let r = Arg::Out { before: &before, offset: 0 };
        let ran = self.run("kyber_sample", &[r, filled, Arg::input(block, 0), length]);
        read_coefficients(&mut poly.0, &ran.out);
        ran.returned as usize
    }

    fn compare(&self, bits: Bits, poly: &mut Poly, bytes: &[u8]) -> u32 {
        if !Target::DSP.contains(&self.target) {
            return Soft.compare(bits, poly, bytes);
        }
        // In place, as a runtime does it.
        let before = halfwords(&poly.0);
        let ran = self
            .run(&format!("kyber_compress{}", bits.get()), &[Arg::Out { before: &before, offset: 0 }, Arg::SameAs(0)]);
        ran.out.iter().zip(&bytes[..bits.bytes()]).fold(0, |all, (a, b)| all | u32::from(a ^ b))
    }

    fn ntt(&self, poly: &mut Poly) {
        self.in_place("kyber_ntt", poly);
    }

    fn prepare(&self, operand: &mut Cached) {
        self.ntt(&mut operand.poly);
        let poly = halfwords(&operand.poly.0);
        let ran = self.run("kyber_mulcache", &[Arg::Out { before: &[0; N], offset: 0 }, Arg::input(&poly, 0)]);
        read_coefficients(&mut operand.cache, &ran.out);
    }

    fn multiply(&self, term: Term, a: &Poly, b: &Cached, sum: &mut Sum) {
        let kernel = match term {
            Term::First => "kyber_basemul",
            Term::Next => "kyber_basemul_acc",
        };
        let (before, a, cache) = (sum.bytes(), halfwords(&a.0), halfwords(&b.cache));
        let b = halfwords(&b.poly.0);
        let inputs = [&a, &b, &cache].map(|bytes| Arg::input(bytes, 0));
        let [a, b, cache] = inputs;
        read(&mut sum.wide, &self.run(kernel, &[Arg::Out { before: &before, offset: 0 }, a, b, cache]).out);
    }

    fn normalise<'a>(&self, sum: &'a mut Sum) -> &'a mut Poly {
        self.reduced("kyber_reduce_plain", sum)
    }

    fn inverse<'a>(&self, sum: &'a mut Sum) -> &'a mut Poly {
        let poly = self.reduced("kyber_reduce", sum);
        self.in_place("kyber_invntt_sum", poly);
        poly
    }
}

impl Compact for SimulatedBackend {
    fn sample_piece(&self, piece: &mut [i16; 2 * PIECE], filled: usize, bytes: &[u8; PIECE_BYTES]) -> usize {
        let mut poly = Poly::default();
        poly.0[..2 * PIECE].copy_from_slice(piece);
        let filled = self.sample(&mut poly, filled, bytes);
        piece.copy_from_slice(&poly.0[..2 * PIECE]);
        filled
    }

    fn add_piece(&self, a: &[i16; PIECE], number: usize, b: &Poly, sum: &mut Poly) {
        let [before, a, b] = [sum.0.as_slice(), a, &b.0].map(halfwords);
        let r = Arg::Out { before: &before, offset: 0 };
        let args = [r, Arg::input(&a, 0), Arg::input(&b, 0), Arg::Value(number as u32)];
        read_coefficients(&mut sum.0, &self.run("kyber_basemul_piece", &args).out);
    }

    fn normalise_compact(&self, sum: &mut Poly) {
        self.in_place("kyber_restore", sum);
    }

    fn inverse_compact(&self, sum: &mut Poly) {
        self.in_place("kyber_invntt_sum", sum);
    }
}
