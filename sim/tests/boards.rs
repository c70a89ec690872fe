//! The boards of `runtime-m4/boards`: each can be read, its start-up steps come to their end, its console prints; and what is
//! refused.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use isa::thumb::Op::*;
use isa::thumb::{Cond, Inst};
use sim::cycles::Memory;
use sim::program::Segment;
use sim::{Access, Board, End, Exit, LoadError, Machine, MemoryKind, Program, SimError, UartKind};
use std::path::Path;

fn boards() -> Vec<Board> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime-m4/boards");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let board = Board::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(path.file_stem().unwrap().to_str().unwrap(), board.name);
        board
    };
    paths.iter().map(read).collect()
}

fn constant(register: u8, value: u32) -> [Inst; 2] {
    [imm(Movw, register, 0, (value & 0xffff) as i32), imm(Movt, register, 0, (value >> 16) as i32)]
}

fn load(register: u8, address: u32) -> Vec<Inst> {
    [&constant(0, address)[..], &[wide(imm(LdrImm, register, 0, 0))]].concat()
}

fn store(address: u32, register: u8) -> Vec<Inst> {
    [&constant(0, address)[..], &[wide(imm(StrImm, register, 0, 0))]].concat()
}

/// What start-up code does for a step.
fn step(access: &Access) -> Vec<Inst> {
    match *access {
        Access::Write { address, value } => [&constant(1, value)[..], &store(address, 1)].concat(),
        Access::Change { address, clear, set } => {
            let (clear, set) = (constant(2, clear), constant(3, set));
            let change = [wide(reg(BicReg, 1, 1, 2)), wide(reg(OrrReg, 1, 1, 3))];
            [&load(1, address)[..], &clear, &set, &change, &store(address, 1)].concat()
        }
        Access::Wait { address, mask, value } => {
            let (mask, value) = (constant(2, mask), constant(3, value));
            let again = [wide(reg(AndReg, 1, 1, 2)), wide(reg(CmpReg, 0, 1, 3)), wide(branch(Cond::Ne, -20 - 12))];
            let load = load(1, address);
            // The loop begins at the load's address, which takes two instructions.
            [&mask[..], &value, &load, &again].concat()
        }
    }
}

/// Prints a character by the UART, after waiting until it can.
fn print(kind: UartKind, base: u32, character: u8) -> Vec<Inst> {
    let (status, bit, full, data) = match kind {
        UartKind::Cmsdk => (0x04, 1, true, 0x00),
        UartKind::Stm32Usart => (0x00, 1 << 7, false, 0x04),
        UartKind::Stm32UsartV2 => (0x1c, 1 << 7, false, 0x28),
    };
    let value = if full { 0 } else { bit };
    let wait = step(&Access::Wait { address: base + status, mask: bit, value });
    [&wait[..], &constant(1, character.into()), &store(base + data, 1)].concat()
}

/// A program of vectors and this code in the board's flash.
fn program(board: &Board, code: &[Inst]) -> Program {
    let flash = board.memory.iter().find(|memory| memory.kind == MemoryKind::Flash).unwrap();
    let ram = board.memory.iter().find(|memory| memory.kind == MemoryKind::Ram).unwrap();
    let mut bytes = [ram.start + ram.length, (flash.start + 8) | 1].map(u32::to_le_bytes).concat();
    bytes.extend(assemble(code));
    Program::on_board(&elf(&[(flash.start, &bytes)]), board).unwrap()
}

fn boot(board: &Board, code: &[Inst]) -> (Result<Exit, SimError>, String) {
    let mut machine = Machine::new(program(board, code), board.core, Memory::default()).unwrap();
    machine.set_board(board.clone());
    machine.set_limit(10_000);
    let mut console = Vec::new();
    let exit = machine.boot(&mut console);
    (exit, String::from_utf8(console).unwrap())
}

#[test]
fn start_up_of_every_board() {
    let boards = boards();
    assert_eq!(boards.len(), 6);
    for board in boards {
        let uart = board.uart.unwrap();
        let text: Vec<Inst> = b"ok\n#".iter().flat_map(|byte| print(uart.kind, uart.base, *byte)).collect();
        let bkpt = Inst { imm: 1, ..Inst::new(Bkpt) };
        let setups = [Some(&board.setup), board.full_speed.as_ref().map(|clock| &clock.setup)];
        for setup in setups.into_iter().flatten() {
            let code = [setup.iter().flat_map(step).collect(), text.clone(), vec![bkpt]].concat();
            let (exit, console) = boot(&board, &code);
            assert!(matches!(exit.unwrap().end, End::Breakpoint { immediate: 1, .. }), "{}", board.name);
            assert_eq!(console, "ok\n#", "{}", board.name);
        }
        // A UART that is not switched on sends nothing.
        let (exit, console) = boot(&board, &[text, vec![bkpt]].concat());
        assert_eq!((exit.is_ok(), console.as_str()), (true, ""), "{}", board.name);
    }
}

/// Start-up that waits for what does not come does not end, and a register that is not there is a fault.
#[test]
fn start_up_that_is_wrong() {
    let board = boards().into_iter().find(|board| board.name == "stm32f407-discovery").unwrap();
    // HSERDY without HSEON.
    let (exit, _) = boot(&board, &step(&Access::Wait { address: 0x4002_3800, mask: 0x2_0000, value: 0x2_0000 }));
    assert!(exit.unwrap_err().to_string().contains("not finished after 10000 instructions"));
    let (exit, _) = boot(&board, &load(1, 0x4001_2c00));
    let error = exit.unwrap_err().to_string();
    assert!(error.contains("load of 4 bytes at 0x40012c00") && error.contains("locked up"), "{error}");
    let (exit, _) = boot(&board, &store(0x0800_0000, 1));
    assert!(exit.unwrap_err().to_string().contains("read-only"));
}

#[test]
fn images_that_do_not_fit() {
    let board = boards().into_iter().find(|board| board.name == "stm32l100-discovery").unwrap();
    let refused = |address: u32, length: usize| {
        let error = Program::on_board(&elf(&[(address, &vec![0; length])]), &board).unwrap_err();
        assert!(matches!(error, LoadError::NoMemory { .. }));
        error.to_string()
    };
    assert!(Program::on_board(&elf(&[(0x0800_0000, &[0; 256 << 10])]), &board).is_ok());
    let large = refused(0x0800_0000, (256 << 10) + 1000);
    assert!(large.contains("that is 1000 bytes more than flash holds"), "{large}");
    let elsewhere = refused(0x3000_0000, 4);
    assert!(elsewhere.contains("it has flash 0x08000000..0x08040000, SRAM 0x20000000..0x20004000"), "{elsewhere}");
}

#[test]
fn bad_boards() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime-m4/boards/stm32l100-discovery.toml");
    let good = std::fs::read_to_string(folder).unwrap();
    for (from, to, message) in [
        ("core = \"m3\"", "core = \"m7\"", "core `m7` is unknown; there are m3, m4 and m4f"),
        ("core = \"m3\"", "cores = \"m3\"", "unknown field `cores`"),
        ("clock_hz = 32_000_000", "", "missing field `clock_hz`"),
        ("wait_states = 1", "wait_states = 16", "wait_states: 16 is not in 0..=15"),
        ("priority_bits = 4", "priority_bits = 0", "priority_bits: 0 is not in 1..=8"),
        ("interrupts = 57", "interrupts = 241", "interrupts: 241 is not in 1..=240"),
        ("length = 0x4000", "length = 0", "memory `SRAM`, length: 0 is not in"),
        ("length = 0x4000", "length = 0x4000\naliases = [0]", "only flash can have aliases"),
        (
            "offset = 0x34, from = 0",
            "offset = 0x35, from = 0",
            "registers `RCC`, offset 0x35: expected a multiple of 4",
        ),
        ("from = 0, to = 2, width = 2", "from = 0, to = 31, width = 2", "registers `RCC`, follow at offset 0x8"),
        ("kind = \"stm32-usart\"", "kind = \"pl011\"", "unknown variant `pl011`"),
        ("name = \"stm32l100-discovery\"", "name = \"../x\"", "name: \"../x\": expected letters, digits"),
        ("name = \"stm32l100-discovery\"", "name = \".x\"", "name: \".x\": expected letters, digits"),
        ("name = \"stm32l100-discovery\"", "name = \"\"", "name: \"\": expected letters, digits"),
        ("name = \"stm32l100-discovery\"", "name = \"a\\nb\"", "name: \"a\\nb\": expected letters, digits"),
        ("console = \"", "console = \"\\u001b[2J", "expected one line"),
        ("chip = \"", "chip = \"\\n", "expected one line"),
        (
            "start = 0x2000_0000",
            "start = 0x0803_fffc",
            "memory `SRAM` at 0x0803fffc: memory `flash` at 0x08000000 reaches into it",
        ),
        ("start = 0x2000_0000", "start = 0x0800_0000", "reaches into it"),
        (
            "aliases = [0x0000_0000]",
            "aliases = [0x2000_0ffc]",
            "memory `flash` at 0x20000ffc: memory `SRAM` at 0x20000000 reaches into it",
        ),
        ("start = 0x2000_0000", "start = 0x4002_3000", "registers `RCC` at 0x40023800: memory `SRAM` at 0x40023000"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = Board::from_toml(&good.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
}

/// Two memories at one place are refused when the machine is made.
#[test]
fn memories_that_overlap() {
    let board = &boards()[0];
    let mut program = program(board, &[bx_lr()]);
    let twice = Segment { name: "twice".into(), ..program.segments[0].clone() };
    program.segments.push(twice);
    assert!(matches!(Machine::new(program, board.core, Memory::default()), Err(SimError::Layout(_))));
}

/// On a board the cycle counter stands still until tracing and it are switched on.
#[test]
fn cycle_counter() {
    const CYCCNT: u32 = 0xe000_1004;
    let board = &boards()[0];
    let twice = all(&[load(4, CYCCNT), load(5, CYCCNT), vec![wide(flags(reg(SubReg, 5, 5, 4)))]]);
    let prints = |enabled: bool| {
        let on = [(0xe000_edfc, 1 << 24), (0xe000_1000, 1)];
        let on = on.map(|(address, value)| step(&Access::Write { address, value }));
        let uart = board.uart.unwrap();
        let setup = board.setup.iter().flat_map(step).collect();
        let before = if enabled { on.concat() } else { Vec::new() };
        // Skips the character unless the counter has moved.
        let text = print(uart.kind, uart.base, b'+');
        let skip = wide(branch(Cond::Eq, assemble(&text).len() as i32));
        let code = all(&[setup, before, twice.clone(), vec![skip], text, vec![Inst { imm: 1, ..Inst::new(Bkpt) }]]);
        let (exit, console) = boot(board, &code);
        assert!(matches!(exit.unwrap().end, End::Breakpoint { .. }));
        console
    };
    assert_eq!((prints(false).as_str(), prints(true).as_str()), ("", "+"));
}

fn all(pieces: &[Vec<Inst>]) -> Vec<Inst> {
    pieces.concat()
}
