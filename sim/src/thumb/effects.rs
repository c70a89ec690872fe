//! What an instruction reads and writes, as sets, and what the checks have to know of it.

use isa::thumb::{Class, Cond, Control, Core, Direction, Extension, Field, Flags, Inst, Op, Reg};

/// A set of registers and flags: bit i is r(i) for i < 16, bit 16 + i is flag i of [`Flags`], bit 32 + i is s(i).
pub(crate) type Set = u64;

const FLAGS_SHIFT: u32 = 16;
const FP_SHIFT: u32 = 32;
/// What is no register.
pub(crate) const FLAGS: Set = 0xffff << FLAGS_SHIFT;

/// Not a register: it always counts as secret and is in the sensitive set of all instructions in IT blocks, so that one
/// test finds both them and what touches secrets.
pub(crate) const IN_BLOCK: Set = 1 << 23;

/// The set of one core register.
pub(crate) const fn core(register: u8) -> Set {
    1 << (register & 15)
}

/// The set of one FP register.
pub(crate) const fn fp(register: u8) -> Set {
    1 << (FP_SHIFT + (register & 31) as u32)
}

/// The core and FP registers of a set, as they are written.
pub(crate) fn names(set: Set) -> Vec<String> {
    let registers = (0..64).map(|index| 1 << index).filter(|one| set & one & !FLAGS != 0);
    registers.map(first_name).collect()
}

/// The set of these flags.
pub(crate) const fn flags(flags: Flags) -> Set {
    (flags.0 as Set) << FLAGS_SHIFT
}

/// The core register or FP register that is first in a set, as it is written.
pub(crate) fn first_name(set: Set) -> String {
    match set.trailing_zeros() {
        index @ 0..=12 => format!("r{index}"),
        13 => "sp".into(),
        14 => "lr".into(),
        15 => "pc".into(),
        16..=31 => "a flag".into(),
        index => format!("s{}", index - FP_SHIFT),
    }
}

/// The instruction loads.
pub(crate) const LOAD: u8 = 1;
/// It stores.
pub(crate) const STORE: u8 = 2;
/// It moves several words: the lowest address belongs to the first register of its list.
pub(crate) const MANY: u8 = 4;
/// It sets the stack pointer.
pub(crate) const STACK: u8 = 8;
/// It may be the end of straight-line code.
pub(crate) const BRANCH: u8 = 16;
/// It only moves a register's content.
pub(crate) const COPY: u8 = 32;

/// It needs the FPU.
pub(crate) const FP: u8 = 64;
/// What it does to the core, or what it waits for, has to be looked at when there are exceptions.
pub(crate) const SYSTEM: u8 = 128;

/// What the checks have to know of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effects {
    /// What its results depend on; for a store, what it stores.
    pub reads: Set,
    /// What must have a defined content.
    pub uses: Set,
    /// What must not be secret: addresses, conditions of branches, operands on which its time depends.
    pub sensitive: Set,
    /// All that it writes.
    pub writes: Set,
    /// The part of it that depends on `reads` and on loaded data; the rest are bases.
    pub data: Set,
    /// Bytes of each transfer of a load or store.
    pub bytes: u8,
    /// The marks above.
    pub marks: u8,
}

impl Effects {
    pub(crate) fn of(inst: &Inst, model: Core) -> Effects {
        // Whether a conditional instruction is executed is seen as it runs.
        let inst = &Inst { cond: if inst.op == Op::B { inst.cond } else { Cond::Al }, ..*inst };
        let plain = inst.effects();
        let pc = core(15);
        let reads =
            (Set::from(plain.core_reads) & !pc) | flags(plain.flags_read) | Set::from(plain.fp_reads) << FP_SHIFT;
        let writes =
            (Set::from(plain.core_writes) & !pc) | flags(plain.flags_written) | Set::from(plain.fp_writes) << FP_SHIFT;
        let mut effects = Effects { reads, uses: reads, sensitive: 0, writes, data: writes, bytes: 0, marks: 0 };
        let branches = plain.control != Control::Next;
        if let Some(memory) = plain.memory {
            let base = core(memory.base.0) & !pc;
            let address = base | index(inst);
            let moved = if memory.writes_back { base } else { 0 };
            effects.sensitive |= address;
            effects.bytes = memory.bytes.min(4) as u8;
            if memory.direction == Direction::Loads {
                effects.marks |= LOAD;
                effects.data &= !moved;
            } else {
                effects.marks |= STORE;
                effects.reads = stored(inst);
                effects.uses = address;
                effects.data = 0;
            }
            let listed = inst.list != 0;
            effects.marks |= if listed || memory.bytes > 4 { MANY } else { 0 };
        } else if branches {
            effects.sensitive |= reads;
        }
        effects.marks |= if branches { BRANCH } else { 0 };
        effects.marks |= if is_copy(inst) { COPY } else { 0 };
        // MSR may make another stack the one in use, which is no growth of this one.
        effects.marks |= if writes & core(13) != 0 && inst.op != Op::Msr { STACK } else { 0 };
        effects.marks |= if inst.op.row().extension == Extension::Fp { FP } else { 0 };
        effects.marks |= if is_system(inst.op) || is_endless(inst) { SYSTEM } else { 0 };
        if inst.op.row().timing.depends_on_data(model) {
            effects.sensitive |= reads;
        }
        effects
    }

    /// From which registers to which the words go, of an instruction that moves two.
    pub(crate) fn two_moves(inst: &Inst) -> Option<[(Set, Set); 2]> {
        let (d, n, a) = (inst.d.0, inst.n.0, inst.a.0);
        let single = |first: u8| [fp(first), fp(first + 1)];
        let double = |register: u8| single(2 * (register & 15));
        let pair = |[a, b]: [Set; 2], [c, d]: [Set; 2]| Some([(a, c), (b, d)]);
        match inst.op {
            Op::VmovSSRR => pair([core(n), core(a)], single(d)),
            Op::VmovDRR => pair([core(n), core(a)], double(d)),
            Op::VmovRRSS => pair(single(n), [core(d), core(a)]),
            Op::VmovRRD => pair(double(n), [core(d), core(a)]),
            _ => None,
        }
    }

    /// Registers in the order in which the words of a multiple transfer belong to them, one word each.
    pub(crate) fn order(inst: &Inst) -> Vec<Set> {
        let fp = |set: Set| set << FP_SHIFT;
        let listed = (0..32).filter(|i| inst.list >> i & 1 != 0);
        let pair = |first: Set| vec![first, first << 1];
        match inst.op {
            Op::LdrdImm | Op::LdrdLit | Op::StrdImm => vec![core(inst.d.0), core(inst.a.0)],
            Op::VldrD | Op::VldrLitD | Op::VstrD => pair(fp(1 << (2 * (inst.d.0 & 15)))),
            Op::VldmD | Op::VldmdbD | Op::VpopD | Op::VstmD | Op::VstmdbD | Op::VpushD => {
                listed.flat_map(|i| pair(fp(1 << (2 * (i & 15))))).collect()
            }
            Op::VldmS | Op::VldmdbS | Op::VpopS | Op::VstmS | Op::VstmdbS | Op::VpushS => {
                listed.map(|i| fp(1 << i)).collect()
            }
            _ => listed.map(|i| 1 << i).collect(),
        }
    }
}

fn is_exclusive_store(op: Op) -> bool {
    matches!(op, Op::Strex | Op::Strexb | Op::Strexh)
}

/// The offset register of a load, store or table branch.
fn index(inst: &Inst) -> Set {
    let has_index = inst.fields().any(|(field, class, _)| field == Field::M && class == Class::Core);
    if has_index && !is_exclusive_store(inst.op) { core(inst.m.0) } else { 0 }
}

/// Registers whose content a store stores.
fn stored(inst: &Inst) -> Set {
    if inst.list != 0 {
        return Effects::order(inst).into_iter().fold(0, |all, set| all | set);
    }
    let data = if is_exclusive_store(inst.op) { Field::M } else { Field::D };
    let fields = inst.fields().filter(|(field, _, access)| access.reads() && [data, Field::A].contains(field));
    fields.fold(0, |all, (field, class, _)| {
        let register = inst.reg(field).0;
        all | match class {
            Class::Core => core(register),
            Class::Single => 1 << (FP_SHIFT + u32::from(register & 31)),
            Class::Double => 3 << (FP_SHIFT + 2 * u32::from(register & 15)),
        }
    })
}

/// Changes what can interrupt or which stack is used, waits, or may trap.
fn is_system(op: Op) -> bool {
    matches!(op, Op::Msr | Op::Cps | Op::Wfi | Op::Wfe | Op::Sev | Op::Sdiv | Op::Udiv)
}

/// A jump to itself, which only an interrupt ends.
fn is_endless(inst: &Inst) -> bool {
    inst.op == Op::B && inst.imm == -4
}

/// Moves a register's content and does nothing else: so are registers saved in others.
fn is_copy(inst: &Inst) -> bool {
    match inst.op {
        Op::MovReg => !inst.set_flags && inst.d != Reg::PC,
        Op::VmovS | Op::VmovSR | Op::VmovRS | Op::VmovSSRR | Op::VmovRRSS | Op::VmovDRR | Op::VmovRRD => true,
        _ => false,
    }
}

/// The flags that a condition looks at, as a set.
pub(crate) fn condition(cond: Cond) -> Set {
    flags(cond.flags())
}
