//! Calls: arguments, results, windows that overflow, interrupts.

use super::{args, call, framed, machine, program};
use sim::xtensa::Abi::{self, Call0, Windowed};
use sim::xtensa::{Core, Machine};
use sim::{Arg, Buffer};

/// The value that a call returns, without violations.
fn returns(source: &str, abi: Abi, args: &[Arg]) -> u32 {
    let report = call(source, abi, args).unwrap_or_else(|error| panic!("{source}: {error}"));
    assert_eq!(report.violations, [], "{source}");
    report.returns
}

#[test]
fn arguments_and_results() {
    let numbers: Vec<Arg> = (0..9).map(|i| Arg::U32(1 << (3 * i))).collect();
    let sum = "add a2, a2, a3; add a2, a2, a4; add a2, a2, a5; add a2, a2, a6; add a2, a2, a7";
    // The seventh and what follows is where the caller's sp is, 32 bytes above that of a windowed function.
    for (abi, seventh) in [(Windowed, 32), (Call0, 0)] {
        let rest = |offset: u32| format!("l32i a3, a1, {}; add a2, a2, a3", seventh + offset);
        let source = framed(&format!("{sum}; {}; {}", rest(0), rest(8)), abi);
        assert_eq!(returns(&source, abi, &numbers), 0o101_111_111);
    }
}

#[test]
fn literals() {
    let source = "word:; .word 0x12345678; start:; entry a1, 32; l32r a2, word; retw.n";
    assert_eq!(returns(source, Windowed, &[]), 0x1234_5678);
    let source = "word:; .word 0x12345678; start:; l32r a2, word; ret.n";
    assert_eq!(returns(source, Call0, &[]), 0x1234_5678);
}

/// fib(n), which calls itself twice with CALL8: windows overflow and underflow again and again.
const FIBONACCI: &str = "
    fib:
    entry a1, 32
    bltui a2, 2, end
    addi a10, a2, -1
    call8 fib
    mov.n a3, a10
    addi a10, a2, -2
    call8 fib
    add.n a2, a3, a10
    end:
    retw.n";

#[test]
fn windows_overflow() {
    let mut machine = machine(FIBONACCI, Windowed);
    let mut before = 0;
    for (n, result) in [(1, 1), (2, 1), (5, 5), (10, 55), (15, 610), (20, 6765)] {
        let report = machine.call(&[n.into()]).unwrap();
        assert_eq!((report.returns, report.violations), (result, vec![]), "fib({n})");
        assert!(report.cycles > before);
        before = report.cycles;
    }
    for (call, register) in [("call4", 6), ("call12", 14)] {
        let source = FIBONACCI.replace("call8", call).replace("a10", &format!("a{register}")).replace("1, 32", "1, 64");
        let source =
            source.replace("mov.n a3", "s32i a2, a1, 0; mov.n a3").replace("add.n a2", "l32i a4, a1, 0; add.n a2");
        assert_eq!(returns(&source, Windowed, &[15.into()]), 610, "{call}");
    }
}

/// A function that moves its stack pointer, with its caller's frame in registers or saved.
#[test]
fn moved_stack_pointers() {
    for depth in [0, 20] {
        let source = "entry a1, 64; mov.n a10, a2; call8 deep; addi a8, a1, -64; movsp a1, a8; s32i a2, a1, 0; l32i a2, a1, 0; \
                      retw.n; .align; deep:; entry a1, 32; beqz a2, end; addi a10, a2, -1; call8 deep; end:; retw.n";
        let report = call(source, Windowed, &[depth.into()]).unwrap();
        assert_eq!((report.returns, report.violations), (depth, vec![]), "depth {depth}");
        assert_eq!(report.stack_bytes, if depth == 0 { 128 } else { 64 + 32 * 21 }, "depth {depth}");
    }
}

/// Cycles of window exceptions are those of [`sim::cycles::xtensa::Costs::window_exception`].
#[test]
fn deep_calls_take_longer() {
    let deep = "f:; entry a1, 32; beqz a2, end; addi.n a10, a2, -1; call8 f; nop; end:; retw.n";
    let mut machine = machine(deep, Windowed);
    let mut cycles = |depth: u32| machine.call(&[depth.into()]).unwrap().cycles;
    let level = cycles(3) - cycles(2);
    assert_eq!(cycles(6) - cycles(5), level);
    // 8 windows of 8 registers, of which the caller of the first has one: from the seventh call on, each moves 8 registers twice.
    let costs = sim::cycles::xtensa::Costs::of(Core::Lx6);
    assert_eq!(cycles(12) - cycles(11), level + 2 * costs.window_exception(8));
}

#[test]
fn interrupts() {
    let mut machine = machine(FIBONACCI, Windowed);
    let quiet = machine.call(&[12.into()]).unwrap();
    for every in [1, 2, 3, 7, 100] {
        machine.interrupt_every(every, None);
        assert_eq!(machine.call(&[12.into()]).unwrap(), quiet, "every {every}");
    }
    // What is kept below sp is lost; reading it is a fault in any case, and here it also shows.
    let keeps = |every: Option<u64>| {
        let mut machine = super::machine("addi a5, a1, -64; s32i a4, a5, 0; nop; l32i a2, a5, 0; ret.n", Call0);
        every.into_iter().for_each(|every| machine.interrupt_every(every, None));
        let report = machine.call(&args()).unwrap();
        assert_eq!(report.violations.len(), 1);
        report.returns
    };
    assert_eq!(keeps(None), 7);
    assert_ne!(keeps(Some(1)), 7);
}

#[test]
fn buffers_and_counts() {
    let copy = "l32i a5, a3, 0; s32i a5, a2, 0; loop a4, end; addi a5, a5, 1; end:; s32i a5, a2, 4";
    for abi in [Windowed, Call0] {
        let args = [Buffer::new([0; 8]).into(), Buffer::new([5, 0, 0, 0]).at(64, 4).into(), 100.into(), Arg::Same(0)];
        let report = call(&framed(copy, abi), abi, &args).unwrap();
        assert_eq!(report.violations, []);
        assert_eq!(report.buffers[0], [5, 0, 0, 0, 105, 0, 0, 0]);
        assert_eq!(report.buffers[2], report.buffers[0]);
        assert_eq!(report.instructions, 100 + 5 + if abi == Windowed { 1 } else { 0 });
        assert_eq!(report.taken_branches, 1);
    }
}

#[test]
fn histogram_and_trace() {
    let mut machine = machine(&framed("loop a4, end; addi a5, a4, 1; end:", Windowed), Windowed);
    let (lines, sink) = std::sync::mpsc::channel();
    machine.set_trace(Box::new(move |line| lines.send(line.to_owned()).unwrap()));
    machine.call(&args()).unwrap();
    assert_eq!(machine.histogram()["addi"], 7);
    let lines: Vec<String> = sink.try_iter().collect();
    assert_eq!(lines.len(), 3 + 7);
    assert!(lines[0].ends_with("40080000  entry a1, 32"), "{}", lines[0]);
}

#[test]
fn junk_differs_from_call_to_call() {
    let mut machine = machine(&framed("mov.n a2, a9", Windowed), Windowed);
    let results: Vec<u32> = (0..3).map(|_| machine.call(&[]).unwrap().returns).collect();
    assert!(results[0] != results[1] && results[1] != results[2]);
}

/// Code of the wrong core is refused.
#[test]
fn vectors_are_the_s3s() {
    let source = framed("ee.zero.q q0", Windowed);
    assert!(call(&source, Windowed, &[]).unwrap_err().to_string().contains("Vector"));
    let mut machine = Machine::new(program(&source), Core::Lx7, Windowed).unwrap();
    let _ = machine.call(&[]);
}
