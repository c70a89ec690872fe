//! Listings: against hand-written ones, objdump, and the cycle model's own sum.

use crate::cli::sizes;
use crate::fixture::{As, Fixture, archive};
use crate::mutated::next;
use object::Architecture;
use sizes::disasm::{Core, Error, Lister};
use sizes::image::Image;
use std::path::Path;
use std::process::Command;

/// Calls, a literal and its word: `f` is 16 bytes, `g` 2.
fn thumb() -> Fixture {
    let halves: [u16; 9] = [
        0xb510, // push {r4, lr}
        0x4802, // ldr r0, [pc, #8]: from (2 + 4) / 4 * 4 + 8 = 12
        0xb108, // cbz r0, 10
        0xf000, 0xf803, // bl 16
        0xbd10, // pop {r4, pc}
        0x5678, 0x1234, // a word
        0x4770, // bx lr
    ];
    let mut f = Fixture::new(Architecture::Arm);
    let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
    let text = f.text(".text", &bytes, 4);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 12, 0, As::Local);
    f.symbol(text, "$t", 16, 0, As::Local);
    f.symbol(text, "f", 1, 16, As::Function);
    f.symbol(text, "weak_f", 1, 16, As::WeakFunction);
    f.symbol(text, "_ZN1a1gEv", 17, 2, As::Function);
    f
}

/// Compares lines with blanks squeezed.
fn check(fixture: Fixture, symbol: &str, core: Option<Core>, expected: &[&str]) {
    let bytes = fixture.write();
    let image = Image::parse(&bytes).unwrap();
    let listings = Lister::new(&image, core).find(symbol).unwrap();
    let lines: Vec<String> =
        listings[0].lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn instructions_literals_and_data_are_annotated() {
    let listing = [
        "16 bytes in .text at 0x0",
        "no cycles: the file does not say that it is for Cortex-M3 or M4 (--core does)",
        "00000000 b510 push {r4, lr}",
        "00000002 4802 ldr r0, [pc, #8] ; = 0x12345678",
        "00000004 b108 cbz r0, L0",
        "00000006 f000 f803 bl a::g()",
        "L0:",
        "0000000a bd10 pop {r4, pc}",
        "0000000c 12345678 .word 0x12345678",
    ];
    for name in ["f", "weak_f"] {
        check(thumb(), name, None, &listing);
    }
    for name in ["a::g()", "_ZN1a1gEv"] {
        check(thumb(), name, None, &["2 bytes in .text at 0x10", listing[1], "00000010 4770 bx lr"]);
    }
}

#[test]
fn other_instruction_sets_are_listed_without_cycles() {
    let mut arm = Fixture::new(Architecture::Arm);
    let text = arm.text(".text", &[0x04, 0x00, 0x9f, 0xe5, 0x1e, 0xff, 0x2f, 0xe1], 4);
    arm.symbol(text, "$a", 0, 0, As::Local);
    arm.symbol(text, "f", 0, 8, As::Function);
    check(
        arm,
        "f",
        Some(Core::M3),
        &[
            "8 bytes in .text at 0x0",
            "no cycles: this is no Thumb code",
            "00000000 e59f0004 ldr r0, [pc, #4]",
            "00000004 e12fff1e bx lr",
        ],
    );
    let mut xtensa = Fixture::new(Architecture::Xtensa);
    let text = xtensa.text(".text", &[0x36, 0x41, 0x00, 0x1d, 0xf0], 4);
    xtensa.symbol(text, "f", 0, 5, As::Function);
    check(
        xtensa,
        "f",
        None,
        &[
            "5 bytes in .text at 0x0",
            "cycles are known only of Cortex-M",
            "00000000 004136 entry a1, 32",
            "00000003 f01d retw.n",
        ],
    );
}

#[test]
fn what_cannot_be_listed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let mut other = Fixture::new(Architecture::X86_64);
    let text = other.text(".text", &[0xc3], 1);
    other.symbol(text, "function", 0, 1, As::Function);
    write("x.o", &other.write());
    write("a.o", &thumb().write());
    write("a.a", &archive(&[("a.o", &thumb().write()), ("b.o", &thumb().write())]));
    for (args, message) in [
        (&["x.o", "--disasm", "function"][..], "function: instructions of this machine cannot be listed"),
        (&["x.o", "--disasm", "funktion"], "no function is called funktion; did you mean function?"),
        (&["a.o", "--disasm", "elsewhere"], "no function is called elsewhere\n"),
        (&["a.o", "--disasm", "f", "--format", "csv"], "--disasm needs --format table or html"),
    ] {
        let output = sizes(folder.path(), args);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(errors.contains(message), "{args:?}: {errors}");
    }
    let output = String::from_utf8(sizes(folder.path(), &["a.a", "a.o", "--disasm", "f"]).stdout).unwrap();
    for heading in ["f in a.a(a.o)\n16 bytes", "\n\nf in a.a(b.o)\n16 bytes", "\n\nf in a.o\n16 bytes"] {
        assert!(output.contains(heading), "{output}");
    }
    let page = String::from_utf8(sizes(folder.path(), &["a.o", "--disasm", "f", "--format", "html"]).stdout).unwrap();
    assert!(page.contains("cbz r0, L0"));
    let bytes = thumb().write();
    let image = Image::parse(&bytes).unwrap();
    let unknown = Error::Unknown { symbol: "ff".into(), nearest: vec!["f".into()] };
    assert_eq!(Lister::new(&image, None).find("ff"), Err(unknown));
}

/// The column adds up to what the model says of the whole.
#[test]
fn cycles_add_up_to_those_of_straight_line_code() {
    let code = "
        2de9f04f 0020 4ff00001 0244 81ea0202 02eb3242 a2fb0134 0368 4468 c1e90034 0bb4 0bbc 00bf bde8f08f";
    let digits: Vec<char> = code.chars().filter(char::is_ascii_hexdigit).collect();
    let bytes: Vec<u8> =
        digits.chunks(2).map(|pair| u8::from_str_radix(&String::from_iter(pair), 16).unwrap()).collect();
    for core in [Core::M3, Core::M4, Core::M4f] {
        let mut f = Fixture::new(Architecture::Arm);
        let text = f.text(".text", &bytes, 4);
        f.symbol(text, "f", 1, bytes.len() as u64, As::Function);
        let file = f.write();
        let image = Image::parse(&file).unwrap();
        let listing = &Lister::new(&image, Some(core)).find("f").unwrap()[0];
        let cycles: u64 = listing.lines[2..].iter().map(|line| line[20..26].trim().parse::<u64>().unwrap()).sum();
        let mut insts = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let half = |at: usize| bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
            let (inst, length) = isa::thumb::decode(half(at), half(at + 2), 0).unwrap();
            insts.push((inst, length));
            at += length as usize;
        }
        assert_eq!(cycles, sim::cycles::of_straight_line(&insts, core, sim::cycles::Profile::Ideal), "{core:?}");
    }
}

/// Whatever the bytes are, each is listed once.
#[test]
fn every_byte_is_listed_whatever_it_is() {
    let mut random = 11;
    for round in 0..3000 {
        let length = 1 + next(&mut random) as usize % 60;
        let bytes: Vec<u8> = (0..length).map(|_| next(&mut random) as u8).collect();
        let machine = [Architecture::Arm, Architecture::Arm, Architecture::Xtensa][round % 3];
        let mut f = Fixture::new(machine);
        let text = f.text(".text", &bytes, 4);
        if round % 2 == 0 {
            for name in ["$t", "$d", "$a"] {
                f.symbol(text, name, next(&mut random) % length as u64, 0, As::Local);
            }
        }
        f.symbol(text, "f", u64::from(machine == Architecture::Arm), length as u64, As::Function);
        let file = f.write();
        let image = Image::parse(&file).unwrap();
        let listing = &Lister::new(&image, Some(Core::M4f)).find("f").unwrap()[0];
        let digits = |line: &String| line.get(10..19).map_or(0, |hex| hex.chars().filter(|c| *c != ' ').count());
        let lines = listing.lines[2..].iter().filter(|line| !line.ends_with(':'));
        assert_eq!(lines.map(digits).sum::<usize>(), 2 * length, "{listing:?}");
    }
}

const SOURCE: &str = "
    .syntax unified
    .cpu cortex-m4
    .thumb
    .text
    .global f
    .type f, %function
f:  push {r4, lr}
    ldr r0, =state
    ldr r1, =0xe000ed88
    cmp r0, r1
    itte ne
    addne r0, r0, #1
    strne r0, [r1]
    moveq.w r0, #0
    bne f
    bl g
    adr r2, .Ltable
    tbb [pc, r0]
.Ltable:
    .byte 2, 3, 4, 5
    movw r3, #:lower16:state
    movt r3, #:upper16:state
    b.w g
    .ltorg
    .size f, . - f
    .global g
    .type g, %function
g:  umlal r0, r1, r2, r3
    nop
    bx lr
    .size g, . - g
    .bss
    .global state
    .type state, %object
state: .space 8
    .size state, 8
";

fn run(folder: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).current_dir(folder).args(args).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}; `cargo xtask setup` installs it"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "needs arm-none-eabi-as, arm-none-eabi-ld and arm-none-eabi-objdump"]
fn objdump_has_the_same_addresses_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a.s"), SOURCE).unwrap();
    run(folder, "arm-none-eabi-as", &["a.s", "-o", "a.o"]);
    run(folder, "arm-none-eabi-ld", &["-Ttext=0x8000", "-Tbss=0x20000000", "-e", "f", "a.o", "-o", "a.elf"]);
    for (file, comments) in [
        ("a.o", &["; = state", "ldr r1, [pc, #", "; = 0xe000ed88", "bl g", "bne.w L0", "; relocation 47 of state"][..]),
        (
            "a.elf",
            &[
                "; = 0x20000000 state",
                "; = 0xe000ed88",
                "bl g",
                "b.w g",
                ".word 0x20000000",
                "cycles: model of Cortex-M4F",
            ],
        ),
    ] {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let image = Image::parse(&bytes).unwrap();
        let lister = Lister::new(&image, None);
        let lines: Vec<String> =
            ["f", "g"].iter().flat_map(|name| lister.find(name).unwrap().remove(0).lines).collect();
        for comment in comments {
            assert!(lines.iter().any(|line| line.contains(comment)), "{comment}: {}", lines.join("\n"));
        }
        let ours: Vec<(u64, String)> = lines
            .iter()
            .filter_map(|line| {
                let address = u64::from_str_radix(line.get(..8)?, 16).ok()?;
                Some((address, line[10..19].trim().to_owned()))
            })
            .collect();
        let dump = run(folder, "arm-none-eabi-objdump", &["-d", file]);
        let theirs: Vec<(u64, String)> = dump
            .lines()
            .filter_map(|line| {
                let (address, rest) = line.trim().split_once(":\t")?;
                Some((u64::from_str_radix(address, 16).ok()?, rest.split('\t').next()?.trim().to_owned()))
            })
            .collect();
        assert_eq!(ours, theirs);
    }
}
