//! Generated functions for Xtensa with one instruction changed do not pass the verifier.

#[path = "common/changes.rs"]
mod changes;

use changes::{Change, check_refused};
use generator::compile::compile;
use generator::function::{self, Function, Line};
use generator::ir::Kernel;
use generator::kernels::chacha;
use generator::target::{Abi, Shape, Target};
use isa::xtensa::{Inst, Op, Reg, encode, sr};
use kernels::params::chacha::{Counter, Rounds};

/// Numbers of m0 to m2, which hold variables; m3 holds the return address.
const M0: i64 = sr::M0 as i64;
const M2: i64 = M0 + 2;

fn compiled(kernel: &Kernel, target: Target, abi: Abi, shape: Shape) -> Function {
    compile(kernel, target, abi, shape, &mut |_, _| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn cores() -> [(Target, Abi); 3] {
    [(Target::Esp32, Abi::Windowed), (Target::Esp32s3, Abi::Windowed), (Target::Esp32, Abi::Call0)]
}

fn state_functions() -> impl Iterator<Item = Function> {
    let shapes = [Shape::Unrolled, Shape::Looped];
    let all = cores().into_iter().flat_map(move |core| shapes.map(|shape| (core, shape)));
    all.flat_map(|((target, abi), shape)| {
        [chacha::permute(Rounds::R8), chacha::block(Rounds::R8)].map(|kernel| compiled(&kernel, target, abi, shape))
    })
}

fn message_functions() -> impl Iterator<Item = Function> {
    let counters = [Counter::Ietf, Counter::Djb];
    let all = cores().into_iter().flat_map(move |core| counters.map(|counter| (core, counter)));
    all.map(|((target, abi), counter)| compiled(&chacha::xor(Rounds::R8, counter), target, abi, Shape::Looped))
}

/// The instructions with their places, and the name of the part of the function that each is in.
fn instructions(function: &Function) -> Vec<(usize, Inst, &str)> {
    let (mut at, mut part) = (0, "");
    let mut all = Vec::new();
    for line in &function.lines {
        match line {
            Line::Label(label) => part = label,
            Line::Inst { inst: function::Inst::Xtensa(inst), .. } => {
                all.push((at, *inst, part));
                at += isa::xtensa::length(function.code[at]) as usize;
            }
            _ => {}
        }
    }
    all
}

/// Every function with one instruction replaced by another of the same length.
fn changes(function: &Function, change: impl Fn(&Inst, &str) -> Option<Inst>) -> Vec<Change> {
    let changed = |(at, inst, part): (usize, Inst, &str)| {
        let bytes: Vec<u8> = encode(&change(&inst, part)?).ok()?.bytes().collect();
        let mut code = function.code.clone();
        let length = isa::xtensa::length(code[at]) as usize;
        code.splice(at..at + length, bytes.iter().copied());
        let what = format!("`{inst}` at byte {at}");
        (bytes.len() == length).then(|| (what, Function { code, ..function.clone() }))
    };
    instructions(function).into_iter().filter_map(changed).collect()
}

fn nop(inst: &Inst) -> Inst {
    let is_short = encode(inst).is_ok_and(|encoding| encoding.len == 2);
    Inst::new(if is_short { Op::NopN } else { Op::Nop })
}

#[test]
fn wrong_and_missing_shift_amounts_are_refused() {
    let amount = |inst: &Inst, _: &str| (inst.op == Op::Ssai).then_some(Inst { imm: inst.imm ^ 1, ..*inst });
    check_refused(state_functions(), |function| changes(function, amount));
    let missing = |inst: &Inst, _: &str| (inst.op == Op::Ssai).then(|| nop(inst));
    check_refused(state_functions(), |function| changes(function, missing));
}

#[test]
fn wrong_spills_are_refused() {
    check_refused(state_functions(), |function| {
        changes(function, |inst, _| {
            let moves = matches!(inst.op, Op::Xsr | Op::Wsr | Op::Rsr) && (M0..=M2).contains(&inst.imm);
            moves.then(|| Inst { imm: if inst.imm == M2 { M0 } else { inst.imm + 1 }, ..*inst })
        })
    });
    check_refused(message_functions(), |function| {
        changes(function, |inst, _| {
            let loads = matches!(inst.op, Op::L32i | Op::L32iN) && inst.s == Reg::SP;
            loads.then_some(Inst { imm: inst.imm ^ 4, ..*inst })
        })
    });
}

#[test]
fn wrong_counters_lengths_and_repetitions_are_refused() {
    check_refused(message_functions(), |function| {
        changes(function, |inst, part| {
            // What overwrites the frame in the end may do so a byte further on.
            let counts = matches!(inst.op, Op::Addi | Op::AddiN) && inst.s != Reg::SP && part != "leave";
            counts.then(|| Inst { imm: inst.imm + 1, ..*inst })
        })
    });
    let looped = || state_functions().filter(|function| function.shape == Shape::Looped);
    check_refused(looped(), |function| {
        changes(function, |inst, _| (inst.op == Op::Loop).then_some(Inst { s: Reg(inst.s.0 ^ 1), ..*inst }))
    });
}

#[test]
fn secrets_left_behind_are_refused() {
    check_refused(message_functions(), |function| {
        changes(function, |inst, part| {
            // What overwrites the frame, but for words that may hold nothing secret (the counter is one), and m0.
            let stores = matches!(inst.op, Op::S32i | Op::S32iN) && !matches!(inst.imm, 0 | 48);
            (part == "leave" && (stores || inst.op == Op::Wsr && inst.imm == M0)).then(|| nop(inst))
        })
    });
}

#[test]
fn callers_registers_that_are_not_restored_are_refused() {
    check_refused(state_functions(), |function| {
        changes(function, |inst, _| {
            let returned = inst.op == Op::Rsr && inst.imm == M2 + 1;
            let saved = function.abi == Abi::Call0 && matches!(inst.op, Op::L32i | Op::L32iN) && inst.s == Reg::SP;
            (returned || saved).then(|| nop(inst))
        })
    });
}
