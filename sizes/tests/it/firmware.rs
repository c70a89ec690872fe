//! Linked firmware, compared with what GNU readelf and nm say about it.

use crate::against_binutils::run;
use sizes::report::FileReport;
use std::path::Path;

/// Constants, variables, zeros, unwinding tables, weak names, a switch with a table, calls far away.
const MAIN: &str = r#"
    static const int table[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const char *const names[] = {"one", "two", "three"};
    volatile int counter = 7;
    static int state[40];
    __attribute__((section(".noinit"))) int kept[8];
    __attribute__((section(".ramfunc"), noinline)) int fast(int x) { return x * counter; }
    extern int far_away(int);
    int strong(int x) { return far_away(x) + table[x % 9]; }
    int other(int) __attribute__((weak, alias("strong")));
    int choose(int x, int y) {
        switch (x) {
        case 0: return y + 12345678;
        case 1: return y * 3;
        case 2: return y - x;
        case 3: return fast(y);
        case 4: return state[y & 7];
        case 5: return names[y % 3][0];
        default: return strong(y);
        }
    }
    void __aeabi_unwind_cpp_pr0(void) {}
    void reset(void) { for (;;) state[choose(counter, 3) & 7] = choose(kept[0], 2); }
    __attribute__((section(".vectors"))) const void *const vectors[2] = {(void *)0x20008000, (void *)reset};
"#;

const FAR: &str = ".syntax unified\n.cpu cortex-m4\n.thumb\n.section .far, \"ax\"\n.global far_away\n\
    .type far_away, %function\nfar_away:\nldr r1, =0x12345678\nadd r0, r1\nbx lr\n.ltorg\n\
    .size far_away, . - far_away\nunsized:\nnop\nbx lr\n";

const SCRIPT: &str = r#"
    MEMORY {
        FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 1M
        FAR (rx) : ORIGIN = 0x10000000, LENGTH = 64K
        RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 128K
    }
    ENTRY(reset)
    SECTIONS {
        .vectors : { KEEP(*(.vectors)) } > FLASH
        .text : { *(.text*) . = ALIGN(16); _etext = .; } > FLASH
        .rodata : { *(.rodata*) } > FLASH
        .ARM.extab : { *(.ARM.extab*) } > FLASH
        .ARM.exidx : { __exidx_start = .; *(.ARM.exidx*) __exidx_end = .; } > FLASH
        .far : { *(.far) } > FAR
        .data : { _sdata = .; *(.ramfunc) . = ALIGN(8); *(.data*) } > RAM AT > FLASH
        .bss (NOLOAD) : { *(.bss*) *(COMMON) } > RAM
        .noinit (NOLOAD) : { *(.noinit) } > RAM
    }
"#;

fn link(folder: &Path, optimise: &str) -> FileReport {
    std::fs::write(folder.join("main.c"), MAIN).unwrap();
    std::fs::write(folder.join("far.s"), FAR).unwrap();
    std::fs::write(folder.join("link.ld"), SCRIPT).unwrap();
    let flags = ["--target=thumbv7em-none-eabi", optimise, "-g", "-ffreestanding", "-funwind-tables"];
    run(folder, "clang-22", &[&flags[..], &["-c", "main.c", "-o", "main.o"]].concat());
    run(folder, "arm-none-eabi-as", &["far.s", "-o", "far.o"]);
    run(folder, "arm-none-eabi-ld", &["-T", "link.ld", "main.o", "far.o", "-o", "firmware.elf"]);
    sizes::measure_bytes("firmware.elf", &std::fs::read(folder.join("firmware.elf")).unwrap()).unwrap()
}

/// The sum of the file sizes of the loaded segments.
fn loaded_bytes(folder: &Path) -> u64 {
    let text = run(folder, "arm-none-eabi-readelf", &["-lW", "firmware.elf"]);
    let loads = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|line| line.first() == Some(&"LOAD"));
    loads.map(|line| u64::from_str_radix(line[4].trim_start_matches("0x"), 16).unwrap()).sum()
}

/// The sizes that nm has, against rows and their aliases.
fn compare_with_nm(folder: &Path, report: &FileReport) -> usize {
    let mut compared = 0;
    for line in run(folder, "arm-none-eabi-nm", &["-S", "firmware.elf"]).lines() {
        let [address, size, _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        let [address, size] = [address, size].map(|number| u64::from_str_radix(number, 16).unwrap());
        let is_it = |row: &&sizes::report::Row| {
            let named = row.name == name || row.aliases.iter().any(|alias| alias == name);
            named && (row.address == address || row.address == address & !1)
        };
        let row = report.symbols.iter().find(is_it).unwrap_or_else(|| panic!("no row for {line}"));
        assert_eq!(row.total_bytes.max(row.ram_bytes), size, "{line}");
        compared += 1;
    }
    compared
}

#[test]
#[ignore = "needs clang-22, arm-none-eabi-as, arm-none-eabi-ld, arm-none-eabi-readelf and arm-none-eabi-nm"]
fn readelf_and_nm_agree_on_firmware() {
    for optimise in ["-O0", "-Os", "-O2"] {
        let folder = tempfile::tempdir().unwrap();
        let report = link(folder.path(), optimise);
        assert_eq!(report.total_bytes, loaded_bytes(folder.path()), "{optimise}");
        // Functions, their veneers, tables and variables.
        assert!(compare_with_nm(folder.path(), &report) >= 12, "{optimise}");
        let row = |name: &str| {
            let row = report.symbols.iter().find(|row| row.name == name && row.section != ".ARM.exidx");
            row.unwrap_or_else(|| panic!("{optimise}: no row {name}"))
        };
        for (name, rom, ram) in
            [("fast", true, true), ("counter", true, true), ("state", false, true), ("strong", true, false)]
        {
            assert_eq!((row(name).total_bytes > 0, row(name).ram_bytes > 0), (rom, ram), "{optimise}: {name}");
        }
        // `ldr`, `add`, `bx` and the word; what has no size reaches to the end of its section.
        assert_eq!((row("far_away").code_bytes, row("far_away").literal_bytes), (6, 4));
        assert_eq!(row("unsized").code_bytes, 4);
        assert!(report.symbols.iter().any(|row| row.name == "__far_away_veneer" && row.total_bytes > 0), "{optimise}");
        // Entries of unwinding tables that unwind nothing, and strings that only data refer to.
        for row in report.symbols.iter().filter(|row| row.name == "[unattributed]") {
            assert!([".ARM.exidx", ".rodata"].contains(&row.section.as_str()), "{optimise}: {row:?}");
        }
    }
}
