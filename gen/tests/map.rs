//! Kernels on groups of elements: what is promised of their size and speed, and that what is wrong with them is found.

use generator::compile::{CompileError, compile};
use generator::function::Function;
use generator::ir::Kernel;
use generator::kernels::{keccak, kyber_decodings as decodings, kyber_encodings as encodings, kyber_noise as noise};
use generator::kernels::{kyber_products as products, kyber_sums as sums};
use generator::map::{Change, Map, Op, Place};
use generator::target::{Abi, Shape, Target};
use generator::verify::verify;
use std::num::NonZeroU32;

fn compiled(kernel: &Kernel, target: Target, shape: Shape) -> Result<Function, CompileError> {
    compile(kernel, target, Abi::Aapcs, shape, &mut |_, _| {})
}

/// The function takes at most so many cycles and bytes.
fn check(kernel: &Kernel, target: Target, shape: Shape, cycles: u64, bytes: usize) {
    let function = compiled(kernel, target, shape).expect("compiled");
    let verified = verify(&function).unwrap_or_else(|error| panic!("{error}"));
    let (name, size) = (&function.symbol, function.code_bytes());
    assert!(verified.cases >= 1000, "{name}: {} cases", verified.cases);
    assert!(verified.cycles <= cycles, "{name}: {} cycles, {cycles} at most", verified.cycles);
    assert!(size <= bytes, "{name}: {size} bytes, {bytes} at most");
}

#[test]
fn products_are_as_quick_and_as_small_as_promised() {
    let [m3, m4, m4f] = Target::THUMB;
    check(&products::mulcache(), m4f, Shape::Unrolled, 660, 620);
    check(&products::basemul(), m4f, Shape::Unrolled, 1080, 440);
    check(&products::basemul_acc(), m4f, Shape::Unrolled, 1350, 580);
    check(&products::basemul_end(), m4f, Shape::Unrolled, 1950, 900);
    check(&products::basemul_end_plain(), m4f, Shape::Unrolled, 1950, 900);
    check(&products::reduce(), m4f, Shape::Unrolled, 1130, 530);
    check(&products::basemul_piece(), m4, Shape::Looped, 202, 500);
    check(&products::restore(), m4, Shape::Unrolled, 1250, 310);
    check(&products::basemul_piece(), m3, Shape::Looped, 380, 560);
    check(&products::basemul_end(), m4, Shape::Looped, 2270, 150);
    check(&products::basemul_end(), m3, Shape::Unrolled, 3900, 710);
    check(&products::basemul_end_plain(), m3, Shape::Looped, 5800, 260);
}

#[test]
fn lanes_go_in_and_out_as_quickly_as_promised() {
    let [m3, m4, m4f] = Target::THUMB;
    check(&keccak::xor_lanes(), m4f, Shape::Unrolled, 500, 570);
    check(&keccak::copy_lanes(), m4f, Shape::Unrolled, 520, 500);
    check(&keccak::xor_lanes(), m4, Shape::Looped, 560, 110);
    check(&keccak::copy_lanes(), m3, Shape::Looped, 620, 100);
}

#[test]
fn encodings_are_as_quick_and_as_small_as_promised() {
    let [m4, m4f] = Target::DSP;
    check(&encodings::compress4(), m4, Shape::Looped, 1110, 120);
    check(&encodings::compress5(), m4f, Shape::Looped, 1180, 130);
    check(&encodings::compress10(), m4f, Shape::Unrolled, 1100, 570);
    check(&encodings::compress11(), m4, Shape::Looped, 1300, 140);
    check(&encodings::encode(), m4, Shape::Looped, 1500, 170);
}

#[test]
fn decodings_and_noise_are_as_quick_and_as_small_as_promised() {
    let [m3, m4, m4f] = Target::THUMB;
    check(&decodings::decode(), m4f, Shape::Unrolled, 740, 370);
    check(&decodings::decode(), m4, Shape::Looped, 880, 80);
    check(&decodings::decode(), m3, Shape::Looped, 880, 80);
    check(&decodings::decompress4(), m4, Shape::Looped, 950, 130);
    check(&decodings::decompress10(), m4f, Shape::Unrolled, 980, 910);
    check(&decodings::decompress10(), m4, Shape::Looped, 1210, 130);
    check(&decodings::decompress11(), m4, Shape::Looped, 1370, 140);
    check(&noise::add_noise2(), m4, Shape::Looped, 950, 110);
    check(&noise::add_noise2(), m3, Shape::Looped, 1470, 150);
    check(&noise::add_noise3(), m4f, Shape::Unrolled, 1460, 700);
    check(&noise::add_noise3(), m4, Shape::Looped, 1910, 110);
}

#[test]
fn messages_and_differences_are_as_quick_and_as_small_as_promised() {
    let [m3, m4, m4f] = Target::THUMB;
    check(&encodings::message(), m4, Shape::Looped, 1110, 120);
    check(&sums::add_message(), m4, Shape::Looped, 1110, 110);
    check(&sums::add_message(), m3, Shape::Unrolled, 1440, 270);
    check(&sums::subtract(), m4f, Shape::Unrolled, 590, 450);
    check(&sums::subtract(), m3, Shape::Looped, 1330, 90);
}

#[test]
fn a_core_without_the_extension_is_named() {
    let error = compiled(&encodings::encode(), Target::M3, Shape::Looped).expect_err("refused").to_string();
    assert!(error.contains("kyber_encode on m3") && error.contains("DSP"), "{error}");
}

#[test]
fn fractions_that_are_not_exact_enough_are_refused() {
    let wrong: [fn(&mut Map); 3] = [
        // An even modulus has coefficients in the middle between two values.
        |map| map.modulus = 3328,
        |map| map.modulus = 1031,
        |map| {
            map.ops.iter_mut().for_each(|op| {
                if let Op::Compress(_, _, bits) = op {
                    *bits = 13
                }
            })
        },
    ];
    for wrong in wrong {
        let mut kernel = encodings::compress10();
        wrong(map_of(&mut kernel));
        match compiled(&kernel, Target::M4, Shape::Looped) {
            Err(CompileError::Check { pass: "bounds", what }) => assert!(what.contains("not exact enough"), "{what}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn wrong_encodings_are_found() {
    type Wrong = (fn() -> Kernel, fn(&mut Map));
    let wrong: [Wrong; 4] = [
        (encodings::compress10, |map| map.modulus = 3331),
        (encodings::encode, |map| map.modulus = 3327),
        (encodings::compress11, |map| {
            map.ops.iter_mut().for_each(|op| {
                if let Op::Drop(_, _, bits) = op {
                    *bits += 1
                }
            });
        }),
        (encodings::compress4, |map| map.arrays[1].bytes += 2),
    ];
    for (kernel, wrong) in wrong {
        let mut kernel = kernel();
        wrong(map_of(&mut kernel));
        let function = compiled(&kernel, Target::M4, Shape::Looped).expect("compiled");
        assert!(verify(&function).is_err(), "{} was accepted", kernel.name);
    }
}

#[test]
fn wrong_decodings_and_noise_are_found() {
    check_changed(decodings::decompress10, "bytes from", |map| map.modulus = 3331);
    check_changed(decodings::decode, "bytes from", |map| {
        if let Some(Op::Bits(_, _, at, _)) = map.ops.iter_mut().find(|op| matches!(op, Op::Bits(..))) {
            *at += 1;
        }
    });
    check_changed(noise::add_noise2, "bytes from", |map| {
        if let Some(Op::Change { to, .. }) = map.ops.iter_mut().find(|op| matches!(op, Op::Change { .. })) {
            to.swap(2, 4);
        }
    });
    // The last three bytes are not four.
    check_changed(noise::add_noise3, "reaches beyond", |map| {
        if let Some(Op::Load(_, place)) =
            map.ops.iter_mut().rfind(|op| matches!(op, Op::Load(_, place) if place.bytes == 4 && place.at == 8))
        {
            place.at = 9;
        }
    });
    check_refused(decodings::decompress4, "Decompress", |map| {
        if let Some(Op::Bits(_, _, _, count)) = map.ops.iter_mut().find(|op| matches!(op, Op::Bits(..))) {
            *count = 5;
        }
    });
    check_refused(noise::add_noise3, "Change", |map| map.arrays[0].read.1 += 1);
    check_refused(noise::add_noise2, "Change", |map| map.arrays[0].read.0 = i16::MIN.into());
    check_changed(sums::add_message, "bytes from", |map| {
        if let Some(Op::Change { by: Change::Bits(_, number), .. }) =
            map.ops.iter_mut().find(|op| matches!(op, Op::Change { .. }))
        {
            *number -= 1;
        }
    });
    check_changed(sums::subtract, "bytes from", |map| map.arrays[1].bytes -= 4);
    check_refused(sums::add_message, "Change", |map| map.arrays[0].read.1 += 1);
    check_refused(sums::subtract, "Change", |map| map.arrays[1].read.0 = i16::MIN.into());
    check_refused(decodings::decode, "Store", |map| map.arrays[0].written.1 -= 1);
}

#[test]
fn a_body_does_as_many_groups_as_are_asked_for() {
    let groups = |n| Shape::By(NonZeroU32::new(n).expect("not zero"));
    let bytes = [Shape::Looped, groups(2), groups(4)].map(|shape| {
        let function = compiled(&products::reduce(), Target::M4, shape).expect("compiled");
        verify(&function).unwrap_or_else(|error| panic!("{error}"));
        function.code.len()
    });
    assert!(bytes.is_sorted_by(|a, b| a < b), "{bytes:?}");
}

fn map_of(kernel: &mut Kernel) -> &mut Map {
    // There is one form only, and it is the changed one.
    kernel.small_groups = None;
    kernel.map.as_mut().expect("a map")
}

/// A map that is changed so is refused by the check of bounds, with these words.
fn check_refused(kernel: fn() -> Kernel, words: &str, wrong: fn(&mut Map)) {
    let mut kernel = kernel();
    wrong(map_of(&mut kernel));
    for target in Target::THUMB {
        match compiled(&kernel, target, Shape::Looped) {
            Err(CompileError::Check { pass: "bounds", what }) => assert!(what.contains(words), "{what}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn values_that_could_get_too_large_are_refused() {
    const ALL: (i32, i32) = (i32::MIN, i32::MAX);
    check_refused(products::basemul_acc, "Store", |map| map.arrays[0].read = (-products::SUM, products::SUM));
    check_refused(products::basemul, "Products", |map| map.arrays.iter_mut().for_each(|array| array.read = ALL));
    check_refused(products::reduce, "Reduce", |map| map.arrays[1].read = ALL);
    check_refused(products::reduce, "Store", |map| map.arrays[0].written = (1 - products::REDUCED, products::REDUCED));
    check_refused(products::reduce_plain, "Store", |map| map.arrays[0].written = (-1664, 1663));
    check_refused(products::mulcache, "modulo 40961", |map| map.modulus = 40961);
}

/// What is wrong with a function of a kernel is found when it is run, with these words.
fn check_found(kernel: &Kernel, words: &str, wrong: fn(&mut Function)) {
    for target in [Target::M3, Target::M4] {
        let mut function = compiled(kernel, target, Shape::Unrolled).expect("compiled");
        wrong(&mut function);
        let error = verify(&function).expect_err("what is wrong was accepted").to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// The same for a map that is changed so.
fn check_changed(kernel: fn() -> Kernel, words: &str, wrong: fn(&mut Map)) {
    let mut kernel = kernel();
    wrong(map_of(&mut kernel));
    check_found(&kernel, words, |_| ());
}

#[test]
fn what_is_wrong_is_found() {
    check_found(&products::mulcache(), "not congruent", |function| function.literals[63] ^= 1 << 20);
    check_changed(products::mulcache, "not congruent", |map| map.factors.swap(5, 6));
    check_changed(products::basemul, "coefficient 0 is", |map| {
        for op in &mut map.ops {
            if let Op::Products(_, terms, _) = op {
                terms[1].1 = terms[0].1;
            }
        }
    });
    check_changed(keccak::xor_lanes, "bytes from", |map| {
        if let Some(Op::Exchange(_, _, n)) = map.ops.iter_mut().find(|op| matches!(op, Op::Exchange(..))) {
            *n = 3;
        }
    });
    // Lanes beyond those that there are.
    check_changed(keccak::copy_lanes, "past the end", |map| map.arrays[0].bytes = 16);
    // Where the result may take the place of the sum, groups must not be taken from the last one down.
    check_changed(products::reduce, "coefficient", |map| map.overlaps = false);
    for in_place in [encodings::compress4, encodings::encode] {
        let mut kernel = in_place();
        map_of(&mut kernel).overlaps = false;
        let function = compiled(&kernel, Target::M4, Shape::Unrolled).expect("compiled");
        assert!(verify(&function).is_err(), "{} was accepted", kernel.name);
    }
    // A store to the half of the sum that has to stay.
    check_changed(products::basemul_end, "has changed", |map| {
        if let Some(&Op::Store(_, value)) = map.ops.last() {
            map.ops.push(Op::Store(Place { array: 0, at: 12, bytes: 4 }, value));
        }
    });
}
