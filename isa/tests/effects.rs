//! The table's read and write marks against the semantics: what is not marked as read must not matter, what is not marked
//! as written must not change, and every mark must be needed.

#![allow(clippy::unwrap_used)]

use isa::thumb::random::{self, Rng};
use isa::thumb::{
    Bus, BusFault, Class, Control, Direction, Effects, Fault, Field, Flags, Inst, Op, Outcome, State, encode, execute,
};
use std::collections::BTreeSet;

/// Memory everywhere: a byte is a hash of its address; every access is noted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Log(Vec<(Direction, u32, u32, u32)>);

impl Bus for Log {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        // Bit 0 set, so that a loaded pc stays in Thumb state.
        let value = (address.wrapping_mul(0x9e37_79b9).rotate_left(11) | 1) & (u32::MAX >> (32 - 8 * size));
        self.0.push((Direction::Loads, address, size, value));
        Ok(value)
    }

    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        self.0.push((Direction::Stores, address, size, value));
        Ok(())
    }
}

/// A place that an instruction may read or write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Core(u32),
    Fp(u32),
    Flag(u8),
}

fn places() -> impl Iterator<Item = Place> {
    let flags = [Flags::N, Flags::Z, Flags::C, Flags::V, Flags::Q, Flags::GE, Flags::FP];
    (0..15).map(Place::Core).chain((0..32).map(Place::Fp)).chain(flags.map(|flag| Place::Flag(flag.0)))
}

fn get(state: &State, place: Place) -> u32 {
    match place {
        Place::Core(i) => state.r[i as usize],
        Place::Fp(i) => state.s[i as usize],
        Place::Flag(flag) => match Flags(flag) {
            Flags::N => state.n.into(),
            Flags::Z => state.z.into(),
            Flags::C => state.c.into(),
            Flags::V => state.v.into(),
            Flags::Q => state.q.into(),
            Flags::GE => state.ge.into(),
            _ => state.fpscr >> 28,
        },
    }
}

fn set(state: &mut State, place: Place, value: u32) {
    let bit = value & 1 == 1;
    match place {
        Place::Core(13) => state.r[13] = value & !3,
        Place::Core(i) => state.r[i as usize] = value,
        Place::Fp(i) => state.s[i as usize] = value,
        Place::Flag(flag) => match Flags(flag) {
            Flags::N => state.n = bit,
            Flags::Z => state.z = bit,
            Flags::C => state.c = bit,
            Flags::V => state.v = bit,
            Flags::Q => state.q = bit,
            Flags::GE => state.ge = value as u8 & 15,
            _ => state.fpscr = state.fpscr & 0x0fff_ffff | value << 28,
        },
    }
}

fn marked(effects: &Effects, place: Place, written: bool) -> bool {
    let (core, fp, flags) = if written {
        (effects.core_writes, effects.fp_writes, effects.flags_written)
    } else {
        (effects.core_reads, effects.fp_reads, effects.flags_read)
    };
    match place {
        Place::Core(i) => core >> i & 1 == 1,
        Place::Fp(i) => fp >> i & 1 == 1,
        Place::Flag(flag) => flags.meets(Flags(flag)),
    }
}

fn random_state(rng: &mut Rng, it: u8) -> State {
    let mut state = State {
        r: [0; 16],
        n: false,
        z: false,
        c: false,
        v: false,
        q: false,
        ge: 0,
        it,
        s: [0; 32],
        fpscr: 0,
        special: [0; 24],
        exclusive: None,
    };
    for place in places() {
        set(&mut state, place, random_value(rng, place));
    }
    state.r[15] = 0x8000;
    state
}

/// Core registers are 0 or multiples of 4 most of the time, FP registers ordinary numbers.
fn random_value(rng: &mut Rng, place: Place) -> u32 {
    match place {
        Place::Core(_) if rng.below(8) == 0 => 0,
        Place::Core(_) if rng.below(4) != 0 => rng.bits() & !3 | 0x10 << rng.below(8),
        Place::Fp(_) => (rng.next_u32() & 0x83ff_ffff) + 0x3e00_0000,
        _ => rng.bits(),
    }
}

struct Run {
    state: State,
    log: Log,
    result: Result<Outcome, Fault>,
}

fn run(inst: &Inst, before: &State) -> Run {
    let length = encode(inst, before.it != 0).unwrap().len;
    let (mut state, mut log) = (before.clone(), Log::default());
    let result = execute(&mut state, &mut log, inst, length);
    Run { state, log, result }
}

/// Faults of the marks in one execution, and which marked places mattered.
fn faults(
    inst: &Inst,
    effects: &Effects,
    before: &State,
    rng: &mut Rng,
    used: &mut BTreeSet<(bool, Place)>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let after = run(inst, before);
    for place in places() {
        let changed = get(&after.state, place) != get(before, place);
        if changed && !marked(effects, place, true) {
            faults.push(format!("writes {place:?}"));
        }
        if changed {
            used.insert((true, place));
        }
        let mut other = before.clone();
        set(&mut other, place, random_value(rng, place));
        let again = run(inst, &other);
        // A fault leaves everything as it was.
        let written = marked(effects, place, true) && after.result.is_ok();
        if differs(&after, &again, place, written) {
            used.insert((false, place));
            if !marked(effects, place, false) {
                faults.push(format!("reads {place:?}"));
            }
        }
    }
    if after.result == Ok(Outcome::Jumped) && effects.control == Control::Next {
        faults.push("jumps".to_owned());
    }
    faults.extend(memory_fault(effects, &after));
    faults
}

/// True if two runs that began with different values in one place differ anywhere else, or in that place though it is written.
fn differs(one: &Run, two: &Run, place: Place, written: bool) -> bool {
    let mut same_place = two.state.clone();
    if !written {
        set(&mut same_place, place, get(&one.state, place));
    }
    // Cumulative exception bits are not marked.
    same_place.fpscr = same_place.fpscr & !0x9f | one.state.fpscr & 0x9f;
    one.result != two.result || one.log != two.log || one.state != same_place
}

fn memory_fault(effects: &Effects, after: &Run) -> Option<String> {
    let accesses = &after.log.0;
    let bytes: u32 = accesses.iter().map(|access| access.2).sum();
    let direction = accesses.first()?.0;
    let right = effects.memory.is_some_and(|memory| memory.direction == direction && memory.bytes == bytes);
    (!right && after.result.is_ok()).then(|| format!("{direction:?} {bytes} bytes, marked {:?}", effects.memory))
}

/// Places that the instruction's register fields name, with the direction of their marks.
fn field_marks(inst: &Inst) -> Vec<(Field, bool, Place)> {
    let mut marks = Vec::new();
    for (field, class, access) in inst.fields() {
        let number = u32::from(inst.reg(field).0);
        let place = match class {
            Class::Core if number == 15 => continue,
            Class::Core => Place::Core(number),
            Class::Single => Place::Fp(number),
            Class::Double => Place::Fp(2 * number),
        };
        if access.reads() {
            marks.push((field, false, place));
        }
        if access.writes() {
            marks.push((field, true, place));
        }
    }
    marks
}

/// Rows whose marks this machine cannot show: hints that do nothing, and coprocessors that are not there.
fn unobservable(op: Op) -> bool {
    let row = op.row();
    row.mnemonic.starts_with("pl") || row.timing == isa::thumb::Timing::Coprocessor
}

#[test]
fn marks_are_right_and_needed() {
    let mut rng = Rng::new(7);
    let mut bad = Vec::new();
    for &op in Op::ALL {
        let (mut needed, mut declared) = (BTreeSet::new(), BTreeSet::new());
        for it in [0, 0, 0x18] {
            for _ in 0..25 {
                let Some(inst) = random::inst(op, &mut rng, it) else { break };
                let (mut before, mut used) = (random_state(&mut rng, it), BTreeSet::new());
                before.exclusive = Some(before.r[usize::from(inst.n.0 & 15)].wrapping_add_signed(inst.imm));
                let faults = faults(&inst, &inst.effects(), &before, &mut rng, &mut used);
                if !faults.is_empty() {
                    bad.push(format!("{op:?} ({inst}) it {it:#x}: {faults:?}"));
                }
                for (field, written, place) in field_marks(&inst) {
                    declared.insert((field as u8, written));
                    if used.contains(&(written, place)) {
                        needed.insert((field as u8, written));
                    }
                }
            }
        }
        if needed != declared && !unobservable(op) {
            bad.push(format!("{op:?}: marks (field, written) {declared:?}, needed {needed:?}"));
        }
    }
    assert!(bad.is_empty(), "{} faults:\n{}", bad.len(), bad.join("\n"));
}

/// Each mark that is taken away is missed.
#[test]
fn planted_faults_are_found() {
    let mut rng = Rng::new(8);
    for op in [Op::AdcReg, Op::LdrImm, Op::Push, Op::VmlaS, Op::Umaal, Op::Sel] {
        let mut found = [false; 4];
        for _ in 0..200 {
            let inst = random::inst(op, &mut rng, 0).unwrap();
            let effects = inst.effects();
            let without = [
                Effects { core_reads: 0, fp_reads: 0, ..effects },
                Effects { core_writes: 0, fp_writes: 0, ..effects },
                Effects { flags_read: Flags::NONE, ..effects },
                Effects {
                    memory: effects.memory.map(|m| isa::thumb::MemoryAccess { bytes: m.bytes + 1, ..m }),
                    ..effects
                },
            ];
            let before = random_state(&mut rng, 0);
            for (found, effects) in found.iter_mut().zip(&without) {
                *found |= !faults(&inst, effects, &before, &mut rng, &mut BTreeSet::new()).is_empty();
            }
        }
        let row = op.row();
        let expected = [true, true, !row.flags.reads.is_empty(), row.access.is_some()];
        assert_eq!(found, expected, "{op:?}");
    }
}
