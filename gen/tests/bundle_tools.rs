//! The files of a bundle, put through the tools that users have.

#[path = "common/sample.rs"]
mod sample;
#[path = "common/tools.rs"]
mod tools;

use generator::function::{Function, Line};
use generator::target::{Abi, Target};
use isa::thumb::{Inst, Op};
use sample::sample;
use std::path::Path;
use tools::{assembled, run, section, written};

fn samples() -> Vec<Function> {
    // The second one's code and constants are no whole number of words.
    let mut beta = sample("beta", Target::M4f, Abi::Aapcs);
    beta.lines.push(Line::Inst { inst: Inst::new(Op::Nop).into(), target: None, remark: String::new() });
    beta.code.extend([0x00, 0xbf]);
    beta.rodata.truncate(18);
    vec![sample("alpha", Target::M4f, Abi::Aapcs), beta]
}

/// Assembles the `.s` of `listed` and says where code, constants and unwinding rows differ from the `.o` of `encoded`.
fn differences(listed: &Function, encoded: &Function, program: &str, args: &[&str]) -> Vec<String> {
    let symbol = &listed.symbol;
    let dir = assembled(listed, encoded, program, args);
    let ours = format!("{symbol}.o");
    let mut found = Vec::new();
    for name in [format!(".text.{symbol}"), format!(".rodata.{symbol}")] {
        if section(dir.path(), "theirs.o", &name) != section(dir.path(), &ours, &name) {
            found.push(name);
        }
    }
    let rows = unwinding(dir.path(), &ours);
    assert!(rows.len() > 1, "no rows in {ours}");
    if unwinding(dir.path(), "theirs.o") != rows {
        found.push("unwinding".to_string());
    }
    found
}

/// Where the frame and the saved registers are, for each range of addresses.
fn unwinding(dir: &Path, file: &str) -> Vec<String> {
    let text = run(dir, "arm-none-eabi-readelf", &["--debug-dump=frames-interp", file]);
    text.lines()
        .filter(|line| line.contains(" r13+") || line.contains("pc="))
        .map(|line| line.split_once("pc=").map_or(line, |(_, range)| range).to_string())
        .collect()
}

/// A change to a function, and what must be seen to differ.
type Fault = (fn(&mut Function), &'static str);

/// No difference in the functions as they are; each planted fault is seen.
fn check_assembler(program: &str, args: &[&str]) {
    for function in samples() {
        assert_eq!(differences(&function, &function, program, args), Vec::<String>::new(), "{}", function.symbol);
    }
    let faults: [Fault; 5] = [
        (|function| function.code[12] ^= 1, ".text.qr_alpha_looped_m4f"),
        (|function| function.rodata[19] ^= 1, ".rodata.qr_alpha_looped_m4f"),
        (|function| function.lines[1] = Line::CfaOffset(12), "unwinding"),
        (|function| function.lines[3] = Line::SavedAt { reg: 14, below_cfa: 8 }, "unwinding"),
        (|function| function.lines[5] = Line::SavedInFp { reg: 4, s: 1 }, "unwinding"),
    ];
    for (fault, expected) in faults {
        let (original, mut planted) =
            (sample("alpha", Target::M4f, Abi::Aapcs), sample("alpha", Target::M4f, Abi::Aapcs));
        fault(&mut planted);
        assert_eq!(differences(&original, &planted, program, args), [expected]);
    }
}

#[test]
#[ignore = "needs arm-none-eabi-as"]
fn gnu_as_gives_our_bytes() {
    check_assembler("arm-none-eabi-as", &[]);
}

#[test]
#[ignore = "needs clang-22"]
fn clang_gives_our_bytes() {
    check_assembler("clang-22", &["--target=arm-none-eabi", "-mcpu=cortex-m4", "-c"]);
}

#[test]
#[ignore = "needs clang-22"]
fn headers_compile_as_c_and_as_cpp() {
    let functions = samples();
    let (dir, files) = written(&functions);
    let mut all = String::new();
    for file in files.iter().filter(|file| file.name.ends_with(".h")) {
        let include = format!("#include \"{}\"\n", file.name);
        all += &include;
        std::fs::write(dir.path().join("one.c"), &include).expect("written");
        check_c(dir.path(), "one.c");
    }
    let calls = functions
        .iter()
        .map(|f| format!("(void *){}, (void *)(unsigned long){}_STACK_BYTES", f.symbol, f.symbol.to_uppercase()));
    all += &format!("void *all[] = {{ {} }};\n", calls.collect::<Vec<_>>().join(", "));
    std::fs::write(dir.path().join("all.c"), &all).expect("written");
    check_c(dir.path(), "all.c");
}

fn check_c(dir: &Path, file: &str) {
    let common =
        ["--target=arm-none-eabi", "-mcpu=cortex-m4", "-ffreestanding", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"];
    for language in [["-x", "c", "-std=c99"], ["-x", "c++", "-std=c++11"]] {
        run(dir, "clang-22", &[&common, language.as_slice(), &[file]].concat());
    }
}

/// Links a caller, compiled for each floating-point ABI, with all objects.
fn check_link(linker: &str) {
    let functions = samples();
    let (dir, _) = written(&functions);
    let calls: Vec<String> =
        functions.iter().map(|f| format!("{}(a, (uint8_t *)a, (uint8_t *)a, 4);", f.symbol)).collect();
    let caller = format!(
        "#include \"quadround.h\"\nfloat f(float x) {{ return -x; }}\nvoid _start(void) {{ static uint32_t a[16]; {} }}\n",
        calls.concat()
    );
    std::fs::write(dir.path().join("caller.c"), caller).expect("written");
    for abi in ["soft", "softfp", "hard"] {
        let float = format!("-mfloat-abi={abi}");
        let compile = ["--target=arm-none-eabi", "-mcpu=cortex-m4", &float, "-ffreestanding", "-O1", "-c", "caller.c"];
        run(dir.path(), "clang-22", &compile);
        let objects: Vec<String> = functions.iter().map(|f| format!("{}.o", f.symbol)).collect();
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        // Objects of clang speak of an executable stack, those of arm-none-eabi-gcc and ours do not; GNU ld takes either for a fault in
        // the other unless it is told.
        let options = ["-o", "linked.elf", "caller.o", "--fatal-warnings", "-z", "noexecstack"];
        let said = run(dir.path(), linker, &[&options, &objects[..]].concat());
        assert_eq!(said, "", "{linker}, {abi}");
        let symbols = run(dir.path(), "arm-none-eabi-nm", &["linked.elf"]);
        assert!(functions.iter().all(|f| symbols.contains(&format!(" T {}", f.symbol))), "{symbols}");
    }
}

#[test]
#[ignore = "needs arm-none-eabi-ld, clang-22"]
fn gnu_ld_links_with_every_float_abi() {
    check_link("arm-none-eabi-ld");
}

#[test]
#[ignore = "needs ld.lld-22, clang-22"]
fn lld_links_with_every_float_abi() {
    check_link("ld.lld-22");
}
