//! The harness that calls functions on QEMU: what it returns, and that it finds functions that break the conventions.

#![allow(clippy::unwrap_used)]

use isa::xtensa::testing::{Argument, Call, Convention, Function, MAX_DEPTH, Returned, call_all, inst};
use isa::xtensa::{Inst, Op};

/// Adds the words of the second buffer, which has four, to the first, and returns the third argument and 1.
fn adding(begin: &[Inst], end: Op) -> Vec<Inst> {
    let mut code = begin.to_vec();
    for offset in (0..16).step_by(4) {
        code.push(inst(Op::L32iN, 0, 2, 8, offset));
        code.push(inst(Op::L32iN, 0, 3, 9, offset));
        code.push(inst(Op::AddN, 8, 8, 9, 0));
        code.push(inst(Op::S32iN, 0, 2, 8, offset));
    }
    code.push(inst(Op::AddiN, 2, 4, 0, 1));
    code.push(inst(end, 0, 0, 0, 0));
    code
}

fn entry() -> Inst {
    inst(Op::Entry, 0, 1, 0, 32)
}

fn call(function: usize, convention: Convention) -> Call {
    let words = |first: u32| (first..first + 4).flat_map(u32::to_le_bytes).collect();
    let buffer = |offset, first| Argument::Buffer { offset, bytes: words(first) };
    let arguments = vec![buffer(4, 1000 * function as u32), buffer(0, 5), Argument::Value(u32::MAX)];
    Call { function, convention, arguments }
}

fn results(functions: &[Function], calls: &[Call]) -> std::io::Result<Vec<Returned>> {
    call_all(functions, calls, tempfile::tempdir().unwrap().path())
}

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn functions_are_called_by_either_convention_from_any_depth() {
    let functions = [Function::new(adding(&[entry()], Op::RetwN)), Function::new(adding(&[], Op::RetN))];
    let mut calls: Vec<Call> = (1..=MAX_DEPTH).map(|depth| call(0, Convention::Windowed(depth))).collect();
    calls.push(call(1, Convention::Call0));
    calls.push(call(0, Convention::Windowed(3)));
    for (call, returned) in calls.iter().zip(results(&functions, &calls).unwrap()) {
        let words = |first: u32, step: usize| (first..).step_by(step).take(4).flat_map(u32::to_le_bytes).collect();
        let sums: Vec<u8> = words(1000 * call.function as u32 + 5, 2);
        assert_eq!(returned, Returned { value: 0, buffers: vec![sums, words(5, 1)] }, "{call:?}");
    }
}

/// Each of these functions does one thing that it must not.
#[test]
#[ignore = "needs qemu-system-xtensa"]
fn planted_faults_are_found() {
    let windowed = |more: &[Inst]| Function::new(adding(&[&[entry()], more].concat(), Op::Retw));
    let call0 = |more: &[Inst]| Function::new(adding(more, Op::Ret));
    let store = |offset| inst(Op::S32i, 0, 2, 4, offset);
    // Under the stack pointer of the frame at depth 8, of 64 bytes each, there is a2 of the one before, long in memory.
    let saved = inst(Op::S32i, 0, 1, 4, 32 + 4 * 64 - 16 + 8);
    let before = [inst(Op::Addi, 0, 2, 5, -4), inst(Op::S32i, 0, 5, 4, 0)];
    for (function, convention, fault) in [
        (windowed(&[inst(Op::Ill, 0, 0, 0, 0)]), Convention::Windowed(1), "exception"),
        (windowed(&[inst(Op::L32i, 0, 4, 5, 0)]), Convention::Windowed(1), "exception"),
        (windowed(&[store(16)]), Convention::Windowed(1), "beside the buffers"),
        (
            windowed(&[inst(Op::Rotw, 0, 0, 0, -1), inst(Op::Movi, 0, 0, 3, 5), inst(Op::Rotw, 0, 0, 0, 1)]),
            Convention::Windowed(2),
            "to be kept",
        ),
        (windowed(&[saved]), Convention::Windowed(12), "to be kept"),
        (call0(&[inst(Op::Movi, 0, 0, 12, 5)]), Convention::Call0, "to be kept"),
        (call0(&[inst(Op::Addi, 0, 1, 1, -16)]), Convention::Call0, "to be kept"),
        (call0(&before), Convention::Call0, "beside the buffers"),
        (call0(&[entry()]), Convention::Call0, "exception"),
    ] {
        let error = results(&[function], &[call(0, convention)]).unwrap_err().to_string();
        assert!(error.contains(fault), "{convention:?}: {error}, not {fault}");
    }
}
