//! Exceptions of a core: which are pending, active and enabled, and which one is taken next (DDI 0403, B1.5).

/// Non-maskable interrupt.
pub(crate) const NMI: u16 = 2;
/// All faults that no other exception takes.
pub(crate) const HARD_FAULT: u16 = 3;
/// Memory protection, and fetches from where code is never allowed.
pub(crate) const MEM_MANAGE: u16 = 4;
/// Accesses that the bus refuses.
pub(crate) const BUS_FAULT: u16 = 5;
/// Instructions that cannot be executed.
pub(crate) const USAGE_FAULT: u16 = 6;
/// Supervisor call.
pub(crate) const SV_CALL: u16 = 11;
/// Debug monitor.
pub(crate) const DEBUG_MONITOR: u16 = 12;
/// Pendable service.
pub(crate) const PEND_SV: u16 = 14;
/// System timer.
pub(crate) const SYS_TICK: u16 = 15;
/// The first interrupt of the chip.
pub(crate) const FIRST_IRQ: u16 = 16;

/// Priority of code that no exception has interrupted: lower than any.
pub(crate) const THREAD_PRIORITY: i32 = 256;

/// A set of exception numbers, 0..=255.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Numbers([u32; 8]);

impl Numbers {
    pub(crate) fn contains(&self, number: u16) -> bool {
        self.0[usize::from(number >> 5) & 7] >> (number & 31) & 1 != 0
    }

    pub(crate) fn set(&mut self, number: u16, member: bool) {
        let (word, bit) = (&mut self.0[usize::from(number >> 5) & 7], 1 << (number & 31));
        *word = if member { *word | bit } else { *word & !bit };
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        let words = self.0.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(index, word)| {
            (0..32).filter(move |bit| word >> bit & 1 != 0).map(move |bit| index as u16 * 32 + bit)
        })
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// 32 interrupts from number 32 times `index` on, as the registers of the interrupt controller show them.
    pub(crate) fn irqs(&self, index: u32) -> u32 {
        let first = FIRST_IRQ + 32 * index as u16;
        (0..32).filter(|bit| self.contains_irq(first + bit)).fold(0, |bits, bit| bits | 1 << bit)
    }

    fn contains_irq(&self, number: u16) -> bool {
        number < 256 && self.contains(number)
    }
}

/// What masks exceptions beside those that are active: the special registers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Masks {
    pub primask: bool,
    pub faultmask: bool,
    pub basepri: u8,
}

/// The state of all exceptions.
#[derive(Clone, Debug)]
pub(crate) struct Exceptions {
    pub pending: Numbers,
    pub active: Numbers,
    /// Interrupts, and the three configurable faults.
    pub enabled: Numbers,
    /// Configurable priorities.
    pub priority: [u8; 256],
    /// AIRCR.PRIGROUP.
    pub group: u8,
    /// Priority bits that exist.
    pub implemented: u8,
    /// Interrupts that exist.
    pub irqs: u16,
}

impl Exceptions {
    pub(crate) fn new(priority_bits: u8, irqs: u16) -> Exceptions {
        let implemented = !(0xff_u32 >> priority_bits.min(8)) as u8;
        let none = Numbers::default();
        Exceptions { pending: none, active: none, enabled: none, priority: [0; 256], group: 0, implemented, irqs }
    }

    pub(crate) fn priority_of(&self, number: u16) -> i32 {
        match number {
            1 => -3,
            NMI => -2,
            HARD_FAULT => -1,
            _ => i32::from(self.priority[usize::from(number) & 255]),
        }
    }

    /// The part of a priority that decides about preemption.
    pub(crate) fn grouped(&self, priority: i32) -> i32 {
        if priority < 0 { priority } else { priority & !((2 << self.group) - 1) }
    }

    fn is_enabled(&self, number: u16) -> bool {
        match number {
            MEM_MANAGE | BUS_FAULT | USAGE_FAULT => self.enabled.contains(number),
            0..FIRST_IRQ => true,
            _ => self.enabled.contains(number),
        }
    }

    /// Priority at which the core executes now.
    pub(crate) fn execution_priority(&self, masks: Masks) -> i32 {
        let active = self.active.iter().map(|number| self.grouped(self.priority_of(number))).min();
        let mut priority = active.unwrap_or(THREAD_PRIORITY);
        if masks.basepri != 0 {
            priority = priority.min(self.grouped(masks.basepri.into()));
        }
        if masks.primask {
            priority = priority.min(0);
        }
        if masks.faultmask {
            priority = priority.min(-1);
        }
        priority
    }

    /// The exception that is pending with the highest priority, enabled or it could not be taken.
    pub(crate) fn first_pending(&self) -> Option<u16> {
        let enabled = self.pending.iter().filter(|number| self.is_enabled(*number));
        enabled.min_by_key(|number| (self.priority_of(*number), *number))
    }

    /// The exception that interrupts code of this priority, if there is one.
    pub(crate) fn interrupting(&self, priority: i32) -> Option<u16> {
        self.first_pending().filter(|number| self.grouped(self.priority_of(*number)) < priority)
    }

    /// Whether a fault or supervisor call can be taken at once.
    pub(crate) fn can_take(&self, number: u16, masks: Masks) -> bool {
        self.is_enabled(number) && self.grouped(self.priority_of(number)) < self.execution_priority(masks)
    }
}

/// Name of an exception, for messages.
pub(crate) fn name(number: u16) -> String {
    match number {
        NMI => "NMI".into(),
        HARD_FAULT => "HardFault".into(),
        MEM_MANAGE => "MemManage".into(),
        BUS_FAULT => "BusFault".into(),
        USAGE_FAULT => "UsageFault".into(),
        SV_CALL => "SVCall".into(),
        DEBUG_MONITOR => "DebugMonitor".into(),
        PEND_SV => "PendSV".into(),
        SYS_TICK => "SysTick".into(),
        0..FIRST_IRQ => format!("exception {number}"),
        _ => format!("interrupt {}", number - FIRST_IRQ),
    }
}
