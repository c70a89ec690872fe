//! Frames compared with what clang says of the code that it makes.

use sizes::measure_bytes;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("shapes.c");

fn run(folder: &Path, program: &str, args: &[&str]) {
    let output = Command::new(program).current_dir(folder).args(args).output();
    let output = output.unwrap_or_else(|why| panic!("{program}: {why}; `cargo xtask setup` installs it"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Frames by `-fstack-usage`; `None` for those whose size is only known at run time.
fn frames_by_clang(text: &str) -> BTreeMap<String, Option<u64>> {
    let frame = |line: &str| {
        let mut parts = line.rsplit('\t');
        let (kind, bytes, name) = (parts.next()?, parts.next()?, parts.next()?);
        let name = name.rsplit(':').next()?.to_owned();
        Some((name, (kind == "static").then(|| bytes.parse().unwrap())))
    };
    text.lines().filter_map(frame).collect()
}

/// Functions whose frame is another than clang says.
fn differences(source: &str, args: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("s.c"), source).unwrap();
    run(folder, "clang-22", &[args, &["-w", "-fstack-usage", "-c", "s.c", "-o", "s.o"]].concat());
    let frames = frames_by_clang(&std::fs::read_to_string(folder.join("s.su")).unwrap());
    assert!(!frames.is_empty());
    let report = measure_bytes("s.o", &std::fs::read(folder.join("s.o")).unwrap()).unwrap();
    let stack = |name: &str| report.symbols.iter().filter(|row| row.name == name).find_map(|row| row.stack.as_ref());
    // On Xtensa clang does not count arguments that it pushes for calls.
    let counted = |name: &&String| !args[0].contains("xtensa") || !["args", "byval_call"].contains(&name.as_str());
    let found = frames.keys().filter(counted).map(|name| (name, frames[name], stack(name).unwrap().frame_bytes));
    let wrong = found.filter(|(_, expected, found)| expected != found);
    wrong.map(|(name, expected, found)| format!("{args:?} {name}: {found:?}, clang {expected:?}")).collect()
}

#[test]
#[ignore = "needs clang-22"]
fn frames_are_those_of_clang() {
    const FEATURE: [&str; 3] = ["-Xclang", "-target-feature", "-Xclang"];
    // Clang's Xtensa assembler wants calls between functions to be relocated.
    let xtensa = ["--target=xtensa-none-elf", "-ffunction-sections", "-falign-functions=4"];
    let windowed = [&xtensa[..], &FEATURE, &["+windowed"], &FEATURE, &["+density"]].concat();
    let targets: [&[&str]; 7] = [
        &["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4"],
        &["--target=thumbv7m-none-eabi"],
        &["--target=thumbv6m-none-eabi"],
        &["--target=thumbv8m.main-none-eabi"],
        &["--target=armv7a-none-eabihf", "-mfpu=neon"],
        &xtensa,
        &windowed,
    ];
    let mut wrong = Vec::new();
    for target in targets {
        for level in ["-O0", "-Os", "-O2"] {
            wrong.extend(differences(SOURCE, &[target, &[level]].concat()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Clang does not know what inline assembly pushes: a difference that must be found.
#[test]
#[ignore = "needs clang-22"]
fn a_wrong_frame_is_found() {
    let source = r#"void ext(void); void f(void) { __asm volatile("push {r4-r5}\n pop {r4-r5}"); ext(); }"#;
    let wrong = differences(source, &["--target=thumbv7m-none-eabi", "-Os"]);
    assert_eq!(wrong, [r#"["--target=thumbv7m-none-eabi", "-Os"] f: Some(8), clang Some(0)"#]);
}
