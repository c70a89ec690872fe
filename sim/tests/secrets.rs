//! Secrets of booted images: what the firmware declares, planted faults of each kind, and where they come from.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst, Reg};
use sim::cycles::Core::{self, M3, M4, M4f};
use sim::cycles::Memory;
use sim::memory::Permissions;
use sim::program::Segment;
use sim::{End, Exit, Machine, Mark, Program, SimError};

const PUBLIC: u32 = 0x150;
const SECRET: u32 = 0x151;
const ASK: u32 = 0x152;

const RAM: u32 = 0x2000_0000;
const STACK_TOP: u32 = RAM + 0x1000;
/// A constant in flash.
const CONSTANT: u32 = BLOCKS - 16;
/// Where the parameter blocks are, then names, code, and the handler of SVC.
const BLOCKS: u32 = 0x100;
const NAMES: u32 = 0x300;
const CODE: u32 = 0x400;
const HANDLER: u32 = 0x800;

/// Operation, address, bytes, name of a semihosting call.
type Call = (u32, u32, u32, &'static str);

fn constant(register: u8, value: u32) -> [Inst; 2] {
    [imm(Movw, register, 0, (value & 0xffff) as i32), imm(Movt, register, 0, (value >> 16) as i32)]
}

fn bkpt() -> Inst {
    Inst { imm: 0xab, ..Inst::new(Bkpt) }
}

/// Makes the calls, then does `code` with r4 pointing to RAM, then exits with r0.
fn machine(core: Core, calls: &[Call], code: &[Inst], handler: &[Inst]) -> Machine {
    let mut bytes = vec![0; 0x1000];
    let mut put = |at: u32, what: &[u8]| bytes[at as usize..][..what.len()].copy_from_slice(what);
    put(0, &[STACK_TOP, CODE | 1].map(u32::to_le_bytes).concat());
    put(4 * 11, &(HANDLER | 1).to_le_bytes());
    let mut whole = constant(4, RAM).to_vec();
    let mut name_at = NAMES;
    for (block, (operation, address, length, name)) in (BLOCKS..).step_by(16).zip(calls) {
        put(block, &[*address, *length, name_at, name.len() as u32].map(u32::to_le_bytes).concat());
        put(name_at, name.as_bytes());
        name_at += name.len() as u32;
        whole.extend([&constant(0, *operation)[..], &constant(1, block), &[bkpt()]].concat());
    }
    let exit = [wide(reg(MovReg, 3, 0, 0)), push(1 << 2 | 1 << 3), wide(reg(MovReg, 1, 0, 13))];
    let exit = [&constant(2, 0x2_0026)[..], &exit, &[wide(imm(MovImm, 0, 0, 0x20)), bkpt()]].concat();
    put(CODE, &assemble(&[&whole[..], code, &exit].concat()));
    put(HANDLER, &assemble(&[handler, &[bx_lr()]].concat()));
    let flash = Segment { name: "flash".into(), base: 0, bytes, permissions: Permissions::READ_EXECUTE };
    let ram = Segment { name: "RAM".into(), base: RAM, bytes: vec![0; 0x1000], permissions: Permissions::ALL };
    let symbols = vec![(CODE, "start".to_string())];
    let mut machine = Machine::new(Program { segments: vec![flash, ram], entry: 0, symbols }, core, Memory::default());
    machine.as_mut().unwrap().set_limit(10_000);
    machine.unwrap()
}

fn boot(core: Core, calls: &[Call], code: &[Inst]) -> Result<Exit, SimError> {
    machine(core, calls, code, &[]).boot(&mut std::io::sink())
}

/// The code ends well while nothing is secret, and with 16 secret bytes at r4 as `expected` says: "" or part of the message.
fn check(core: Core, code: &[Inst], expected: &str) {
    assert!(boot(core, &[], code).is_ok(), "{core:?} {code:?}");
    told(core, &[(SECRET, RAM, 16, "key")], code, expected);
}

fn told(core: Core, calls: &[Call], code: &[Inst], expected: &str) {
    match boot(core, calls, code) {
        Ok(exit) => assert!(expected.is_empty() && matches!(exit.end, End::Exit(_)), "{core:?}: {expected}"),
        Err(error) => {
            let error = error.to_string();
            assert!(!expected.is_empty() && error.contains(expected), "{core:?}: {error}, expected {expected}");
        }
    }
}

fn ldr(d: u8, n: u8, offset: i32) -> Inst {
    wide(imm(LdrImm, d, n, offset))
}

fn str(d: u8, n: u8, offset: i32) -> Inst {
    wide(imm(StrImm, d, n, offset))
}

/// r3 = the secret, which is 0.
fn load() -> Inst {
    ldr(3, 4, 0)
}

#[test]
fn planted_faults() {
    let compare = wide(imm(CmpImm, 0, 3, 1));
    check(M4, &[load(), wide(reg(EorReg, 3, 3, 3)), str(3, 4, 32)], "");
    check(M4, &[load(), compare, wide(branch(Cond::Eq, 0))], "`beq.w");
    check(M4, &[load(), compare, wide(branch(Cond::Ne, 0))], "branches on a secret: a flag");
    let zero = Inst { n: Reg(3), imm: 0, ..Inst::new(Cbz) };
    check(M4, &[load(), zero, Inst::new(Nop)], "branches on a secret: r3");
    check(M4, &[load(), reg(Tbb, 0, 4, 3)], "`tbb [r4, r3]");
    let handler = constant(5, HANDLER | 1);
    let call = Inst { m: Reg(5), ..Inst::new(BlxReg) };
    let combined = wide(reg(OrrReg, 5, 5, 3));
    check(M4, &[&[load()][..], &handler, &[combined, call]].concat(), "branches on a secret: r5");
    // The address was public until it was in memory.
    let returns = [load(), wide(reg(OrrReg, 14, 14, 3)), str(14, 4, 32), ldr(15, 4, 32)];
    for (key, expected) in [(RAM, true), (RAM + 4, false)] {
        let mut machine = machine(M4, &[(SECRET, key, 4, "key")], &[&handler[..], &[call]].concat(), &returns);
        let error = machine.boot(&mut std::io::sink()).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(error.contains("branches on a secret: the loaded address"), expected, "{error}");
    }
    let it = Inst { cond: Cond::Eq, imm2: 8, ..Inst::new(It) };
    let select = |then: Inst| [load(), wide(imm(CmpImm, 0, 3, 1)), it, when(Cond::Eq, then)];
    check(M3, &select(wide(imm(MovImm, 2, 0, 5))), "");
    check(M3, &select(ldr(2, 4, 0)), "whether it is executed depends on one (eq)");
    check(M4, &[load(), wide(reg(LdrbReg, 2, 4, 3))], "uses a secret as an address: r3");
    check(M4, &[load(), wide(reg(StrbReg, 2, 4, 3))], "uses a secret as an address: r3");
    check(M4, &[load(), reg(Udiv, 2, 4, 3)], "`udiv r2, r4, r3`");
    check(M3, &[load(), reg(Sdiv, 2, 3, 4)], "takes a time that depends on a secret: r3");
    let long = [load(), four(Umull, 5, 6, 3, 4)];
    check(M4, &long, "");
    check(M3, &long, "takes a time that depends on a secret: r3");
    check(M3, &[load(), four(Smlal, 5, 6, 3, 4)], "takes a time");
    // A faulting load from a secret address is told as what it is.
    let secret = [(SECRET, RAM, 4, "address")];
    told(M4, &secret, &[load(), wide(imm(AddImm, 3, 3, -1)), ldr(2, 3, 0)], "uses a secret as an address: r3");
}

#[test]
fn the_message_names_instruction_function_cycle_and_source() {
    let calls = [(SECRET, RAM, 4, "seed"), (SECRET, RAM + 4, 4, "key"), (SECRET, RAM + 8, 4, "message")];
    for (which, name) in [(0, "seed"), (4, "key"), (8, "message")] {
        let code = [ldr(3, 4, which), wide(imm(CmpImm, 0, 3, 1)), wide(branch(Cond::Ne, 0))];
        let Err(SimError::Leak(leak)) = boot(M4, &calls, &code) else { panic!("{name}") };
        assert_eq!(leak.violation.site.function.as_ref().unwrap().0, "start");
        let source = leak.source.clone().unwrap();
        assert_eq!((source.name.as_str(), source.address, source.length), (name, RAM + which as u32, 4));
        let text = leak.to_string();
        let address = format!("at {:#010x} (start+", leak.violation.site.address);
        assert!(text.starts_with("`bne.w") && text.contains(&address), "{text}");
        let end = format!(
            ", in cycle {}; it comes from `{name}`, 4 bytes at {:#010x}, secret since cycle ",
            leak.cycle, source.address
        );
        assert!(text.contains(&end) && source.cycle < leak.cycle, "{text}");
        // The branch is what was executed last.
        let without = boot(M4, &calls, &code[..2]).unwrap();
        assert!(leak.instructions < without.instructions + 3 && leak.cycle < without.cycles + 10, "{text}");
    }
    // Of two secrets in one register it is one of them.
    let both = [ldr(3, 4, 0), ldr(2, 4, 8), wide(reg(EorReg, 3, 3, 2)), reg(Udiv, 2, 4, 3)];
    let Err(SimError::Leak(leak)) = boot(M4, &calls, &both) else { panic!("both") };
    assert!(["seed", "message"].contains(&leak.source.unwrap().name.as_str()));
}

#[test]
fn what_is_declared_public_is_public() {
    let branch = [load(), wide(imm(CmpImm, 0, 3, 1)), wide(branch(Cond::Ne, 0))];
    let secret = (SECRET, RAM, 8, "key");
    told(M4, &[secret, (PUBLIC, RAM, 4, "hash")], &branch, "");
    told(M4, &[secret, (PUBLIC, RAM + 4, 4, "hash")], &branch, "branches on a secret");
    told(M4, &[secret, (PUBLIC, RAM, 3, "hash")], &branch, "branches on a secret");
    told(M4, &[secret, (PUBLIC, RAM, 8, "hash"), secret], &branch, "branches on a secret");
    let mut machine = machine(M4, &[secret, (PUBLIC, RAM, 4, "hash"), (PUBLIC, RAM, 2, "hash")], &branch, &[]);
    let exit = machine.boot(&mut std::io::sink()).unwrap();
    let marked: Vec<String> = exit.marked.iter().map(ToString::to_string).collect();
    assert_eq!(marked, ["secret: key (1 times, 8 bytes)", "public: hash (2 times, 6 bytes)"]);
    assert_eq!(exit.marked[0].mark, Mark::Secret);
    // What stays secret all the same is found, and each boot begins anew.
    machine.keep_secret("other");
    assert_eq!(machine.boot(&mut std::io::sink()), Ok(exit));
    machine.keep_secret("hash");
    assert!(matches!(machine.boot(&mut std::io::sink()), Err(SimError::Leak(_))));
    // Constants can be secret.
    let constant = [wide(imm(MovImm, 4, 0, CONSTANT as i32)), load(), wide(reg(EorReg, 3, 3, 3)), reg(Udiv, 2, 4, 3)];
    told(M4, &[(SECRET, CONSTANT, 4, "constant")], &constant, "it comes from `constant`");
    told(M4, &[(SECRET, CONSTANT + 4, 4, "constant")], &constant, "");
}

#[test]
fn how_much_is_secret_can_be_asked() {
    let asked = |calls: &[Call], code: &[Inst]| match boot(M4, calls, code).unwrap().end {
        End::Exit(code) => code,
        end => panic!("{end}"),
    };
    assert_eq!(asked(&[(ASK, RAM, 64, "all")], &[]), 0);
    assert_eq!(asked(&[(SECRET, RAM + 3, 16, ""), (PUBLIC, RAM + 7, 1, ""), (ASK, RAM, 64, "all")], &[]), 15);
    assert_eq!(asked(&[(SECRET, RAM, 0, ""), (ASK, RAM, 64, "all")], &[]), 0);
}

#[test]
fn what_cannot_be_is_named() {
    for (call, expected) in [
        ((SECRET, 0x1000_0000, 4, "key"), "no 4 bytes of `key` at 0x10000000: nothing is mapped near it"),
        ((PUBLIC, RAM + 0xffe, 4, "key"), "4094 bytes into RAM and reaches beyond its 4096 bytes"),
        ((0x153, RAM, 4, "key"), "semihosting operation 0x153 is not supported"),
        ((0x14f, RAM, 4, "key"), "semihosting operation 0x14f is not supported"),
    ] {
        told(M4, &[call], &[], expected);
    }
}

/// Registers of who is interrupted are as secret after the handler as they were, whatever it does with them.
#[test]
fn secrets_of_frames() {
    let secret = [(SECRET, RAM, 8, "key")];
    let svc = Inst { imm: 0, ..Inst::new(Svc) };
    let (divide, multiply) = (reg(Udiv, 2, 4, 3), imm(MovImm, 3, 0, 0));
    let check = |core: Core, code: &[Inst], handler: &[Inst], expected: bool| {
        let result = machine(core, &secret, code, handler).boot(&mut std::io::sink());
        assert_eq!(matches!(result, Err(SimError::Leak(_))), expected, "{code:?} {handler:?}: {result:?}");
    };
    check(M4, &[load(), svc, divide], &[multiply], true);
    check(M4, &[load(), wide(imm(MovImm, 3, 0, 5)), svc, divide], &[load()], false);
    check(M4, &[wide(imm(MovImm, 3, 0, 5)), svc], &[load(), reg(Udiv, 2, 4, 3)], true);
    // The handler finds what was in the register, and in the frame: r3 is its fourth word, lr the sixth.
    check(M4, &[load(), svc], &[divide], true);
    check(M4, &[load(), svc], &[ldr(3, 13, 12), divide], true);
    check(M4, &[load(), svc], &[ldr(3, 13, 8), divide], false);
    check(M4, &[load(), svc], &[wide(imm(MovImm, 3, 0, 0)), str(3, 13, 12)], false);
    check(M4, &[load(), wide(reg(MovReg, 14, 0, 3)), svc], &[], false);
    check(M4, &[load(), wide(reg(MovReg, 14, 0, 3)), svc], &[ldr(3, 13, 20), divide], true);
    // What it puts into the frame.
    check(M4, &[wide(imm(MovImm, 3, 0, 5)), svc, divide], &[load(), str(3, 13, 12)], true);
    // Flags.
    let compare = [load(), wide(imm(CmpImm, 0, 3, 1))];
    let public = wide(imm(CmpImm, 0, 4, 1));
    let branch = wide(branch(Cond::Ne, 0));
    check(M4, &[compare[0], compare[1], svc, branch], &[public], true);
    check(M4, &[public, svc, branch], &compare, false);
    // FP registers, saved at once or when the handler uses its own.
    let enable = [&constant(5, 0xe000_ed88)[..], &constant(6, 0xf << 20), &[str(6, 5, 0)]].concat();
    let lazy = |on: bool| {
        let value = if on { 3 << 30 } else { 1 << 31 };
        [&constant(5, 0xe000_ef34)[..], &constant(6, value), &[str(6, 5, 0)]].concat()
    };
    for on in [false, true] {
        let (five, save) = (wide(imm(MovImm, 3, 0, 5)), reg(VmovSR, 1, 3, 0));
        for (before, in_handler, expected) in [(load(), five, true), (five, load(), false)] {
            let code = [before, save, five, svc, reg(VmovRS, 3, 1, 0), divide];
            check(M4f, &[&enable[..], &lazy(on), &code].concat(), &[in_handler, save], expected);
        }
    }
}
