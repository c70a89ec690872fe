//! Generated functions pass the verifier; with one instruction changed they do not, unless the change means nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in its helpers")]

#[path = "common/changes.rs"]
mod changes;

use generator::function::Function;
use generator::kernels::chacha;
use generator::target::{Shape, Target};
use generator::thumb::compile;
use generator::verify::verify;
use isa::thumb::{Inst, Mode, Op, Reg, Shift, ShiftKind, Width, decode, encode};
use kernels::params::chacha::{Counter, Rounds};
use kernels::testing::Random;

/// Bits flipped in each function.
const FLIPS: usize = 50;

/// Instructions with their places, in bytes from the start.
fn instructions(code: &[u8]) -> Vec<(usize, Inst)> {
    let halfword = |at: usize| code.get(at..at + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
    let mut all = Vec::new();
    let mut at = 0;
    while at < code.len() {
        // Where a changed bit leaves no instruction, the verifier has to say so; here it only must not stop the listing.
        let (inst, length) = decode(halfword(at), halfword(at + 2), 0).unwrap_or((Inst::new(Op::Udf), 2));
        all.push((at, inst));
        at += length as usize;
    }
    all
}

/// The function with another instruction of the same length at one place; nothing if there is no such encoding.
fn replaced(function: &Function, at: usize, inst: Inst) -> Option<Function> {
    let bytes: Vec<u8> = encode(&inst, false).ok()?.bytes().collect();
    let mut code = function.code.clone();
    code[at..at + bytes.len()].copy_from_slice(&bytes);
    let same_places =
        instructions(&code).iter().map(|(at, _)| *at).eq(instructions(&function.code).iter().map(|(at, _)| *at));
    same_places.then(|| Function { code, ..function.clone() })
}

fn state_functions() -> impl Iterator<Item = Function> {
    let shapes = [Shape::Unrolled, Shape::Looped];
    let cores = Target::THUMB.into_iter().flat_map(move |target| shapes.map(|shape| (target, shape)));
    cores.flat_map(|(target, shape)| {
        [chacha::permute(Rounds::R8), chacha::block(Rounds::R8)]
            .map(|kernel| compile(&kernel, target, shape, &mut |_, _| {}).unwrap())
    })
}

fn message_functions() -> impl Iterator<Item = Function> {
    let counters = [Counter::Ietf, Counter::Djb];
    let cores = Target::THUMB.into_iter().flat_map(move |target| counters.map(|counter| (target, counter)));
    cores.map(|(target, counter)| {
        compile(&chacha::xor(Rounds::R8, counter), target, Shape::Looped, &mut |_, _| {}).unwrap()
    })
}

/// True if two instructions do the same, but for flags that nobody looks at, as the verifier has found.
fn means_the_same(before: &Inst, after: &Inst) -> bool {
    let plain = |inst: &Inst| {
        // `vmov.32 d0[0], r3` is `vmov s0, r3`.
        let inst = match inst.op {
            Op::VmovLaneR => Inst { op: Op::VmovSR, d: Reg(2 * inst.d.0 + inst.imm as u8), imm: 0, ..*inst },
            Op::VmovRLane => Inst { op: Op::VmovRS, n: Reg(2 * inst.n.0 + inst.imm as u8), imm: 0, ..*inst },
            _ => *inst,
        };
        Inst { set_flags: false, width: Width::Any, ..inst }
    };
    plain(before) == plain(after)
}

#[test]
fn flipped_bits_are_noticed() {
    let mut random = Random::new(7);
    for function in state_functions() {
        verify(&function).unwrap();
        let before = instructions(&function.code);
        for _ in 0..FLIPS {
            let bit = random.below(8 * function.code.len());
            let mut code = function.code.clone();
            code[bit / 8] ^= 1 << (bit % 8);
            let after = instructions(&code);
            let place = before.partition_point(|(at, _)| *at <= bit / 8) - 1;
            let (was, is) = (before[place].1, after.get(place).map(|(_, inst)| *inst));
            if verify(&Function { code, ..function.clone() }).is_ok() {
                let same = is.is_some_and(|is| means_the_same(&was, &is));
                let is = is.map_or("nothing".into(), |is| is.to_string());
                assert!(same, "{}: `{was}` became `{is}`, and passed", function.symbol);
            }
        }
    }
}

/// Every function that `change` makes of a generated one, by changing one instruction, is refused.
fn check_refused(functions: impl Iterator<Item = Function>, change: impl Fn(&Inst) -> Option<Inst>) {
    changes::check_refused(functions, |function| {
        let changed = |(at, inst): (usize, Inst)| {
            Some((format!("`{inst}` at byte {at}"), replaced(function, at, change(&inst)?)?))
        };
        instructions(&function.code).into_iter().filter_map(changed).collect()
    });
}

#[test]
fn wrong_rotations_are_refused() {
    check_refused(state_functions(), |inst| {
        let turned = inst.shift.kind == ShiftKind::Ror && inst.shift.amount < 31;
        turned.then(|| Inst { shift: Shift { amount: inst.shift.amount + 1, ..inst.shift }, ..*inst })
    });
}

#[test]
fn wrong_slots_are_refused() {
    check_refused(state_functions(), |inst| match inst.op {
        Op::LdrImm if inst.n == Reg::SP => Some(Inst { imm: inst.imm ^ 4, ..*inst }),
        Op::VmovRS => Some(Inst { n: Reg(inst.n.0 ^ 1), ..*inst }),
        _ => None,
    });
}

#[test]
fn secrets_left_behind_are_refused() {
    check_refused(message_functions(), |inst| match inst.op {
        // A store that overwrites the frame, and a move that overwrites S registers with the same zero.
        Op::Stm if inst.n == Reg::SP && inst.mode == Mode::PreIndex => {
            let bytes = 4 * inst.list.count_ones() as i32;
            Some(Inst { d: Reg::SP, n: Reg::SP, imm: bytes, width: Width::Wide, ..Inst::new(Op::AddImm) })
        }
        Op::VmovSSRR if inst.n == inst.a && inst.d == Reg(0) => Some(Inst { width: Width::Wide, ..Inst::new(Op::Nop) }),
        _ => None,
    });
}

#[test]
fn registers_that_are_not_restored_are_refused() {
    const R4: u8 = 4;
    for function in state_functions() {
        let writes_r4 = |(_, inst): &(usize, Inst)| inst.effects().core_writes >> R4 & 1 == 1;
        let (at, inst) = instructions(&function.code).into_iter().rfind(writes_r4).unwrap();
        let other = |register: Reg| if register == Reg(R4) { Reg(3) } else { register };
        let list = if inst.list == 0 { 0 } else { inst.list & !(1 << R4) | 1 << 3 };
        let wrong = replaced(&function, at, Inst { d: other(inst.d), a: other(inst.a), list, ..inst }).unwrap();
        let error = verify(&wrong).unwrap_err().to_string();
        assert!(error.contains("r4") && error.contains("not restored"), "`{inst}` changed: {error}");
    }
}

#[test]
fn callee_saved_fp_registers_are_refused() {
    for function in state_functions().filter(|function| function.target.has_fpu()) {
        verify(&function).unwrap();
        let users = |op| move |(_, inst): &(usize, Inst)| inst.op == op;
        let all = instructions(&function.code);
        let (_, first) = *all.iter().find(|user| users(Op::VmovSR)(user)).unwrap();
        let mut renamed = function.clone();
        for (at, inst) in all {
            let inst = match inst.op {
                Op::VmovSR if inst.d == first.d => Inst { d: Reg(16), ..inst },
                Op::VmovRS if inst.n == first.d => Inst { n: Reg(16), ..inst },
                _ => continue,
            };
            renamed = replaced(&renamed, at, inst).unwrap();
        }
        let error = verify(&renamed).unwrap_err().to_string();
        assert!(error.contains("s16") && error.contains("not restored"), "{error}");
    }
}

#[test]
fn wrong_counters_and_lengths_are_refused() {
    check_refused(message_functions(), |inst| {
        let counts = matches!(inst.op, Op::AddImm | Op::SubImm | Op::AdcImm | Op::SbcImm) && inst.n != Reg::SP;
        counts.then(|| Inst { imm: inst.imm + 1, ..*inst })
    });
}
