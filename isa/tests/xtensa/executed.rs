//! Effects against execution: what is not marked as read does not matter, what is not marked as written does not change, and
//! each mark is needed.

use isa::xtensa::random::{self, Rng};
use isa::xtensa::{Bus, BusFault, Effects, Extension, Fault, Inst, Op, Outcome, Registers, State, States, execute, sr};
use std::collections::BTreeMap;

/// Memory without end, except that there is none from [`NOWHERE`] on. A byte that was not written is the low byte of its
/// address.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Memory(pub BTreeMap<u32, u8>);

/// Where memory ends.
pub const NOWHERE: u32 = 0xff00_0000;

impl Memory {
    fn bytes(address: u32, size: u32) -> Result<impl DoubleEndedIterator<Item = u32>, BusFault> {
        if address >= NOWHERE { Err(BusFault::Unmapped) } else { Ok((0..size).map(move |i| address + i)) }
    }
}

impl Bus for Memory {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let byte = |at: u32| u32::from(self.0.get(&at).copied().unwrap_or(at as u8));
        Ok(Memory::bytes(address, size)?.rev().fold(0, |value, at| value << 8 | byte(at)))
    }

    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        self.0.extend(Memory::bytes(address, size)?.zip(value.to_le_bytes()));
        Ok(())
    }
}

/// A core and its memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    pub state: State,
    pub memory: Memory,
}

impl Machine {
    /// With the coprocessors enabled.
    pub fn new() -> Machine {
        let mut state = State { pc: 0x10_0000, ..State::new() };
        state.special[sr::CPENABLE] = 0xff;
        Machine { state, memory: Memory::default() }
    }

    pub fn run(&mut self, inst: &Inst) -> Result<Outcome, Fault> {
        execute(&mut self.state, &mut self.memory, inst, 3)
    }
}

/// Every register, and all state but windows and what belongs to the system.
pub const ALL: Registers = Registers {
    core: u16::MAX,
    float: u16::MAX,
    bools: u16::MAX,
    mac: 15,
    vector: u8::MAX,
    states: States(!(States::WINDOW.0 | States::SYSTEM.0)),
};

/// What is in none of the sets.
fn without(set: &Registers) -> Registers {
    Registers {
        core: !set.core,
        float: !set.float,
        bools: !set.bools,
        mac: !set.mac & ALL.mac,
        vector: !set.vector,
        states: States(!set.states.0 & ALL.states.0),
    }
}

/// A word that is often equal to another, or to the instruction's constant.
fn word(rng: &mut Rng, inst: &Inst) -> u32 {
    if rng.below(2) == 0 { [0, 1, u32::MAX, inst.imm2 as u32][rng.below(4) as usize] } else { rng.bits() }
}

/// Random values in the registers and the state of the set.
pub fn randomize(machine: &mut Machine, set: &Registers, inst: &Inst, rng: &mut Rng) {
    let mut random = Machine::new();
    let state = &mut random.state;
    for i in 0..16 {
        state.set_a(i, word(rng, inst) % NOWHERE);
    }
    let number = |rng: &mut Rng| match rng.below(8) {
        0 => 0x7fc0_0000 | rng.bits(),
        1 => 0x7f80_0001 | rng.bits() & 0x803f_ffff,
        _ => rng.bits(),
    };
    state.f.fill_with(|| number(rng));
    state.special[sr::BR] = rng.bits() & 0xffff;
    for number in [sr::LBEG, sr::LCOUNT, sr::SCOMPARE1, sr::ACCLO, sr::M0, sr::M0 + 1, sr::M0 + 2, sr::M0 + 3] {
        state.special[number] = rng.bits();
    }
    // No instruction ends there.
    state.special[sr::LEND] = rng.bits() | 1 << 31;
    state.special[sr::ACCHI] = rng.bits() as i8 as u32;
    state.special[sr::SAR] = rng.below(64);
    state.user.fill_with(|| rng.bits());
    (state.user[1], state.user[2]) = (rng.below(4), rng.bits() & 0xf80);
    let wide = |rng: &mut Rng| (0..4).fold(0, |value: u128, _| value << 32 | u128::from(word(rng, inst)));
    let vector = &mut state.vector;
    vector.q.fill_with(|| wide(rng));
    vector.accx = wide(rng) as u64 >> 24;
    (vector.qacc_l, vector.qacc_h) = ([0; 5].map(|_: i32| rng.bits()), [0; 5].map(|_: i32| rng.bits()));
    (vector.sar_byte, vector.fft_bit_width, vector.ua_state) = (rng.below(16), rng.below(16), wide(rng));
    (vector.gpio_out, vector.gpio_in) = (rng.below(256), rng.below(256));
    copy(machine, &random, set);
}

/// Copies some state.
type Part = fn(&mut State, &State);

/// The state outside the register files.
const PARTS: [(States, Part); 14] = [
    (States::SAR, |to, from| to.special[sr::SAR] = from.special[sr::SAR]),
    (States::LOOP, |to, from| to.special[sr::LBEG..=sr::LCOUNT].copy_from_slice(&from.special[sr::LBEG..=sr::LCOUNT])),
    (States::ACC, |to, from| to.special[sr::ACCLO..=sr::ACCHI].copy_from_slice(&from.special[sr::ACCLO..=sr::ACCHI])),
    (States::SCOMPARE, |to, from| to.special[sr::SCOMPARE1] = from.special[sr::SCOMPARE1]),
    (States::FLOAT_MODE, |to, from| to.user[1] = from.user[1]),
    (States::FLOAT_FLAGS, |to, from| to.user[2] = from.user[2]),
    (States::USER, |to, from| {
        to.user[0] = from.user[0];
        to.user[3..].copy_from_slice(&from.user[3..]);
    }),
    (States::ACCX, |to, from| to.vector.accx = from.vector.accx),
    (States::QACC_L, |to, from| to.vector.qacc_l = from.vector.qacc_l),
    (States::QACC_H, |to, from| to.vector.qacc_h = from.vector.qacc_h),
    (States::SAR_BYTE, |to, from| to.vector.sar_byte = from.vector.sar_byte),
    (States::FFT_BIT_WIDTH, |to, from| to.vector.fft_bit_width = from.vector.fft_bit_width),
    (States::UA_STATE, |to, from| to.vector.ua_state = from.vector.ua_state),
    (States::GPIO, |to, from| {
        (to.vector.gpio_out, to.vector.gpio_in) = (from.vector.gpio_out, from.vector.gpio_in);
    }),
];

/// Copies the members of the set.
fn copy(to: &mut Machine, from: &Machine, set: &Registers) {
    let (to, from) = (&mut to.state, &from.state);
    for i in 0..16 {
        let number = usize::from(i);
        if set.core >> i & 1 != 0 {
            to.set_a(i, from.a(i));
        }
        if set.float >> i & 1 != 0 {
            to.f[number] = from.f[number];
        }
        if i < 8 && set.vector >> i & 1 != 0 {
            to.vector.q[number] = from.vector.q[number];
        }
        if i < 4 && set.mac >> i & 1 != 0 {
            to.special[sr::M0 + number] = from.special[sr::M0 + number];
        }
    }
    let bools = u32::from(set.bools);
    to.special[sr::BR] = to.special[sr::BR] & !bools | from.special[sr::BR] & bools;
    PARTS.into_iter().filter(|part| set.states.meets(part.0)).for_each(|part| part.1(to, from));
}

/// What is wrong with the effects as they are given, seen in one execution; `None` if it is not executed.
pub fn disagreement(inst: &Inst, effects: &Effects, rng: &mut Rng) -> Option<String> {
    let mut before = Machine::new();
    randomize(&mut before, &ALL, inst, rng);
    let mut after = before.clone();
    after.run(inst).ok()?;
    // Nothing but what is written has changed.
    let mut expected = before.clone();
    copy(&mut expected, &after, &effects.writes);
    (expected.state.pc, expected.memory) = (after.state.pc, after.memory.clone());
    if expected != after {
        return Some(format!("{inst}: writes more than it says"));
    }
    if effects.memory.is_none() && after.memory != before.memory {
        return Some(format!("{inst}: stores"));
    }
    // Where nothing but what is not read differs, the same is written.
    let mut other = before;
    randomize(&mut other, &without(&effects.reads), inst, rng);
    let mut expected = other.clone();
    other.run(inst).ok()?;
    copy(&mut expected, &after, &effects.writes);
    (expected.state.pc, expected.memory) = (after.state.pc, after.memory);
    (expected != other).then(|| format!("{inst}: reads more than it says"))
}

/// The marks of an instruction whose lack is not noticed in many executions, by name.
pub fn needless_marks(inst: &Inst, rng: &mut Rng) -> Vec<String> {
    let effects = inst.effects();
    let mut needless = Vec::new();
    for bit in 0..32 {
        let keep = !(1_u32 << bit);
        let mut reads = [effects.reads; 6];
        let mut writes = [effects.writes; 6];
        for set in [&mut reads, &mut writes] {
            set[0].core &= keep as u16;
            set[1].float &= keep as u16;
            set[2].bools &= keep as u16;
            set[3].mac &= keep as u8;
            set[4].vector &= keep as u8;
            set[5].states.0 &= keep;
        }
        let reads = reads.map(|reads| (Effects { reads, ..effects }, "reads"));
        let writes = writes.map(|writes| (Effects { writes, ..effects }, "writes"));
        for (i, (wrong, what)) in reads.into_iter().chain(writes).enumerate() {
            if wrong != effects && !(0..400).any(|_| disagreement(inst, &wrong, rng).is_some()) {
                needless.push(format!(
                    "{}: {what} {}{bit}",
                    inst.op.row().mnemonic,
                    ["a", "f", "b", "m", "q", "state "][i % 6]
                ));
            }
        }
    }
    needless
}

/// A random instruction of the row, if it is no vector and neither reads nor writes window or system state.
fn random_inst(op: Op, rng: &mut Rng) -> Option<Inst> {
    let inst = random::inst(op, rng)?;
    let effects = inst.effects();
    let states = effects.reads.states | effects.writes.states;
    let vector = inst.extension() == Extension::Vector;
    (!vector && !states.meets(States::WINDOW | States::SYSTEM)).then_some(inst)
}

#[test]
fn effects_are_what_is_read_and_written() {
    let mut rng = Rng::new(41);
    let all = Op::ALL.iter().flat_map(|&op| (0..60).map(move |_| op));
    let insts: Vec<Inst> = all.filter_map(|op| random_inst(op, &mut rng)).collect();
    let wrong: Vec<String> = insts.iter().filter_map(|inst| disagreement(inst, &inst.effects(), &mut rng)).collect();
    super::expect_none(&wrong);
}

/// Without one of its members, the effects of an instruction are wrong in some execution.
#[test]
fn planted_effects_are_found() {
    let mut rng = Rng::new(42);
    let mut needless = Vec::new();
    for &op in Op::ALL {
        let found = (0..1000).find_map(|_| random_inst(op, &mut rng).filter(|inst| is_telling(inst, &mut rng)));
        needless.extend(found.into_iter().flat_map(|inst| needless_marks(&inst, &mut rng)));
    }
    // It stores only if memory holds what it compares with.
    let stores = ["s32c1i: reads state 3", "s32c1i: reads a"];
    needless.retain(|mark| !stores.iter().any(|stores| mark.starts_with(stores)));
    super::expect_none(&needless);
}

/// Whether all its registers are different, it goes elsewhere if it branches, and it can be executed.
fn is_telling(inst: &Inst, rng: &mut Rng) -> bool {
    let fields: Vec<_> = inst.fields().map(|(field, class, _)| (class, inst.reg(field))).collect();
    let different = (0..fields.len()).all(|i| !fields[..i].contains(&fields[i]));
    let mut runs = || {
        let mut machine = Machine::new();
        randomize(&mut machine, &ALL, inst, rng);
        machine.run(inst).is_ok()
    };
    different && inst.imm != -1 && (0..50).any(|_| runs())
}
