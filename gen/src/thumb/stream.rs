//! Kernels that work through a message: what stands around the work on one block.
//!
//! The frame holds a copy of the state with the counter of the current block at sp, then spilled words, then a buffer, then what is left
//! of the message. A last block that is not full goes through the same code with the buffer, full of zeros, as its message: that
//! leaves the key stream there, and a loop over bytes applies it. At the end the whole frame is overwritten.

use super::assign::{Placed, Placement, Slot, Slots};
use super::finish::{self, Chunk};
use super::fold::Folded;
use super::lower::Unit;
use super::{Group, SP, V};
use crate::compile::{CompileError, Trace};
use crate::function::Function;
use crate::ir::{Kernel, Place, Stream, Var};
use crate::target::{Shape, Target};
use isa::thumb::{Cond, Inst, Mode, Op as Row, Reg, Shift, ShiftKind};

/// Parameters of every message kernel, in order.
const OUT: usize = 0;
const IN: usize = 1;
/// The length is not wanted once it is known where the full blocks of the message end: its variable holds that address.
const END: usize = 2;
const STATE: usize = 3;

const R0: Reg = Reg(0);
const R1: Reg = Reg(1);
const R2: Reg = Reg(2);
const R3: Reg = Reg(3);
const R4: Reg = Reg(4);
const R5: Reg = Reg(5);
const R6: Reg = Reg(6);
/// r4 to r11.
const EIGHT: u32 = 0x0ff0;
/// Bytes of r4 to r11 and lr.
const PUSHED: u32 = 36;

/// Places in the frame, in bytes from sp, and the slots of the pointers.
struct Layout {
    state_bytes: u32,
    counter: u32,
    counter_words: u32,
    buffer: u32,
    /// Bytes of message after the last full block; 0 once they are being worked on.
    left: u32,
    /// The same while they are being worked on, else 0; and where they come from and go to.
    tail: u32,
    tail_out: u32,
    tail_in: u32,
    block: u32,
    /// Bytes that hold words of the state on return: whole stores of eight registers from sp on.
    wiped: u32,
    bytes: u32,
    out: Slot,
    input: Slot,
    end: Slot,
}

/// Compiles a message kernel from the folded segments of one block.
pub fn compile(
    kernel: &Kernel,
    stream: &Stream,
    target: Target,
    shape: Shape,
    (mut segments, inputs): (Vec<Folded>, Vec<(Var, Place)>),
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    let state_bytes = 4 * stream.state_words;
    state_in_frame(&mut segments);
    advance(&mut segments, stream);
    let live_out = [OUT, IN, END].map(Kernel::param);
    let unit = Unit::new(kernel, target, segments, inputs, live_out.into(), &live_out)?;
    let mut slots = Slots::new(if target.has_fpu() { 0xffff } else { 0 }, state_bytes);
    let (end, input, out) = (slots.take_apart(), slots.take_apart(), slots.take_apart());
    let mut start = Placement::default();
    for (param, slot) in [(OUT, out), (IN, input), (END, end)] {
        if let Some(v) = unit.number(Kernel::param(param)) {
            start.slot.insert(v, slot);
            start.pinned |= 1 << v;
            start.valid |= 1 << v;
        }
    }
    unit.best(trace, |choice, trace| {
        let (core, slots) = unit.place(start.clone(), slots.clone(), Some(0), choice, &mut *trace)?;
        let layout = Layout::new(stream, &slots, [out, input, end]);
        let (cycles, chunks) = around(core, &layout, &slots, target)?;
        trace("schedule", finish::listings(&chunks));
        Ok((cycles, finish::assemble(kernel, target, shape, &chunks, layout.bytes + PUSHED)?))
    })
}

/// The state's copy in the frame is addressed through sp.
fn state_in_frame(segments: &mut [Folded]) {
    let state = V::of(Kernel::param(STATE));
    for inst in segments.iter_mut().flat_map(|s| &mut s.groups).flat_map(|g| &mut g.insts) {
        if inst.op == Row::LdrImm && inst.n == state {
            inst.n = SP;
        }
    }
}

/// After a block both pointers and the counter move on, and the input pointer is compared with the end.
fn advance(segments: &mut [Folded], stream: &Stream) {
    let Some(last) = segments.last_mut() else { return };
    let [out, input, end] = [OUT, IN, END].map(|p| V::of(Kernel::param(p)));
    for pointer in [out, input] {
        let inst = Inst { d: pointer, n: pointer, imm: stream.block_bytes as i32, ..Inst::new(Row::AddImm) };
        last.groups.push(Group { title: String::new(), insts: vec![inst], touches: Vec::new() });
    }
    let mut insts = Vec::new();
    let counter = 4 * stream.counter_word as i32;
    let loads = |i: &Inst<V>| i.op == Row::LdrImm && i.n == SP && i.imm == counter;
    match stream.counter_words {
        // It has just been in a register.
        1 => {
            for group in &mut last.groups {
                let Some(load) = group.insts.iter().copied().find(loads) else { continue };
                let next = Inst { d: load.d, n: load.d, imm: 1, ..Inst::new(Row::AddImm) };
                group.insts.extend([next, Inst { op: Row::StrImm, ..load }]);
            }
        }
        _ => insts.extend(increment(counter)),
    }
    insts.push(Inst { n: input, m: end, ..Inst::new(Row::CmpReg) });
    last.groups.push(Group { title: "next block".to_owned(), insts, touches: Vec::new() });
}

/// Adds 1 to the two words at sp + `counter`.
fn increment(counter: i32) -> [Inst<V>; 6] {
    let [low, high] = [V(u16::MAX - 1), V(u16::MAX)];
    let word = |row, d, imm| Inst { d, n: SP, imm, ..Inst::new(row) };
    [
        word(Row::LdrImm, low, counter),
        word(Row::LdrImm, high, counter + 4),
        Inst { d: low, n: low, imm: 1, set_flags: true, ..Inst::new(Row::AddImm) },
        word(Row::StrImm, low, counter),
        Inst { d: high, n: high, ..Inst::new(Row::AdcImm) },
        word(Row::StrImm, high, counter + 4),
    ]
}

impl Layout {
    fn new(stream: &Stream, slots: &Slots, [out, input, end]: [Slot; 3]) -> Layout {
        let buffer = slots.frame_base + 4 * slots.frame_words;
        let left = buffer + stream.block_bytes;
        Layout {
            state_bytes: 4 * stream.state_words,
            counter: 4 * stream.counter_word,
            counter_words: stream.counter_words,
            buffer,
            left,
            tail: left + 4,
            tail_out: left + 8,
            tail_in: left + 12,
            block: stream.block_bytes,
            wiped: buffer.next_multiple_of(4 * EIGHT.count_ones()),
            bytes: left + 16,
            out,
            input,
            end,
        }
    }
}

fn ldr(d: Reg, n: Reg, imm: u32) -> Inst {
    Inst { d, n, imm: imm as i32, ..Inst::new(Row::LdrImm) }
}

fn str(d: Reg, imm: u32) -> Inst {
    Inst { d, n: Reg::SP, imm: imm as i32, ..Inst::new(Row::StrImm) }
}

fn imm(row: Row, d: Reg, n: Reg, imm: u32) -> Inst {
    Inst { d, n, imm: imm as i32, ..Inst::new(row) }
}

/// The form that sets flags, which is also the shorter one.
fn flags(inst: Inst) -> Inst {
    Inst { set_flags: true, ..inst }
}

fn mov(d: Reg, m: Reg) -> Inst {
    Inst { d, m, ..Inst::new(Row::MovReg) }
}

fn zero(d: Reg) -> Inst {
    flags(Inst { d, ..Inst::new(Row::MovImm) })
}

fn many(row: Row, n: Reg, list: u32, mode: Mode) -> Inst {
    Inst { n, list, mode, ..Inst::new(row) }
}

fn chunk(label: Option<&str>, title: &str, insts: Vec<Inst>, branch: Option<(Cond, &str)>) -> Chunk {
    let mut code: Vec<Placed> = insts.into_iter().map(Placed::from).collect();
    if let Some(first) = code.first_mut() {
        first.title = title.to_owned();
    }
    Chunk {
        label: label.map(str::to_owned),
        code,
        branch: branch.map(|(cond, to)| (Inst { cond, ..Inst::new(Row::B) }, to.to_owned())),
        count: if label.is_some() && branch.map(|b| b.1) == label { 2 } else { 1 },
        aligned: false,
    }
}

/// The chunks of the whole function, in order.
fn around(mut core: Vec<Chunk>, l: &Layout, slots: &Slots, target: Target) -> Result<(u64, Vec<Chunk>), CompileError> {
    for c in &mut core {
        c.code = finish::pair_moves(std::mem::take(&mut c.code), slots.apart_fp);
    }
    if let Some(first) = core.first_mut() {
        first.label = Some("block".to_owned());
        first.aligned = true;
    }
    let used_fp = core.iter().flat_map(|c| &c.code).fold(0, |mask, p| mask | p.inst.effects().fp_writes);
    if let Some(last) = core.last_mut() {
        last.branch = Some((Inst { cond: Cond::Ne, ..Inst::new(Row::B) }, "block".to_owned()));
    }
    let mut chunks = entry(l, slots);
    chunks.extend(core);
    chunks.extend(tail(l, slots));
    chunks.extend(exit(l, used_fp));
    Ok((finish::order(&mut chunks, target)?, chunks))
}

fn entry(l: &Layout, slots: &Slots) -> Vec<Chunk> {
    let push = Inst { list: EIGHT | 1 << 14, ..Inst::new(Row::Push) };
    let mut first = vec![push, imm(Row::SubImm, Reg::SP, Reg::SP, l.bytes)];
    let mut chunks = Vec::new();
    if l.counter_words == 1 {
        // ceil(len / block) without overflow, then counter + that: carry and not zero means past the last counter.
        let shift = l.block.trailing_zeros() as u8;
        let by = Shift { kind: ShiftKind::Lsr, amount: shift };
        first.extend([
            ldr(R4, R3, l.counter),
            flags(Inst { d: R5, m: R2, shift: by, ..Inst::new(Row::LsrImm) }),
            imm(Row::AndImm, R6, R2, l.block - 1),
            flags(imm(Row::AddImm, R6, R6, l.block - 1)),
            Inst { d: R5, n: R5, m: R6, shift: by, ..Inst::new(Row::AddReg) },
            flags(Inst { d: R4, n: R4, m: R5, ..Inst::new(Row::AddReg) }),
        ]);
        chunks.push(chunk(None, "", first, Some((Cond::Hi, "refuse"))));
        first = Vec::new();
    }
    first.extend([
        many(Row::Ldm, R3, EIGHT, Mode::PreIndex),
        many(Row::Stm, Reg::SP, EIGHT, Mode::Offset),
        many(Row::Ldm, R3, EIGHT, Mode::Offset),
        imm(Row::AddImm, R3, Reg::SP, l.state_bytes / 2),
        many(Row::Stm, R3, EIGHT, Mode::Offset),
        slots.save(l.out, R0),
        slots.save(l.input, R1),
        zero(R4),
        str(R4, l.tail),
        imm(Row::AndImm, R3, R2, l.block - 1),
        str(R3, l.left),
        flags(Inst { d: R2, n: R2, m: R3, ..Inst::new(Row::SubReg) }),
        Inst { d: R1, n: R1, m: R2, ..Inst::new(Row::AddReg) },
        slots.save(l.end, R1),
    ]);
    chunks.push(chunk(None, "the state's copy, its counter running", first, Some((Cond::Eq, "last"))));
    chunks
}

/// After the last full block, or after the partial one.
fn tail(l: &Layout, slots: &Slots) -> Vec<Chunk> {
    let test = vec![ldr(R3, Reg::SP, l.tail), ldr(R2, Reg::SP, l.left), imm(Row::CmpImm, R0, R3, 0)];
    let rest = vec![imm(Row::CmpImm, R0, R2, 0)];
    let mut prepare = vec![str(R2, l.tail)];
    prepare.extend(zero_buffer(l));
    prepare.extend([
        str(R4, l.left),
        slots.load(l.out, R0),
        slots.load(l.input, R1),
        str(R0, l.tail_out),
        str(R1, l.tail_in),
        slots.save(l.end, R3),
        flags(imm(Row::SubImm, R3, R3, l.block)),
        slots.save(l.out, R3),
        slots.save(l.input, R3),
    ]);
    let start = vec![
        ldr(R0, Reg::SP, l.tail_out),
        ldr(R1, Reg::SP, l.tail_in),
        imm(Row::AddImm, R2, Reg::SP, l.buffer),
        flags(imm(Row::SubImm, R3, R3, 1)),
    ];
    let byte = |row, d, n| Inst { d, n, m: R3, ..Inst::new(row) };
    let bytes = vec![
        byte(Row::LdrbReg, R4, R1),
        byte(Row::LdrbReg, R5, R2),
        flags(Inst { d: R4, n: R4, m: R5, ..Inst::new(Row::EorReg) }),
        byte(Row::StrbReg, R4, R0),
        flags(imm(Row::SubImm, R3, R3, 1)),
    ];
    vec![
        chunk(Some("last"), "", compare(test), Some((Cond::Ne, "tail"))),
        chunk(None, "", compare(rest), Some((Cond::Eq, "done"))),
        chunk(
            None,
            "the last block is not full: its key stream goes to the buffer",
            prepare,
            Some((Cond::Al, "block")),
        ),
        chunk(Some("tail"), "its bytes, last one first", start, None),
        chunk(Some("byte"), "", bytes, Some((Cond::Pl, "byte"))),
        chunk(None, "", zero_buffer(l), None),
    ]
}

/// Leaves r3 behind the buffer and zero in r4.
fn zero_buffer(l: &Layout) -> Vec<Inst> {
    const FOUR: u32 = 0x00f0;
    let mut code = vec![imm(Row::AddImm, R3, Reg::SP, l.buffer)];
    code.extend((4..8).map(|r| zero(Reg(r))));
    code.extend((0..l.block / 16).map(|_| many(Row::Stm, R3, FOUR, Mode::PreIndex)));
    code
}

/// CMP has no destination.
fn compare(mut code: Vec<Inst>) -> Vec<Inst> {
    code.iter_mut().filter(|i| i.op == Row::CmpImm).for_each(|i| i.d = Reg::default());
    code
}

fn exit(l: &Layout, used_fp: u32) -> Vec<Chunk> {
    let mut wipe = vec![zero(R4)];
    wipe.extend((1..15).filter(|&r| r != 4 && r != 13).map(|r| mov(Reg(r), R4)));
    wipe.extend((0..l.wiped / 32).map(|_| many(Row::Stm, Reg::SP, EIGHT, Mode::PreIndex)));
    if l.bytes > l.wiped {
        wipe.push(imm(Row::AddImm, Reg::SP, Reg::SP, l.bytes - l.wiped));
    }
    let pairs = (0..32).step_by(2).filter(|s| used_fp >> s & 3 != 0);
    wipe.extend(pairs.map(|s| Inst { d: Reg(s), n: R4, a: R4, ..Inst::new(Row::VmovSSRR) }));
    let mut last = wipe;
    last.push(Inst { list: EIGHT | 1 << 15, ..Inst::new(Row::Pop) });
    let one = flags(Inst { d: R0, imm: 1, ..Inst::new(Row::MovImm) });
    vec![
        chunk(Some("done"), "", vec![zero(R0)], Some((Cond::Al, "leave"))),
        chunk(Some("refuse"), "the counter would wrap", vec![one], None),
        chunk(Some("leave"), "nothing of the state stays behind", last, None),
    ]
}
