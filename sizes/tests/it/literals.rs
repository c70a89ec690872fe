//! Literals, tables and constants go to the function that uses them, wherever they lie.

use crate::attribution::{check, check_bytes};
use crate::fixture::{As, Fixture};
use crate::linked::{Load, link};
use object::Architecture;
use sizes::measure_bytes;

/// AAELF32, 5.6.1.
const R_ARM_ABS32: u32 = 2;
/// Numbers of binutils' `include/elf/xtensa.h`.
const R_XTENSA_32: u32 = 1;
const R_XTENSA_SLOT0_OP: u32 = 20;

/// `ldr r0, [pc, #4]` and `bx lr`.
const LOAD_AND_RETURN: [u8; 4] = [0x01, 0x48, 0x70, 0x47];
/// `entry a1, 32` and `retw.n`.
const ENTRY: [u8; 3] = [0x36, 0x41, 0x00];
const RETW_N: [u8; 2] = [0x1d, 0xf0];

fn l32r_a2(words: i16) -> [u8; 3] {
    let [low, high] = words.to_le_bytes();
    [0x21, low, high]
}

/// f loads the first word behind the sized functions, g and h the second.
#[test]
fn a_pool_outside_all_symbols() {
    let mut f = Fixture::new(Architecture::Arm);
    // h at 16: ldr.w r0, [pc, #-8]; bx lr; fill.
    let h = [0x5f, 0xf8, 0x08, 0x00, 0x70, 0x47, 0x00, 0xbf];
    let code = [&LOAD_AND_RETURN[..], &LOAD_AND_RETURN, &[1; 8], &h].concat();
    let text = f.text(".text", &code, 4);
    for (name, value, size) in [("f", 1, 4), ("g", 5, 4), ("h", 17, 6)] {
        f.symbol(text, name, value, size, As::Function);
    }
    for (name, value) in [("$t", 0), ("$d", 8), ("$t", 16)] {
        f.symbol(text, name, value, 0, As::Local);
    }
    check(
        f,
        &[
            "f .text 0x0 4 4 0 0",
            "h .text 0x10 6 0 0 0",
            "[literal pool] .text 0xc 0 4 0 0",
            "g .text 0x4 4 0 0 0",
            "[padding] .text 0x16 0 0 0 2",
        ],
        ".text 24",
    );
}

/// The same without sizes: what is inferred ends before the pool.
#[test]
fn a_pool_behind_functions_without_size() {
    let mut f = Fixture::new(Architecture::Arm);
    // g does not load anything: the first word is f's, and it is not known whose the others are.
    let code = [&LOAD_AND_RETURN[..], &[0x70, 0x47, 0x70, 0x47], &[1; 8], &[2; 4]].concat();
    let text = f.text(".text", &code, 4);
    f.symbol(text, "f", 1, 0, As::Function);
    f.symbol(text, "g", 4, 0, As::Global);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 8, 0, As::Local);
    check(f, &["[literal pool] .text 0xc 0 8 0 0", "f .text 0x0 4 4 0 0", "g .text 0x4 4 0 0 0"], ".text 20");
}

/// f takes the address of a table behind g: `adr r0, 8`.
#[test]
fn a_table_outside_all_symbols() {
    let mut f = Fixture::new(Architecture::Arm);
    let code = [&[0x01, 0xa0, 0x70, 0x47][..], &[0x70, 0x47, 0x70, 0x47], &[5; 12]].concat();
    let text = f.text(".text", &code, 4);
    f.symbol(text, "f", 1, 4, As::Function);
    f.symbol(text, "g", 5, 4, As::Function);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 8, 0, As::Local);
    check(f, &["f .text 0x0 4 12 0 0", "g .text 0x4 4 0 0 0"], ".text 20");
}

/// Two functions with a literal each; what the literals point to.
fn two_users(first: u32, second: u32) -> Fixture {
    let mut f = Fixture::new(Architecture::Arm);
    let [first, second] = [first, second].map(u32::to_le_bytes);
    let code = [&LOAD_AND_RETURN[..], &[0; 4], &first, &LOAD_AND_RETURN, &[0; 4], &second].concat();
    let text = f.text(".text", &code, 4);
    let constants = f.rodata(".rodata", &[7; 20], 4);
    f.symbol(text, "f", 1, 12, As::Function);
    f.symbol(text, "g", 13, 12, As::Function);
    for (name, value) in [("$t", 0), ("$d", 4), ("$t", 12), ("$d", 16)] {
        f.symbol(text, name, value, 0, As::Local);
    }
    let base = f.section_symbol(constants);
    f.relocation(text, 8, base, R_ARM_ABS32, 0);
    f.relocation(text, 20, base, R_ARM_ABS32, 0);
    f.symbol(constants, "named", 0, 8, As::Data);
    f
}

/// Constants with a name keep it and say who uses them; those without one become their only user's.
#[test]
fn constants_of_one_function_alone() {
    let cases: &[([u32; 2], &str)] = &[
        // f: named; g: the rest, from 12.
        ([0, 12], "g 8 -, named 8 f, [unattributed] 4 -; f 8, g 8"),
        ([0, 0], "[unattributed] 12 -, named 8 -; f 0, g 0"),
        ([4, 8], "g 12 -, named 8 f; f 8, g 12"),
        ([8, 8], "[unattributed] 12 -, named 8 -; f 0, g 0"),
    ];
    for ([first, second], expected) in cases {
        let report = measure_bytes("x.o", &two_users(*first, *second).write()).unwrap();
        let constants = report.symbols.iter().filter(|row| row.section == ".rodata");
        let constants: Vec<String> = constants
            .map(|row| format!("{} {} {}", row.name, row.data_bytes, row.used_by.as_deref().unwrap_or("-")))
            .collect();
        let functions = report.symbols.iter().filter(|row| row.section == ".text");
        let functions: Vec<String> = functions.map(|row| format!("{} {}", row.name, row.constant_bytes)).collect();
        assert_eq!(format!("{}; {}", constants.join(", "), functions.join(", ")), *expected);
    }
}

/// In an object relocations tell which words of `.literal` a function loads.
#[test]
fn xtensa_literals_of_objects() {
    let mut f = Fixture::new(Architecture::Xtensa);
    let literals = f.text(".literal", &[1; 12], 4);
    let code = [&ENTRY[..], &l32r_a2(-1), &RETW_N].concat();
    let text = f.text(".text", &code.repeat(3), 4);
    let base = f.section_symbol(literals);
    for (number, (name, literal)) in [("f", 0), ("g", 4), ("h", 4)].into_iter().enumerate() {
        let at = 8 * number as u64;
        f.symbol(text, name, at, 8, As::Function);
        f.relocation(text, at + 3, base, R_XTENSA_SLOT0_OP, literal);
    }
    check(
        f,
        &[
            "[literal pool] .literal 0x4 0 8 0 0",
            "f .text 0x0 8 0 0 0",
            "g .text 0x8 8 0 0 0",
            "h .text 0x10 8 0 0 0",
            "f .literal 0x0 0 4 0 0",
        ],
        ".literal 12, .text 24",
    );
}

/// Linked: literals of several functions stand before them in one pool, and a table's address is in one.
#[test]
fn xtensa_literals_pooled_in_the_code() {
    let mut f = Fixture::new(Architecture::Xtensa);
    let pool = [0x3f40_0000_u32, 0x1234_5678].map(u32::to_le_bytes).concat();
    // f at 8: the literal at 0 is 12 bytes before 8 + 3 rounded up; g at 16: that at 4 is 16 bytes before 20.
    let functions = [&ENTRY[..], &l32r_a2(-3), &RETW_N, &ENTRY, &l32r_a2(-4), &RETW_N].concat();
    let text = f.text(".text", &[pool, functions].concat(), 4);
    let constants = f.rodata(".rodata", &[9; 10], 4);
    f.symbol(text, "f", 8, 8, As::Function);
    f.symbol(text, "g", 16, 8, As::Function);
    f.symbol(constants, "table", 0, 6, As::Data);
    let loads = [Load::new(&[(".text", 0x400d_0020)]), Load::new(&[(".rodata", 0x3f40_0000)])];
    check_bytes(
        &link(f.write(), &loads),
        &[
            "f .text 0x400d0028 8 4 0 0",
            "g .text 0x400d0030 8 4 0 0",
            "table .rodata 0x3f400000 0 0 6 0",
            "[unattributed] .rodata 0x3f400006 0 0 4 0",
        ],
        ".text 24, .rodata 10",
    );
}

/// A property table tells literals from instructions where a symbol covers both.
#[test]
fn xtensa_property_tables() {
    for (table, entries) in
        [(".xt.prop", &[[0_u32, 8, 1], [8, 8, 2]][..]), (".xt.prop.text", &[[8, 8, 2], [0, 4, 1], [4, 4, 4]])]
    {
        let mut f = Fixture::new(Architecture::Xtensa);
        let code = [&[1; 8][..], &ENTRY, &l32r_a2(-3), &RETW_N].concat();
        let text = f.text(".text", &code, 4);
        f.symbol(text, "f", 0, 16, As::Function);
        let bytes: Vec<u8> = entries.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let properties = f.debug(table, &bytes);
        let base = f.section_symbol(text);
        for number in 0..entries.len() {
            f.relocation(properties, 12 * number as u64, base, R_XTENSA_32, 0);
        }
        check(f, &["f .text 0x0 8 8 0 0"], ".text 16");
    }
}
