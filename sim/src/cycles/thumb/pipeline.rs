//! The state of fetch, decode and execute between two instructions, and the step over one.

use super::timing::{INDEXED, PC_RELATIVE, TO_PC};
use super::{Core, Kind, Memory, Profile, Timing};

/// Where control went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To the next instruction, the condition having failed.
    Skipped,
    /// To this address.
    Jump(u32),
}

/// What is known of an instruction only when it is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its own address.
    pub address: u32,
    /// The lowest address it loads or stores; only its low two bits and whether it is below 0x2000_0000 (flash) matter.
    pub data: u32,
    /// Where control went.
    pub flow: Flow,
}

impl Event {
    /// An instruction at `address` that goes on to the next, with aligned data in RAM.
    pub const fn at(address: u32) -> Event {
        Event { address, data: RAM, flow: Flow::Next }
    }
}

/// The first address that is not flash.
const RAM: u32 = 0x2000_0000;
/// Cycles from the address phase of a fetch until the word can be decoded.
const FETCH: u64 = 2;
/// Execute cycle of the first instruction. It is not 0 so that [`Pipeline::rebase`] has room for what happened before.
const START: u64 = 64;
/// No word has this number: the next instruction's word is fetched next, whatever it is.
const ANYWHERE: u32 = 1 << 31;
/// Words that are fetched this long before they can be decoded might as well have been fetched earlier: the buffer is full.
const FULL: u64 = 8;

/// The pipeline between two instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    m3: bool,
    profile: Profile,
    wait_states: u8,
    /// log2 of the words in a flash line.
    line_shift: u8,
    /// The word (address / 4) last fetched, and the cycle of its address phase.
    word: u32,
    fetched: u64,
    /// When word w was freed, at index w mod 4. Three words fit, so that w + 3 can be fetched from then on.
    freed: [u64; 4],
    /// Cycles (mod 64) in which no fetch can start.
    blocked: u64,
    /// When the next flash line can be read from, and whether fetching has started anew since the last line.
    line_ready: u64,
    line_new: bool,
    /// When decode is free, and when the previous instruction's last word was freed.
    decode_free: u64,
    release: u64,
    /// When execute is free.
    exec_end: u64,
    /// When the target of the last jump can execute at the earliest.
    refilled: u64,
    /// The write buffer is occupied until then.
    store_busy: u64,
    /// The instruction before; one that was skipped leaves only its size.
    previous: Timing,
    previous_split: bool,
    previous_flash: bool,
}

impl Pipeline {
    /// As after a taken branch to a word-aligned address.
    pub fn new(core: Core, memory: impl Into<Memory>) -> Pipeline {
        let Memory { profile, wait_states } = memory.into();
        let mut pipeline = Pipeline {
            m3: core == Core::M3,
            profile,
            wait_states,
            line_shift: if profile == Profile::Ideal { 1 } else { 2 },
            word: ANYWHERE,
            fetched: 0,
            freed: [0; 4],
            blocked: 0,
            line_ready: 0,
            line_new: true,
            decode_free: 0,
            release: 0,
            exec_end: START,
            refilled: 0,
            store_busy: 0,
            previous: Timing::SKIPPED[1],
            previous_split: false,
            previous_flash: false,
        };
        pipeline.redirect(START - FETCH - 1);
        pipeline
    }

    /// Right after a jump, moves the origin of time so that states which behave alike from here on are equal, and returns by
    /// how much: [`cycles`](Self::cycles) is then counted from there.
    pub(crate) fn rebase(&mut self) -> u64 {
        let moved = self.decode_free.saturating_sub(START);
        let times =
            [&mut self.line_ready, &mut self.fetched, &mut self.exec_end, &mut self.refilled, &mut self.store_busy];
        for time in times {
            *time = time.saturating_sub(moved);
        }
        self.decode_free -= moved;
        self.release = 0;
        if self.store_busy <= self.exec_end {
            self.store_busy = 0;
        }
        if self.wait_states == 0 {
            self.line_ready = 0;
            self.fetched = self.fetched.max(self.decode_free.saturating_sub(FULL));
        }
        moved
    }

    /// Something that is no instruction takes `cycles`; what follows begins as after a jump to a register's value.
    pub(crate) fn interrupted(&mut self, cycles: u64) {
        self.refilled = self.exec_end.max(self.refilled) + cycles;
        // BX executes three cycles before its target.
        let execute = self.refilled.saturating_sub(FETCH + 1).max(START);
        self.exec_end = execute + 1;
        self.decode_free = execute + 1;
        self.redirect(execute);
        (self.previous, self.previous_split, self.previous_flash) = (Timing::SKIPPED[1], false, false);
    }

    /// Cycles so far: see the [module](super) for where the count begins and ends.
    pub fn cycles(&self) -> u64 {
        self.exec_end.max(self.refilled) - START
    }

    /// Fetching starts anew in `cycle`, from wherever the next instruction is.
    fn redirect(&mut self, cycle: u64) {
        self.word = ANYWHERE;
        self.fetched = cycle - 1;
        self.freed = [0; 4];
        self.blocked = 0;
        self.line_ready = cycle + u64::from(self.wait_states);
        self.line_new = true;
    }

    /// Fetches up to `word`, the last one of an instruction whose first is `first`; returns the cycle in which it can be decoded.
    #[inline]
    fn fetch(&mut self, first: u32, word: u32) -> u64 {
        if word.wrapping_sub(self.word) > 2 {
            self.word = first.wrapping_sub(1);
        }
        while self.word != word {
            self.word = self.word.wrapping_add(1);
            let freed = self.freed[(self.word.wrapping_sub(3) & 3) as usize];
            let cycle = (self.fetched + 1).max(freed);
            self.fetched = if self.blocked | u64::from(self.wait_states) == 0 { cycle } else { self.delay(cycle) };
        }
        self.fetched + FETCH
    }

    /// When a fetch that could start in `cycle` starts, given what else the bus does.
    #[cold]
    fn delay(&mut self, cycle: u64) -> u64 {
        let cycle = self.skip_blocked(cycle);
        if self.wait_states == 0 { cycle } else { self.read_line(cycle) }
    }

    /// The first cycle from `cycle` on that is not blocked; forgets the blocked cycles that have passed.
    fn skip_blocked(&mut self, mut cycle: u64) -> u64 {
        let mut passed = self.fetched + 1;
        while passed <= cycle {
            if self.blocked & 1 << (passed & 63) != 0 {
                self.blocked &= !(1 << (passed & 63));
                cycle += u64::from(passed == cycle);
            }
            passed += 1;
        }
        cycle
    }

    /// Delays a fetch until its flash line is there, and starts reading the next line.
    fn read_line(&mut self, cycle: u64) -> u64 {
        let starts_line = self.word & ((1 << self.line_shift) - 1) == 0;
        if !starts_line && !self.line_new {
            return cycle;
        }
        self.line_new = false;
        let cycle = cycle.max(self.line_ready);
        self.line_ready = cycle + 1 + u64::from(self.wait_states);
        cycle
    }

    /// Executes one instruction.
    #[inline]
    pub fn step(&mut self, timing: &Timing, event: &Event) {
        let (first, after) = (event.address >> 2, event.address.wrapping_add(u32::from(timing.size)));
        let finished = after >> 2 != first;
        let ready = self.fetch(first, after.wrapping_sub(1) >> 2);
        let decode = self.decode_free.max(ready);
        let (earliest, occupancy) = match timing.kind {
            Kind::Alu => (self.exec_end, timing.occupancy),
            // Folded: it passes through decode together with the 16-bit instruction before it, in no time.
            Kind::It if self.previous.size == 2 => {
                self.free(finished, first, self.release.max(ready));
                self.previous.size = 0;
                return;
            }
            _ => self.neighbours(timing, event),
        };
        let execute = (decode + 1).max(earliest);
        // A word leaves the buffer in the last decode cycle of the instruction that finishes it, but if that instruction
        // was held in decode the fetch unit sees it a cycle later. SRAM2: a plain store holds the next one likewise.
        let held = decode + 1 < execute || (self.previous.kind == Kind::Store && self.profile == Profile::F407Sram2);
        self.release = execute - u64::from(!held);
        self.free(finished, first, self.release);
        self.decode_free = execute;
        match event.flow {
            Flow::Next => {
                self.exec_end = execute + u64::from(occupancy);
                self.previous = *timing;
                if timing.kind == Kind::Branch || timing.flags & PC_RELATIVE != 0 {
                    // The target that was fetched in vain, or the literal, has cost a fetch.
                    let cycle = if timing.kind == Kind::Branch { decode } else { execute };
                    self.blocked |= 1 << (cycle & 63);
                }
            }
            Flow::Skipped => {
                self.exec_end = execute + 1;
                self.previous = Timing::SKIPPED[usize::from(timing.size == 4)];
                if timing.kind == Kind::Branch {
                    self.blocked |= 1 << (decode & 63);
                }
            }
            Flow::Jump(_) => {
                self.exec_end = execute + u64::from(occupancy);
                self.jump(timing, decode, execute);
            }
        }
    }

    fn free(&mut self, finished: bool, word: u32, cycle: u64) {
        if finished {
            self.freed[(word & 3) as usize] = cycle;
        }
    }

    /// Redirects fetching after a jump.
    fn jump(&mut self, timing: &Timing, decode: u64, execute: u64) {
        let redirect = match timing.kind {
            Kind::Branch => decode,
            // The loaded address is there in the last cycle of the load.
            Kind::Load | Kind::LoadMany | Kind::Table => self.exec_end,
            _ => execute,
        };
        self.redirect(redirect);
        (self.previous, self.previous_split, self.previous_flash) = (Timing::SKIPPED[1], false, false);
        self.decode_free = execute + 1;
        self.refilled = (redirect + FETCH + 1).max(execute + 2);
    }

    /// When an instruction can execute at the earliest, given those before it, and for how long it does.
    fn neighbours(&mut self, timing: &Timing, event: &Event) -> (u64, u8) {
        let previous = self.previous.kind;
        let mut earliest = self.exec_end;
        match timing.kind {
            _ if event.flow == Flow::Skipped => {}
            // A NOP right after a load or a store with register offset takes no time of its own.
            Kind::Nop if matches!(previous, Kind::Load | Kind::StoreReg) => earliest -= 1,
            // FP arithmetic forwards its result only after a cycle.
            Kind::Fp if previous == Kind::Fp && timing.fp_reads & self.previous.fp_writes != 0 => earliest += 1,
            Kind::Load | Kind::LoadMany | Kind::Store | Kind::StoreReg | Kind::StoreMany => {
                return self.access(timing, event);
            }
            Kind::Table => earliest += u64::from(self.address_late(timing)),
            _ => {}
        }
        (earliest, timing.occupancy)
    }

    /// True if a register that forms an address is not ready when execute is free. A result of the ALU is ready only a
    /// cycle after it can be computed with, and likewise a base that a store has moved; a loaded one, and a base that a
    /// load has moved, only prevents the overlap with the next load.
    fn address_late(&self, timing: &Timing) -> bool {
        timing.address & self.previous.writes != 0
            && matches!(self.previous.kind, Kind::Alu | Kind::Store | Kind::StoreReg)
    }

    /// What loads and stores cost: the first cycle in which they can execute, and how many they take.
    fn access(&mut self, timing: &Timing, event: &Event) -> (u64, u8) {
        use Kind::{Load, LoadMany, Store, StoreReg};
        let loads = matches!(timing.kind, Load | LoadMany);
        let split = sub_accesses(timing, event.data);
        let flash = timing.flags & PC_RELATIVE != 0 || event.data < RAM;
        let overlaps = self.overlaps(timing, split, flash);
        let mut earliest = self.exec_end + u64::from(self.address_late(timing)) - u64::from(overlaps);
        let mut occupancy = timing.occupancy;
        // The data phase of a store is still on the bus when a load follows. Not measured for a store with register
        // offset, for which it is charged too. The time in which an address becomes ready passes at once with it.
        if loads && matches!(self.previous.kind, Store | StoreReg) {
            earliest = self.exec_end + 1;
        }
        if self.profile != Profile::Ideal && !flash {
            let (turn, burst) = self.f407_rules(timing, loads, overlaps);
            earliest += turn;
            occupancy += burst;
        }
        earliest = earliest.max(self.store_busy);
        if loads {
            occupancy += split;
        } else {
            // The write buffer hides what a split store takes, unless another access follows.
            self.store_busy = earliest + u64::from(occupancy + split);
        }
        self.previous_split = split != 0;
        self.previous_flash = flash;
        (earliest, occupancy)
    }

    /// True if this load's address phase can coincide with the data phase of the load before it.
    fn overlaps(&self, timing: &Timing, split: u8, flash: bool) -> bool {
        timing.kind == Kind::Load
            && self.previous.kind == Kind::Load
            && self.previous.flags & TO_PC == 0
            // Neither may be split into several accesses; whether hardware overlaps those is not settled.
            && split == 0
            && !self.previous_split
            && timing.address & self.previous.writes == 0
            // M3: only the first load of a chain can be pre- or post-indexed.
            && !(self.m3 && timing.flags & INDEXED != 0)
            // Loads from different memories never overlap; the ideal memory is a single one.
            && (self.profile == Profile::Ideal || flash == self.previous_flash)
    }

    /// The inferred rules of the STM32F407's data bus: a change of direction between neighbours costs a cycle before the
    /// access, and in SRAM2 everything but plain stores and overlapping loads takes a cycle more unless it has paid that.
    fn f407_rules(&self, timing: &Timing, loads: bool, overlaps: bool) -> (u64, u8) {
        use Kind::{Load, LoadMany, Store, StoreMany, StoreReg};
        let plain = matches!(timing.kind, Store | StoreReg);
        let turns = match self.previous.kind {
            Store | StoreReg | StoreMany => loads,
            // LDR;STR is 3 in total, which Arm documents and the ideal memory charges too.
            Load => !loads && !plain,
            LoadMany => !loads,
            _ => false,
        };
        let burst = !turns && self.profile == Profile::F407Sram2 && !plain && !overlaps;
        (u64::from(turns), u8::from(burst))
    }
}

/// Bus accesses beyond the first: a word at 2 mod 4 takes two, at 1 mod 2 three; an unaligned halfword takes two.
fn sub_accesses(timing: &Timing, data: u32) -> u8 {
    match (timing.access(), data & 3) {
        (4, 2) => 1,
        (4, 1 | 3) => 2,
        (2, 1 | 3) => 1,
        _ => 0,
    }
}
