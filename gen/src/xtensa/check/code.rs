//! Code against the code it was made from, by names for values.

use super::error;
use super::value::{A0, At, Id, LBEG, LCOUNT, LEND, Machine, Next, SP, Xtensa, mac, physical, register};
use crate::check::{self, Code, Decide, Isa};
use crate::compile::{CompileError, V};
use crate::function::Function;
use crate::ir::{Kernel, Place, Var};
use crate::problem::Numbering;
use crate::target::Abi;
use crate::xtensa::assign::{Placed, Placement, Refer, Slot, Slots};
use crate::xtensa::finish::Chunk;
use crate::xtensa::fold::Folded;
use isa::xtensa::{Inst, Op as Row, decode, encode};
use std::collections::BTreeMap;

/// No function executes more instructions than this.
const STEPS: usize = 1 << 20;
/// Where functions are put.
const ORIGIN: u32 = 1 << 20;

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
pub struct Reference(check::Reference<Xtensa>);

impl Reference {
    /// Runs the folded code in its order; `live_out` are variables wanted at the end. The setting up of loops and the comparison at the end
    /// of a block are no part of what it computes.
    pub fn new(
        kernel: &Kernel,
        segments: &[Folded],
        inputs: &[(Var, Place)],
        live_out: &[Var],
    ) -> Result<Reference, CompileError> {
        let execute = |m: &mut Machine, inst: &Inst<V>| match m.run(inst, 0, 3)? {
            Next::Following | Next::Branch(None) => Ok(()),
            _ => Err("it does not go on".to_owned()),
        };
        Ok(Reference(check::Reference::new(kernel, segments, inputs, live_out, &[], &execute)?))
    }

    /// Checks code with registers and slots, before anything is put around it.
    pub fn assigned(
        &self,
        numbering: &Numbering,
        ends: Ends<'_>,
        slots: &Slots,
        chunks: &[Chunk],
    ) -> Result<(), CompileError> {
        let program = Program::of_chunks(chunks)?;
        let frame = (slots.frame_base + 4 * slots.frame_words) as i32;
        let begin = |m: &mut Machine| {
            let entry = |m: &mut Machine, v: u32| m.terms.entry(Xtensa::FIRST_PARAM + numbering.vars[v as usize].0);
            for (&v, &reg) in &ends.before.reg {
                let id = entry(m, v);
                m.set(u16::from(reg.0), id);
            }
            for (&v, &slot) in ends.before.slot.iter().filter(|(v, _)| ends.before.valid >> **v & 1 == 1) {
                let id = entry(m, v);
                put(m, slots, slot, id);
            }
        };
        // Whether another block follows is not known, and that it is the last one is as good as anything.
        let walk = |m: &mut Machine, _: Decide<'_>| program.walk(m, &mut |_| Some(false)).map(|_| ());
        let code = Code { walk: &walk, text: &|at| program.text(at) };
        let found = |m: &mut Machine, var| numbering.get(var).and_then(|v| found(m, slots, ends.after, v));
        self.0.assigned(frame, &begin, &code, &found)
    }

    /// Checks the machine code of a finished function, from its first instruction to its return: it returns to its caller, with sp, LCOUNT and
    /// the registers that the calling convention names as they were.
    pub fn finished(&self, function: &Function) -> Result<(), CompileError> {
        let program = Program::of_function(function)?;
        let walk = |m: &mut Machine, decide: Decide<'_>| {
            let end = program.walk(m, decide)?;
            returned(m, end, function.abi)
        };
        let entered: Vec<At> = [A0].into_iter().chain(kept(function.abi)).collect();
        self.0.finished(&entered, &Code { walk: &walk, text: &|at| program.text(at) })
    }
}

/// Registers that a function has to leave as they were.
fn kept(abi: Abi) -> impl Iterator<Item = At> {
    if abi == Abi::Call0 { 12..16 } else { 0..0 }
}

/// Checks the promises to the caller. With register windows sp goes back by itself, as RETW does not look at it; it has to be what ENTRY made
/// of it for the window exceptions to find what they have saved.
fn returned(m: &mut Machine, end: Next, abi: Abi) -> Result<(), String> {
    if end != Next::Return {
        return Err("execution runs past the last instruction".to_owned());
    }
    let sp = m.terms.entry(SP);
    let made = m.terms.plus(sp, -m.state.frame.unwrap_or(0));
    if (abi == Abi::Windowed) != m.state.frame.is_some() {
        return Err("it does not begin and end as its calling convention wants it".to_owned());
    }
    if m.get(SP)? != made {
        return Err("sp is not restored".to_owned());
    }
    for at in [A0].into_iter().chain(kept(abi)) {
        let id = m.terms.entry(at);
        if m.get(at)? != id {
            return Err(format!("{} is not restored", register(at)));
        }
    }
    if m.regs.contains_key(&LCOUNT) && m.constant(LCOUNT) != Some(0) {
        return Err("LCOUNT is not 0".to_owned());
    }
    Ok(())
}

fn put(m: &mut Machine, slots: &Slots, slot: Slot, id: Id) {
    match slot {
        Slot::Mac(k) => m.set(mac(k), id),
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
        Slot::Mac(k) => m.get(mac(k)).ok(),
        Slot::Frame(w) => {
            let sp = m.terms.entry(SP);
            m.load(sp, (slots.frame_base + 4 * w) as i32).ok()
        }
    }
}

/// Checks that straight code computes in its new order what it computed before: all registers, all memory, what a branch at its end
/// compares; and that loop registers are synchronized as they were.
pub fn scheduled(before: &[Placed], after: &[Placed]) -> Result<(), CompileError> {
    let programs = [Program::straight(before)?, Program::straight(after)?];
    let walk = |k: usize| {
        let program = &programs[k];
        move |m: &mut Machine, _: Decide<'_>| program.once(m)
    };
    let (first, second) = (walk(0), walk(1));
    let text = |at| programs[1].text(at);
    for one_array in [false, true] {
        let code = [Code { walk: &first, text: &text }, Code { walk: &second, text: &text }];
        let [mut one, mut other] = check::both(one_array, [&code[0], &code[1]])?;
        if let Some(what) = check::difference(&mut one, &mut other, &text) {
            return error("schedule", what);
        }
        if one.state.bytes != other.state.bytes {
            return error("schedule", "a byte ends with another value than before");
        }
        if one.state.unsynchronized != other.state.unsynchronized {
            return error("schedule", "ISYNC no longer comes after what it is for");
        }
    }
    Ok(())
}

/// An instruction with its place.
struct Located {
    inst: Inst<V>,
    /// For messages.
    text: String,
    pc: u32,
    length: u32,
}

/// Instructions at their addresses.
struct Program {
    insts: Vec<Located>,
    at: BTreeMap<u32, usize>,
}

impl Program {
    fn new(insts: impl Iterator<Item = (Inst, u32)>) -> Result<Program, CompileError> {
        let mut program = Program { insts: Vec::new(), at: BTreeMap::new() };
        let mut pc = ORIGIN;
        for (inst, length) in insts {
            let Some(physical) = physical(&inst) else {
                return error("layout", format!("`{inst}` is not understood here"));
            };
            program.at.insert(pc, program.insts.len());
            program.insts.push(Located { inst: physical, text: inst.to_string(), pc, length });
            pc += length;
        }
        Ok(program)
    }

    fn straight(code: &[Placed]) -> Result<Program, CompileError> {
        Program::new(code.iter().map(|p| match p.refer {
            Some(Refer::Literal(word)) => (constant(p.inst, word), 3),
            _ => (p.inst, 3),
        }))
    }

    /// Lays the chunks out as they are, and fills in what depends on that.
    fn of_chunks(chunks: &[Chunk]) -> Result<Program, CompileError> {
        let length = |p: &Placed| if p.refer.is_some() { 3 } else { encode(&p.inst).map_or(3, |e| e.len) };
        let (mut labels, mut pc) = (BTreeMap::new(), ORIGIN);
        for chunk in chunks {
            let bytes: u32 = chunk.code.iter().map(length).sum();
            chunk.label.iter().for_each(|label| _ = labels.insert(label.as_str(), (pc, bytes)));
            pc += bytes;
        }
        let mut pc = ORIGIN;
        let mut insts = Vec::new();
        for placed in chunks.iter().flat_map(|c| &c.code) {
            let place = |label: &String| labels.get(label.as_str()).copied().unwrap_or_default();
            let mut inst = placed.inst;
            match &placed.refer {
                None => {}
                Some(Refer::Label(label)) => {
                    inst.imm = i64::from(place(label).0) - i64::from(inst.origin(pc).unwrap_or_default());
                }
                Some(Refer::SpanHigh(label)) => inst.imm = (i64::from(place(label).1) + 128) / 256 * 256,
                Some(Refer::SpanLow(label)) => inst.imm = (i64::from(place(label).1) + 128) % 256 - 128,
                Some(Refer::Literal(word)) => inst = constant(inst, *word),
            }
            insts.push((inst, length(placed)));
            pc += length(placed);
        }
        Program::new(insts.into_iter())
    }

    /// The machine code, with what is in the literals before it.
    fn of_function(function: &Function) -> Result<Program, CompileError> {
        let mut insts = Vec::new();
        let mut at = 0;
        while at < function.code.len() {
            let (inst, length) =
                decode(&function.code[at..]).or_else(|why| error("layout", format!("byte {at}: {why:?}")))?;
            let literal = match inst.literal(ORIGIN + at as u32) {
                Some(address) => Some(literal(&function.literals, address)?),
                None => None,
            };
            insts.push((literal.map_or(inst, |word| constant(inst, word)), length));
            at += length as usize;
        }
        Program::new(insts.into_iter())
    }

    fn text(&self, at: usize) -> String {
        self.insts.get(at).map_or(String::new(), |located| format!("instruction {at}, {}", located.text))
    }

    /// Executes every instruction once, in order.
    fn once(&self, m: &mut Machine) -> Result<(), String> {
        for (at, Located { inst, length, .. }) in self.insts.iter().enumerate() {
            m.now = at;
            // Two orders put an instruction in two places.
            m.run(inst, 0, *length).map_err(|what| format!("{}: {what}", self.text(at)))?;
        }
        Ok(())
    }

    /// Executes from the first instruction until a return or past the last one. `decide` is asked about branches that depend on what
    /// is not known, and about loops whose count is not.
    fn walk(&self, m: &mut Machine, decide: Decide<'_>) -> Result<Next, String> {
        let mut at = 0;
        for _ in 0..STEPS {
            let Some(located) = self.insts.get(at) else { return Ok(Next::Following) };
            m.now = at;
            let fault = |what: &str| format!("{}: {what}", self.text(at));
            let Located { inst, pc, length, .. } = located;
            let next = m.run(inst, *pc, *length).map_err(|what| fault(&what))?;
            let taken = match next {
                Next::Return => return Ok(Next::Return),
                Next::Following => false,
                Next::Branch(known) => {
                    known.or_else(|| decide(at)).ok_or_else(|| fault("the condition is not known"))?
                }
            };
            let to = if taken { inst.target(*pc) } else { self.back(m, at, decide).map_err(|what| fault(&what))? };
            at = match to {
                Some(address) => *self.at.get(&address).ok_or_else(|| fault("it leads to no instruction"))?,
                None => at + 1,
            };
        }
        Err("it does not end".to_owned())
    }

    /// Where execution goes on after an instruction if that is the last of a loop which is repeated.
    fn back(&self, m: &mut Machine, at: usize, decide: Decide<'_>) -> Result<Option<u32>, String> {
        let Located { pc, length, .. } = &self.insts[at];
        if m.constant(LEND) != Some(pc + length) || m.constant(LCOUNT) == Some(0) {
            return Ok(None);
        }
        if m.state.unsynchronized {
            return Err("the loop's registers have been written since the last ISYNC".to_owned());
        }
        let count = *m.regs.get(&LCOUNT).ok_or("a loop without a count")?;
        let again = m.constant(LCOUNT).is_some() || decide(at).ok_or("the loop's count is not known")?;
        let left = match (again, m.constant(LCOUNT)) {
            (false, _) => m.terms.id(check::Term::Const(0)),
            (true, Some(_)) => m.terms.plus(count, -1),
            (true, None) => count,
        };
        m.set(LCOUNT, left);
        Ok(if again { m.constant(LBEG) } else { None })
    }
}

/// L32R as the constant that it loads.
fn constant(inst: Inst, word: u32) -> Inst {
    Inst { imm: word.into(), ..Inst { op: Row::Movi, ..inst } }
}

/// The literal at an address.
fn literal(literals: &[u32], address: u32) -> Result<u32, CompileError> {
    let first = ORIGIN - 4 * literals.len() as u32;
    let index = address.checked_sub(first).filter(|offset| offset % 4 == 0).map(|offset| offset as usize / 4);
    match index.and_then(|index| literals.get(index)) {
        Some(&word) => Ok(word),
        None => error("layout", format!("there is no literal at {}", i64::from(address) - i64::from(ORIGIN))),
    }
}
