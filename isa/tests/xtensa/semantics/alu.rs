//! Arithmetic, moves, shifts, bits, booleans.

use super::{check, imm, three};
use isa::xtensa::{Inst, Op};

#[test]
fn arithmetic_wraps_round() {
    for (op, before, changes) in [
        (Op::Add, "a2=0xffffffff a3=2", "a4=1"),
        (Op::AddN, "a2=0x7fffffff a3=1", "a4=0x80000000"),
        (Op::Addx2, "a2=0x80000001 a3=5", "a4=7"),
        (Op::Addx4, "a2=0x40000001 a3=5", "a4=9"),
        (Op::Addx8, "a2=0x20000001 a3=5", "a4=13"),
        (Op::Sub, "a2=0 a3=1", "a4=-1"),
        (Op::Subx2, "a2=3 a3=7", "a4=-1"),
        (Op::Subx4, "a2=3 a3=7", "a4=5"),
        (Op::Subx8, "a2=3 a3=7", "a4=17"),
        (Op::Neg, "a3=0x80000000", "a4=0x80000000"),
        (Op::Neg, "a3=1", "a4=-1"),
        (Op::Abs, "a3=0x80000000", "a4=0x80000000"),
        (Op::Abs, "a3=-5", "a4=5"),
        (Op::And, "a2=0xff00ff00 a3=0x0ff00ff0", "a4=0x0f000f00"),
        (Op::Or, "a2=0xff00ff00 a3=0x0ff00ff0", "a4=0xfff0fff0"),
        (Op::Xor, "a2=0xff00ff00 a3=0x0ff00ff0", "a4=0xf0f0f0f0"),
    ] {
        check(three(op), before, changes);
    }
    for (op, number, before, changes) in [
        (Op::Addi, -128, "a2=1", "a3=-127"),
        (Op::Addmi, -32768, "a2=1", "a3=-32767"),
        (Op::AddiN, -1, "a2=0", "a4=-1"),
        (Op::Movi, -2048, "", "a3=-2048"),
        (Op::MoviN, 95, "", "a2=95"),
        (Op::MovN, 0, "a2=7", "a3=7"),
    ] {
        check(imm(op, number), before, changes);
    }
}

#[test]
fn conditional_moves_look_at_the_second_operand() {
    for (op, moving, staying) in
        [(Op::Moveqz, "0", "-1"), (Op::Movnez, "-1", "0"), (Op::Movltz, "-1", "0"), (Op::Movgez, "0", "0x80000000")]
    {
        check(three(op), &format!("a2=7 a3={moving} a4=9"), "a4=7");
        check(three(op), &format!("a2=7 a3={staying} a4=9"), "");
    }
    for (op, moving) in [(Op::Movt, 8), (Op::Movf, 0xfff7)] {
        check(three(op), &format!("a2=7 a4=9 br={moving}"), "a4=7");
        check(three(op), &format!("a2=7 a4=9 br={}", 0xffff - moving), "");
    }
}

#[test]
fn shifts_go_through_sar() {
    for (op, before, changes) in [
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=0", "a4=0x9abcdef0"),
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=4", "a4=0x89abcdef"),
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=32", "a4=0x12345678"),
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=63", "a4=0"),
        (Op::Sll, "a2=0x12345678 sar=28", "a4=0x23456780"),
        (Op::Sll, "a2=0x12345678 sar=32", "a4=0x12345678"),
        (Op::Sll, "a2=0x12345678 sar=0", "a4=0"),
        (Op::Sll, "a2=0x12345678 sar=1", "a4=0"),
        (Op::Sll, "a2=0x12345679 sar=1", "a4=0x80000000"),
        (Op::Srl, "a3=0x92345678 sar=4", "a4=0x09234567"),
        (Op::Srl, "a3=0x92345678 sar=32", "a4=0"),
        (Op::Sra, "a3=0x92345678 sar=4", "a4=0xf9234567"),
        (Op::Sra, "a3=0x92345678 sar=32", "a4=-1"),
        (Op::Sra, "a3=0x92345678 sar=63", "a4=-1"),
        (Op::Ssr, "a2=0xffffffe5 sar=9", "sar=5"),
        (Op::Ssl, "a2=0xffffffe0 sar=9", "sar=32"),
        (Op::Ssl, "a2=31", "sar=1"),
        (Op::Ssa8l, "a2=0xfffffff7", "sar=24"),
        (Op::Ssa8b, "a2=0xfffffff4", "sar=32"),
        (Op::Ssa8b, "a2=3", "sar=8"),
    ] {
        check(three(op), before, changes);
    }
    for (op, number, before, changes) in [
        (Op::Slli, 31, "a2=3", "a4=0x80000000"),
        (Op::Srai, 31, "a3=0x80000000", "a4=-1"),
        (Op::Srli, 15, "a3=0x80000000", "a4=0x10000"),
        (Op::Ssai, 31, "sar=3", "sar=31"),
    ] {
        check(imm(op, number), before, changes);
    }
    for (at, width, changes) in [(0, 16, "a4=0x5678"), (28, 4, "a4=9"), (31, 1, "a4=1"), (16, 16, "a4=0x9234")] {
        check(Inst { imm2: width, ..imm(Op::Extui, at) }, "a3=0x92345678", changes);
    }
}

#[test]
fn minimum_maximum_and_signs() {
    for (op, before, changes) in [
        (Op::Min, "a2=0x80000000 a3=0x7fffffff", "a4=0x80000000"),
        (Op::Max, "a2=0x80000000 a3=0x7fffffff", "a4=0x7fffffff"),
        (Op::Minu, "a2=0x80000000 a3=0x7fffffff", "a4=0x7fffffff"),
        (Op::Maxu, "a2=0x80000000 a3=0x7fffffff", "a4=0x80000000"),
        (Op::Nsa, "a2=0 a3=9", "a3=31"),
        (Op::Nsa, "a2=-1 a3=9", "a3=31"),
        (Op::Nsa, "a2=0x80000000 a3=9", "a3=0"),
        (Op::Nsa, "a2=0x40000000 a3=9", "a3=0"),
        (Op::Nsa, "a2=0x00ffffff", "a3=7"),
        (Op::Nsau, "a2=0", "a3=32"),
        (Op::Nsau, "a2=0x80000000 a3=9", "a3=0"),
        (Op::Nsau, "a2=0x00ffffff", "a3=8"),
    ] {
        check(three(op), before, changes);
    }
    for (op, number, before, changes) in [
        (Op::Sext, 7, "a2=0x12345680", "a4=0xffffff80"),
        (Op::Sext, 7, "a2=0x1234567f", "a4=0x7f"),
        (Op::Sext, 22, "a2=0x00400000", "a4=0xffc00000"),
        (Op::Clamps, 7, "a2=128", "a4=127"),
        (Op::Clamps, 7, "a2=-129", "a4=-128"),
        (Op::Clamps, 22, "a2=0x7fffffff", "a4=0x3fffff"),
        (Op::Clamps, 22, "a2=0x80000000", "a4=0xffc00000"),
        (Op::Clamps, 15, "a2=-5", "a4=-5"),
    ] {
        check(imm(op, number), before, changes);
    }
}

/// b4 of b2 and b3, for each of their four values.
#[test]
fn booleans() {
    for (op, values) in [
        (Op::Andb, [0, 0, 0, 1]),
        (Op::Andbc, [0, 1, 0, 0]),
        (Op::Orb, [0, 1, 1, 1]),
        (Op::Orbc, [1, 1, 0, 1]),
        (Op::Xorb, [0, 1, 1, 0]),
    ] {
        for (inputs, value) in values.into_iter().enumerate() {
            let others = 0x8013 & !16 | inputs << 2;
            check(three(op), &format!("br={}", others | 16), &format!("br={}", others | value << 4));
        }
    }
    let group = |op, first| Inst { s: isa::xtensa::Reg(first), ..three(op) };
    for (op, first, before, value) in [
        (Op::Any4, 4, 0xff0f, 0),
        (Op::Any4, 4, 0x0080, 1),
        (Op::All4, 12, 0xf000, 1),
        (Op::All4, 12, 0x7fff, 0),
        (Op::Any8, 8, 0x00ff, 0),
        (Op::Any8, 8, 0x8000, 1),
        (Op::All8, 0, 0x00ff, 1),
        (Op::All8, 0, 0xfffe, 0),
    ] {
        check(group(op, first), &format!("br={before}"), &format!("br={}", before & !8 | value << 3));
    }
}
