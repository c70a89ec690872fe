//! Special and user registers, exceptions, levels; and that every row has semantics.

use super::{Memory, check, imm, run, state};
use isa::xtensa::random::{self, Rng};
use isa::xtensa::{Fault, Inst, Op, Outcome};

#[test]
fn special_registers_hold_what_exists_of_them() {
    for (op, number, before, changes) in [
        (Op::Wsr, 3, "a3=0xffffffff", "sar=63"),
        (Op::Wsr, 4, "a3=0xffff1234", "br=0x1234"),
        (Op::Wsr, 17, "a3=0x12345680", "acchi=-128"),
        (Op::Wsr, 2, "a3=-1", "lcount=-1"),
        (Op::Wsr, 72, "ar3=0xfffffff7", "windowbase=7"),
        (Op::Wsr, 73, "a3=-1", "windowstart=0xffff"),
        (Op::Wsr, 230, "a3=-1", "ps=0x70f3f"),
        (Op::Wsr, 226, "a3=-1 interrupt=1", "interrupt=0x20000081"),
        (Op::Wsr, 227, "a3=-1 interrupt=-1", "interrupt=0x8fbffb7f"),
        (Op::Wsr, 241, "a3=9 interrupt=-1", "ccompare1=9 interrupt=0xffff7fff"),
        (Op::Rsr, 33, "m1=5", "a3=5"),
        (Op::Xsr, 16, "acclo=5 a3=6", "acclo=6 a3=5"),
        // The old value goes to the register of the window before.
        (Op::Xsr, 72, "windowbase=1 ar7=3", "ar7=1 windowbase=3"),
        (Op::Wur, 231, "a3=-1", "threadptr=-1"),
        (Op::Wur, 232, "a3=-1 cpenable=1", "fcr=0x7f"),
        (Op::Wur, 233, "a3=-1 cpenable=1", "fsr=0xf80"),
        (Op::Rur, 231, "threadptr=5", "a4=5"),
        (Op::Rur, 236, "f64s=5", "a4=5"),
        (Op::Rsil, 3, "ps=0x40125", "a3=0x40125 ps=0x40123"),
    ] {
        check(imm(op, number), before, changes);
    }
}

#[test]
fn returns_from_handlers() {
    for (op, number, before, changes) in [
        (Op::Rfe, 0, "ps=0x40030 epc1=0x40001000", "ps=0x40020 pc=0x40001000"),
        (Op::Rfde, 0, "ps=0x40030 depc=0x40001000", "pc=0x40001000"),
        (Op::Rfi, 2, "ps=0x40032 epc2=0x40001000 eps2=0x60001", "ps=0x60001 pc=0x40001000"),
        (Op::Rfi, 7, "ps=0x40032 epc7=0x40001000 eps7=0x60001", "ps=0x60001 pc=0x40001000"),
        (
            Op::Rfwo,
            0,
            "windowbase=3 windowstart=0x29 ps=0x40510 epc1=0x40001000",
            "windowbase=5 windowstart=0x21 ps=0x40500 pc=0x40001000",
        ),
        (
            Op::Rfwu,
            0,
            "windowbase=3 windowstart=0x20 ps=0x40510 epc1=0x40001000",
            "windowbase=5 windowstart=0x28 ps=0x40500 pc=0x40001000",
        ),
    ] {
        check(imm(op, number), before, changes);
    }
}

#[test]
fn outcomes_and_faults_without_a_change() {
    for (inst, before, expected) in [
        (imm(Op::Ill, 0), "", Err(Fault::Illegal)),
        (imm(Op::IllN, 0), "", Err(Fault::Illegal)),
        (imm(Op::Rfi, 1), "", Err(Fault::Illegal)),
        (imm(Op::Rfi, 8), "", Err(Fault::Illegal)),
        (imm(Op::Rur, 100), "", Err(Fault::Illegal)),
        (imm(Op::Syscall, 0), "", Err(Fault::Syscall)),
        (Inst { imm2: 15, ..imm(Op::Break, 1) }, "", Err(Fault::Break(1, 15))),
        (imm(Op::BreakN, 7), "", Err(Fault::Break(7, 0))),
        (imm(Op::Rur, 232), "", Err(Fault::CoprocessorDisabled(0))),
        (imm(Op::Wur, 233), "", Err(Fault::CoprocessorDisabled(0))),
        (imm(Op::Wfr, 0), "cpenable=0xfe", Err(Fault::CoprocessorDisabled(0))),
        (imm(Op::Recip0S, 0), "cpenable=1", Err(Fault::NotModelled)),
        (imm(Op::ConstS, 4), "cpenable=1", Err(Fault::NotModelled)),
        (imm(Op::Witlb, 0), "", Err(Fault::NotModelled)),
    ] {
        assert_eq!(run(inst, before), (state(before), Memory::new(), expected), "{inst:?} on {before}");
    }
    assert_eq!(run(imm(Op::Simcall, 0), "").2, Ok(Outcome::Simcall));
    check(imm(Op::Simcall, 0), "", "");
    assert_eq!(run(imm(Op::Waiti, 3), "").2, Ok(Outcome::Wait(3)));
    check(imm(Op::Waiti, 3), "", "ps=0x40003");
    // The last of a loop asks too, and the loop goes on.
    check(imm(Op::Simcall, 0), "lbeg=8 lend=0x40008004 lcount=1", "lcount=0 pc=8");
}

/// An instruction of every row that is modelled does something other than to be illegal.
#[test]
fn every_row_has_semantics() {
    let mut rng = Rng::new(3);
    for &op in Op::ALL {
        let inst = random::inst(op, &mut rng).unwrap();
        let result = run(inst, "cpenable=255 windowbase=4 windowstart=0x18 a0=0x40000000 a2=0x110 a3=4").2;
        let illegal = result == Err(Fault::Illegal);
        let may_be = matches!(op, Op::Ill | Op::IllN | Op::Rfi);
        assert!(!illegal || may_be, "{inst}");
    }
}
