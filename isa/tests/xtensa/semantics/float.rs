//! Floating point.

use super::{check, imm, three};
use isa::xtensa::Op;

#[test]
fn moves_and_constants() {
    for (op, before, changes) in [
        (Op::MovS, "f2=0x7f800001", "f4=0x7f800001"),
        (Op::AbsS, "f2=0xff800001", "f4=0x7f800001"),
        (Op::NegS, "f2=0x7f800001", "f4=0xff800001"),
        (Op::Rfr, "f2=5", "a4=5"),
        (Op::Wfr, "a2=5", "f4=5"),
        (Op::MoveqzS, "f2=5 a3=1", ""),
        (Op::MoveqzS, "f2=5 a3=0", "f4=5"),
        (Op::MovnezS, "f2=5 a3=1", "f4=5"),
        (Op::MovltzS, "f2=5 a3=-1", "f4=5"),
        (Op::MovgezS, "f2=5 a3=-1", ""),
        (Op::MovfS, "f2=5 br=8", ""),
        (Op::MovtS, "f2=5 br=8", "f4=5"),
    ] {
        check(three(op), &format!("cpenable=1 {before}"), changes);
    }
    for (number, bits) in [(0, "0"), (1, "0x3f800000"), (2, "0x40000000"), (3, "0x3f000000")] {
        check(imm(Op::ConstS, number), "cpenable=1", &format!("f4={bits}"));
    }
}

/// FCR 0 to 3: to nearest, toward zero, up, down. FSR: inexact 0x80, underflow 0x100, overflow 0x200, invalid 0x800.
#[test]
fn arithmetic_rounds_and_notes() {
    for (op, before, changes) in [
        (Op::AddS, "f2=0x3f800000 f3=0x33800000", "f4=0x3f800000 fsr=0x80"),
        (Op::AddS, "f2=0x3f800000 f3=0x33800000 fcr=2", "f4=0x3f800001 fsr=0x80"),
        (Op::AddS, "f2=0xbf800000 f3=0xb3800000 fcr=3 fsr=0x400", "f4=0xbf800001 fsr=0x480"),
        (Op::SubS, "f2=0x7f800000 f3=0x7f800000", "f4=0x7fc00000 fsr=0x800"),
        (Op::MulS, "f2=0x7f7fffff f3=0x40000000", "f4=0x7f800000 fsr=0x280"),
        (Op::MulS, "f2=0x7f7fffff f3=0x40000000 fcr=1", "f4=0x7f7fffff fsr=0x280"),
        (Op::MaddS, "f2=0x40000000 f3=0x40400000 f4=0x3f800000", "f4=0x40e00000"),
        (Op::MsubS, "f2=0x40000000 f3=0x40400000 f4=0x3f800000", "f4=0xc0a00000"),
        (Op::OltS, "f2=0x80000000 f3=0x00000000 br=16", "br=0"),
        (Op::OeqS, "f2=0x80000000 f3=0x00000000", "br=16"),
        (Op::OleS, "f2=0xbf800000 f3=0x3f800000", "br=16"),
        (Op::UnS, "f2=0x7fc00000", "br=16"),
        (Op::UltS, "f2=0x7fc00000", "br=16"),
        (Op::OltS, "f2=0x7fc00000", "fsr=0x800"),
        (Op::UltS, "f2=0x3f800000 f3=0xbf800000", ""),
    ] {
        check(three(op), &format!("cpenable=1 {before}"), changes);
    }
    for (op, scale, before, changes) in [
        (Op::RoundS, 0, "f2=0x3f000000", "a4=0 fsr=0x80"),
        (Op::RoundS, 1, "f2=0x3f000000", "a4=1"),
        (Op::TruncS, 0, "f2=0xbfc00000", "a4=-1 fsr=0x80"),
        (Op::FloorS, 0, "f2=0xbfc00000", "a4=-2 fsr=0x80"),
        (Op::CeilS, 0, "f2=0x3fc00000", "a4=2 fsr=0x80"),
        (Op::TruncS, 0, "f2=0x4f000000", "a4=0x7fffffff fsr=0x800"),
        (Op::UtruncS, 0, "f2=0x4f000000", "a4=0x80000000"),
        (Op::UtruncS, 1, "f2=0xbfc00000", "a4=-3 fsr=0x800"),
        (Op::UtruncS, 0, "f2=0xcf800000", "a4=0x80000000 fsr=0x800"),
        (Op::UtruncS, 0, "f2=0x7fc00000", "a4=-1 fsr=0x800"),
        (Op::FloatS, 1, "a2=-3", "f4=0xbfc00000"),
        (Op::UfloatS, 0, "a2=-1", "f4=0x4f800000 fsr=0x80"),
        (Op::UfloatS, 0, "a2=-1 fcr=1", "f4=0x4f7fffff fsr=0x80"),
    ] {
        check(imm(op, scale), &format!("cpenable=1 {before}"), changes);
    }
}
