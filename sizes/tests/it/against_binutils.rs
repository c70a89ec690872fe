//! Objects from real assemblers, compared with what GNU nm and size say about them.

use sizes::measure_bytes;
use std::path::Path;
use std::process::Command;

/// One function without a size, one with a literal pool, a table in code, an aligned one, constants, no mapping
/// symbols where there is only code.
const SOURCE: &str = "
    .syntax unified
    .cpu cortex-m4
    .thumb
    .text
    .global first
    .type first, %function
first:
    adds r0, r0, #1
    bx lr
    .size first, . - first
    .align 4
    .global second
    .type second, %function
second:
    ldr r0, =0x12345678
    ldr r1, =0xbf000000
    bx lr
    .ltorg
    .size second, . - second
    .align 3
    .type third, %function
third:
    b third
    .size third, . - third
    .section .text.fourth, \"ax\", %progbits
    .global fourth
    .type fourth, %function
fourth:
    umlal r0, r1, r2, r3
.Lhere:
    bx lr
    .size fourth, . - fourth
    .section .rodata
    .global table
    .type table, %object
table:
    .byte 1, 2, 3, 4, 5
    .size table, . - table
";

pub fn run(folder: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).current_dir(folder).args(args).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}; `cargo xtask setup` installs it"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "needs arm-none-eabi-as, arm-none-eabi-nm, arm-none-eabi-size and clang-22"]
fn nm_and_size_agree() {
    for (program, args) in [
        ("arm-none-eabi-as", &["a.s", "-o", "a.o"][..]),
        ("clang-22", &["--target=thumbv7em-none-eabi", "-c", "a.s", "-o", "a.o"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("a.s"), SOURCE).unwrap();
        run(folder, program, args);
        let report = measure_bytes("a.o", &std::fs::read(folder.join("a.o")).unwrap()).unwrap();
        let mut named = 0;
        for line in run(folder, "arm-none-eabi-nm", &["-S", "a.o"]).lines() {
            let [address, size, _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
            let row = report.symbols.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"));
            assert_eq!(row.address, u64::from_str_radix(address, 16).unwrap() & !1, "{program}: {name}");
            assert_eq!(row.total_bytes, u64::from_str_radix(size, 16).unwrap(), "{program}: {name}");
            named += 1;
        }
        assert_eq!(named, 5, "{program}");
        let sections = run(folder, "arm-none-eabi-size", &["-A", "a.o"]);
        let mut total = 0;
        for section in &report.sections {
            let line = sections.lines().find(|line| line.split_whitespace().next() == Some(&section.name)).unwrap();
            assert_eq!(line.split_whitespace().nth(1).unwrap(), section.bytes.to_string(), "{program}: {line}");
            total += section.bytes;
        }
        assert_eq!(report.total_bytes, total);
    }
}

/// The same source with and without `.size` gives the same bytes of code and literals for every function.
#[test]
#[ignore = "needs arm-none-eabi-as and clang-22"]
fn sizes_are_inferred_where_the_source_has_none() {
    let without: String =
        SOURCE.lines().filter(|line| !line.contains(".size")).map(|line| format!("{line}\n")).collect();
    for (program, args) in [
        ("arm-none-eabi-as", &["a.s", "-o", "a.o"][..]),
        ("clang-22", &["--target=thumbv7em-none-eabi", "-c", "a.s", "-o", "a.o"]),
    ] {
        let reports = [SOURCE, &without].map(|source| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("a.s"), source).unwrap();
            run(folder.path(), program, args);
            measure_bytes("a.o", &std::fs::read(folder.path().join("a.o")).unwrap()).unwrap()
        });
        assert_eq!(reports[0], reports[1], "{program}");
    }
}
