//! Branches, loops, calls, windows.

use super::{PC, check, imm, run, set, state, three};
use isa::xtensa::{Fault, Inst, Op, Outcome, Reg};

#[test]
fn loops_go_back_until_the_count_is_used_up() {
    let end = PC + 4 + 20;
    let loops = |lcount: u32| format!("lbeg={} lend={end} lcount={lcount}", PC + 3);
    for (op, count, target) in [
        (Op::Loop, 5u32, PC + 3),
        (Op::Loop, 0, PC + 3),
        (Op::Loopnez, 1, PC + 3),
        (Op::Loopnez, 0, end),
        (Op::Loopnez, 0x8000_0000, PC + 3),
        (Op::Loopgtz, 1, PC + 3),
        (Op::Loopgtz, 0, end),
        (Op::Loopgtz, 0x8000_0000, end),
    ] {
        let changes = format!("{} pc={target}", loops(count.wrapping_sub(1)));
        check(imm(op, 20), &format!("a2={count}"), &changes);
    }
    let last = format!("lbeg=0x40001000 lend={} ", PC + 3);
    let nop = Inst::new(Op::Nop);
    check(nop, &format!("{last} lcount=2"), "lcount=1 pc=0x40001000");
    check(nop, &format!("{last} lcount=0"), "");
    check(nop, &format!("{last} lcount=2 ps=0x40010"), "");
    check(imm(Op::Beqz, 0x40), &format!("{last} lcount=2 a2=0"), &format!("pc={}", PC + 0x44));
    check(imm(Op::Beqz, 0x40), &format!("{last} lcount=2 a2=1"), "lcount=1 pc=0x40001000");
    assert_eq!(run(nop, &format!("{last} lcount=2")).2, Ok(Outcome::LoopedBack));
    assert_eq!(run(imm(Op::J, -1), &format!("{last} lcount=2")).2, Ok(Outcome::Jumped));
}

#[test]
fn windows_rotate() {
    let next = PC + 3;
    let returns = |fours: u32| fours << 30 | next & 0x3fff_ffff;
    let target = (PC & !3) + 4 + 0x100;
    for (op, fours) in [(Op::Call4, 1), (Op::Call8, 2), (Op::Call12, 3)] {
        let changes = format!("a{}={} ps={} pc={target}", 4 * fours, returns(fours), 0x40000 | fours << 16);
        check(imm(op, 0x100), "ps=0x60000", &changes);
    }
    check(three(Op::Callx8), "a2=0x40009000", &format!("a10=0 a8={} ps=0x60000 pc=0x40009000", returns(2)));
    check(imm(Op::Call0, 0x100), "", &format!("a0={next} pc={target}"));
    check(Inst { s: Reg(0), ..three(Op::Callx0) }, "a0=0x40009000", &format!("a0={next} pc=0x40009000"));

    let entry = Inst { s: Reg(1), ..imm(Op::Entry, 48) };
    check(entry, "a1=0x1000 ps=0x60000", "windowbase=2 windowstart=5 a1=0xfd0");
    check(entry, "windowbase=15 windowstart=0x8000 a1=0x1000 ps=0x70000", "windowbase=2 windowstart=0x8004 a1=0xfd0");

    let retw = Inst::new(Op::Retw);
    let back = format!("a0={} windowbase=0 windowstart=1 pc={}", returns(2), 0x4000_0000 | next);
    check(retw, &format!("windowbase=2 windowstart=5 a0={}", returns(2)), &back.replace("a0=", "ar8="));
    check(imm(Op::Rotw, -8), "windowbase=2", "windowbase=10");
    check(three(Op::Movsp), "windowbase=1 windowstart=3 a2=9", "a3=9");
}

/// A return with each distance to the caller's frame, and what is wrong with it.
#[test]
fn returns_need_the_frame_that_called() {
    let retw = Inst::new(Op::Retw);
    let at = |start: u32, ps: u32, fours: u32| {
        format!("windowbase=8 windowstart={start} ps={ps} a0={}", fours << 30 | 0x100)
    };
    const ENABLED: u32 = 0x40000;
    for (start, ps, fours, expected) in [
        (0x180, ENABLED, 1, Ok(Outcome::Jumped)),
        (0x140, ENABLED, 2, Ok(Outcome::Jumped)),
        (0x120, ENABLED, 3, Ok(Outcome::Jumped)),
        (0x100, ENABLED, 1, Err(Fault::WindowUnderflow(4))),
        (0x100, ENABLED, 2, Err(Fault::WindowUnderflow(8))),
        (0x110, ENABLED, 3, Err(Fault::WindowUnderflow(12))),
        (0x180, ENABLED, 2, Err(Fault::Illegal)),
        (0x140, ENABLED, 3, Err(Fault::Illegal)),
        (0x160, ENABLED, 3, Err(Fault::Illegal)),
        (0x140, ENABLED, 1, Err(Fault::Illegal)),
        (0x180, ENABLED, 0, Err(Fault::Illegal)),
        (0x180, 0, 1, Err(Fault::Illegal)),
        (0x180, ENABLED | 16, 1, Err(Fault::Illegal)),
    ] {
        let before = at(start, ps, fours);
        let (after, _, result) = run(retw, &before);
        assert_eq!(result, expected, "{before}");
        assert!(result.is_ok() || after == state(&before), "{before}: the state changed");
    }
    let entry = Inst { s: Reg(1), ..imm(Op::Entry, 32) };
    assert_eq!(run(entry, "ps=0x10000").2, Err(Fault::Illegal));
    assert_eq!(run(entry, "ps=0x50010").2, Err(Fault::Illegal));
    assert_eq!(run(three(Op::Movsp), "windowbase=8 windowstart=0x110").2, Err(Fault::Alloca));
}

/// Which registers a frame above forbids, and how much of it there is to save.
#[test]
fn registers_of_other_frames_overflow() {
    let add = |r| Inst { r: Reg(r), ..three(Op::Add) };
    let overflow = |size| Err(Fault::WindowOverflow(size));
    let next = Ok(Outcome::Next);
    for (inst, before, expected) in [
        (add(3), "windowbase=2 windowstart=0x0c", next),
        (add(4), "windowbase=2 windowstart=0x0c", overflow(12)),
        (add(4), "windowbase=2 windowstart=0x1c", overflow(4)),
        (add(15), "windowbase=2 windowstart=0x2c", overflow(8)),
        (add(7), "windowbase=2 windowstart=0x14", next),
        (add(8), "windowbase=2 windowstart=0x54", overflow(8)),
        (add(11), "windowbase=2 windowstart=0x24", next),
        (add(12), "windowbase=2 windowstart=0x24", overflow(12)),
        (add(15), "windowbase=2 windowstart=0x44", next),
        (add(4), "windowbase=15 windowstart=0x8003", overflow(4)),
        (add(4), "windowbase=2 windowstart=0x0c ps=0", next),
        (add(4), "windowbase=2 windowstart=0x0c ps=0x40010", next),
        (imm(Op::Call4, 0), "windowbase=2 windowstart=0x0c", overflow(12)),
        (imm(Op::Call4, 0), "windowbase=2 windowstart=0x14", Ok(Outcome::Jumped)),
        (imm(Op::Call8, 0), "windowbase=2 windowstart=0x14", overflow(12)),
        (imm(Op::Call12, 0), "windowbase=2 windowstart=0x24", overflow(12)),
        (Inst { s: Reg(1), ..imm(Op::Entry, 32) }, "windowbase=2 windowstart=0x14 ps=0x60000", overflow(12)),
        (Inst { s: Reg(1), ..imm(Op::Entry, 32) }, "windowbase=2 windowstart=0x14 ps=0x50000", next),
        (Inst { s: Reg(1), ..imm(Op::MoviN, 5) }, "windowbase=2 windowstart=0x0c", next),
        (Inst { s: Reg(4), ..imm(Op::MoviN, 5) }, "windowbase=2 windowstart=0x0c", overflow(12)),
    ] {
        let (after, _, result) = run(inst, before);
        assert_eq!(result, expected, "{inst:?} on {before}");
        assert!(result.is_ok() || after == state(before), "{inst:?} on {before}: the state changed");
    }
}

#[test]
fn window_handlers_are_entered_at_the_frame() {
    for (fault, before, changes) in [
        (Fault::WindowOverflow(4), "windowbase=2 windowstart=0x1c", "windowbase=3 pc=0x40000000"),
        (Fault::WindowOverflow(8), "windowbase=2 windowstart=0x54", "windowbase=4 pc=0x40000080"),
        (Fault::WindowOverflow(12), "windowbase=15 windowstart=0x8024", "windowbase=2 pc=0x40000100"),
        (Fault::WindowUnderflow(4), "windowbase=0 windowstart=1", "windowbase=15 pc=0x40000040"),
        (Fault::WindowUnderflow(8), "windowbase=8 windowstart=0x100", "windowbase=6 pc=0x400000c0"),
        (Fault::WindowUnderflow(12), "windowbase=8 windowstart=0x100", "windowbase=5 pc=0x40000140"),
    ] {
        let mut found = state(&format!("vecbase=0x40000000 ps=0x40f00 {before}"));
        let owb = found.special[72] << 8;
        let mut expected = found.clone();
        set(&mut expected, &format!("{changes} epc1={PC} ps={}", 0x40010 | owb));
        assert!(found.enter_window_handler(fault));
        assert_eq!(found, expected, "{fault:?} on {before}");
    }
    let mut found = state("");
    assert!(!found.enter_window_handler(Fault::Illegal) && found == state(""));
}

/// Taken and not taken at each edge. The target is 0x40 behind PC + 4.
#[test]
fn branches() {
    let constant = |op, imm2| Inst { imm2, ..imm(op, 0x40) };
    for (inst, taken, not_taken) in [
        (constant(Op::Beqz, 0), "a2=0", "a2=1"),
        (constant(Op::BnezN, 0), "a2=0x80000000", "a2=0"),
        (constant(Op::Bltz, 0), "a2=-1", "a2=0"),
        (constant(Op::Bgez, 0), "a2=0x7fffffff", "a2=0x80000000"),
        (constant(Op::Beqi, -1), "a2=-1", "a2=1"),
        (constant(Op::Bnei, 256), "a2=0", "a2=256"),
        (constant(Op::Blti, -1), "a2=-2", "a2=-1"),
        (constant(Op::Bgei, -1), "a2=-1", "a2=-2"),
        (constant(Op::Bltui, 65536), "a2=65535", "a2=-1"),
        (constant(Op::Bgeui, 32768), "a2=-1", "a2=32767"),
        (constant(Op::Beq, 0), "a2=5 a3=5", "a2=5 a3=6"),
        (constant(Op::Bne, 0), "a2=5 a3=6", "a2=5 a3=5"),
        (constant(Op::Blt, 0), "a2=-1 a3=0", "a2=0 a3=-1"),
        (constant(Op::Bge, 0), "a2=0 a3=-1", "a2=-1 a3=0"),
        (constant(Op::Bltu, 0), "a2=0 a3=-1", "a2=-1 a3=0"),
        (constant(Op::Bgeu, 0), "a2=-1 a3=-1", "a2=0 a3=-1"),
        (constant(Op::Bany, 0), "a2=6 a3=3", "a2=6 a3=9"),
        (constant(Op::Bnone, 0), "a2=6 a3=9", "a2=6 a3=3"),
        (constant(Op::Ball, 0), "a2=7 a3=6", "a2=6 a3=7"),
        (constant(Op::Bnall, 0), "a2=6 a3=7", "a2=7 a3=6"),
        (constant(Op::Bbc, 0), "a2=0xfffffffd a3=33", "a2=2 a3=33"),
        (constant(Op::Bbs, 0), "a2=0x80000000 a3=-1", "a2=1 a3=-1"),
        (constant(Op::Bbci, 31), "a2=0x7fffffff", "a2=0x80000000"),
        (constant(Op::Bbsi, 0), "a2=1", "a2=-2"),
        (constant(Op::Bt, 0), "br=4", "br=0xfffb"),
        (constant(Op::Bf, 0), "br=0xfffb", "br=4"),
    ] {
        check(inst, taken, &format!("pc={}", PC + 0x44));
        check(inst, not_taken, "");
    }
    check(imm(Op::J, -8), "", &format!("pc={}", PC - 4));
    check(three(Op::Jx), "a2=0x40000001", "pc=0x40000001");
    check(imm(Op::Ret, 0), "a0=0x40000002", "pc=0x40000002");
}
