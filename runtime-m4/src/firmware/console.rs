//! Where text goes: the board's UART, or the host.

use super::board::{BOARD, Uart, UartKind};
use super::{registers, semihosting};
use core::fmt;

/// The console.
pub struct Console;

impl fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match BOARD.uart {
            Some(uart) => text.bytes().for_each(|byte| uart.send(byte)),
            None => semihosting::print(text),
        }
        Ok(())
    }
}

/// Waits until everything has left.
pub fn flush() {
    if let Some(uart) = BOARD.uart {
        uart.flush();
    }
}

/// Bits of the status registers: of CMSDK "transmit buffer full" (DDI 0479, 4.5); of STM32 "data register empty" and
/// "transmission complete", in SR and in ISR alike (RM0090, 30.6.1; RM0432, 50.8).
const TX_FULL: u32 = 1;
const TXE: u32 = 1 << 7;
const TC: u32 = 1 << 6;

impl Uart {
    fn send(&self, byte: u8) {
        let (status, data) = match self.kind {
            UartKind::Cmsdk => (0x04, 0x00),
            UartKind::Stm32Usart => (0x00, 0x04),
            UartKind::Stm32UsartV2 => (0x1c, 0x28),
        };
        let is_ready = |status: u32| match self.kind {
            UartKind::Cmsdk => status & TX_FULL == 0,
            UartKind::Stm32Usart | UartKind::Stm32UsartV2 => status & TXE != 0,
        };
        while !is_ready(registers::read(self.base + status)) {}
        registers::write(self.base + data, byte.into());
    }

    fn flush(&self) {
        match self.kind {
            UartKind::Cmsdk => while registers::read(self.base + 0x04) & TX_FULL != 0 {},
            UartKind::Stm32Usart => while registers::read(self.base) & TC == 0 {},
            UartKind::Stm32UsartV2 => while registers::read(self.base + 0x1c) & TC == 0 {},
        }
    }
}
