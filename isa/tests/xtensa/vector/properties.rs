//! Of every row: it does something, it fails without a trace, and it reads and writes what its effects say.

use super::Machine;
use isa::xtensa::random::{self, Rng};
use isa::xtensa::{Core, Effects, Extension, Fault, Inst, Op, Registers, States, sr};

/// Rows that are not executed: what they compute is not published to the last bit.
const NOT_MODELLED: [Op; 10] = [
    Op::EeFftR2bfS16,
    Op::EeFftR2bfS16StIncp,
    Op::EeFftAmsS16StIncp,
    Op::EeFftAmsS16LdIncp,
    Op::EeFftAmsS16LdIncpUaup,
    Op::EeFftAmsS16LdR32Decp,
    Op::EeFftCmulS16StXp,
    Op::EeFftCmulS16LdXp,
    Op::EeFftVstR32Decp,
    Op::EeBitrev,
];

/// Random instructions of all rows of the extension, and RUR and WUR of its registers.
fn insts(rng: &mut Rng, count: usize) -> Vec<Inst> {
    let rows = Op::ALL.iter().copied().filter(|op| op.row().extension == Extension::Vector);
    let rows: Vec<Op> = rows.chain([Op::Rur, Op::Wur]).collect();
    let all = rows.iter().flat_map(|&op| (0..count).map(move |_| op)).filter_map(|op| random::inst(op, rng));
    all.filter(|inst| inst.extension() == Extension::Vector).collect()
}

/// Words of which half are so few that two of them are often equal.
fn wide(rng: &mut Rng) -> u128 {
    let word = |rng: &mut Rng| if rng.below(2) == 0 { [0, 1, u32::MAX][rng.below(3) as usize] } else { rng.bits() };
    (0..4).fold(0, |value, _| value << 32 | u128::from(word(rng)))
}

/// Random values in the registers and the state of the set.
fn randomize(machine: &mut Machine, set: &Registers, rng: &mut Rng) {
    let state = &mut machine.state;
    for i in 0..16 {
        if set.core >> i & 1 != 0 {
            state.set_a(i, rng.bits() % super::NOWHERE);
        }
        if set.float >> i & 1 != 0 {
            state.f[usize::from(i)] = rng.bits();
        }
    }
    for i in (0..8).filter(|i| set.vector >> i & 1 != 0) {
        state.vector.q[i] = wide(rng);
    }
    let has = |states| set.states.meets(states);
    let vector = &mut state.vector;
    if has(States::SAR) {
        state.special[sr::SAR] = rng.below(64);
    }
    if has(States::ACCX) {
        vector.accx = wide(rng) as u64 >> 24;
    }
    for (words, states) in [(&mut vector.qacc_l, States::QACC_L), (&mut vector.qacc_h, States::QACC_H)] {
        if has(states) {
            *words = [0; 5].map(|_: i32| rng.bits());
        }
    }
    if has(States::SAR_BYTE) {
        vector.sar_byte = rng.below(16);
    }
    if has(States::FFT_BIT_WIDTH) {
        vector.fft_bit_width = rng.below(16);
    }
    if has(States::UA_STATE) {
        vector.ua_state = wide(rng);
    }
    if has(States::GPIO) {
        (vector.gpio_out, vector.gpio_in) = (rng.below(256), rng.below(256));
    }
}

const ALL: Registers =
    Registers { core: u16::MAX, float: u16::MAX, bools: 0, mac: 0, vector: u8::MAX, states: States(u32::MAX) };

/// What is in none of the sets.
fn without(set: &Registers) -> Registers {
    Registers {
        core: !set.core,
        float: !set.float,
        vector: !set.vector,
        states: States(!set.states.0),
        ..Registers::default()
    }
}

/// Copies the members of the set.
fn copy(to: &mut Machine, from: &Machine, set: &Registers) {
    for i in 0..16 {
        if set.core >> i & 1 != 0 {
            to.state.set_a(i, from.state.a(i));
        }
        if set.float >> i & 1 != 0 {
            to.state.f[usize::from(i)] = from.state.f[usize::from(i)];
        }
    }
    for i in (0..8).filter(|i| set.vector >> i & 1 != 0) {
        to.state.vector.q[i] = from.state.vector.q[i];
    }
    let has = |states| set.states.meets(states);
    let (to, from) = (&mut to.state, &from.state);
    let parts = [
        (States::ACCX, (|to, from| to.accx = from.accx) as fn(&mut isa::xtensa::Vector, &isa::xtensa::Vector)),
        (States::QACC_L, |to, from| to.qacc_l = from.qacc_l),
        (States::QACC_H, |to, from| to.qacc_h = from.qacc_h),
        (States::SAR_BYTE, |to, from| to.sar_byte = from.sar_byte),
        (States::FFT_BIT_WIDTH, |to, from| to.fft_bit_width = from.fft_bit_width),
        (States::UA_STATE, |to, from| to.ua_state = from.ua_state),
        (States::GPIO, |to, from| (to.gpio_out, to.gpio_in) = (from.gpio_out, from.gpio_in)),
    ];
    parts.into_iter().filter(|part| has(part.0)).for_each(|part| part.1(&mut to.vector, &from.vector));
    if has(States::SAR) {
        to.special[sr::SAR] = from.special[sr::SAR];
    }
}

/// What is wrong with the effects as they are given, seen in one execution; `None` if it is not executed.
fn disagreement(inst: &Inst, effects: &Effects, rng: &mut Rng) -> Option<String> {
    let mut before = Machine::new();
    randomize(&mut before, &ALL, rng);
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
    randomize(&mut other, &without(&effects.reads), rng);
    let mut expected = other.clone();
    other.run(inst).ok()?;
    copy(&mut expected, &after, &effects.writes);
    (expected.state.pc, expected.memory) = (after.state.pc, after.memory);
    (expected != other).then(|| format!("{inst}: reads more than it says"))
}

#[test]
fn effects_are_what_is_read_and_written() {
    let mut rng = Rng::new(31);
    let insts = insts(&mut rng, 40);
    let wrong: Vec<String> = insts.iter().filter_map(|inst| disagreement(inst, &inst.effects(), &mut rng)).collect();
    super::super::expect_none(&wrong);
}

/// Each mark of each row is needed: without one of its members, the effects are wrong in some execution.
#[test]
fn planted_effects_are_found() {
    let mut rng = Rng::new(32);
    let mut missed = Vec::new();
    for random in insts(&mut rng, 1).into_iter().filter(|inst| !NOT_MODELLED.contains(&inst.op)) {
        // Of registers that are all different.
        let inst = super::inst(random.op, random.imm, random.imm2);
        let effects = inst.effects();
        let mut try_without = |what: &str, wrong: Effects| {
            let found = wrong == effects || (0..200).any(|_| disagreement(&inst, &wrong, &mut rng).is_some());
            missed.extend((!found).then(|| format!("{inst}: {what}")));
        };
        for bit in 0..32 {
            let mut wrong = [effects; 5];
            wrong[0].writes.vector &= !(1_u32 << bit) as u8;
            wrong[1].reads.vector &= !(1_u32 << bit) as u8;
            wrong[2].reads.states.0 &= !(1 << bit);
            wrong[3].writes.states.0 &= !(1 << bit);
            wrong[4].reads.core &= !(1_u32 << bit) as u16;
            let kinds = ["writes q", "reads q", "reads state ", "writes state ", "reads a"];
            for (wrong, kind) in wrong.into_iter().zip(kinds) {
                try_without(&format!("{kind}{bit}"), wrong);
            }
        }
    }
    super::super::expect_none(&missed);
}

#[test]
fn every_row_is_executed_but_those_of_ffts() {
    let mut rng = Rng::new(33);
    for inst in insts(&mut rng, 20) {
        let mut machine = Machine::new();
        randomize(&mut machine, &ALL, &mut rng);
        let modelled = machine.run(&inst) != Err(Fault::NotModelled);
        assert_eq!(modelled, !NOT_MODELLED.contains(&inst.op), "{inst}");
    }
}

/// Without the coprocessor, and where there is no memory, nothing changes.
#[test]
fn faults_leave_everything() {
    let mut rng = Rng::new(34);
    for inst in insts(&mut rng, 20) {
        let mut machine = Machine::new();
        randomize(&mut machine, &ALL, &mut rng);
        machine.state.special[sr::CPENABLE] = 0xf7;
        let before = machine.clone();
        assert_eq!(machine.run(&inst), Err(Fault::CoprocessorDisabled(3)), "{inst}");
        assert_eq!(machine, before, "{inst}");
        if inst.op.row().access.is_none() || NOT_MODELLED.contains(&inst.op) {
            continue;
        }
        machine.state.special[sr::CPENABLE] = 0xff;
        machine.state.set_a(inst.s.0, 0xff10_0000);
        let before = machine.clone();
        assert!(matches!(machine.run(&inst), Err(Fault::Bus { .. })), "{inst}");
        assert_eq!(machine, before, "{inst}");
    }
}

#[test]
fn only_one_core_has_them() {
    let mut rng = Rng::new(35);
    assert!(insts(&mut rng, 1).iter().all(|inst| Core::Lx7.has(inst.extension()) && !Core::Lx6.has(inst.extension())));
    let double: Inst = Inst { imm: 234, ..Inst::new(Op::Rur) };
    assert!(Core::Lx6.has(double.extension()) && !Core::Lx7.has(double.extension()));
    let thread: Inst = Inst { imm: 231, ..Inst::new(Op::Rur) };
    assert!(Core::Lx6.has(thread.extension()) && Core::Lx7.has(thread.extension()));
}
