//! Of every row: it does something, it fails without a trace, and it reads and writes what its effects say.

use super::super::executed::{ALL, Machine, disagreement, needless_marks, randomize};
use isa::xtensa::random::{self, Rng};
use isa::xtensa::{Core, Extension, Fault, Inst, Op, sr};

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
    let mut modelled = insts(&mut rng, 20);
    // One of each row; an offset of 0 would change no base.
    modelled.sort_by_key(|inst| (inst.op, inst.imm == 0));
    modelled.dedup_by_key(|inst| inst.op);
    let modelled = modelled.into_iter().filter(|inst| !NOT_MODELLED.contains(&inst.op));
    // Of registers that are all different.
    let different = modelled.map(|random| super::inst(random.op, random.imm, random.imm2));
    let missed: Vec<String> = different.flat_map(|inst| needless_marks(&inst, &mut rng)).collect();
    super::super::expect_none(&missed);
}

#[test]
fn every_row_is_executed_but_those_of_ffts() {
    let mut rng = Rng::new(33);
    for inst in insts(&mut rng, 20) {
        let mut machine = Machine::new();
        randomize(&mut machine, &ALL, &inst, &mut rng);
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
        randomize(&mut machine, &ALL, &inst, &mut rng);
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
