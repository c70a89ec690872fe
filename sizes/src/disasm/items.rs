//! The bytes of a function as instructions and data, in order.

use super::Lister;
use crate::code::Function;
use crate::image::{Content, Machine, Place, Section};
use capstone::Capstone;
use capstone::arch::arm::{ArchExtraMode, ArchMode};
use capstone::arch::{BuildsCapstone, BuildsCapstoneExtraMode};
use isa::{thumb, xtensa};
use sim::cycles::{Event, Flow, Pipeline, Profile, Timing};
use std::ops::Range;

/// An instruction, or a piece of data.
pub struct Item {
    /// Its first byte.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// What it is.
    pub what: What,
    /// What the cycle model says: when it is not a branch that is taken, and when it is.
    pub cycles: Option<(u64, Option<u64>)>,
}

/// What an item is.
pub enum What {
    /// An instruction of ARMv7E-M.
    Thumb(thumb::Inst),
    /// An instruction of Xtensa.
    Xtensa(xtensa::Inst),
    /// Another instruction as Capstone writes it; true if it is of two bytes or twice two.
    Other(String, bool),
    /// Data.
    Data,
}

/// `None` if the instructions of the machine are not read here.
pub fn read(lister: &Lister<'_, '_>, function: &Function) -> Option<Vec<Item>> {
    let section = &lister.image.sections[function.entry.section];
    let mut reader = Reader::new(lister, section);
    for (range, content) in function.ranges.iter().flat_map(|range| section.contents(range.clone())) {
        match (lister.image.machine, content) {
            (_, Some(Content::Data)) => reader.data(range),
            (Machine::Arm { .. }, Some(Content::Thumb)) => reader.thumb(range),
            (Machine::Arm { .. }, Some(Content::Arm)) => reader.arm(range),
            (Machine::Arm { m_profile, .. }, _) if m_profile || function.thumb => reader.thumb(range),
            (Machine::Arm { .. }, _) => reader.arm(range),
            (Machine::Xtensa, _) => reader.xtensa(range),
            _ => return None,
        }
    }
    Some(reader.items)
}

struct Reader<'a> {
    section: &'a Section<'a>,
    /// True if instructions are stored with the low byte first.
    little_endian: bool,
    /// True if the table of ARMv7E-M is right for this file.
    m_profile: bool,
    core: Option<thumb::Core>,
    pipeline: Option<Pipeline>,
    arm: Option<Capstone>,
    capstone_thumb: Option<Capstone>,
    items: Vec<Item>,
}

impl<'a> Reader<'a> {
    fn new(lister: &'a Lister<'_, '_>, section: &'a Section<'a>) -> Reader<'a> {
        let (little_endian, m_profile) = match lister.image.machine {
            Machine::Arm { little_endian_code, m_profile, architecture } => {
                (little_endian_code, m_profile || architecture.is_none())
            }
            _ => (true, false),
        };
        let core = lister.core.filter(|_| m_profile);
        let capstone = |mode, extra: &[ArchExtraMode]| {
            Capstone::new().arm().mode(mode).extra_mode(extra.iter().copied()).build().ok()
        };
        let extra: &[ArchExtraMode] =
            if m_profile { &[ArchExtraMode::MClass, ArchExtraMode::V8] } else { &[ArchExtraMode::V8] };
        Reader {
            section,
            little_endian,
            m_profile,
            core,
            pipeline: core.map(|core| Pipeline::new(core, Profile::Ideal)),
            arm: capstone(ArchMode::Arm, &[ArchExtraMode::V8]),
            capstone_thumb: capstone(ArchMode::Thumb, extra),
            items: Vec::new(),
        }
    }

    fn push(&mut self, offset: u64, length: u64, what: What) {
        self.items.push(Item { offset, length, what, cycles: None });
    }

    fn bytes(&self, range: Range<u64>) -> &'a [u8] {
        // Sections with contents have as many bytes as they say.
        self.section.bytes.get(range.start as usize..range.end as usize).unwrap_or(&[])
    }

    /// Words where they are aligned, and what is before and after them.
    fn data(&mut self, range: Range<u64>) {
        let mut at = range.start;
        while at < range.end {
            let address = self.section.address.wrapping_add(at);
            let aligned = 1 << address.trailing_zeros().min(2);
            let left = range.end - at;
            let length = [4, 2, 1].into_iter().find(|length| *length <= aligned.min(left)).unwrap_or(1);
            self.push(at, length, What::Data);
            at += length;
        }
    }

    fn half(&self, at: u64) -> u16 {
        let bytes = self.bytes(at..at + 2).first_chunk().copied().unwrap_or_default();
        if self.little_endian { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
    }

    fn thumb(&mut self, range: Range<u64>) {
        let mut it = 0;
        let mut at = range.start;
        while at < range.end {
            let first = if range.end - at < 2 { 0 } else { self.half(at) };
            let length = u64::from(thumb::length(first));
            if range.end - at < length {
                return self.data(at..range.end);
            }
            let second = if length == 4 { self.half(at + 2) } else { 0 };
            match thumb::decode(first, second, it) {
                Ok((inst, length)) if self.m_profile => {
                    it = it_after(&inst, it);
                    let cycles = self.cycles(&inst, length, at);
                    let (length, what) = (u64::from(length), What::Thumb(inst));
                    self.items.push(Item { offset: at, length, what, cycles });
                }
                _ => {
                    it = 0;
                    self.other(at, length, true);
                }
            }
            at += length;
        }
    }

    fn arm(&mut self, range: Range<u64>) {
        let mut at = range.start;
        while range.end - at >= 4 {
            self.other(at, 4, false);
            at += 4;
        }
        self.data(at..range.end);
    }

    /// An instruction as Capstone reads it, or data.
    fn other(&mut self, at: u64, length: u64, thumb: bool) {
        match self.by_capstone(at, length, thumb) {
            Some(text) => self.push(at, length, What::Other(text, thumb)),
            None => self.data(at..at + length),
        }
    }

    fn by_capstone(&self, at: u64, length: u64, thumb: bool) -> Option<String> {
        let mut bytes = self.bytes(at..at + length).to_vec();
        if !self.little_endian {
            bytes.chunks_mut(if thumb { 2 } else { 4 }).for_each(<[u8]>::reverse);
        }
        let engine = if thumb { self.capstone_thumb.as_ref() } else { self.arm.as_ref() };
        let read = engine?.disasm_count(&bytes, self.section.address.wrapping_add(at), 1).ok()?;
        let inst = read.first().filter(|inst| inst.len() as u64 == length)?;
        let text = format!("{} {}", inst.mnemonic().unwrap_or(""), inst.op_str().unwrap_or(""));
        Some(text.trim_end().to_owned())
    }

    fn xtensa(&mut self, range: Range<u64>) {
        let mut at = range.start;
        while at < range.end {
            match xtensa::decode(self.bytes(at..range.end)) {
                Ok((inst, length)) => {
                    self.push(at, u64::from(length), What::Xtensa(inst));
                    at += u64::from(length);
                }
                Err(_) => {
                    self.push(at, 1, What::Data);
                    at += 1;
                }
            }
        }
    }

    /// How many cycles later the next instruction could execute: after this one, and if it is a branch that may be
    /// taken, after that.
    fn cycles(&mut self, inst: &thumb::Inst, length: u32, at: u64) -> Option<(u64, Option<u64>)> {
        let (core, pipeline) = (self.core?, self.pipeline?);
        let timing = Timing::of(inst, length, core);
        let address = self.section.address.wrapping_add(at) as u32;
        let step = |flow| {
            let mut next = pipeline;
            next.step(&timing, &Event { flow, ..Event::at(address) });
            (next, next.cycles() - pipeline.cycles())
        };
        // A place at a multiple of 4, as the model's own counts assume.
        let taken = step(Flow::Jump(0));
        let passed = match (timing.leaves(), is_conditional(inst)) {
            (false, _) => (step(Flow::Next), None),
            (true, true) => (step(Flow::Skipped), Some(taken.1)),
            (true, false) => (taken, None),
        };
        let ((next, cycles), if_taken) = passed;
        self.pipeline = Some(next);
        Some((cycles, if_taken))
    }
}

fn is_conditional(inst: &thumb::Inst) -> bool {
    inst.cond != thumb::Cond::Al || matches!(inst.op, thumb::Op::Cbz | thumb::Op::Cbnz)
}

/// The IT state behind an instruction (DDI 0403, A7.3.3).
fn it_after(inst: &thumb::Inst, it: u8) -> u8 {
    match inst.op {
        thumb::Op::It => (inst.cond as u8) << 4 | (inst.imm2 & 15) as u8,
        _ if it & 7 == 0 => 0,
        _ => it & 0xe0 | it << 1 & 0x1f,
    }
}

/// Where an instruction goes, and what it loads from or knows the address of.
#[derive(Default)]
pub struct Refers {
    /// The address of a branch or call.
    pub target: Option<u32>,
    /// The address of a literal, or of what an `adr` gives.
    pub literal: Option<u32>,
    /// True if `literal` is loaded from.
    pub loads: bool,
}

impl Item {
    /// What it refers to, if it is at `address`.
    pub fn refers(&self, address: u32) -> Refers {
        match &self.what {
            What::Thumb(inst) => thumb_refers(inst, address),
            What::Xtensa(inst) => {
                let literal = inst.literal(address);
                Refers { target: inst.target(address), literal, loads: literal.is_some() }
            }
            // The only thing with a number that is an address.
            What::Other(text, _) if text.starts_with('b') || text.starts_with("cb") => {
                let number = text.rsplit_once("#0x").and_then(|(_, digits)| u32::from_str_radix(digits, 16).ok());
                Refers { target: number, ..Refers::default() }
            }
            What::Other(..) | What::Data => Refers::default(),
        }
    }

    /// Its place.
    pub fn place(&self, section: usize) -> Place {
        Place { section, offset: self.offset }
    }
}

fn thumb_refers(inst: &thumb::Inst, address: u32) -> Refers {
    let effects = inst.effects();
    let pc = address.wrapping_add(4);
    let base = (pc & !3).wrapping_add(inst.imm as u32);
    match effects.control {
        thumb::Control::Branch | thumb::Control::Call => {
            Refers { target: Some(pc.wrapping_add(inst.imm as u32)), ..Refers::default() }
        }
        thumb::Control::Table => Refers::default(),
        _ if inst.op == thumb::Op::Adr => Refers { literal: Some(base), ..Refers::default() },
        _ if effects.memory.is_some_and(|memory| memory.base == thumb::Reg::PC) => {
            Refers { literal: Some(base), loads: true, ..Refers::default() }
        }
        _ => Refers::default(),
    }
}
