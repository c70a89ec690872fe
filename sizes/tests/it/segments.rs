//! Linked files: ROM is what the loaded segments hold, RAM is what the program has at run time.

use crate::attribution::check_bytes;
use crate::fixture::{As, Fixture};
use crate::linked::{Load, link};
use object::Architecture;

const BX_LR: [u8; 2] = [0x70, 0x47];

/// Code of 6 bytes in flash, 2 of fill, constants; initial values in flash and RAM; zeros; a section that is in no
/// segment; one without contents.
fn firmware() -> Fixture {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &BX_LR.repeat(3), 4);
    let rodata = f.rodata(".rodata", &[9; 12], 4);
    let data = f.data(".data", &[1, 0, 0, 0, 2, 2, 2, 2], 4);
    let bss = f.bss(".bss", 20);
    let noload = f.data(".noload", &[7; 16], 4);
    f.symbol(text, "f", 1, 6, As::Function);
    f.symbol(rodata, "table", 0, 12, As::Data);
    f.symbol(data, "counter", 0, 4, As::Data);
    f.symbol(data, "odd", 5, 3, As::Data);
    f.symbol(bss, "state", 0, 16, As::Data);
    f.symbol(noload, "kept", 0, 16, As::Data);
    f
}

const FLASH: &[(&str, u32)] = &[(".text", 0x0800_0000), (".rodata", 0x0800_0008)];
const RAM: &[(&str, u32)] = &[(".data", 0x2000_0000), (".bss", 0x2000_0008)];

#[test]
fn sections_add_up_to_the_loaded_segments() {
    let stored = Load { stored_at: Some(0x0800_0014), ..Load::new(RAM) };
    let bytes = link(firmware().write(), &[Load::new(FLASH), stored]);
    check_bytes(
        &bytes,
        &[
            "table .rodata 0x8000008 0 0 12 0",
            "f .text 0x8000000 6 0 0 0",
            "counter .data 0x20000000 0 0 4 0 +4",
            "odd .data 0x20000005 0 0 3 0 +3",
            "[padding] [segment 0x8000000] 0x8000006 0 0 0 2",
            "[unattributed] .data 0x20000004 0 0 1 0 +1",
            "kept .noload 0x0 0 0 0 0 +16",
            "state .bss 0x20000008 0 0 0 0 +16",
            "[unattributed] .bss 0x20000018 0 0 0 0 +4",
        ],
        ".text 6, .rodata 12, .data 8 +8, .bss 0 +20, .noload 0 +16, [segment 0x8000000] 2",
    );
}

/// The header of a 32-bit ELF file has 52 bytes.
#[test]
fn headers_in_a_segment_are_named() {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &BX_LR.repeat(3), 4);
    f.symbol(text, "f", 1, 6, As::Function);
    let load = Load { with_headers: true, ..Load::new(&[(".text", 0x1_0034)]) };
    check_bytes(
        &link(f.write(), &[load]),
        &["[headers] [segment 0x10000] 0x10000 0 0 52 0", "f .text 0x10034 6 0 0 0"],
        ".text 6, [segment 0x10000] 52",
    );
}

/// Code that is copied to RAM before it runs takes both.
#[test]
fn code_in_ram_takes_rom_and_ram() {
    let load = Load { stored_at: Some(0x0800_0000), ..Load::new(&[(".text", 0x2000_0100)]) };
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &BX_LR.repeat(5), 2);
    f.symbol(text, "fast", 1, 8, As::Function);
    check_bytes(
        &link(f.write(), &[load]),
        &["fast .text 0x20000100 8 0 0 0 +8", "[unattributed] .text 0x20000108 2 0 0 0 +2"],
        ".text 10 +10",
    );
}

/// Names and addresses as in the vendor's memory maps; what is in no known memory is in ROM and RAM alone.
#[test]
fn regions_of_esp_chips() {
    let cases: &[(&[(&str, u32)], &str)] = &[
        (&[(".text", 0x400d_0020), (".data", 0x3ffb_0000)], "ROM 18, RAM 8, DRAM 8, Flash Code 10"),
        (&[(".text", 0x4008_0000), (".data", 0x3ffb_0000)], "ROM 18, RAM 8, DRAM 8, IRAM 10"),
        (&[(".text", 0x4200_0020), (".data", 0x3fc9_0000)], "ROM 18, RAM 8, DIRAM 8, Flash Code 10"),
        (&[(".text", 0x4037_8000), (".data", 0x3fc9_0000)], "ROM 18, RAM 8, DIRAM 18"),
        (&[(".text", 0x0010_0000), (".data", 0x0020_0000)], "ROM 18, RAM 8"),
    ];
    for (places, expected) in cases {
        let mut f = Fixture::new(Architecture::Xtensa);
        f.text(".text", &[0x1d; 10], 1);
        f.data(".data", &[1; 8], 1);
        let loads: Vec<Load<'_>> = places.chunks(1).map(Load::new).collect();
        let report = sizes::measure_bytes("x.elf", &link(f.write(), &loads)).unwrap();
        let regions: Vec<String> = report.regions.iter().map(|r| format!("{} {}", r.name, r.bytes)).collect();
        assert_eq!(regions.join(", "), *expected);
    }
}
