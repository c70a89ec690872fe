//! What the checks have to know of an instruction.

use super::set::{self, Set};
use isa::xtensa::{Class, Control, Direction, Extension, Field, Inst, Op, Reg, Timing as Group};

/// The instruction loads.
pub(crate) const LOAD: u16 = 1;
/// It stores.
pub(crate) const STORE: u16 = 2;
/// It may set a1, or move the window.
pub(crate) const STACK: u16 = 4;
/// Control may go elsewhere.
pub(crate) const BRANCH: u16 = 8;
/// It only moves a register's content.
pub(crate) const COPY: u16 = 16;
/// It exchanges the content of two registers.
pub(crate) const EXCHANGE: u16 = 32;
/// It calls, and the callee's window will begin at a4, a8 or a12.
pub(crate) const CALL: u16 = 64;
/// It has to do with time, interrupts or exceptions.
pub(crate) const SYSTEM: u16 = 128;

/// What the checks have to know of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effects {
    /// What its results depend on.
    pub reads: Set,
    /// What must have a defined content.
    pub uses: Set,
    /// What must not be secret: addresses, conditions, targets, numbers of repetitions, operands on which its time depends.
    pub sensitive: Set,
    /// All that it writes.
    pub writes: Set,
    /// The part of it that depends on `reads` and on loaded data; the rest are bases.
    pub data: Set,
    /// The part of that which is loaded.
    pub loaded: Set,
    /// What it stores.
    pub stored: Set,
    /// Bytes that it loads or stores.
    pub bytes: u8,
    /// The marks above.
    pub marks: u16,
}

impl Effects {
    pub(crate) fn of(inst: &Inst) -> Effects {
        let plain = inst.effects();
        let (reads, writes) = (set::followed(set::of(&plain.reads)), set::followed(set::of(&plain.writes)));
        let mut effects = Effects {
            reads,
            uses: reads,
            sensitive: 0,
            writes,
            data: writes,
            loaded: 0,
            stored: 0,
            bytes: plain.memory.map_or(0, |memory| memory.bytes as u8),
            marks: marks(inst, plain.control, writes),
        };
        if let Some(memory) = plain.memory {
            let base = memory.base.map_or(0, core);
            effects.access(inst, base | index(inst), if memory.writes_back { base } else { 0 }, memory.direction);
        }
        if plain.control != Control::Next || inst.op.row().timing.depends_on_data() {
            effects.sensitive |= reads;
        } else if sets_loop(inst) {
            // The other two registers of the loop stay as they are, which steers nothing by itself.
            effects.sensitive |= core(inst.t);
        }
        effects
    }

    /// A load or store.
    fn access(&mut self, inst: &Inst, address: Set, moved: Set, direction: Direction) {
        self.sensitive |= address;
        self.reads &= !address;
        self.data &= !moved;
        // What is loaded or stored beside a computation stands first.
        let first = first_operand(inst);
        let computes = self.reads != 0 && self.data != 0;
        if direction == Direction::Loads {
            self.loaded = if computes && first & self.data != 0 { first } else { self.data };
        } else {
            self.stored = if computes { first } else { self.reads };
            // S32C1I loads what it replaces.
            self.loaded = if inst.op == Op::S32c1i { self.data } else { 0 };
            // What has no content may be stored, to be loaded again.
            self.uses &= !self.stored | address;
        }
    }
}

fn core(register: Reg) -> Set {
    set::register(Class::Core, register)
}

/// What is added to the base, for this access or for the next one.
fn index(inst: &Inst) -> Set {
    match inst.op {
        Op::Lsx | Op::Lsxp | Op::Ssx | Op::Ssxp => core(inst.t),
        Op::EeLdxq32 | Op::EeStxq32 => set::register(Class::Vector, inst.x),
        // `ad` of a vector.
        _ if inst.extension() == Extension::Vector => {
            let adds = inst.fields().any(|(field, class, _)| field == Field::T && class == Class::Core);
            if adds { core(inst.t) } else { 0 }
        }
        _ => 0,
    }
}

fn first_operand(inst: &Inst) -> Set {
    inst.fields().next().map_or(0, |(field, class, _)| set::register(class, inst.reg(field)))
}

/// Writes LBEG, LEND or LCOUNT.
fn sets_loop(inst: &Inst) -> bool {
    matches!(inst.op, Op::Wsr | Op::Xsr) && matches!(inst.imm, 0..=2)
}

fn marks(inst: &Inst, control: Control, writes: Set) -> u16 {
    let group = inst.op.row().timing;
    let access = inst.op.row().access.map_or(0, |(direction, _)| match direction {
        Direction::Loads => LOAD,
        Direction::Stores => STORE,
    });
    let returns = matches!(inst.op, Op::Retw | Op::RetwN);
    // Special registers other than those of computation.
    let special = matches!(inst.op, Op::Rsr | Op::Wsr | Op::Xsr) && inst.imm > 35;
    let system = matches!(group, Group::System | Group::Exception | Group::ExceptionReturn) || special;
    let moves_window = returns || system || matches!(inst.op, Op::Entry | Op::Rotw);
    let choices = [
        (moves_window || writes & core(Reg::SP) != 0, STACK),
        (control != Control::Next, BRANCH),
        (is_copy(inst), COPY),
        (inst.op == Op::Xsr, EXCHANGE),
        (inst.call_window().is_some_and(|window| window > 0), CALL),
        (system, SYSTEM),
    ];
    choices.iter().filter(|choice| choice.0).fold(access, |all, choice| all | choice.1)
}

/// Moves a register's content and does nothing else: so are registers saved in others.
fn is_copy(inst: &Inst) -> bool {
    let same = inst.op == Op::Or && inst.reg(Field::S) == inst.reg(Field::T);
    same || matches!(inst.op, Op::MovN | Op::MovS | Op::Wfr | Op::Rfr | Op::Rsr | Op::Wsr | Op::MvQr)
}
