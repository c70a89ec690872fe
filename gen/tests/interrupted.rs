//! Every kernel of the catalogue computes the same when it is interrupted, whatever the handler does below sp.

use generator::cli::{Generator, Job, KernelInfo, Source};
use generator::target::{Abi, Isa, Shape, Target};
use generator::verify::verify_interrupted;

/// Instructions between two interrupts.
const EVERY: u64 = 10;

/// Of so many cases one is tried; all with QUADROUND_FULL=1. A prime, so that each of the kinds of cases that take turns has its share.
const ONE_CASE_IN: u64 = 7;

fn check(kernel: &str, target: Target, abi: Abi, shape: Shape) {
    let job = Job { kernel: kernel.into(), target, abi, shape };
    let function = Generator.generate(&job).expect("a function");
    let one_in = if std::env::var_os("QUADROUND_FULL").is_some() { 1 } else { ONE_CASE_IN };
    let interrupted = verify_interrupted(&function, EVERY, one_in).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(interrupted.cases, function.verified_cases.div_ceil(one_in), "{}", function.symbol);
    // What handlers write is no part of it.
    assert_eq!(interrupted.stack_bytes, function.stack_bytes, "{}", function.symbol);
}

/// Kernels that differ from others in a factor at their end, or in that they do less.
const MORE_OF_THE_SAME: [&str; 12] = [
    "kyber_compress4",
    "kyber_compress5",
    "kyber_decompress4",
    "kyber_decompress5",
    "kyber_message",
    "kyber_invntt_sum",
    "kyber_basemul",
    "kyber_basemul_acc",
    "kyber_basemul_end_plain",
    "kyber_reduce",
    "kyber_reduce_plain",
    "kyber_restore",
];

/// More rounds are more of the same; they are tried on the family of cores that is the quickest to simulate.
fn is_tried(kernel: &str, target: Target) -> bool {
    (target.isa() == Isa::Thumb || kernel.starts_with("chacha8_")) && !MORE_OF_THE_SAME.contains(&kernel)
}

#[test]
fn nothing_lives_below_sp() {
    std::thread::scope(|scope| {
        let called = |target: Target| target.abis().iter().map(move |&abi| (target, abi));
        for (target, abi) in Target::ALL.into_iter().flat_map(called) {
            scope.spawn(move || {
                let tried = |kernel: &KernelInfo| kernel.targets.contains(&target) && is_tried(&kernel.name, target);
                for kernel in Generator.kernels().into_iter().filter(tried) {
                    kernel.both_ends().into_iter().for_each(|shape| check(&kernel.name, target, abi, shape));
                }
            });
        }
    });
}
