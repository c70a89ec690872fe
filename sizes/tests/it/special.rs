//! Tables for unwinding, aliases, leftovers, labels, fill: places where a plain list of symbols is wrong.

use crate::attribution::{check, check_bytes};
use crate::fixture::{As, Fixture};
use crate::linked::{Load, link};
use object::Architecture;
use sizes::measure_bytes;

const BX_LR: [u8; 2] = [0x70, 0x47];
const NOP: [u8; 2] = [0x00, 0xbf];
/// AAELF32, 5.6.1.
const R_ARM_PREL31: u32 = 42;

fn arm() -> Fixture {
    Fixture::new(Architecture::Arm)
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Entries of f (unwinding inline), g (none) and h (a table of 8 bytes).
#[test]
fn unwinding_entries_belong_to_their_functions() {
    let mut f = arm();
    let text = f.text(".text", &BX_LR.repeat(6), 2);
    f.symbol(text, "f", 1, 4, As::Function);
    f.symbol(text, "g", 5, 4, As::Function);
    f.symbol(text, "h", 9, 4, As::Function);
    // The offsets of the functions stand in the words.
    let index = f.rodata(".ARM.exidx", &words(&[0, 0x80b0_b0b0, 4, 1, 8, 4]), 4);
    let tables = f.rodata(".ARM.extab", &words(&[0, 0x8101_b0b0, 0]), 4);
    let (of_text, of_tables) = (f.section_symbol(text), f.section_symbol(tables));
    for (at, symbol) in [(0, of_text), (8, of_text), (16, of_text), (20, of_tables)] {
        f.relocation(index, at, symbol, R_ARM_PREL31, 0);
    }
    check(
        f,
        &[
            "f .ARM.exidx 0x0 0 0 8 0",
            "g .ARM.exidx 0x8 0 0 8 0",
            "h .ARM.exidx 0x10 0 0 8 0",
            "h .ARM.extab 0x4 0 0 8 0",
            "[unattributed] .ARM.extab 0x0 0 0 4 0",
            "f .text 0x0 4 0 0 0",
            "g .text 0x4 4 0 0 0",
            "h .text 0x8 4 0 0 0",
        ],
        ".text 12, .ARM.exidx 24, .ARM.extab 12",
    );
}

/// Linked: 31-bit offsets from the words' own places, and an entry that ends the table.
#[test]
fn unwinding_entries_of_linked_files() {
    let mut f = arm();
    let text = f.text(".text", &BX_LR.repeat(4), 2);
    f.symbol(text, "f", 1, 4, As::Function);
    f.symbol(text, "g", 5, 4, As::Function);
    // At 0x8010: back to 0x8000, 0x8004 and the end of the code, 0x8008, where there is no function.
    let back = |from: u32, to: u32| to.wrapping_sub(from) & 0x7fff_ffff;
    let entries = [back(0x8010, 0x8000), 1, back(0x8018, 0x8004), 1, back(0x8020, 0x8008), 1];
    f.rodata(".ARM.exidx", &words(&entries), 4);
    let bytes = link(f.write(), &[Load::new(&[(".text", 0x8000), (".ARM.exidx", 0x8010)])]);
    check_bytes(
        &bytes,
        &[
            "[unattributed] .ARM.exidx 0x8020 0 0 8 0",
            "f .ARM.exidx 0x8010 0 0 8 0",
            "g .ARM.exidx 0x8018 0 0 8 0",
            "f .text 0x8000 4 0 0 0",
            "g .text 0x8004 4 0 0 0",
        ],
        ".text 8, .ARM.exidx 24",
    );
}

/// Functions that a linker folded into one, weak and local names of it, and a label at its entry.
#[test]
fn one_row_for_folded_functions_with_all_their_names() {
    let mut f = arm();
    let text = f.text(".text", &BX_LR.repeat(4), 2);
    for (name, kind) in
        [("b", As::Function), ("a", As::Function), ("weak", As::WeakFunction), ("own", As::LocalFunction)]
    {
        f.symbol(text, name, 1, 6, kind);
    }
    f.symbol(text, "unsized", 0, 0, As::Global);
    f.symbol(text, "inside", 3, 2, As::Function);
    f.symbol(text, "a", 7, 2, As::LocalFunction);
    let report = measure_bytes("x.o", &f.write()).unwrap();
    let found: Vec<String> =
        report.symbols.iter().map(|r| format!("{} {} {:?}", r.name, r.total_bytes, r.aliases)).collect();
    assert_eq!(found, [r#"a 6 ["b", "inside", "own", "unsized", "weak"]"#, "a 2 []"]);
}

/// Assembly that exports nothing: code belongs to the first label before it, and later labels split nothing.
#[test]
fn code_with_local_labels_only() {
    let mut f = arm();
    let code = [&BX_LR.repeat(4)[..], &[1, 2, 3, 4], &BX_LR.repeat(3), &NOP, &BX_LR].concat();
    let text = f.text(".text", &code, 4);
    f.symbol(text, "reset", 0, 0, As::Local);
    f.symbol(text, "loop", 4, 0, As::Local);
    f.symbol(text, "pool", 8, 0, As::Local);
    f.symbol(text, "typed", 21, 2, As::LocalFunction);
    f.symbol(text, ".Lhidden", 12, 0, As::Local);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 8, 0, As::Local);
    f.symbol(text, "$t", 12, 0, As::Local);
    check(f, &["reset .text 0x0 14 4 0 0", "[padding] .text 0x12 0 0 0 2", "typed .text 0x14 2 0 0 0"], ".text 22");
}

/// A no-operation before a literal pool only aligns it: nothing runs on into data.
#[test]
fn fill_before_a_pool_is_padding_of_its_function() {
    for (code, expected) in [
        ([&BX_LR[..], &NOP, &[7; 4]].concat(), "f .text 0x0 2 4 0 2"),
        ([&BX_LR[..], &[0, 0], &[7; 4]].concat(), "f .text 0x0 2 4 0 2"),
        ([&NOP[..], &BX_LR, &[7; 4]].concat(), "f .text 0x0 4 4 0 0"),
    ] {
        let mut f = arm();
        let text = f.text(".text", &code, 4);
        f.symbol(text, "$t", 0, 0, As::Local);
        f.symbol(text, "$d", 4, 0, As::Local);
        f.symbol(text, "f", 1, 8, As::Function);
        check(f, &[expected], ".text 8");
    }
}

/// GNU as puts the zeros that align a pool behind `$d`.
#[test]
fn zeros_before_the_words_of_a_pool_are_padding() {
    for (pool, expected) in [
        ([0, 0, 7, 7, 7, 7], "f .text 0x0 2 4 0 2"),
        ([0, 1, 7, 7, 7, 7], "f .text 0x0 2 6 0 0"),
        // A table of branch offsets.
        ([3, 0, 7, 7, 7, 7], "f .text 0x0 2 6 0 0"),
    ] {
        let mut f = arm();
        let text = f.text(".text", &[&BX_LR[..], &pool].concat(), 4);
        f.symbol(text, "$t", 0, 0, As::Local);
        f.symbol(text, "$d", 2, 0, As::Local);
        f.symbol(text, "f", 1, 8, As::Function);
        check(f, &[expected], ".text 8");
    }
}

/// `__FRAME_END__` is an object without a size at the end of a table that it does not own; in other data such a symbol
/// names what is behind it.
#[test]
fn objects_without_size_own_no_unwinding_tables() {
    for (section, expected) in [
        (".eh_frame", &["[unattributed] .eh_frame 0x0 0 0 16 0"][..]),
        (".rodata", &["[unattributed] .rodata 0x0 0 0 8 0", "mark .rodata 0x8 0 0 8 0"]),
    ] {
        let mut f = arm();
        let table = f.rodata(section, &[7; 16], 4);
        f.symbol(table, "mark", 8, 0, As::Data);
        check(f, expected, &format!("{section} 16"));
    }
}

/// What the assemblers of other machines put between functions.
#[test]
fn fill_of_other_machines() {
    for (architecture, between) in [
        (Architecture::X86_64, &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0x00][..]),
        (Architecture::X86_64, &[0xcc; 14]),
        (Architecture::Aarch64, &[0x1f, 0x20, 0x03, 0xd5]),
        (Architecture::Riscv32, &[0x01, 0x00, 0x13, 0x00, 0x00, 0x00]),
        (Architecture::Xtensa, &[0x3d, 0xf0]),
    ] {
        let mut f = Fixture::new(architecture);
        let code = [&[7; 2][..], &vec![7; 14 - between.len()], between, &[7; 4]].concat();
        let text = f.text(".text", &code, 16);
        let start = 16 - between.len() as u64;
        f.symbol(text, "f", 0, start, As::Function);
        f.symbol(text, "g", 16, 4, As::Function);
        let rows = measure_bytes("x.o", &f.write()).unwrap().symbols;
        let padding: u64 = rows.iter().map(|row| row.padding_bytes).sum();
        assert_eq!((padding, rows.len()), (between.len() as u64, 3), "{architecture:?} {between:x?}");
    }
}

/// A member that holds no code or data, as Rust's metadata, is not a stripped file.
#[test]
fn files_without_code_or_data_lack_nothing() {
    let mut f = arm();
    f.debug(".rmeta", &[1; 40]);
    let report = measure_bytes("lib.rmeta", &f.write()).unwrap();
    assert_eq!((report.total_bytes, report.notes), (0, Vec::<String>::new()));
}

/// Labels without a type name data as they name code; of those that linker scripts set, none does.
#[test]
fn labels_name_data() {
    let expected = ["words .rodata 0x0 0 0 12 0", "_more .rodata 0xc 0 0 8 0"];
    let mut f = arm();
    let data = f.rodata(".rodata", &[7; 20], 4);
    f.symbol(data, "words", 0, 0, As::Global);
    f.symbol(data, "_more", 12, 0, As::Global);
    f.symbol(data, "inside", 4, 0, As::Local);
    let bytes = f.write();
    check_bytes(&bytes, &expected, ".rodata 20");
    let linked = link(bytes, &[Load::new(&[(".rodata", 0x1000)])]);
    check_bytes(&linked, &["words .rodata 0x1000 0 0 20 0"], ".rodata 20");
}

/// Variables of old compilers are in no section: the linker makes room for them.
#[test]
fn common_variables_take_ram() {
    let mut f = arm();
    f.common("array", 80, 4);
    f.common("flag", 1, 1);
    check(f, &["array COMMON 0x0 0 0 0 0 +80", "flag COMMON 0x50 0 0 0 0 +1"], "COMMON 0 +81");
}

/// Names are shown as text, whatever is in them.
#[test]
fn names_cannot_command_the_terminal() {
    let mut f = arm();
    let text = f.text(".te\u{1b}xt", &BX_LR, 2);
    f.symbol(text, "a\u{1b}[31m\n\u{202e}b", 1, 2, As::Function);
    let report = measure_bytes("x.o", &f.write()).unwrap();
    let row = &report.symbols[0];
    assert_eq!((row.name.as_str(), row.section.as_str()), ("a\\u{1b}[31m\\n\\u{202e}b", ".te\\u{1b}xt"));
}

/// What a linker leaves of a function that it threw away: symbols without a section, beyond it, or with a size only.
#[test]
fn leftovers_of_discarded_functions_claim_nothing() {
    let mut f = arm();
    let text = f.text(".text", &BX_LR.repeat(2), 2);
    f.symbol(text, "f", 1, 4, As::Function);
    f.symbol(text, "discarded", 0x101, 40, As::WeakFunction);
    f.absolute("_ZN4goneEv", 0, 12, As::WeakFunction);
    f.undefined("elsewhere");
    check(f, &["f .text 0x0 4 0 0 0"], ".text 4");
}
