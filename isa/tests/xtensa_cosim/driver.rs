//! The code that loads a case's state, starts it, and stores what it left behind.
//!
//! A case begins by RFI, which needs no register, and ends by an exception, whose handler saves a0 in a special register. Until
//! then the driver runs with PS.EXCM set: without window exceptions and loops.

use isa::xtensa::testing::{Assembly, Label, exit, inst, window_vectors, write_results};
use isa::xtensa::{Extension, Op, sr};

use crate::target::Target;

/// Where the vectors of window exceptions stand, and the value of VECBASE.
pub const VECTORS: u32 = 0x2000;
/// Vectors behind VECBASE: exceptions in kernel mode, in user mode, and with PS.EXCM set.
const HANDLERS: [u32; 3] = [0x300, 0x340, 0x3c0];
/// Where the driver begins.
pub const START: u32 = 0x2400;
/// Memory that a case may write, and the copy of it from before each case.
pub const SCRATCH: u32 = 0x1_0000;
pub const SCRATCH_COPY: u32 = 0x1_8000;
/// The first input; behind each other.
pub const INPUTS: u32 = 0x100_0000;
/// The first result.
pub const RESULTS: u32 = 0x400_0000;

/// Holds a0 of the case.
const SAVED: i64 = sr::EXCSAVE1 as i64;
/// Holds the address of the result.
const RESULT: i64 = 244;
/// What S32C1I does in each kind of memory.
const ATOMCTL: usize = 99;
/// Holds the address of the input.
const INPUT: i64 = 245;

/// Words of an input: registers from the window's first on, special registers, floating-point registers, WINDOWBASE.
pub fn input_words(target: &Target) -> usize {
    result_words(target) - 2
}

/// Words of a result before the scratch memory: as an input; then PS and EXCCAUSE.
pub fn result_words(target: &Target) -> usize {
    target.registers + target.specials.len() + target.users.len() + float_words(target) + 3
}

/// f0 to f15.
pub fn float_words(target: &Target) -> usize {
    if target.has(Extension::Float) { 16 } else { 0 }
}

/// The driver and the vectors, from [`VECTORS`] on, for so many cases and so much scratch memory.
pub fn driver(target: &Target, cases: usize, scratch: usize) -> Vec<u8> {
    let mut code = Assembly::new(target.at(VECTORS));
    let save = code.label();
    window_vectors(&mut code);
    for offset in HANDLERS {
        code.skip_to(target.at(VECTORS + offset));
        code.op(Op::Wsr, 0, 0, 0, SAVED);
        code.to(inst(Op::J, 0, 0, 0, 0), save);
    }
    code.skip_to(target.at(START));
    start(&mut code, target);
    let next = code.here_label();
    load(&mut code, target, cases, scratch);
    code.place(save);
    store(&mut code, target, scratch, next);
    code.finish()
}

fn special(code: &mut Assembly, op: Op, register: u8, number: usize) {
    code.op(op, 0, 0, register, number as i64);
}

fn start(code: &mut Assembly, target: &Target) {
    for (number, place) in [(sr::VECBASE, VECTORS), (RESULT as usize, RESULTS), (INPUT as usize, INPUTS)] {
        code.constant(2, target.at(place));
        special(code, Op::Wsr, 2, number);
    }
    // S32C1I is done by the core itself in every memory.
    code.constant(2, 0x2a);
    special(code, Op::Wsr, 2, ATOMCTL);
    if target.has(Extension::Float) {
        code.constant(2, 1);
        special(code, Op::Wsr, 2, sr::CPENABLE);
    }
    code.op(Op::Rsync, 0, 0, 0, 0);
}

/// Copies words from the address in a3 to that in a2, which move on.
fn copy(code: &mut Assembly, bytes: usize) {
    code.constant(4, bytes as u32 / 4);
    let again = code.here_label();
    code.op(Op::L32i, 0, 3, 5, 0);
    code.op(Op::S32i, 0, 2, 5, 0);
    code.op(Op::Addi, 0, 3, 3, 4);
    code.op(Op::Addi, 0, 2, 2, 4);
    code.op(Op::Addi, 0, 4, 4, -1);
    code.to(inst(Op::Bnez, 0, 4, 0, 0), again);
}

/// Loads the next input and starts it, or writes the results if there is none.
fn load(code: &mut Assembly, target: &Target, cases: usize, scratch: usize) {
    let go_on = code.label();
    code.op(Op::Rsr, 0, 0, 0, INPUT);
    code.constant(1, target.at(INPUTS + (4 * cases * input_words(target)) as u32));
    code.to(inst(Op::Bne, 0, 0, 1, 0), go_on);
    write_results(code, target.at(RESULTS), (cases * (4 * result_words(target) + scratch)) as u32);
    exit(code, 0);
    code.place(go_on);
    code.constant(2, target.at(SCRATCH));
    code.constant(3, target.at(SCRATCH_COPY));
    copy(code, scratch);
    let mut offset = 4 * target.registers as i64;
    let mut word = || (offset, offset += 4).0;
    for &number in target.specials {
        code.op(Op::L32i, 0, 0, 2, word());
        special(code, Op::Wsr, 2, number);
    }
    for &number in target.users {
        code.op(Op::L32i, 0, 0, 2, word());
        code.op(Op::Wur, 0, 0, 2, number);
    }
    if target.has(Extension::Float) {
        (0..16).for_each(|register| code.op(Op::Lsi, 0, 0, register, word()));
    }
    code.op(Op::L32i, 0, 0, 2, word());
    special(code, Op::Wsr, 2, sr::WINDOWBASE);
    code.op(Op::Rsync, 0, 0, 0, 0);
    for group in 0..target.registers as i64 / 16 {
        code.op(Op::Rsr, 0, 0, 0, INPUT);
        (0..16).rev().for_each(|register| code.op(Op::L32i, 0, 0, register, 64 * group + 4 * i64::from(register)));
        code.op(Op::Rotw, 0, 0, 0, 4);
    }
    code.op(Op::Rfi, 0, 0, 0, 2);
}

/// Stores the result.
fn store(code: &mut Assembly, target: &Target, scratch: usize, next: Label) {
    for group in 0..target.registers as i64 / 16 {
        if group > 0 {
            code.op(Op::Wsr, 0, 0, 0, SAVED);
        }
        code.op(Op::Rsr, 0, 0, 0, RESULT);
        (1..16).for_each(|register| code.op(Op::S32i, 0, 0, register, 64 * group + 4 * i64::from(register)));
        code.op(Op::Rsr, 0, 0, 1, SAVED);
        code.op(Op::S32i, 0, 0, 1, 64 * group);
        code.op(Op::Rotw, 0, 0, 0, 4);
    }
    code.op(Op::Rsr, 0, 0, 0, RESULT);
    let mut offset = 4 * target.registers as i64;
    let mut word = || (offset, offset += 4).0;
    for &number in target.specials {
        special(code, Op::Rsr, 2, number);
        code.op(Op::S32i, 0, 0, 2, word());
    }
    for &number in target.users {
        code.op(Op::Rur, 2, 0, 0, number);
        code.op(Op::S32i, 0, 0, 2, word());
    }
    if target.has(Extension::Float) {
        (0..16).for_each(|register| code.op(Op::Ssi, 0, 0, register, word()));
    }
    for number in [sr::WINDOWBASE, sr::PS, sr::EXCCAUSE] {
        special(code, Op::Rsr, 2, number);
        code.op(Op::S32i, 0, 0, 2, word());
    }
    code.constant(2, 4 * result_words(target) as u32);
    code.op(Op::Add, 2, 0, 2, 0);
    code.constant(3, target.at(SCRATCH));
    copy(code, scratch);
    code.op(Op::Wsr, 0, 0, 2, RESULT);
    code.op(Op::Rsr, 0, 0, 2, INPUT);
    code.constant(3, 4 * input_words(target) as u32);
    code.op(Op::Add, 2, 2, 3, 0);
    code.op(Op::Wsr, 0, 0, 2, INPUT);
    code.to(inst(Op::J, 0, 0, 0, 0), next);
}
