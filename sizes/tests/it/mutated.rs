//! Damaged files: whatever is in them, there is an answer that adds up or an error, never a panic, and never more
//! memory or time than a sound file of that size needs.

use crate::fixture::{As, Fixture, archive};
use crate::linked::{Load, link};
use object::Architecture;
use sizes::view::{self, Extras, Format, select::View};
use sizes::{Error, input, measure_bytes};
use std::time::{Duration, Instant};

/// Damaged files that are tried.
const FILES: usize = 100_000;
/// Every so many of the reports is also printed in every format.
const PRINTED_EACH: usize = 64;
/// What all of it may take, peak of the whole process.
const MEMORY_MAX_BYTES: u64 = 512 << 20;
/// Far beyond what a file of some kilobytes takes: only what hangs gets there.
const HANGS_AFTER: Duration = Duration::from_secs(20);

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Code with a pool, a call and a pushed frame; constants; variables; unwinding; relocations.
fn arm() -> Fixture {
    let mut f = Fixture::new(Architecture::Arm);
    // push {r4, lr}; ldr r0, [pc, #4]; bl g; pop {r4, pc}; nop; pool.
    let code = [0xb510_u16, 0x4801, 0xf000, 0xf801, 0xbd10, 0xbf00, 0, 0, 0xb082, 0x4770];
    let code: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    let text = f.text(".text", &code.repeat(4), 16);
    let data = f.rodata(".rodata", &[3; 40], 8);
    let variables = f.data(".data", &[1; 24], 4);
    let zeros = f.bss(".bss", 64);
    let index = f.rodata(".ARM.exidx", &words(&[0, 0x80b0_b0b0, 16, 1]), 4);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 12, 0, As::Local);
    f.symbol(text, "$t", 16, 0, As::Local);
    let g = f.symbol(text, "_ZN4main1g17h0123456789abcdefE", 17, 4, As::Function);
    f.symbol(text, "f", 1, 16, As::Function);
    f.symbol(text, "rest", 21, 0, As::Function);
    let table = f.symbol(data, "table", 0, 32, As::Data);
    f.symbol(variables, "counter", 1, 8, As::Data);
    f.symbol(zeros, "state", 0, 0, As::Data);
    let of_text = f.section_symbol(text);
    f.relocation(text, 12, table, 2, 0);
    f.relocation(text, 4, g, 10, 0);
    f.relocation(index, 0, of_text, 42, 0);
    f.relocation(index, 8, of_text, 42, 0);
    f
}

/// Windowed code with a literal section, and a property table.
fn xtensa() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Xtensa);
    // entry a1, 32; l32r a2, literal; call8 g; retw.n.
    let code = [0x36, 0x41, 0x00, 0x21, 0xfe, 0xff, 0x25, 0x00, 0x00, 0x1d, 0xf0, 0x00, 0x36, 0x61, 0x00, 0x1d, 0xf0];
    let literals = f.text(".literal", &[1, 2, 3, 4, 5, 6, 7, 8], 4);
    let text = f.text(".text", &code, 4);
    f.symbol(text, "f", 0, 11, As::Function);
    let g = f.symbol(text, "g", 12, 5, As::Function);
    let of_literals = f.section_symbol(literals);
    f.relocation(text, 3, of_literals, 20, 4);
    f.relocation(text, 6, g, 20, 0);
    f.relocation(literals, 0, g, 1, 0);
    f.debug(".xt.prop", &words(&[0, 8, 1, 8, 17, 2]));
    f.write()
}

fn originals() -> Vec<Vec<u8>> {
    let object = arm().write();
    let flash = Load::new(&[(".text", 0x0800_0000), (".rodata", 0x0800_0060), (".ARM.exidx", 0x0800_0090)]);
    let ram = Load { stored_at: Some(0x0800_00a0), ..Load::new(&[(".data", 0x2000_0000), (".bss", 0x2000_0018)]) };
    let mut other = Fixture::new(Architecture::X86_64);
    let text = other.text(".text", &[0xc3; 32], 16);
    other.symbol(text, "f", 0, 16, As::Function);
    vec![
        archive(&[("a.o", &object), ("b.o", &xtensa())]),
        link(arm().write(), &[flash, ram]),
        object,
        xtensa(),
        other.write(),
    ]
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Bytes, or words where headers and tables have theirs, changed to something likely to hurt; some files cut short.
fn damage(original: &[u8], random: &mut u64) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..1 + next(random) % 4 {
        let at = next(random) as usize % bytes.len();
        if next(random).is_multiple_of(2) {
            bytes[at] =
                if next(random).is_multiple_of(2) { next(random) as u8 } else { bytes[at] ^ (1 << (next(random) % 8)) };
            continue;
        }
        let words = [0, 1, u32::MAX, i32::MAX as u32, 1 << 31, bytes.len() as u32, next(random) as u32 % 256];
        let word = words[next(random) as usize % words.len()];
        if let Some(place) = bytes.get_mut(at & !3..(at & !3) + 4) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    if next(random).is_multiple_of(8) {
        bytes.truncate(next(random) as usize % bytes.len() + 1);
    }
    bytes
}

#[test]
fn damaged_files_never_panic_hang_or_grow_and_always_add_up() {
    let originals = originals();
    let mut random = 1;
    let (mut measured, mut refused) = (0, 0);
    for number in 0..FILES {
        let bytes = damage(&originals[number % originals.len()], &mut random);
        let begun = Instant::now();
        for (name, data) in input::split("x", &bytes) {
            match data.and_then(|data| measure_bytes(&name, data)) {
                Ok(report) => {
                    measured += 1;
                    if number % PRINTED_EACH == 0 {
                        print_in_every_format(&[report]);
                    }
                }
                Err(Error::Invariant(fault)) => panic!("file {number}: {fault}"),
                Err(_) => refused += 1,
            }
        }
        assert!(begun.elapsed() < HANGS_AFTER, "file {number} took {:?}", begun.elapsed());
    }
    let few = FILES / 10;
    assert!(measured > few && refused > few, "{measured} measured, {refused} refused: the damage is one-sided");
    if let Some(peak) = peak_bytes() {
        assert!(peak < MEMORY_MAX_BYTES, "{peak} bytes of memory");
    }
}

fn print_in_every_format(reports: &[sizes::report::FileReport]) {
    use clap::ValueEnum;
    for format in Format::value_variants() {
        view::print(reports, &View::default(), *format, &Extras::default()).unwrap();
    }
}

/// The most memory that this process has had so far, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
