//! Made cases: branches, jumps, loops, windows, returns from exceptions.

use isa::xtensa::random::Rng;
use isa::xtensa::testing::{Assembly, Label, inst};
use isa::xtensa::{Class, Control, Extension, Inst, Op, Reg, State, ps, sr};

use crate::case::Batch;
use crate::driver::SCRATCH;
use crate::generate::{self, one_in, pick};
use crate::target::{EPC3, EPS3, Target};

/// A case under construction.
pub struct Made {
    pub code: Assembly,
    pub state: State,
}

/// Adds a case that `make` makes of nothing but a random state.
pub fn add(rng: &mut Rng, batch: &mut Batch, make: impl FnOnce(&mut Rng, &mut Made)) {
    let start = batch.next_start();
    // No loop around it: where it ends is not known yet.
    let state = generate::state(rng, &batch.target, start, 0);
    let mut made = Made { code: Assembly::new(start), state };
    make(rng, &mut made);
    batch.add(made.code, made.state);
}

/// An instruction whose execution tells that it was executed.
fn mark(code: &mut Assembly, rng: &mut Rng) {
    code.op(Op::Addi, 0, 5, 5, 1 + i64::from(rng.below(100)));
}

/// A random instruction of the row, at a place that reaches the label.
fn to(rng: &mut Rng, made: &mut Made, target: &Target, op: Op, label: Label) -> Inst {
    let random = generate::inst(rng, target, op);
    generate::fit(rng, target, &random, &[], &mut made.state);
    made.code.to(random, label);
    random
}

/// A branch or jump over an instruction.
pub fn forward(rng: &mut Rng, made: &mut Made, target: &Target, op: Op) {
    let end = made.code.label();
    to(rng, made, target, op, end);
    mark(&mut made.code, rng);
    made.code.place(end);
}

/// A branch or jump back to an instruction in front of it.
pub fn backward(rng: &mut Rng, made: &mut Made, target: &Target, op: Op) {
    let [last, back, end] = [(); 3].map(|()| made.code.label());
    made.code.to(inst(Op::J, 0, 0, 0, 0), last);
    made.code.place(back);
    mark(&mut made.code, rng);
    made.code.to(inst(Op::J, 0, 0, 0, 0), end);
    made.code.place(last);
    to(rng, made, target, op, back);
    made.code.place(end);
}

/// A call of, or jump to, a function that changes a register and perhaps returns.
pub fn call(rng: &mut Rng, made: &mut Made, op: Op) {
    let [function, end] = [(); 2].map(|()| made.code.label());
    let code = &mut made.code;
    let before = code.here();
    if op == Op::Call0 {
        code.to(inst(op, 0, 0, 0, 0), function);
    } else {
        let register = pick(rng, &[0, 2, 7, 15]);
        code.op(op, 0, register, 0, 0);
        // The function stands behind a jump of 3 bytes.
        made.state.set_a(register, (before + 6).next_multiple_of(4));
    }
    code.to(inst(Op::J, 0, 0, 0, 0), end);
    code.align();
    code.place(function);
    mark(code, rng);
    if op != Op::Jx {
        code.op(pick(rng, &[Op::Ret, Op::RetN]), 0, 0, 0, 0);
    }
    code.place(end);
}

/// A random instruction that computes, of any registers.
fn computing(rng: &mut Rng) -> Inst {
    const ROWS: [Op; 12] = [
        Op::Add,
        Op::AddN,
        Op::Sub,
        Op::Xor,
        Op::Addi,
        Op::MovN,
        Op::MoviN,
        Op::Src,
        Op::Ssai,
        Op::Extui,
        Op::Mull,
        Op::Movnez,
    ];
    isa::xtensa::random::inst(pick(rng, &ROWS), rng).unwrap()
}

/// A loop over a few instructions, of which the last may leave it.
pub fn repeat(rng: &mut Rng, made: &mut Made, op: Op) {
    let [end, out] = [(); 2].map(|()| made.code.label());
    let count = match op {
        Op::Loop => 1 + rng.below(5),
        Op::Loopnez => rng.below(5),
        _ => pick(rng, &[0, 1, 3, 0x8000_0000, u32::MAX]),
    };
    made.state.set_a(2, count);
    made.state.special[sr::PS] &= !ps::EXCM;
    made.code.to(inst(op, 0, 2, 0, 0), end);
    for _ in 0..1 + rng.below(5) {
        made.code.push([computing(rng)]);
    }
    if one_in(rng, 2) {
        let register = rng.below(16) as u8;
        made.code.to(inst(pick(rng, &[Op::Beqz, Op::Bgez]), 0, register, 0, 0), out);
    }
    made.code.place(end);
    mark(&mut made.code, rng);
    made.code.place(out);
}

/// A return from an exception, over an instruction.
pub fn exception_return(rng: &mut Rng, made: &mut Made, op: Op) {
    let code = &mut made.code;
    let target = code.here() + 6;
    code.op(op, 0, 0, 0, if op == Op::Rfi { 3 } else { 0 });
    mark(code, rng);
    let special = &mut made.state.special;
    let place = match op {
        Op::Rfi => EPC3,
        Op::Rfde => sr::DEPC,
        _ => sr::EPC1,
    };
    special[place] = target;
    special[EPS3] = rng.next_u32() & ps::ALL;
    if one_in(rng, 2) {
        special[sr::PS] |= ps::EXCM;
    }
    special[sr::PS] &= !(8 << ps::OWB_SHIFT);
}

/// A state with any frames, all of whose stack pointers lie in the scratch memory, and with window exceptions.
fn frames(rng: &mut Rng, target: &Target, scratch: usize, state: &mut State) {
    let windows = target.registers as u32 / 4;
    let base = rng.below(windows);
    state.special[sr::WINDOWBASE] = base;
    state.special[sr::WINDOWSTART] = rng.next_u32() & ((1 << windows) - 1) | 1 << base;
    for i in (1..64).step_by(4) {
        state.ar[i] = pointer(rng, target, scratch);
    }
    state.special[sr::PS] |= ps::WOE;
    if !one_in(rng, 16) {
        state.special[sr::PS] &= !ps::EXCM;
    }
}

/// An address in the scratch memory, with room on both sides.
pub fn pointer(rng: &mut Rng, target: &Target, scratch: usize) -> u32 {
    target.at(SCRATCH) + 64 + rng.below(scratch as u32 / 4 - 32) * 4
}

/// An instruction that looks at windows, or only names registers, among any frames.
pub fn window(rng: &mut Rng, made: &mut Made, target: &Target, scratch: usize, op: Op) {
    frames(rng, target, scratch, &mut made.state);
    let mut random = generate::inst(rng, target, op);
    let [label, end] = [(); 2].map(|()| made.code.label());
    // Behind this instruction, one that changes a register, and a jump.
    let length = if op == Op::RetwN || op.row().extension == Extension::Density { 2 } else { 3 };
    let after = (made.code.here() + length + 6).next_multiple_of(4);
    match op {
        Op::Call4 | Op::Call8 | Op::Call12 => made.code.to(random, label),
        Op::Callx4 | Op::Callx8 | Op::Callx12 => {
            // Neither a stack pointer of a frame above nor its a0, which handlers change.
            random.s = Reg(random.s.0 | 2);
            made.state.set_a(random.s.0, after);
            made.code.push([random]);
        }
        Op::Retw | Op::RetwN => {
            let fours = if one_in(rng, 16) { 0 } else { 1 + rng.below(3) };
            made.state.set_a(0, fours << 30 | after & 0x3fff_ffff);
            made.code.push([random]);
        }
        _ => made.code.push([random]),
    }
    mark(&mut made.code, rng);
    made.code.to(inst(Op::J, 0, 0, 0, 0), end);
    made.code.align();
    made.code.place(label);
    made.code.place(end);
}

/// Functions that call each other, to a depth of at most 12, some of them twice.
pub fn tower(rng: &mut Rng, made: &mut Made, target: &Target, scratch: usize) {
    let state = &mut made.state;
    frames(rng, target, scratch, state);
    state.special[sr::WINDOWSTART] = 1 << state.special[sr::WINDOWBASE];
    state.special[sr::PS] &= !ps::EXCM;
    state.set_a(1, target.at(SCRATCH) + scratch as u32 - 64);
    let depth = 1 + rng.below(12) as usize;
    let functions: Vec<Label> = (0..depth).map(|_| made.code.label()).collect();
    let end = made.code.label();
    let code = &mut made.code;
    let calls = [Op::Call4, Op::Call8, Op::Call12];
    code.to(inst(pick(rng, &calls), 0, 0, 0, 0), functions[0]);
    code.to(inst(Op::J, 0, 0, 0, 0), end);
    let keeps_frame = |inst: &Inst| {
        let mut written = inst.fields().filter(|&(_, class, access)| class == Class::Core && access.writes());
        written.all(|(field, ..)| inst.reg(field).0 > 1)
    };
    for (i, &function) in functions.iter().enumerate() {
        code.align();
        code.place(function);
        code.op(Op::Entry, 0, 1, 0, 48 + 16 * i64::from(rng.below(3)));
        for _ in 0..if one_in(rng, 4) { 2 } else { 1 } {
            let computes: Vec<Inst> = (0..6).map(|_| computing(rng)).filter(keeps_frame).collect();
            code.push(computes);
            if let Some(&next) = functions.get(i + 1) {
                code.to(inst(pick(rng, &calls), 0, 0, 0, 0), next);
            }
        }
        code.push((0..3).map(|_| computing(rng)).filter(keeps_frame).collect::<Vec<_>>());
        code.op(pick(rng, &[Op::Retw, Op::RetwN]), 0, 0, 0, 0);
    }
    code.place(end);
}

/// Rows that a case of [`forward`] and [`backward`] can begin with.
pub fn branches(target: &Target) -> Vec<Op> {
    let branches = |op: &&Op| {
        let inst: Inst = Inst::new(**op);
        target.has_row(**op) && matches!(inst.control(), Control::Branch | Control::Jump)
    };
    Op::ALL.iter().filter(branches).copied().collect()
}

/// Whether it looks at windows, or rotates them without an exception.
pub fn is_windowed(op: Op) -> bool {
    op.row().extension == Extension::Windowed && !matches!(op, Op::L32e | Op::S32e | Op::Rfwo | Op::Rfwu)
}

/// Rows that [`window`] takes: those of windows, and some that name registers.
pub fn window_rows() -> Vec<Op> {
    let mut rows: Vec<Op> = Op::ALL.iter().copied().filter(|&op| is_windowed(op)).collect();
    rows.extend([Op::Add, Op::MovN, Op::MoviN, Op::Slli, Op::Moveqz, Op::Neg, Op::Nsau, Op::Ssr, Op::Rsr, Op::MulAaLl]);
    rows
}
