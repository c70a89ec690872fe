//! Loads and stores.

use super::{MEMORY, Memory, PC, check, imm, run, state};
use isa::xtensa::{BusFault, Fault, Inst, Op, Outcome, Reg};

/// a3 from a2 = 0x100 and an offset; the memory holds its offsets.
#[test]
fn loads_extend() {
    for (op, offset, before, changes) in [
        (Op::L8ui, 63, "a2=0x100", "a3=63"),
        (Op::L16ui, 2, "a2=0x100", "a3=0x0302"),
        (Op::L16si, 2, "a2=0x100", "a3=0x0302"),
        (Op::L32i, 60, "a2=0x100", "a3=0x3f3e3d3c"),
        (Op::L32iN, 0, "a2=0x101", "a3=0x04030201"),
        (Op::L32ai, 4, "a2=0x100", "a3=0x07060504"),
        (Op::L32e, -16, "a2=0x110", "a3=0x03020100"),
        (Op::L16ui, 0, "a2=0x101", "a3=0x0201"),
    ] {
        check(imm(op, offset), before, changes);
    }
    // PC is 1 behind a multiple of 4: the literal's distance counts from the word behind.
    let pc = MEMORY + 0x31;
    check(imm(Op::L32r, -0x10), &format!("pc={pc}"), &format!("a3=0x27262524 pc={}", pc + 3));
    assert_eq!(PC & 3, 1);
}

#[test]
fn signs_are_extended_from_16_bits() {
    let (mut state, mut memory) = (state("a2=0x100"), Memory::new());
    memory.0[1] = 0x80;
    isa::xtensa::execute(&mut state, &mut memory, &imm(Op::L16si, 0), 3).unwrap();
    assert_eq!(state.a(3), 0xffff_8000);
}

#[test]
fn stores_write_their_bytes() {
    for (op, offset, before, at, bytes) in [
        (Op::S8i, 5, "a2=0x100 a3=0x12345678", 5, &[0x78u8][..]),
        (Op::S16i, 4, "a2=0x100 a3=0x12345678", 4, &[0x78, 0x56]),
        (Op::S32i, 4, "a2=0x101 a3=0x12345678", 5, &[0x78, 0x56, 0x34, 0x12]),
        (Op::S32iN, 4, "a2=0x100 a3=0x12345678", 4, &[0x78, 0x56, 0x34, 0x12]),
        (Op::S32ri, 4, "a2=0x100 a3=0x12345678", 4, &[0x78, 0x56, 0x34, 0x12]),
        (Op::S32e, -4, "a2=0x110 a3=0x12345678", 12, &[0x78, 0x56, 0x34, 0x12]),
        (Op::S32c1i, 4, "a2=0x100 a3=0x12345678 scompare1=0x07060504", 4, &[0x78, 0x56, 0x34, 0x12]),
        (Op::S32c1i, 4, "a2=0x100 a3=0x12345678 scompare1=0x07060505", 4, &[]),
    ] {
        let mut expected = Memory::new();
        expected.0[at..at + bytes.len()].copy_from_slice(bytes);
        let (_, memory, result) = run(imm(op, offset), before);
        assert_eq!((memory, result), (expected, Ok(Outcome::Next)), "{op:?} on {before}");
    }
    check(imm(Op::S32c1i, 4), "a2=0x100 a3=1 scompare1=5", "a3=0x07060504");
    check(imm(Op::S32c1i, 4), "a2=0x100 a3=1 scompare1=0x07060504", "a3=0x07060504");
}

/// Floating-point loads: the register is f3, or f4 with an index in a3.
#[test]
fn floating_point_bases_move() {
    for (op, before, changes) in [
        (Op::Lsi, "cpenable=1 a2=0x100", "f3=0x0b0a0908"),
        (Op::Lsip, "cpenable=1 a2=0x100", "f3=0x03020100 a2=0x108"),
        (Op::Lsx, "cpenable=1 a2=0x100 a3=4", "f4=0x07060504"),
        (Op::Lsxp, "cpenable=1 a2=0x100 a3=4", "f4=0x03020100 a2=0x104"),
        (Op::Ssip, "cpenable=1 a2=0x100", "a2=0x108"),
        (Op::Ssxp, "cpenable=1 a2=0x100 a3=4", "a2=0x104"),
        (Op::Ssi, "cpenable=1 a2=0x100", ""),
        (Op::Ssx, "cpenable=1 a2=0x100 a3=4", ""),
    ] {
        check(imm(op, 8), before, changes);
    }
    for (op, before, at) in [
        (Op::Ssi, "cpenable=1 a2=0x100 f3=-1", 8),
        (Op::Ssip, "cpenable=1 a2=0x100 f3=-1", 0),
        (Op::Ssx, "cpenable=1 a2=0x100 a3=4 f4=-1", 4),
        (Op::Ssxp, "cpenable=1 a2=0x100 a3=4 f4=-1", 0),
    ] {
        let mut expected = Memory::new();
        expected.0[at..at + 4].copy_from_slice(&[255; 4]);
        assert_eq!(run(imm(op, 8), before).1, expected, "{op:?} on {before}");
    }
}

#[test]
fn faults_leave_everything() {
    let bus = |address, size, write| Fault::Bus { address, size, write, why: BusFault::Unmapped };
    let mac = Inst { w: Reg(1), ..imm(Op::MulaDaLlLdinc, 0) };
    for (inst, before, expected) in [
        (imm(Op::L32i, 0), "a2=0x13d", bus(0x13d, 4, false)),
        (imm(Op::S16i, 0), "a2=0xff", bus(0xff, 2, true)),
        (imm(Op::L32r, -4), "", bus(0x4000_8000, 4, false)),
        (imm(Op::S32c1i, 0), "a2=0x140", bus(0x140, 4, false)),
        (mac, "a2=0x13c a3=1 m0=1", bus(0x140, 4, false)),
        (imm(Op::Lsip, 4), "a2=0x140 cpenable=1", bus(0x140, 4, false)),
        (imm(Op::Lsip, 4), "a2=0x100", Fault::CoprocessorDisabled(0)),
        (imm(Op::L32ai, 0), "a2=0x102", Fault::Unaligned { address: 0x102 }),
        (imm(Op::S32ri, 0), "a2=0x101", Fault::Unaligned { address: 0x101 }),
        (imm(Op::S32c1i, 0), "a2=0x103", Fault::Unaligned { address: 0x103 }),
    ] {
        assert_eq!(run(inst, before), (state(before), Memory::new(), Err(expected)), "{inst:?} on {before}");
    }
}
