//! Every kernel passes the checks that follow each pass, on every core and in every shape.

use generator::compile::compile;
use generator::ir::Kernel;
use generator::kernels::chacha;
use generator::target::{Abi, Shape, Target};
use kernels::params::chacha::{Counter, Rounds};
use std::num::NonZeroU32;

/// Few rounds, since the catalogue's own are compiled by every run of the generator: one, two and three repetitions.
const ROUNDS: [u8; 3] = [2, 4, 6];

fn kernels(rounds: Rounds) -> [Kernel; 4] {
    let xor = |counter| chacha::xor(rounds, counter);
    [chacha::permute(rounds), chacha::block(rounds), xor(Counter::Ietf), xor(Counter::Djb)]
}

fn check(rounds: u8, target: Target, abi: Abi) {
    let r = match Rounds::new(rounds.into()) {
        Ok(r) => r,
        Err(error) => panic!("{error}"),
    };
    let mut shapes = vec![Shape::Unrolled, Shape::Looped];
    let by_two = r.pairs().is_multiple_of(2).then(|| NonZeroU32::new(2).map(Shape::By));
    shapes.extend(by_two.flatten());
    for kernel in kernels(r) {
        for &shape in &shapes {
            if let Err(error) = compile(&kernel, target, abi, shape, &mut |_, _| {}) {
                panic!("{} {target} {abi} {shape}: {error}", kernel.name);
            }
        }
    }
}

#[test]
fn unchanged_code_passes() {
    for target in Target::THUMB.into_iter().chain(Target::XTENSA) {
        for &abi in target.abis() {
            ROUNDS.into_iter().for_each(|rounds| check(rounds, target, abi));
        }
    }
}
