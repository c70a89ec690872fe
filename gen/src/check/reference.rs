//! What the folded code computes, and code compared with it.

use super::{At, Done, Id, Isa, Machine, Rules, Term, Terms, error};
use crate::compile::{CompileError, Folded, V};
use crate::function::{Direction, ParamType};
use crate::ir::{Kernel, Place, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Ways through a function that are looked at: each takes a branch that none before took.
const WAYS: usize = 32;

/// What the folded code computes: once with all parameters apart, once with all being the same array.
#[derive(Clone, Debug)]
pub struct Reference<M: Isa> {
    params: Vec<(Direction, ParamType)>,
    /// Bytes of state that a message kernel keeps at the stack pointer.
    state_bytes: u32,
    /// Words right before the code.
    constants: Vec<u32>,
    runs: [Run<M>; 2],
}

#[derive(Clone, Debug)]
struct Run<M: Isa> {
    one_array: bool,
    terms: Terms<M::Operation>,
    memory: BTreeMap<(Id, i32), Id>,
    ends: BTreeMap<Var, Id>,
}

/// Asked whether a branch is taken that depends on what is not known, by the number of its instruction; `None` if it may not be asked.
pub type Decide<'a> = &'a mut dyn FnMut(usize) -> Option<bool>;

/// Executes code from its first instruction to its end.
pub type Walk<'a, M> = &'a dyn Fn(&mut Machine<M>, Decide<'_>) -> Done;

/// Executes an instruction of the folded code.
pub type Execute<'a, M, I> = &'a dyn Fn(&mut Machine<M>, &I) -> Done;

/// What a parameter held at first.
pub fn param<M: Isa>(terms: &mut Terms<M::Operation>, k: u16) -> Id {
    terms.entry(M::FIRST_PARAM + k)
}

/// Code that is compared with the reference.
pub struct Code<'a, M: Isa> {
    /// Executes it from its first instruction to its end.
    pub walk: Walk<'a, M>,
    /// An instruction in words, by its number.
    pub text: &'a dyn Fn(usize) -> String,
}

impl<M: Isa + Clone> Reference<M> {
    /// Runs the folded code in its order; `live_out` are variables wanted at the end, `constants` are right before the
    /// code.
    pub fn new<I>(
        kernel: &Kernel,
        segments: &[Folded<I>],
        inputs: &[(Var, Place)],
        live_out: &[Var],
        constants: &[u32],
        execute: Execute<'_, M, I>,
    ) -> Result<Self, CompileError> {
        let params = kernel.interface.params.iter().map(|p| (p.direction, p.ty)).collect();
        let state_bytes = kernel.stream.map_or(0, |s| 4 * s.state_words);
        let empty =
            |one_array| Run { one_array, terms: Terms::default(), memory: BTreeMap::new(), ends: BTreeMap::new() };
        let constants = constants.to_vec();
        let mut reference = Reference { params, state_bytes, constants, runs: [empty(false), empty(true)] };
        for i in 0..reference.runs.len() {
            reference.runs[i] = reference.run(&reference.runs[i], segments, inputs, live_out, execute)?;
        }
        Ok(reference)
    }

    fn run<I>(
        &self,
        empty: &Run<M>,
        segments: &[Folded<I>],
        inputs: &[(Var, Place)],
        live_out: &[Var],
        execute: Execute<'_, M, I>,
    ) -> Result<Run<M>, CompileError> {
        let mut m = self.machine(empty, Some((0, self.state_bytes as i32)));
        self.state_at_sp(&mut m);
        for k in 0..self.params.len() as u16 {
            let id = param::<M>(&mut m.terms, k);
            m.set(V::of(Var(k)).0, id);
        }
        for &(var, place) in inputs {
            let in_frame = self.state_bytes > 0;
            let base = if in_frame { m.terms.entry(M::SP) } else { param::<M>(&mut m.terms, place.base.0) };
            let word = m.load(base, place.offset as i32).or_else(|what| error("fold", what))?;
            m.set(V::of(var).0, word);
        }
        for segment in segments {
            for _ in 0..segment.count {
                for group in &segment.groups {
                    let done = group.insts.iter().try_for_each(|inst| execute(&mut m, inst));
                    done.or_else(|what| error("fold", format!("step {:?}: {what}", group.title)))?;
                }
            }
        }
        let ends = live_out.iter().map(|&var| Ok((var, m.get(V::of(var).0)?))).collect::<Result<_, String>>();
        let ends = ends.or_else(|what| error("fold", what))?;
        Ok(Run { one_array: empty.one_array, terms: m.terms, memory: m.memory, ends })
    }

    fn machine(&self, run: &Run<M>, stack: Option<(i32, i32)>) -> Machine<M> {
        let mut terms = run.terms.clone();
        let (mut readable, mut writable) = (Vec::new(), Vec::new());
        for (k, (direction, ty)) in (0..).zip(&self.params) {
            let bytes = match ty {
                ParamType::Words(n) | ParamType::SignedWords(n) => 4 * *n as i32,
                ParamType::Halfwords(n) => 2 * *n as i32,
                ParamType::ByteArray(n) => *n as i32,
                ParamType::Bytes { .. } | ParamType::Chunks { .. } => i32::MAX,
                ParamType::Value => continue,
            };
            let array = (param::<M>(&mut terms, k), bytes);
            if *direction != Direction::Out {
                readable.push(array);
            }
            if *direction != Direction::In {
                writable.push(array);
            }
        }
        let mut machine = Machine::new(terms, Rules::Only { stack, readable, writable }, run.one_array);
        machine.constants = self.constants.clone();
        machine
    }

    /// A message kernel's code for one block finds the state at the stack pointer.
    fn state_at_sp(&self, m: &mut Machine<M>) {
        let state = param::<M>(&mut m.terms, self.params.len().saturating_sub(1) as At);
        let sp = m.terms.entry(M::SP);
        for offset in (0..self.state_bytes as i32).step_by(4) {
            let word = m.terms.id(Term::Word(state, offset));
            m.memory.insert((sp, offset), word);
        }
    }

    /// Checks code with registers and slots, before anything is put around it: it stores what the folded code stores, leaves what it
    /// leaves where `found` finds it, and reads nothing that nobody has written. It has `frame` bytes at sp; `begin` puts variables where
    /// they are at first.
    pub fn assigned(
        &self,
        frame: i32,
        begin: &dyn Fn(&mut Machine<M>),
        code: &Code<'_, M>,
        found: &dyn Fn(&mut Machine<M>, Var) -> Option<Id>,
    ) -> Result<(), CompileError> {
        for run in &self.runs {
            let mut m = self.machine(run, Some((0, frame)));
            self.state_at_sp(&mut m);
            begin(&mut m);
            let walked = (code.walk)(&mut m, &mut |_| None);
            walked.and_then(|()| self.left(run, &mut m, code, true)).or_else(|what| error("assign", what))?;
            for (&var, &id) in &run.ends {
                if found(&mut m, var) != Some(id) {
                    return error("assign", format!("at the end variable {} is not where it is said to be", var.0));
                }
            }
        }
        Ok(())
    }

    /// Checks a finished function, from its first instruction to its return: it stores what the folded code stores, and the stack is read only
    /// where it was written. In a message kernel every branch is taken and not taken, in some order; what the first block stores is compared.
    /// The walk checks what the caller is promised; `entered` are registers that hold something at first, beside the parameters.
    pub fn finished(&self, entered: &[At], code: &Code<'_, M>) -> Result<(), CompileError> {
        let runs = if self.state_bytes > 0 { &self.runs[..1] } else { &self.runs };
        let whole = self.state_bytes == 0;
        for run in runs {
            let mut seen: BTreeSet<(usize, bool)> = BTreeSet::new();
            let mut complete = false;
            for _ in 0..WAYS {
                let known = seen.len();
                let mut m = self.entered(run, entered);
                let mut here: BTreeMap<(usize, bool), usize> = BTreeMap::new();
                let mut decide = |at| {
                    let count = |taken| here.get(&(at, taken)).copied().unwrap_or(0);
                    let new = [false, true].into_iter().find(|&taken| !seen.contains(&(at, taken)));
                    let taken = new.unwrap_or(count(true) < count(false));
                    seen.insert((at, taken));
                    *here.entry((at, taken)).or_insert(0) += 1;
                    (!whole).then_some(taken)
                };
                let walked = (code.walk)(&mut m, &mut decide);
                let checked = walked.and_then(|()| self.left(run, &mut m, code, whole));
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
    fn entered(&self, run: &Run<M>, registers: &[At]) -> Machine<M> {
        let mut m = self.machine(run, None);
        let params = (0..self.params.len() as At).map(|k| M::FIRST_PARAM + k);
        for at in params.chain(registers.iter().copied()) {
            let id = m.terms.entry(at);
            m.set(at, id);
        }
        m
    }

    /// Compares what was stored; true if all of it was. If not `whole`, there may be nothing at all, or more.
    fn left(&self, run: &Run<M>, m: &mut Machine<M>, code: &Code<'_, M>, whole: bool) -> Result<bool, String> {
        let sp = m.terms.entry(M::SP);
        let mut missing = 0;
        for (&address, &id) in run.memory.iter().filter(|((root, _), _)| *root != sp || (whole && self.state_bytes > 0))
        {
            match m.memory.get(&address) {
                Some(&other) if other == id => {}
                None if !whole => missing += 1,
                None => return Err(format!("{} is never stored", m.place(address))),
                Some(_) => {
                    let by = m.stored_by.get(&address).map_or(String::new(), |&at| format!(", by {}", (code.text)(at)));
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

/// Runs two orders of straight code on registers and memory full of unknown words, and gives the machines at their ends.
pub fn both<M: Isa + Clone>(one_array: bool, code: [&Code<'_, M>; 2]) -> Result<[Machine<M>; 2], CompileError> {
    let mut before = Machine::new(Terms::default(), Rules::Anything, one_array);
    (code[0].walk)(&mut before, &mut |_| None).or_else(|what| error("schedule", what))?;
    let mut after = Machine::new(before.terms.clone(), Rules::Anything, one_array);
    (code[1].walk)(&mut after, &mut |_| None).or_else(|what| error("schedule", what))?;
    before.terms = after.terms.clone();
    Ok([before, after])
}

/// What is not the same in registers and memory.
pub fn difference<M: Isa>(
    one: &mut Machine<M>,
    other: &mut Machine<M>,
    text: &dyn Fn(usize) -> String,
) -> Option<String> {
    let registers: BTreeSet<At> = one.regs.keys().chain(other.regs.keys()).copied().collect();
    if let Some(at) = registers.into_iter().find(|&at| one.get(at) != other.get(at)) {
        return Some(format!("{} ends with another value than before", M::register(at)));
    }
    let words: BTreeSet<(Id, i32)> = one.memory.keys().chain(other.memory.keys()).copied().collect();
    let address = words.into_iter().find(|address| one.memory.get(address) != other.memory.get(address))?;
    let by = other.stored_by.get(&address).map_or("nothing".to_owned(), |&at| text(at));
    Some(format!("{} ends with another value than before, by {by}", other.place(address)))
}
