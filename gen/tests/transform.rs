//! Number-theoretic transforms: what is promised of their size and speed, and that what is wrong with them is found.

use generator::compile::{CompileError, compile};
use generator::function::Function;
use generator::ir::Kernel;
use generator::kernels::kyber;
use generator::target::{Abi, Shape, Target};
use generator::verify::verify;

fn compiled(kernel: &Kernel, target: Target, shape: Shape) -> Result<Function, CompileError> {
    compile(kernel, target, Abi::Aapcs, shape, &mut |_, _| {})
}

/// The function takes at most so many cycles and bytes.
fn check(kernel: &Kernel, target: Target, shape: Shape, cycles: u64, bytes: usize) {
    let function = compiled(kernel, target, shape).expect("compiled");
    let verified = verify(&function).expect("verified");
    let (name, size) = (&function.symbol, function.code_bytes());
    assert!(verified.cases >= 1000, "{name}: {} cases", verified.cases);
    assert!(verified.cycles <= cycles, "{name}: {} cycles, {cycles} at most", verified.cycles);
    assert!(size <= bytes, "{name}: {size} bytes, {bytes} at most");
}

#[test]
fn transforms_are_as_quick_and_as_small_as_promised() {
    check(&kyber::ntt(), Target::M4f, Shape::Unrolled, 4280, 1700);
    check(&kyber::invntt(), Target::M4f, Shape::Unrolled, 4430, 2200);
    check(&kyber::invntt_sum(), Target::M4f, Shape::Unrolled, 4430, 2200);
    check(&kyber::ntt(), Target::M4, Shape::Looped, 5200, 700);
    check(&kyber::invntt(), Target::M4, Shape::Looped, 6290, 730);
    check(&kyber::ntt(), Target::M3, Shape::Looped, 9210, 660);
    check(&kyber::invntt(), Target::M3, Shape::Looped, 11720, 780);
    check(&kyber::ntt(), Target::M3, Shape::Unrolled, 7600, 1700);
    check(&kyber::invntt(), Target::M3, Shape::Unrolled, 8800, 2350);
}

#[test]
fn a_wrong_factor_is_found() {
    for kernel in [kyber::ntt(), kyber::invntt()] {
        for target in [Target::M3, Target::M4] {
            for shape in [Shape::Unrolled, Shape::Looped] {
                let right = compiled(&kernel, target, shape).expect("compiled");
                for at in [0, right.literals.len() / 2, right.literals.len() - 1] {
                    let mut wrong = right.clone();
                    // Of two halfwords both.
                    wrong.literals[at] ^= 1 << 20 | 1 << 4;
                    let error = verify(&wrong).expect_err("a wrong factor was accepted").to_string();
                    assert!(error.contains("not congruent"), "{shape}, {at}: {error}");
                }
            }
        }
    }
}

#[test]
fn coefficients_that_could_overflow_are_refused() {
    for mut kernel in [kyber::ntt(), kyber::invntt()] {
        let transform = kernel.transform.as_mut().expect("a transform");
        transform.bound = 7 * transform.modulus;
        match compiled(&kernel, Target::M4, Shape::Looped) {
            Err(CompileError::Check { pass: "bounds", what }) => assert!(what.contains("16 bits"), "{what}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_stated_bound_is_not_exceeded() {
    let mut kernel = kyber::ntt();
    kernel.transform.as_mut().expect("a transform").bound_after = kyber::AFTER_NTT - kyber::BEFORE;
    match compiled(&kernel, Target::M4, Shape::Looped) {
        Err(CompileError::Check { pass: "bounds", what }) => assert!(what.contains("at the end"), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_modulus_that_is_too_large_is_refused() {
    let mut kernel = kyber::ntt();
    kernel.transform.as_mut().expect("a transform").modulus = 18433;
    match compiled(&kernel, Target::M4, Shape::Looped) {
        Err(CompileError::Check { pass: "bounds", what }) => assert!(what.contains("not reduced exactly"), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_core_without_a_backend_for_it_is_named() {
    let error = compile(&kyber::ntt(), Target::Esp32, Abi::Windowed, Shape::Looped, &mut |_, _| {});
    let error = error.expect_err("refused").to_string();
    assert!(error.contains("no code for kyber_ntt on esp32"), "{error}");
}
