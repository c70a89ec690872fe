//! Objects built by hand, with answers computed by hand.

use crate::fixture::{As, Fixture};
use object::Architecture;
use sizes::measure_bytes;

/// Thumb `nop`, `nop.w` and `bx lr`.
const NOP: [u8; 2] = [0x00, 0xbf];
const NOP_W: [u8; 4] = [0xaf, 0xf3, 0x00, 0x80];
const BX_LR: [u8; 2] = [0x70, 0x47];

fn arm() -> Fixture {
    Fixture::new(Architecture::Arm)
}

/// Rows as `name section address code literals data padding`, with `+RAM` where it takes any; sections as `name bytes`,
/// with `+RAM`.
pub fn check(fixture: Fixture, expected_rows: &[&str], expected_sections: &str) {
    check_bytes(&fixture.write(), expected_rows, expected_sections);
}

/// As [`check`], for a file.
pub fn check_bytes(file: &[u8], expected_rows: &[&str], expected_sections: &str) {
    let report = measure_bytes("x.o", file).unwrap();
    let rows: Vec<String> = report
        .symbols
        .iter()
        .map(|r| {
            assert_eq!(r.total_bytes, r.code_bytes + r.literal_bytes + r.data_bytes + r.padding_bytes);
            let (code, literals, data, padding) = (r.code_bytes, r.literal_bytes, r.data_bytes, r.padding_bytes);
            let ram = ram(r.ram_bytes);
            format!("{} {} {:#x} {code} {literals} {data} {padding}{ram}", r.name, r.section, r.address)
        })
        .collect();
    assert_eq!(rows, expected_rows);
    let sections: Vec<String> =
        report.sections.iter().map(|s| format!("{} {}{}", s.name, s.bytes, ram(s.ram_bytes))).collect();
    assert_eq!(sections.join(", "), expected_sections);
    assert_eq!(report.total_bytes, report.sections.iter().map(|s| s.bytes).sum::<u64>());
}

fn ram(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!(" +{bytes}") }
}

#[test]
fn sized_symbols_of_every_kind_of_section() {
    let mut f = arm();
    let text = f.text(".text.f", &BX_LR.repeat(10), 2);
    let rodata = f.rodata(".rodata.f", &[1; 7], 1);
    let bss = f.bss(".bss", 64);
    f.debug(".debug_info", &[1; 100]);
    f.symbol(text, "f", 1, 20, As::Function);
    f.symbol(rodata, "odd", 1, 6, As::Data);
    f.symbol(bss, "state", 0, 64, As::Data);
    check(
        f,
        &[
            "f .text.f 0x0 20 0 0 0",
            "odd .rodata.f 0x1 0 0 6 0",
            "[unattributed] .rodata.f 0x0 0 0 1 0",
            "state .bss 0x0 0 0 0 0 +64",
        ],
        ".text.f 20, .rodata.f 7, .bss 0 +64",
    );
}

#[test]
fn literal_pools_and_tables_are_told_from_code() {
    let mut f = arm();
    let text = f.text(".text", &[1; 40], 4);
    f.symbol(text, "f", 1, 20, As::Function);
    f.symbol(text, "g", 21, 12, As::LocalFunction);
    f.symbol(text, "table", 32, 8, As::Data);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 12, 0, As::Local);
    f.symbol(text, "$t.1", 20, 0, As::Local);
    f.symbol(text, "$d.2", 28, 0, As::Local);
    // Not mapping symbols: another letter, and a global.
    f.symbol(text, "$dx", 2, 0, As::Local);
    f.symbol(text, "$d.x", 4, 2, As::Global);
    check(f, &["f .text 0x0 12 8 0 0", "g .text 0x14 8 4 0 0", "table .text 0x20 0 0 8 0"], ".text 40");
}

#[test]
fn symbols_without_size_reach_to_the_next_without_the_fill() {
    let mut f = arm();
    // f: 6 bytes and 10 of fill; g: 4 bytes; h: 2 and 10; table: the rest.
    let code =
        [&BX_LR[..], &BX_LR, &BX_LR, &NOP, &NOP_W, &NOP_W, &BX_LR, &BX_LR, &BX_LR, &NOP.repeat(5), &[7; 4]].concat();
    let text = f.text(".text", &code, 16);
    f.symbol(text, "f", 1, 0, As::Function);
    f.symbol(text, "inner", 2, 0, As::Local);
    f.symbol(text, ".Lloop", 4, 0, As::Local);
    f.symbol(text, "g", 17, 0, As::LocalFunction);
    f.symbol(text, "h", 20, 0, As::Global);
    f.symbol(text, "table", 32, 0, As::Data);
    f.symbol(text, "end", 36, 0, As::Global);
    f.absolute("clock", 18, 0, As::Global);
    check(
        f,
        &[
            "[padding] .text 0x6 0 0 0 20",
            "f .text 0x0 6 0 0 0",
            "g .text 0x10 4 0 0 0",
            "table .text 0x20 0 0 4 0",
            "h .text 0x14 2 0 0 0",
        ],
        ".text 36",
    );
}

#[test]
fn what_looks_like_fill_but_is_not() {
    // A literal 0, the float -0.5 (00 00 00 bf) and more no-operations than the alignment asks for.
    let cases: [(&[u8], u64, &str); 4] = [
        (&[0; 4], 8, "f .text 0x0 4 4 0 0"),
        (&[0, 0, 0, 0xbf], 8, "f .text 0x0 4 4 0 0"),
        (&[0, 0, 0, 0xbf], 4, "f .text 0x0 4 4 0 0"),
        (&[0, 0xbf, 0, 0xbf], 4, "f .text 0x0 4 4 0 0"),
    ];
    for (literal, align, row) in cases {
        let mut f = arm();
        let text = f.text(".text", &[&BX_LR[..], &BX_LR, literal].concat(), align);
        f.symbol(text, "$t", 0, 0, As::Local);
        f.symbol(text, "$d", 4, 0, As::Local);
        f.symbol(text, "f", 1, 0, As::Function);
        check(f, &[row], ".text 8");
    }
    let mut f = arm();
    let text = f.text(".text", &[&BX_LR[..], &NOP.repeat(3)].concat(), 4);
    f.symbol(text, "f", 1, 0, As::Function);
    check(f, &["f .text 0x0 8 0 0 0"], ".text 8");
}

#[test]
fn bytes_of_aliases_and_overlaps_are_counted_once() {
    let mut f = arm();
    let text = f.text(".text", &BX_LR.repeat(20), 2);
    f.symbol(text, "weak_f", 1, 8, As::WeakFunction);
    f.symbol(text, "local_f", 1, 8, As::LocalFunction);
    f.symbol(text, "f", 1, 8, As::Function);
    f.symbol(text, "unsized_alias", 1, 0, As::Function);
    f.symbol(text, "entry", 5, 0, As::Function);
    f.symbol(text, "outer", 9, 12, As::Function);
    f.symbol(text, "nested", 13, 4, As::Function);
    f.symbol(text, "tail", 17, 12, As::Function);
    f.symbol(text, "beyond", 33, 4000, As::Function);
    f.symbol(text, "outside", 401, 4, As::Function);
    check(
        f,
        &[
            "outer .text 0x8 12 0 0 0",
            "beyond .text 0x20 8 0 0 0",
            "f .text 0x0 8 0 0 0",
            "tail .text 0x14 8 0 0 0",
            "[unattributed] .text 0x1c 4 0 0 0",
        ],
        ".text 40",
    );
}

#[test]
fn gaps_are_padding_only_if_alignment_explains_them() {
    let mut f = arm();
    let data = f.rodata(".rodata", &[&[1; 4][..], &[0; 4], &[1; 4], &[0; 12], &[1; 4], b"text"].concat(), 8);
    f.symbol(data, "a", 0, 4, As::Data);
    f.symbol(data, "b", 8, 4, As::Data);
    f.symbol(data, "c", 24, 4, As::Data);
    check(
        f,
        &[
            // 12 zeros are more than an alignment to 8 needs.
            "[unattributed] .rodata 0xc 0 0 16 0",
            "[padding] .rodata 0x4 0 0 0 4",
            "a .rodata 0x0 0 0 4 0",
            "b .rodata 0x8 0 0 4 0",
            "c .rodata 0x18 0 0 4 0",
        ],
        ".rodata 32",
    );
}

#[test]
fn without_symbols_the_sections_remain() {
    let mut f = arm();
    f.text(".text", &BX_LR.repeat(4), 4);
    f.rodata(".rodata", &[1, 2, 3], 1);
    check(f, &["[unattributed] .text 0x0 8 0 0 0", "[unattributed] .rodata 0x0 0 0 3 0"], ".text 8, .rodata 3");
    check(arm(), &[], "");
}

#[test]
fn equal_sections_of_one_name_are_told_apart() {
    let mut f = arm();
    let first = f.text(".text", &BX_LR.repeat(2), 2);
    let second = f.text(".text", &BX_LR.repeat(3), 2);
    f.symbol(first, "f", 1, 4, As::Function);
    f.symbol(second, "g", 1, 6, As::Function);
    check(f, &["g .text 0x0 6 0 0 0", "f .text 0x0 4 0 0 0"], ".text 4, .text 6");
}

#[test]
fn other_machines_have_no_thumb_bit_and_no_mapping_symbols() {
    for architecture in [Architecture::Xtensa, Architecture::X86_64, Architecture::Mips] {
        let mut f = Fixture::new(architecture);
        let text = f.text(".text", &[1, 1, 1, 0, 2, 2, 2, 2, 2], 4);
        f.symbol(text, "f", 0, 0, As::Function);
        f.symbol(text, "g", 4, 0, As::Function);
        f.symbol(text, "h", 7, 2, As::Function);
        f.symbol(text, "$d", 0, 0, As::Local);
        check(
            f,
            &["f .text 0x0 3 0 0 0", "g .text 0x4 3 0 0 0", "h .text 0x7 2 0 0 0", "[padding] .text 0x3 0 0 0 1"],
            ".text 9",
        );
    }
}
