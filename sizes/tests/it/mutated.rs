//! Damaged files: whatever is in them, there is an answer that adds up or an error, never a panic.

use crate::fixture::{As, Fixture, archive};
use object::Architecture;
use sizes::{Error, input, measure_bytes};

fn archive_of_objects() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[0x47; 64], 16);
    let data = f.rodata(".rodata", &[3; 40], 8);
    f.symbol(text, "$t", 0, 0, As::Local);
    f.symbol(text, "$d", 20, 0, As::Local);
    f.symbol(text, "f", 1, 30, As::Function);
    f.symbol(text, "g", 33, 0, As::Function);
    f.symbol(data, "table", 0, 32, As::Data);
    let object = f.write();
    archive(&[("a.o", &object), ("b.o", &object)])
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn mutated_archives_never_panic_and_always_add_up() {
    let original = archive_of_objects();
    let mut random = 1;
    let (mut measured, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = original.clone();
        for _ in 0..1 + next(&mut random) % 4 {
            let at = next(&mut random) as usize % bytes.len();
            bytes[at] = match next(&mut random) % 3 {
                0 => next(&mut random) as u8,
                1 => 0xff,
                _ => bytes[at] ^ (1 << (next(&mut random) % 8)),
            };
        }
        if next(&mut random).is_multiple_of(8) {
            bytes.truncate(next(&mut random) as usize % bytes.len() + 1);
        }
        for (name, data) in input::split("x.a", &bytes) {
            match data.and_then(|data| measure_bytes(&name, data)) {
                Ok(_) => measured += 1,
                Err(Error::Invariant(fault)) => panic!("{fault}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(measured > 1000 && refused > 1000, "{measured} measured, {refused} refused: the mutations are one-sided");
}
