//! Boards as data: what a firmware image finds around the core, and what people and tools need to know.
//!
//! A board is one TOML file; [`Board::from_toml`] reads it:
//!
//! ```
//! let board = sim::Board::from_toml(
//!     r#"
//! name = "example"
//! core = "m4f"                # m3, m4 or m4f
//! chip = "EX1234"
//! clock_hz = 24_000_000
//! wait_states = 0             # flash wait states at that clock
//! priority_bits = 4           # implemented bits of an interrupt's priority
//! interrupts = 82             # interrupts of the chip
//! console = "USART2, TX on PA2, 115200 8N1"
//! semihosting = false
//! probe_rs_chip = "EX1234xG"  # optional, as the next two
//! st_flash_address = 0x0800_0000
//! qemu_machine = "example"
//! ## Optional: what start-up code does to registers, in order, for the clock, the console and the flash: `write`; or `clear`
//! ## and `set` bits; or wait `until` the bits in `mask` (without it, the same bits) are those.
//! setup = [
//!     { address = 0x4002_3800, set = 0x1_0000 },
//!     { address = 0x4002_3800, until = 0x2_0000 },
//!     { address = 0x4002_3808, write = 0x1 },
//!     { address = 0x4002_3808, until = 0x4, mask = 0xc },
//! ]
//!
//! [full_speed]                # optional: another clock for the same board
//! clock_hz = 168_000_000
//! wait_states = 5
//! setup = []                  # instead of the other one
//!
//! [uart]                      # optional
//! kind = "stm32-usart"        # cmsdk, stm32-usart or stm32-usart-v2
//! base = 0x4000_4400
//!
//! [[memory]]                  # the image is loaded into these
//! name = "flash"
//! kind = "flash"              # flash or ram
//! start = 0x0800_0000
//! length = 0x10_0000
//! aliases = [0x0000_0000]     # of flash: the same bytes are seen here too
//!
//! [[memory]]
//! name = "SRAM"
//! kind = "ram"
//! start = 0x2000_0000
//! length = 0x2_0000
//!
//! [[registers]]               # read back what was written to them
//! name = "RCC"
//! base = 0x4002_3800
//! length = 0x400
//! reset = [{ offset = 0x00, value = 0x83 }]
//! ## Bits that follow others: HSERDY (17) is what HSEON (16) is, SWS (3:2) what SW (1:0) is.
//! follow = [{ offset = 0x00, from = 16, to = 17, width = 1 }, { offset = 0x08, from = 0, to = 2, width = 2 }]
//! ## Bits that are always 1.
//! ones = [{ offset = 0x74, value = 2 }]
//! "#,
//! )?;
//! assert_eq!(board.memory[1].name, "SRAM");
//! # Ok::<(), sim::BoardError>(())
//! ```
//!
//! The core looks for its vectors at address 0, so that something has to be there: memory, or an alias of flash.

use crate::cycles::thumb::Core;
use serde::{Deserialize, Deserializer};

/// A board.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Its name, as on the command line.
    pub name: String,
    /// The core.
    #[serde(deserialize_with = "core")]
    pub core: Core,
    /// The chip's part number.
    pub chip: String,
    /// Core clock of its firmware in Hz.
    pub clock_hz: u32,
    /// Flash wait states at that clock, 0..=15.
    pub wait_states: u8,
    /// Implemented bits of an interrupt's priority, 1..=8.
    pub priority_bits: u8,
    /// Interrupts of the chip, up to 240.
    pub interrupts: u16,
    /// Core cycles of a tick of SysTick's reference clock, if it has one.
    pub systick_divider: Option<u32>,
    /// Where the console is, for people.
    pub console: String,
    /// `BKPT 0xAB` calls the host.
    pub semihosting: bool,
    /// The chip's name for probe-rs.
    pub probe_rs_chip: Option<String>,
    /// The address at which st-flash writes the image.
    pub st_flash_address: Option<u32>,
    /// QEMU's machine that behaves like it.
    pub qemu_machine: Option<String>,
    /// What start-up code does to registers.
    #[serde(default)]
    pub setup: Vec<Access>,
    /// Another clock, if there is a choice.
    pub full_speed: Option<Clock>,
    /// The UART that is the console.
    pub uart: Option<Uart>,
    /// Its memories.
    pub memory: Vec<BoardMemory>,
    /// Registers that need to be there for start-up code to run.
    #[serde(default)]
    pub registers: Vec<Registers>,
}

/// A clock that a board can run at.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Core clock in Hz.
    pub clock_hz: u32,
    /// Flash wait states at that clock, 0..=15.
    pub wait_states: u8,
    /// What start-up code does to registers.
    pub setup: Vec<Access>,
}

/// What start-up code does to a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "AccessKeys")]
pub enum Access {
    /// Writes a word.
    Write {
        /// Address of the register.
        address: u32,
        /// The word.
        value: u32,
    },
    /// Changes some bits.
    Change {
        /// Address of the register.
        address: u32,
        /// Bits that become 0.
        clear: u32,
        /// Bits that become 1, after that.
        set: u32,
    },
    /// Waits until some bits are as wanted.
    Wait {
        /// Address of the register.
        address: u32,
        /// The bits.
        mask: u32,
        /// What they are to be.
        value: u32,
    },
}

/// [`Access`] as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccessKeys {
    address: u32,
    write: Option<u32>,
    clear: Option<u32>,
    set: Option<u32>,
    until: Option<u32>,
    mask: Option<u32>,
}

impl TryFrom<AccessKeys> for Access {
    type Error = String;

    fn try_from(keys: AccessKeys) -> Result<Access, String> {
        let AccessKeys { address, write, clear, set, until, mask } = keys;
        if !address.is_multiple_of(4) {
            return Err(format!("setup, address {address:#x}: expected a multiple of 4"));
        }
        match (write, clear.or(set), until, mask) {
            (Some(value), None, None, None) => Ok(Access::Write { address, value }),
            (None, Some(_), None, None) => {
                Ok(Access::Change { address, clear: clear.unwrap_or(0), set: set.unwrap_or(0) })
            }
            (None, None, Some(value), mask) if mask.is_none_or(|mask| value & !mask == 0) => {
                Ok(Access::Wait { address, mask: mask.unwrap_or(value), value })
            }
            (None, None, Some(_), Some(_)) => {
                Err(format!("setup, address {address:#x}: `until` has bits that are not in `mask`"))
            }
            _ => Err(format!("setup, address {address:#x}: give `write`, or `clear` and `set`, or `until` and `mask`")),
        }
    }
}

/// A UART, which can only send, and does so in no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uart {
    /// Which registers it has.
    pub kind: UartKind,
    /// Address of the first one.
    pub base: u32,
}

/// The kinds of UART.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UartKind {
    /// APB UART of Arm's Cortex-M System Design Kit (DDI 0479).
    Cmsdk,
    /// USART of STM32F1, F2, F4 and L1: SR, DR, BRR, CR1 (RM0090, 30.6).
    Stm32Usart,
    /// USART and LPUART of STM32L4 and later: CR1, ISR, TDR (RM0432).
    Stm32UsartV2,
}

/// A memory.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardMemory {
    /// What it is called.
    pub name: String,
    /// Address of its first byte.
    pub start: u32,
    /// Bytes.
    pub length: u32,
    /// What it is.
    pub kind: MemoryKind,
    /// Addresses at which its bytes are seen too; only of flash.
    #[serde(default)]
    pub aliases: Vec<u32>,
}

/// The kinds of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Cannot be written by the firmware.
    Flash,
    /// Can be read, written and executed from.
    Ram,
}

/// Registers without function: they read back what was written, but for some bits.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registers {
    /// Name of the peripheral.
    pub name: String,
    /// Address of the first one.
    pub base: u32,
    /// Bytes.
    pub length: u32,
    /// What is not 0 after reset.
    #[serde(default)]
    pub reset: Vec<Word>,
    /// Bits that are always 1.
    #[serde(default)]
    pub ones: Vec<Word>,
    /// Bits that are what others are: "ready" follows "on".
    #[serde(default)]
    pub follow: Vec<Follow>,
}

/// A word of [`Registers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// Bytes from the base.
    pub offset: u32,
    /// The word.
    pub value: u32,
}

/// Bits of a register that read as others were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follow {
    /// Bytes from the base.
    pub offset: u32,
    /// Lowest of the bits that are followed.
    pub from: u8,
    /// Lowest of the bits that follow.
    pub to: u8,
    /// How many.
    pub width: u8,
}

/// Why text is no board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardError {
    /// No TOML, or not the expected keys.
    #[error("{0}")]
    Toml(String),
    /// A value that cannot be.
    #[error("{what}: {why}")]
    Value {
        /// Where it is.
        what: String,
        /// What is wrong, and what is right.
        why: String,
    },
}

/// More than any microcontroller has.
const MAX_MEMORY: u32 = 64 << 20;
/// More than any peripheral has.
const MAX_REGISTERS: u32 = 1 << 16;

fn core<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Core, D::Error> {
    let name = String::deserialize(deserializer)?;
    match name.as_str() {
        "m3" => Ok(Core::M3),
        "m4" => Ok(Core::M4),
        "m4f" => Ok(Core::M4f),
        _ => Err(serde::de::Error::custom(format!("core `{name}` is unknown; there are m3, m4 and m4f"))),
    }
}

impl Board {
    /// Reads a board's description.
    ///
    /// # Errors
    ///
    /// [`BoardError`] tells what is missing, unknown or impossible, and where.
    pub fn from_toml(text: &str) -> Result<Board, BoardError> {
        let board: Board = toml::from_str(text).map_err(|error| BoardError::Toml(error.to_string()))?;
        board.check()?;
        Ok(board)
    }

    fn check(&self) -> Result<(), BoardError> {
        // Files and folders are named after a board.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !self.name.starts_with(|c: char| c.is_ascii_alphanumeric()) || !self.name.chars().all(is_plain) {
            return refuse("name", &format!("{:?}: expected letters, digits, `-`, `_` and `.`", self.name));
        }
        for (what, text) in [("chip", &self.chip), ("console", &self.console)] {
            if text.chars().any(char::is_control) {
                return refuse(what, &format!("{text:?}: expected one line"));
            }
        }
        within("clock_hz", self.clock_hz, 1..=1_000_000_000)?;
        within("wait_states", self.wait_states.into(), 0..=15)?;
        if let Some(clock) = &self.full_speed {
            within("full_speed, clock_hz", clock.clock_hz, 1..=1_000_000_000)?;
            within("full_speed, wait_states", clock.wait_states.into(), 0..=15)?;
        }
        within("priority_bits", self.priority_bits.into(), 1..=8)?;
        within("interrupts", self.interrupts.into(), 1..=240)?;
        within("systick_divider", self.systick_divider.unwrap_or(1), 1..=1024)?;
        for memory in &self.memory {
            let what = format!("memory `{}`, length", memory.name);
            within(&what, memory.length, 4..=MAX_MEMORY.min(u32::MAX - memory.start))?;
            if memory.kind == MemoryKind::Ram && !memory.aliases.is_empty() {
                return refuse(&format!("memory `{}`, aliases", memory.name), "only flash can have aliases");
            }
        }
        self.registers.iter().try_for_each(Registers::check)?;
        self.check_apart()
    }

    /// No two things are seen at one address.
    fn check_apart(&self) -> Result<(), BoardError> {
        let memories = self.memory.iter().flat_map(|memory| {
            let starts = std::iter::once(&memory.start).chain(&memory.aliases);
            starts.map(|start| (format!("memory `{}`", memory.name), *start, memory.length))
        });
        let registers = self.registers.iter().map(|r| (format!("registers `{}`", r.name), r.base, r.length));
        let mut all: Vec<(String, u32, u32)> = memories.chain(registers).collect();
        all.sort_by_key(|(_, start, _)| *start);
        for pair in all.windows(2) {
            let [(below, start, length), (what, next, _)] = pair else { continue };
            if next - start < *length {
                return refuse(
                    &format!("{what} at {next:#010x}"),
                    &format!("{below} at {start:#010x} reaches into it"),
                );
            }
        }
        Ok(())
    }
}

impl Registers {
    fn check(&self) -> Result<(), BoardError> {
        within(&format!("registers `{}`, length", self.name), self.length, 4..=MAX_REGISTERS)?;
        let words = self.reset.iter().chain(&self.ones).map(|word| word.offset);
        for offset in words.chain(self.follow.iter().map(|follow| follow.offset)) {
            let what = format!("registers `{}`, offset {offset:#x}", self.name);
            if !offset.is_multiple_of(4) || offset >= self.length {
                return refuse(&what, &format!("expected a multiple of 4 below {:#x}", self.length));
            }
        }
        for Follow { offset, from, to, width } in &self.follow {
            let what = format!("registers `{}`, follow at offset {offset:#x}", self.name);
            within(&what, u32::from(*width), 1..=31)?;
            within(&what, u32::from(*from.max(to)), 0..=32 - u32::from(*width))?;
        }
        Ok(())
    }
}

fn within(what: &str, value: u32, range: std::ops::RangeInclusive<u32>) -> Result<(), BoardError> {
    if range.contains(&value) {
        return Ok(());
    }
    refuse(what, &format!("{value} is not in {}..={}", range.start(), range.end()))
}

fn refuse(what: &str, why: &str) -> Result<(), BoardError> {
    Err(BoardError::Value { what: what.into(), why: why.into() })
}
