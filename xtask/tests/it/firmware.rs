//! `cargo xtask firmware`: what is refused, what is built, and what is said of it.

use crate::root;
use object::{Object, ObjectSection};
use sim::cycles::Memory;
use sim::{Board, End, Machine, Mark, Program, SimError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const BINS: [&str; 7] = ["selftest", "testvectors", "speed", "stack", "size", "secrets", "hashing"];
/// Beside those of ChaCha20, which are there without being asked for.
const ALL_KERNELS: &str = "--features chacha8,chacha12,kyber-90s";
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

fn xtask(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["firmware", "m4"]).args(args.split_whitespace()).stdin(Stdio::null());
    command
}

/// What is said on standard error, and the exit code.
fn told(output: &Output) -> (String, Option<i32>) {
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

/// Nothing is built before these are found.
#[test]
fn bad_input_is_refused_with_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    let lost = format!("--board {FIXTURES}/lost.toml --bin speed");
    let not_a_board = format!("--board {} --bin speed", Path::new(FIXTURES).join("not-a-board.toml").display());
    for (args, expected) in [
        ("--bin speed", "--board is missing; `--list` shows all"),
        ("--board mps2-an386", "--bin is missing; `--list` shows all"),
        ("--board mps2-an358 --bin speed", "did you mean \"mps2-an385\"?"),
        ("--board stm32f407-discovry --bin speed", "did you mean \"stm32f407-discovery\"?"),
        ("--board mps2-an386 --bin sped", "did you mean \"speed\"?"),
        (&lost, "cannot read the board"),
        (&not_a_board, "not-a-board.toml: TOML parse error at line 1, column 1"),
        (
            "--board nucleo-f207zg --bin speed --run qemu",
            "it has for mps2-an385 and mps2-an386; --run sim runs every board",
        ),
        (
            "--board nucleo-f207zg --bin speed --run board",
            "the board's console (USART3 through the debugger, TX on PD8",
        ),
        ("--board mps2-an385 --bin speed --run sim --console x", "--console follows a board"),
        ("--board mps2-an385 --bin speed --flash", "is not flashed from here"),
        ("--board nucleo-f207zg --bin speed --flash", "install probe-rs, with `cargo install probe-rs-tools --locked`"),
        ("--console lost-port", "there is no port lost-port; "),
        ("--board mps2-an385 --bin speed --features speed,size", "`speed` and `size` exclude each other"),
        ("--board mps2-an385 --bin speed --features sped", "did you mean \"speed\"?"),
        ("--board mps2-an385 --bin speed --no-default-features", "firmware needs a kernel"),
        ("--board mps2-an385 --bin speed --full-speed", "mps2-an385 has one clock; leave out --full-speed"),
    ] {
        let (errors, code) = told(&xtask(args).env("PATH", empty.path()).output().unwrap());
        assert!(errors.contains(expected), "{args}: {errors}");
        assert_eq!(code, Some(2), "{args}: {errors}");
    }
}

/// Boards that are read but that nothing can be built for, in a file whose name has spaces.
#[test]
fn boards_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my board.toml");
    let good = std::fs::read_to_string(Path::new(FIXTURES).join("tiny.toml")).unwrap();
    for (from, to, expected) in [
        ("kind = \"flash\"", "kind = \"ram\"", "my board.toml: the board has no memory with kind = \"flash\""),
        ("kind = \"ram\"", "kind = \"flash\"", "the board has no memory with kind = \"ram\""),
        ("length = 0x1000", "length = 0xffff_ffff", "length: 4294967295 is not in 4..=67108864"),
        ("start = 0x2000_0000", "start = 0x0000_0800", "reaches into it"),
        ("core = \"m4f\"", "core = \"m7\"", "core `m7` is unknown"),
        ("name = \"tiny\"", "name = \"../tiny\"", "name: \"../tiny\": expected letters"),
    ] {
        assert!(good.contains(from), "{from}");
        std::fs::write(&path, good.replace(from, to)).unwrap();
        let (errors, code) = told(&xtask("--bin speed").arg("--board").arg(&path).output().unwrap());
        assert!(errors.contains(expected), "{expected}: {errors}");
        assert_eq!(code, Some(2), "{errors}");
    }
}

/// Nothing panics because nobody reads.
#[test]
fn a_closed_pipe_is_told() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let (errors, code) = told(&xtask("--list").stdout(writer).output().unwrap());
    assert_eq!((errors.contains("cannot show the list: Broken pipe"), code), (true, Some(2)), "{errors}");
}

/// A folder for the build that is a file.
#[test]
fn a_target_folder_that_cannot_be_written_is_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut command = xtask("--board mps2-an386 --bin speed --compiler rustup");
    let (errors, code) = told(&command.env("CARGO_TARGET_DIR", file.path()).output().unwrap());
    assert!(errors.contains("cannot make ") && errors.contains("/firmware"), "{errors}");
    assert_eq!(code, Some(2), "{errors}");
}

#[test]
fn boards_and_bins_are_listed() {
    let output = xtask("--list").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    let boards =
        ["mps2-an385", "mps2-an386", "nucleo-f207zg", "nucleo-l4r5zi", "stm32f407-discovery", "stm32l100-discovery"];
    assert_eq!(names, [&boards[..], &BINS].concat(), "{text}");
}

/// A console that is no terminal but a file, which ends where it ends.
#[test]
fn a_console_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("console");
    let head = "start\nprogram: x\nboard: mps2-an386\n";
    for (text, expected, code) in [
        (format!("{head}#\n{{\"result\":\"ok\"}}\nend\n"), "", 0),
        (
            format!("{head}ERROR: this core is no Cortex-M4F: the firmware is for another board\nend\n"),
            "for another board",
            1,
        ),
        (head.replace("386", "385") + "#\nend\n", "this is firmware for mps2-an385, not for mps2-an386", 1),
        (head.to_owned(), "seen last:\n  start\n  program: x\n  board: mps2-an386", 1),
        ("\0\u{7f}\u{1}\u{2}".repeat(20), "wrong baud rate; the rate here is 9600", 1),
    ] {
        std::fs::write(&path, &text).unwrap();
        let mut command = xtask("--board mps2-an386 --timeout 20 --baud 9600");
        let output = command.arg("--console").arg(&path).output().unwrap();
        let (errors, exit) = told(&output);
        assert!(errors.contains(expected), "{text}: {errors}");
        assert_eq!(exit, Some(code), "{text}: {errors}");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(code != 0 || shown == text, "{shown}");
    }
}

/// A terminal whose other end is `script`: what comes is not changed and not sent back, and waiting ends.
#[test]
#[ignore = "needs script (bsdutils)"]
fn a_terminal_is_followed() {
    let log = tempfile::tempdir().unwrap();
    let log = log.path().join("log");
    let begun = Instant::now();
    let program = env!("CARGO_BIN_EXE_xtask");
    let call = format!("{program} firmware m4 --console $(tty) --timeout 4 2> {0}; echo $? >> {0}", log.display());
    let mut child = Command::new("script");
    child.args(["-qec", &call, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = child.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    while !std::fs::read_to_string(&log).is_ok_and(|text| text.contains("following")) {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    std::io::Write::write_all(&mut input, b"start\nhalf a line").unwrap();
    assert!(child.wait().unwrap().success());
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.ends_with("came in time; seen last:\n  start\n  half a line\n1\n"), "{text}");
    assert!(begun.elapsed() >= Duration::from_secs(4));
}

fn built_by(args: &str) -> Output {
    xtask(args).output().unwrap()
}

/// The folder into which firmware for a board is written, after it was built.
fn built(board: &str, bin: &str) -> PathBuf {
    let output = built_by(&format!("--board {board} --bin {bin} {ALL_KERNELS}"));
    let (errors, code) = told(&output);
    assert_eq!(code, Some(0), "{errors}");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("TOTAL") && report.contains("ROM%"), "{report}");
    let line = errors.lines().find_map(|line| line.split_once(".hex are in ")).unwrap();
    PathBuf::from(line.1)
}

/// What another program makes of a file.
fn converted(program: &str, args: &[&str], input: &Path, folder: &Path) -> Vec<u8> {
    let output = folder.join("out");
    let status = Command::new(program).args(args).args([input, &output]).status().unwrap();
    assert!(status.success());
    std::fs::read(output).unwrap()
}

/// A board, and what its firmware is held to.
struct Expected {
    board: &'static str,
    /// Start and end, by its chip's data sheet.
    flash: Range<u64>,
    /// End of RAM, where the stack begins.
    stack: u32,
    /// QEMU has it; these are the backends that run there.
    qemu: &'static [&'static str],
    /// Its memory has no wait states; this many kernels of ChaCha are linked.
    speed: Option<usize>,
}

const fn expected(board: &'static str, flash: Range<u64>, stack: u32) -> Expected {
    Expected { board, flash, stack, qemu: &[], speed: None }
}

/// All that concerns one board together: for another one cargo builds everything anew.
#[test]
#[ignore = "needs the thumb targets (or Debian's compiler), llvm-objcopy-22, arm-none-eabi-objcopy and qemu-system-arm"]
fn firmware_of_every_board() {
    // Of the programs the largest alone, and of the boards those that QEMU has and one that it lacks; `cargo xtask test --full` builds all.
    let full = std::env::var_os("QUADROUND_FULL").is_some();
    let bins: &[&str] = if full { &BINS } else { &["selftest"] };
    let (m3, m4) = (Some(12), Some(24));
    let boards = [
        Expected { qemu: &["CortexM3"], speed: m3, ..expected("mps2-an385", 0..0x0040_0000, 0x2040_0000) },
        expected("nucleo-f207zg", 0x0800_0000..0x0810_0000, 0x2002_0000),
        expected("stm32l100-discovery", 0x0800_0000..0x0804_0000, 0x2000_4000),
        Expected { qemu: &["CortexM4", "CortexM4F"], speed: m4, ..expected("mps2-an386", 0..0x0040_0000, 0x2040_0000) },
        expected("nucleo-l4r5zi", 0x0800_0000..0x0820_0000, 0x200a_0000),
        Expected { speed: m4, ..expected("stm32f407-discovery", 0x0800_0000..0x0810_0000, 0x2001_c000) },
    ];
    for expected in boards.into_iter().filter(|b| full || b.speed.is_some()) {
        for bin in bins {
            check_files(&expected, bin);
        }
        if !expected.qemu.is_empty() {
            check_interrupted(&expected);
            check_same_text(expected.board);
            check_secrets(expected.board);
        }
        if let Some(kernels) = expected.speed {
            check_speed(expected.board, kernels);
        }
    }
}

/// It begins where the core does.
fn check_files(expected: &Expected, bin: &str) {
    let Expected { board, flash, stack, .. } = expected;
    let folder = built(board, bin);
    let name = format!("{bin} for {board}");
    let [elf, binary, hex] = ["elf", "bin", "hex"].map(|extension| folder.join(format!("{bin}.{extension}")));
    let bytes = std::fs::read(&binary).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let data = std::fs::read(&elf).unwrap();
    let file = object::File::parse(&*data).unwrap();
    assert_eq!(word(0), *stack, "{name}");
    assert_eq!(u64::from(word(4)), file.entry() | 1, "{name}");
    let code = file.section_by_name(".text").unwrap();
    assert!((code.address()..code.address() + code.size()).contains(&u64::from(word(4))), "{name}");
    assert!(flash.contains(&code.address()) && flash.start + (bytes.len() as u64) <= flash.end, "{name}");
    assert_eq!(file.section_by_name(".vector_table").unwrap().address(), flash.start, "{name}");
    let scratch = tempfile::tempdir().unwrap();
    // GNU objcopy would fill everything up to the address of an empty section in RAM.
    let of_elf = converted("llvm-objcopy-22", &["-O", "binary", "--gap-fill=0xff"], &elf, scratch.path());
    let of_hex =
        converted("arm-none-eabi-objcopy", &["-I", "ihex", "-O", "binary", "--gap-fill=0xff"], &hex, scratch.path());
    assert!(of_elf == bytes && of_hex == bytes, "{name}");
}

#[test]
#[ignore = "needs the thumb targets (or Debian's compiler)"]
fn firmware_that_does_not_fit_is_told_by_how_much() {
    let output = built_by(&format!("--board {FIXTURES}/tiny.toml --bin speed"));
    let (errors, code) = told(&output);
    assert_eq!(code, Some(2), "{errors}");
    let (_, told) = errors.split_once("xtask: speed does not fit into tiny: it needs ").expect(&errors);
    let (bytes, rest) = told.split_once(" bytes more than the 4096 of FLASH").expect(&errors);
    assert!(rest.contains("the largest parts are above"), "{errors}");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("qr_chacha20_xor_unrolled_m4f"), "{report}");
    // What the linker finds too much is what `sizes` finds in all, but for the alignment of an empty section at the end.
    let total = report.lines().find(|line| line.ends_with("TOTAL")).expect(&report);
    let total: u64 = total.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((total..total + 32).contains(&(bytes.parse::<u64>().unwrap() + 4096)), "{report}");
}

/// What the program `testvectors` prints on the host, where portable code computes.
fn text_of_host() -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "runtime-m4", "--bin", "testvectors", "--features"]);
    let features = ALL_KERNELS.split_whitespace().last().unwrap();
    let output = command.arg(format!("firmware,{features}")).output().unwrap();
    let (errors, code) = told(&output);
    assert_eq!(code, Some(0), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The same text, whoever runs it, but for what the machine counts.
fn check_same_text(board: &str) {
    let texts = ["qemu", "sim"].map(|run| {
        let output = built_by(&format!("--board {board} --bin testvectors {ALL_KERNELS} --run {run}"));
        let (errors, code) = told(&output);
        assert_eq!(code, Some(0), "{errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, text) = text.split_once("\nstart\n").expect(&text);
        let (_, text) = text.split_once("\n====").expect(text);
        let (text, _) = text.split_once("\n#\n").expect(text);
        text.to_owned()
    });
    assert_eq!(texts[0], texts[1], "{board}");
    let (_, lines) = texts[0].split_once('\n').unwrap();
    assert_eq!(lines.trim_end(), text_of_host().trim_end(), "{board}");
    assert!(lines.contains("Kyber1024-90s decapsulated, one bit wrong:"), "{lines}");
}

/// The rows of the report of a program that ended well.
fn rows(output: &Output) -> Vec<serde_json::Value> {
    let (errors, code) = told(output);
    assert_eq!(code, Some(0), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Each kernel gives what portable code gives, also while SysTick interrupts it all the time.
fn check_interrupted(expected: &Expected) {
    let board = expected.board;
    let rows = rows(&built_by(&format!("--board {board} --bin selftest {ALL_KERNELS} --run qemu")));
    for core in expected.qemu {
        let value = |what: &str| {
            rows.iter().find(|row| row["name"] == *core && row["what"] == what).and_then(|row| row["value"].as_u64())
        };
        assert_eq!(value("passed"), Some(1), "{board}: {rows:?}");
        assert!(value("interrupts while it passed again") > Some(100_000), "{board}: {rows:?}");
    }
}

/// No secret decides anything in any scheme. Each declassification is in the documentation, and is needed: without it the
/// check finds what depends on it.
fn check_secrets(board: &str) {
    let elf = std::fs::read(built(board, "secrets").join("secrets.elf")).unwrap();
    let text = std::fs::read_to_string(root().join(format!("runtime-m4/boards/{board}.toml"))).unwrap();
    let board = Board::from_toml(&text).unwrap();
    let run = |kept: Option<&str>| {
        let program = Program::on_board(&elf, &board).unwrap();
        let mut machine = Machine::new(program, board.core, Memory::default()).unwrap();
        machine.set_board(board.clone());
        kept.into_iter().for_each(|name| machine.keep_secret(name));
        let mut console = Vec::new();
        (machine.boot(&mut console), String::from_utf8(console).unwrap())
    };
    let (exit, console) = run(None);
    let exit = exit.unwrap_or_else(|error| panic!("{}: {error}\n{console}", board.name));
    assert_eq!(exit.end, End::Exit(0), "{}: {console}", board.name);
    let rows = console.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let rows: Vec<_> =
        rows.filter_map(|row| Some((row["what"].as_str()?.to_owned(), row["value"].as_u64()?))).collect();
    let all = |what: &str, value| rows.iter().filter(|row| **row == (what.to_owned(), value)).count();
    // Nine parameter sets, and three of them once more with little stack and in portable code; three ciphers in both.
    let expected = (rows.len() - 6, 6);
    assert_eq!((all("secret bytes of shared keys", 96), all("secret bytes of 300", 300)), expected, "{console}");
    assert!(rows.len() >= 9 + 3 + 3 + 6, "{console}");
    let page = std::fs::read_to_string(root().join("docs/secrets.md")).unwrap();
    let listed = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    let mut listed: Vec<&str> = listed.chain(["result"]).collect();
    listed.sort_unstable();
    let public = exit.marked.iter().filter(|marked| marked.mark == Mark::Public);
    let public: Vec<&str> = public.map(|marked| marked.name.as_str()).collect();
    assert_eq!(public, listed, "docs/secrets.md");
    for name in public {
        let (end, console) = run(Some(name));
        assert!(matches!(end, Err(SimError::Leak(_))), "{}, {name} stays secret: {end:?}\n{console}", board.name);
    }
}

/// On memory without wait states every kernel takes what its manifest says, and 5 cycles of the call: an empty call takes 8,
/// and the `bx lr` in it 3.
fn check_speed(board: &str, kernels: usize) {
    let rows = rows(&built_by(&format!("--board {board} --bin speed {ALL_KERNELS} --run sim")));
    let value = |name: &str, what: &str| {
        let row = rows.iter().find(|row| row["name"] == name && row["what"] == what);
        row.and_then(|row| row["value"].as_u64()).unwrap_or_else(|| panic!("{name} {what}: {rows:?}"))
    };
    assert_eq!(value("empty call", "cycles"), 8, "{board}");
    let measured = rows.iter().filter(|row| row["what"] == "manifest cycles");
    let names: Vec<&str> = measured.map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| name.contains("chacha")).count(), kernels, "{board}: {rows:?}");
    assert!(["_keccak_f1600_", "_kyber_ntt_"].iter().all(|kernel| names.iter().any(|name| name.contains(kernel))));
    for name in names {
        for what in ["cycles", "cycles, least", "cycles, most"] {
            assert_eq!(value(name, what), value(name, "manifest cycles") + 5, "{board}: {name}");
        }
    }
}
