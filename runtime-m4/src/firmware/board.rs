//! The board that the firmware was built for.

use super::registers;
use core::fmt;

include!(concat!(env!("OUT_DIR"), "/board.rs"));

/// Part number of the core (ARMv7-M, B3.2.3), and coprocessor access control (B3.2.20).
const CPUID: u32 = 0xe000_ed00;
const CPACR: u32 = 0xe000_ed88;

/// Full access to the FPU, in CPACR.
const FPU_ACCESS: u32 = 0xf << 20;

/// A register that is waited for is read this often at most: seconds, where an oscillator takes milliseconds.
const READS_MAX: u32 = 10_000_000;

/// A board, and how the firmware was built.
pub struct Board {
    /// Its name.
    pub name: &'static str,
    /// The chip.
    pub chip: &'static str,
    /// The core.
    pub core: Core,
    /// Core clock in Hz.
    pub clock_hz: u32,
    /// Flash wait states.
    pub wait_states: u8,
    /// The compiler and its version.
    pub compiler: &'static str,
    /// What the compiler was told.
    pub flags: &'static str,
    /// Where the kernels are.
    pub placement: &'static str,
    /// `BKPT 0xAB` calls the host.
    pub semihosting: bool,
    /// The console; without it semihosting is.
    pub uart: Option<Uart>,
    /// What start-up does to registers.
    setup: &'static [Step],
}

/// The kinds of core. Each firmware has one.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Core {
    /// Cortex-M3.
    M3,
    /// Cortex-M4 without FPU.
    M4,
    /// Cortex-M4 with FPU.
    M4f,
}

/// A UART.
#[derive(Clone, Copy)]
pub struct Uart {
    /// Which registers it has.
    pub kind: UartKind,
    /// Address of the first one.
    pub base: u32,
}

/// The kinds of UART. Each firmware has at most one.
#[allow(dead_code)]
#[derive(Clone, Copy)]
pub enum UartKind {
    /// Of Arm's Cortex-M System Design Kit.
    Cmsdk,
    /// Of STM32F1, F2, F4 and L1.
    Stm32Usart,
    /// Of STM32L4 and later.
    Stm32UsartV2,
}

/// What is done to a register. Not every board needs every kind.
#[allow(dead_code)]
enum Step {
    Write { address: u32, value: u32 },
    Change { address: u32, clear: u32, set: u32 },
    Wait { address: u32, mask: u32, value: u32 },
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Core::M3 => "Cortex-M3",
            Core::M4 => "Cortex-M4",
            Core::M4f => "Cortex-M4F",
        })
    }
}

impl Board {
    /// Clock, console and FPU. An error is the address of the register that did not become what it should.
    pub fn set_up(&self) -> Result<(), u32> {
        if self.core == Core::M4f {
            registers::change(CPACR, 0, FPU_ACCESS);
            // SAFETY: barriers, so that the FPU is there for what follows.
            unsafe { core::arch::asm!("dsb", "isb", options(nostack)) };
        }
        self.setup.iter().try_for_each(Step::take)
    }

    /// True if the firmware runs on the core that it is for.
    pub fn is_this(&self) -> bool {
        let part = match self.core {
            Core::M3 => 0xc23,
            Core::M4 | Core::M4f => 0xc24,
        };
        cpuid() >> 4 & 0xfff == part
    }
}

/// What the core says it is.
pub fn cpuid() -> u32 {
    registers::read(CPUID)
}

impl Step {
    fn take(&self) -> Result<(), u32> {
        match *self {
            Step::Write { address, value } => registers::write(address, value),
            Step::Change { address, clear, set } => registers::change(address, clear, set),
            Step::Wait { address, mask, value } => {
                return (0..READS_MAX).find(|_| registers::read(address) & mask == value).map(drop).ok_or(address);
            }
        }
        Ok(())
    }
}
