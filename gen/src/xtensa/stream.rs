//! Kernels that work through a message: what stands around the work on one block.
//!
//! The frame holds a copy of the state with the counter of the current block at sp, then a buffer, spilled words, and what is left of the
//! message. Whole blocks at aligned addresses are worked on where they are. A last block that is not full, and every block of a message that
//! begins or goes to an odd address, goes through the same code with the buffer, full of zeros, as its message: that leaves the key stream
//! there, and a loop over bytes applies it, so that no access is ever unaligned. At the end the whole frame is overwritten.

use super::assign::{Placed, Placement, Refer, Slot, Slots, mac};
use super::check::{Ends, Reference};
use super::finish::{self, CALLEE_SAVED, Chunk, FIRST_PARAM, Frame, Goal};
use super::fold::{self, Folded};
use super::lower::Unit;
use super::{Group, SP, V, hoist};
use crate::compile::{CompileError, Trace};
use crate::function::Function;
use crate::ir::{Kernel, Place, Stream, Var};
use crate::target::Abi;
use crate::unroll::Shaped;
use isa::xtensa::{Inst, Op as Row, Reg};
use std::collections::BTreeSet;

/// Parameters of every message kernel, in order.
const OUT: usize = 0;
const IN: usize = 1;
/// The length is not wanted once it is known where the full blocks of the message end: its variable holds that address.
const END: usize = 2;
const STATE: usize = 3;

/// The parameters' registers, and others for what is around the blocks.
const A_OUT: Reg = Reg(FIRST_PARAM);
const A_IN: Reg = Reg(FIRST_PARAM + 1);
const A_LEN: Reg = Reg(FIRST_PARAM + 2);
const A_STATE: Reg = Reg(FIRST_PARAM + 3);
const A6: Reg = Reg(6);
const A7: Reg = Reg(7);
const A8: Reg = Reg(8);
const A9: Reg = Reg(9);
const RESULT: Reg = Reg(2);

/// The MAC registers of the two pointers; m0 is for words.
const MAC_OUT: u8 = 1;
const MAC_IN: u8 = 2;
const FREE_MAC: u8 = 1;

/// Places in the frame, in bytes from sp.
struct Layout {
    block: u32,
    state_words: u32,
    counter: u32,
    counter_words: u32,
    buffer: u32,
    /// Bytes that hold words of the state or of key stream on return.
    wiped: u32,
    /// Where the blocks end that are being worked on.
    end: u32,
    /// Bytes of message that no block has been begun for, beyond the full blocks in place.
    left: u32,
    /// Bytes that the block in the buffer is for; 0 before there is one.
    tail: u32,
    /// Where those bytes go to and come from.
    tail_out: u32,
    tail_in: u32,
    bytes: u32,
}

/// Compiles a message kernel from the folded segments of one block.
pub fn compile(
    goal: &Goal<'_>,
    stream: &Stream,
    segments: Vec<Folded>,
    shaped: &Shaped,
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    let reference = reference(goal.kernel, stream, segments, &shaped.inputs)?;
    let kept = 4 * stream.state_words + stream.block_bytes;
    let hoisted = hoist::hoist(shaped, stream, Kernel::param(STATE), kept);
    let words = hoisted.as_ref().map_or(0, |h| h.words);
    let each = hoisted.as_ref().map_or(shaped, |h| &h.each);
    let unit = unit(goal.kernel, stream, each, reference.clone())?;
    let mut slots = Slots::new(FREE_MAC, kept + 4 * words);
    let once = match &hoisted {
        Some(hoisted) => once(goal.kernel, &hoisted.once, &slots, reference, &mut *trace)?,
        None => Vec::new(),
    };
    let end = slots.take_frame();
    let mut start = Placement::default();
    for (param, slot) in [(OUT, Slot::Mac(MAC_OUT)), (IN, Slot::Mac(MAC_IN)), (END, end)] {
        if let Some(v) = unit.number(Kernel::param(param)) {
            start.slot.insert(v, slot);
            start.pinned |= 1 << v;
            start.valid |= 1 << v;
        }
    }
    unit.best(trace, |choice, trace| {
        let (core, after, slots) = unit.place(start.clone(), slots.clone(), Some(0), choice, &mut *trace)?;
        let block: Vec<Chunk> = once.iter().chain(&core).cloned().collect();
        unit.check(Ends { before: &start, after: &after }, &slots, &block)?;
        let layout = Layout::new(stream, &slots);
        let (chunks, bytes) = around(goal, once.clone(), core, &layout)?;
        finish::finish_chunks(goal, chunks, bytes, trace)
    })
}

/// What is wanted after a block.
fn live_out() -> [Var; 3] {
    [OUT, IN, END].map(Kernel::param)
}

/// What the work on one block computes, with what it leaves for the next one.
pub fn reference(
    kernel: &Kernel,
    stream: &Stream,
    mut segments: Vec<Folded>,
    inputs: &[(Var, Place)],
) -> Result<Reference, CompileError> {
    state_in_frame(&mut segments);
    advance(&mut segments, stream);
    Reference::new(kernel, &segments, inputs, &live_out())
}

fn unit(kernel: &Kernel, stream: &Stream, each: &Shaped, reference: Reference) -> Result<Unit, CompileError> {
    let mut segments = fold::fold(&each.segments);
    state_in_frame(&mut segments);
    advance(&mut segments, stream);
    let vars = kernel.vars.len() as u16;
    Unit::new(vars, segments, each.inputs.clone(), live_out().into(), &live_out(), reference)
}

/// What is done once for all blocks; whether it is right is checked together with the work on a block.
fn once(
    kernel: &Kernel,
    once: &Shaped,
    slots: &Slots,
    reference: Reference,
    trace: Trace<'_>,
) -> Result<Vec<Chunk>, CompileError> {
    let mut segments = fold::fold(&once.segments);
    state_in_frame(&mut segments);
    let unit = Unit::new(kernel.vars.len() as u16, segments, once.inputs.clone(), BTreeSet::new(), &[], reference)?;
    let (mut chunks, ..) = unit.place(Placement::default(), slots.clone(), None, 0, trace)?;
    if let Some(first) = chunks.first_mut().and_then(|c| c.code.first_mut()) {
        first.title = format!("what all blocks have in common; {}", first.title);
    }
    Ok(chunks)
}

/// The state's copy in the frame is addressed through sp.
fn state_in_frame(segments: &mut [Folded]) {
    let state = V::of(Kernel::param(STATE));
    for inst in segments.iter_mut().flat_map(|s| &mut s.groups).flat_map(|g| &mut g.insts) {
        if matches!(inst.op, Row::L32i | Row::S32i) && inst.s == state {
            inst.s = SP;
        }
    }
}

/// After a block both pointers and the counter move on, and the input pointer is compared with the end.
fn advance(segments: &mut [Folded], stream: &Stream) {
    let Some(last) = segments.last_mut() else { return };
    let [out, input, end] = [OUT, IN, END].map(|p| V::of(Kernel::param(p)));
    let group = |title: &str, insts| Group { title: title.to_owned(), insts, touches: Vec::new() };
    for pointer in [out, input] {
        let inst = Inst { t: pointer, s: pointer, imm: stream.block_bytes.into(), ..Inst::new(Row::Addi) };
        last.groups.push(group("", vec![inst]));
    }
    let mut insts = Vec::new();
    let counter = i64::from(4 * stream.counter_word);
    let loads = |i: &Inst<V>| i.op == Row::L32i && i.s == SP && i.imm == counter;
    match stream.counter_words {
        // It has just been in a register.
        1 => {
            for group in &mut last.groups {
                let Some(load) = group.insts.iter().copied().find(loads) else { continue };
                let next = Inst { t: load.t, s: load.t, imm: 1, ..Inst::new(Row::Addi) };
                group.insts.extend([next, Inst { op: Row::S32i, ..load }]);
            }
        }
        _ => insts.extend(increment(counter)),
    }
    // It comes after all that is read from the message, and so after the counter's last use.
    insts.push(Inst { s: input, t: end, ..Inst::new(Row::Beq) });
    last.groups.push(group("next block", insts));
}

/// Adds 1 to the two words at sp + `counter`.
fn increment(counter: i64) -> [Inst<V>; 7] {
    let [low, high, more] = [V(u16::MAX - 2), V(u16::MAX - 1), V(u16::MAX)];
    let word = |row, t, imm| Inst { t, s: SP, imm, ..Inst::new(row) };
    let plus_one = |t, s| Inst { t, s, imm: 1, ..Inst::new(Row::Addi) };
    [
        word(Row::L32i, low, counter),
        word(Row::L32i, high, counter + 4),
        plus_one(low, low),
        plus_one(more, high),
        word(Row::S32i, low, counter),
        Inst { r: high, s: more, t: low, ..Inst::new(Row::Moveqz) },
        word(Row::S32i, high, counter + 4),
    ]
}

impl Layout {
    fn new(stream: &Stream, slots: &Slots) -> Layout {
        let left = slots.frame_base + 4 * slots.frame_words;
        Layout {
            block: stream.block_bytes,
            state_words: stream.state_words,
            counter: 4 * stream.counter_word,
            counter_words: stream.counter_words,
            buffer: 4 * stream.state_words,
            wiped: left,
            end: slots.frame_base,
            left,
            tail: left + 4,
            tail_out: left + 8,
            tail_in: left + 12,
            bytes: left + 16,
        }
    }
}

fn l32i(t: Reg, s: Reg, imm: u32) -> Inst {
    Inst { t, s, imm: imm.into(), ..Inst::new(Row::L32i) }
}

fn s32i(t: Reg, s: Reg, imm: u32) -> Inst {
    Inst { t, s, imm: imm.into(), ..Inst::new(Row::S32i) }
}

fn addi(t: Reg, s: Reg, imm: u32) -> Inst {
    Inst { t, s, imm: imm.into(), ..Inst::new(Row::Addi) }
}

fn movi(t: Reg, imm: u32) -> Inst {
    Inst { t, imm: imm.into(), ..Inst::new(Row::Movi) }
}

fn three(row: Row, r: Reg, s: Reg, t: Reg) -> Inst {
    Inst { r, s, t, ..Inst::new(row) }
}

fn special(row: Row, t: Reg, m: u8) -> Inst {
    Inst { t, imm: mac(m), ..Inst::new(row) }
}

/// The lowest bits of a register.
fn low_bits(r: Reg, t: Reg, bits: u32) -> Inst {
    Inst { r, t, imm2: bits.into(), ..Inst::new(Row::Extui) }
}

fn shifted(row: Row, r: Reg, from: Reg, by: u32) -> Inst {
    let of = Inst { r, imm: by.into(), ..Inst::new(row) };
    if row == Row::Slli { Inst { s: from, ..of } } else { Inst { t: from, ..of } }
}

fn branch(row: Row, s: Reg, t: Reg, label: &str) -> Placed {
    refer(Inst { s, t, ..Inst::new(row) }, label)
}

fn refer(inst: Inst, label: &str) -> Placed {
    Placed { inst, title: String::new(), refer: Some(Refer::Label(label.to_owned())) }
}

fn jump(label: &str) -> Placed {
    refer(Inst::new(Row::J), label)
}

fn chunk(label: &str, title: &str, insts: Vec<Inst>, last: Option<Placed>) -> Chunk {
    let mut code: Vec<Placed> = insts.into_iter().map(Placed::from).collect();
    code.extend(last);
    if let Some(first) = code.first_mut() {
        first.title = title.to_owned();
    }
    Chunk { label: (!label.is_empty()).then(|| label.to_owned()), code, count: 1 }
}

/// The chunks of the whole function, in order, and the bytes of its frame.
fn around(
    goal: &Goal<'_>,
    once: Vec<Chunk>,
    mut core: Vec<Chunk>,
    l: &Layout,
) -> Result<(Vec<Chunk>, u32), CompileError> {
    if let Some(first) = core.first_mut() {
        first.label = Some("block".to_owned());
    }
    if let Some(last) = core.last_mut() {
        comparison_last(&mut last.code)?;
    }
    // The code around the blocks uses callee-saved registers only in its exit, which overwrites all.
    let frame = Frame::new(goal.abi, u16::MAX, l.bytes);
    let mut chunks = entry(l, once);
    if let Some(first) = chunks.first_mut() {
        first.code.splice(0..0, frame.prologue.into_iter().map(Placed::from));
    }
    chunks.extend(core);
    chunks.extend(tail(l));
    chunks.extend(exit(goal, l, frame.epilogue));
    Ok((chunks, frame.bytes))
}

/// Puts the comparison of the pointer with the end behind the moves at the end of a block.
fn comparison_last(code: &mut Vec<Placed>) -> Result<(), CompileError> {
    let Some(at) = code.iter().rposition(|p| p.inst.op == Row::Beq) else {
        return crate::check::error("assign", "the end of a block compares nothing");
    };
    let placed = code.remove(at);
    let read = placed.inst.effects().reads;
    if code[at..].iter().any(|p| p.inst.effects().writes.meets(&read)) {
        return crate::check::error("assign", "what the end of a block compares is overwritten before");
    }
    code.push(Placed { refer: Some(Refer::Label("last".to_owned())), ..placed });
    Ok(())
}

fn entry(l: &Layout, once: Vec<Chunk>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let shift = l.block.trailing_zeros();
    if l.counter_words == 1 {
        // ceil(len / block) without overflow, then counter + that: carry and not zero means past the last counter.
        let first = vec![
            l32i(A6, A_STATE, l.counter),
            shifted(Row::Srli, A7, A_LEN, shift),
            low_bits(A8, A_LEN, shift),
            addi(A8, A8, l.block - 1),
            shifted(Row::Srli, A8, A8, shift),
            three(Row::Add, A7, A7, A8),
            three(Row::Add, A7, A7, A6),
        ];
        chunks.push(chunk("", "", first, Some(branch(Row::Bgeu, A7, A6, "begin"))));
        chunks.push(chunk("", "", Vec::new(), Some(branch(Row::Beqz, A7, Reg::default(), "begin"))));
        let one = vec![movi(RESULT, 1)];
        chunks.push(chunk("", "the counter would wrap", one, Some(jump("leave"))));
    }
    let mut copy = Vec::new();
    for k in 0..l.state_words {
        let word = Reg(6 + (k % 10) as u8);
        copy.extend([l32i(word, A_STATE, 4 * k), s32i(word, Reg::SP, 4 * k)]);
    }
    copy.extend([
        special(Row::Wsr, A_OUT, MAC_OUT),
        special(Row::Wsr, A_IN, MAC_IN),
        three(Row::Or, A6, A_OUT, A_IN),
        low_bits(A6, A6, 2),
        shifted(Row::Srli, A7, A_LEN, shift),
        shifted(Row::Slli, A7, A7, shift),
        movi(A8, 0),
        s32i(A8, Reg::SP, l.tail),
        three(Row::Movnez, A7, A8, A6),
        three(Row::Sub, A_LEN, A_LEN, A7),
        s32i(A_LEN, Reg::SP, l.left),
        three(Row::Add, A7, A7, A_IN),
        s32i(A7, Reg::SP, l.end),
    ]);
    let label = if l.counter_words == 1 { "begin" } else { "" };
    let title = "the state's copy, its counter running";
    chunks.push(chunk(label, title, copy, None));
    // They are in these registers if nothing has come between.
    let pointers = vec![special(Row::Rsr, A_IN, MAC_IN), l32i(A7, Reg::SP, l.end)];
    let any = if once.is_empty() { Vec::new() } else { pointers };
    chunks.extend(once);
    chunks.push(chunk("", "", any, Some(branch(Row::Bne, A7, A_IN, "block"))));
    chunks.push(chunk("", "", Vec::new(), Some(jump("last"))));
    chunks
}

/// After the last block in place, or after one in the buffer.
fn tail(l: &Layout) -> Vec<Chunk> {
    let none = Reg::default();
    let test = vec![l32i(A6, Reg::SP, l.tail), l32i(A_LEN, Reg::SP, l.left)];
    let rest = vec![
        special(Row::Rsr, A_OUT, MAC_OUT),
        special(Row::Rsr, A_IN, MAC_IN),
        s32i(A_OUT, Reg::SP, l.tail_out),
        s32i(A_IN, Reg::SP, l.tail_in),
    ];
    let mut fill = vec![
        movi(A6, l.block),
        three(Row::Minu, A6, A6, A_LEN),
        s32i(A6, Reg::SP, l.tail),
        three(Row::Sub, A_LEN, A_LEN, A6),
        s32i(A_LEN, Reg::SP, l.left),
        addi(A7, Reg::SP, l.buffer),
        movi(A8, 0),
    ];
    fill.extend((0..l.block / 4).map(|k| s32i(A8, A7, 4 * k)));
    fill.extend([
        special(Row::Wsr, A7, MAC_OUT),
        special(Row::Wsr, A7, MAC_IN),
        addi(A7, A7, l.block),
        s32i(A7, Reg::SP, l.end),
    ]);
    let mut chunks = vec![
        chunk("", "", Vec::new(), Some(jump("block"))),
        chunk("last", "", test, Some(branch(Row::Bnez, A6, none, "apply"))),
        chunk("", "", Vec::new(), Some(branch(Row::Beqz, A_LEN, none, "done"))),
        chunk("", "what is left goes through the buffer", rest, None),
        chunk("fill", "its key stream goes to the buffer", fill, Some(jump("block"))),
    ];
    chunks.extend(apply(l));
    let next = vec![l32i(A_LEN, Reg::SP, l.left), s32i(A_OUT, Reg::SP, l.tail_out), s32i(A_IN, Reg::SP, l.tail_in)];
    chunks.push(chunk("next", "", next, Some(branch(Row::Bnez, A_LEN, none, "fill"))));
    chunks
}

/// The key stream in the buffer is applied to so many bytes as a6 says: four at a time, then one.
fn apply(l: &Layout) -> Vec<Chunk> {
    let none = Reg::default();
    let pointers = vec![
        shifted(Row::Srli, A8, A6, 2),
        l32i(A_OUT, Reg::SP, l.tail_out),
        l32i(A_IN, Reg::SP, l.tail_in),
        addi(A7, Reg::SP, l.buffer),
    ];
    let byte = |row, t, s, imm: u32| Inst { t, s, imm: imm.into(), ..Inst::new(row) };
    let one = vec![
        byte(Row::L8ui, A8, A_IN, 0),
        byte(Row::L8ui, A9, A7, 0),
        addi(A_IN, A_IN, 1),
        addi(A7, A7, 1),
        three(Row::Xor, A8, A8, A9),
        byte(Row::S8i, A8, A_OUT, 0),
        addi(A_OUT, A_OUT, 1),
    ];
    // A store of a byte looks at the lowest 8 bits only.
    let key = [A9, Reg(10), Reg(11), Reg(12)];
    let mut four = vec![l32i(A9, A7, 0)];
    let text = |k: u32| Reg(13 + (k % 3) as u8);
    for k in 0..4 {
        let at = key[k as usize];
        let shift = Inst {
            r: at,
            t: A9,
            imm: i64::from(8 * k),
            imm2: i64::from((32 - 8 * k).min(16)),
            ..Inst::new(Row::Extui)
        };
        four.extend((k > 0).then_some(shift));
        four.push(byte(Row::L8ui, text(k), A_IN, k));
        four.extend([three(Row::Xor, text(k), text(k), at), byte(Row::S8i, text(k), A_OUT, k)]);
    }
    four.extend([addi(A_IN, A_IN, 4), addi(A7, A7, 4), addi(A_OUT, A_OUT, 4)]);
    let times = |count, end| Some(refer(Inst { s: count, ..Inst::new(Row::Loop) }, end));
    vec![
        chunk("apply", "its bytes", pointers, Some(branch(Row::Beqz, A8, none, "rest"))),
        chunk("", "", Vec::new(), times(A8, "rest")),
        Chunk { count: 2, ..chunk("four", "", four, None) },
        chunk("rest", "", vec![low_bits(A6, A6, 2)], Some(branch(Row::Beqz, A6, none, "next"))),
        chunk("", "", Vec::new(), times(A6, "next")),
        Chunk { count: 2, ..chunk("one", "", one, None) },
    ]
}

fn exit(goal: &Goal<'_>, l: &Layout, epilogue: Vec<Inst>) -> Vec<Chunk> {
    const STRIDE: u32 = 16;
    let (zero, at) = (Reg(3), Reg(4));
    let mut wipe = vec![movi(zero, 0), special(Row::Wsr, zero, 0), three(Row::Or, at, Reg::SP, Reg::SP)];
    for k in 0..l.wiped / 4 {
        if k > 0 && k % STRIDE == 0 {
            wipe.push(addi(at, at, 4 * STRIDE));
        }
        wipe.push(s32i(zero, at, 4 * (k % STRIDE)));
    }
    let restored = if goal.abi == Abi::Call0 { CALLEE_SAVED } else { 0 };
    wipe.extend((5..16).chain([at.0]).filter(|r| restored >> r & 1 == 0).map(|r| movi(Reg(r), 0)));
    wipe.extend(epilogue);
    vec![
        chunk("done", "", vec![movi(RESULT, 0)], None),
        chunk("leave", "nothing of the state stays behind", wipe, None),
    ]
}
