//! Source files from debug information: made by hand, and by clang for each version of DWARF.

use crate::fixture::{As, Fixture};
use crate::linked::{Load, link};
use crate::mutated::next;
use object::Architecture;
use sizes::measure_bytes;
use std::path::Path;
use std::process::Command;

/// One unit: a name as a string, an address, a length in four bytes (DWARF 4, 7.5.3 and 7.5.4).
const ABBREVIATIONS: [u8; 12] = [1, 0x11, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, 0];

fn unit(name: &str, start: u32, bytes: u32) -> Vec<u8> {
    let mut body = vec![4, 0, 0, 0, 0, 0, 4, 1];
    body.extend(name.as_bytes());
    body.push(0);
    body.extend(start.to_le_bytes());
    body.extend(bytes.to_le_bytes());
    let mut unit = (body.len() as u32).to_le_bytes().to_vec();
    unit.extend(body);
    unit
}

/// `f` and `g` of four bytes each at 0x8000, and a table.
fn linked(units: &[Vec<u8>]) -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[0x70, 0x47, 0x70, 0x47].repeat(3), 4);
    f.symbol(text, "f", 1, 4, As::Function);
    f.symbol(text, "g", 5, 4, As::Function);
    f.symbol(text, "table", 8, 4, As::Data);
    f.debug(".debug_abbrev", &ABBREVIATIONS);
    f.debug(".debug_info", &units.concat());
    link(f.write(), &[Load::new(&[(".text", 0x8000)])])
}

fn sources(file: &[u8], names: &[&str]) -> Vec<Option<String>> {
    let report = measure_bytes("x", file).unwrap();
    let of = |name: &&str| report.symbols.iter().find(|row| row.name == *name).unwrap().source.clone();
    names.iter().map(of).collect()
}

#[test]
fn units_name_the_functions_in_their_ranges() {
    let (a, b) = (unit("a.c", 0x8000, 4), unit("b.c", 0x8004, 4));
    for (units, expected) in [
        (vec![a.clone(), b.clone()], [Some("a.c"), Some("b.c"), None]),
        (vec![a.clone()], [Some("a.c"), None, None]),
        (vec![unit("src/lib.rs/@/mine.0-cgu.0", 0x8000, 12)], [Some("src/lib.rs"), Some("src/lib.rs"), None]),
        // Two files for one place, and places that the linker dropped.
        (vec![a.clone(), unit("c.c", 0x8000, 8)], [None, Some("c.c"), None]),
        (vec![unit("z.c", 0, 0x9000), a.clone(), unit("y.c", u32::MAX, 4)], [Some("a.c"), Some("z.c"), None]),
        // What follows a damaged unit is lost.
        (vec![a, vec![0xff; 3], b], [Some("a.c"), None, None]),
        (vec![], [None, None, None]),
    ] {
        let expected: Vec<_> = expected.iter().map(|name| name.map(str::to_owned)).collect();
        assert_eq!(sources(&linked(&units), &["f", "g", "table"]), expected);
    }
}

#[test]
fn damaged_debug_information_is_no_error() {
    let good = linked(&[unit("a.c", 0x8000, 4), unit("b.c", 0x8004, 4)]);
    let start = good.windows(ABBREVIATIONS.len()).position(|bytes| bytes == ABBREVIATIONS).unwrap();
    let end = start + ABBREVIATIONS.len() + 2 * unit("a.c", 0, 0).len();
    let mut random = 5;
    for _ in 0..5000 {
        let mut bytes = good.clone();
        for _ in 0..1 + next(&mut random) % 3 {
            let at = start + next(&mut random) as usize % (end - start);
            bytes[at] = next(&mut random) as u8;
        }
        sources(&bytes, &["f", "g"]);
    }
}

fn run(folder: &Path, program: &str, args: &[&str]) {
    let output = Command::new(program).current_dir(folder).args(args).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}; `cargo xtask setup` installs it"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Objects, two objects made one, and a linked file.
#[test]
#[ignore = "needs clang-22 and arm-none-eabi-ld"]
fn clang_and_ld_agree_for_every_version() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a.c"), "int a1(int x) { return x + 1; } int a2(int x) { return x * 3; }").unwrap();
    std::fs::write(folder.join("b.c"), "int b1(int x) { return x - 1; } int b2(int x) { return x / 3; }").unwrap();
    for version in ["-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"] {
        for sections in ["-ffunction-sections", "-fno-function-sections"] {
            let flags = ["--target=thumbv7em-none-eabi", "-mcpu=cortex-m4", "-O1", sections, version, "-c"];
            for name in ["a", "b"] {
                run(folder, "clang-22", &[&flags[..], &[&format!("{name}.c"), "-o", &format!("{name}.o")]].concat());
            }
            run(folder, "arm-none-eabi-ld", &["-r", "a.o", "b.o", "-o", "ab.o"]);
            run(folder, "arm-none-eabi-ld", &["-e", "a1", "a.o", "b.o", "-o", "ab.elf"]);
            let of = |file: &str, names: &[&str]| sources(&std::fs::read(folder.join(file)).unwrap(), names);
            let (a, b) = (Some("a.c".to_owned()), Some("b.c".to_owned()));
            assert_eq!(of("a.o", &["a1", "a2"]), [a.clone(), a.clone()], "{version} {sections}");
            for file in ["ab.o", "ab.elf"] {
                let expected = [a.clone(), a.clone(), b.clone(), b.clone()];
                assert_eq!(of(file, &["a1", "a2", "b1", "b2"]), expected, "{version} {sections} {file}");
            }
        }
    }
}
