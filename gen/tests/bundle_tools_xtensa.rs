//! The files of a bundle for Xtensa, put through the tools that users have.
//!
//! GNU as and ld of Espressif's toolchain are not in distributions; those for another maker's core are. They read the same
//! language and write the same files, but know neither windows nor loops nor MAC16, so they are given what is called by CALL0.

#[path = "common/sample.rs"]
mod sample;
#[path = "common/tools.rs"]
mod tools;

use generator::cli::Job;
use generator::function::Function;
use generator::target::{Abi, Shape, Target};
use sample::sample;
use std::path::Path;
use tools::{assembled, run, section, written};

fn windowed() -> Function {
    sample("alpha", Target::Esp32, Abi::Windowed)
}

fn call0() -> Function {
    sample("beta", Target::Esp32s3, Abi::Call0)
}

/// Assembles the `.s` of `listed` and says where literals, code and constants differ from the `.o` of `encoded`.
fn differences(listed: &Function, encoded: &Function, program: &str, args: &[&str]) -> Vec<String> {
    let symbol = &listed.symbol;
    let dir = assembled(listed, encoded, program, args);
    let names = [".text", ".rodata"].map(|folder| format!("{folder}.{symbol}"));
    let differs = |name: &String| {
        let ours = section(dir.path(), &format!("{symbol}.o"), name);
        assert!(!ours.is_empty(), "{name}");
        section(dir.path(), "theirs.o", name) != ours
    };
    names.into_iter().filter(differs).collect()
}

/// A change to a function, and the folder of the section in which it must be seen.
type Fault = (fn(&mut Function), &'static str);

/// No difference in a function as it is; each planted fault is seen.
fn check_assembler(function: impl Fn() -> Function, program: &str, args: &[&str]) {
    let as_it_is = function();
    let symbol = &as_it_is.symbol;
    assert_eq!(differences(&as_it_is, &as_it_is, program, args), Vec::<String>::new(), "{symbol}");
    let faults: [Fault; 4] = [
        (|function| function.code[9] ^= 1, ".text"),
        (|function| function.literals[1] ^= 1, ".text"),
        (|function| function.literals.swap(0, 1), ".text"),
        (|function| function.rodata[19] ^= 1, ".rodata"),
    ];
    for (fault, folder) in faults {
        let mut planted = function();
        fault(&mut planted);
        assert_eq!(differences(&as_it_is, &planted, program, args), [format!("{folder}.{symbol}")]);
    }
}

#[test]
#[ignore = "needs llvm-mc-22"]
fn llvm_gives_our_bytes() {
    let args = ["--triple=xtensa", "--mcpu=esp32", "--filetype=obj"];
    check_assembler(windowed, "llvm-mc-22", &args);
    check_assembler(call0, "llvm-mc-22", &args);
}

#[test]
#[ignore = "needs clang-22"]
fn clang_gives_our_bytes() {
    check_assembler(windowed, "clang-22", &["--target=xtensa", "-mcpu=esp32", "-c"]);
}

#[test]
#[ignore = "needs xtensa-lx106-elf-as"]
fn gnu_as_gives_our_bytes() {
    check_assembler(call0, "xtensa-lx106-elf-as", &[]);
}

/// Where the frame and the caller's registers are, as GNU readelf reads the object: a row for each range of addresses.
fn frame_rows(function: &Function) -> Vec<String> {
    let (dir, _) = written(std::slice::from_ref(function));
    let object = format!("{}.o", function.symbol);
    let text = run(dir.path(), "xtensa-lx106-elf-readelf", &["--debug-dump=frames-interp", &object]);
    let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>().join(" ");
    text.lines().map(words).filter(|line| line.contains("r1+")).collect()
}

#[test]
#[ignore = "needs xtensa-lx106-elf-readelf"]
fn debuggers_find_the_frame() {
    assert_eq!(frame_rows(&windowed()), Vec::<String>::new());
    // The code begins at 8; ADDI has 3 bytes, the stores and loads of a12 have 2.
    let expected =
        "00000000 r1+0; 00000008 r1+0 u; 0000000b r1+16 u; 0000000d r1+16 c-4; 00000024 r1+16 u; 00000027 r1+0 u";
    assert_eq!(frame_rows(&call0()).join("; "), expected);
    let job =
        |kernel: &str| Job { kernel: kernel.into(), target: Target::Esp32, abi: Abi::Call0, shape: Shape::Looped };
    for function in generator::generate(&[job("chacha2_permute"), job("chacha2_xor")]).expect("functions") {
        let rows = frame_rows(&function);
        // The return address is in m3, whose number is 512 + 35.
        let inside = format!("r1+{} r547 c-16 c-12 c-8 c-4", function.stack_bytes);
        assert!(rows.iter().any(|row| row.ends_with(&inside)), "{rows:?}");
        assert!(rows.last().is_some_and(|row| row.ends_with("r1+0 u u u u u")), "{rows:?}");
    }
}

/// Links a caller with an object and gives what the linker said. The caller has two equal literals, one of which GNU ld
/// removes.
fn linked(dir: &Path, object: &str, symbol: &str) -> String {
    let source = format!(
        ".section .text.start,\"ax\",@progbits\n.literal .La, 0x11223344\n.literal .Lb, 0x11223344\n.align 4\n\
         .global _start\n_start: l32r a2, .La\n l32r a3, .Lb\n call0 {symbol}\n ret\n\
         .section .note.GNU-stack,\"\",@progbits\n"
    );
    std::fs::write(dir.join("start.s"), source).expect("written");
    let script = "SECTIONS { .text 0x40000000 : { *(.literal .literal.* .text .text.*) } .rodata : { *(.rodata.*) } }";
    std::fs::write(dir.join("linker.ld"), script).expect("written");
    run(dir, "xtensa-lx106-elf-as", &["start.s", "-o", "start.o"]);
    let args = ["--relax", "-T", "linker.ld", "start.o", object, "--whole-archive", "-o", "linked.elf"];
    run(dir, "xtensa-lx106-elf-ld", &args)
}

#[test]
#[ignore = "needs xtensa-lx106-elf-as, xtensa-lx106-elf-ld"]
fn gnu_ld_moves_our_code_as_a_whole() {
    let function = call0();
    let (dir, _) = written(std::slice::from_ref(&function));
    assert_eq!(linked(dir.path(), "libquadround.a", &function.symbol), "");
    let text = section(dir.path(), "linked.elf", ".text");
    let literals = function.literals.iter().flat_map(|literal| literal.to_le_bytes());
    let ours: Vec<u8> = literals.chain(function.code.iter().copied()).collect();
    // One literal, 11 bytes of code (`ret` became `ret.n`), one of fill.
    assert_eq!(text[16..16 + ours.len()], ours);
    assert_eq!(text[..4], 0x1122_3344_u32.to_le_bytes());
}

#[test]
#[ignore = "needs xtensa-lx106-elf-as, xtensa-lx106-elf-ld"]
fn gnu_ld_warns_of_another_calling_convention() {
    let function = windowed();
    let (dir, _) = written(std::slice::from_ref(&function));
    let said = linked(dir.path(), &format!("{}.o", function.symbol), &function.symbol);
    assert!(said.contains("ABI does not match"), "{said}");
}

#[test]
#[ignore = "needs clang-22"]
fn headers_declare_what_can_be_called() {
    let functions = [windowed(), call0()];
    let (dir, _) = written(&functions);
    let uses = functions.each_ref().map(|function| format!("(void *){}", function.symbol));
    for (index, abi) in ["WINDOWED", "CALL0"].into_iter().enumerate() {
        for (used, name) in uses.iter().enumerate() {
            let source = format!("#include \"quadround.h\"\nvoid *all[] = {{ {name} }};\n");
            std::fs::write(dir.path().join("one.c"), source).expect("written");
            let defined = format!("-D__XTENSA_{abi}_ABI__=1");
            let args = ["--target=xtensa", &defined, "-ffreestanding", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"];
            for language in [["-x", "c", "-std=c99"], ["-x", "c++", "-std=c++11"]] {
                let compile = || run(dir.path(), "clang-22", &[&args, language.as_slice(), &["one.c"]].concat());
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile)).is_ok();
                assert_eq!(done, used == index, "{name} for {abi}");
            }
        }
    }
}
