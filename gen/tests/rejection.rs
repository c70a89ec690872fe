//! Rejection sampling: what is promised of its size and speed, and that what is wrong with it is found.

use generator::compile::compile;
use generator::function::Function;
use generator::kernels::kyber_sampling;
use generator::target::{Abi, Shape, Target};
use generator::verify::verify;

fn compiled(target: Target, shape: Shape, bound: u32) -> Function {
    let mut kernel = kyber_sampling::sample();
    kernel.rejection.as_mut().expect("rejection").bound = bound;
    compile(&kernel, target, Abi::Aapcs, shape, &mut |_, _| {}).unwrap_or_else(|error| panic!("{error}"))
}

const Q: u32 = 3329;

#[test]
fn sampling_is_as_quick_and_as_small_as_promised() {
    let check = |target, shape, cycles, bytes| {
        let function = compiled(target, shape, Q);
        let verified = verify(&function).unwrap_or_else(|error| panic!("{error}"));
        let (name, size) = (&function.symbol, function.code_bytes());
        assert!(verified.cases >= 1000, "{name}: {} cases", verified.cases);
        assert!(verified.cycles <= cycles, "{name}: {} cycles, {cycles} at most", verified.cycles);
        assert!(size <= bytes, "{name}: {size} bytes, {bytes} at most");
    };
    check(Target::M3, Shape::Unrolled, 505, 350);
    check(Target::M4, Shape::Looped, 530, 240);
    check(Target::M4f, Shape::Unrolled, 505, 370);
}

#[test]
fn what_is_wrong_is_found() {
    // A candidate more or less than there should be.
    for bound in [Q - 1, Q + 1] {
        let error =
            verify(&compiled(Target::M3, Shape::Looped, bound)).expect_err("a wrong bound was accepted").to_string();
        assert!(error.contains("returned") || error.contains("bytes from"), "{error}");
    }
}
