//! The board's peripherals: a UART that sends, and registers that start-up code wants to be there.

use crate::thumb::board::{Board, Registers, Uart, UartKind};
use isa::thumb::BusFault;

/// Bytes that a UART's registers take.
const UART_BYTES: u32 = 0x400;

/// All peripherals of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Peripherals {
    uart: Option<(Uart, Bank)>,
    banks: Vec<Bank>,
}

/// Registers that read back what was written, but for some bits.
#[derive(Clone, Debug)]
struct Bank {
    registers: Registers,
    words: Vec<u32>,
}

impl Bank {
    fn new(registers: &Registers) -> Bank {
        let mut bank = Bank { registers: registers.clone(), words: vec![0; registers.length.div_ceil(4) as usize] };
        for word in &registers.reset {
            bank.words[(word.offset / 4) as usize] = word.value;
        }
        bank
    }

    /// Registers of a UART, which nothing follows.
    fn plain(base: u32) -> Bank {
        let (name, length) = ("UART".into(), UART_BYTES);
        Bank::new(&Registers { name, base, length, reset: vec![], ones: vec![], follow: vec![] })
    }

    fn offset(&self, address: u32) -> Option<u32> {
        Some(address.wrapping_sub(self.registers.base)).filter(|offset| *offset < self.registers.length)
    }

    fn word(&self, offset: u32) -> u32 {
        let ones = self.registers.ones.iter().filter(|word| word.offset == offset & !3);
        self.words[(offset / 4) as usize] | ones.fold(0, |bits, word| bits | word.value)
    }

    fn read(&self, offset: u32, size: u32) -> u32 {
        self.word(offset) >> (8 * (offset & 3)) & (u32::MAX >> (32 - 8 * size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32) {
        let shift = 8 * (offset & 3);
        let mask = (u32::MAX >> (32 - 8 * size)) << shift;
        let mut word = self.words[(offset / 4) as usize] & !mask | value << shift & mask;
        for follow in self.registers.follow.iter().filter(|follow| follow.offset == offset & !3) {
            let bits = (1 << follow.width) - 1;
            word = word & !(bits << follow.to) | (word >> follow.from & bits) << follow.to;
        }
        self.words[(offset / 4) as usize] = word;
    }
}

impl Peripherals {
    pub(super) fn new(board: Option<&Board>) -> Peripherals {
        let Some(board) = board else { return Peripherals::default() };
        let uart = board.uart.map(|uart| (uart, Bank::plain(uart.base)));
        Peripherals { uart, banks: board.registers.iter().map(Bank::new).collect() }
    }

    pub(super) fn read(&self, address: u32, size: u32) -> Result<u32, BusFault> {
        if let Some((uart, bank)) = &self.uart
            && let Some(offset) = bank.offset(address)
        {
            let word = status(uart.kind, bank, offset).unwrap_or_else(|| bank.read(offset, size));
            return Ok(word & (u32::MAX >> (32 - 8 * size)));
        }
        let found = self.banks.iter().find_map(|bank| Some((bank, bank.offset(address)?)));
        found.map(|(bank, offset)| bank.read(offset, size)).ok_or(BusFault::Unmapped)
    }

    pub(super) fn write(&mut self, address: u32, size: u32, value: u32, console: &mut Vec<u8>) -> Result<(), BusFault> {
        if let Some((uart, bank)) = &mut self.uart
            && let Some(offset) = bank.offset(address)
        {
            if offset != data(uart.kind) {
                bank.write(offset, size, value);
            } else if sends(uart.kind, bank) {
                console.push(value as u8);
            }
            return Ok(());
        }
        let found = self.banks.iter_mut().find_map(|bank| bank.offset(address).map(|offset| (bank, offset)));
        found.map(|(bank, offset)| bank.write(offset, size, value)).ok_or(BusFault::Unmapped)
    }
}

/// Offset of the register that a byte to send is written to.
fn data(kind: UartKind) -> u32 {
    match kind {
        UartKind::Cmsdk => 0x00,
        UartKind::Stm32Usart => 0x04,
        UartKind::Stm32UsartV2 => 0x28,
    }
}

/// Whether it is switched on: what is written to one that is not is lost.
fn sends(kind: UartKind, bank: &Bank) -> bool {
    let (control, bits) = match kind {
        // CTRL: transmit enable.
        UartKind::Cmsdk => (0x08, 1),
        // CR1: UE and TE.
        UartKind::Stm32Usart => (0x0c, 1 << 13 | 1 << 3),
        UartKind::Stm32UsartV2 => (0x00, 1 | 1 << 3),
    };
    bank.word(control) & bits == bits
}

/// What registers read as that the UART sets: nothing received, and everything sent.
fn status(kind: UartKind, bank: &Bank, offset: u32) -> Option<u32> {
    // TXE and TC.
    const SENT: u32 = 1 << 7 | 1 << 6;
    match (kind, offset) {
        (UartKind::Cmsdk, 0x00 | 0x04 | 0x0c) => Some(0),
        (UartKind::Stm32Usart, 0x00) => Some(SENT),
        (UartKind::Stm32Usart, 0x04) | (UartKind::Stm32UsartV2, 0x24) => Some(0),
        // TEACK and REACK follow TE and RE, bits 3 and 2 of CR1.
        (UartKind::Stm32UsartV2, 0x1c) => {
            let control = bank.word(0);
            Some(SENT | (control >> 3 & 1) << 21 | (control >> 2 & 1) << 22)
        }
        _ => None,
    }
}
