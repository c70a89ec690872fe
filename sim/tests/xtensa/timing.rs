//! The rules of the cycle model, one row each, with the number of cycles that the rule predicts on LX6 and LX7.
//!
//! Counts are worked out by hand from the rule that a row names, not taken from the model.

use super::assemble::{assemble, code};
use isa::xtensa::{Inst, Op};
use sim::cycles::xtensa::{Core, Costs, Event, Flow, Pipeline, Timing, of_straight_line};

/// A rule, straight code that starts at a multiple of 4, and its cycles on LX6 and LX7. The last instruction may jump.
const STRAIGHT: &[(&str, &str, u64, u64)] = &[
    ("one a cycle", "add a3, a4, a5; sub a6, a3, a4; slli a7, a6, 3; src a8, a7, a3", 4, 4),
    ("density forms too", "add.n a3, a4, a5; mov.n a6, a3; movi.n a7, 3; addi.n a7, a7, 1", 4, 4),
    ("SAR is there at once", "ssai 5; src a3, a4, a5; ssl a3; sll a4, a4", 4, 4),
    ("load, next", "l32i a3, a2, 0; add a4, a3, a3", 2 + 2, 2 + 1),
    ("load, next but one", "l32i a3, a2, 0; nop; add a4, a3, a3", 3 + 1, 3),
    ("load, next but two", "l32i a3, a2, 0; nop; nop; add a4, a3, a3", 4, 4),
    ("load of a narrow form", "l32i.n a3, a2, 0; add a4, a3, a3", 2 + 2, 2 + 1),
    ("load of a byte", "l8ui a3, a2, 0; add a4, a3, a3", 2 + 2, 2 + 1),
    ("L32R as a load", "l32r a3, -4; add a4, a3, a3", 2 + 2, 2 + 1),
    ("loads follow each other", "l32i a3, a2, 0; l32i a4, a2, 4; l32i a5, a2, 8", 3, 3),
    ("load, address", "l32i a3, a2, 0; l32i a4, a3, 0", 2 + 2, 2 + 1),
    ("load, stored", "l32i a3, a2, 0; s32i a3, a2, 4", 2 + 2, 2 + 1),
    ("load that nobody waits for", "l32i a3, a2, 0; movi a3, 1; add a4, a3, a3", 3, 3),
    ("store", "s32i a3, a2, 0; l32i a4, a2, 0; s32i a3, a2, 4", 3, 3),
    ("MULL, next", "mull a3, a4, a5; add a6, a3, a3", 2 + 2, 2 + 1),
    ("MULUH, next but one", "muluh a3, a4, a5; nop; add a6, a3, a3", 3 + 1, 3),
    ("MUL16, next", "mul16u a3, a4, a5; add a6, a3, a3", 2 + 2, 2 + 1),
    ("multiplications follow each other", "mull a3, a4, a5; muluh a6, a4, a5; mull a7, a4, a5", 3, 3),
    ("RSR, next", "rsr a3, sar; add a4, a3, a3", 2 + 1, 2 + 1),
    ("XSR, next", "xsr a3, m0; add a4, a3, a3", 2 + 1, 2 + 1),
    ("XSR, next but one", "xsr a3, m0; nop; add a4, a3, a3", 3, 3),
    ("XSR of one register twice", "xsr a3, m0; xsr a4, m0; xsr a5, m0", 3, 3),
    ("WSR, XSR", "wsr a3, m0; xsr a4, m0", 2, 2),
    ("RUR, next", "rur a3, threadptr; add a4, a3, a3", 2 + 1, 2 + 1),
    ("MAC16 follows itself", "mula.aa.ll a3, a4; mula.aa.hl a3, a4; mula.aa.hh a3, a4", 3, 3),
    ("MAC16 waits for its load", "ldinc m0, a2; mula.dd.ll m0, m2", 2 + 2, 2 + 1),
    ("the moved base is there at once", "ldinc m0, a2; ldinc m1, a2; addi a2, a2, 4", 3, 3),
    ("division", "quou a3, a4, a5; add a6, a3, a3", 18 + 1, 18 + 1),
    ("floating point, next", "add.s f1, f2, f3; mul.s f4, f1, f2", 2 + 3, 2 + 3),
    ("floating point, next but two", "madd.s f1, f2, f3; nop; nop; madd.s f1, f4, f5", 4 + 1, 4 + 1),
    ("floating point, independent", "madd.s f1, f2, f3; madd.s f4, f2, f3; madd.s f5, f2, f3", 3, 3),
    ("load, floating point", "lsi f1, a2, 0; madd.s f3, f1, f2", 2, 2),
    ("floating point, stored", "add.s f1, f2, f3; ssi f1, a2, 0", 2 + 3, 2 + 3),
    ("FLOAT.S, next", "float.s f1, a3, 0; add.s f2, f1, f1", 2 + 1, 2 + 1),
    ("TRUNC.S, next", "trunc.s a3, f1, 0; add a4, a3, a3", 2 + 1, 2 + 1),
    ("WFR, next", "wfr f1, a3; add.s f2, f1, f1", 2, 2),
    ("RFR, next", "rfr a3, f1; add a4, a3, a3", 2 + 2, 2 + 1),
    ("comparison, branch", "olt.s b0, f1, f2; bt b0, here", 2 + 2 + 3, 2 + 1 + 2),
    ("MOV.S, next", "mov.s f1, f2; add.s f3, f1, f1", 2, 2),
    ("J", "j here", 1 + 3, 1 + 2),
    ("JX", "jx a3", 1 + 3, 1 + 2),
    ("CALL8", "call8 here", 1 + 3, 1 + 2),
    ("RET waits for its address", "l32i a0, a1, 0; ret.n", 2 + 2 + 3, 2 + 1 + 2),
    ("ENTRY and RETW", "entry a1, 32; retw.n", 2 + 3, 2 + 2),
    ("a window's registers are there", "l32i a3, a1, 0; entry a1, 32; add a4, a3, a3", 3, 3),
    ("branch not taken", "beqz a3, here; nop", 2, 2),
    ("LOOP", "loop a3, 4; nop", 2 + 1, 2 + 1),
    ("ISYNC", "isync; nop", 7 + 1, 5 + 1),
    ("MEMW", "memw; nop", 4 + 1, 3 + 1),
    ("S32C1I", "s32c1i a3, a2, 0; nop", 4 + 1, 3 + 1),
    ("RSIL", "rsil a3, 1; nop", 3 + 1, 3 + 1),
];

/// Cycles of straight code; a branch that is the last is taken.
fn straight(source: &str, costs: &Costs) -> u64 {
    let mut pipeline = Pipeline::with(costs);
    let code = assemble(&format!("here:\n{source}"), 0).code;
    let last = code.len() - 1;
    for (index, (address, inst, length)) in code.into_iter().enumerate() {
        let timing = Timing::with(&inst, length, costs);
        let jumps = index == last && (timing.leaves() || inst.op == Op::Bt);
        pipeline.step(&timing, &Event { flow: if jumps { Flow::Jump } else { Flow::Next }, ..Event::at(address) });
    }
    pipeline.cycles()
}

/// Rows of [`STRAIGHT`] that these numbers do not give.
fn straight_wrong(core: Core, costs: &Costs) -> Vec<&'static str> {
    let expected = |row: &(&str, &str, u64, u64)| if core == Core::Lx6 { row.2 } else { row.3 };
    STRAIGHT.iter().filter(|row| straight(row.1, costs) != expected(row)).map(|row| row.0).collect()
}

#[test]
fn straight_code() {
    for core in [Core::Lx6, Core::Lx7] {
        assert_eq!(straight_wrong(core, &Costs::of(core)), [""; 0], "{core:?}");
    }
}

#[test]
fn static_count() {
    for (rule, source, lx6, lx7) in STRAIGHT.iter().filter(|row| !row.1.contains("here")) {
        for (core, cycles) in [(Core::Lx6, lx6), (Core::Lx7, lx7)] {
            assert_eq!(of_straight_line(&code(source), core), *cycles, "{rule}, {core:?}");
        }
    }
}

/// A rule, what is before a loop, its body, what goes back to its beginning, and the cycles of a repetition.
const LOOPS: &[(&str, &str, &str, u64, u64)] = &[
    ("ADDI and BNEZ take 5", "", "addi a3, a3, -1; bnez a3, top", 5, 4),
    ("going back is free", "nop.n; loop a3, end", "nop; nop; nop", 3, 3),
    ("a body of one", "nop.n; loop a3, end", "nop", 1, 1),
    ("operands are waited for over the border", "nop.n; loop a3, end", "add a4, a5, a5; l32i a5, a2, 0", 2 + 2, 2 + 1),
    ("a target at 1 mod 4", "nop; nop; nop", "addi a3, a3, -1; bnez a3, top", 5, 4),
    ("a target at 2 mod 4 across two words: +1", "nop.n", "addi a3, a3, -1; bnez a3, top", 5 + 1, 4 + 1),
    ("a target at 3 mod 4 across two words: +1", "nop", "addi a3, a3, -1; bnez a3, top", 5 + 1, 4 + 1),
    ("a narrow target at 2 mod 4", "nop.n", "addi.n a3, a3, -1; bnez a3, top", 5, 4),
    ("a narrow target at 3 mod 4: +1", "nop", "addi.n a3, a3, -1; bnez a3, top", 5 + 1, 4 + 1),
    ("a loop's first instruction at 3 mod 4: +1", "loop a3, end", "nop; nop; nop", 3 + 1, 3 + 1),
    ("a loop's first instruction across two words: +1", "nop; loop a3, end", "nop; nop; nop", 3 + 1, 3 + 1),
    (
        "the second word comes while an operand is waited for",
        "nop; loop a3, end",
        "add a4, a5, a5; l32i a5, a2, 0",
        4,
        3,
    ),
    // Published counts per repetition of esp-dsp's loops on ESP32; those for LX7 follow from the rules.
    (
        "esp-dsp, dot product of floats: 4",
        "nop.n; loopnez a4, end",
        "lsx f2, a2, a5; madd.s f1, f2, f0; add.n a5, a5, a6; lsx f0, a3, a5",
        4,
        4,
    ),
    (
        "esp-dsp, biquad: 17",
        "nop.n; loopnez a4, end",
        "madd.s f9, f7, f5; addi a3, a3, 4; mul.s f10, f1, f7; madd.s f9, f8, f6; madd.s f10, f9, f0; addi a2, a2, 4; \
         madd.s f10, f2, f8; mov.s f8, f7; mov.s f7, f9; lsi f9, a2, 0; ssi f10, a3, 0",
        17,
        17,
    ),
    (
        "esp-dsp, dot product of 16-bit integers: 6",
        "nop.n; loopnez a4, end",
        "mula.dd.hh.ldinc m0, a2, m0, m2; mula.dd.ll.ldinc m2, a3, m1, m3; mula.dd.hh.ldinc m1, a2, m1, m3; \
         mula.dd.ll.ldinc m3, a3, m0, m2",
        6,
        4,
    ),
];

/// Cycles of one of many repetitions.
fn repetition(before: &str, body: &str, costs: &Costs) -> u64 {
    let source = format!("{before}\ntop:\n{body}\nend:");
    let code = assemble(&source, 0).code;
    let first = before.split(';').filter(|line| !line.trim().is_empty()).count();
    let timing: Vec<Timing> = code.iter().map(|(_, inst, length)| Timing::with(inst, *length, costs)).collect();
    let back = if before.contains("loop") { Flow::Back } else { Flow::Jump };
    let run = |times: usize| {
        let mut pipeline = Pipeline::with(costs);
        let body = (0..times).flat_map(|_| first..code.len());
        for index in (0..first).chain(body) {
            let flow = if index + 1 == code.len() { back } else { Flow::Next };
            pipeline.step(&timing[index], &Event { flow, ..Event::at(code[index].0) });
        }
        pipeline.cycles()
    };
    run(12) - run(11)
}

fn loops_wrong(core: Core, costs: &Costs) -> Vec<&'static str> {
    let expected = |row: &(&str, &str, &str, u64, u64)| if core == Core::Lx6 { row.3 } else { row.4 };
    LOOPS.iter().filter(|row| repetition(row.1, row.2, costs) != expected(row)).map(|row| row.0).collect()
}

#[test]
fn loops() {
    for core in [Core::Lx6, Core::Lx7] {
        assert_eq!(loops_wrong(core, &Costs::of(core)), [""; 0], "{core:?}");
    }
}

/// Accesses: bytes, low bits of the address, cycles beyond one.
#[test]
fn accesses_are_split() {
    let cycles = |text: &str, data: u32, core: Core| {
        let (inst, length): (Inst, u32) = code(text)[0];
        let mut pipeline = Pipeline::new(core);
        pipeline.step(&Timing::of(&inst, length, core), &Event { data, ..Event::at(0) });
        pipeline.cycles() - 1
    };
    let rows = [("l32i a3, a2, 0", 4, 0, 0), ("l32i a3, a2, 0", 1, 1, 0), ("s32i a3, a2, 0", 14, 1, 1)];
    for (text, data, lx6, lx7) in rows.into_iter().chain([("l16ui a3, a2, 0", 3, 1, 0), ("l8ui a3, a2, 0", 3, 0, 0)]) {
        assert_eq!([cycles(text, data, Core::Lx6), cycles(text, data, Core::Lx7)], [lx6, lx7], "{text} at {data}");
    }
}

/// One of the numbers.
type Place = fn(&mut Costs) -> &mut u8;

/// Each number that is changed makes a row wrong.
#[test]
fn planted_faults_are_found() {
    let fields: [(&str, Place); 18] = [
        ("taken", |c| &mut c.taken),
        ("straddle", |c| &mut c.straddle),
        ("loop_setup", |c| &mut c.loop_setup),
        ("entry", |c| &mut c.entry),
        ("window_return", |c| &mut c.window_return),
        ("load", |c| &mut c.load),
        ("float_load", |c| &mut c.float_load),
        ("multiply", |c| &mut c.multiply),
        ("read_special", |c| &mut c.read_special),
        ("float", |c| &mut c.float),
        ("float_convert", |c| &mut c.float_convert),
        ("from_float", |c| &mut c.from_float),
        ("float_move", |c| &mut c.float_move),
        ("divide", |c| &mut c.divide),
        ("isync", |c| &mut c.isync),
        ("barrier", |c| &mut c.barrier),
        ("exchange", |c| &mut c.exchange),
        ("system", |c| &mut c.system),
    ];
    for core in [Core::Lx6, Core::Lx7] {
        for (name, field) in fields {
            for less in [false, true] {
                let mut costs = Costs::of(core);
                let value = field(&mut costs);
                *value = if less { value.saturating_sub(1) } else { *value + 1 };
                // What cannot be less: a latency of 1 is none, and so is a cost of 0.
                let same = costs == Costs::of(core) || *field(&mut costs) == 0 && !less;
                let free = less && ["float_load", "float_move"].contains(&name);
                let wrong = straight_wrong(core, &costs).len() + loops_wrong(core, &costs).len();
                assert!(wrong > 0 || same || free, "{name}, {core:?}: {costs:?}");
            }
        }
    }
}
