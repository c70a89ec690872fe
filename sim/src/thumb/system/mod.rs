//! What surrounds the core of a booted image: exceptions, system registers, timer, and the board's peripherals.
//!
//! A called function has none of it. [`System`] is data and registers; what exceptions do to the core is in [`entry`] and
//! [`leave`], and [`service`] decides between two instructions what comes next.

mod entry;
pub(crate) mod exceptions;
mod leave;
mod overwrite;
mod peripherals;
mod registers;
mod service;
mod systick;

use service::Wait;
pub(crate) use service::{Alarm, Every};

use crate::cycles::thumb::Core;
use crate::thumb::board::Board;
use exceptions::{Exceptions, FIRST_IRQ};
use isa::thumb::BusFault;
use peripherals::Peripherals;
use systick::SysTick;

/// SYSm of the special registers in a core's state.
pub(crate) mod special {
    pub const IPSR: usize = 5;
    pub const MSP: usize = 8;
    pub const PSP: usize = 9;
    pub const PRIMASK: usize = 16;
    pub const BASEPRI: usize = 17;
    pub const FAULTMASK: usize = 19;
    pub const CONTROL: usize = 20;
}

/// CONTROL: unprivileged; r13 is the process stack pointer; there is an active FP context.
pub(crate) const N_PRIV: u32 = 1;
pub(crate) const SP_SEL: u32 = 2;
pub(crate) const FPCA: u32 = 4;

/// CCR: returning to a thread while other exceptions are active is allowed.
const NON_BASE_THREAD: u32 = 1;
/// CCR: unaligned accesses fault; so do divisions by zero; frames are aligned to 8 bytes.
const UNALIGN_TRAP: u32 = 1 << 3;
const DIVIDE_TRAP: u32 = 1 << 4;
const STACK_ALIGN: u32 = 1 << 9;

/// FPCCR: lazy preservation is outstanding; it is done lazily; FP instructions make an FP context.
const LSPACT: u32 = 1;
const LSPEN: u32 = 1 << 30;
const ASPEN: u32 = 1 << 31;

/// What FPDSCR can hold: AHP, DN, FZ and the rounding mode.
const FPDSCR_BITS: u32 = 0x07c0_0000;

/// Full access to the FPU in CPACR.
const CPACR_FULL: u32 = 0xf << 20;

/// SCR: sleep when the last exception returns; a new pending interrupt is an event.
const SLEEP_ON_EXIT: u32 = 1 << 1;
const EVENT_ON_PEND: u32 = 1 << 4;

/// DEMCR: the trace units work. DWT_CTRL: the cycle counter counts.
const TRACE_ENABLED: u32 = 1 << 24;
const COUNTER_ENABLED: u32 = 1;

/// Private peripheral bus.
const PRIVATE: std::ops::Range<u32> = 0xe000_0000..0xe010_0000;

/// Registers and peripherals of a booted image.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The core has an FPU.
    fpu: bool,
    cpuid: u32,
    pub exceptions: Exceptions,
    systick: SysTick,
    peripherals: Peripherals,
    vtor: u32,
    scr: u32,
    ccr: u32,
    cfsr: u32,
    hfsr: u32,
    mmfar: u32,
    bfar: u32,
    cpacr: u32,
    fpccr: u32,
    fpcar: u32,
    fpdscr: u32,
    demcr: u32,
    dwt_control: u32,
    /// What the cycle counter was at a cycle.
    counter: (u32, u64),
    /// The exception whose handler runs, as in the core's IPSR.
    active: u16,
    /// The event register.
    event: bool,
    /// A reset was asked for.
    pub reset: bool,
    /// The cycle, while an instruction may access registers; without it accesses are refused, to be tried again.
    pub now: Option<u64>,
    /// The core may access the private peripheral bus.
    pub privileged: bool,
    /// What breakpoint 0xab means.
    pub semihosting: bool,
    /// Text of the console that nobody has taken yet.
    pub console: Vec<u8>,
    /// What a WFI or WFE waits for.
    waits: Option<Wait>,
    /// The last fault, for messages.
    pub last_fault: Option<String>,
}

impl System {
    /// As after reset. Without a board there are no peripherals, and the cycle counter already counts.
    pub(crate) fn new(core: Core, board: Option<&Board>) -> System {
        let fpu = core == Core::M4f;
        let (priority_bits, irqs) = board.map_or((8, 240), |board| (board.priority_bits, board.interrupts));
        let counts = board.is_none();
        System {
            fpu,
            // r2p1 of Cortex-M3, r0p1 of Cortex-M4.
            cpuid: if core == Core::M3 { 0x412f_c231 } else { 0x410f_c241 },
            exceptions: Exceptions::new(priority_bits, irqs),
            systick: SysTick::new(board.and_then(|board| board.systick_divider)),
            peripherals: Peripherals::new(board),
            vtor: 0,
            scr: 0,
            ccr: STACK_ALIGN,
            cfsr: 0,
            hfsr: 0,
            mmfar: 0,
            bfar: 0,
            cpacr: 0,
            fpccr: if fpu { ASPEN | LSPEN } else { 0 },
            fpcar: 0,
            fpdscr: 0,
            demcr: if counts { TRACE_ENABLED } else { 0 },
            dwt_control: if counts { COUNTER_ENABLED } else { 0 },
            counter: (0, 0),
            active: 0,
            event: false,
            reset: false,
            now: None,
            privileged: true,
            semihosting: board.is_none_or(|board| board.semihosting),
            console: Vec::new(),
            waits: None,
            last_fault: None,
        }
    }

    /// Makes an interrupt of the chip pending.
    pub(crate) fn pend_irq(&mut self, irq: u16) {
        if irq < self.exceptions.irqs {
            self.pend(FIRST_IRQ + irq);
        }
    }

    fn pend(&mut self, exception: u16) {
        self.event |= self.scr & EVENT_ON_PEND != 0 && !self.exceptions.pending.contains(exception);
        self.exceptions.pending.set(exception, true);
    }

    /// A load outside of memory.
    pub(crate) fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let now = self.now.ok_or(BusFault::Unmapped)?;
        if address & (size - 1) != 0 {
            return Err(BusFault::Unmapped);
        }
        if !PRIVATE.contains(&address) {
            return self.peripherals.read(address, size);
        }
        if !self.privileged {
            return Err(BusFault::Permission);
        }
        self.settle(now);
        let word = self.register(address & !3, now);
        Ok(word >> (8 * (address & 3)) & (u32::MAX >> (32 - 8 * size)))
    }

    /// A store outside of memory.
    pub(crate) fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let now = self.now.ok_or(BusFault::Unmapped)?;
        if address & (size - 1) != 0 {
            return Err(BusFault::Unmapped);
        }
        if !PRIVATE.contains(&address) {
            return self.peripherals.write(address, size, value, &mut self.console);
        }
        if !self.privileged {
            return Err(BusFault::Permission);
        }
        self.settle(now);
        let shift = 8 * (address & 3);
        let mask = (u32::MAX >> (32 - 8 * size)) << shift;
        self.set_register(address & !3, value << shift & mask, mask, now);
        Ok(())
    }

    /// Brings the timer up to date.
    fn settle(&mut self, now: u64) {
        if self.systick.settle(now) {
            self.pend(exceptions::SYS_TICK);
        }
    }

    /// FP instructions need to be looked at before they are executed.
    fn watches_fp(&self, control: u32) -> bool {
        !self.fpu
            || self.cpacr & CPACR_FULL != CPACR_FULL
            || self.fpccr & LSPACT != 0
            || (self.fpccr & ASPEN != 0 && control & FPCA == 0)
    }
}
