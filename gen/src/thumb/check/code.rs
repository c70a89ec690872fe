//! Code against the code it was made from, by names for values.

use super::error;
use super::value::{At, FP, Id, LR, Machine, Next, PC, SP, Thumb, physical, register};
use crate::check::{self, Code, Decide};
use crate::compile::CompileError;
use crate::function::{self, Function, Line};
use crate::ir::{Kernel, Place, Var};
use crate::problem::Numbering;
use crate::thumb::V;
use crate::thumb::assign::{Placed, Placement, Slot, Slots};
use crate::thumb::finish::Chunk;
use crate::thumb::fold::Folded;
use isa::thumb::{Inst, Op as Row, encode};
use std::collections::BTreeMap;

/// No function executes more instructions than this.
const STEPS: usize = 1 << 20;
/// What is where before and after the code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// Before the first instruction.
    pub before: &'a Placement,
    /// After the last one.
    pub after: &'a Placement,
}

/// What the folded code computes.
#[derive(Clone, Debug)]
pub struct Reference(check::Reference<Thumb>);

impl Reference {
    /// Runs the folded code in its order; `live_out` are variables wanted at the end, `constants` are right before the code.
    pub fn new(
        kernel: &Kernel,
        segments: &[Folded],
        inputs: &[(Var, Place)],
        live_out: &[Var],
        constants: &[u32],
    ) -> Result<Reference, CompileError> {
        let execute = |m: &mut Machine, inst: &Inst<V>| m.run(inst).map(|_| ());
        Ok(Reference(check::Reference::new(kernel, segments, inputs, live_out, constants, &execute)?))
    }

    /// Checks code with registers and slots, before anything is put around it.
    pub fn assigned(
        &self,
        numbering: &Numbering,
        ends: Ends<'_>,
        slots: &Slots,
        chunks: &[Chunk],
    ) -> Result<(), CompileError> {
        let program = Program::of_chunks(chunks);
        let frame = (slots.frame_base + 4 * slots.frame_words) as i32;
        let begin = |m: &mut Machine| {
            for (&v, &reg) in &ends.before.reg {
                let id = m.terms.entry(numbering.vars[v as usize].0);
                m.set(u16::from(reg.0), id);
            }
            for (&v, &slot) in ends.before.slot.iter().filter(|(v, _)| ends.before.valid >> **v & 1 == 1) {
                let id = m.terms.entry(numbering.vars[v as usize].0);
                put(m, slots, slot, id);
            }
        };
        let walk = |m: &mut Machine, decide: Decide<'_>| program.walk(m, decide).map(|_| ());
        let code = Code { walk: &walk, text: &|at| program.text(at) };
        let found = |m: &mut Machine, var| numbering.get(var).and_then(|v| found(m, slots, ends.after, v));
        self.0.assigned(frame, &begin, &code, &found)
    }

    /// Checks a finished function, from its first instruction to its return; r4 to r11, s16 to s31 and sp are as they were, and it returns to
    /// its caller.
    pub fn finished(&self, function: &Function) -> Result<(), CompileError> {
        let program = Program::of_lines(&function.lines)?;
        let walk = |m: &mut Machine, decide: Decide<'_>| program.walk(m, decide).and_then(|end| returned(m, end));
        let entered: Vec<At> = kept().chain([LR]).collect();
        self.0.finished(&entered, &Code { walk: &walk, text: &|at| program.text(at) })
    }
}

/// What a function has to leave as it was: r4 to r11, s16 to s31.
fn kept() -> impl Iterator<Item = At> {
    (4..=11).chain(FP + 16..FP + 32)
}

/// Checks the promises to the caller.
fn returned(m: &mut Machine, end: Next) -> Result<(), String> {
    if end != Next::Return {
        return Err("execution runs past the last instruction".to_owned());
    }
    for at in kept().chain([SP]) {
        let id = m.terms.entry(at);
        if m.get(at)? != id {
            return Err(format!("{} is not restored", register(at)));
        }
    }
    let lr = m.terms.entry(LR);
    if m.get(PC)? == lr { Ok(()) } else { Err("it does not return to its caller".to_owned()) }
}

fn put(m: &mut Machine, slots: &Slots, slot: Slot, id: Id) {
    match slot {
        Slot::Fp(s) => m.set(FP + u16::from(s), id),
        Slot::Frame(w) => {
            let sp = m.terms.entry(SP);
            m.memory.insert((sp, (slots.frame_base + 4 * w) as i32), id);
        }
    }
}

/// What a variable is said to be.
fn found(m: &mut Machine, slots: &Slots, place: &Placement, v: u32) -> Option<Id> {
    if let Some(reg) = place.reg.get(&v) {
        return m.get(u16::from(reg.0)).ok();
    }
    let slot = place.slot.get(&v).filter(|_| place.valid >> v & 1 == 1)?;
    match *slot {
        Slot::Fp(s) => m.get(FP + u16::from(s)).ok(),
        Slot::Frame(w) => {
            let sp = m.terms.entry(SP);
            m.load(sp, (slots.frame_base + 4 * w) as i32).ok()
        }
    }
}

/// Checks that straight code computes in its new order what it computed before: all registers, all memory, and the flags if
/// `flags_end`.
pub fn scheduled(before: &[Placed], after: &[Placed], flags_end: bool) -> Result<(), CompileError> {
    let programs = [Program::straight(before), Program::straight(after)];
    let walk = |k: usize| {
        let program = &programs[k];
        move |m: &mut Machine, decide: Decide<'_>| program.walk(m, decide).map(|_| ())
    };
    let (first, second) = (walk(0), walk(1));
    let text = |at| programs[1].text(at);
    for one_array in [false, true] {
        let code = [Code { walk: &first, text: &text }, Code { walk: &second, text: &text }];
        let [mut one, mut other] = check::both(one_array, [&code[0], &code[1]])?;
        if let Some(what) = check::difference(&mut one, &mut other, &text) {
            return error("schedule", what);
        }
        let flags = |m: &Machine| m.state.map(|(id, _)| id);
        if flags_end && flags(&one) != flags(&other) {
            return error("schedule", "the flags end with another value than before");
        }
    }
    Ok(())
}

/// Instructions and where they branch to.
struct Program {
    insts: Vec<(Inst, Option<usize>)>,
}

impl Program {
    fn straight(code: &[Placed]) -> Program {
        Program { insts: code.iter().map(|p| (p.inst, None)).collect() }
    }

    fn of_chunks(chunks: &[Chunk]) -> Program {
        let (mut insts, mut labels) = (Vec::new(), BTreeMap::new());
        for chunk in chunks {
            chunk.label.iter().for_each(|label| _ = labels.insert(label.as_str(), insts.len()));
            insts.extend(chunk.code.iter().map(|p| (p.inst, None)));
            insts.extend(chunk.branch.iter().map(|(inst, to)| (*inst, Some(to.as_str()))));
        }
        Program::resolved(insts, &labels)
    }

    fn of_lines(lines: &[Line]) -> Result<Program, CompileError> {
        let (mut insts, mut labels) = (Vec::new(), BTreeMap::new());
        let mut address = 0;
        for line in lines {
            match line {
                Line::Label(label) => _ = labels.insert(label.as_str(), insts.len()),
                Line::Inst { inst: function::Inst::Thumb(inst), target, .. } => {
                    // As before the layout, the distance counts from the first instruction.
                    let from = if inst.op == Row::Adr { (address + 4) & !3 } else { 0 };
                    insts.push((Inst { imm: inst.imm + from, ..*inst }, target.as_deref()));
                    address += encode(inst, false).map_or(0, |encoding| encoding.len as i32);
                }
                Line::Inst { inst, .. } => return error("layout", format!("`{inst}` is of another instruction set")),
                _ => {}
            }
        }
        Ok(Program::resolved(insts, &labels))
    }

    fn resolved(insts: Vec<(Inst, Option<&str>)>, labels: &BTreeMap<&str, usize>) -> Program {
        Program {
            insts: insts.into_iter().map(|(inst, to)| (inst, to.and_then(|to| labels.get(to).copied()))).collect(),
        }
    }

    fn text(&self, at: usize) -> String {
        self.insts.get(at).map_or(String::new(), |(inst, _)| format!("instruction {at}, {inst}"))
    }

    /// Executes from the first instruction until a return or past the last one. `decide` is asked about branches that depend on what
    /// is not known.
    fn walk(&self, m: &mut Machine, decide: &mut dyn FnMut(usize) -> Option<bool>) -> Result<Next, String> {
        let mut at = 0;
        for _ in 0..STEPS {
            let Some((inst, to)) = self.insts.get(at) else { return Ok(Next::Following) };
            m.now = at;
            let fault = |what: &str| format!("{}: {what}", self.text(at));
            match m.run(&physical(inst)).map_err(|what| fault(&what))? {
                Next::Following => at += 1,
                Next::Return => return Ok(Next::Return),
                Next::Branch(known) => {
                    let taken = known.or_else(|| decide(at)).ok_or_else(|| fault("the condition is not known"))?;
                    let to = to.ok_or_else(|| fault("it branches to no label"))?;
                    at = if taken { to } else { at + 1 };
                }
            }
        }
        Err("it does not end".to_owned())
    }
}
