//! Generated functions for Xtensa on QEMU, a machine that is not ours: they give the same buffers as the portable code, called
//! from any depth of frames, so that windows overflow and underflow, or by CALL0.
//!
//! The core there is one of QEMU's own, without the extensions of LX6 and LX7 that no function uses, and it refuses misaligned
//! accesses.

#![allow(clippy::unwrap_used)]

use generator::compile::compile;
use generator::function;
use generator::ir::Kernel;
use generator::kernels::chacha;
use generator::target::{Abi, Shape, Target};
use isa::xtensa::testing::{Argument, Call, Convention, Function, MAX_DEPTH, Returned, call_all};
use kernels::Soft;
use kernels::chacha::{ChaChaBackend, State, bytes_of};
use kernels::params::chacha::{Counter, Rounds};
use kernels::testing::Random;

/// Lengths of messages: none, parts of a block, blocks.
const LENGTHS: [usize; 8] = [0, 1, 63, 64, 65, 130, 256, 300];

/// Arguments of a call with what it must leave behind.
struct Case {
    arguments: Vec<Argument>,
    buffers: Vec<Vec<u8>>,
    value: Option<u32>,
}

impl Case {
    fn passes(&self, returned: &Returned) -> bool {
        self.buffers == returned.buffers && self.value.is_none_or(|value| value == returned.value)
    }
}

fn buffer(offset: u32, bytes: &[u8]) -> Argument {
    Argument::Buffer { offset, bytes: bytes.to_vec() }
}

/// A function from state to state, separate or in place.
fn words(random: &mut Random, number: usize, oracle: impl Fn(&mut State, &State)) -> Case {
    let (state, mut result) = (random.words(), State::default());
    oracle(&mut result, &state);
    let (before, after) = (bytes_of(&state), bytes_of(&result));
    let offset = 4 * (number as u32 % 4);
    if number.is_multiple_of(2) {
        let arguments = vec![buffer(offset, &before), Argument::SameAs(0)];
        return Case { arguments, buffers: vec![after.to_vec()], value: None };
    }
    let arguments = vec![buffer(offset, &[0xa5; 64]), buffer(12 - offset, &before)];
    Case { arguments, buffers: vec![after.to_vec(), before.to_vec()], value: None }
}

/// A message at any address, of any length, sometimes refused.
fn message(random: &mut Random, number: usize, rounds: Rounds, counter: Counter) -> Case {
    let mut state: State = random.words();
    if number % 5 == 4 {
        state[12] = u32::MAX;
    }
    let mut text = vec![0; LENGTHS[number % LENGTHS.len()]];
    random.fill(&mut text);
    let mut result = text.clone();
    let refused = Soft.xor(rounds, counter, &state, result.as_mut_slice().into()).is_err();
    let (out, input) = (number as u32 % 4, number as u32 / 4 % 4);
    let (length, words) = (Argument::Value(text.len() as u32), bytes_of(&state).to_vec());
    let value = Some(refused.into());
    if number.is_multiple_of(2) {
        let arguments = vec![buffer(out, &text), Argument::SameAs(0), length, buffer(0, &words)];
        return Case { arguments, buffers: vec![result, words], value };
    }
    let before = vec![0xa5; text.len()];
    let arguments = vec![buffer(out, &before), buffer(input, &text), length, buffer(4, &words)];
    Case { arguments, buffers: vec![if refused { before } else { result }, text, words], value }
}

/// Kernels with the case of each number.
type Cases = Box<dyn Fn(&mut Random, usize) -> Case>;

fn all_kernels() -> Vec<(Kernel, Cases)> {
    let of = |r: Rounds| -> [(Kernel, Cases); 4] {
        [
            (chacha::permute(r), Box::new(move |random, n| words(random, n, |out, x| Soft.permute(r, out, x)))),
            (chacha::block(r), Box::new(move |random, n| words(random, n, |out, x| Soft.block(r, out, x)))),
            (chacha::xor(r, Counter::Ietf), Box::new(move |random, n| message(random, n, r, Counter::Ietf))),
            (chacha::xor(r, Counter::Djb), Box::new(move |random, n| message(random, n, r, Counter::Djb))),
        ]
    };
    [Rounds::R8, Rounds::R20].into_iter().flat_map(of).collect()
}

/// The function with its literals.
fn placed(function: &function::Function) -> Function {
    let literals: Vec<u8> = function.literals.iter().flat_map(|word| word.to_le_bytes()).collect();
    Function { entry: literals.len() as u32, bytes: [literals, function.code.clone()].concat() }
}

/// What differs of the calls of a core's functions, for all shapes and conventions; `change` is applied to each function.
fn differences(target: Target, cases: usize, change: impl Fn(&mut Function)) -> Result<Vec<String>, std::io::Error> {
    let mut random = Random::new(7);
    let (mut functions, mut calls, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for &abi in target.abis() {
        for shape in [Shape::Unrolled, Shape::Looped] {
            for (kernel, case) in all_kernels() {
                let function = compile(&kernel, target, abi, shape, &mut |_, _| {}).unwrap();
                let mut code = placed(&function);
                change(&mut code);
                functions.push(code);
                for number in 0..cases {
                    let made = case(&mut random, number);
                    let convention = match abi {
                        Abi::Call0 => Convention::Call0,
                        _ => Convention::Windowed(number % MAX_DEPTH + 1),
                    };
                    let arguments = made.arguments.clone();
                    calls.push(Call { function: functions.len() - 1, convention, arguments });
                    expected.push((format!("{}, case {number}", function.symbol), made));
                }
            }
        }
    }
    let returned = call_all(&functions, &calls, tempfile::tempdir().unwrap().path())?;
    let wrong = expected.into_iter().zip(&returned).filter(|((_, case), returned)| !case.passes(returned));
    Ok(wrong.map(|((name, _), _)| name).collect())
}

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn generated_functions_give_the_same_buffers_on_qemu() {
    for target in Target::XTENSA {
        assert_eq!(differences(target, 2 * MAX_DEPTH, |_| {}).unwrap(), Vec::<String>::new());
    }
}

/// One bit of one instruction is another, or literals are.
#[test]
#[ignore = "needs qemu-system-xtensa"]
fn planted_faults_are_found() {
    let flip = |place: usize| move |function: &mut Function| function.bytes[function.entry as usize + place] ^= 0x10;
    for place in [40, 41, 100] {
        let found = differences(Target::Esp32, 2, flip(place));
        assert!(found.as_ref().is_err() || !found.unwrap().is_empty(), "a flipped bit at {place}");
    }
}
