//! Hand-worked cases of the semantics, from the pseudo-code of DDI 0403 and the values its descriptions name.

#![allow(clippy::unwrap_used)]

#[path = "common/memory.rs"]
mod memory;

use isa::thumb::{BusFault, Cond, Fault, Inst, Mode, Op, Outcome, Reg, Shift, ShiftKind, State, execute};
use memory::{MEMORY, Memory};

/// A state with everything 0, at address 0x8000, and the named values: `r0=1 nzcv=0110 q=1 ge=15 s2=0x7fc00000`.
fn state(text: &str) -> State {
    let mut state = State {
        r: [0; 16],
        n: false,
        z: false,
        c: false,
        v: false,
        q: false,
        ge: 0,
        it: 0,
        s: [0; 32],
        fpscr: 0,
        special: [0; 24],
        exclusive: None,
    };
    state.r[15] = 0x8000;
    set(&mut state, text);
    state
}

fn set(state: &mut State, text: &str) {
    for assignment in text.split_whitespace() {
        let (name, value) = assignment.split_once('=').unwrap();
        let number = match value.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).unwrap(),
            None => value.parse::<i64>().unwrap() as u32,
        };
        match name {
            "nzcv" => {
                let flags: Vec<bool> = value.chars().map(|c| c == '1').collect();
                (state.n, state.z, state.c, state.v) = (flags[0], flags[1], flags[2], flags[3]);
            }
            "q" => state.q = number != 0,
            "ge" => state.ge = number as u8,
            "it" => state.it = number as u8,
            "fpscr" => state.fpscr = number,
            "pc" => state.r[15] = number,
            "exclusive" => state.exclusive = Some(number),
            "control" => state.special[20] = number,
            "psp" => state.special[9] = number,
            "msp" => state.special[8] = number,
            "primask" => state.special[16] = number,
            "basepri" => state.special[17] = number,
            "ipsr" => state.special[5] = number,
            _ => match name.split_at(1) {
                ("r", index) => state.r[index.parse::<usize>().unwrap()] = number,
                ("s", index) => state.s[index.parse::<usize>().unwrap()] = number,
                _ => panic!("{name} is no part of the state"),
            },
        }
    }
}

/// Executes a 32-bit instruction; everything but the named changes must stay, and pc must have moved on.
fn check(inst: Inst, before: &str, changes: &str) {
    check_length(inst, 4, before, changes);
}

fn check_length(inst: Inst, length: u32, before: &str, changes: &str) {
    let mut expected = state(before);
    expected.r[15] += length;
    set(&mut expected, changes);
    let mut found = state(before);
    execute(&mut found, &mut Memory::new(), &inst, length).unwrap_or_else(|fault| panic!("{inst:?}: {fault:?}"));
    assert_eq!(found, expected, "{inst:?} on {before}");
}

/// r0 = r1 op r2, accumulator r3.
fn three(op: Op) -> Inst {
    Inst { n: Reg(1), m: Reg(2), a: Reg(3), ..Inst::new(op) }
}

fn flags(inst: Inst) -> Inst {
    Inst { set_flags: true, ..inst }
}

fn shift(kind: ShiftKind, amount: u8) -> Shift {
    Shift { kind, amount }
}

#[test]
fn sums_set_carry_and_overflow() {
    for (op, before, changes) in [
        (Op::AddReg, "r1=0x7fffffff r2=1", "r0=0x80000000 nzcv=1001"),
        (Op::AddReg, "r1=0xffffffff r2=1", "r0=0 nzcv=0110"),
        (Op::AddReg, "r1=0x80000000 r2=0x80000000", "r0=0 nzcv=0111"),
        (Op::AddReg, "r1=1 r2=2 nzcv=1111", "r0=3 nzcv=0000"),
        (Op::AdcReg, "r1=0xffffffff r2=0 nzcv=0010", "r0=0 nzcv=0110"),
        (Op::AdcReg, "r1=0x7fffffff r2=0 nzcv=0010", "r0=0x80000000 nzcv=1001"),
        (Op::AdcReg, "r1=0xffffffff r2=0xffffffff nzcv=0010", "r0=0xffffffff nzcv=1010"),
        (Op::AdcReg, "r1=5 r2=6 nzcv=0000", "r0=11 nzcv=0000"),
        (Op::SubReg, "r1=5 r2=5", "r0=0 nzcv=0110"),
        (Op::SubReg, "r1=5 r2=6", "r0=-1 nzcv=1000"),
        (Op::SubReg, "r1=0x80000000 r2=1", "r0=0x7fffffff nzcv=0011"),
        (Op::SbcReg, "r1=5 r2=5 nzcv=0000", "r0=-1 nzcv=1000"),
        (Op::SbcReg, "r1=5 r2=5 nzcv=0010", "r0=0 nzcv=0110"),
        (Op::SbcReg, "r1=0 r2=0xffffffff nzcv=0000", "r0=0 nzcv=0100"),
        (Op::RsbReg, "r1=1 r2=0", "r0=-1 nzcv=1000"),
        (Op::RsbReg, "r1=0 r2=0", "r0=0 nzcv=0110"),
        (Op::RsbReg, "r1=0x80000000 r2=0", "r0=0x80000000 nzcv=1001"),
        (Op::CmpReg, "r1=0 r2=0x80000000", "nzcv=1001"),
        (Op::CmnReg, "r1=1 r2=0xffffffff", "nzcv=0110"),
    ] {
        check(flags(three(op)), before, changes);
    }
}

#[test]
fn logic_takes_its_carry_from_the_shifter() {
    let shifted = |kind, amount| flags(Inst { shift: shift(kind, amount), ..three(Op::AndReg) });
    for (inst, before, changes) in [
        (shifted(ShiftKind::Lsl, 0), "r1=-1 r2=-1 nzcv=0011", "r0=-1 nzcv=1011"),
        (shifted(ShiftKind::Lsl, 1), "r1=-1 r2=0x80000001", "r0=2 nzcv=0010"),
        (shifted(ShiftKind::Lsl, 31), "r1=-1 r2=2 nzcv=0001", "r0=0 nzcv=0111"),
        (shifted(ShiftKind::Lsr, 32), "r1=-1 r2=0x80000000", "r0=0 nzcv=0110"),
        (shifted(ShiftKind::Asr, 32), "r1=-1 r2=0x80000000", "r0=-1 nzcv=1010"),
        (shifted(ShiftKind::Asr, 1), "r1=-1 r2=1", "r0=0 nzcv=0110"),
        (shifted(ShiftKind::Ror, 4), "r1=-1 r2=0x18", "r0=0x80000001 nzcv=1010"),
        (shifted(ShiftKind::Rrx, 1), "r1=-1 r2=1", "r0=0 nzcv=0110"),
        (shifted(ShiftKind::Rrx, 1), "r1=-1 r2=2 nzcv=0010", "r0=0x80000001 nzcv=1000"),
    ] {
        check(inst, before, changes);
    }
    let constant = |op, imm: u32| flags(Inst { imm: imm as i32, ..three(op) });
    for (inst, before, changes) in [
        (constant(Op::MovImm, 0xff), "nzcv=0010", "r0=0xff nzcv=0010"),
        (constant(Op::MovImm, 0xff), "", "r0=0xff"),
        (constant(Op::MovImm, 0xff00_0000), "", "r0=0xff000000 nzcv=1010"),
        (constant(Op::MovImm, 0x100), "nzcv=0010", "r0=0x100 nzcv=0000"),
        (constant(Op::MovImm, 0xabab_abab), "", "r0=0xabababab nzcv=1000"),
        (constant(Op::MovImm, 0xab00_ab00), "nzcv=0010", "r0=0xab00ab00 nzcv=1010"),
        (constant(Op::MvnImm, 0), "", "r0=-1 nzcv=1000"),
        (constant(Op::OrnImm, 0x8000_0000), "r1=0", "r0=0x7fffffff nzcv=0010"),
        (constant(Op::TeqImm, 5), "r1=5 nzcv=0001", "nzcv=0101"),
        (constant(Op::TstImm, 0x80), "r1=0x7f nzcv=0011", "nzcv=0111"),
    ] {
        check(inst, before, changes);
    }
}

#[test]
fn shifts_by_a_register_use_its_low_byte() {
    for (op, before, changes) in [
        (Op::LslReg, "r1=0x80000001 r2=0 nzcv=0010", "r0=0x80000001 nzcv=1010"),
        (Op::LslReg, "r1=0x80000001 r2=1", "r0=2 nzcv=0010"),
        (Op::LslReg, "r1=1 r2=32", "r0=0 nzcv=0110"),
        (Op::LslReg, "r1=-1 r2=33 nzcv=0010", "r0=0 nzcv=0100"),
        (Op::LslReg, "r1=-1 r2=255 nzcv=0010", "r0=0 nzcv=0100"),
        (Op::LslReg, "r1=1 r2=0x104", "r0=16"),
        (Op::LsrReg, "r1=0x80000000 r2=31", "r0=1"),
        (Op::LsrReg, "r1=0x80000000 r2=32", "r0=0 nzcv=0110"),
        (Op::LsrReg, "r1=0x80000000 r2=33 nzcv=0010", "r0=0 nzcv=0100"),
        (Op::AsrReg, "r1=0x80000000 r2=32", "r0=-1 nzcv=1010"),
        (Op::AsrReg, "r1=0x80000000 r2=200", "r0=-1 nzcv=1010"),
        (Op::AsrReg, "r1=0x40000000 r2=33 nzcv=0010", "r0=0 nzcv=0100"),
        (Op::RorReg, "r1=0x12345678 r2=32", "r0=0x12345678"),
        (Op::RorReg, "r1=0x92345678 r2=64", "r0=0x92345678 nzcv=1010"),
        (Op::RorReg, "r1=0x12345678 r2=0 nzcv=0010", "r0=0x12345678 nzcv=0010"),
        (Op::RorReg, "r1=0x12345678 r2=8", "r0=0x78123456"),
        (Op::RorReg, "r1=0x12345678 r2=40", "r0=0x78123456"),
    ] {
        check(flags(three(op)), before, changes);
    }
}

#[test]
fn saturation_is_sticky() {
    let to = |op, imm2, shift| Inst { imm2, shift, ..three(op) };
    for (inst, before, changes) in [
        (to(Op::Ssat, 8, Shift::NONE), "r1=127", "r0=127"),
        (to(Op::Ssat, 8, Shift::NONE), "r1=128", "r0=127 q=1"),
        (to(Op::Ssat, 8, Shift::NONE), "r1=-129", "r0=-128 q=1"),
        (to(Op::Ssat, 32, Shift::NONE), "r1=0x80000000 q=1", "r0=0x80000000"),
        (to(Op::Ssat, 1, Shift::NONE), "r1=1", "r0=0 q=1"),
        (to(Op::Ssat, 16, shift(ShiftKind::Lsl, 4)), "r1=0x800", "r0=0x7fff q=1"),
        (to(Op::Ssat, 16, shift(ShiftKind::Asr, 4)), "r1=-16", "r0=-1"),
        (to(Op::Usat, 8, Shift::NONE), "r1=-1", "r0=0 q=1"),
        (to(Op::Usat, 8, Shift::NONE), "r1=256", "r0=255 q=1"),
        (to(Op::Usat, 0, Shift::NONE), "r1=0", ""),
        (to(Op::Usat, 31, Shift::NONE), "r1=0x7fffffff", "r0=0x7fffffff"),
        (to(Op::Ssat16, 8, Shift::NONE), "r1=0x0080ff7f", "r0=0x007fff80 q=1"),
        (to(Op::Ssat16, 16, Shift::NONE), "r1=0x80007fff", "r0=0x80007fff"),
        (to(Op::Usat16, 8, Shift::NONE), "r1=0x0100ffff", "r0=0x00ff0000 q=1"),
        (to(Op::Qadd, 0, Shift::NONE), "r1=1 r2=0x7fffffff", "r0=0x7fffffff q=1"),
        (to(Op::Qsub, 0, Shift::NONE), "r1=1 r2=0x80000000", "r0=0x80000000 q=1"),
        (to(Op::Qsub, 0, Shift::NONE), "r1=1 r2=3", "r0=2"),
        (to(Op::Qdadd, 0, Shift::NONE), "r1=0x40000000 r2=-1", "r0=0x7ffffffe q=1"),
        (to(Op::Qdsub, 0, Shift::NONE), "r1=2 r2=10", "r0=6"),
        (to(Op::Qdsub, 0, Shift::NONE), "r1=0x80000000 r2=-1", "r0=0x7fffffff q=1"),
    ] {
        check(inst, before, changes);
    }
}

#[test]
fn products_wrap_round_and_set_q() {
    let long = |op| Inst { d: Reg(4), a: Reg(5), ..three(op) };
    for (inst, before, changes) in [
        (three(Op::Mul), "r1=0x10001 r2=0x10001", "r0=0x20001"),
        (three(Op::Mls), "r1=3 r2=4 r3=10", "r0=-2"),
        (three(Op::Smlabb), "r1=0x7fff r2=0x7fff r3=0x7fffffff", "r0=0xbfff0000 q=1"),
        (three(Op::Smulbb), "r1=0x8000 r2=0x8000", "r0=0x40000000"),
        (three(Op::Smlatt), "r1=0xffff0000 r2=0x20000 r3=5", "r0=3"),
        (three(Op::Smulwb), "r1=0x80000000 r2=0x8000", "r0=0x40000000"),
        (three(Op::Smulwt), "r1=-1 r2=0x10000", "r0=-1"),
        (three(Op::Smlawb), "r1=0x10000 r2=1 r3=0x7fffffff", "r0=0x80000000 q=1"),
        (three(Op::Smuad), "r1=0x80008000 r2=0x80008000", "r0=0x80000000 q=1"),
        (three(Op::Smusd), "r1=0x00030002 r2=0x00050007", "r0=-1"),
        (three(Op::Smusdx), "r1=0x00030002 r2=0x00050007", "r0=-11"),
        (three(Op::Smlad), "r1=0x00030002 r2=0x00050007 r3=0x7fffffff", "r0=0x8000001c q=1"),
        (three(Op::Smlsdx), "r1=0x00030002 r2=0x00050007 r3=12", "r0=1"),
        (three(Op::Smmul), "r1=0x40000000 r2=2", "r0=0"),
        (three(Op::Smmulr), "r1=0x40000000 r2=2", "r0=1"),
        (three(Op::Smmla), "r1=-1 r2=1 r3=5", "r0=4"),
        (three(Op::Smmlar), "r1=-1 r2=1 r3=5", "r0=5"),
        (three(Op::Smmls), "r1=1 r2=1 r3=5", "r0=4"),
        (three(Op::Smmlsr), "r1=1 r2=1 r3=5", "r0=5"),
        (long(Op::Umull), "r1=-1 r2=-1", "r4=1 r5=0xfffffffe"),
        (long(Op::Smull), "r1=-1 r2=-1", "r4=1"),
        (long(Op::Umlal), "r1=-1 r2=-1 r4=-1 r5=-1", "r4=0 r5=0xfffffffe"),
        (long(Op::Smlal), "r1=-1 r2=1 r4=0 r5=0", "r4=-1 r5=-1"),
        (long(Op::Smlal), "r1=1 r2=1 r4=-1 r5=0x7fffffff", "r4=0 r5=0x80000000"),
        (long(Op::Smlalbb), "r1=0x8000 r2=1 r4=0 r5=0x80000000", "r4=0xffff8000 r5=0x7fffffff"),
        (long(Op::Smlsld), "r1=0x00030002 r2=0x00050007 r4=0 r5=0", "r4=-1 r5=-1"),
        (long(Op::Umaal), "r1=-1 r2=-1 r4=-1 r5=-1", ""),
        (three(Op::Sdiv), "r1=-7 r2=2", "r0=-3"),
        (three(Op::Sdiv), "r1=0x80000000 r2=-1", "r0=0x80000000"),
        (three(Op::Sdiv), "r1=5 r2=0 r0=9", "r0=0"),
        (three(Op::Udiv), "r1=-7 r2=2", "r0=0x7ffffffc"),
        (three(Op::Udiv), "r1=5 r2=0 r0=9", "r0=0"),
    ] {
        check(inst, before, changes);
    }
    check(flags(three(Op::Mul)), "r1=0x10000 r2=0x10000 nzcv=1011", "nzcv=0111");
}

#[test]
fn lanes_and_their_ge_bits() {
    for (op, before, changes) in [
        (Op::Sadd16, "r1=0x7fff0001 r2=0x0001fffe", "r0=0x8000ffff ge=12"),
        (Op::Ssub16, "r1=0x80000001 r2=0x00010001", "r0=0x7fff0000 ge=3"),
        (Op::Uadd16, "r1=0xffff0001 r2=0x00010001", "r0=0x2 ge=12"),
        (Op::Usub8, "r1=0x01020304 r2=0x02020205", "r0=0xff0001ff ge=6"),
        (Op::Uadd8, "r1=0xff800101 r2=0x018001ff ge=2", "r0=0x200 ge=13"),
        (Op::Sasx, "r1=0x00050003 r2=0x00010002", "r0=0x00070002 ge=15"),
        (Op::Ssax, "r1=0x00010003 r2=0x00010002", "r0=0xffff0004 ge=3"),
        (Op::Qadd16, "r1=0x7fff8000 r2=0x0001ffff", "r0=0x7fff8000"),
        (Op::Qsub8, "r1=0x80007f01 r2=0x0100ff02", "r0=0x80007fff"),
        (Op::Uqsub16, "r1=0x00010005 r2=0x00020003", "r0=0x00000002"),
        (Op::Uqadd8, "r1=0xff000102 r2=0x01000203", "r0=0xff000305"),
        (Op::Shadd16, "r1=0x7fffffff r2=0x7ffffffe", "r0=0x7ffffffe"),
        (Op::Uhadd8, "r1=0xff010203 r2=0xff010204", "r0=0xff010203"),
        (Op::Uhsub16, "r1=0x00010000 r2=0x00020001", "r0=0xffffffff"),
        (Op::Sel, "r1=0x11223344 r2=0x55667788 ge=10", "r0=0x11663388"),
        (Op::Usad8, "r1=0xff000105 r2=0x00ff0301", "r0=516"),
        (Op::Usada8, "r1=0xff000105 r2=0x00ff0301 r3=0xffffffff", "r0=515"),
        (Op::Sxtab16, "r1=0x00010001 r2=0x00ff0080", "r0=0x0000ff81"),
        (Op::Uxtb16, "r2=0x12345678", "r0=0x00340078"),
        (Op::Pkhbt, "r1=0x12345678 r2=0x9abcdef0", "r0=0x9abc5678"),
        (Op::Pkhtb, "r1=0x12345678 r2=0x9abcdef0", "r0=0x1234def0"),
    ] {
        check(three(op), before, changes);
    }
}

#[test]
fn fields_bits_and_extension() {
    let field = |op, imm, imm2| Inst { imm, imm2, ..three(op) };
    let turned = |op, amount| Inst { shift: Shift::ror(amount), ..three(op) };
    for (inst, before, changes) in [
        (field(Op::Bfi, 4, 8), "r0=-1 r1=0x12", "r0=0xfffff12f"),
        (field(Op::Bfi, 0, 32), "r0=-1 r1=0x12", "r0=0x12"),
        (field(Op::Bfc, 28, 4), "r0=-1", "r0=0x0fffffff"),
        (field(Op::Ubfx, 4, 8), "r1=0xabcd", "r0=0xbc"),
        (field(Op::Ubfx, 0, 32), "r1=0x80000001", "r0=0x80000001"),
        (field(Op::Sbfx, 4, 8), "r1=0xabcd", "r0=0xffffffbc"),
        (field(Op::Sbfx, 31, 1), "r1=0x80000000", "r0=-1"),
        (field(Op::Sbfx, 0, 32), "r1=0x80000001", "r0=0x80000001"),
        (three(Op::Clz), "r2=0 r0=1", "r0=32"),
        (three(Op::Clz), "r2=0x00010000", "r0=15"),
        (three(Op::Rbit), "r2=1", "r0=0x80000000"),
        (three(Op::Rev), "r2=0x12345678", "r0=0x78563412"),
        (three(Op::Rev16), "r2=0x12345678", "r0=0x34127856"),
        (three(Op::Revsh), "r2=0x12345680", "r0=0xffff8056"),
        (turned(Op::Sxtb, 8), "r2=0x8000", "r0=0xffffff80"),
        (turned(Op::Uxth, 24), "r2=0x12345678", "r0=0x7812"),
        (turned(Op::Sxtah, 16), "r1=1 r2=0xffff1234", "r0=0"),
        (field(Op::Movt, 0x1234, 0), "r0=0xffff5678", "r0=0x12345678"),
        (field(Op::Adr, -4, 0), "pc=0x8002", "r0=0x8000"),
    ] {
        check(inst, before, changes);
    }
}

#[test]
fn an_it_block_skips_and_advances() {
    let it = |cond, imm2| Inst { cond, imm2, ..Inst::new(Op::It) };
    let add = flags(three(Op::AddReg));
    check_length(it(Cond::Ne, 0b0100), 2, "", "it=0x14");
    // ITTE NE: the mask is 0b1010, and the last of the three executes when EQ holds.
    check(add, "it=0x1a r1=1 r2=2", "it=0x14 r0=3 nzcv=0000");
    check(add, "it=0x14 r1=1 r2=2 nzcv=0100", "it=0x08 nzcv=0100");
    check(add, "it=0x08 r1=1 r2=2 nzcv=0100", "it=0 r0=3 nzcv=0000");
    // A 16-bit instruction sets no flags within a block; a comparison does.
    check_length(add, 2, "it=0x08 nzcv=0100 r1=-1 r2=1", "it=0 r0=0");
    check_length(three(Op::CmpReg), 2, "it=0x08 nzcv=0100 r1=1 r2=2", "it=0 nzcv=1000");
}

#[test]
fn conditions_hold_as_in_table_a7_1() {
    use Cond::{Cc, Cs, Eq, Ge, Gt, Hi, Le, Ls, Lt, Mi, Ne, Pl, Vc, Vs};
    for (nzcv, holding) in [
        ("nzcv=0000", [Ne, Cc, Pl, Vc, Ls, Ge, Gt]),
        ("nzcv=0100", [Eq, Cc, Pl, Vc, Ls, Ge, Le]),
        ("nzcv=0010", [Ne, Cs, Pl, Vc, Hi, Ge, Gt]),
        ("nzcv=0110", [Eq, Cs, Pl, Vc, Ls, Ge, Le]),
        ("nzcv=1000", [Ne, Cc, Mi, Vc, Ls, Lt, Le]),
        ("nzcv=0001", [Ne, Cc, Pl, Vs, Ls, Lt, Le]),
        ("nzcv=1001", [Ne, Cc, Mi, Vs, Ls, Ge, Gt]),
    ] {
        for cond in Cond::ALL {
            let branch = Inst { cond, ..Inst::new(Op::B) };
            let outcome = execute(&mut state(nzcv), &mut Memory::new(), &branch, 2);
            let expected = if cond == Cond::Al || holding.contains(&cond) { Outcome::Jumped } else { Outcome::Skipped };
            assert_eq!(outcome, Ok(expected), "{cond:?} at {nzcv}");
        }
    }
}

#[test]
fn memory_forms_and_write_back() {
    let access = |op, imm, mode| Inst { imm, mode, ..three(op) };
    let list = |op, list, mode| Inst { n: Reg(1), list, mode, ..Inst::new(op) };
    for (inst, before, changes) in [
        (access(Op::LdrImm, 4, Mode::Offset), "r1=0x100", "r0=0x07060504"),
        (access(Op::LdrImm, 4, Mode::PreIndex), "r1=0x100", "r0=0x07060504 r1=0x104"),
        (access(Op::LdrImm, -4, Mode::PostIndex), "r1=0x108", "r0=0x0b0a0908 r1=0x104"),
        (access(Op::LdrImm, 1, Mode::Offset), "r1=0x100", "r0=0x04030201"),
        (access(Op::LdrsbImm, 0, Mode::Offset), "r1=0x120", "r0=0x20"),
        (access(Op::LdrhImm, 3, Mode::Offset), "r1=0x100", "r0=0x0403"),
        (access(Op::LdrdImm, 8, Mode::PreIndex), "r1=0x100", "r0=0x0b0a0908 r3=0x0f0e0d0c r1=0x108"),
        (Inst { shift: shift(ShiftKind::Lsl, 2), ..three(Op::LdrReg) }, "r1=0x100 r2=3", "r0=0x0f0e0d0c"),
        (list(Op::Ldm, 0b1101, Mode::PreIndex), "r1=0x100", "r0=0x03020100 r2=0x07060504 r3=0x0b0a0908 r1=0x10c"),
        (list(Op::Ldmdb, 0b1001, Mode::PreIndex), "r1=0x110", "r0=0x0b0a0908 r3=0x0f0e0d0c r1=0x108"),
        (list(Op::Ldm, 0b0011, Mode::Offset), "r1=0x100", "r0=0x03020100 r1=0x07060504"),
        (Inst { list: 0b11, ..Inst::new(Op::Pop) }, "r13=0x100", "r0=0x03020100 r1=0x07060504 r13=0x108"),
        (access(Op::Ldrex, 4, Mode::Offset), "r1=0x100", "r0=0x07060504 exclusive=0x104"),
        (Inst { list: 0b110, n: Reg(1), ..Inst::new(Op::VldmS) }, "r1=0x100", "s1=0x03020100 s2=0x07060504"),
        (Inst { d: Reg(1), n: Reg(1), ..Inst::new(Op::VldrD) }, "r1=0x100", "s2=0x03020100 s3=0x07060504"),
    ] {
        check(inst, before, changes);
    }
    let literal = Inst { imm: 5, ..Inst::new(Op::LdrbLit) };
    check(literal, "pc=0x102", "r0=9");
}

#[test]
fn stores_write_what_they_should() {
    let check_store = |inst: Inst, before: &str, changes: &str, at: u32, bytes: &[u8]| {
        let (mut expected, mut found, mut memory) = (state(before), state(before), Memory::new());
        expected.r[15] += 4;
        set(&mut expected, changes);
        execute(&mut found, &mut memory, &inst, 4).unwrap();
        assert_eq!(found, expected, "{inst:?}");
        let mut expected = Memory::new();
        let at = (at - MEMORY) as usize;
        expected.0[at..at + bytes.len()].copy_from_slice(bytes);
        assert_eq!(memory.0, expected.0, "{inst:?}");
    };
    let word = Inst { n: Reg(1), mode: Mode::PostIndex, imm: 8, ..Inst::new(Op::StrImm) };
    check_store(word, "r0=0x11223344 r1=0x103", "r1=0x10b", 0x103, &[0x44, 0x33, 0x22, 0x11]);
    let push = Inst { list: 1 << 14 | 1, ..Inst::new(Op::Push) };
    check_store(push, "r0=0xa0 r14=0xa1 r13=0x110", "r13=0x108", 0x108, &[0xa0, 0, 0, 0, 0xa1, 0, 0, 0]);
    let exclusive = Inst { m: Reg(2), n: Reg(1), ..Inst::new(Op::Strexb) };
    let mut unmarked = state("r1=0x101 r2=0xff");
    execute(&mut unmarked, &mut Memory::new(), &exclusive, 4).unwrap();
    assert_eq!(unmarked.r[0], 1);
    let mut marked = state("r1=0x101 r2=0xff r0=7 exclusive=0x101");
    let mut memory = Memory::new();
    execute(&mut marked, &mut memory, &exclusive, 4).unwrap();
    assert_eq!((marked.r[0], marked.exclusive, memory.0[1]), (0, None, 0xff));
}

#[test]
fn branches_go_where_they_say() {
    let target = |op, imm| Inst { imm, n: Reg(1), m: Reg(2), ..Inst::new(op) };
    let condition = |cond, imm| Inst { cond, ..target(Op::B, imm) };
    for (inst, before, changes) in [
        (target(Op::B, -8), "", "pc=0x7ffc"),
        (condition(Cond::Eq, 8), "nzcv=0100", "pc=0x800c"),
        (condition(Cond::Eq, 8), "nzcv=1011", "pc=0x8004"),
        (target(Op::Bl, 0x100), "", "pc=0x8104 r14=0x8005"),
        (target(Op::Cbz, 6), "r1=0", "pc=0x800a"),
        (target(Op::Cbz, 6), "r1=1", "pc=0x8004"),
        (target(Op::Cbnz, 6), "r1=1", "pc=0x800a"),
        (target(Op::Bx, 0), "r2=0x9001", "pc=0x9000"),
        (target(Op::BlxReg, 0), "r2=0x9001", "pc=0x9000 r14=0x8005"),
        (Inst { d: Reg::PC, ..target(Op::MovReg, 0) }, "r2=0x9000", "pc=0x9000"),
        (Inst { d: Reg::PC, n: Reg::PC, ..target(Op::AddReg, 0) }, "r2=0x20", "pc=0x8024"),
        (target(Op::Tbb, 0), "r1=0x100 r2=5", "pc=0x800e"),
        (target(Op::Tbh, 0), "r1=0x100 r2=1", "pc=0x8608"),
    ] {
        check(inst, before, changes);
    }
}

#[test]
fn special_registers() {
    let mrs = |imm2| Inst { imm2, ..Inst::new(Op::Mrs) };
    let msr = |imm2, imm| Inst { imm2, imm, n: Reg(1), ..Inst::new(Op::Msr) };
    let mask = |imm, imm2| Inst { imm, imm2, ..Inst::new(Op::Cps) };
    for (inst, before, changes) in [
        (mrs(0), "nzcv=1010 q=1 ge=5", "r0=0xa8050000"),
        (mrs(5), "nzcv=1010 q=1 ge=5", ""),
        (mrs(5), "nzcv=1010 ipsr=15", "r0=15"),
        (mrs(3), "nzcv=1010 q=1 ge=5 ipsr=15", "r0=0xa805000f"),
        (mrs(6), "nzcv=1010 ipsr=15", ""),
        (msr(0, 2), "r1=0xf80f0000", "nzcv=1111 q=1"),
        (msr(0, 1), "r1=0xf80a0000", "ge=10"),
        (msr(0, 3), "r1=0x08030000 nzcv=1111", "nzcv=0000 q=1 ge=3"),
        (mrs(8), "r13=0x2000", "r0=0x2000"),
        (mrs(9), "r13=0x2000 psp=0x3000", "r0=0x3000"),
        (msr(20, 2), "r1=2 r13=0x2000 psp=0x3000", "control=2 msp=0x2000 r13=0x3000"),
        (msr(16, 2), "r1=1", "primask=1"),
        (msr(16, 2), "r1=1 control=1", ""),
        (msr(16, 2), "r1=1 control=1 ipsr=3", "primask=1"),
        (msr(20, 2), "r1=3 ipsr=3 r13=0x2000", "control=1"),
        (msr(18, 2), "r1=0x40 basepri=0x20", ""),
        (msr(18, 2), "r1=0x10 basepri=0x20", "basepri=0x10"),
        (mask(1, 2), "", "primask=1"),
        (mask(0, 2), "primask=1", "primask=0"),
    ] {
        check(inst, before, changes);
    }
}

#[test]
fn outcomes() {
    let imm = |op, imm| Inst { imm, ..Inst::new(op) };
    for (inst, before, expected) in [
        (imm(Op::Bkpt, 0xab), "", Outcome::Breakpoint(0xab)),
        (imm(Op::Svc, 7), "", Outcome::Supervisor(7)),
        (imm(Op::Wfi, 0), "", Outcome::Wait),
        (imm(Op::Nop, 0), "", Outcome::Next),
        (imm(Op::B, 0), "", Outcome::Jumped),
        (imm(Op::Nop, 0), "it=0x08", Outcome::Skipped),
        (imm(Op::Bkpt, 1), "it=0x08", Outcome::Breakpoint(1)),
        (Inst { cond: Cond::Mi, ..imm(Op::B, 0) }, "", Outcome::Skipped),
        (Inst { n: Reg(1), ..imm(Op::Cbz, 0) }, "r1=1", Outcome::Next),
    ] {
        assert_eq!(execute(&mut state(before), &mut Memory::new(), &inst, 2), Ok(expected), "{inst:?}");
    }
}

#[test]
fn faults_leave_the_state() {
    let access = |op, list| Inst { n: Reg(1), m: Reg(2), list, mode: Mode::PreIndex, ..Inst::new(op) };
    let bus = |address, write| Fault::Bus { address, size: 4, write, why: BusFault::Unmapped };
    for (inst, before, expected) in [
        (access(Op::LdrImm, 0), "r1=0x200", bus(0x200, false)),
        (access(Op::StrImm, 0), "r1=0x200", bus(0x200, true)),
        (access(Op::Ldm, 0b1101), "r1=0x138", bus(0x140, false)),
        (access(Op::Stmdb, 0b1101), "r1=0x108", bus(0xfc, true)),
        (access(Op::LdrdImm, 0), "r1=0x13c", bus(0x140, false)),
        (access(Op::Ldm, 1), "r1=0x102", Fault::Unaligned { address: 0x102 }),
        (access(Op::Stm, 1), "r1=0x101", Fault::Unaligned { address: 0x101 }),
        (access(Op::StrdImm, 0), "r1=0x102", Fault::Unaligned { address: 0x102 }),
        (access(Op::Ldrexh, 0), "r1=0x101", Fault::Unaligned { address: 0x101 }),
        (access(Op::VldrS, 0), "r1=0x102", Fault::Unaligned { address: 0x102 }),
        (access(Op::VldmD, 2), "r1=0x102", Fault::Unaligned { address: 0x102 }),
        (access(Op::VpushS, 2), "r13=0x102", Fault::Unaligned { address: 0xfe }),
        (access(Op::Bx, 0), "r2=0x9000", Fault::ArmState { target: 0x9000 }),
        (access(Op::BlxReg, 0), "r2=0x9000 r14=1", Fault::ArmState { target: 0x9000 }),
        (access(Op::Ldm, 0x8001), "r1=0x100 it=0xe8", Fault::ArmState { target: 0x0706_0504 }),
        (Inst { d: Reg::PC, ..access(Op::LdrImm, 0) }, "r1=0x100", Fault::ArmState { target: 0x0302_0100 }),
        (access(Op::Udf, 0), "", Fault::Undefined),
        (access(Op::Mcr, 0), "", Fault::NoCoprocessor),
    ] {
        let mut found = state(before);
        assert_eq!(execute(&mut found, &mut Memory::new(), &inst, 4), Err(expected), "{inst:?}");
        assert_eq!(found, state(before), "{inst:?}");
    }
}

#[test]
fn only_the_permanently_undefined_row_has_no_semantics() {
    for &op in Op::ALL {
        let mut state = state("r0=0x101 r1=0x101");
        let result = execute(&mut state, &mut Memory::new(), &Inst { d: Reg(2), ..Inst::new(op) }, 4);
        assert_eq!(result == Err(Fault::Undefined), op == Op::Udf, "{op:?}");
    }
}
