//! What a compiler makes of a C function, as archive and as executable, computes what the function does, by both conventions,
//! and breaks no rule.

use super::c::{self, MEMBER, SOURCE, tool};
use sim::Program;
use sim::xtensa::{Abi, Core, Machine};
use std::path::Path;

/// Literals before the code that loads them.
const SCRIPT: &str = "SECTIONS {
    .text 0x40090000 : { *(.literal .literal.*) *(.text .text.*) }
    .rodata 0x3ffb0000 : { *(.rodata .rodata.*) }
    .data : { *(.data .data.*) }
    .bss : { *(.bss .bss.*) }
}";

fn check(data: &[u8], core: Core, abi: Abi, what: &str) {
    let (input, args) = c::input();
    let program = Program::from_elf(data, "work").unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut machine = Machine::new(program, core, abi).unwrap();
    for interrupts in [None, Some(1), Some(17)] {
        interrupts.into_iter().for_each(|every| machine.interrupt_every(every, None));
        let report = machine.call(&args).unwrap_or_else(|error| panic!("{what}: {error}"));
        c::check(&report, &input, what);
    }
}

/// An object: LLVM's driver knows the core, but not the convention.
fn compile(folder: &Path, file: &str, level: &str, feature: &str) {
    let [source, llvm, text, object] = ["c", "ll", "s", "o"].map(|suffix| format!("{file}.{suffix}"));
    let front = ["--target=xtensa", level, "-ffreestanding", "-fno-builtin", "-S", "-emit-llvm", &source, "-o", &llvm];
    tool(folder, "clang-22", &front);
    let sections = ["-mtriple=xtensa", "-mcpu=esp32", level, "-function-sections", "-data-sections"];
    tool(folder, "llc-22", &[&sections[..], &[feature, &llvm, "-o", &text]].concat());
    tool(folder, "llvm-mc-22", &["--triple=xtensa", "--mcpu=esp32", "--filetype=obj", &text, "-o", &object]);
}

#[test]
#[ignore = "needs clang-22, llc-22, llvm-mc-22, llvm-ar-22 and xtensa-lx106-elf-ld"]
fn compiled_code_computes_what_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, text) in [("work.c", SOURCE), ("copy.c", MEMBER), ("layout.ld", SCRIPT)] {
        std::fs::write(path.join(name), text).unwrap();
    }
    for (abi, feature) in [(Abi::Windowed, "-mattr=+windowed"), (Abi::Call0, "-mattr=-windowed")] {
        for (level, core) in [("-O0", Core::Lx6), ("-O1", Core::Lx7), ("-O2", Core::Lx6), ("-O3", Core::Lx7)] {
            for file in ["work", "copy"] {
                compile(path, file, level, feature);
            }
            tool(path, "llvm-ar-22", &["rcs", "work.a", "work.o", "copy.o"]);
            check(&std::fs::read(path.join("work.a")).unwrap(), core, abi, &format!("{abi:?} {level}, archive"));
            let link = ["--no-relax", "-T", "layout.ld", "-e", "work", "work.o", "copy.o", "-o", "work.elf"];
            tool(path, "xtensa-lx106-elf-ld", &link);
            check(&std::fs::read(path.join("work.elf")).unwrap(), core, abi, &format!("{abi:?} {level}, executable"));
        }
    }
}
