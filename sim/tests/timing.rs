//! The rules of the cycle model, one row each, with the number of cycles that the rule predicts.
//!
//! Code is entered at a word-aligned address, with r0 and r1 pointing to aligned memory of their own; `bx lr` and its 3
//! cycles are added. Counts are worked out by hand from the rule that a row names, not taken from the model.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst, Mode, Op};
use sim::cycles::Core::{M3, M4, M4f};
use sim::cycles::{Core, Memory, Profile, of_straight_line};
use sim::{Arg, Buffer};

const IDEAL: Memory = Memory { profile: Profile::Ideal, wait_states: 0 };
const SRAM1: Memory = Memory { profile: Profile::F407Sram1, wait_states: 0 };
const SRAM2: Memory = Memory { profile: Profile::F407Sram2, wait_states: 0 };

/// Runs `code` and its return; `cycles` are those of `code` alone.
fn check(rule: &str, core: Core, memory: Memory, code: &[Inst], cycles: u64) {
    let mut code = code.to_vec();
    code.push(bx_lr());
    let args: Vec<Arg> = vec![zeros(256), zeros(256), 7.into(), 9.into()];
    let mut machine = machine(&code, core, memory);
    // The first time each run of instructions is stepped, the second time it is looked up, the third time each instruction
    // is stepped by itself.
    for round in ["first", "second", "traced"] {
        if round == "traced" {
            machine.set_trace(Box::new(|_| {}));
        }
        let report = machine.call(&args).unwrap_or_else(|error| panic!("{rule}: {error}"));
        assert_eq!(report.cycles, cycles + 3, "{rule}, on {core:?}, {memory:?}, {round} call");
    }
    // The static count of the same code, which knows neither jumps inside it nor addresses.
    let straight = !code[..code.len() - 1].iter().any(|i| i.effects().control != isa::thumb::Control::Next);
    if straight && !rule.contains("unaligned") && !rule.contains("skipped") {
        assert_eq!(of_straight_line(&lengths(&code), core, memory), cycles + 3, "{rule}, static");
    }
}

fn add() -> Inst {
    wide(reg(AddReg, 5, 6, 7))
}

fn adds(count: usize) -> Vec<Inst> {
    vec![add(); count]
}

fn ldr(d: u8, n: u8) -> Inst {
    wide(imm(LdrImm, d, n, 4))
}

fn str(d: u8, n: u8) -> Inst {
    wide(imm(StrImm, d, n, 8))
}

fn ldr_post(d: u8, n: u8) -> Inst {
    mode(Mode::PostIndex, imm(LdrImm, d, n, 4))
}

fn ldm(n: u8, registers: u32) -> Inst {
    wide(list(Ldm, n, registers, Mode::Offset))
}

fn stm(n: u8, registers: u32) -> Inst {
    wide(list(Stm, n, registers, Mode::Offset))
}

fn nop() -> Inst {
    Inst::new(Nop)
}

#[test]
fn data_processing() {
    for core in [M3, M4, M4f] {
        check("1.2 data processing", core, IDEAL, &[add(), ror(add(), 7), wide(imm(Movw, 4, 0, 5))], 3);
        check(
            "1.2 data processing, 16-bit",
            core,
            IDEAL,
            &[flags(reg(AddReg, 4, 5, 6)), flags(imm(MovImm, 4, 0, 1))],
            2,
        );
        check("1.2 MUL", core, IDEAL, &[reg(Mul, 5, 6, 7), add()], 2);
        check("1.2 UDIV, maximum", core, IDEAL, &[reg(Udiv, 5, 6, 7), add()], 13);
    }
    for (core, mla, long, accumulate) in [(M3, 2, 5, 7), (M4, 1, 1, 1)] {
        check("1.2 MLA", core, IDEAL, &[four(Mla, 4, 5, 6, 7), add()], mla + 1);
        check("1.5 UMULL", core, IDEAL, &[four(Umull, 4, 5, 6, 7), add()], long + 1);
        check("1.5 UMLAL", core, IDEAL, &[four(Umlal, 4, 5, 6, 7), add()], accumulate + 1);
    }
    check("1.2 UMAAL, accumulator chains run 1 a cycle", M4, IDEAL, &[four(Umaal, 4, 5, 6, 7); 4], 4);
    check("1.2 SMLAD, no result-to-use stall", M4, IDEAL, &[four(Smlad, 5, 5, 6, 7); 3], 3);
}

#[test]
fn loads_and_stores() {
    let two = 1 << 4 | 1 << 5;
    for core in [M3, M4] {
        check("1.2 LDR, isolated", core, IDEAL, &[add(), ldr(4, 1), add()], 4);
        check("1.2 n pipelined LDRs take n + 1", core, IDEAL, &[ldr(4, 1), ldr(5, 0), ldr(6, 1), ldr(7, 0)], 5);
        check("1.2 STR", core, IDEAL, &[str(4, 1), str(5, 0), str(6, 1)], 3);
        check("1.2 STR [Rn, Rm]", core, IDEAL, &[wide(reg(StrbReg, 4, 1, 2)), add()], 3);
        check("1.2 STR [Rn, Rm] absorbs a NOP", core, IDEAL, &[wide(reg(StrbReg, 4, 1, 2)), wide(nop()), add()], 3);
        check("1.2 NOP after LDR is absorbed", core, IDEAL, &[ldr(4, 1), wide(nop()), add()], 3);
        check("1.2 the second NOP after LDR is not", core, IDEAL, &[ldr(4, 1), wide(nop()), wide(nop()), add()], 4);
        check("1.2 LDM of n takes 1 + n", core, IDEAL, &[ldm(1, 0xf0), add()], 6);
        check("1.2 STM of n takes 1 + n", core, IDEAL, &[stm(1, 0xf0), add()], 6);
        check("1.2 LDRD", core, IDEAL, &[four(LdrdImm, 4, 5, 1, 0), add()], 4);
        check("1.2 STRD", core, IDEAL, &[four(StrdImm, 4, 5, 1, 0), add()], 4);
        check("1.2 PUSH and POP of n take 1 + n", core, IDEAL, &[wide(push(two)), wide(pop(two)), add()], 7);
        check("1.3.2 ALU result as the next address: +1", core, IDEAL, &[imm(AddwImm, 1, 1, 4), ldr(4, 1), add()], 5);
        check("1.3.2 for a store too", core, IDEAL, &[imm(AddwImm, 1, 1, 4), str(4, 1), add()], 4);
        check("1.3.2 not for the next but one", core, IDEAL, &[imm(AddwImm, 1, 1, 4), add(), ldr(4, 1), add()], 5);
        check("1.3.2 offset register", core, IDEAL, &[imm(Movw, 2, 0, 4), wide(reg(LdrbReg, 4, 1, 2)), add()], 5);
        check("1.3.3 STR, LDR: +1", core, IDEAL, &[str(4, 1), ldr(5, 1), add()], 5);
        check("1.3.3 STR, LDM: +1", core, IDEAL, &[str(4, 1), ldm(1, two), add()], 6);
        check("1.3.3 STR, STM: nothing", core, IDEAL, &[str(4, 1), stm(1, two), add()], 5);
        check("1.3.4 LDR, STR: 3 as Arm documents", core, IDEAL, &[ldr(4, 1), str(5, 1), add()], 4);
        check("1.3.5 LDM, LDR: no overlap", core, IDEAL, &[ldm(1, two), ldr(6, 1), add()], 6);
        check("1.3.5 LDR, LDM: no overlap", core, IDEAL, &[ldr(6, 1), ldm(1, two), add()], 6);
    }
    check(
        "1.3.2 LDR result as the next address: 2 + 2",
        M4,
        IDEAL,
        &[pointer(), ldr(4, 1), ldr(5, 4), add()],
        4 + 2 + 1,
    );
}

/// Stores the address in r0 where `ldr(4, 1)` loads it.
fn pointer() -> Inst {
    wide(imm(StrImm, 0, 1, 4))
}

#[test]
fn indexed_loads() {
    let plain = wide(imm(LdrImm, 5, 0, 4));
    check("1.3.1 M4: indexed loads with different bases chain", M4, IDEAL, &[ldr_post(4, 0), ldr_post(5, 1), add()], 4);
    check("1.3.1 M4: with the same base they do not", M4, IDEAL, &[ldr_post(4, 0), ldr_post(5, 0), add()], 5);
    check("1.3.1 M3: indexed loads do not chain", M3, IDEAL, &[ldr_post(4, 0), ldr_post(5, 1), add()], 5);
    check("1.3.1 M3: the first of a chain may be indexed", M3, IDEAL, &[ldr_post(4, 1), plain, add()], 4);
}

#[test]
fn unaligned_accesses() {
    let load = |offset| wide(imm(LdrImm, 4, 1, offset));
    let half = |offset| wide(imm(LdrhImm, 4, 1, offset));
    let store = |offset| wide(imm(StrImm, 4, 1, offset));
    for (offset, cycles) in [(0, 2), (1, 4), (2, 3), (3, 4)] {
        check("1.3.7 unaligned LDR", M4, IDEAL, &[load(offset), add()], cycles + 1);
    }
    check("1.3.7 unaligned LDRH", M4, IDEAL, &[half(1), add()], 4);
    check("1.3.7 unaligned stores hide in the write buffer", M4, IDEAL, &[store(2), add(), add()], 3);
    check("1.3.9 the store after an unaligned store waits", M4, IDEAL, &[store(2), store(8), add()], 4);
}

#[test]
fn branches() {
    let target = |inst: Inst| [branch(Cond::Al, 0), nop(), inst, add()];
    check("1.2 B to a 16-bit target", M4, IDEAL, &target(nop()), 2 + 2);
    let aligned = [wide(branch(Cond::Al, 0)), add(), add()];
    check("1.2 B to an aligned 32-bit target", M4, IDEAL, &[&aligned[..1], &aligned[1..]].concat(), 2 + 2);
    // b at 0, wide target at 6.
    check("1.2 B to a 32-bit target at 2 mod 4: +1", M4, IDEAL, &[branch(Cond::Al, 2), add(), add(), add()], 3 + 2);
    let clear = wide(flags(imm(MovImm, 4, 0, 1)));
    let not_taken = |after: &[Inst]| [&[clear, wide(branch(Cond::Eq, 0))], after].concat();
    check("1.2 Bcc not taken", M4, IDEAL, &not_taken(&[nop(), nop(), add(), add()]), 1 + 1 + 4);
    check("1.2 Bcc not taken, wide code after it: +1", M4, IDEAL, &not_taken(&adds(4)), 1 + 2 + 4);
    check("1.2 TBB", M4, IDEAL, &[wide(imm(MovImm, 4, 0, 0)), reg(Tbb, 0, 15, 4), nop(), nop()], 1 + 1 + 6 + 2);
    check("1.2 ISB refills", M4, IDEAL, &[Inst { imm: 15, ..Inst::new(Isb) }, add()], 4);
}

#[test]
fn returns() {
    // The return is part of these; `check` adds a `bx lr` that is not reached.
    let popped = [push(1 << 4 | 1 << 14), pop(1 << 4 | 1 << 15)];
    check("1.2 POP {.., pc}: 1 + n + 3", M4, IDEAL, &popped, 3 + 1 + 2 + 3 - 3);
    let loaded = wide(imm(LdrImm, 15, 13, 4));
    check("1.2 LDR pc: 2 + 3", M4, IDEAL, &[wide(push(1 << 4 | 1 << 14)), loaded], 3 + 5 - 3);
    check("1.2 BX: 1 + 2", M4, IDEAL, &[], 0);
}

#[test]
fn it_blocks() {
    let it = Inst { cond: Cond::Eq, imm2: 8, ..Inst::new(It) };
    let narrow = imm(CmpImm, 0, 2, 7);
    let moved = when(Cond::Eq, imm(MovImm, 4, 0, 1));
    let skipped = [imm(CmpImm, 0, 2, 8), it, moved, nop()];
    check("1.2 IT after a 16-bit instruction is folded", M4, IDEAL, &[narrow, it, moved, nop()], 3);
    check("1.2 IT after a 32-bit instruction is not", M4, IDEAL, &[wide(narrow), it, moved], 3);
    check("1.2 skipped instructions take 1", M4, IDEAL, &skipped, 3);
    let load = when(Cond::Eq, wide(imm(LdrImm, 4, 1, 0)));
    check("1.2 skipped loads take 1", M4, IDEAL, &[imm(CmpImm, 0, 2, 8), it, load, add()], 3);
}

#[test]
fn alignment_of_wide_code() {
    let divide = reg(Udiv, 5, 6, 7);
    let with = |front: &[Inst], wide: usize| [front, &adds(wide)].concat();
    check("1.1 aligned: nothing", M4, IDEAL, &with(&[divide], 4), 12 + 4);
    check("1.1 multi-cycle, then three or more at 2 mod 4: +1", M4, IDEAL, &with(&[nop(), divide], 4), 1 + 12 + 4 + 1);
    check("1.1 only two of them: nothing", M4, IDEAL, &with(&[nop(), divide], 2), 1 + 12 + 2);
    check("1.1 a 16-bit instruction in between: nothing", M4, IDEAL, &with(&[nop(), divide, nop()], 4), 1 + 12 + 1 + 4);
    // Three literal loads take the fetch slots of cycles 3, 4 and 5, so that word 3 is fetched in cycle 6 and not in 3; it
    // can be decoded in cycle 8, and its instruction executes in cycle 9 and not in 7.
    let literal = wide(imm(LdrLit, 4, 0, 8));
    check("1.3.8 a literal load blocks a fetch", M4, IDEAL, &with(&[literal; 3], 3), 4 + 3 + 2);
}

#[test]
fn floating_point() {
    let fp = |op: Op, d: u8, n: u8, m: u8| reg(op, d, n, m);
    let listed = |op: Op| list(op, 0, 0xf0, Mode::Offset);
    let rows: &[(&str, &[Inst], u64)] = &[
        ("VADD", &[fp(VaddS, 1, 2, 3), fp(VaddS, 4, 5, 6)], 2),
        ("VADD whose result the next one uses: +1", &[fp(VaddS, 1, 2, 3), fp(VaddS, 4, 1, 6)], 3),
        ("VADD whose result the next but one uses", &[fp(VaddS, 1, 2, 3), add(), fp(VaddS, 4, 1, 6)], 3),
        ("VMLA", &[fp(VmlaS, 1, 2, 3)], 3),
        ("VDIV", &[fp(VdivS, 1, 2, 3)], 14),
        ("VSQRT", &[fp(VsqrtS, 1, 0, 3)], 14),
        ("VMOV core to S and back", &[fp(VmovSR, 1, 4, 0), fp(VmovRS, 4, 1, 0)], 2),
        ("VMOV of two words", &[four(VmovSSRR, 2, 5, 4, 0)], 2),
        ("VMOV result as the next address: +1", &[fp(VmovSR, 1, 1, 0), fp(VmovRS, 1, 1, 0), ldr(4, 1)], 5),
        ("VLDR of an S register", &[imm(VldrS, 1, 1, 0)], 2),
        ("VLDR of a D register", &[imm(VldrD, 1, 1, 0)], 3),
        ("VSTR of an S register", &[imm(VstrS, 1, 1, 0)], 2),
        ("VPUSH and VPOP of n take 1 + n", &[listed(VpushS), listed(VpopS)], 10),
    ];
    for (rule, code, cycles) in rows {
        check(&format!("1.2 {rule}"), M4f, IDEAL, &[code, &[add()][..]].concat(), cycles + 1);
    }
}

#[test]
fn f407_memories() {
    let two = 1 << 4 | 1 << 5;
    let rows: &[(&str, &[Inst], u64, u64)] = &[
        ("LDR, STR", &[ldr(4, 1), str(5, 1)], 3, 4),
        ("STR, LDR", &[str(5, 1), ldr(4, 1)], 5, 5),
        ("STM, LDR", &[stm(1, two), ldr(6, 1)], 6, 7),
        ("LDM, STM", &[ldm(1, two), stm(1, two)], 7, 8),
        ("LDR, LDR", &[ldr(4, 1), ldr(5, 1)], 3, 4),
        ("STR", &[str(4, 1)], 1, 1),
        ("PUSH, POP", &[wide(push(two)), wide(pop(two))], 7, 8),
    ];
    for (rule, code, sram1, sram2) in rows {
        // Wide code behind it shows a late release of the buffer; two instructions do not.
        let code = [*code, &[add()][..]].concat();
        check(&format!("1.4 T-rule, {rule}"), M4, SRAM1, &code, sram1 + 1);
        check(&format!("1.4 S-rule, {rule}"), M4, SRAM2, &code, sram2 + 1);
    }
}

#[test]
fn flash_wait_states() {
    let waiting = |wait_states| Memory { profile: Profile::Ideal, wait_states };
    // The first line comes w cycles late; each line of two words takes 1 + w to read, while the one before is used.
    check("1.4 one wait state keeps up", M3, waiting(1), &adds(16), 16 + 1);
    check("1.4 two wait states: three cycles for two words", M3, waiting(2), &adds(16), 2 + 8 * 3);
}

/// The 20-cycle loop of the published measurements: 17 wide instructions, SUBS, BNE.
#[test]
fn loops() {
    let body = [adds(17), vec![wide(flags(imm(SubImm, 2, 2, 1))), wide(branch(Cond::Ne, -76))]].concat();
    let code = [body, vec![bx_lr()]].concat();
    let cycles = |times: u32| {
        let args = [zeros(16), zeros(16), times.into()];
        call(&code, M4, &args).unwrap().cycles
    };
    let mut traced = machine(&code, M4, IDEAL);
    traced.set_trace(Box::new(|_| {}));
    assert_eq!(traced.call(&[zeros(16), zeros(16), 50.into()]).unwrap().cycles, cycles(50));
    for times in [2, 3, 100] {
        assert_eq!(cycles(times + 1) - cycles(times), 20, "1.2 a loop of 18 and a taken branch, {times} times");
    }
    let data: Arg = Buffer::new(vec![0; 16]).into();
    let report = call(&code, M4, &[data, zeros(16), 100.into()]).unwrap();
    assert_eq!((report.instructions, report.taken_branches), (100 * 19 + 1, 100));
}
