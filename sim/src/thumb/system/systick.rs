//! The system timer: a 24-bit down counter (DDI 0403, B3.3). It is brought up to date when somebody looks.

/// CSR bits.
const ENABLE: u32 = 1;
const TICK_INTERRUPT: u32 = 2;
const CORE_CLOCK: u32 = 4;
const COUNT_FLAG: u32 = 1 << 16;
/// Bits of the counter.
const COUNTER: u32 = 0x00ff_ffff;
/// CALIB: there is no reference clock, and how many ticks are 10 ms is not known.
const NO_REFERENCE: u32 = 1 << 31 | 1 << 30;

/// The timer, as it was at `since`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SysTick {
    control: u32,
    reload: u32,
    value: u32,
    since: u64,
    /// Core cycles of a tick of the reference clock; `None` if there is no such clock.
    reference: Option<u32>,
}

impl SysTick {
    pub(crate) fn new(reference: Option<u32>) -> SysTick {
        // Without a reference clock the core's is selected, and stays so.
        SysTick { control: if reference.is_none() { CORE_CLOCK } else { 0 }, reference, ..SysTick::default() }
    }

    fn cycles_per_tick(&self) -> u64 {
        if self.control & CORE_CLOCK != 0 { 1 } else { self.reference.unwrap_or(1).max(1).into() }
    }

    /// Brings it up to the cycle `now`. True if it has reached 0 and is to interrupt.
    pub(crate) fn settle(&mut self, now: u64) -> bool {
        if self.control & ENABLE == 0 {
            self.since = now;
            return false;
        }
        let cycles = self.cycles_per_tick();
        let mut ticks = now.saturating_sub(self.since) / cycles;
        self.since += ticks * cycles;
        if self.value == 0 {
            if ticks == 0 || self.reload == 0 {
                return false;
            }
            (ticks, self.value) = (ticks - 1, self.reload);
        }
        if ticks < u64::from(self.value) {
            self.value -= ticks as u32;
            return false;
        }
        ticks -= u64::from(self.value);
        self.control |= COUNT_FLAG;
        let period = u64::from(self.reload) + 1;
        self.value = ((period - ticks % period) % period) as u32;
        self.control & TICK_INTERRUPT != 0
    }

    /// The cycle of its next interrupt.
    pub(crate) fn deadline(&self) -> Option<u64> {
        if self.control & (ENABLE | TICK_INTERRUPT) != ENABLE | TICK_INTERRUPT {
            return None;
        }
        let ticks = match (self.value, self.reload) {
            (0, 0) => return None,
            (0, reload) => u64::from(reload) + 1,
            (value, _) => value.into(),
        };
        Some(self.since + ticks * self.cycles_per_tick())
    }

    /// What a register reads as; 0 is CSR, whose count flag is cleared by it.
    pub(crate) fn read(&mut self, offset: u32) -> u32 {
        match offset {
            0 => {
                let control = self.control;
                self.control &= !COUNT_FLAG;
                control
            }
            4 => self.reload,
            8 => self.value,
            _ => self.reference.map_or(NO_REFERENCE, |_| 0),
        }
    }

    pub(crate) fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0 => {
                let fixed = if self.reference.is_none() { CORE_CLOCK } else { 0 };
                let writable = ENABLE | TICK_INTERRUPT | CORE_CLOCK;
                self.control = self.control & COUNT_FLAG | value & writable | fixed;
            }
            4 => self.reload = value & COUNTER,
            8 => {
                self.value = 0;
                self.control &= !COUNT_FLAG;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(reload: u32) -> SysTick {
        let mut timer = SysTick::new(None);
        timer.write(4, reload);
        timer.write(8, 1);
        timer.write(0, 7);
        timer
    }

    /// Reload value 3: from 0 it is loaded in a cycle, reaches 0 three later, and again every four.
    #[test]
    fn counts() {
        let values: [u32; 10] = [0, 3, 2, 1, 0, 3, 2, 1, 0, 3];
        for (now, expected) in values.into_iter().enumerate() {
            let mut timer = started(3);
            assert_eq!(timer.deadline(), Some(4));
            assert_eq!(timer.settle(now as u64), now >= 4, "{now}");
            assert_eq!(timer.read(8), expected, "{now}");
            assert_eq!(timer.read(0) & COUNT_FLAG != 0, now >= 4, "{now}");
            assert_eq!(timer.read(0) & COUNT_FLAG, 0);
        }
        let mut stepped = started(3);
        let interrupts: Vec<u64> = (0..=12).filter(|now| stepped.settle(*now)).collect();
        assert_eq!(interrupts, [4, 8, 12]);
        assert_eq!(stepped.deadline(), Some(16));
    }

    #[test]
    fn stops() {
        let mut idle = started(0);
        assert!(!idle.settle(1000) && idle.deadline().is_none());
        let mut slow = SysTick::new(Some(8));
        slow.write(4, 1);
        slow.write(0, 3);
        assert_eq!(slow.deadline(), Some(16));
        assert!(!slow.settle(15) && slow.settle(16));
    }
}
