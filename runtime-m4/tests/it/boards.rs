//! From a board's file to what the firmware is built with.

use crate::board::{Build, Speed, constants, memory_x};
use sim::Board;

const HEAD: &str = r#"
name = "example"
core = "m4f"
chip = "EX1"
clock_hz = 24_000_000
wait_states = 0
priority_bits = 4
interrupts = 10
console = "somewhere"
"#;

const MEMORY: &str = r#"
[[memory]]
name = "SRAM"
kind = "ram"
start = 0x2000_0000
length = 0x2_0000

[[memory]]
name = "main"
kind = "flash"
start = 0x0800_0000
length = 0x10_0000
"#;

fn board(middle: &str, memory: &str) -> Board {
    Board::from_toml(&format!("{HEAD}{middle}{memory}")).expect("a board")
}

/// The constants, or the error.
fn check(middle: &str, speed: Speed, expected: &[&str]) {
    let build = Build { compiler: "rustc \"x\"".into(), flags: "-O".into(), placement: "flash".into() };
    let (Ok(said) | Err(said)) = constants(&board(middle, MEMORY), speed, &build);
    for expected in expected {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn constants_say_what_the_board_is() {
    check(
        "semihosting = true",
        Speed::Benchmark,
        &[
            "name: \"example\",",
            "core: Core::M4f,",
            "clock_hz: 24000000,",
            "compiler: \"rustc \\\"x\\\"\",",
            "uart: None,",
            "setup: &[],",
        ],
    );
    let uart = "semihosting = false\nsetup = [{ address = 0x4000, set = 1 }, { address = 0x4000, until = 2 }]\n\
                uart = { kind = \"stm32-usart-v2\", base = 0x40004400 }";
    check(
        uart,
        Speed::Benchmark,
        &[
            "uart: Some(Uart { kind: UartKind::Stm32UsartV2, base: 0x40004400 }),",
            "setup: &[Step::Change { address: 0x4000, clear: 0x0, set: 0x1 }, \
             Step::Wait { address: 0x4000, mask: 0x2, value: 0x2 }],",
        ],
    );
    check("semihosting = false", Speed::Benchmark, &["board example: it has neither [uart] nor semihosting"]);
    check("semihosting = true", Speed::Full, &["QUADROUND_CLOCK=full: board example has one clock"]);
    let clocks = "semihosting = true\nfull_speed = { clock_hz = 168_000_000, wait_states = 5, setup = [{ address = 8, write = 3 }] }";
    check(
        clocks,
        Speed::Full,
        &["clock_hz: 168000000,", "wait_states: 5,", "setup: &[Step::Write { address: 0x8, value: 0x3 }],"],
    );
}

#[test]
fn the_linker_is_told_of_the_first_flash_and_the_first_ram() {
    let expected = "/* example */\nMEMORY\n{\n  FLASH : ORIGIN = 0x08000000, LENGTH = 0x100000\n  \
                    RAM : ORIGIN = 0x20000000, LENGTH = 0x20000\n}\n";
    assert_eq!(memory_x(&board("semihosting = true", MEMORY)).as_deref(), Ok(expected));
    let ram = MEMORY.split("\n\n").next().expect("the first memory");
    assert_eq!(memory_x(&board("semihosting = true", ram)), Err("board example: it has no FLASH".into()));
}
