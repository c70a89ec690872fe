//! From chunks of placed code to a function: prologue and epilogue, order, layout, machine code, lines for the printers.

use super::V;
use super::assign::{Placed, Slots};
use super::check;
use super::fold::Folded;
use super::schedule::{self, Start};
use crate::compile::{self, CompileError, Rated, Trace};
use crate::function::{Clobbers, Function, Line, NOTHING_STAYS, symbol};
use crate::ir::Kernel;
use crate::target::{Abi, Shape, Target};
use isa::thumb::{Class, Cond, Inst, Mode, Op as Row, Reg, Width, encode, register_name};
use sim::cycles::{Event, Flow, Pipeline, Profile, Timing};

/// A stretch of straight code, perhaps the body of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Where branches lead that come here.
    pub label: Option<String>,
    /// In order.
    pub code: Vec<Placed>,
    /// The branch at its end, and the label it leads to.
    pub branch: Option<(Inst, String)>,
    /// How often it runs, which is once if the branch does not lead to its own label.
    pub count: u32,
    /// True if it shall begin at a word boundary.
    pub aligned: bool,
}

/// r4 to r11, which a function has to leave as they were.
const CALLEE_SAVED: u16 = 0x0ff0;
const LR: u16 = 1 << 14;

/// How registers are kept for the caller, and what is returned through.
pub struct Frame {
    /// Bytes pushed.
    pub pushed: u32,
    /// Bytes below those.
    pub local: u32,
    /// Before everything.
    pub prologue: Vec<Inst>,
    /// After everything; ends with the return.
    pub epilogue: Vec<Inst>,
}

/// Core registers that the code writes.
pub fn written<'a>(code: impl Iterator<Item = &'a Inst>) -> u16 {
    code.fold(0, |mask, inst| mask | inst.effects().core_writes)
}

impl Frame {
    /// Saves `used` registers in single-precision registers if there are enough of those, else on the stack.
    pub fn new(used: u16, local: u32, free_fp: u32) -> Frame {
        let saved = used & (CALLEE_SAVED | LR);
        let frame = match fp_pairs(saved, free_fp) {
            Some(pairs) => Frame::in_fp(&pairs),
            None => Frame::pushed(saved),
        };
        frame.with_local(local)
    }

    /// Puts prologue and epilogue around the code of a function.
    pub fn put_around(self, chunks: &mut [Chunk]) {
        if let Some(first) = chunks.first_mut() {
            first.code.splice(0..0, self.prologue.into_iter().map(Placed::from));
        }
        if let Some(last) = chunks.last_mut() {
            last.code.extend(self.epilogue.into_iter().map(Placed::from));
        }
    }

    fn in_fp(pairs: &[(u8, Vec<u8>)]) -> Frame {
        let mut frame = Frame { pushed: 0, local: 0, prologue: Vec::new(), epilogue: Vec::new() };
        for (s, regs) in pairs {
            let (first, second) = (Reg(regs[0]), regs.get(1).map(|&r| Reg(r)));
            let (save, restore) = match second {
                Some(second) => (
                    Inst { d: Reg(*s), n: first, a: second, ..Inst::new(Row::VmovSSRR) },
                    Inst { d: first, a: second, n: Reg(*s), ..Inst::new(Row::VmovRRSS) },
                ),
                None => (
                    Inst { d: Reg(*s), n: first, ..Inst::new(Row::VmovSR) },
                    Inst { d: first, n: Reg(*s), ..Inst::new(Row::VmovRS) },
                ),
            };
            frame.prologue.push(save);
            frame.epilogue.push(restore);
        }
        frame.epilogue.push(Inst { m: Reg::LR, ..Inst::new(Row::Bx) });
        frame
    }

    fn pushed(saved: u16) -> Frame {
        let list = u32::from(saved);
        let push = Inst { list, ..Inst::new(Row::Push) };
        let (prologue, epilogue) = match saved {
            0 => (vec![], vec![Inst { m: Reg::LR, ..Inst::new(Row::Bx) }]),
            _ if saved & LR == 0 => {
                (vec![push], vec![Inst { list, ..Inst::new(Row::Pop) }, Inst { m: Reg::LR, ..Inst::new(Row::Bx) }])
            }
            _ => {
                let to_pc = u32::from(saved & !LR) | 1 << 15;
                (vec![push], vec![Inst { list: to_pc, ..Inst::new(Row::Pop) }])
            }
        };
        Frame { pushed: 4 * list.count_ones(), local: 0, prologue, epilogue }
    }

    fn with_local(mut self, local: u32) -> Frame {
        self.local = local;
        if local > 0 {
            let adjust = |row| Inst { d: Reg::SP, n: Reg::SP, imm: local as i32, ..Inst::new(row) };
            self.prologue.push(adjust(Row::SubImm));
            self.epilogue.insert(0, adjust(Row::AddImm));
        }
        self
    }
}

/// Pairs of neighbouring free single-precision registers for the saved core registers, or `None` if there are too few. The return address has
/// one of its own: what moves together counts as equally well defined, and of the others nobody knows what they hold.
fn fp_pairs(saved: u16, free: u32) -> Option<Vec<(u8, Vec<u8>)>> {
    let regs: Vec<u8> = (0..15).filter(|r| saved >> r & 1 == 1).collect();
    let (others, lr) = regs.split_at(regs.partition_point(|r| *r < Reg::LR.0));
    let mut free = free;
    let mut pairs = Vec::new();
    for pair in others.chunks(2).chain(lr.chunks(1)) {
        let mask = (1 << pair.len()) - 1;
        let s = (0..32 - pair.len() as u32).find(|s| free >> s & mask == mask)?;
        free &= !(mask << s);
        pairs.push((s as u8, pair.to_vec()));
    }
    (!regs.is_empty()).then_some(pairs)
}

/// Neighbouring moves between core and single-precision registers become moves of two: half the bytes. No pair has one of the single-precision
/// registers of mask `apart` and one of the others.
pub fn pair_moves(code: Vec<Placed>, apart: u32) -> Vec<Placed> {
    let mut paired: Vec<Placed> = Vec::new();
    for placed in code {
        let merged = match paired.last().map(|p| p.inst) {
            Some(before) if placed.title.is_empty() => {
                merge(&before, &placed.inst).filter(|inst| together(inst, apart))
            }
            _ => None,
        };
        match (merged, paired.last_mut()) {
            (Some(inst), Some(last)) => last.inst = inst,
            _ => paired.push(placed),
        }
    }
    paired
}

fn together(pair: &Inst, apart: u32) -> bool {
    let effects = pair.effects();
    let moved = effects.fp_reads | effects.fp_writes;
    moved & apart == 0 || moved & !apart == 0
}

fn merge(first: &Inst, second: &Inst) -> Option<Inst> {
    match (first.op, second.op) {
        (Row::VmovSR, Row::VmovSR) if first.d.0 + 1 == second.d.0 => {
            Some(Inst { d: first.d, n: first.n, a: second.n, ..Inst::new(Row::VmovSSRR) })
        }
        (Row::VmovRS, Row::VmovRS) if first.n.0 + 1 == second.n.0 && first.d != second.d => {
            Some(Inst { d: first.d, a: second.d, n: first.n, ..Inst::new(Row::VmovRRSS) })
        }
        _ => None,
    }
}

/// What the code before a stretch leaves: where it starts and the pipeline's state there.
pub fn walk(code: &[Placed], start: Start, branch: Option<&Inst>) -> Start {
    let mut at = start;
    let passes = if branch.is_some() { 2 } else { 1 };
    for pass in 0..passes {
        for placed in code {
            step(&mut at, &placed.inst, Flow::Next);
        }
        if let Some(branch) = branch {
            let flow = if pass == 0 { Flow::Jump(start.address) } else { Flow::Next };
            step(&mut at, branch, flow);
            at.address = if pass == 0 { start.address } else { at.address };
        }
    }
    at
}

fn step(at: &mut Start, inst: &Inst, flow: Flow) {
    let length = encode(inst, in_block(inst)).map_or(4, |e| e.len);
    at.pipeline.step(&Timing::of(inst, length, at.core), &Event { flow, ..Event::at(at.address) });
    at.address += length;
}

/// Makes straight code end at a word boundary, since what follows it is branched to.
fn align_end(code: &mut Vec<Placed>, start: Start) {
    if walk(code, start, None).address.is_multiple_of(4) {
        return;
    }
    let wide = |p: &Placed| Placed { inst: Inst { width: Width::Wide, ..p.inst }, title: p.title.clone() };
    let is_narrow = |p: &Placed| encode(&p.inst, false).is_ok_and(|e| e.len == 2);
    let can = |p: &Placed| is_narrow(p) && encode(&wide(p).inst, false).is_ok();
    let mut best: Option<(u64, usize)> = None;
    for i in (0..code.len()).filter(|&i| can(&code[i])) {
        let mut trial = code.clone();
        trial[i] = wide(&code[i]);
        let cycles = walk(&trial, start, None).pipeline.cycles();
        if best.is_none_or(|(c, _)| cycles <= c) {
            best = Some((cycles, i));
        }
    }
    match best {
        Some((_, i)) => code[i] = wide(&code[i]),
        None => code.push(Inst::new(Row::Nop).into()),
    }
}

/// Finishes a kernel that is a single stretch from entry to return.
pub fn finish(
    kernel: &Kernel,
    target: Target,
    shape: Shape,
    mut chunks: Vec<Chunk>,
    slots: Slots,
    trace: Trace<'_>,
) -> Result<Rated, CompileError> {
    for chunk in &mut chunks {
        chunk.code = pair_moves(std::mem::take(&mut chunk.code), slots.apart_fp);
    }
    let used = written(chunks.iter().flat_map(|c| &c.code).map(|p| &p.inst));
    let free_fp = slots.unused_fp();
    let frame = Frame::new(used, slots.frame_base + 4 * slots.frame_words, free_fp);
    let (local, pushed) = (frame.local, frame.pushed);
    frame.put_around(&mut chunks);
    let cycles = order(&mut chunks, target)?;
    trace("schedule", listings(&chunks));
    Ok((cycles, assemble(kernel, target, shape, &chunks, pushed + local)?))
}

/// Cycles of all chunks in their present order, loops with their count; the pipeline is taken to be empty at the start of each.
pub fn estimate(chunks: &[Chunk], target: Target) -> Result<u64, CompileError> {
    let core = target.thumb_core().ok_or(CompileError::Target { target, abi: Abi::Aapcs })?;
    let start = Start { pipeline: Pipeline::new(core, Profile::Ideal), address: 0, core };
    Ok(chunks.iter().map(|c| u64::from(c.count) * walk(&c.code, start, None).pipeline.cycles()).sum())
}

/// Schedules every chunk, in the order in which they are laid out; returns the cycles of all, loops with their count.
pub fn order(chunks: &mut [Chunk], target: Target) -> Result<u64, CompileError> {
    let core = target.thumb_core().ok_or(CompileError::Target { target, abi: Abi::Aapcs })?;
    let mut at = Start { pipeline: Pipeline::new(core, Profile::Ideal), address: 0, core };
    let mut again: i64 = 0;
    for i in 0..chunks.len() {
        let next_aligned = chunks.get(i + 1).is_some_and(|c| c.aligned);
        let chunk = &mut chunks[i];
        let looping = chunk.branch.as_ref().filter(|(_, label)| chunk.label.as_ref() == Some(label));
        let branch = looping.map(|(inst, _)| *inst);
        let flags_end = chunk.branch.as_ref().is_some_and(|(inst, _)| inst.cond != Cond::Al);
        let unordered = chunk.code.clone();
        chunk.code = schedule::schedule(std::mem::take(&mut chunk.code), at, branch.as_ref(), flags_end);
        if next_aligned && chunk.branch.is_none() {
            align_end(&mut chunk.code, at);
        }
        check::scheduled(&unordered, &chunk.code, flags_end)?;
        let before = at;
        at = walk(&chunk.code, at, branch.as_ref());
        if branch.is_some() {
            // The walk went through it twice.
            let once = (at.pipeline.cycles() - before.pipeline.cycles()).div_ceil(2);
            again += once as i64 * (i64::from(chunk.count) - 2);
        } else if let Some((inst, _)) = &chunk.branch {
            step(&mut at, inst, Flow::Next);
        }
    }
    Ok(at.pipeline.cycles().saturating_add_signed(again))
}

/// Addresses, branch offsets, machine code, lines.
pub fn assemble(
    kernel: &Kernel,
    target: Target,
    shape: Shape,
    chunks: &[Chunk],
    stack_bytes: u32,
) -> Result<Function, CompileError> {
    let mut body = Body::new(chunks);
    body.lay_out()?;
    let (lines, code) = body.lines()?;
    let all = || chunks.iter().flat_map(|c| c.code.iter().map(|p| &p.inst));
    let clobbers_fp = all().fold(0, |mask, inst| mask | inst.effects().fp_writes);
    Ok(Function {
        symbol: symbol(&kernel.name, shape, target, Abi::Aapcs),
        kernel: kernel.name.clone(),
        family: kernel.family,
        target,
        abi: Abi::Aapcs,
        shape,
        interface: kernel.interface.clone(),
        lines,
        literals: Vec::new(),
        code,
        rodata: Vec::new(),
        stack_bytes,
        clobbers: Clobbers { core: written(all()) & 0x100f, fp: clobbers_fp, ..Clobbers::default() },
        residue: residue(kernel, clobbers_fp),
        instructions: 0,
        cycles: 0,
        cycles_of: match kernel {
            Kernel { stream: Some(_), .. } => "1024 aligned bytes",
            Kernel { map: Some(map), .. } => map.call,
            Kernel { rejection: Some(rejection), .. } => rejection.call,
            _ => "one call",
        },
        verified_cases: 0,
    })
}

/// True if an instruction is one of those that an IT instruction makes conditional.
fn in_block(inst: &Inst) -> bool {
    inst.cond != Cond::Al && !matches!(inst.op, Row::B | Row::It)
}

fn residue(kernel: &Kernel, clobbers_fp: u32) -> &'static str {
    match (kernel.stream.is_some(), clobbers_fp != 0) {
        (true, _) => NOTHING_STAYS,
        (false, false) => {
            "words of the computation stay in the clobbered registers and, where they were spilled, below sp"
        }
        (false, true) => "words of the computation stay in the clobbered registers",
    }
}

/// Instructions with addresses.
struct Body<'a> {
    chunks: &'a [Chunk],
    /// Bytes of each chunk's branch, 0 if it has none.
    branch_bytes: Vec<u32>,
    starts: Vec<u32>,
}

impl<'a> Body<'a> {
    fn new(chunks: &'a [Chunk]) -> Self {
        Body {
            chunks,
            branch_bytes: chunks.iter().map(|c| if c.branch.is_some() { 2 } else { 0 }).collect(),
            starts: vec![],
        }
    }

    fn error(what: String) -> CompileError {
        CompileError::Check { pass: "layout", what }
    }

    fn length(inst: &Inst) -> Result<u32, CompileError> {
        encode(inst, in_block(inst)).map(|e| e.len).map_err(|e| Self::error(format!("{inst:?}: {e}")))
    }

    fn code_bytes(chunk: &Chunk) -> Result<u32, CompileError> {
        chunk.code.iter().map(|p| Self::length(&p.inst)).sum()
    }

    fn branch(&self, i: usize) -> Result<Option<Inst>, CompileError> {
        let Some((inst, label)) = &self.chunks[i].branch else { return Ok(None) };
        let named = |c: &Chunk| c.label.as_ref() == Some(label);
        let to = self.chunks.iter().position(named).ok_or_else(|| Self::error(format!("no label {label}")))?;
        let from = self.starts[i] + Self::code_bytes(&self.chunks[i])?;
        let imm = self.starts[to] as i32 - (from as i32 + 4);
        Ok(Some(Inst { imm, ..*inst }))
    }

    /// Branches start short and grow where they do not reach; none ever shrinks, so this ends.
    fn lay_out(&mut self) -> Result<(), CompileError> {
        loop {
            let mut at = 0;
            self.starts.clear();
            for (chunk, branch) in self.chunks.iter().zip(&self.branch_bytes) {
                self.starts.push(at);
                at += Self::code_bytes(chunk)? + branch;
            }
            let mut grew = false;
            for i in 0..self.chunks.len() {
                let Some(branch) = self.branch(i)? else { continue };
                let length = Self::length(&branch)?;
                grew |= length > self.branch_bytes[i];
                self.branch_bytes[i] = self.branch_bytes[i].max(length);
            }
            if !grew {
                return Ok(());
            }
        }
    }

    fn lines(&self) -> Result<(Vec<Line>, Vec<u8>), CompileError> {
        let mut out = Emission::default();
        for (i, chunk) in self.chunks.iter().enumerate() {
            if out.code.len() as u32 != self.starts[i] {
                return Err(Self::error(format!("code before stretch {i} has another length than was reckoned with")));
            }
            if let Some(label) = &chunk.label {
                out.lines.push(Line::Label(label.clone()));
            }
            for placed in &chunk.code {
                if !placed.title.is_empty() {
                    out.lines.push(Line::Comment(placed.title.clone()));
                }
                out.inst(placed.inst, None)?;
            }
            if let (Some(inst), Some((_, label))) = (self.branch(i)?, &chunk.branch) {
                let width = if self.branch_bytes[i] == 4 { Width::Wide } else { Width::Narrow };
                out.inst(Inst { width, ..inst }, Some(label.clone()))?;
            }
        }
        Ok((out.lines, out.code))
    }
}

/// Lines and code so far, and what the call-frame information has to say.
#[derive(Default)]
struct Emission {
    lines: Vec<Line>,
    code: Vec<u8>,
    cfa: u32,
    written: u16,
}

impl Emission {
    fn inst(&mut self, inst: Inst, target: Option<String>) -> Result<(), CompileError> {
        let inst = self.addressed(inst);
        let encoding = encode(&inst, in_block(&inst)).map_err(|e| Body::error(format!("{inst:?}: {e}")))?;
        self.code.extend_from_slice(&encoding.array()[..encoding.len as usize]);
        self.lines.push(Line::Inst { inst: inst.into(), target, remark: String::new() });
        self.unwind(&inst);
        self.written |= inst.effects().core_writes;
        Ok(())
    }

    /// ADR counts from the word after the next; before the layout its distance counts from the first instruction.
    fn addressed(&self, inst: Inst) -> Inst {
        match inst.op {
            Row::Adr => Inst { imm: inst.imm - ((self.code.len() as i32 + 4) & !3), ..inst },
            _ => inst,
        }
    }

    fn unwind(&mut self, inst: &Inst) {
        let stack = inst.d == Reg::SP && inst.n == Reg::SP;
        let untouched = |r: Reg| self.written >> r.0 & 1 == 0 && (CALLEE_SAVED | LR) >> r.0 & 1 == 1;
        match inst.op {
            Row::Push => {
                self.cfa += 4 * inst.list.count_ones();
                self.lines.push(Line::CfaOffset(self.cfa));
                let saved = (0..15u8).filter(|r| inst.list >> r & 1 == 1);
                let below = saved.zip(0..).map(|(reg, k)| Line::SavedAt { reg, below_cfa: self.cfa - 4 * k });
                self.lines.extend(below);
            }
            Row::SubImm | Row::AddImm if stack => {
                let by = inst.imm as u32;
                self.cfa = if inst.op == Row::SubImm { self.cfa + by } else { self.cfa - by };
                self.lines.push(Line::CfaOffset(self.cfa));
            }
            Row::Stm if inst.n == Reg::SP && inst.mode == Mode::PreIndex => {
                self.cfa -= 4 * inst.list.count_ones();
                self.lines.push(Line::CfaOffset(self.cfa));
            }
            Row::VmovSR if untouched(inst.n) => self.lines.push(Line::SavedInFp { reg: inst.n.0, s: inst.d.0 }),
            Row::VmovSSRR if untouched(inst.n) && untouched(inst.a) => {
                self.lines.push(Line::SavedInFp { reg: inst.n.0, s: inst.d.0 });
                self.lines.push(Line::SavedInFp { reg: inst.a.0, s: inst.d.0 + 1 });
            }
            _ => {}
        }
    }
}

/// Placed code as text.
pub fn listing(code: &[Placed]) -> String {
    compile::placed_listing("@", code.iter().map(|p| (p.title.as_str(), p.inst.to_string())))
}

/// Several stretches of placed code as text.
pub fn listings(chunks: &[Chunk]) -> String {
    chunks.iter().map(|chunk| listing(&chunk.code)).collect::<Vec<_>>().join("\n")
}

/// Folded code as text, with the kernel's names for registers.
pub fn virtual_listing(kernel: &Kernel, segments: &[Folded]) -> String {
    let name = |_, v: V| {
        let register = || register_name(Class::Core, Reg(v.0 as u8));
        compile::variable_name(kernel, v).unwrap_or_else(register)
    };
    compile::folded_listing(segments, |inst| inst.print("", None, name))
}
