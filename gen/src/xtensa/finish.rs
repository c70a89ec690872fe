//! From chunks of placed code to a function: prologue and epilogue, order, layout, machine code, lines for the printers.

use super::assign::{Placed, Refer, Slots, mac};
use super::check;
use super::fold::Folded;
use super::schedule::{self, Start};
use super::unwind;
use super::{V, dense, wide};
use crate::compile::{self, CompileError, Rated, Trace};
use crate::function::{self, Clobbers, Function, Line, NOTHING_STAYS};
use crate::ir::Kernel;
use crate::target::{Abi, Shape, Target};
use isa::xtensa::{Core, Inst, Op as Row, Reg, States, encode, register_name};
use sim::cycles::xtensa::Flow;

/// What a function is made for.
#[derive(Clone, Copy, Debug)]
pub struct Goal<'a> {
    /// What it computes.
    pub kernel: &'a Kernel,
    /// Where.
    pub target: Target,
    /// The target's core.
    pub core: Core,
    /// How it is called.
    pub abi: Abi,
    /// How far it is unrolled.
    pub shape: Shape,
}

/// A stretch of straight code, perhaps the body of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Where branches lead that come here.
    pub label: Option<String>,
    /// In order; branches end it.
    pub code: Vec<Placed>,
    /// How often it runs; more than once if it is the body of a loop.
    pub count: u32,
}

/// The register of the first parameter.
pub const FIRST_PARAM: u8 = 2;
/// MAC registers for variables, as a mask.
pub const FREE_MAC: u8 = 0b0111;
/// The MAC register that keeps the return address, so that a0 is free for a variable.
const RETURN_IN: u8 = 3;
/// a12 to a15, which a function without register windows has to leave as they were.
pub const CALLEE_SAVED: u16 = 0xf000;
/// Bytes at the top of a windowed frame that belong to the window exceptions: a0 to a3 of the caller's caller.
const WINDOW_SAVE: u32 = 16;
/// No frame is smaller with windows.
const WINDOW_FRAME: u32 = 32;

/// How registers are kept for the caller, and what is returned through.
pub struct Frame {
    /// Bytes below the entry sp.
    pub bytes: u32,
    /// Before everything.
    pub prologue: Vec<Inst>,
    /// After everything; ends with the return.
    pub epilogue: Vec<Inst>,
}

impl Frame {
    /// For code that writes the core registers `used` and has `local` bytes at sp.
    pub fn new(abi: Abi, used: u16, local: u32) -> Frame {
        let kept = |row| Inst { t: Reg::RETURN, imm: mac(RETURN_IN), ..Inst::new(row) };
        if abi != Abi::Call0 {
            let bytes = (local + WINDOW_SAVE).next_multiple_of(16).max(WINDOW_FRAME);
            let entry = Inst { s: Reg::SP, imm: bytes.into(), ..Inst::new(Row::Entry) };
            let epilogue = vec![kept(Row::Rsr), Inst::new(Row::RetwN)];
            return Frame { bytes, prologue: vec![entry, kept(Row::Wsr)], epilogue };
        }
        let saved: Vec<u8> = (0..16).filter(|r| used & CALLEE_SAVED & 1 << r != 0).collect();
        let bytes = (local + 4 * saved.len() as u32).next_multiple_of(16);
        // They are at the top, where debuggers find them whatever is below.
        let first = bytes - 4 * saved.len() as u32;
        let place = |row, (k, &r): (u32, &u8)| {
            dense(Inst { t: Reg(r), s: Reg::SP, imm: (first + 4 * k).into(), ..Inst::new(row) })
        };
        let mut prologue = vec![kept(Row::Wsr)];
        let mut epilogue = vec![kept(Row::Rsr)];
        if bytes > 0 {
            prologue.extend(move_sp(bytes, -1));
            prologue.extend((0..).zip(&saved).map(|s| place(Row::S32i, s)));
            epilogue.extend((0..).zip(&saved).map(|s| place(Row::L32i, s)));
            epilogue.extend(move_sp(bytes, 1));
        }
        epilogue.push(Inst::new(Row::RetN));
        Frame { bytes, prologue, epilogue }
    }
}

/// Moves sp down or up, each time by a multiple of 16 that an ADDI can add.
fn move_sp(bytes: u32, sign: i64) -> impl Iterator<Item = Inst> {
    const MOST: u32 = 112;
    (0..bytes.div_ceil(MOST)).map(move |k| {
        let imm = sign * i64::from(MOST.min(bytes - MOST * k));
        Inst { t: Reg::SP, s: Reg::SP, imm, ..Inst::new(Row::Addi) }
    })
}

/// Core registers that the code writes.
pub fn written<'a>(code: impl Iterator<Item = &'a Placed>) -> u16 {
    code.fold(0, |mask, p| mask | p.inst.effects().writes.core)
}

/// Finishes a kernel that is a single stretch from entry to return.
pub fn finish(goal: &Goal<'_>, mut chunks: Vec<Chunk>, slots: Slots, trace: Trace<'_>) -> Result<Rated, CompileError> {
    let used = written(chunks.iter().flat_map(|c| &c.code));
    let frame = Frame::new(goal.abi, used, 4 * slots.frame_words);
    if let Some(first) = chunks.first_mut() {
        first.code.splice(0..0, frame.prologue.into_iter().map(Placed::from));
    }
    if let Some(last) = chunks.last_mut() {
        last.code.extend(frame.epilogue.into_iter().map(Placed::from));
    }
    finish_chunks(goal, chunks, frame.bytes, trace)
}

/// Finishes the chunks of a whole function with a frame of so many bytes.
pub fn finish_chunks(
    goal: &Goal<'_>,
    mut chunks: Vec<Chunk>,
    stack_bytes: u32,
    trace: Trace<'_>,
) -> Result<Rated, CompileError> {
    let cycles = order(&mut chunks, goal.core)?;
    trace("schedule", chunks.iter().map(|c| listing(&c.code)).collect::<Vec<_>>().join("\n"));
    Ok((cycles, assemble(goal, &chunks, stack_bytes)?))
}

/// Schedules every chunk, in the order in which they are laid out; returns the cycles of all, loops with their count.
fn order(chunks: &mut [Chunk], core: Core) -> Result<u64, CompileError> {
    let mut at = Start::new(core);
    let mut again = 0;
    for i in 0..chunks.len() {
        let next = chunks.get(i + 1).filter(|c| c.label.is_some()).and_then(|c| c.code.first());
        let next = next.map(|p| length(&p.inst));
        let chunk = &mut chunks[i];
        let unordered = chunk.code.clone();
        chunk.code = schedule::schedule(std::mem::take(&mut chunk.code), at);
        if let Some(next) = next {
            align_end(&mut chunk.code, at, next);
        }
        check::scheduled(&unordered, &chunk.code)?;
        let before = at;
        walk(chunk, &mut at);
        if chunk.count > 1 {
            // The walk went through it twice.
            let once = (at.pipeline.cycles() - before.pipeline.cycles()).div_ceil(2);
            again += once * u64::from(chunk.count - 2);
        }
    }
    Ok(at.pipeline.cycles() + again)
}

fn length(inst: &Inst) -> u32 {
    encode(inst).map_or(3, |e| e.len)
}

fn walk(chunk: &Chunk, at: &mut Start) {
    let address = at.address;
    for pass in 0..chunk.count.min(2) {
        at.address = address;
        let back = pass + 1 < chunk.count.min(2);
        for (k, placed) in chunk.code.iter().enumerate() {
            let last = k + 1 == chunk.code.len();
            let flow = match (last, back, placed.inst.op) {
                (true, _, Row::RetN | Row::RetwN) => Flow::Jump,
                (true, true, _) => Flow::Back,
                _ => Flow::Next,
            };
            at.step(&placed.inst, flow);
        }
    }
}

/// Makes code end where what follows it, which is come to by branches or loops, does not lie across two words: instructions grow to 24 bits.
fn align_end(code: &mut [Placed], start: Start, next: u32) {
    let end = code.iter().fold(start.address, |a, p| a + length(&p.inst));
    let more = (0..4).find(|more| (end + more) % 4 + next <= 4).unwrap_or(0);
    let mut left = more;
    for placed in code.iter_mut().rev() {
        if let Some(long) = wide(placed.inst).filter(|_| left > 0) {
            placed.inst = long;
            left -= 1;
        }
    }
}

/// Addresses, branch offsets, literals, machine code, lines.
fn assemble(goal: &Goal<'_>, chunks: &[Chunk], stack_bytes: u32) -> Result<Function, CompileError> {
    let body = Body::new(chunks);
    let (lines, code) = body.lines()?;
    let lines = if goal.abi == Abi::Call0 { unwind::annotated(lines) } else { lines };
    let kernel = goal.kernel;
    let clobbers = clobbers(goal.abi, chunks.iter().flat_map(|c| &c.code));
    Ok(Function {
        symbol: function::symbol(&kernel.name, goal.shape, goal.target, goal.abi),
        kernel: kernel.name.clone(),
        family: kernel.family,
        target: goal.target,
        abi: goal.abi,
        shape: goal.shape,
        interface: kernel.interface.clone(),
        lines,
        literals: body.literals,
        code,
        rodata: Vec::new(),
        stack_bytes,
        clobbers,
        residue: if kernel.stream.is_some() {
            NOTHING_STAYS
        } else {
            "words of the computation stay in the clobbered registers"
        },
        instructions: 0,
        cycles: 0,
        cycles_of: if kernel.stream.is_some() { "1024 aligned bytes" } else { "one call" },
        verified_cases: 0,
    })
}

/// What is changed and not restored. With register windows none of the caller's core registers is: they are those of another window, or
/// those that the call instruction has given away.
fn clobbers<'a>(abi: Abi, code: impl Iterator<Item = &'a Placed>) -> Clobbers {
    let mut clobbers = Clobbers::default();
    for writes in code.map(|p| p.inst.effects().writes) {
        clobbers.core |= if abi == Abi::Call0 { writes.core & !CALLEE_SAVED & !3 } else { 0 };
        clobbers.fp |= u32::from(writes.float);
        clobbers.mac |= writes.mac;
        clobbers.states |= writes.states;
    }
    // ENTRY and RETW undo one another.
    clobbers.states.0 &= !States::WINDOW.0;
    clobbers
}

/// Instructions with addresses.
struct Body<'a> {
    chunks: &'a [Chunk],
    starts: Vec<u32>,
    literals: Vec<u32>,
}

fn error<T>(what: String) -> Result<T, CompileError> {
    crate::check::error("layout", what)
}

impl<'a> Body<'a> {
    /// All lengths are known: what depends on a distance has one form.
    fn new(chunks: &'a [Chunk]) -> Self {
        let mut literals = Vec::new();
        for placed in chunks.iter().flat_map(|c| &c.code) {
            if let Some(Refer::Literal(word)) = placed.refer
                && !literals.contains(&word)
            {
                literals.push(word);
            }
        }
        let mut starts = vec![0];
        for chunk in chunks {
            let bytes: u32 = chunk.code.iter().map(|p| length(&p.inst)).sum();
            starts.push(starts[starts.len() - 1] + bytes);
        }
        Body { chunks, starts, literals }
    }

    /// Where the chunk with this label begins and ends.
    fn chunk(&self, label: &str) -> Result<(u32, u32), CompileError> {
        let Some(i) = self.chunks.iter().position(|c| c.label.as_deref() == Some(label)) else {
            return error(format!("no label {label}"));
        };
        Ok((self.starts[i], self.starts[i + 1]))
    }

    /// The instruction with the immediate that follows from its place.
    fn resolved(&self, placed: &Placed, at: u32) -> Result<Inst, CompileError> {
        let inst = placed.inst;
        let origin = i64::from(inst.origin(at).unwrap_or(0));
        let imm = match &placed.refer {
            None => return Ok(inst),
            Some(Refer::Label(label)) => i64::from(self.chunk(label)?.0) - origin,
            Some(Refer::SpanHigh(label)) => high(self.span(label)?),
            Some(Refer::SpanLow(label)) => self.span(label)? - high(self.span(label)?),
            Some(Refer::Literal(word)) => {
                let behind = self.literals.iter().rev().position(|literal| literal == word).unwrap_or(0) as i64;
                -4 * (behind + 1) - origin
            }
        };
        Ok(Inst { imm, ..inst })
    }

    fn span(&self, label: &str) -> Result<i64, CompileError> {
        let (start, end) = self.chunk(label)?;
        Ok(i64::from(end - start))
    }

    fn lines(&self) -> Result<(Vec<Line>, Vec<u8>), CompileError> {
        let (mut lines, mut code) = (Vec::new(), Vec::new());
        for chunk in self.chunks {
            lines.extend(chunk.label.iter().map(|label| Line::Label(label.clone())));
            for placed in &chunk.code {
                if !placed.title.is_empty() {
                    lines.push(Line::Comment(placed.title.clone()));
                }
                let inst = self.resolved(placed, code.len() as u32)?;
                let encoding = match encode(&inst) {
                    Ok(encoding) => encoding,
                    Err(why) => return error(format!("{inst} at {}: {why}", code.len())),
                };
                code.extend(encoding.bytes());
                let target = match &placed.refer {
                    Some(Refer::Label(label)) => Some(label.clone()),
                    _ => None,
                };
                lines.push(Line::Inst { inst: inst.into(), target, remark: String::new() });
            }
        }
        Ok((lines, code))
    }
}

/// The part of a number that ADDMI adds, such that ADDI can add the rest.
fn high(bytes: i64) -> i64 {
    (bytes + 128) & !255
}

/// Placed code as text.
pub fn listing(code: &[Placed]) -> String {
    compile::placed_listing("#", code.iter().map(|p| (p.title.as_str(), p.inst.to_string())))
}

/// Folded code as text, with the kernel's names for registers.
pub fn virtual_listing(kernel: &Kernel, segments: &[Folded]) -> String {
    let name = |class, v: V| {
        let register = || register_name(class, Reg(v.0 as u8));
        compile::variable_name(kernel, v).unwrap_or_else(register)
    };
    compile::folded_listing(segments, |inst| inst.print(None, name))
}
