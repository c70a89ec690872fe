//! Planted faults: each must be caught, named, and placed at the right instruction; the same code without it must pass.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst, Mode, Reg};
use sim::cycles::Core::{self, M3, M4, M4f};
use sim::cycles::Memory;
use sim::{Arg, Buffer, Report, Rule, SimError};

/// r0 and r1 point to 16 bytes each, the second secret; r2 is 7.
fn args() -> Vec<Arg> {
    vec![Buffer::new([0; 16]).into(), Buffer::new([1; 16]).secret().into(), 7.into()]
}

fn run(core: Core, code: &[Inst]) -> Result<Report, SimError> {
    call(&[code, &[bx_lr()]].concat(), core, &args())
}

/// What the run reports: rules with the index of the instruction, for 32-bit code from address 0x0800_0000 on.
fn check(core: Core, code: &[Inst], expected: &[(Rule, u32)]) {
    let report = run(core, code).unwrap();
    let found: Vec<(Rule, u32)> =
        report.violations.iter().map(|v| (v.rule, v.site.address.wrapping_sub(0x0800_0000) / 4)).collect();
    let text: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{text:?}");
}

fn ldr(d: u8, n: u8, offset: i32) -> Inst {
    wide(imm(LdrImm, d, n, offset))
}

fn str(d: u8, n: u8, offset: i32) -> Inst {
    wide(imm(StrImm, d, n, offset))
}

fn constant(d: u8) -> Inst {
    wide(imm(MovImm, d, 0, 5))
}

fn moved_sp(by: i32) -> Inst {
    wide(imm(if by < 0 { SubImm } else { AddImm }, 13, 13, by.abs()))
}

#[test]
fn registers_that_are_not_restored() {
    let saved = 1 << 4 | 1 << 11;
    check(M4, &[wide(push(saved)), constant(4), constant(11), wide(pop(saved))], &[]);
    check(M4, &[constant(4)], &[(Rule::NotRestored, 1)]);
    check(M4, &[constant(11)], &[(Rule::NotRestored, 1)]);
    check(M4f, &[reg(VmovSR, 16, 2, 0)], &[(Rule::NotRestored, 1)]);
    check(M4f, &[reg(VmovSR, 15, 2, 0)], &[]);
    check(M4, &[moved_sp(-8)], &[(Rule::NotRestored, 1)]);
    check(M4f, &[reg(VmovSR, 0, 4, 0), constant(4), reg(VmovRS, 4, 0, 0)], &[]);
}

#[test]
fn stack() {
    check(M4, &[moved_sp(-8), str(2, 13, 0), ldr(3, 13, 0), moved_sp(8)], &[]);
    check(M4, &[moved_sp(-8), ldr(3, 13, 0), moved_sp(8)], &[(Rule::UninitialisedStack, 1)]);
    check(M4, &[ldr(3, 13, -8)], &[(Rule::BelowStack, 0)]);
    // What is stored below sp is not there any more when it is read back, and neither is what was popped.
    check(M4, &[str(2, 13, -8), ldr(3, 13, -8)], &[(Rule::BelowStack, 1)]);
    let stale = [wide(push(1 << 2 | 1 << 3)), moved_sp(8), moved_sp(-8), ldr(3, 13, 0), moved_sp(8)];
    check(M4, &stale, &[(Rule::UninitialisedStack, 3)]);
    // Registers without content may be saved, and restored.
    check(M4, &[wide(push(1 << 4 | 1 << 12)), wide(pop(1 << 4 | 1 << 12))], &[]);
    check(M4, &[reg(AddReg, 3, 2, 12)].map(wide), &[(Rule::UndefinedRegister, 0)]);
    let report = run(M4, &[str(2, 13, -20), moved_sp(-8), moved_sp(8)]).unwrap();
    assert_eq!(report.stack_bytes, 20, "the lowest address written counts, not only sp");
}

#[test]
fn secrets() {
    let load = ldr(3, 1, 0);
    check(M4, &[load, wide(reg(EorReg, 3, 3, 3)), str(3, 0, 0)], &[]);
    check(M4, &[load, wide(flags(imm(SubImm, 3, 3, 1))), wide(branch(Cond::Eq, 0))], &[(Rule::SecretBranch, 2)]);
    let by_index = [load, wide(imm(AndImm, 3, 3, 3)), wide(reg(LdrbReg, 3, 0, 3))];
    check(M4, &by_index, &[(Rule::SecretAddress, 2)]);
    let multiply = [load, four(Umull, 2, 3, 3, 3)];
    check(M4, &multiply, &[]);
    check(M3, &multiply, &[(Rule::SecretTime, 1)]);
    check(M4, &[load, reg(Udiv, 3, 2, 3)], &[(Rule::SecretTime, 1)]);
    // Through memory, word by word: the public word beside the secret one stays public.
    let both = 1 << 2 | 1 << 3;
    let spilled = [load, wide(push(both)), wide(pop(both)), wide(imm(AndImm, 2, 2, 3)), wide(reg(LdrbReg, 12, 0, 2))];
    check(M4, &spilled, &[]);
    let secret = [load, wide(push(both)), wide(pop(both)), wide(imm(AndImm, 3, 3, 3)), wide(reg(LdrbReg, 12, 0, 3))];
    check(M4, &secret, &[(Rule::SecretAddress, 4)]);
    // An address that was secret when it was stored.
    let returns =
        |register| [load, wide(reg(AndReg, 3, 3, 12)), wide(reg(OrrReg, 3, 14, register)), str(3, 0, 0), ldr(15, 0, 0)];
    let zero = [wide(imm(MovImm, 12, 0, 0))];
    check(M4, &[&zero[..], &returns(3)].concat(), &[(Rule::SecretBranch, 5)]);
    check(M4, &[&zero[..], &returns(12)].concat(), &[]);
    // The flags of a comparison are secret, but not those of a later one.
    let cleared = [load, wide(imm(CmpImm, 0, 3, 1)), wide(imm(CmpImm, 0, 2, 1)), wide(branch(Cond::Ne, 0))];
    check(M4, &cleared, &[]);
}

/// Of two registers that are moved at once one may be secret and the other not.
#[test]
fn two_words_at_once() {
    let pair = |op, d, a, n| Inst { a: Reg(a), ..reg(op, d, n, 0) };
    let back: [(Inst, Inst); 2] =
        [(pair(VmovSSRR, 1, 3, 2), pair(VmovRRSS, 2, 3, 1)), (pair(VmovDRR, 5, 3, 2), pair(VmovRRD, 2, 3, 5))];
    for (there, back) in back {
        for (register, expected) in [(2, 0), (3, 1)] {
            let index = [wide(imm(AndImm, 12, register, 3)), wide(reg(LdrbReg, 12, 0, 12))];
            let code = [&[ldr(3, 1, 0), there, back][..], &index].concat();
            let violations = run(M4f, &code).unwrap().violations;
            assert_eq!(violations.len(), expected, "{there}, {back}, r{register}: {violations:?}");
        }
    }
}

/// Words that are copied keep their public bytes, and whatever else is done with them makes all of their bytes secret.
#[test]
fn words_of_which_some_bytes_are_secret() {
    let store_byte = wide(imm(StrbImm, 2, 0, 3));
    let mixed = [ldr(3, 1, 0), str(3, 0, 0), store_byte];
    let (eor, two) = (wide(imm(EorImm, 12, 12, 0)), 1 << 3 | 1 << 12);
    let it = Inst { cond: Cond::Eq, imm2: 8, ..Inst::new(It) };
    let chosen = [wide(imm(CmpImm, 0, 3, 1)), it, when(Cond::Eq, wide(imm(MovImm, 12, 0, 0)))];
    // How the word at r0 comes to r0 + 4, and whether its public byte is secret there. It always is for others.
    let ways: [(&[Inst], bool); 6] = [
        (&[ldr(12, 0, 0), str(12, 0, 4)], false),
        (&[ldr(12, 0, 0), eor, str(12, 0, 4)], true),
        (&[ldr(12, 0, 0), chosen[0], chosen[1], chosen[2], str(12, 0, 4)], true),
        (&[ldr(12, 0, 0), wide(reg(MovReg, 12, 0, 12)), str(12, 0, 4)], true),
        (&[list(Ldm, 0, two, Mode::Offset), str(12, 0, 8), str(3, 0, 4)].map(wide), false),
        (&[ldr(12, 0, 0), wide(push(1 << 12)), wide(pop(1 << 12)), str(12, 0, 4)], false),
    ];
    for (way, public_byte_is_secret) in ways {
        for byte in [6, 7] {
            let index = [wide(imm(LdrbImm, 2, 0, byte)), wide(imm(AndImm, 2, 2, 3)), wide(reg(LdrbReg, 12, 0, 2))];
            let code = [&mixed[..], way, &index].concat();
            let violations = run(M4, &code).unwrap().violations;
            let expected = usize::from(byte == 6 || public_byte_is_secret);
            assert_eq!(violations.len(), expected, "{way:?}, byte {byte}: {violations:?}");
        }
    }
}

#[test]
fn secret_conditions_of_it_blocks() {
    let it = Inst { cond: Cond::Eq, imm2: 8, ..Inst::new(It) };
    let select = |then: Inst| [ldr(3, 1, 0), imm(CmpImm, 0, 3, 1), it, when(Cond::Eq, then)];
    check(M4, &select(constant(2)), &[]);
    check(M4, &select(ldr(2, 0, 0)), &[(Rule::SecretAddress, 2)]);
    // The result of a choice is secret, whether or not it was made.
    for compared in [0x0101_0101u32, 0] {
        let choice = [
            ldr(3, 1, 0),
            wide(imm(CmpImm, 0, 3, compared as i32)),
            it,
            when(Cond::Eq, imm(MovImm, 2, 0, 1)),
            wide(imm(AndImm, 2, 2, 3)),
            wide(reg(LdrbReg, 12, 0, 2)),
        ];
        check(M4, &choice, &[(Rule::SecretAddress, 4)]);
    }
}

/// The error's text has all of these words.
fn refuses(core: Core, code: &[Inst], args: &[Arg], words: &[&str]) {
    let error = call(&[code, &[bx_lr()]].concat(), core, args).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn memory_faults() {
    let cases: &[(Inst, &[&str])] = &[
        (
            ldr(3, 0, 16),
            &["ldr.w r3, [r0, #16]", "0x08000000", "0 bytes past the end of argument 0", "r0 is 0x31000000"],
        ),
        (str(2, 0, -4), &["store of 4 bytes at 0x30fffffc", "4 bytes before argument 0"]),
        (ldr(3, 0, 14), &["reaches beyond its 16 bytes"]),
        (wide(reg(LdrReg, 3, 0, 0)), &["nothing is mapped", "r0 is 0x31000000"]),
    ];
    for (inst, words) in cases {
        refuses(M4, &[*inst], &args(), words);
    }
    let unaligned = [wide(imm(AddImm, 3, 0, 2)), list(Ldm, 3, 1 << 2 | 1 << 12, Mode::Offset)];
    refuses(M4, &unaligned, &args(), &["ldm r3, {r2, r12}", "0x31000002", "not a multiple", "r3 is 0x31000002"]);
    let wide_load = wide(imm(AddImm, 3, 0, 1));
    refuses(M4, &[wide_load, four(LdrdImm, 2, 12, 3, 0)], &args(), &["ldrd", "0x31000001"]);
    refuses(M4f, &[wide_load, imm(VldrS, 0, 3, 0)], &args(), &["vldr", "0x31000001"]);
    let constants = [Arg::from(Buffer::new([0; 16]).read_only())];
    refuses(M4, &[str(0, 0, 0)], &constants, &["store of 4 bytes", "read-only"]);
}

#[test]
fn other_faults() {
    refuses(M4, &[wide(branch(Cond::Al, -4))], &args(), &["endless loop", "b.w"]);
    refuses(
        M4,
        &[wide(reg(AddReg, 3, 0, 3))],
        &args(),
        &["too few arguments", "r3 is read by `add.w r3, r0, r3`", "3 were given"],
    );
    refuses(M4, &[reg(VmovSR, 0, 2, 0)], &args(), &["Fp", "M4"]);
    refuses(M3, &[reg(Uadd8, 3, 2, 2)], &args(), &["uadd8", "Dsp", "M3"]);
    refuses(M4, &[Inst { imm: 7, ..Inst::new(Svc) }], &args(), &["supervisor call 7"]);
    refuses(M4, &[Inst { imm: 7, ..Inst::new(Bkpt) }], &args(), &["bkpt", "breakpoint 0x7"]);
    refuses(M4, &[wide(branch(Cond::Al, 4096))], &args(), &["no place for code", "what led there is `b "]);
    refuses(M4, &[constant(3)], &[Arg::Same(0)], &["argument 0", "no buffer"]);
}

#[test]
fn a_buffer_twice() {
    let double = [ldr(3, 1, 0), wide(reg(AddReg, 3, 3, 3)), str(3, 0, 0), bx_lr()];
    let buffer: Arg = Buffer::new([3, 0, 0, 0]).at(64, 4).into();
    let mut machine = machine(&double, M4, Memory::default());
    for _ in 0..2 {
        let report = machine.call(&[buffer.clone(), Arg::Same(0)]).unwrap();
        assert_eq!(report.buffers, [[6, 0, 0, 0], [6, 0, 0, 0]]);
        assert_eq!(report.returns % 64, 4);
    }
}

/// Code in RAM may be overwritten; what is executed is what stands there.
#[test]
fn code_that_changes() {
    use sim::memory::Permissions;
    use sim::program::Segment;
    // The loop's second round executes another instruction in the place that the first has overwritten.
    let code = [
        imm(Movw, 3, 0, 1),
        wide(reg(AddReg, 0, 0, 3)),
        wide(imm(StrImm, 1, 15, 0)),
        wide(flags(imm(SubImm, 2, 2, 1))),
        wide(branch(Cond::Ne, -20)),
        bx_lr(),
    ];
    let adr = wide(imm(Adr, 12, 0, 0));
    let code = [&[adr], &code[..2], &[wide(imm(StrImm, 1, 12, 0))], &code[3..]].concat();
    let replacement = assemble(&[imm(Movw, 3, 0, 100)]);
    let word = u32::from_le_bytes(replacement.try_into().unwrap());
    let bytes = assemble(&code);
    let segment = Segment { name: "RAM".into(), base: 0x2000_0000, bytes, permissions: Permissions::ALL };
    let program = sim::Program { segments: vec![segment], entry: 0x2000_0000, symbols: vec![] };
    let mut machine = sim::Machine::new(program, M4, Memory::default()).unwrap();
    for traced in [false, true] {
        if traced {
            machine.set_trace(Box::new(|_| {}));
        }
        let report = machine.call(&[0.into(), word.into(), 3.into()]).unwrap();
        // adr r12 is 4 behind itself: the movw. 1 + 100 + 100.
        assert_eq!((report.returns, report.instructions), (201, 1 + 3 * 5 + 1));
        // adr 1, then 5 and 2 for the taken branch each time but the last; STR, whose address has long been there, takes 1.
        assert_eq!(report.cycles, 1 + 2 * 6 + 5 + 3, "traced: {traced}");
    }
    assert_eq!(machine.histogram()["movw"], 6);
}
