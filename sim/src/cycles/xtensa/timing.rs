//! What the cycle model knows of one instruction.

use super::{Core, Costs, vector};
use crate::xtensa::set::{self, Set};
use isa::xtensa::{Class, Control, Effects, Extension, Inst, Op, States, Timing as Group};

/// All that the model needs to know of an instruction on one core, made once per instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Its length in bytes, 2 to 4.
    pub size: u8,
    /// Cycles until the next instruction can be issued, jumps aside.
    pub(super) occupancy: u8,
    /// Bubbles if it jumps.
    pub(super) refill: u8,
    /// Cycles from its issue until its late results can be used.
    pub(super) latency: u8,
    /// Bytes that it loads or stores, or 0.
    pub(super) access: u8,
    /// True if it never goes on with the next instruction.
    leaves: bool,
    /// Registers that have to be there.
    pub(super) reads: Set,
    /// Registers that it writes.
    pub(super) writes: Set,
    /// Of these, the ones that are there only after the latency.
    pub(super) late: Set,
}

impl Timing {
    /// Describes `inst`, encoded in `length` bytes, on `core`.
    pub fn of(inst: &Inst, length: u32, core: Core) -> Timing {
        Timing::with(inst, length, &Costs::of(core))
    }

    /// The same with other numbers.
    pub fn with(inst: &Inst, length: u32, costs: &Costs) -> Timing {
        let effects = inst.effects();
        // Flags and rounding modes are kept apart from the registers and delay nothing.
        let unseen = set::states(States::FLOAT_FLAGS.with(States::FLOAT_MODE)) | vector::unseen(inst);
        // What pends in the registers of another window is waited for while the window rotates.
        let all = if rotates(inst.op) { set::file(Class::Core) } else { 0 };
        let jumps = matches!(effects.control, Control::Call | Control::IndirectCall);
        Timing {
            size: length as u8,
            occupancy: occupancy(inst, costs),
            refill: costs.taken + if is_window_return(inst.op) { costs.window_return } else { 0 },
            latency: latency(inst, &effects, costs),
            // Accesses of vectors are aligned by hardware.
            access: effects.memory.filter(|_| inst.extension() != Extension::Vector).map_or(0, |m| m.bytes as u8),
            leaves: jumps || !effects.control.may_go_on(),
            reads: set::of(&effects.reads) & !unseen,
            writes: set::of(&effects.writes) | all,
            late: late(inst, &effects) & !all,
        }
    }

    /// True if it never goes on with the next instruction; calls do not either.
    pub fn leaves(&self) -> bool {
        self.leaves
    }
}

/// Cycles from issue to the use of a late result.
fn latency(inst: &Inst, effects: &Effects, costs: &Costs) -> u8 {
    match inst.op.row().timing {
        Group::Load | Group::LoadLiteral | Group::MacLoad | Group::Synchronized => costs.load,
        Group::Mul => costs.multiply,
        Group::ReadSpecial => costs.read_special,
        Group::FloatLoad => costs.float_load,
        Group::FloatArithmetic | Group::FloatMultiplyAdd => costs.float,
        Group::FloatConvert => costs.float_convert,
        Group::FloatCompare => costs.from_float,
        Group::FloatTransfer if effects.writes.float == 0 => costs.from_float,
        Group::FloatTransfer | Group::FloatMove => costs.float_move,
        _ if inst.op.row().extension == Extension::Vector => vector::latency(effects, costs),
        _ => 1,
    }
}

/// Results that are there only after the latency: registers, but not a base that is moved, nor what XSR writes.
fn late(inst: &Inst, effects: &Effects) -> Set {
    if let Some(late) = vector::late(inst, effects) {
        return late;
    }
    let base = effects.memory.filter(|memory| memory.writes_back).and_then(|memory| memory.base);
    let moved = base.map_or(0, |base| set::register(Class::Core, base));
    let files = match inst.op.row().timing {
        Group::ReadSpecial => set::file(Class::Core),
        _ => [Class::Core, Class::Float, Class::Bool, Class::Mac].into_iter().map(set::file).sum(),
    };
    set::of(&effects.writes) & files & !moved
}

fn occupancy(inst: &Inst, costs: &Costs) -> u8 {
    match (inst.op, inst.op.row().timing) {
        (Op::Entry, _) => 1 + costs.entry,
        (Op::Isync, _) => costs.isync,
        (Op::S32c1i, _) => costs.exchange,
        (Op::Rotw, _) | (_, Group::System) => costs.system,
        (_, Group::Barrier) => costs.barrier,
        (_, Group::Div) => costs.divide,
        (_, Group::Loop) => 1 + costs.loop_setup,
        (_, Group::VectorReadOut) => costs.vector_read_out,
        _ => 1,
    }
}

fn is_window_return(op: Op) -> bool {
    matches!(op, Op::Retw | Op::RetwN)
}

fn rotates(op: Op) -> bool {
    is_window_return(op) || matches!(op, Op::Entry | Op::Rotw | Op::Rfwo | Op::Rfwu)
}
