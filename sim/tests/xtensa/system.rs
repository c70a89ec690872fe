//! Booted images: vectors, windows, exceptions, interrupts, timers; the same images in QEMU.

use super::assemble::assemble;
use sim::xtensa::{Abi, Core, Machine};
use sim::{End, Exit, Program, SimError};
use std::process::{Command, Stdio};

/// Where QEMU's dc233c starts, and where its vectors are.
const RESET: u32 = 0xfe00_0000;
const VECTORS: u32 = 0x2000;

/// Sets up windows and stack, and calls `main`.
const START: &str = "
    j go
    .align
    stack:
    .word 0x100000
    status:
    .word 0x40020
    main:
    .word 0x2400
    go:
    movi a2, 1
    wsr a2, windowstart
    movi a2, 0
    wsr a2, windowbase
    rsync
    l32r a1, stack
    l32r a2, status
    wsr a2, ps
    rsync
    movi a0, 0
    l32r a4, main
    callx4 a4";

/// The handlers of window exceptions, as the manual has them (4.7.1.4).
const WINDOWS: &str = "
    s32e a0, a5, -16; s32e a1, a5, -12; s32e a2, a5, -8; s32e a3, a5, -4; rfwo
    .at 0x40
    l32e a0, a5, -16; l32e a1, a5, -12; l32e a2, a5, -8; l32e a3, a5, -4; rfwu
    .at 0x80
    s32e a0, a9, -16; l32e a0, a1, -12; s32e a1, a9, -12; s32e a2, a9, -8; s32e a3, a9, -4
    s32e a4, a0, -32; s32e a5, a0, -28; s32e a6, a0, -24; s32e a7, a0, -20; rfwo
    .at 0xc0
    l32e a0, a9, -16; l32e a1, a9, -12; l32e a2, a9, -8; l32e a7, a1, -12; l32e a3, a9, -4
    l32e a4, a7, -32; l32e a5, a7, -28; l32e a6, a7, -24; l32e a7, a7, -20; rfwu
    .at 0x100
    s32e a0, a13, -16; l32e a0, a1, -12; s32e a1, a13, -12; s32e a2, a13, -8; s32e a3, a13, -4
    s32e a4, a0, -48; s32e a5, a0, -44; s32e a6, a0, -40; s32e a7, a0, -36
    s32e a8, a0, -32; s32e a9, a0, -28; s32e a10, a0, -24; s32e a11, a0, -20; rfwo
    .at 0x140
    l32e a0, a13, -16; l32e a1, a13, -12; l32e a2, a13, -8; l32e a11, a1, -12; l32e a3, a13, -4
    l32e a4, a11, -48; l32e a5, a11, -44; l32e a6, a11, -40; l32e a7, a11, -36
    l32e a8, a11, -32; l32e a9, a11, -28; l32e a10, a11, -24; l32e a11, a11, -20; rfwu";

/// Ends with the code in a2.
const EXIT: &str = "mov.n a3, a2; movi a2, 1; simcall";

/// An executable of these segments.
fn elf(segments: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let half = |value: u16| value.to_le_bytes();
    let word = |value: u32| value.to_le_bytes();
    let mut bytes = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // Executable, Xtensa; entry, program headers behind this header, no sections.
    bytes.extend([half(2), half(94)].concat());
    bytes.extend([word(1), word(RESET), word(52), word(0), word(0x300)].concat());
    bytes.extend([half(52), half(32), half(segments.len() as u16), half(40), half(0), half(0)].concat());
    let mut offset = 52 + 32 * segments.len() as u32;
    for (base, content) in segments {
        let size = content.len() as u32;
        bytes.extend(
            [word(1), word(offset), word(*base), word(*base), word(size), word(size), word(7), word(4)].concat(),
        );
        offset += size;
    }
    segments.iter().for_each(|(_, content)| bytes.extend(content));
    bytes
}

/// An image whose `main` is this, with a handler at the user vector and one at the vector of level 3.
fn image(user: &str, level3: &str, main: &str) -> Vec<u8> {
    let source = format!("{WINDOWS}\n.at 0x1c0\n{level3}\n.at 0x340\n{user}\n.at 0x3c0\nill\n.at 0x400\n{main}");
    let vectors = assemble(&source, VECTORS).bytes;
    elf(&[(VECTORS, vectors), (RESET, assemble(START, RESET).bytes)])
}

fn machine(image: &[u8]) -> Machine {
    let mut machine = Machine::new(Program::from_firmware(image).unwrap(), Core::Lx6, Abi::Windowed).unwrap();
    machine.set_limit(10_000_000);
    machine
}

fn boot(image: &[u8]) -> Result<(Exit, String), SimError> {
    let mut console = Vec::new();
    machine(image).boot(&mut console).map(|exit| (exit, String::from_utf8(console).unwrap()))
}

/// Images that end by themselves: name, user handler, handler of level 3, main, exit code, text.
pub fn images() -> Vec<(&'static str, Vec<u8>, u32, &'static str)> {
    let none = "ill";
    let text = format!(
        "entry a1, 32; j over; .align; text:; .word 0x6c6c6568; .word 0x00000a6f; where:; .word text; over:;
         movi a2, 4; movi a3, 1; l32r a4, where; movi a5, 6; simcall; {EXIT}"
    );
    // fib(12) by CALL8, called by CALL12 and CALL4, so that windows of all sizes overflow.
    let windows = format!(
        "entry a1, 64; movi a14, 12; call12 twelve; mov.n a2, a14; {EXIT}
         .align; twelve:; entry a1, 64; mov.n a6, a2; call4 fib; mov.n a2, a6; retw.n
         .align; fib:; entry a1, 32; bltui a2, 2, end; addi a10, a2, -1; call8 fib; mov.n a3, a10
         addi a10, a2, -2; call8 fib; add.n a2, a3, a10; end:; retw.n"
    );
    // SYSCALL, then a division by zero, then an illegal instruction: the handler adds up causes and skips three bytes.
    let skip = "wsr a0, excsave1; rsr a0, exccause; add a3, a3, a0; addi a3, a3, 10; rsr a0, epc1; addi a0, a0, 3; \
                wsr a0, epc1; rsr a0, excsave1; rfe";
    let exceptions =
        format!("entry a1, 32; movi a3, 0; movi a4, 0; syscall; quou a5, a3, a4; ill; mov.n a2, a3; {EXIT}");
    // The interrupt of software at level 1, while a loop counts.
    let soft = "movi a0, 128; wsr a0, intclear; addi a3, a3, 1; rfe";
    let interrupt = format!(
        "entry a1, 32; movi a3, 0; movi a4, 128; wsr a4, intenable; wsr a4, intset; rsync; movi a5, 40; loop a5, end; \
         addi a3, a3, 2; end:; mov.n a2, a3; {EXIT}"
    );
    // The timer, for which it sleeps; its handler adds 1 and sets it anew.
    let tick = "wsr a0, excsave1; rsr a0, ccount; addmi a0, a0, 0x2000; wsr a0, ccompare0; addi a3, a3, 1; \
                rsr a0, excsave1; rfe";
    let timer = format!(
        "entry a1, 32; movi a3, 0; rsr a4, ccount; addmi a4, a4, 0x1000; wsr a4, ccompare0; movi a4, 64; \
         wsr a4, intenable; sleep:; waiti 0; blti a3, 5, sleep; mov.n a2, a3; {EXIT}"
    );
    vec![
        ("text", image(none, none, &text), 6, "hello\n"),
        ("windows", image(none, none, &windows), 144, ""),
        ("exceptions", image(skip, none, &exceptions), 1 + 6 + 30, ""),
        ("interrupt", image(soft, none, &interrupt), 81, ""),
        ("timer", image(tick, none, &timer), 5, ""),
    ]
}

#[test]
fn booted_images() {
    for (name, image, code, text) in images() {
        let (exit, console) = boot(&image).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((exit.end, console.as_str()), (End::Exit(code), text), "{name}");
    }
}

#[test]
#[ignore = "needs qemu-system-xtensa"]
fn the_same_in_qemu() {
    let folder = tempfile::tempdir().unwrap();
    for (name, image, code, text) in images() {
        let path = folder.path().join(name);
        std::fs::write(&path, image).unwrap();
        let mut emulator = Command::new("qemu-system-xtensa");
        emulator.args(["-M", "sim", "-cpu", "dc233c", "-nographic", "-monitor", "none", "-semihosting", "-kernel"]);
        let output = emulator.arg(&path).stdin(Stdio::null()).output().expect("qemu-system-xtensa is needed");
        let found = (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned());
        assert_eq!(found, (Some(code as i32), text.to_owned()), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_is_told_of_an_image() {
    let main = format!("entry a1, 64; call8 leaf; movi a2, 3; {EXIT}; .align; leaf:; entry a1, 32; retw.n");
    let (exit, _) = boot(&image("ill", "ill", &main)).unwrap();
    assert_eq!((exit.end.code(), exit.stack_bytes, exit.last_fault), (3, 96, None));
    let skip = "rsr a0, epc1; addi a0, a0, 3; wsr a0, epc1; rfe";
    let faults = |body: &str| {
        let main = format!("entry a1, 32; movi a3, 0x700; movi a4, 0; {body}; rsr a2, exccause; {EXIT}");
        let (exit, _) = boot(&image(skip, "ill", &main)).unwrap();
        (exit.end.code(), exit.last_fault.unwrap_or_default())
    };
    for (body, cause, words) in [
        ("addmi a3, a3, -0x700; addi a3, a3, -4; l32i a5, a3, 0", 28, "load of 4 bytes at 0xfffffffc"),
        ("addmi a3, a3, -0x700; addi a3, a3, -4; s32i a5, a3, 0", 29, "store of 4 bytes at 0xfffffffc"),
        ("add.s f0, f1, f2", 32, "coprocessor 0 is not enabled"),
        ("movi a5, 2; l32ai a6, a5, 0", 9, "not a multiple"),
        ("rems a5, a3, a4", 6, "division by zero"),
    ] {
        let (code, fault) = faults(body);
        assert_eq!(code, cause, "{body}");
        assert!(fault.contains(words), "{body}: {fault}");
    }
    assert_eq!(
        faults("movi a5, 1; wsr a5, cpenable; rsync; add.s f0, f1, f2; movi a5, 9; wsr a5, exccause"),
        (9, String::new())
    );
}

#[test]
fn other_ends() {
    let ends = |main: &str| boot(&image("j user; user:; ill", "ill", &format!("entry a1, 32; {main}")));
    assert!(matches!(ends("break 3, 4").unwrap().0.end, End::Breakpoint { immediate: 3, .. }));
    assert!(matches!(ends("waiti 0").unwrap().0.end, End::Asleep { .. }));
    // A timer at level 1 does not wake it at level 1.
    let timer = "movi a4, 64; wsr a4, intenable; waiti 1";
    assert!(matches!(ends(timer).unwrap().0.end, End::Asleep { .. }));
    for (main, words) in [
        ("self:; j self", "jumps to itself"),
        ("ill", "neither its handler nor that of double exceptions can run"),
        ("movi a2, 0x700; wsr a2, vecbase; ill", "neither its handler"),
        ("ritlb0 a2, a3", "not modelled"),
    ] {
        let error = ends(main).unwrap_err().to_string();
        assert!(error.contains(words), "{main}: {error}");
    }
    // Nothing there to start from.
    let error = Program::from_firmware(&elf(&[(VECTORS, vec![0; 16])])).unwrap_err().to_string();
    assert!(error.contains("nothing is loaded at 0xfe000000"), "{error}");
}

#[test]
fn interrupts_of_images() {
    let images = images();
    let (_, windows, code, _) = &images[1];
    for every in [1, 7, 100] {
        let mut machine = machine(windows);
        machine.interrupt_every(every, None);
        assert_eq!(machine.boot(&mut Vec::new()).unwrap().end, End::Exit(*code), "every {every}");
    }
    // Interrupt 29 at level 3, every 50 instructions, counts in a3.
    let count =
        "wsr a0, excsave3; movi a0, 1; slli a0, a0, 29; wsr a0, intclear; addi a3, a3, 1; rsr a0, excsave3; rfi 3";
    let main = format!(
        "entry a1, 32; movi a3, 0; movi a4, 1; slli a4, a4, 29; wsr a4, intenable; movi a5, 500; loop a5, end; \
                        nop; end:; mov.n a2, a3; {EXIT}"
    );
    let image = image("ill", count, &main);
    assert_eq!(boot(&image).unwrap().0.end, End::Exit(0));
    let mut interrupted = machine(&image);
    interrupted.interrupt_every(50, Some(29));
    // 500 and some instructions, and 7 for each time in the handler.
    assert_eq!(interrupted.boot(&mut Vec::new()).unwrap().end, End::Exit(12));
    interrupted.interrupt_every(50, Some(3));
    assert!(interrupted.boot(&mut Vec::new()).unwrap_err().to_string().contains("only interrupts 7, 10"));
    interrupted.interrupt_every(50, Some(29));
    assert!(interrupted.call(&[]).unwrap_err().to_string().contains("only firmware"));
}
