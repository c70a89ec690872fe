//! What a compiler makes of a C function, as archive and as executable, computes what the function does.
#![allow(clippy::unwrap_used)]

mod c;

use c::{MEMBER, SOURCE, tool};
use sim::cycles::{Core, Profile};
use sim::{Machine, Program};

fn check(data: &[u8], core: Core, what: &str) {
    let (input, args) = c::input();
    let program = Program::from_elf(data, "work").unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut machine = Machine::new(program, core, Profile::Ideal).unwrap();
    for _ in 0..2 {
        let report = machine.call(&args).unwrap_or_else(|error| panic!("{what}: {error}"));
        c::check(&report, &input, what);
    }
}

#[test]
#[ignore = "needs clang-22, llvm-ar-22 and arm-none-eabi-ld"]
fn compiled_code_computes_what_it_should() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    std::fs::write(path.join("work.c"), SOURCE).unwrap();
    std::fs::write(path.join("copy.c"), MEMBER).unwrap();
    for (core, cpu) in [(Core::M3, "cortex-m3"), (Core::M4f, "cortex-m4")] {
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            let cpu = format!("-mcpu={cpu}");
            for file in ["work", "copy"] {
                let (from, to) = (format!("{file}.c"), format!("{file}.o"));
                let sections = ["-ffreestanding", "-fno-builtin", "-ffunction-sections", "-fdata-sections"];
                let rest = [&cpu, level, "-c", &from, "-o", &to];
                tool(path, "clang-22", &[&["--target=thumbv7em-none-eabi"], &sections[..], &rest[..]].concat());
            }
            tool(path, "llvm-ar-22", &["rcs", "work.a", "work.o", "copy.o"]);
            check(&std::fs::read(path.join("work.a")).unwrap(), core, &format!("{cpu} {level}, archive"));
            let link = ["-Ttext=0x8000000", "-Tdata=0x20000000", "-e", "work", "work.o", "copy.o", "-o", "work.elf"];
            tool(path, "arm-none-eabi-ld", &link);
            check(&std::fs::read(path.join("work.elf")).unwrap(), core, &format!("{cpu} {level}, executable"));
        }
    }
}
