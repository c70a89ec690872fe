//! Booted images: exceptions, registers, sleep, and what interrupts do to whoever they hit. What is expected is DDI 0403's and
//! counted by hand; `qemu.rs` compares much more with QEMU.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst, Reg, Shift, ShiftKind};
use sim::cycles::Core::{self, M3, M4, M4f};
use sim::cycles::Memory;
use sim::memory::Permissions;
use sim::program::Segment;
use sim::{Arg, End, Exit, Machine, Program, SimError};

/// A handler, or with number 1 the code after reset.
type Code = (usize, Vec<Inst>);

const STACK_TOP: u32 = 0x2000_1000;
/// Bytes of each piece of code.
const PIECE: usize = 0x200;

/// An image with vectors for these pieces of code, which lie one behind the other from 0x400 on.
fn machine(core: Core, code: &[Code]) -> Machine {
    named(core, code, &[])
}

/// The same, with names of functions.
fn named(core: Core, code: &[Code], symbols: &[(u32, &str)]) -> Machine {
    let mut bytes = vec![0; 0x400];
    bytes[..4].copy_from_slice(&STACK_TOP.to_le_bytes());
    for (vector, code) in code {
        let address = bytes.len() as u32;
        bytes[4 * vector..4 * vector + 4].copy_from_slice(&(address | 1).to_le_bytes());
        bytes.extend(assemble(code));
        bytes.resize(bytes.len().next_multiple_of(PIECE), 0);
    }
    let flash = Segment { name: "flash".into(), base: 0, bytes, permissions: Permissions::READ_EXECUTE };
    let ram = Segment { name: "RAM".into(), base: 0x2000_0000, bytes: vec![0; 0x1000], permissions: Permissions::ALL };
    let symbols = symbols.iter().map(|(address, name)| (*address, name.to_string())).collect();
    let program = Program { segments: vec![flash, ram], entry: 0, symbols };
    let mut machine = Machine::new(program, core, Memory::default()).unwrap();
    machine.set_limit(20_000);
    machine
}

fn boot(core: Core, code: &[Code]) -> Result<Exit, SimError> {
    machine(core, code).boot(&mut std::io::sink())
}

/// Cycles go to the function that spends them; all of them, or those while one runs.
#[test]
fn cycles_are_known_by_function() {
    let call = |address: i32, at: i32| Inst { imm: address - at - 4, ..Inst::new(Bl) };
    // Both begin with a call of the leaf at 0x600, at 0x400 and at 0x802.
    let mut code = vec![call(0x800, 0x400), call(0x600, 0x404)];
    code.extend(exit(4));
    let leaf = vec![wide(imm(AddImm, 4, 4, 1)), bx_lr()];
    let caller = vec![push(1 << 14), call(0x600, 0x802), call(0x600, 0x806), pop(1 << 15)];
    let names = [(0x400, "start"), (0x600, "leaf"), (0x800, "caller")];
    let run = |within: Option<&str>| {
        let mut machine = named(M4, &[(1, code.clone()), (3, leaf.clone()), (4, caller.clone())], &names);
        machine.count_by_function(within).unwrap();
        let exit = machine.boot(&mut std::io::sink()).unwrap();
        assert_eq!(exit.end, End::Exit(3));
        let costs = machine.by_function().into_iter().map(|cost| (cost.name, cost.calls, cost.cycles));
        (exit.cycles, costs.collect::<Vec<_>>())
    };
    let (cycles, all) = run(None);
    let of = |costs: &[(String, u64, u64)], name: &str| {
        costs.iter().find(|cost| cost.0 == name).map(|(_, calls, cycles)| (*calls, *cycles))
    };
    let (leaf_calls, leaf_cycles) = of(&all, "leaf").unwrap();
    assert_eq!((leaf_calls, leaf_cycles % 3), (3, 0), "{all:?}");
    assert_eq!(of(&all, "caller").unwrap().0, 1, "{all:?}");
    // The last run ends with the breakpoint, not with a jump.
    assert!(all.iter().map(|cost| cost.2).sum::<u64>() <= cycles && all.len() == 3, "{all:?} of {cycles}");
    let (_, within) = run(Some("call"));
    assert_eq!(of(&within, "leaf"), Some((2, leaf_cycles / 3 * 2)), "{within:?}");
    assert_eq!(of(&within, "caller"), of(&all, "caller"), "{within:?}");
    assert_eq!(of(&within, "start"), None, "{within:?}");
    let missing = machine(M4, &[(1, code)]).count_by_function(Some("nobody"));
    assert_eq!(missing, Err("no function's symbol contains \"nobody\"".into()));
}

/// What the image exits with.
fn check(core: Core, code: &[Code], expected: u32) {
    let exit = boot(core, code).unwrap();
    assert_eq!(exit.end, End::Exit(expected), "{:?}", exit.last_fault);
}

/// Pieces put together.
fn all(pieces: &[&[Inst]]) -> Vec<Inst> {
    pieces.concat()
}

fn constant(register: u8, value: u32) -> [Inst; 2] {
    [imm(Movw, register, 0, (value & 0xffff) as i32), imm(Movt, register, 0, (value >> 16) as i32)]
}

/// `register` = the word at an address. Uses r12.
fn load(register: u8, address: u32) -> Vec<Inst> {
    all(&[&constant(12, address), &[wide(imm(LdrImm, register, 12, 0))]])
}

/// The word at an address = a value. Uses r12 and r11.
fn store(address: u32, value: u32) -> Vec<Inst> {
    all(&[&constant(12, address), &constant(11, value), &[wide(imm(StrImm, 11, 12, 0))]])
}

/// Ends the run with the value of a register.
fn exit(register: u8) -> Vec<Inst> {
    let semihost = Inst { imm: 0xab, ..Inst::new(Bkpt) };
    let block = [wide(reg(MovReg, 3, 0, register))];
    let rest = [push(1 << 2 | 1 << 3), wide(reg(MovReg, 1, 0, 13)), wide(imm(MovImm, 0, 0, 0x20)), semihost];
    all(&[&block, &constant(2, 0x20026), &rest])
}

fn svc(number: i32) -> Inst {
    Inst { imm: number, ..Inst::new(Svc) }
}

fn bkpt() -> Inst {
    Inst { imm: 1, ..Inst::new(Bkpt) }
}

fn msr(special: u8, register: u8) -> Inst {
    Inst { imm: 2, imm2: special.into(), n: Reg(register), ..Inst::new(Msr) }
}

fn mrs(register: u8, special: u8) -> Inst {
    Inst { d: Reg(register), imm2: special.into(), ..Inst::new(Mrs) }
}

/// `cpsid i` or `cpsie i`.
fn mask_interrupts(mask: bool) -> Inst {
    Inst { imm: i32::from(mask), imm2: 2, ..Inst::new(Cps) }
}

/// r10 = 16 * r10 + digit: the order of events.
fn event(digit: i32) -> [Inst; 2] {
    let by = Shift { kind: ShiftKind::Lsl, amount: 4 };
    let shifted = Inst { d: Reg(10), m: Reg(10), shift: by, ..Inst::new(LslImm) };
    [wide(shifted), wide(imm(AddImm, 10, 10, digit))]
}

const PSP: u8 = 9;
const MSP: u8 = 8;
const IPSR: u8 = 5;
const BASEPRI: u8 = 17;
const CONTROL: u8 = 20;
const HARD_FAULT: usize = 3;
const BUS_FAULT: usize = 5;
const USAGE_FAULT: usize = 6;
const SVCALL: usize = 11;
const PENDSV: usize = 14;
const SYSTICK: usize = 15;
const IRQ: usize = 16;

const ICSR: u32 = 0xe000_ed04;
const VTOR: u32 = 0xe000_ed08;
const AIRCR: u32 = 0xe000_ed0c;
const SCR: u32 = 0xe000_ed10;
const SHCSR: u32 = 0xe000_ed24;
const CFSR: u32 = 0xe000_ed28;
const HFSR: u32 = 0xe000_ed2c;
const BFAR: u32 = 0xe000_ed38;
const CPACR: u32 = 0xe000_ed88;
const FPCCR: u32 = 0xe000_ef34;
const ISER: u32 = 0xe000_e100;
const ISPR: u32 = 0xe000_e200;
const IPR: u32 = 0xe000_e400;
const SHPR3: u32 = 0xe000_ed20;

#[test]
fn frames() {
    // The handler sees its number, where it returns to, and the frame: r0, the address behind the SVC, alignment in bit 9.
    let call = |moved: i32| all(&[&[wide(imm(SubImm, 13, 13, moved)), wide(imm(MovImm, 0, 0, 7)), svc(3)], &exit(0)]);
    let handler = |result: &[Inst]| (SVCALL, all(&[result, &[wide(imm(StrImm, 0, 13, 0)), bx_lr()]]));
    check(M3, &[(1, call(0)), handler(&[mrs(0, IPSR)])], 11);
    check(M3, &[(1, call(0)), handler(&[wide(reg(MovReg, 0, 0, 14))])], 0xffff_fff9);
    check(M3, &[(1, call(0)), handler(&[wide(imm(LdrImm, 0, 13, 0))])], 7);
    check(M3, &[(1, call(0)), handler(&[wide(imm(LdrImm, 0, 13, 24))])], 0x400 + 4 + 4 + 2);
    check(M3, &[(1, call(0)), handler(&[wide(imm(LdrImm, 0, 13, 28))])], 0x0100_0000);
    check(M3, &[(1, call(4)), handler(&[wide(imm(LdrImm, 0, 13, 28))])], 0x0100_0200);
    check(M3, &[(1, call(4)), handler(&[wide(reg(MovReg, 0, 0, 13))])], STACK_TOP - 8 - 32);
    // On the process stack, which is where it was afterwards; the handler is on the main one.
    let process = [
        constant(1, 0x2000_0800)[0],
        constant(1, 0x2000_0800)[1],
        msr(PSP, 1),
        wide(imm(MovImm, 1, 0, 2)),
        msr(CONTROL, 1),
    ];
    let on_process = |handler: &[Inst], result: u8| {
        let after = [svc(0), wide(reg(MovReg, 5, 0, 13)), wide(imm(MovImm, 1, 0, 0)), msr(CONTROL, 1)];
        [(1, all(&[&process, &after, &exit(result)])), (SVCALL, all(&[handler, &[bx_lr()]]))]
    };
    check(M4, &on_process(&[wide(reg(MovReg, 4, 0, 14))], 4), 0xffff_fffd);
    check(M4, &on_process(&[wide(reg(MovReg, 4, 0, 13))], 4), STACK_TOP);
    check(M4, &on_process(&[mrs(4, PSP)], 4), 0x2000_0800 - 32);
    check(M4, &on_process(&[mrs(4, MSP)], 4), STACK_TOP);
    check(M4, &on_process(&[], 5), 0x2000_0800);
}

/// Entry 12, return 10 with its BX, 6 from one handler to the next; 17 more for FP registers that are really moved.
#[test]
fn cycles_of_exceptions() {
    let cycles = |core, code: &[Code]| {
        let exit = boot(core, code).unwrap();
        assert!(matches!(exit.end, End::Breakpoint { immediate: 1, .. }), "{}", exit.end);
        exit.cycles
    };
    let plain = [(1, vec![wide(Inst::new(Nop)), svc(0), bkpt()]), (SVCALL, vec![wide(Inst::new(Nop)), bx_lr()])];
    // NOP, SVC, entry, NOP, return, BKPT.
    assert_eq!(cycles(M3, &plain), 1 + 1 + 12 + 1 + 10 + 1);
    // Both interrupts come with the store that makes them pending: each is a NOP and a return.
    let pend = all(&[&store(ISER, 3), &[mask_interrupts(true)], &store(ISPR, 3), &[mask_interrupts(false)], &[bkpt()]]);
    let none = all(&[&store(ISER, 0), &[mask_interrupts(true)], &store(ISPR, 3), &[mask_interrupts(false)], &[bkpt()]]);
    let handlers = |reset: &Vec<Inst>| {
        let handler = vec![wide(Inst::new(Nop)), bx_lr()];
        [(1, reset.clone()), (IRQ, handler.clone()), (IRQ + 1, handler)]
    };
    let both = cycles(M3, &handlers(&pend)) - cycles(M3, &handlers(&none));
    assert_eq!(both, 12 + 1 + 6 + 1 + 10);
    // FP registers: an FP instruction makes a context. LSPEN off: saved and restored at once; on: only if they are used.
    let fp = |lspen: bool, used: bool| {
        let fpccr = if lspen { 0xc000_0000 } else { 0x8000_0000 };
        let vmov = reg(VmovSR, 0, 1, 0);
        let reset = all(&[&store(CPACR, 0xf << 20), &store(FPCCR, fpccr), &[vmov, svc(0), bkpt()]]);
        let handler = if used { vec![vmov, bx_lr()] } else { vec![wide(Inst::new(Nop)), bx_lr()] };
        cycles(M4f, &[(1, reset), (SVCALL, handler)])
    };
    assert_eq!(fp(false, false) - fp(true, false), 34);
    // 17 to save, which ends what the pipeline had prefetched, and 17 to restore.
    assert!((34..=37).contains(&(fp(true, true) - fp(true, false))), "{}", fp(true, true) - fp(true, false));
}

#[test]
fn priorities() {
    // Interrupts 0 and 1 become pending at once; the handlers and the thread note in which order they run.
    let run = |priorities: u32, before: &[Inst], expected: u32| {
        let reset = all(&[&store(IPR, priorities), &store(ISER, 3), before, &store(ISPR, 3), &event(3), &exit(10)]);
        let handler = |digit| all(&[&event(digit), &[bx_lr()]]);
        check(M3, &[(1, reset), (IRQ, handler(1)), (IRQ + 1, handler(2))], expected);
    };
    run(0x0000, &[], 0x123);
    run(0x1020, &[], 0x213);
    run(0x1020, &[mask_interrupts(true)], 0x3);
    let basepri = |value: i32| [wide(imm(MovImm, 1, 0, value)), msr(BASEPRI, 1)];
    run(0x1020, &basepri(0x20), 0x23);
    run(0x1020, &basepri(0x10), 0x3);
    run(0x1020, &basepri(0x30), 0x213);
    // A handler that makes another pending is interrupted only by a higher priority, and with priority groups of five bits of
    // subpriority not even by that.
    let nested = |priorities: u32, group: u32, expected: u32| {
        let reset = all(&[
            &store(AIRCR, 0x05fa_0000 | group << 8),
            &store(IPR, priorities),
            &store(ISER, 3),
            &store(ISPR, 1),
            &event(3),
            &exit(10),
        ]);
        let first = all(&[&store(ISPR, 2), &event(1), &[bx_lr()]]);
        check(M3, &[(1, reset), (IRQ, first), (IRQ + 1, all(&[&event(2), &[bx_lr()]]))], expected);
    };
    nested(0x1020, 0, 0x213);
    nested(0x2020, 0, 0x123);
    nested(0x1010, 4, 0x123);
    nested(0x0010, 5, 0x123);
    // PendSV waits until nothing else is to be done.
    let reset = all(&[&store(SHPR3, 0x00f0_0000), &store(ISER, 1), &store(ISPR, 1), &event(3), &exit(10)]);
    let pends = all(&[&store(ICSR, 1 << 28), &event(1), &[bx_lr()]]);
    check(M3, &[(1, reset), (IRQ, pends), (PENDSV, all(&[&event(2), &[bx_lr()]]))], 0x123);
}

#[test]
fn faults() {
    let unmapped = all(&[&constant(1, 0x6000_0010), &[wide(imm(LdrImm, 2, 1, 0))]]);
    let wrong: [(&[Inst], u32); 5] = [
        (&unmapped, 0x8200),
        (&[Inst { imm: 1, ..Inst::new(Udf) }], 0x1_0000),
        (&[wide(imm(AddImm, 1, 13, 2)), list(Ldm, 1, 1 << 2 | 1 << 3, isa::thumb::Mode::Offset)], 0x100_0000),
        (&[wide(imm(MovImm, 1, 0, 4)), Inst { m: Reg(1), ..Inst::new(Bx) }], 0x2_0000),
        (&[reg(VmovSR, 0, 1, 0)], 0x8_0000),
    ];
    for (code, status) in wrong {
        let own = if status == 0x8200 { BUS_FAULT } else { USAGE_FAULT };
        for core in [M3, M4f] {
            // All are hard faults unless their own handlers are enabled.
            check(core, &[(1, code.to_vec()), (HARD_FAULT, all(&[&load(4, CFSR), &exit(4)]))], status);
            check(core, &[(1, code.to_vec()), (HARD_FAULT, all(&[&load(4, HFSR), &exit(4)]))], 1 << 30);
            let enabled = all(&[&store(SHCSR, 7 << 16), code]);
            check(core, &[(1, enabled), (own, all(&[&load(4, CFSR), &exit(4)]))], status);
        }
    }
    check(M4, &[(1, unmapped.clone()), (HARD_FAULT, all(&[&load(4, BFAR), &exit(4)]))], 0x6000_0010);
    // FP instructions are there once they are enabled.
    let enabled = all(&[&store(CPACR, 0xf << 20), &[reg(VmovSR, 0, 13, 0), reg(VmovRS, 4, 0, 0)], &exit(4)]);
    let enabled: Vec<Inst> =
        enabled.into_iter().map(|i| if i.op == VmovSR { Inst { n: Reg(11), ..i } } else { i }).collect();
    check(M4f, &[(1, enabled)], 0xf << 20);
}

/// Where a frame cannot be written the hard fault's handler runs without one; it can look for another stack.
#[test]
fn no_room_for_a_frame() {
    let bottom = all(&[&constant(1, 0x2000_0000), &[msr(MSP, 1), svc(0)]]);
    let handler = all(&[&constant(1, STACK_TOP), &[msr(MSP, 1)], &load(4, CFSR), &exit(4)]);
    let exit = boot(M3, &[(1, bottom), (HARD_FAULT, handler)]).unwrap();
    assert_eq!(exit.end, End::Exit(0x1000));
    let fault = exit.last_fault.unwrap();
    assert!(
        fault.contains("no room on the stack for the frame of SVCall") && fault.contains("sp is 0x1fffffe0"),
        "{fault}"
    );
}

/// A fault that nothing can take is an error that names the instruction and the fault before it.
#[test]
fn lockups() {
    let locked = |code: &[Code], words: &[&str]| {
        let error = boot(M4, code).unwrap_err();
        let text = error.to_string();
        for word in words.iter().chain(&["locked up"]) {
            assert!(text.contains(word), "`{word}` is not in: {text}");
        }
    };
    let udf = |imm| Inst { imm, ..Inst::new(Udf) };
    locked(
        &[(1, vec![udf(1)]), (HARD_FAULT, vec![udf(2)])],
        &["udf #2", "0x00000600", "before that there was a fault", "udf #1"],
    );
    locked(&[(1, vec![udf(1)])], &["vector of HardFault", "udf #1"]);
    // A return that is none.
    let bad_return = vec![wide(imm(MvnImm, 14, 0, 0)), bx_lr()];
    locked(&[(1, vec![svc(0)]), (SVCALL, bad_return)], &["return from an exception to 0xffffffff"]);
}

#[test]
fn registers() {
    // After reset: CPUID, VTOR, CCR, CFSR, MPU_TYPE, DWT_CYCCNT's control, FPCCR.
    for (core, cpuid, fpccr) in [(M3, 0x412f_c231, 0), (M4, 0x410f_c241, 0), (M4f, 0x410f_c241, 0xc000_0000)] {
        let rows: [(u32, u32); 6] =
            [(0xe000_ed00, cpuid), (VTOR, 0), (0xe000_ed14, 0x200), (CFSR, 0), (0xe000_ed90, 0), (FPCCR, fpccr)];
        for (address, expected) in rows {
            check(core, &[(1, all(&[&load(4, address), &exit(4)]))], expected);
        }
    }
    // What cannot be written stays; bytes are written by themselves.
    check(M4, &[(1, all(&[&store(CPACR, u32::MAX), &load(4, CPACR), &exit(4)]))], 0);
    check(M4f, &[(1, all(&[&store(CPACR, u32::MAX), &load(4, CPACR), &exit(4)]))], 0xf << 20);
    let byte = [wide(imm(StrbImm, 11, 12, 2))];
    check(M3, &[(1, all(&[&store(IPR, 0x1122_3344), &byte, &load(4, IPR), &exit(4)]))], 0x1144_3344);
    // Trace ports swallow what is written; the vector table moves.
    check(M3, &[(1, all(&[&store(0xe000_0000, 65), &load(4, 0xe000_0000), &exit(4)]))], 1);
    let moved = all(&[&store(0x2000_0080 + 4 * 11, 0x600 | 1), &store(VTOR, 0x2000_0080), &[svc(0)]]);
    check(M3, &[(1, moved), (SYSTICK, all(&[&event(9), &exit(10)]))], 9);
}

#[test]
fn ends() {
    let ends = |code: Vec<Inst>| boot(M3, &[(1, code), (SYSTICK, vec![bx_lr()])]).unwrap().end;
    assert!(matches!(ends(vec![bkpt()]), End::Breakpoint { immediate: 1, site } if site.address == 0x400));
    assert!(matches!(ends(vec![Inst::new(Wfi), bkpt()]), End::Asleep { site } if site.address == 0x402));
    assert!(matches!(ends(vec![Inst::new(Wfe), bkpt()]), End::Asleep { .. }));
    // A loop that only an interrupt ends: the timer's handler does, unless it is masked.
    let start = all(&[&store(0xe000_e014, 500), &store(0xe000_e018, 0), &store(0xe000_e010, 7)]);
    let spin = |before: &[Inst]| {
        let reset = all(&[before, &[branch(Cond::Al, -4)]]);
        boot(M3, &[(1, reset), (SYSTICK, vec![bkpt()])]).map(|exit| exit.end)
    };
    assert!(matches!(spin(&start), Ok(End::Breakpoint { .. })));
    assert!(matches!(spin(&[]), Err(SimError::Endless(site)) if site.address == 0x400));
    assert!(matches!(spin(&all(&[&[mask_interrupts(true)], &start])), Err(SimError::Endless(_))));
    assert!(matches!(ends(vec![Inst::new(Sev), Inst::new(Wfe), bkpt()]), End::Breakpoint { .. }));
    assert!(matches!(ends(all(&[&store(AIRCR, 0x05fa_0004), &[bkpt()]])), End::Reset { .. }));
    assert!(matches!(ends(all(&[&store(AIRCR, 4), &[bkpt()]])), End::Breakpoint { .. }), "the key is missing");
}

/// SysTick wakes the core: time jumps to when it is due, whether its interrupt is taken or masked.
#[test]
fn sleep() {
    let start = |reload| all(&[&store(0xe000_e014, reload), &store(0xe000_e018, 0), &store(0xe000_e010, 7)]);
    let run = |before: &[Inst], after: &[Inst]| {
        let reset = all(&[before, &start(9999), &[Inst::new(Wfi)], after, &[bkpt()]]);
        let exit = boot(M3, &[(1, reset), (SYSTICK, all(&[&event(1), &[bx_lr()]]))]).unwrap();
        assert!(matches!(exit.end, End::Breakpoint { .. }));
        exit
    };
    let taken = run(&[], &[]);
    // Fifteen instructions, the counter's 10,000 cycles, entry, two instructions, return.
    assert!((10_000..10_060).contains(&taken.cycles), "{}", taken.cycles);
    let masked = run(&[mask_interrupts(true)], &[]);
    assert!(masked.cycles < taken.cycles && masked.cycles >= 10_000);
    assert_eq!(taken.instructions - masked.instructions, 3 - 1);
    // A core that sleeps whenever nothing is to be done wakes only in its handlers, until those are no more.
    let reset = all(&[&store(SCR, 2), &start(999), &[Inst::new(Wfi), bkpt()]]);
    let handler = all(&[
        &event(0),
        &[wide(imm(AddImm, 9, 9, 1)), wide(imm(CmpImm, 0, 9, 3)), wide(branch(Cond::Eq, 2)), bx_lr()],
        &exit(9),
    ]);
    check(M3, &[(1, reset), (SYSTICK, handler)], 3);
}

/// A loop of ten instructions in which r0 is added up a hundred times; the interrupt counts in r4.
#[test]
fn interrupts_from_outside() {
    let body = |register| wide(imm(AddImm, register, register, 1));
    let reset = all(&[
        &store(ISER, 1),
        &constant(0, 0),
        &[wide(imm(MovImm, 1, 0, 100))],
        &[body(0); 8],
        &[wide(flags(imm(SubImm, 1, 1, 1))), wide(branch(Cond::Ne, -36 - 4))],
    ]);
    let count = |result: u8, every: Option<u64>, handler: Vec<Inst>| {
        let mut machine = machine(M3, &[(1, all(&[&reset, &exit(result)])), (IRQ, handler)]);
        if let Some(every) = every {
            machine.interrupt_every(every, Some(0));
        }
        match machine.boot(&mut std::io::sink()).unwrap().end {
            End::Exit(code) => code,
            end => panic!("{end}"),
        }
    };
    let short = vec![body(4), bx_lr()];
    let long = all(&[&[body(4)], &[wide(Inst::new(Nop)); 20], &[bx_lr()]]);
    for handler in [short, long] {
        assert_eq!(count(0, None, handler.clone()), 800);
        assert_eq!(count(0, Some(10), handler.clone()), 800);
        assert_eq!(count(4, None, handler.clone()), 0);
        // 1000 instructions in the loop, and a few before and after it; those of the handler do not count.
        assert!((100..=102).contains(&count(4, Some(10), handler.clone())), "{}", count(4, Some(10), handler));
    }
}

/// Keeps r1 below sp for a while, in a core or in an FP register.
fn hides(fp: bool) -> Vec<Inst> {
    let pause = [wide(Inst::new(Nop)); 12];
    if fp {
        let (hide, find) = (imm(VstrS, 0, 13, -8), imm(VldrS, 1, 13, -8));
        return all(&[&[reg(VmovSR, 0, 1, 0), hide], &pause, &[find, reg(VmovRS, 0, 1, 0), bx_lr()]]);
    }
    all(&[&[wide(imm(StrImm, 1, 13, -8))], &pause, &[wide(imm(LdrImm, 0, 13, -8)), bx_lr()]])
}

/// The same, but above sp.
fn keeps(fp: bool) -> Vec<Inst> {
    let pause = [wide(Inst::new(Nop)); 12];
    let (down, up) = (wide(imm(SubImm, 13, 13, 16)), wide(imm(AddImm, 13, 13, 16)));
    if fp {
        let (save, restore) = (imm(VstrS, 0, 13, 0), imm(VldrS, 1, 13, 0));
        return all(&[&[down, reg(VmovSR, 0, 1, 0), save], &pause, &[restore, up, reg(VmovRS, 0, 1, 0), bx_lr()]]);
    }
    all(&[&[down, wide(imm(StrImm, 1, 13, 0))], &pause, &[wide(imm(LdrImm, 0, 13, 0)), up, bx_lr()]])
}

#[test]
fn functions_that_are_interrupted() {
    let args: [Arg; 2] = [5.into(), 0x1234_5678.into()];
    for (code, fp, sound) in [
        (hides(false), false, false),
        (hides(true), true, false),
        (keeps(false), false, true),
        (keeps(true), true, true),
    ] {
        let core = if fp { M4f } else { M4 };
        let mut machine = common::machine(&code, core, Memory::default());
        let quiet = machine.call(&args).unwrap();
        assert_eq!(quiet.returns, 0x1234_5678);
        assert_eq!(quiet.violations.is_empty(), sound);
        for every in [1, 3, 10] {
            machine.interrupt_every(every, None);
            let report = machine.call(&args).unwrap();
            assert_eq!(report.returns == 0x1234_5678, sound, "every {every}: {:#x}", report.returns);
            // The stand-in takes no time and leaves no trace but that.
            assert_eq!((report.cycles, report.stack_bytes), (quiet.cycles, quiet.stack_bytes));
        }
    }
    let mut machine = common::machine(&[bx_lr()], M4, Memory::default());
    machine.interrupt_every(10, Some(3));
    assert!(machine.call(&[]).unwrap_err().to_string().contains("no interrupt controller"));
}

/// Whatever is in the image, the run ends with a result or an error.
#[test]
fn any_image_at_all() {
    let (mut ended, mut failed) = (0, 0);
    for seed in 0..400u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
        };
        // Vectors lead somewhere into the code, most of which are random instructions with stores to system registers between.
        let mut bytes: Vec<u8> = (0..0x1000).map(|_| next() as u8).collect();
        for vector in 1..64 {
            let address = (0x100 + next() % 0xe00) | 1;
            bytes[4 * vector..4 * vector + 4].copy_from_slice(&address.to_le_bytes());
        }
        bytes[..4].copy_from_slice(&(STACK_TOP - 4 * (next() % 8)).to_le_bytes());
        for _ in 0..40 {
            let register = 0xe000_e000 + 4 * (next() % 0x3d0);
            let at = (0x100 + (next() % 0xdc0) as usize) & !1;
            let piece = assemble(&store(register, next()));
            bytes[at..at + piece.len()].copy_from_slice(&piece);
        }
        let flash = Segment { name: "flash".into(), base: 0, bytes, permissions: Permissions::READ_EXECUTE };
        let ram =
            Segment { name: "RAM".into(), base: 0x2000_0000, bytes: vec![0; 0x1000], permissions: Permissions::ALL };
        let program = Program { segments: vec![flash, ram], entry: 0, symbols: vec![] };
        let mut machine = Machine::new(program, [M3, M4f][seed as usize % 2], Memory::default()).unwrap();
        machine.set_limit(20_000);
        match seed % 3 {
            0 => machine.interrupt_every(7, None),
            1 => machine.interrupt_every(7, Some(5)),
            _ => {}
        }
        match machine.boot(&mut std::io::sink()) {
            Ok(_) => ended += 1,
            Err(_) => failed += 1,
        }
    }
    assert!(ended > 0 && failed > 0, "{ended} {failed}");
}
