//! Random co-simulation against QEMU's Cortex-M4: the same code and state on both, then registers, flags, memory and
//! faults compared.

#![allow(clippy::unwrap_used)]

mod case;
mod generate;
mod host;
mod image;
#[macro_use]
#[path = "../common/planted.rs"]
mod planted;
mod sequences;

use std::collections::BTreeMap;

use isa::thumb::random::{self, Rng};
use isa::thumb::{Control, Extension, Fault, Inst, Op, Outcome, State, Timing};

use case::{Batch, Case, Piece};
use host::{Memory, Semantics, compare, ours};
use image::{Image, SCRATCH_LEN};
use sequences::Sequence;

/// Instructions that go on with the next one and can be run in any state.
fn is_plain(op: Op) -> bool {
    use Timing::*;
    let special =
        [Branch, BranchLink, BranchRegister, CompareBranch, TableBranch, It, Wait, System, Exception, Coprocessor];
    !special.contains(&op.row().timing) || op == Op::Clrex
}

fn plain_rows(extension_is_fp: bool) -> Vec<Op> {
    let fits = |op: &&Op| is_plain(**op) && (op.row().extension == Extension::Fp) == extension_is_fp;
    Op::ALL.iter().filter(fits).copied().collect()
}

/// A random instruction of the row that does not jump.
fn staying(op: Op, rng: &mut Rng, it: u8) -> Option<Inst> {
    (0..64).find_map(|_| random::inst(op, rng, it).filter(|inst| inst.control() == Control::Next))
}

fn scratch(rng: &mut Rng) -> Vec<u8> {
    (0..SCRATCH_LEN).map(|_| rng.next_u32() as u8).collect()
}

fn new_image(rng: &mut Rng, scratch: &[u8]) -> Image {
    Image::new(|| rng.next_u32() as u8, scratch)
}

/// `count` cases of one instruction each, of every row in turn.
fn single(rows: &[Op], count: usize, seed: u64) -> Batch {
    let mut rng = Rng::new(seed);
    let scratch = scratch(&mut rng);
    let mut image = new_image(&mut rng, &scratch);
    let mut cases = Vec::new();
    for &op in rows.iter().cycle().take(count) {
        let inst = staying(op, &mut rng, 0).unwrap_or_else(|| panic!("no instruction for {op:?}"));
        cases.push(Case::add(&mut image, &[Piece::Inst(inst)], |start| generate::state(&mut rng, &inst, start)));
    }
    finish(cases, image, scratch)
}

/// Leaves out the cases that access memory beyond the scratch memory, and runs the others.
fn finish(cases: Vec<Case>, mut image: Image, scratch: Vec<u8>) -> Batch {
    let outside = |case: &Case| matches!(case.run(&image, &scratch, ours).fault, Some(Fault::Bus { .. }));
    let out: Vec<bool> = cases.iter().map(outside).collect();
    assert!(out.iter().filter(|&&out| out).count() * 50 < cases.len(), "too many accesses outside the scratch memory");
    for (i, _) in out.iter().enumerate().filter(|(_, out)| **out) {
        image.disable(i);
    }
    let records = image.run();
    let mut kept = out.iter().map(|out| !out);
    let mut batch = Batch { cases, image, scratch, records };
    batch.records.retain(|_| kept.next().unwrap_or(false));
    let mut kept = out.iter().map(|out| !out);
    batch.cases.retain(|_| kept.next().unwrap_or(false));
    batch
}

/// The differences between a semantics and the other machine.
fn differences(batch: &Batch, semantics: Semantics) -> Vec<String> {
    let check = |(case, record): (&Case, _)| {
        let after = case.run(&batch.image, &batch.scratch, semantics);
        compare(&after, record).err().map(|difference| format!("{}\n  {difference}", case.text()))
    };
    batch.cases.iter().zip(&batch.records).filter_map(check).collect()
}

fn assert_same(batch: &Batch) {
    let differences = differences(batch, ours);
    assert!(
        differences.is_empty(),
        "{} of {} cases differ:\n{}",
        differences.len(),
        batch.cases.len(),
        differences[..differences.len().min(20)].join("\n")
    );
}

#[test]
#[ignore = "needs qemu-system-arm and arm-none-eabi-as"]
fn every_integer_row_agrees_with_qemu() {
    let rows = plain_rows(false);
    let batch = single(&rows, 12_000, 1);
    let mut seen: BTreeMap<Op, usize> = BTreeMap::new();
    batch.cases.iter().flat_map(Case::ops).for_each(|op| *seen.entry(op).or_default() += 1);
    assert!(rows.iter().all(|op| seen.get(op).is_some_and(|&count| count >= 20)), "too few cases of a row: {seen:?}");
    assert_same(&batch);
}

#[test]
#[ignore = "needs qemu-system-arm and arm-none-eabi-as"]
fn every_floating_point_row_agrees_with_qemu() {
    assert_same(&single(&plain_rows(true), 12_000, 2));
}

/// `count` made cases.
fn made(count: usize, seed: u64, make: impl Fn(&mut Rng) -> Sequence) -> Batch {
    let mut rng = Rng::new(seed);
    let scratch = scratch(&mut rng);
    let mut image = new_image(&mut rng, &scratch);
    let mut cases = Vec::new();
    for _ in 0..count {
        let sequence = make(&mut rng);
        cases.push(Case::add(&mut image, &sequence.pieces, |start| sequence.state(&mut rng, start)));
    }
    finish(cases, image, scratch)
}

#[test]
#[ignore = "needs qemu-system-arm and arm-none-eabi-as"]
fn jumps_agree_with_qemu() {
    assert_same(&made(1500, 3, sequences::forward));
    assert_same(&made(500, 4, sequences::backward));
    assert_same(&made(1500, 5, sequences::indirect));
    assert_same(&made(500, 6, sequences::table));
}

#[test]
#[ignore = "needs qemu-system-arm and arm-none-eabi-as"]
fn system_rows_agree_with_qemu() {
    assert_same(&made(500, 7, sequences::special));
    assert_same(&made(100, 8, sequences::stacks));
    assert_same(&made(100, 9, sequences::masks));
    assert_same(&made(500, 10, sequences::exclusive));
    assert_same(&made(200, 11, sequences::undefined));
}

#[test]
#[ignore = "needs qemu-system-arm and arm-none-eabi-as"]
fn it_blocks_agree_with_qemu() {
    let mut rng = Rng::new(12);
    let scratch = scratch(&mut rng);
    let mut image = new_image(&mut rng, &scratch);
    let rows: Vec<Op> = Op::ALL.iter().copied().filter(|&op| is_plain(op)).collect();
    let mut cases = Vec::new();
    for _ in 0..10_000 {
        let (sequence, first) = sequences::block(&mut rng, &rows, staying);
        cases.push(Case::add(&mut image, &sequence.pieces, |start| generate::state(&mut rng, &first, start)));
    }
    assert_same(&finish(cases, image, scratch));
}

/// Whether an instruction did something.
fn is_executed(outcome: Outcome) -> bool {
    outcome != Outcome::Skipped
}

/// The comparison finds each of these small mistakes, and only in cases with the row that has it.
#[test]
#[ignore = "needs qemu-system-arm and arm-none-eabi-as"]
fn planted_faults_are_found() {
    let faults = planted! {
        Op::SbcReg => |before, state, _memory, inst| if inst.set_flags { state.c = before.c };
        Op::CmpImm => |_before, state, _memory, _inst| state.v = false;
        Op::TstImm => |before, state, _memory, _inst| state.c = before.c;
        Op::LsrImm => |_before, state, _memory, inst| state.c &= inst.shift.amount != 32;
        Op::Smlad => |before, state, _memory, _inst| state.q = before.q;
        Op::Uadd8 => |before, state, _memory, _inst| state.ge = before.ge;
        Op::Smmlsr => |_before, state, _memory, inst| state.r[usize::from(inst.d.0)] &= !1;
        Op::Ldrsht => |_before, state, _memory, inst| state.r[usize::from(inst.d.0)] &= 0xffff;
        Op::StrbReg => |_before, _state, memory, _inst| memory.scratch[200] ^= 1;
        Op::Stmdb => |before, state, _memory, inst| {
            state.r[usize::from(inst.n.0)] = before.r[usize::from(inst.n.0)]
        };
        Op::VaddS => |_before, state, _memory, inst| state.s[usize::from(inst.d.0)] &= !1;
        Op::VdivS => |before, state, _memory, _inst| state.fpscr = before.fpscr;
    };
    let rows: Vec<Op> = Op::ALL.iter().copied().filter(|&op| is_plain(op)).collect();
    let batch = single(&rows, 8_000, 13);
    for (row, semantics) in faults {
        let differences = differences(&batch, semantics);
        let of_row = |case: &Case| case.ops().any(|op| row == format!("Op::{op:?}"));
        let count = batch.cases.iter().filter(|case| of_row(case)).count();
        assert!((1..=count).contains(&differences.len()), "{row}: {} of {count} found", differences.len());
    }
}
