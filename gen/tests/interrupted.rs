//! Every kernel of the catalogue computes the same when it is interrupted, whatever the handler does below sp.

use generator::cli::{Generator, Job, Source};
use generator::target::{Abi, Shape, Target};
use generator::verify::verify_interrupted;

/// Instructions between two interrupts.
const EVERY: u64 = 10;

fn check(kernel: &str, target: Target, shape: Shape) {
    let job = Job { kernel: kernel.into(), target, abi: Abi::Aapcs, shape };
    let function = Generator.generate(&job).expect("a function");
    let interrupted = verify_interrupted(&function, EVERY).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(interrupted.cases, function.verified_cases, "{}", function.symbol);
    // What handlers write is no part of it.
    assert_eq!(interrupted.stack_bytes, function.stack_bytes, "{}", function.symbol);
}

#[test]
fn nothing_lives_below_sp() {
    std::thread::scope(|scope| {
        for target in Target::THUMB {
            scope.spawn(move || {
                for kernel in Generator.kernels() {
                    check(&kernel.name, target, Shape::Unrolled);
                    check(&kernel.name, target, Shape::Looped);
                }
            });
        }
    });
}
