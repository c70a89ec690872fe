//! Random co-simulation against QEMU's Xtensa cores: the same code and state on both, then registers, memory and exceptions
//! compared.

#![allow(clippy::unwrap_used)]

mod case;
mod driver;
mod generate;
#[macro_use]
#[path = "../common/planted.rs"]
mod planted;
mod sequences;
mod target;

use std::collections::BTreeMap;

use isa::xtensa::random::Rng;
use isa::xtensa::testing::Assembly;
use isa::xtensa::{Control, Extension, Fault, Inst, Op, Outcome, Reg, State, sr};

use case::{Batch, Case, Memory, Semantics, ours};
use sequences::Made;
use target::{DC233C, DE233_FPU, Target};

const SCRATCH: usize = 512;

/// Rows that no case has, and why.
fn is_left_out(op: Op) -> Option<&'static str> {
    use Op::{AddexpS, AddexpmS, DivnS, MaddnS, MkdadjS, MksadjS};
    use Op::{Div0S, Nexp01S, Recip0S, Rsqrt0S, Sqrt0S};
    match op {
        Op::Muluh | Op::Mulsh => Some("no core of QEMU has it"),
        Op::Waiti | Op::Simcall | Op::Break | Op::BreakN => Some("it ends a case"),
        Op::Lddr32P | Op::Sddr32P => Some("not modelled: debugging"),
        _ if op.row().extension == Extension::Vector => Some("no core of QEMU has it"),
        _ if matches!(op.row().extension, Extension::Translation | Extension::External) => Some("not modelled"),
        AddexpS | AddexpmS | DivnS | MaddnS | MkdadjS | MksadjS => Some("not modelled: tables are not published"),
        Div0S | Nexp01S | Recip0S | Rsqrt0S | Sqrt0S => Some("not modelled: tables are not published"),
        _ => None,
    }
}

/// Rows of the target that go on with the next instruction and can be run in any state.
fn plain_rows(target: &Target) -> Vec<Op> {
    let plain = |op: &&Op| {
        let goes_on = Inst::<Reg>::new(**op).control() == Control::Next;
        goes_on && target.has_row(**op) && is_left_out(**op).is_none() && !sequences::is_windowed(**op)
    };
    Op::ALL.iter().filter(plain).copied().collect()
}

fn batch(target: Target, slot: usize, rng: &mut Rng) -> Batch {
    let scratch = (0..SCRATCH).map(|_| rng.next_u32() as u8).collect();
    Batch::new(target, slot, scratch, || rng.next_u32() as u8)
}

/// `count` cases of one instruction each, of every row in turn.
fn single(target: Target, rows: &[Op], count: usize, seed: u64) -> Batch {
    let mut rng = Rng::new(seed);
    let mut batch = batch(target, 32, &mut rng);
    for &op in rows.iter().cycle().take(count) {
        let inst = generate::inst(&mut rng, &target, op);
        let start = batch.next_start();
        let mut code = Assembly::new(start);
        code.push([inst]);
        let mut state = generate::state(&mut rng, &target, start, code.here());
        generate::fit(&mut rng, &target, &inst, batch.scratch(), &mut state);
        batch.add(code, state);
    }
    batch.run();
    batch
}

/// `count` made cases, for every row in turn.
fn made(target: Target, rows: &[Op], count: usize, seed: u64, make: impl Fn(&mut Rng, &mut Made, Op)) -> Batch {
    let mut rng = Rng::new(seed);
    let mut batch = batch(target, 64, &mut rng);
    for &op in rows.iter().cycle().take(count) {
        sequences::add(&mut rng, &mut batch, |rng, made| make(rng, made, op));
    }
    batch.run();
    batch
}

/// `count` made cases, with a scratch memory full of addresses in it, of so many bytes.
fn among_frames(
    slot: usize,
    scratch: usize,
    count: usize,
    seed: u64,
    make: impl Fn(&mut Rng, &mut Made, usize),
) -> Batch {
    let mut rng = Rng::new(seed);
    let pointers =
        (0..scratch / 4).flat_map(|_| sequences::pointer(&mut rng, &DC233C, scratch).to_le_bytes()).collect();
    let mut batch = Batch::new(DC233C, slot, pointers, || 0);
    for i in 0..count {
        sequences::add(&mut rng, &mut batch, |rng, made| make(rng, made, i));
    }
    batch.run();
    batch
}

fn assert_same(batch: &Batch) {
    let differences = batch.differences(ours);
    assert!(
        differences.is_empty(),
        "{} of {} cases differ:\n{}",
        differences.len(),
        batch.cases.len(),
        differences[..differences.len().min(20)].join("\n")
    );
}

/// Fails if a row has fewer than 20 cases.
fn assert_covered(batch: &Batch, rows: &[Op]) {
    let mut seen: BTreeMap<Op, usize> = BTreeMap::new();
    batch.cases.iter().flat_map(|case| &case.instructions).for_each(|inst| *seen.entry(inst.op).or_default() += 1);
    let few = |op: &&Op| seen.get(op).is_none_or(|&count| count < 20);
    assert_eq!(rows.iter().filter(few).collect::<Vec<_>>(), Vec::<&Op>::new(), "too few cases of a row");
}

/// Rows that are an exception in any state.
const REFUSED: [Op; 3] = [Op::Ill, Op::IllN, Op::Syscall];

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn every_integer_row_agrees_with_qemu() {
    let mut rows = plain_rows(&DC233C);
    rows.extend(REFUSED);
    let batch = single(DC233C, &rows, 12_000, 1);
    assert_covered(&batch, &rows);
    assert_same(&batch);
}

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn booleans_and_floating_point_agree_with_qemu() {
    let mut rows = plain_rows(&DE233_FPU);
    rows.retain(|op| matches!(op.row().extension, Extension::Bool | Extension::Float));
    let batch = single(DE233_FPU, &rows, 12_000, 2);
    assert_covered(&batch, &rows);
    assert_same(&batch);
}

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn jumps_agree_with_qemu() {
    // This core has branches on booleans too.
    let target = DE233_FPU;
    let branches = sequences::branches(&target);
    assert_same(&made(target, &branches, 3000, 3, |rng, made, op| sequences::forward(rng, made, &target, op)));
    // Not those that only go forward.
    let branches: Vec<Op> = branches.into_iter().filter(|op| op.row().extension != Extension::Density).collect();
    assert_same(&made(target, &branches, 1000, 4, |rng, made, op| sequences::backward(rng, made, &target, op)));
    assert_same(&made(DC233C, &CALLS, 500, 5, sequences::call));
    assert_same(&made(DC233C, &LOOPS, 1500, 6, sequences::repeat));
    assert_same(&made(DC233C, &RETURNS, 500, 7, sequences::exception_return));
}

const CALLS: [Op; 3] = [Op::Jx, Op::Call0, Op::Callx0];
const LOOPS: [Op; 3] = [Op::Loop, Op::Loopnez, Op::Loopgtz];
const RETURNS: [Op; 5] = [Op::Rfe, Op::Rfde, Op::Rfi, Op::Rfwo, Op::Rfwu];

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn windows_agree_with_qemu() {
    let rows = sequences::window_rows();
    let batch = among_frames(64, SCRATCH, 10_000, 8, |rng, made, i| {
        sequences::window(rng, made, &DC233C, SCRATCH, rows[i % rows.len()]);
    });
    assert_covered(&batch, &rows);
    assert_same(&batch);
}

/// Functions that call each other from depth 1 to 12 in a file for 8 windows: handlers store and load frames.
#[test]
#[ignore = "needs qemu-system-xtensa"]
fn deep_calls_agree_with_qemu() {
    const STACK: usize = 4096;
    let batch = among_frames(1024, STACK, 1000, 9, |rng, made, _| sequences::tower(rng, made, &DC233C, STACK));
    assert_covered(&batch, &[Op::Entry, Op::Retw, Op::RetwN, Op::Call4, Op::Call8, Op::Call12]);
    assert_same(&batch);
}

/// Refuses what the core lacks.
fn lacking(state: &mut State, memory: &mut Memory, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    if memory.target.has_row(inst.op) { ours(state, memory, inst, length) } else { Err(Fault::Illegal) }
}

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn what_a_core_lacks_is_illegal_there() {
    for target in [DC233C, DE233_FPU] {
        let lacks =
            |op: &Op| !target.has_row(*op) && is_left_out(*op).is_none_or(|why| !why.starts_with("not modelled"));
        let next = |op: &Op| Inst::<Reg>::new(*op).control() == Control::Next;
        let rows: Vec<Op> = Op::ALL.iter().copied().filter(|op| lacks(op) && next(op)).collect();
        let batch = single(target, &rows, 2 * rows.len(), 10);
        let differences = batch.differences(lacking);
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        assert_eq!(batch.differences(ours).len(), batch.cases.len(), "ours has them");
    }
}

/// Every row is in a case or left out for a reason.
#[test]
fn every_row_is_compared_or_left_out() {
    let mut rows = plain_rows(&DC233C);
    rows.extend(plain_rows(&DE233_FPU));
    rows.extend(sequences::branches(&DE233_FPU));
    rows.extend(sequences::window_rows());
    rows.extend(CALLS.into_iter().chain(LOOPS).chain(RETURNS));
    rows.extend(REFUSED);
    // In the cases of calls.
    rows.extend([Op::Ret, Op::RetN]);
    for &op in Op::ALL {
        assert_eq!(rows.contains(&op), is_left_out(op).is_none(), "{op:?}");
    }
}

/// Whether an instruction did something: always, as none is conditional as such.
fn is_executed(_: Outcome) -> bool {
    true
}

/// The comparison finds each of these small mistakes, and only in cases with the row that has it.
#[test]
#[ignore = "needs qemu-system-xtensa"]
fn planted_faults_are_found() {
    let faults = planted! {
        Op::Ssl => |before, state, _memory, _inst| state.special[sr::SAR] = before.special[sr::SAR];
        Op::Src => |_before, state, _memory, inst| state.set_a(inst.r.0, state.a(inst.r.0) & !1);
        Op::Sext => |_before, state, _memory, inst| state.set_a(inst.r.0, state.a(inst.r.0) & 0x7fff_ffff);
        Op::MulaAaLl => |_before, state, _memory, _inst| state.special[sr::ACCHI] = 0;
        Op::Ldinc => |before, state, _memory, inst| state.set_a(inst.s.0, before.a(inst.s.0));
        Op::S8i => |_before, _state, memory, _inst| memory.scratch[200] ^= 1;
        Op::S32c1i => |before, state, _memory, inst| state.set_a(inst.t.0, before.a(inst.t.0));
        Op::Rsil => |before, state, _memory, _inst| state.special[sr::PS] = before.special[sr::PS];
        Op::Quos => |before, state, _memory, inst| {
            state.set_a(inst.r.0, before.a(inst.s.0).checked_div(before.a(inst.t.0)).unwrap_or(0))
        };
    };
    check_planted(&single(DC233C, &plain_rows(&DC233C), 8_000, 11), &faults);

    let faults = planted! {
        Op::Retw => |before, state, _memory, _inst| {
            state.special[sr::WINDOWSTART] |= 1 << before.special[sr::WINDOWBASE]
        };
        Op::Call8 => |before, state, _memory, _inst| state.special[sr::PS] = before.special[sr::PS];
        Op::Entry => |_before, state, _memory, inst| state.set_a(inst.s.0, state.a(inst.s.0) ^ 8);
        Op::Rotw => |before, state, _memory, _inst| {
            state.special[sr::WINDOWBASE] = before.special[sr::WINDOWBASE]
        };
    };
    let rows = sequences::window_rows();
    let batch = among_frames(64, SCRATCH, 2000, 12, |rng, made, i| {
        sequences::window(rng, made, &DC233C, SCRATCH, rows[i % rows.len()]);
    });
    check_planted(&batch, &faults);

    let faults = planted! {
        Op::Loopgtz => |before, state, _memory, inst| {
            if before.a(inst.s.0) as i32 <= 0 {
                state.special[sr::LCOUNT] = before.special[sr::LCOUNT];
            }
        };
        Op::Loop => |_before, state, _memory, _inst| state.special[sr::LCOUNT] += 1;
    };
    check_planted(&made(DC233C, &LOOPS, 300, 13, sequences::repeat), &faults);
}

fn check_planted(batch: &Batch, faults: &[(&str, Semantics)]) {
    for (row, semantics) in faults {
        let differences = batch.differences(*semantics);
        let of_row = |case: &&Case| case.instructions.iter().any(|inst| *row == format!("Op::{:?}", inst.op));
        let count = batch.cases.iter().filter(of_row).count();
        assert!((1..=count).contains(&differences.len()), "{row}: {} of {count} found", differences.len());
    }
}
