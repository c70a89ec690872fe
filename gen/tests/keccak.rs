//! Keccak-f[1600]: every shape passes the checks after the passes, and the verification refuses what is not right.

use generator::compile::compile;
use generator::function::Function;
use generator::kernels::keccak;
use generator::target::{Abi, Shape, Target};
use generator::verify::verify;
use std::num::NonZeroU32;

fn compiled(target: Target, shape: Shape) -> Function {
    match compile(&keccak::f1600(), target, Abi::Aapcs, shape, &mut |_, _| {}) {
        Ok(function) => function,
        Err(error) => panic!("{target}, {shape}: {error}"),
    }
}

fn by(n: u32) -> Shape {
    Shape::By(NonZeroU32::new(n).expect("not zero"))
}

/// Multiples of four rounds stay in one array; others go to and fro between two, an odd number ends in the other one.
#[test]
fn every_number_of_rounds_in_the_loop_is_right() {
    for (shape, stack_bytes_max) in [(by(2), 400), (by(3), 400), (by(4), 150), (by(8), 150), (Shape::Looped, 400)] {
        let function = compiled(Target::M4f, shape);
        assert!(function.stack_bytes < stack_bytes_max, "{shape}: {} bytes of stack", function.stack_bytes);
        if let Err(error) = verify(&function) {
            panic!("{error}");
        }
    }
}

#[test]
fn the_looped_shape_is_as_small_and_as_quick_as_promised() {
    for target in [Target::M3, Target::M4] {
        let function = compiled(target, Shape::Looped);
        let (bytes, cycles) = (function.code_bytes(), verify(&function).expect("verified").cycles);
        assert!(bytes <= 1500, "{target}: {bytes} bytes");
        assert!(cycles <= 12500, "{target}: {cycles} cycles");
    }
}

#[test]
fn a_wrong_constant_and_a_wrong_instruction_are_seen() {
    let good = compiled(Target::M3, Shape::Looped);
    assert!(verify(&good).is_ok());
    let faults: [fn(&mut Function); 3] = [
        |function| function.literals[3] ^= 1 << 31,
        |function| function.literals.swap(4, 5),
        // The distance of the branch back, the last instruction before the epilogue, is not touched by this.
        |function| function.code[400] ^= 0x40,
    ];
    for (k, fault) in faults.into_iter().enumerate() {
        let mut bad = good.clone();
        fault(&mut bad);
        assert!(verify(&bad).is_err(), "fault {k} is not seen");
    }
}

#[test]
fn a_core_without_a_backend_for_it_is_named() {
    let error = compile(&keccak::f1600(), Target::Esp32, Abi::Windowed, by(4), &mut |_, _| {}).expect_err("refused");
    assert!(error.to_string().contains("keccak_f1600 on esp32"), "{error}");
}
