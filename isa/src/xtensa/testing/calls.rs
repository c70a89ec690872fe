//! Calls of functions on QEMU, as a program would call them: from any depth of frames by the windowed convention, or directly
//! by that of CALL0.

use super::super::{Inst, Op, ps, sr};
use super::machine::{exit, run, write_results};
use super::{Assembly, Image, Label, Segment, inst, window_vectors};
use std::io;
use std::path::Path;

/// QEMU's core: little memory of its own, MAC16, windows in a file of 32 registers.
const CPU: &str = "dc233c";
/// Value of VECBASE.
const VECTORS: u32 = 0x2000;
/// Vectors behind VECBASE: exceptions in kernel mode, and with PS.EXCM set.
const HANDLERS: [u32; 2] = [0x300, 0x3c0];
/// Where the program begins.
const START: u32 = 0x2400;
/// Where the stack ends.
const STACK: u32 = 0x200_0000;
/// Where functions begin.
const FUNCTIONS: u32 = 0x80_0000;
/// Where results begin: a word for each call, then the buffers.
const RESULTS: u32 = 0x100_0000;
/// Bytes on both sides of a buffer that must stay as they are, and what they are.
const GUARD: usize = 32;
const FILLER: u8 = 0xa5;

/// Exit codes of the program.
const EXCEPTION: u32 = 2;
const NOT_KEPT: u32 = 3;

/// The most frames between the program and the function.
pub const MAX_DEPTH: usize = 12;

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// By CALL4, CALL8 or CALL12 from this many frames, 1 to [`MAX_DEPTH`], each of which was called likewise.
    Windowed(usize),
    /// By CALL0, with PS.WOE clear.
    Call0,
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A word.
    Value(u32),
    /// The address of bytes that begin `offset` (0 to 15) behind a multiple of 16.
    Buffer {
        /// Distance from a multiple of 16.
        offset: u32,
        /// What is in it before the call.
        bytes: Vec<u8>,
    },
    /// The same as an earlier argument.
    SameAs(usize),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Index of the function.
    pub function: usize,
    /// How.
    pub convention: Convention,
    /// At most four.
    pub arguments: Vec<Argument>,
}

/// Machine code.
#[derive(Clone, Debug)]
pub struct Function {
    /// Literals and instructions; the first byte is placed at a multiple of 4.
    pub bytes: Vec<u8>,
    /// Where the first instruction is.
    pub entry: u32,
}

/// What a call left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned {
    /// What the function returned, if it returns anything.
    pub value: u32,
    /// The buffers, in the order of the arguments.
    pub buffers: Vec<Vec<u8>>,
}

/// Makes all the calls, one after the other, in one program on QEMU's dc233c, in `folder`, which is empty.
///
/// # Errors
/// If QEMU is missing or fails; if there is an exception, if a register that a function must keep is changed (a12 to a15 and
/// the stack pointer for CALL0, registers of all callers' frames otherwise), or memory around a buffer.
///
/// # Panics
/// If a call has more than four arguments, or a depth that is not allowed.
pub fn call_all(functions: &[Function], calls: &[Call], folder: &Path) -> io::Result<Vec<Returned>> {
    let memory = Layout::new(calls);
    let (entries, code) = place(functions);
    let program = program(calls, &entries, &memory);
    let segments = vec![
        Segment { address: VECTORS, bytes: program },
        Segment { address: FUNCTIONS, bytes: code },
        Segment { address: RESULTS, bytes: memory.bytes.clone() },
    ];
    let after = run(&Image { start: START, segments }, CPU, folder).map_err(|error| match error.to_string() {
        text if text.contains("exit status: 2") => io::Error::other("an exception"),
        text if text.contains("exit status: 3") => io::Error::other("a register that is to be kept was changed"),
        _ => error,
    })?;
    memory.returned(&after)
}

/// Which bytes of the results are whose.
struct Layout {
    /// Everything before the calls.
    bytes: Vec<u8>,
    /// For each call, where each of its buffers is.
    buffers: Vec<Vec<std::ops::Range<usize>>>,
    /// For each call, its arguments.
    arguments: Vec<Vec<u32>>,
}

impl Layout {
    fn new(calls: &[Call]) -> Layout {
        let mut bytes = vec![FILLER; 4 * calls.len()];
        let (mut buffers, mut arguments) = (Vec::new(), Vec::new());
        for call in calls {
            assert!(call.arguments.len() <= 4, "at most four arguments are in registers of every call");
            let mut own = Vec::new();
            let mut words: Vec<u32> = Vec::new();
            for argument in &call.arguments {
                words.push(match argument {
                    Argument::Value(value) => *value,
                    Argument::SameAs(index) => words[*index],
                    Argument::Buffer { offset, bytes: before } => {
                        let start = (bytes.len() + GUARD).next_multiple_of(16) + *offset as usize;
                        bytes.resize(start, FILLER);
                        bytes.extend_from_slice(before);
                        own.push(start..bytes.len());
                        bytes.resize(bytes.len() + GUARD, FILLER);
                        RESULTS + start as u32
                    }
                });
            }
            arguments.push(words);
            buffers.push(own);
        }
        Layout { bytes, buffers, arguments }
    }

    /// Cuts the results into pieces, if nothing beside them has changed.
    fn returned(&self, after: &[u8]) -> io::Result<Vec<Returned>> {
        if after.len() != self.bytes.len() {
            return Err(io::Error::other("QEMU did not write all results"));
        }
        let owned = |at: &usize| self.buffers.iter().flatten().any(|buffer| buffer.contains(at));
        let cells = 4 * self.buffers.len();
        let differ = |at: &usize| after[*at] != self.bytes[*at];
        if let Some(at) = (cells..after.len()).filter(differ).find(|at| !owned(at)) {
            return Err(io::Error::other(format!(
                "a byte beside the buffers was changed: {:#x}",
                RESULTS as usize + at
            )));
        }
        let cut = |(i, buffers): (usize, &Vec<std::ops::Range<usize>>)| Returned {
            value: after[4 * i..4 * i + 4].iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)),
            buffers: buffers.iter().map(|buffer| after[buffer.clone()].to_vec()).collect(),
        };
        Ok(self.buffers.iter().enumerate().map(cut).collect())
    }
}

/// The functions behind each other, and where each is entered.
fn place(functions: &[Function]) -> (Vec<u32>, Vec<u8>) {
    let (mut entries, mut code) = (Vec::new(), Vec::new());
    for function in functions {
        entries.push(FUNCTIONS + code.len() as u32 + function.entry);
        code.extend_from_slice(&function.bytes);
        code.resize(code.len().next_multiple_of(4), 0);
    }
    (entries, code)
}

/// The vectors and the program.
fn program(calls: &[Call], entries: &[u32], memory: &Layout) -> Vec<u8> {
    let mut code = Assembly::new(VECTORS);
    window_vectors(&mut code);
    for offset in HANDLERS {
        code.skip_to(VECTORS + offset);
        exit(&mut code, EXCEPTION);
    }
    code.skip_to(START);
    begin(&mut code);
    for (i, call) in calls.iter().enumerate() {
        // One for each call, so that jumps reach it.
        let first = code.label();
        code.to(inst(Op::J, 0, 0, 0, 0), first);
        let not_kept = code.here_label();
        exit(&mut code, NOT_KEPT);
        code.place(first);
        let (entry, arguments) = (entries[call.function], &memory.arguments[i]);
        let result = RESULTS + 4 * i as u32;
        match call.convention {
            Convention::Windowed(depth) => windowed(&mut code, depth, entry, arguments, result, not_kept),
            Convention::Call0 => call0(&mut code, entry, arguments, result, not_kept),
        }
    }
    write_results(&mut code, RESULTS, memory.bytes.len() as u32);
    exit(&mut code, 0);
    code.finish()
}

/// Sets up what reset leaves undefined. The program's own frame is in the first window; the one that it was called from, if
/// there were one, would have its stack pointer saved under ours.
fn begin(code: &mut Assembly) {
    for (number, value) in [(sr::VECBASE, VECTORS), (sr::WINDOWBASE, 0), (sr::WINDOWSTART, 1)] {
        code.constant(2, value);
        code.op(Op::Wsr, 0, 0, 2, number as i64);
        code.op(Op::Rsync, 0, 0, 0, 0);
    }
    code.constant(1, STACK - 64);
    code.constant(2, STACK);
    code.op(Op::Addi, 0, 1, 3, -12);
    code.op(Op::S32i, 0, 3, 2, 0);
}

fn set_ps(code: &mut Assembly, value: u32) {
    code.constant(2, value);
    code.op(Op::Wsr, 0, 0, 2, sr::PS as i64);
    code.op(Op::Rsync, 0, 0, 0, 0);
}

/// Fails if the register does not hold this; changes `other`.
fn expect(code: &mut Assembly, register: u8, other: u8, value: u32, not_kept: Label) {
    let right = code.label();
    code.constant(other, value);
    code.to(inst(Op::Beq, 0, register, other, 0), right);
    code.to(inst(Op::J, 0, 0, 0, 0), not_kept);
    code.place(right);
}

/// What a register of the frame at this depth holds while it is to be kept.
fn mark(depth: usize, register: u8) -> u32 {
    0x5a00_0000 | (depth as u32) << 8 | u32::from(register)
}

fn call0(code: &mut Assembly, entry: u32, arguments: &[u32], result: u32, not_kept: Label) {
    set_ps(code, 0);
    (12..16).for_each(|register| code.constant(register, mark(0, register)));
    arguments.iter().zip(2..).for_each(|(&argument, register)| code.constant(register, argument));
    code.constant(0, entry);
    code.op(Op::Callx0, 0, 0, 0, 0);
    code.constant(3, result);
    code.op(Op::S32i, 0, 3, 2, 0);
    expect(code, 1, 3, STACK - 64, not_kept);
    (12..16).for_each(|register| expect(code, register, 3, mark(0, register), not_kept));
}

/// Calls a chain of frames, of which the last calls the function. How far each call rotates the window changes from frame to
/// frame and with the depth.
fn windowed(code: &mut Assembly, depth: usize, entry: u32, arguments: &[u32], result: u32, not_kept: Label) {
    assert!((1..=MAX_DEPTH).contains(&depth), "a depth of {depth}");
    set_ps(code, ps::WOE);
    let frames: Vec<Label> = (0..depth).map(|_| code.label()).collect();
    let end = code.label();
    let call = |from: usize| [Op::Call8, Op::Call4, Op::Call12][(from + depth) % 3];
    code.to(inst(call(0), 0, 0, 0, 0), frames[0]);
    code.to(inst(Op::J, 0, 0, 0, 0), end);
    for (i, &frame) in frames.iter().enumerate() {
        code.align();
        code.place(frame);
        // Room for the save areas of a frame that CALL12 follows.
        code.op(Op::Entry, 0, 1, 0, 64);
        let next = frames.get(i + 1);
        let fours = match (next, call(i + 1)) {
            (_, Op::Call4) => 1,
            (None, Op::Call12) if arguments.len() > 2 => 2,
            (_, Op::Call12) => 3,
            _ => 2,
        };
        let kept = 2..4 * fours;
        kept.clone().for_each(|register| code.constant(register, mark(i, register)));
        match next {
            Some(&next) => code.to(inst(call(i + 1), 0, 0, 0, 0), next),
            None => {
                let registers = 4 * fours + 2..16;
                arguments.iter().zip(registers).for_each(|(&argument, register)| code.constant(register, argument));
                code.constant(4 * fours, entry);
                code.op([Op::Callx4, Op::Callx8, Op::Callx12][usize::from(fours) - 1], 0, 4 * fours, 0, 0);
                code.constant(4 * fours, result);
                code.op(Op::S32i, 0, 4 * fours, 4 * fours + 2, 0);
            }
        }
        kept.for_each(|register| expect(code, register, 4 * fours, mark(i, register), not_kept));
        code.op(Op::Retw, 0, 0, 0, 0);
    }
    code.place(end);
}

impl Function {
    /// A function of these instructions, without literals.
    ///
    /// # Panics
    /// If one cannot be encoded.
    pub fn new(instructions: impl IntoIterator<Item = Inst>) -> Function {
        let mut code = Assembly::new(0);
        code.push(instructions);
        Function { bytes: code.finish(), entry: 0 }
    }
}
