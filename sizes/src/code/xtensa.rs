//! Xtensa instructions, read by this project's own table.

use super::step::{Convention, Decoder, Effect, Flow, Formula, Set, Step};
use isa::xtensa::{Control, DecodeError, Inst, Op, Reg, decode, length};

/// What a call without a window may change: a0 and a2 to a11.
const CHANGED_BY_CALL0: Set = 0x0ffd;
const ALL: Set = 0xffff;

/// Reads instructions one after the other.
#[derive(Default)]
pub struct Reader<'data> {
    code: &'data [u8],
    address: u32,
}

impl<'data> Decoder<'data> for Reader<'data> {
    fn start(&mut self, code: &'data [u8], address: u32, _thumb: bool) {
        (self.code, self.address) = (code, address);
    }

    fn next(&mut self) -> Option<Step> {
        let step = match decode(self.code) {
            Ok((inst, length)) => step(&inst, length as u8, self.address),
            Err(DecodeError::Short { .. }) => return None,
            Err(_) => vector(self.code)?,
        };
        self.code = self.code.get(usize::from(step.length)..)?;
        self.address = self.address.wrapping_add(u32::from(step.length));
        Some(step)
    }

    fn convention(&self) -> Convention {
        Convention { stack: Reg::SP.0, link: Reg::RETURN.0, changed_by_calls: CHANGED_BY_CALL0 }
    }
}

/// What is no instruction, if it has four bytes: it belongs to the vector extension of the ESP32-S3, which computes with
/// addresses in any register but leaves sp and the flow alone.
fn vector(code: &[u8]) -> Option<Step> {
    let length = length(*code.first()?);
    let whole = length == 4 && code.len() >= 4;
    whole.then_some(Step {
        length: 4,
        condition: None,
        sets_flags: false,
        clobbers: ALL & !(1 << Reg::SP.0),
        effect: Effect::None,
        flow: Flow::Next,
    })
}

fn step(inst: &Inst, length: u8, address: u32) -> Step {
    let changed = match (inst.op, inst.call_window()) {
        (Op::Rotw, _) => ALL,
        (_, Some(0)) => CHANGED_BY_CALL0,
        (_, Some(window)) => ALL << window,
        _ => 0,
    };
    Step {
        length,
        condition: None,
        sets_flags: false,
        clobbers: inst.effects().writes.core | changed,
        effect: effect(inst, address),
        flow: flow(inst, address),
    }
}

fn effect(inst: &Inst, address: u32) -> Effect {
    let (r, s, t, imm) = (inst.r.0, inst.s.0, inst.t.0, inst.imm as u32);
    let (to, formula) = match inst.op {
        Op::Entry if inst.s == Reg::SP => return Effect::Push { bytes: imm, link_at: None },
        Op::L32r => {
            return match inst.literal(address) {
                Some(address) => Effect::Load { to: Some(t), address, bytes: 4 },
                None => Effect::None,
            };
        }
        Op::Addi | Op::Addmi => (t, Formula::Add(s, imm, false)),
        Op::AddiN => (r, Formula::Add(s, imm, false)),
        Op::Movi => (t, Formula::Number(imm)),
        Op::MoviN => (s, Formula::Number(imm)),
        Op::MovN | Op::Movsp => (t, Formula::Add(s, 0, false)),
        Op::Or if s == t => (r, Formula::Add(s, 0, false)),
        Op::Add | Op::AddN => (r, Formula::Sum(s, t)),
        Op::Sub => (r, Formula::Difference(s, t)),
        Op::Slli => (r, Formula::Shifted(s, inst.imm as u8)),
        _ => return Effect::None,
    };
    Effect::Set(to, formula)
}

fn flow(inst: &Inst, address: u32) -> Flow {
    let target = inst.target(address);
    match (inst.control(), target) {
        (Control::Branch, Some(target)) => Flow::Branch(target),
        // The loop may be passed over.
        (Control::Loop, Some(target)) => Flow::Branch(target),
        (Control::Jump, Some(target)) => Flow::Jump(target),
        (Control::Call, Some(target)) => Flow::Call(target),
        (Control::IndirectCall, _) => Flow::CallRegister(inst.s.0),
        // The same form ends a function and jumps within it.
        (Control::Indirect, _) => Flow::JumpRegister { register: inst.s.0, leaves: false },
        (Control::Return, _) => Flow::Return { restores: !matches!(inst.op, Op::Retw | Op::RetwN) },
        (Control::ExceptionReturn, _) => Flow::Return { restores: false },
        (Control::Exception, _) if matches!(inst.op, Op::Ill | Op::IllN) => Flow::Stop,
        (Control::Exception, _) => Flow::System,
        _ => Flow::Next,
    }
}
