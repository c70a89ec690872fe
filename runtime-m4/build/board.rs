//! What the firmware has to know of its board: the memory of the linker script, and constants.

use sim::{Access, Board, MemoryKind, UartKind};
use std::fmt::Write;

/// Which of a board's clocks it runs at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Speed {
    /// The clock of the benchmarks.
    #[default]
    Benchmark,
    /// `full_speed` of the board.
    Full,
}

/// What is known when the firmware is built, for the head of its reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Build {
    /// The compiler, with its version.
    pub compiler: String,
    /// Flags of the compiler.
    pub flags: String,
    /// Names of the linked kernels' memories, such as `flash`.
    pub placement: String,
}

/// `memory.x` for cortex-m-rt: the first flash and the first RAM.
///
/// # Errors
/// If the board lacks one of them.
pub fn memory_x(board: &Board) -> Result<String, String> {
    let region = |kind, name: &str| {
        let memory = board.memory.iter().find(|memory| memory.kind == kind);
        let memory = memory.ok_or_else(|| format!("board {}: it has no {name}", board.name))?;
        Ok::<_, String>(format!("  {name} : ORIGIN = {:#010x}, LENGTH = {:#x}\n", memory.start, memory.length))
    };
    let (flash, ram) = (region(MemoryKind::Flash, "FLASH")?, region(MemoryKind::Ram, "RAM")?);
    Ok(format!("/* {} */\nMEMORY\n{{\n{flash}{ram}}}\n", board.name))
}

/// The constant `BOARD` of the firmware.
///
/// # Errors
/// If the board has no second clock and it is asked for, or no console.
pub fn constants(board: &Board, speed: Speed, build: &Build) -> Result<String, String> {
    let (clock_hz, wait_states, setup) = match (speed, &board.full_speed) {
        (Speed::Benchmark, _) => (board.clock_hz, board.wait_states, &board.setup),
        (Speed::Full, Some(clock)) => (clock.clock_hz, clock.wait_states, &clock.setup),
        (Speed::Full, None) => {
            return Err(format!(
                "QUADROUND_CLOCK=full: board {} has one clock; unset it, or give the board a [full_speed]",
                board.name
            ));
        }
    };
    if board.uart.is_none() && !board.semihosting {
        return Err(format!(
            "board {}: it has neither [uart] nor semihosting, so that nothing could be seen",
            board.name
        ));
    }
    let core = match board.core {
        sim::cycles::Core::M3 => "M3",
        sim::cycles::Core::M4 => "M4",
        sim::cycles::Core::M4f => "M4f",
    };
    let uart = board.uart.map_or("None".to_owned(), |uart| {
        let kind = match uart.kind {
            UartKind::Cmsdk => "Cmsdk",
            UartKind::Stm32Usart => "Stm32Usart",
            UartKind::Stm32UsartV2 => "Stm32UsartV2",
        };
        format!("Some(Uart {{ kind: UartKind::{kind}, base: {:#x} }})", uart.base)
    });
    let mut text = "/// The board that this firmware is for.\npub const BOARD: Board = Board {\n".to_owned();
    let mut field = |name: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {name}: {value},");
    };
    field("name", format!("{:?}", board.name));
    field("chip", format!("{:?}", board.chip));
    field("core", format!("Core::{core}"));
    field("clock_hz", clock_hz.to_string());
    field("wait_states", wait_states.to_string());
    field("compiler", format!("{:?}", build.compiler));
    field("flags", format!("{:?}", build.flags));
    field("placement", format!("{:?}", build.placement));
    field("semihosting", board.semihosting.to_string());
    field("uart", uart);
    field("setup", format!("&[{}]", setup.iter().map(step).collect::<Vec<_>>().join(", ")));
    Ok(text + "};\n")
}

fn step(access: &Access) -> String {
    match access {
        Access::Write { address, value } => format!("Step::Write {{ address: {address:#x}, value: {value:#x} }}"),
        Access::Change { address, clear, set } => {
            format!("Step::Change {{ address: {address:#x}, clear: {clear:#x}, set: {set:#x} }}")
        }
        Access::Wait { address, mask, value } => {
            format!("Step::Wait {{ address: {address:#x}, mask: {mask:#x}, value: {value:#x} }}")
        }
    }
}
