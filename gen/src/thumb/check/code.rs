//! Code against the code it was made from, by names for values.

use super::error;
use super::value::{At, FP, Id, LR, Machine, Next, PC, Rules, SP, Term, Terms, physical, register};
use crate::compile::CompileError;
use crate::function::{self, Direction, Function, Line, ParamType};
use crate::ir::{Kernel, Place, Var};
use crate::problem::Numbering;
use crate::thumb::V;
use crate::thumb::assign::{Placed, Placement, Slot, Slots};
use crate::thumb::finish::Chunk;
use crate::thumb::fold::Folded;
use isa::thumb::Inst;
use std::collections::{BTreeMap, BTreeSet};

/// No function executes more instructions than this.
const STEPS: usize = 1 << 20;
/// Ways through a function that are looked at: each takes a branch that none before took.
const WAYS: usize = 32;

/// What is where before and after the code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// Before the first instruction.
    pub before: &'a Placement,
    /// After the last one.
    pub after: &'a Placement,
}

/// What the folded code computes: once with all parameters apart, once with all being the same array.
#[derive(Clone, Debug)]
pub struct Reference {
    params: Vec<(Direction, ParamType)>,
    /// Bytes of state that a message kernel keeps at the stack pointer.
    state_bytes: u32,
    runs: [Run; 2],
}

#[derive(Clone, Debug)]
struct Run {
    one_array: bool,
    terms: Terms,
    memory: BTreeMap<(Id, i32), Id>,
    ends: BTreeMap<Var, Id>,
}

impl Reference {
    /// Runs the folded code in its order; `live_out` are variables wanted at the end.
    pub fn new(
        kernel: &Kernel,
        segments: &[Folded],
        inputs: &[(Var, Place)],
        live_out: &[Var],
    ) -> Result<Reference, CompileError> {
        let params = kernel.interface.params.iter().map(|p| (p.direction, p.ty)).collect();
        let state_bytes = kernel.stream.map_or(0, |s| 4 * s.state_words);
        let empty =
            |one_array| Run { one_array, terms: Terms::default(), memory: BTreeMap::new(), ends: BTreeMap::new() };
        let mut reference = Reference { params, state_bytes, runs: [empty(false), empty(true)] };
        for i in 0..reference.runs.len() {
            reference.runs[i] = reference.run(&reference.runs[i], segments, inputs, live_out)?;
        }
        Ok(reference)
    }

    fn run(
        &self,
        empty: &Run,
        segments: &[Folded],
        inputs: &[(Var, Place)],
        live_out: &[Var],
    ) -> Result<Run, CompileError> {
        let mut m = self.machine(empty, Some((0, self.state_bytes as i32)));
        self.state_at_sp(&mut m);
        for k in 0..self.params.len() as u16 {
            let id = m.terms.entry(k);
            m.set(V::of(Var(k)).0, id);
        }
        for &(var, place) in inputs {
            let base = if self.state_bytes > 0 { m.terms.entry(SP) } else { m.terms.entry(place.base.0) };
            let word = m.load(base, place.offset as i32).or_else(|what| error("fold", what))?;
            m.set(V::of(var).0, word);
        }
        for segment in segments {
            for _ in 0..segment.count {
                for group in &segment.groups {
                    let mut insts = group.insts.iter();
                    let done = insts.try_for_each(|inst| m.run(inst).map(|_| ()));
                    done.or_else(|what| error("fold", format!("step {:?}: {what}", group.title)))?;
                }
            }
        }
        let ends = live_out.iter().map(|&var| Ok((var, m.get(V::of(var).0)?))).collect::<Result<_, String>>();
        let ends = ends.or_else(|what| error("fold", what))?;
        Ok(Run { one_array: empty.one_array, terms: m.terms, memory: m.memory, ends })
    }

    fn machine(&self, run: &Run, stack: Option<(i32, i32)>) -> Machine {
        let mut terms = run.terms.clone();
        let (mut readable, mut writable) = (Vec::new(), Vec::new());
        for (k, (direction, ty)) in (0..).zip(&self.params) {
            let bytes = match ty {
                ParamType::Words(n) => 4 * *n as i32,
                ParamType::Bytes { .. } => i32::MAX,
                ParamType::Value => continue,
            };
            let list = if *direction == Direction::In { &mut readable } else { &mut writable };
            list.push((terms.entry(k), bytes));
        }
        Machine::new(terms, Rules::Only { stack, readable, writable }, run.one_array)
    }

    /// A message kernel's code for one block finds the state at the stack pointer.
    fn state_at_sp(&self, m: &mut Machine) {
        let (sp, state) = (m.terms.entry(SP), m.terms.entry(self.params.len().saturating_sub(1) as At));
        for offset in (0..self.state_bytes as i32).step_by(4) {
            let word = m.terms.id(Term::Word(state, offset));
            m.memory.insert((sp, offset), word);
        }
    }

    /// Checks code with registers and slots, before anything is put around it: it stores what the folded code stores, leaves what it
    /// leaves where `ends` says, and reads nothing that nobody has written.
    pub fn assigned(
        &self,
        numbering: &Numbering,
        ends: Ends<'_>,
        slots: &Slots,
        chunks: &[Chunk],
    ) -> Result<(), CompileError> {
        let program = Program::of_chunks(chunks);
        let frame = (slots.frame_base + 4 * slots.frame_words) as i32;
        for run in &self.runs {
            let mut m = self.machine(run, Some((0, frame)));
            self.state_at_sp(&mut m);
            for (&v, &reg) in &ends.before.reg {
                let id = m.terms.entry(numbering.vars[v as usize].0);
                m.set(u16::from(reg.0), id);
            }
            for (&v, &slot) in ends.before.slot.iter().filter(|(v, _)| ends.before.valid >> **v & 1 == 1) {
                let id = m.terms.entry(numbering.vars[v as usize].0);
                put(&mut m, slots, slot, id);
            }
            let walked = program.walk(&mut m, &mut |_| None);
            walked.and_then(|_| self.left(run, &mut m, &program, true)).or_else(|what| error("assign", what))?;
            for (&var, &id) in &run.ends {
                let held = numbering.get(var).and_then(|v| found(&mut m, slots, ends.after, v));
                if held != Some(id) {
                    return error("assign", format!("at the end variable {} is not where it is said to be", var.0));
                }
            }
        }
        Ok(())
    }

    /// Checks a finished function, from its first instruction to its return: it stores what the folded code stores, r4 to r11, s16 to s31
    /// and sp are as they were, it returns to its caller, and the stack is read only where it was written. In a message kernel every
    /// branch is taken and not taken, in some order; what the first block stores is compared.
    pub fn finished(&self, function: &Function) -> Result<(), CompileError> {
        let program = Program::of_lines(&function.lines)?;
        let runs = if self.state_bytes > 0 { &self.runs[..1] } else { &self.runs };
        let whole = self.state_bytes == 0;
        for run in runs {
            let mut seen: BTreeSet<(usize, bool)> = BTreeSet::new();
            let mut complete = false;
            for _ in 0..WAYS {
                let known = seen.len();
                let mut m = self.entered(run);
                let mut here: BTreeMap<(usize, bool), usize> = BTreeMap::new();
                let mut decide = |at| {
                    let count = |taken| here.get(&(at, taken)).copied().unwrap_or(0);
                    let new = [false, true].into_iter().find(|&taken| !seen.contains(&(at, taken)));
                    let taken = new.unwrap_or(count(true) < count(false));
                    seen.insert((at, taken));
                    *here.entry((at, taken)).or_insert(0) += 1;
                    (!whole).then_some(taken)
                };
                let walked = program.walk(&mut m, &mut decide).and_then(|end| returned(&mut m, end));
                let checked = walked.and_then(|()| self.left(run, &mut m, &program, whole));
                complete |= checked.or_else(|what| error("finish", what))?;
                if seen.len() == known {
                    break;
                }
            }
            if !complete {
                return error("finish", "no way through the function stores a whole block");
            }
        }
        Ok(())
    }

    /// A machine as the caller leaves it.
    fn entered(&self, run: &Run) -> Machine {
        let mut m = self.machine(run, None);
        for at in (0..self.params.len() as At).chain(kept()).chain([LR]) {
            let id = m.terms.entry(at);
            m.set(at, id);
        }
        m
    }

    /// Compares what was stored; true if all of it was. If not `whole`, there may be nothing at all, or more.
    fn left(&self, run: &Run, m: &mut Machine, program: &Program, whole: bool) -> Result<bool, String> {
        let sp = m.terms.entry(SP);
        let mut missing = 0;
        for (&address, &id) in run.memory.iter().filter(|((root, _), _)| *root != sp || (whole && self.state_bytes > 0))
        {
            match m.memory.get(&address) {
                Some(&other) if other == id => {}
                None if !whole => missing += 1,
                None => return Err(format!("{} is never stored", m.place(address))),
                Some(_) => {
                    let by =
                        m.stored_by.get(&address).map_or(String::new(), |&at| format!(", by {}", program.text(at)));
                    return Err(format!("{} gets another value than the kernel's{by}", m.place(address)));
                }
            }
        }
        let more =
            m.memory.keys().find(|address| whole && address.0 != sp && !run.memory.contains_key(address)).copied();
        match more {
            Some(address) => Err(format!("{} is stored, which the kernel does not", m.place(address))),
            None => Ok(missing == 0),
        }
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
    for one_array in [false, true] {
        let mut terms = Terms::default();
        let mut ends = Vec::new();
        for code in [before, after] {
            let program = Program::straight(code);
            let mut m = Machine::new(terms, Rules::Anything, one_array);
            program.walk(&mut m, &mut |_| None).or_else(|what| error("schedule", what))?;
            terms = m.terms.clone();
            ends.push((m, program));
        }
        let [(one, _), (other, program)] = ends.as_mut_slice() else { continue };
        one.terms = terms;
        if let Some(what) = difference(one, other, program, flags_end) {
            return error("schedule", what);
        }
    }
    Ok(())
}

fn difference(one: &mut Machine, other: &mut Machine, program: &Program, flags_end: bool) -> Option<String> {
    let registers: BTreeSet<At> = one.regs.keys().chain(other.regs.keys()).copied().collect();
    if let Some(at) = registers.into_iter().find(|&at| one.get(at) != other.get(at)) {
        return Some(format!("{} ends with another value than before", register(at)));
    }
    let words: BTreeSet<(Id, i32)> = one.memory.keys().chain(other.memory.keys()).copied().collect();
    if let Some(address) = words.into_iter().find(|address| one.memory.get(address) != other.memory.get(address)) {
        let by = other.stored_by.get(&address).map_or("nothing".to_owned(), |&at| program.text(at));
        return Some(format!("{} ends with another value than before, by {by}", other.place(address)));
    }
    let flags = |m: &Machine| m.flags.map(|(id, _)| id);
    (flags_end && flags(one) != flags(other)).then(|| "the flags end with another value than before".to_owned())
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
        for line in lines {
            match line {
                Line::Label(label) => _ = labels.insert(label.as_str(), insts.len()),
                Line::Inst { inst: function::Inst::Thumb(inst), target, .. } => insts.push((*inst, target.as_deref())),
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
