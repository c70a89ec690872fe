//! Products, quotients, MAC16.

use super::{MEMORY, check, run, three};
use isa::xtensa::{Fault, Inst, Op, Reg};

#[test]
fn products_and_quotients() {
    for (op, before, changes) in [
        (Op::Mul16s, "a2=0x12348000 a3=0x56788000", "a4=0x40000000"),
        (Op::Mul16u, "a2=0x1234ffff a3=0x5678ffff", "a4=0xfffe0001"),
        (Op::Mull, "a2=-1 a3=0x80000001", "a4=0x7fffffff"),
        (Op::Muluh, "a2=-1 a3=-1", "a4=0xfffffffe"),
        (Op::Mulsh, "a2=-1 a3=1", "a4=-1"),
        (Op::Mulsh, "a2=0x80000000 a3=0x80000000", "a4=0x40000000"),
        (Op::Quou, "a2=-1 a3=2", "a4=0x7fffffff"),
        (Op::Quos, "a2=-7 a3=2", "a4=-3"),
        (Op::Quos, "a2=0x80000000 a3=-1", "a4=0x80000000"),
        (Op::Remu, "a2=-1 a3=10", "a4=5"),
        (Op::Rems, "a2=-7 a3=2", "a4=-1"),
        (Op::Rems, "a2=7 a3=-2", "a4=1"),
        (Op::Rems, "a2=0x80000000 a3=-1 a4=5", "a4=0"),
    ] {
        check(three(op), before, changes);
    }
    for op in [Op::Quou, Op::Quos, Op::Remu, Op::Rems] {
        assert_eq!(run(three(op), "a2=1").2, Err(Fault::DivideByZero), "{op:?}");
    }
}

/// The accumulator's 40 bits, and which halves a row takes: HL is the high half of the first factor.
#[test]
fn mac16_has_forty_bits() {
    // First factors 3 and 5 times 65536, second 7 and 11 times 65536.
    let factors = "a2=0x50003 a3=0xb0007 m0=0x50003 m2=0xb0007";
    let mac = |op| Inst { r: Reg(0), t: Reg(2), ..three(op) };
    for (inst, product) in [
        (three(Op::MulAaLl), 21),
        (three(Op::MulAaHl), 35),
        (three(Op::MulAaLh), 33),
        (three(Op::MulAaHh), 55),
        (mac(Op::MulAdHl), 35),
        (Inst { r: Reg(0), ..three(Op::MulDaHl) }, 35),
        (mac(Op::MulDdLh), 33),
    ] {
        check(inst, factors, &format!("acclo={product}"));
    }
    for (op, before, changes) in [
        (Op::UmulAaLl, "a2=0xffff a3=0xffff acchi=-1", "acclo=0xfffe0001 acchi=0"),
        (Op::MulAaLl, "a2=0xffff a3=1", "acclo=-1 acchi=-1"),
        (Op::MulAaHh, "a2=0x80000000 a3=0x80000000", "acclo=0x40000000"),
        (Op::MulaAaLl, "a2=1 a3=1 acclo=-1", "acclo=0 acchi=1"),
        (Op::MulaAaLl, "a2=1 a3=1 acclo=-1 acchi=0x7f", "acclo=0 acchi=-128"),
        (Op::MulaAaLl, "a2=1 a3=1 acclo=-1 acchi=-1", "acclo=0 acchi=0"),
        (Op::MulsAaLl, "a2=1 a3=1", "acclo=-1 acchi=-1"),
        (Op::MulsAaLl, "a2=1 a3=1 acchi=-128", "acclo=-1 acchi=0x7f"),
        (Op::MulsAaHl, "a2=0x80000000 a3=0x8000", "acclo=0xc0000000 acchi=-1"),
    ] {
        check(three(op), before, changes);
    }
}

/// The product is of what the factors were before the load; the base moves first.
#[test]
fn mac16_loads_beside() {
    let with_load = |op, w| Inst { r: Reg(1), w: Reg(w), ..three(op) };
    let at = |offset| format!("a2={}", MEMORY + offset);
    let before = format!("{} a3=0x20003 m1=0x50007 acclo=1", at(4));
    let increment = format!("{} m1=0x0b0a0908 acclo=22", at(8));
    check(with_load(Op::MulaDaLlLdinc, 1), &before, &increment);
    let decrement = format!("{} m3=0x03020100 acclo=15", at(0));
    check(with_load(Op::MulaDaLhLddec, 3), &before, &decrement);
    let dd = Inst { t: Reg(2), ..with_load(Op::MulaDdHlLdinc, 2) };
    check(dd, &format!("{} m1=0x50000 m2=6", at(0)), &format!("{} m2=0x07060504 acclo=30", at(4)));
    check(with_load(Op::Ldinc, 0), &at(0), &format!("{} m0=0x07060504", at(4)));
    check(with_load(Op::Lddec, 0), &at(6), &format!("{} m0=0x05040302", at(2)));
}
