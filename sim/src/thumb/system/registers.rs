//! Registers on the private peripheral bus (DDI 0403, B3.2 to B3.4, C1.8).

use super::exceptions::{
    BUS_FAULT, DEBUG_MONITOR, Exceptions, FIRST_IRQ, MEM_MANAGE, NMI, Numbers, PEND_SV, SV_CALL, SYS_TICK, USAGE_FAULT,
};
use super::{
    ASPEN, COUNTER_ENABLED, CPACR_FULL, DIVIDE_TRAP, EVENT_ON_PEND, FPDSCR_BITS, LSPACT, LSPEN, NON_BASE_THREAD,
    SLEEP_ON_EXIT, STACK_ALIGN, System, TRACE_ENABLED, UNALIGN_TRAP,
};

/// Stimulus ports of the trace unit.
const ITM_PORTS: std::ops::Range<u32> = 0xe000_0000..0xe000_0080;
const DWT_CTRL: u32 = 0xe000_1000;
const DWT_CYCCNT: u32 = 0xe000_1004;
const ICTR: u32 = 0xe000_e004;
const SYSTICK: std::ops::Range<u32> = 0xe000_e010..0xe000_e020;
const ISER: std::ops::Range<u32> = 0xe000_e100..0xe000_e120;
const ICER: std::ops::Range<u32> = 0xe000_e180..0xe000_e1a0;
const ISPR: std::ops::Range<u32> = 0xe000_e200..0xe000_e220;
const ICPR: std::ops::Range<u32> = 0xe000_e280..0xe000_e2a0;
const IABR: std::ops::Range<u32> = 0xe000_e300..0xe000_e320;
const IPR: std::ops::Range<u32> = 0xe000_e400..0xe000_e4f0;
const CPUID: u32 = 0xe000_ed00;
const ICSR: u32 = 0xe000_ed04;
const VTOR: u32 = 0xe000_ed08;
const AIRCR: u32 = 0xe000_ed0c;
const SCR: u32 = 0xe000_ed10;
const CCR: u32 = 0xe000_ed14;
const SHPR: std::ops::Range<u32> = 0xe000_ed18..0xe000_ed24;
const SHCSR: u32 = 0xe000_ed24;
const CFSR: u32 = 0xe000_ed28;
const HFSR: u32 = 0xe000_ed2c;
const MMFAR: u32 = 0xe000_ed34;
const BFAR: u32 = 0xe000_ed38;
const CPACR: u32 = 0xe000_ed88;
const DEMCR: u32 = 0xe000_edfc;
const STIR: u32 = 0xe000_ef00;
const FPCCR: u32 = 0xe000_ef34;
const FPCAR: u32 = 0xe000_ef38;
const FPDSCR: u32 = 0xe000_ef3c;
const MVFR0: u32 = 0xe000_ef40;
const MVFR1: u32 = 0xe000_ef44;

/// AIRCR: the key that a write needs, and what reads in its place; the reset request.
const KEY: u32 = 0x05fa;
const KEY_STATUS: u32 = 0xfa05 << 16;
const RESET_REQUEST: u32 = 1 << 2;
/// SHCSR: bit and exception of what is active, what is pending, and what is enabled.
const ACTIVE: [(u32, u16); 7] = [
    (0, MEM_MANAGE),
    (1, BUS_FAULT),
    (3, USAGE_FAULT),
    (7, SV_CALL),
    (8, DEBUG_MONITOR),
    (10, PEND_SV),
    (11, SYS_TICK),
];
const PENDED: [(u32, u16); 4] = [(12, USAGE_FAULT), (13, MEM_MANAGE), (14, BUS_FAULT), (15, SV_CALL)];
const ENABLED: [(u32, u16); 3] = [(16, MEM_MANAGE), (17, BUS_FAULT), (18, USAGE_FAULT)];
/// The DWT says that it has four comparators.
const COMPARATORS: u32 = 4 << 28;
/// What single-precision FPv4 has (DDI 0439, 4.5).
const FEATURES: [u32; 2] = [0x1011_0021, 0x1100_0011];

impl System {
    /// What the word at an address reads as. What is not there reads as 0, as the MPU's type does.
    pub(super) fn register(&mut self, address: u32, now: u64) -> u32 {
        let exceptions = &self.exceptions;
        match address {
            // Always ready, so that nobody waits for what nobody reads.
            a if ITM_PORTS.contains(&a) => 1,
            DWT_CTRL => COMPARATORS | self.dwt_control,
            DWT_CYCCNT => self.cycle_counter(now),
            ICTR => (u32::from(exceptions.irqs).div_ceil(32)).saturating_sub(1),
            a if SYSTICK.contains(&a) => self.systick.read(a - SYSTICK.start),
            a if ISER.contains(&a) => exceptions.enabled.irqs((a - ISER.start) / 4),
            a if ICER.contains(&a) => exceptions.enabled.irqs((a - ICER.start) / 4),
            a if ISPR.contains(&a) => exceptions.pending.irqs((a - ISPR.start) / 4),
            a if ICPR.contains(&a) => exceptions.pending.irqs((a - ICPR.start) / 4),
            a if IABR.contains(&a) => exceptions.active.irqs((a - IABR.start) / 4),
            a if IPR.contains(&a) => self.priorities(FIRST_IRQ + (a - IPR.start) as u16),
            a if SHPR.contains(&a) => self.priorities(MEM_MANAGE + (a - SHPR.start) as u16),
            CPUID => self.cpuid,
            ICSR => self.icsr(),
            VTOR => self.vtor,
            AIRCR => KEY_STATUS | u32::from(exceptions.group) << 8,
            SCR => self.scr,
            CCR => self.ccr,
            SHCSR => self.shcsr(),
            CFSR => self.cfsr,
            HFSR => self.hfsr,
            MMFAR => self.mmfar,
            BFAR => self.bfar,
            CPACR => self.cpacr,
            DEMCR => self.demcr,
            FPCCR => self.fpccr,
            FPCAR => self.fpcar,
            FPDSCR => self.fpdscr,
            MVFR0 | MVFR1 if self.fpu => FEATURES[usize::from(address == MVFR1)],
            _ => 0,
        }
    }

    /// Writes the bits of `mask` in the word at an address. What is not there, or cannot be written, is left alone.
    pub(super) fn set_register(&mut self, address: u32, value: u32, mask: u32, now: u64) {
        let merged = |old: u32, writable: u32| old & !(mask & writable) | value & writable;
        match address {
            DWT_CTRL => {
                self.counter = (self.cycle_counter(now), now);
                self.dwt_control = value & COUNTER_ENABLED;
            }
            DWT_CYCCNT => self.counter = (value, now),
            a if SYSTICK.contains(&a) => self.systick.write(a - SYSTICK.start, value),
            a if ISER.contains(&a) => self.each_irq(a - ISER.start, value, |s, n| s.exceptions.enabled.set(n, true)),
            a if ICER.contains(&a) => self.each_irq(a - ICER.start, value, |s, n| s.exceptions.enabled.set(n, false)),
            a if ISPR.contains(&a) => self.each_irq(a - ISPR.start, value, System::pend),
            a if ICPR.contains(&a) => self.each_irq(a - ICPR.start, value, |s, n| s.exceptions.pending.set(n, false)),
            a if IPR.contains(&a) => self.set_priorities(FIRST_IRQ + (a - IPR.start) as u16, value, mask),
            a if SHPR.contains(&a) => self.set_priorities(MEM_MANAGE + (a - SHPR.start) as u16, value, mask),
            ICSR => self.set_icsr(value),
            VTOR => self.vtor = value & !0x7f,
            AIRCR if value >> 16 == KEY => {
                self.exceptions.group = (value >> 8 & 7) as u8;
                self.reset |= value & RESET_REQUEST != 0;
            }
            SCR => self.scr = merged(self.scr, SLEEP_ON_EXIT | 1 << 2 | EVENT_ON_PEND),
            CCR => {
                let writable = NON_BASE_THREAD | 1 << 1 | UNALIGN_TRAP | DIVIDE_TRAP | 1 << 8 | STACK_ALIGN;
                self.ccr = merged(self.ccr, writable);
            }
            SHCSR => self.set_shcsr(value),
            CFSR => self.cfsr &= !value,
            HFSR => self.hfsr &= !value,
            MMFAR => self.mmfar = value,
            BFAR => self.bfar = value,
            CPACR if self.fpu => self.cpacr = merged(self.cpacr, CPACR_FULL),
            DEMCR => {
                self.counter = (self.cycle_counter(now), now);
                self.demcr = merged(self.demcr, TRACE_ENABLED);
            }
            STIR => self.pend_irq((value & 0x1ff) as u16),
            FPCCR if self.fpu => self.fpccr = merged(self.fpccr, ASPEN | LSPEN | LSPACT),
            FPCAR if self.fpu => self.fpcar = value & !7,
            FPDSCR if self.fpu => self.fpdscr = value & FPDSCR_BITS,
            _ => {}
        }
    }

    fn cycle_counter(&self, now: u64) -> u32 {
        let counts = self.dwt_control & COUNTER_ENABLED != 0 && self.demcr & TRACE_ENABLED != 0;
        self.counter.0.wrapping_add(if counts { now.wrapping_sub(self.counter.1) as u32 } else { 0 })
    }

    /// Does something for each interrupt of a register.
    fn each_irq(&mut self, offset: u32, bits: u32, mut action: impl FnMut(&mut System, u16)) {
        for bit in (0..32).filter(|bit| bits >> bit & 1 != 0) {
            let irq = (8 * offset + bit) as u16;
            if irq < self.exceptions.irqs {
                action(self, FIRST_IRQ + irq);
            }
        }
    }

    fn priorities(&self, first: u16) -> u32 {
        (0..4).rev().fold(0, |word, i| word << 8 | u32::from(self.exceptions.priority[usize::from(first + i) & 255]))
    }

    fn set_priorities(&mut self, first: u16, value: u32, mask: u32) {
        for i in (0..4).filter(|i| mask >> (8 * i) & 0xff != 0) {
            let exists = first < FIRST_IRQ || first + i - FIRST_IRQ < self.exceptions.irqs;
            if exists {
                let byte = (value >> (8 * i)) as u8 & self.exceptions.implemented;
                self.exceptions.priority[usize::from(first + i) & 255] = byte;
            }
        }
    }

    fn icsr(&self) -> u32 {
        let Exceptions { pending, active, .. } = &self.exceptions;
        let bit = |set: bool, at: u32| u32::from(set) << at;
        let any_irq = pending.iter().any(|number| number >= FIRST_IRQ);
        bit(pending.contains(NMI), 31)
            | bit(pending.contains(PEND_SV), 28)
            | bit(pending.contains(SYS_TICK), 26)
            | bit(any_irq, 22)
            | u32::from(self.exceptions.first_pending().unwrap_or(0)) << 12
            | bit(active.count() <= 1, 11)
            | u32::from(self.active)
    }

    fn set_icsr(&mut self, value: u32) {
        for (set, clear, number) in [(1 << 31, 0, NMI), (1 << 28, 1 << 27, PEND_SV), (1 << 26, 1 << 25, SYS_TICK)] {
            if value & set != 0 {
                self.pend(number);
            } else if value & clear != 0 {
                self.exceptions.pending.set(number, false);
            }
        }
    }

    fn shcsr(&self) -> u32 {
        let Exceptions { pending, active, enabled, .. } = &self.exceptions;
        let bits = |rows: &[(u32, u16)], set: &Numbers| {
            rows.iter().filter(|(_, number)| set.contains(*number)).fold(0, |bits, (bit, _)| bits | 1 << bit)
        };
        bits(&ACTIVE, active) | bits(&PENDED, pending) | bits(&ENABLED, enabled)
    }

    fn set_shcsr(&mut self, value: u32) {
        let Exceptions { pending, active, enabled, .. } = &mut self.exceptions;
        for (rows, set) in [(&ACTIVE[..], active), (&PENDED[..], pending), (&ENABLED[..], enabled)] {
            for (bit, number) in rows {
                set.set(*number, value >> bit & 1 != 0);
            }
        }
    }

    /// Notes a hard fault's reason: it was forced by another fault, or the vector table could not be read.
    pub(super) fn note_hard_fault(&mut self, vector: bool) {
        self.hfsr |= if vector { 1 << 1 } else { 1 << 30 };
    }
}
