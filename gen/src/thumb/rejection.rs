//! Rejection sampling: numbers of some bits out of a stream of bytes, of which those that are small enough are appended to an array.
//!
//! A group of words that begins and ends between two numbers is taken at once while there is room for all of its numbers; what is left,
//! of the bytes or of the room, is taken in the smallest group of bytes. A number is stored, and the address moved, only if it is taken.

use super::assign::Placed;
use super::finish::{self, Chunk, Frame};
use super::schedule::Start;
use crate::compile::{CompileError, Trace};
use crate::function::{self, Function, Line};
use crate::ir::{Kernel, Rejection};
use crate::target::{Abi, Shape, Target};
use isa::thumb::{Cond, Inst, Mode, Op as Row, Reg, Shift, ShiftKind, Width, encode};
use sim::cycles::{Pipeline, Profile};

/// Where the next number is stored, which is the parameter that counts numbers at first.
const OUT: Reg = Reg(1);
/// The next bytes.
const IN: Reg = Reg(2);
/// The last address at which there are enough bytes for a group.
const IN_LAST: Reg = Reg(3);
/// The last address at which there is room for a group.
const OUT_LAST: Reg = Reg(14);
/// The bound.
const BOUND: Reg = Reg(4);
/// Words or bytes of a group; the first is the array at first.
const PARTS: [Reg; 3] = [Reg(0), Reg(5), Reg(6)];
/// A number.
const NUMBER: Reg = Reg(12);
/// The label of the loop over groups of words.
const GROUPS: &str = "groups";
/// Bits of a word.
const WORD: u32 = 32;
/// A single instruction depends on the condition.
const ONE: u32 = 0b1000;

/// Compiles a kernel that takes numbers out of a stream of bytes.
///
/// # Errors
/// If its numbers do not come in groups that fit the registers.
pub fn compile(
    kernel: &Kernel,
    r: &Rejection,
    target: Target,
    shape: Shape,
    trace: Trace<'_>,
) -> Result<Function, CompileError> {
    let unit = Unit::new(r, if shape == Shape::Looped { 1 } else { 2 })?;
    let mut chunks = unit.chunks();
    let used = finish::written(chunks.iter().flat_map(|c| &c.code).map(|p| &p.inst));
    let frame = Frame::new(used, 0, if target.has_fpu() { 0xffff } else { 0 });
    let pushed = frame.pushed;
    frame.put_around(&mut chunks);
    trace("assign", finish::listings(&chunks));
    let mut best: Option<(u64, Function)> = None;
    for width in [Width::Narrow, Width::Wide] {
        // The branch right before the loop decides where in a word that begins.
        chunks.iter_mut().filter_map(|c| c.branch.as_mut()).filter(|(inst, _)| inst.cond == Cond::Al).for_each(
            |(inst, _)| {
                inst.width = width;
            },
        );
        let function = finish::assemble(kernel, target, shape, &chunks, pushed)?;
        let cycles = loop_cycles(&function)?;
        if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
            best = Some((cycles, function));
        }
    }
    best.map(|(_, function)| function).ok_or(CompileError::Target { target, abi: Abi::Aapcs })
}

/// What two rounds of the loop over groups of words take where it is.
fn loop_cycles(function: &Function) -> Result<u64, CompileError> {
    let target = function.target;
    let core = target.thumb_core().ok_or(CompileError::Target { target, abi: Abi::Aapcs })?;
    let mut start = Start { pipeline: Pipeline::new(core, Profile::Ideal), address: 0, core };
    let (mut inside, mut code) = (false, Vec::new());
    for line in &function.lines {
        match line {
            Line::Label(label) => inside |= label == GROUPS,
            Line::Inst { inst: function::Inst::Thumb(inst), target, .. } if inside => {
                if target.as_deref() == Some(GROUPS) {
                    return Ok(finish::walk(&code, start, Some(inst)).pipeline.cycles());
                }
                code.push(Placed::from(*inst));
            }
            Line::Inst { inst: function::Inst::Thumb(inst), .. } => {
                start.address += encode(inst, false).map_or(4, |encoding| encoding.len);
            }
            _ => {}
        }
    }
    Err(CompileError::Check { pass: "rejection", what: "there is no loop over groups of words".to_owned() })
}

fn imm(row: Row, d: Reg, n: Reg, imm: u32) -> Inst {
    Inst { d, n, imm: imm.cast_signed(), ..Inst::new(row) }
}

fn shifted(row: Row, d: Reg, n: Reg, m: Reg, kind: ShiftKind, amount: u32) -> Inst {
    Inst { d, n, m, shift: Shift { kind, amount: amount as u8 }, ..Inst::new(row) }
}

fn compare(n: Reg, m: Reg) -> Inst {
    Inst { n, m, ..Inst::new(Row::CmpReg) }
}

/// Code that is branched to, and the branch at its end.
fn chunk(label: Option<&str>, code: Vec<Inst>, branch: Option<(Cond, &str)>) -> Chunk {
    Chunk {
        label: label.map(str::to_owned),
        code: code.into_iter().map(Placed::from).collect(),
        branch: branch.map(|(cond, to)| (Inst { cond, ..Inst::new(Row::B) }, to.to_owned())),
        count: 1,
        aligned: false,
    }
}

/// The least number of bits that is so many bits several times and so many bits several times.
fn common(a: u32, b: u32) -> u32 {
    (1..=b).map(|k| a * k).find(|all| all.is_multiple_of(b)).unwrap_or(a * b)
}

/// The kernel on the way to code.
struct Unit {
    rejection: Rejection,
    /// Groups of words that a loop's body takes.
    groups: u32,
    /// Words of a group.
    words: u32,
    /// Bytes of the smallest group.
    bytes: u32,
}

impl Unit {
    fn new(r: &Rejection, groups: u32) -> Result<Unit, CompileError> {
        let (words, bytes) = (common(r.bits, WORD) / WORD, common(r.bits, 8) / 8);
        if words as usize > PARTS.len() || bytes as usize > PARTS.len() || r.bits > 16 {
            let what = format!("numbers of {} bits do not come in groups of {} words or bytes", r.bits, PARTS.len());
            return Err(CompileError::Check { pass: "rejection", what });
        }
        Ok(Unit { rejection: *r, groups, words, bytes })
    }

    fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = self.entry();
        let mut body = self.body();
        body.push(imm(Row::AddImm, IN, IN, 4 * self.words * self.groups));
        chunks.push(chunk(Some(GROUPS), body, None));
        // Both limits at once: the second is looked at if the first allows it.
        let both = vec![
            compare(IN, IN_LAST),
            Inst { cond: Cond::Ls, imm2: ONE, ..Inst::new(Row::It) },
            Inst { cond: Cond::Ls, width: Width::Narrow, ..compare(OUT, OUT_LAST) },
        ];
        chunks.push(chunk(Some("enough"), both, Some((Cond::Ls, GROUPS))));
        self.rest(&mut chunks);
        chunks
    }

    /// Bytes of the array that a body may fill.
    fn room(&self) -> u32 {
        2 * self.groups * self.words * WORD / self.rejection.bits
    }

    /// From what is given to where the next number and the next bytes are, and how far they may go.
    fn entry(&self) -> Vec<Chunk> {
        let Rejection { bound, most, .. } = self.rejection;
        let check = vec![Inst { n: OUT, imm: most.cast_signed(), ..Inst::new(Row::CmpImm) }];
        let (array, count) = (Reg(0), Reg(1));
        let code = vec![
            imm(Row::AddwImm, OUT_LAST, array, 2 * most - self.room()),
            shifted(Row::AddReg, OUT, array, count, ShiftKind::Lsl, 1),
            shifted(Row::AddReg, IN_LAST, IN, IN_LAST, ShiftKind::Lsl, 0),
            imm(Row::SubImm, IN_LAST, IN_LAST, 4 * self.words * self.groups),
            Inst { d: BOUND, imm: bound.cast_signed(), ..Inst::new(Row::Movw) },
        ];
        vec![chunk(None, check, Some((Cond::Hi, "full"))), chunk(None, code, Some((Cond::Al, "enough")))]
    }

    /// Groups of words.
    fn body(&self) -> Vec<Inst> {
        let mut code = Vec::new();
        for group in 0..self.groups {
            let at = |word| 4 * (group * self.words + word);
            code.extend((0..self.words).map(|word| imm(Row::LdrImm, PARTS[word as usize], IN, at(word))));
            for number in 0..self.words * WORD / self.rejection.bits {
                self.number(&mut code, number * self.rejection.bits);
                self.take(&mut code);
            }
        }
        code
    }

    /// The number that begins at this bit of a group.
    fn number(&self, code: &mut Vec<Inst>, bit: u32) {
        let bits = self.rejection.bits;
        let (word, from) = ((bit / WORD) as usize, bit % WORD);
        let above = WORD - from;
        if above > bits {
            code.push(Inst { imm2: bits, ..imm(Row::Ubfx, NUMBER, PARTS[word], from) });
        } else {
            let shift = Shift { kind: ShiftKind::Lsr, amount: from as u8 };
            code.push(Inst { d: NUMBER, m: PARTS[word], shift, ..Inst::new(Row::LsrImm) });
        }
        if above < bits {
            code.push(Inst { imm2: bits - above, ..imm(Row::Bfi, NUMBER, PARTS[word + 1], above) });
        }
    }

    /// Stores the number if it is small enough.
    fn take(&self, code: &mut Vec<Inst>) {
        code.push(compare(NUMBER, BOUND));
        code.push(Inst { cond: Cond::Cc, imm2: ONE, ..Inst::new(Row::It) });
        code.push(Inst { cond: Cond::Cc, mode: Mode::PostIndex, ..imm(Row::StrhImm, NUMBER, OUT, 2) });
    }

    /// What is left, with a look at the room before each number, and how many numbers there are.
    fn rest(&self, chunks: &mut Vec<Chunk>) {
        let begin = vec![
            imm(Row::AddImm, OUT_LAST, OUT_LAST, self.room()),
            imm(Row::AddImm, IN_LAST, IN_LAST, 4 * self.words * self.groups - self.bytes),
            compare(IN, IN_LAST),
        ];
        chunks.push(chunk(None, begin, Some((Cond::Hi, "done"))));
        let byte = |k: u32| imm(Row::LdrbImm, PARTS[k as usize], IN, k);
        let join = |k: u32| shifted(Row::OrrReg, PARTS[0], PARTS[0], PARTS[k as usize], ShiftKind::Lsl, 8 * k);
        let mut code: Vec<Inst> = (0..self.bytes).map(byte).chain((1..self.bytes).map(join)).collect();
        code.push(imm(Row::AddImm, IN, IN, self.bytes));
        let mut label = Some("bytes");
        for number in 0..8 * self.bytes / self.rejection.bits {
            code.push(compare(OUT, OUT_LAST));
            chunks.push(chunk(label.take(), std::mem::take(&mut code), Some((Cond::Cs, "done"))));
            self.number(&mut code, number * self.rejection.bits);
            self.take(&mut code);
        }
        code.push(compare(IN, IN_LAST));
        chunks.push(chunk(None, code, Some((Cond::Ls, "bytes"))));
        let end = 2 * self.rejection.most;
        let count = vec![
            shifted(Row::SubReg, OUT, OUT, OUT_LAST, ShiftKind::Lsl, 0),
            imm(Row::AddwImm, OUT, OUT, end),
            Inst { d: OUT, m: OUT, shift: Shift { kind: ShiftKind::Lsr, amount: 1 }, ..Inst::new(Row::LsrImm) },
        ];
        chunks.push(chunk(Some("done"), count, None));
        chunks.push(chunk(Some("full"), vec![Inst { d: Reg(0), m: OUT, ..Inst::new(Row::MovReg) }], None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bits: u32, groups: Option<(u32, u32)>) {
        let rejection = Rejection { bits, bound: 1, most: 1, call: "" };
        let unit = Unit::new(&rejection, 1);
        assert_eq!(unit.as_ref().ok().map(|unit| (unit.words, unit.bytes)), groups, "{bits} bits");
        assert!(groups.is_some() || unit.is_err_and(|error| error.to_string().contains("do not come in groups")));
    }

    #[test]
    fn numbers_come_in_groups_of_words_and_of_bytes() {
        check(8, Some((1, 1)));
        check(12, Some((3, 3)));
        check(16, Some((1, 2)));
        check(10, None);
        check(32, None);
    }
}
