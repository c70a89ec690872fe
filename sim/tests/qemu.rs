//! Whole images say the same on QEMU and here: exceptions, priorities, faults, timer, FP contexts.
#![allow(clippy::unwrap_used)]

use sim::cycles::{Core, Memory, Profile};
use sim::{Board, End, Exit, Machine, Program};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a program, which has to succeed.
fn run(program: &str, args: &[&str]) -> Output {
    let output = Command::new(program).args(args).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Compiles the image for a core.
fn image(dir: &Path, name: &str, core: Core, extra: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/qemu");
    let (object, elf) = (dir.join(format!("{name}.o")), dir.join(format!("{name}.elf")));
    let flags: &[&str] = match core {
        Core::M4f => &["-mcpu=cortex-m4", "-mfloat-abi=softfp", "-mfpu=fpv4-sp-d16", "-DFPU"],
        _ => &["-mcpu=cortex-m3"],
    };
    let text = |path: &Path| path.to_str().unwrap().to_string();
    let (input, object, script) =
        (text(&source.join(format!("{name}.c"))), text(&object), text(&source.join("link.ld")));
    let common = ["--target=thumbv7em-none-eabi", "-O1", "-ffreestanding", "-fno-builtin", "-c", &input, "-o", &object];
    run("clang-22", &[flags, &common, extra].concat());
    run("arm-none-eabi-ld", &["-T", &script, &object, "-o", elf.to_str().unwrap()]);
    elf
}

/// What the image says on QEMU's machine; its exit code has to be 3.
fn on_qemu(elf: &Path, machine: &str) -> String {
    let semihosting = "enable=on,userspace=on,target=native";
    let options = ["-M", machine, "-nographic", "-monitor", "none", "-semihosting-config", semihosting, "-kernel"];
    let mut command = Command::new("timeout");
    command.args(["60", "qemu-system-arm"]).args(options).arg(elf);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    // QEMU's semihosting console is its standard error, unless a terminal is there.
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

fn simulated(elf: &Path, board: &Board, change: impl FnOnce(&mut Machine)) -> (String, Exit) {
    let program = Program::on_board(&std::fs::read(elf).unwrap(), board).unwrap();
    let mut machine = Machine::new(program, board.core, Memory::default()).unwrap();
    machine.set_board(board.clone());
    machine.set_limit(30_000_000);
    change(&mut machine);
    let mut console = Vec::new();
    let exit = machine.boot(&mut console).unwrap();
    (String::from_utf8(console).unwrap(), exit)
}

fn board(name: &str) -> Board {
    let path = format!("{}/../runtime-m4/boards/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Board::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
#[ignore = "needs clang-22, arm-none-eabi-ld and qemu-system-arm"]
fn exceptions_as_on_qemu() {
    for (name, extra) in [("mps2-an385", &[][..]), ("mps2-an386", &[]), ("mps2-an386", &["-DUART"])] {
        let (dir, board) = (tempfile::tempdir().unwrap(), board(name));
        let elf = image(dir.path(), "system", board.core, extra);
        let expected = on_qemu(&elf, board.qemu_machine.as_ref().unwrap());
        assert!(expected.lines().count() > 50, "{expected}");
        let (text, exit) = simulated(&elf, &board, |_| {});
        assert_eq!(text, expected, "{name}");
        assert_eq!(exit.end, End::Exit(3));
        // Stepped, and looked up: the same number of cycles.
        let (text, traced) = simulated(&elf, &board, |machine| machine.set_trace(Box::new(|_| {})));
        assert_eq!((text, traced), (expected.clone(), exit), "{name}");
        // Whatever lies below sp may be overwritten at any time.
        let (text, exit) = simulated(&elf, &board, |machine| machine.interrupt_every(10, None));
        assert_eq!((text, exit.end), (expected, End::Exit(3)), "{name}");
    }
}

/// The comparison finds what differs: another core says something else.
#[test]
#[ignore = "needs clang-22, arm-none-eabi-ld and qemu-system-arm"]
fn another_core_differs() {
    let dir = tempfile::tempdir().unwrap();
    let elf = image(dir.path(), "system", Core::M4f, &[]);
    let expected = on_qemu(&elf, "mps2-an386");
    let program = Program::from_firmware(&std::fs::read(&elf).unwrap()).unwrap();
    let mut machine = Machine::new(program, Core::M4, Profile::Ideal).unwrap();
    machine.set_limit(30_000_000);
    let mut console = Vec::new();
    let result = machine.boot(&mut console);
    assert!(result.is_err() || String::from_utf8(console).unwrap() != expected);
}

/// Sums of core and FP registers are QEMU's, with every interrupt that there can be.
#[test]
#[ignore = "needs clang-22, arm-none-eabi-ld and qemu-system-arm"]
fn interruptions_change_nothing() {
    for name in ["mps2-an385", "mps2-an386"] {
        let (dir, board) = (tempfile::tempdir().unwrap(), board(name));
        let elf = image(dir.path(), "interrupted", board.core, &["-O2"]);
        let expected = on_qemu(&elf, board.qemu_machine.as_ref().unwrap());
        assert!(expected.lines().count() == 81 && expected.ends_with("quiet\n"), "{expected}");
        let (text, _) = simulated(&elf, &board, |_| {});
        assert_eq!(text, expected, "{name}");
        for every in [1, 10] {
            let (text, _) = simulated(&elf, &board, |machine| machine.interrupt_every(every, None));
            assert_eq!(text, expected, "{name}, stand-in, every {every}");
            let (text, _) = simulated(&elf, &board, |machine| machine.interrupt_every(every, Some(7)));
            assert_eq!(text, expected.replace("quiet", "interrupted"), "{name}, every {every}");
        }
    }
}
