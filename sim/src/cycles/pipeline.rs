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
/// Execute cycle of the first instruction: its word is fetched in cycle 0 and decoded in cycle 2.
const START: u64 = FETCH + 1;

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
    /// When each of the three buffer entries was last freed; the entries are used in turn.
    freed: [u64; 3],
    fetch_slot: u8,
    free_slot: u8,
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
    /// Registers that the last ALU instruction (core) or FP arithmetic (fp) wrote, and when they can be used.
    late: u16,
    late_fp: u32,
    late_until: u64,
    late_fp_until: u64,
    /// The write buffer is occupied until then.
    store_busy: u64,
    previous: Kind,
    previous_flags: u8,
    previous_size: u8,
    previous_unaligned: bool,
    previous_flash: bool,
    previous_writes: u16,
    end: u64,
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
            word: 0,
            fetched: 0,
            freed: [0; 3],
            fetch_slot: 0,
            free_slot: 0,
            blocked: 0,
            line_ready: 0,
            line_new: true,
            decode_free: 0,
            release: 0,
            exec_end: START,
            late: 0,
            late_fp: 0,
            late_until: 0,
            late_fp_until: 0,
            store_busy: 0,
            previous: Kind::Alu,
            previous_flags: 0,
            previous_size: 4,
            previous_unaligned: false,
            previous_flash: false,
            previous_writes: 0,
            end: START,
        };
        pipeline.redirect(0, u32::MAX);
        pipeline
    }

    /// Cycles so far: see the [module](super) for where the count begins and ends.
    pub fn cycles(&self) -> u64 {
        self.end - START
    }

    /// Fetching starts anew in `cycle`, from `target`; `u32::MAX` stands for wherever the next instruction is.
    fn redirect(&mut self, cycle: u64, target: u32) {
        self.word = (target >> 2).wrapping_sub(1);
        self.fetched = cycle.wrapping_sub(1);
        self.freed = [0; 3];
        self.fetch_slot = 0;
        self.free_slot = 0;
        self.blocked = 0;
        self.line_ready = cycle + u64::from(self.wait_states);
        self.line_new = true;
    }

    /// Fetches up to `word`, the last one of an instruction whose first is `first`; returns the cycle in which it can be decoded.
    fn fetch(&mut self, first: u32, word: u32) -> u64 {
        if word.wrapping_sub(self.word) > 2 {
            self.word = first.wrapping_sub(1);
        }
        while self.word != word {
            let free = self.freed[usize::from(self.fetch_slot)];
            self.fetch_slot = if self.fetch_slot == 2 { 0 } else { self.fetch_slot + 1 };
            let mut cycle = self.fetched.wrapping_add(1).max(free);
            if self.blocked != 0 {
                cycle = self.skip_blocked(cycle);
            }
            self.word = self.word.wrapping_add(1);
            if self.wait_states != 0 {
                cycle = self.read_line(cycle);
            }
            self.fetched = cycle;
        }
        self.fetched + FETCH
    }

    /// The first cycle from `cycle` on that is not blocked; forgets the blocked cycles that have passed.
    #[cold]
    fn skip_blocked(&mut self, mut cycle: u64) -> u64 {
        let mut passed = self.fetched.wrapping_add(1);
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
    pub fn step(&mut self, timing: &Timing, event: &Event) {
        let after = event.address.wrapping_add(u32::from(timing.size));
        let (first, finished) = (event.address >> 2, after >> 2 != event.address >> 2);
        let ready = self.fetch(first, after.wrapping_sub(1) >> 2);
        if timing.kind == Kind::It && self.previous_size == 2 {
            // Folded: it passes through decode together with the 16-bit instruction before it, in no time.
            self.free(finished, self.release.max(ready));
            self.previous_size = 0;
            return;
        }
        let decode = self.decode_free.max(ready);
        let memory = self.memory_rules(timing, event);
        let mut execute = (decode + 1).max(memory.earliest);
        if timing.address & self.late != 0 {
            execute = execute.max(self.late_until);
        }
        if timing.fp_reads & self.late_fp != 0 {
            execute = execute.max(self.late_fp_until);
        }
        // A word leaves the buffer in the last decode cycle of the instruction that finishes it, but if that instruction
        // was held in decode the fetch unit sees it a cycle later. SRAM2: a plain store holds the next one likewise.
        let held = decode + 1 < execute || (self.profile == Profile::F407Sram2 && self.previous == Kind::Store);
        self.release = execute - u64::from(!held);
        self.free(finished, self.release);
        self.decode_free = execute;
        let occupancy = if event.flow == Flow::Skipped { 1 } else { timing.occupancy };
        self.exec_end = execute + u64::from(occupancy + memory.extra);
        self.end = self.exec_end;
        self.note(timing, event, execute, &memory);
        self.flow(timing, event, decode, execute);
    }

    fn free(&mut self, finished: bool, cycle: u64) {
        if finished {
            self.freed[usize::from(self.free_slot)] = cycle;
            self.free_slot = if self.free_slot == 2 { 0 } else { self.free_slot + 1 };
        }
    }

    /// Remembers what the next instruction has to know of this one.
    fn note(&mut self, timing: &Timing, event: &Event, execute: u64, memory: &Access) {
        self.late = 0;
        match timing.kind {
            // A result of the ALU can form an address only a cycle after it can be computed with. So can a base that a
            // store has moved; a base that a load has moved only prevents the overlap with the next load.
            Kind::Alu | Kind::Store | Kind::StoreReg => {
                self.late = timing.writes;
                self.late_until = self.exec_end + 1;
            }
            Kind::Fp => {
                self.late_fp = timing.fp_writes;
                self.late_fp_until = self.exec_end + 1;
            }
            _ => {}
        }
        if matches!(timing.kind, Kind::Store | Kind::StoreReg) {
            self.store_busy = self.exec_end + u64::from(memory.sub_accesses);
        }
        if timing.flags & PC_RELATIVE != 0 {
            self.blocked |= 1 << (execute & 63);
        }
        if event.flow == Flow::Skipped {
            self.previous = Kind::Alu;
            self.previous_writes = 0;
            self.late = 0;
        } else {
            self.previous = timing.kind;
            self.previous_writes = timing.writes;
        }
        self.previous_flags = timing.flags;
        self.previous_size = timing.size;
        self.previous_unaligned = memory.sub_accesses != 0;
        self.previous_flash = memory.flash;
    }

    /// Redirects fetching after a jump; a conditional branch that falls through has cost a fetch.
    fn flow(&mut self, timing: &Timing, event: &Event, decode: u64, execute: u64) {
        let Flow::Jump(target) = event.flow else {
            if timing.kind == Kind::Branch {
                self.blocked |= 1 << (decode & 63);
            }
            return;
        };
        let redirect = match timing.kind {
            Kind::Branch => decode,
            // The loaded address is there in the last cycle of the load.
            Kind::Load | Kind::LoadMany | Kind::Table => self.exec_end,
            _ => execute,
        };
        self.redirect(redirect, target);
        self.decode_free = execute + 1;
        self.end = (redirect + FETCH + 1).max(execute + 2);
    }

    /// What the neighbourhood of loads and stores costs.
    fn memory_rules(&self, timing: &Timing, event: &Event) -> Access {
        use Kind::{Load, LoadMany, Nop, Store, StoreMany, StoreReg};
        let mut access = Access { earliest: self.exec_end, extra: 0, sub_accesses: 0, flash: false };
        let (loads, stores) =
            (matches!(timing.kind, Load | LoadMany), matches!(timing.kind, Store | StoreReg | StoreMany));
        if !loads && !stores {
            if timing.kind == Nop && matches!(self.previous, Load | StoreReg) {
                access.earliest -= 1;
            }
            return access;
        }
        if event.flow == Flow::Skipped {
            return access;
        }
        access.flash = timing.flags & PC_RELATIVE != 0 || event.data < RAM;
        access.sub_accesses = sub_accesses(timing, event.data);
        if timing.kind == Load {
            access.extra += access.sub_accesses;
            access.earliest -= u64::from(self.overlaps(timing, &access));
        }
        access.earliest = access.earliest.max(self.store_busy);
        // The data phase of a store is still on the bus when a load follows. Not measured for a store with register
        // offset, for which it is charged too.
        if loads && matches!(self.previous, Store | StoreReg) {
            access.earliest += 1;
        }
        if self.profile != Profile::Ideal && !access.flash {
            self.f407_rules(timing, loads, &mut access);
        }
        access
    }

    /// True if this load's address phase can coincide with the data phase of the load before it.
    fn overlaps(&self, timing: &Timing, access: &Access) -> bool {
        self.previous == Kind::Load
            && self.previous_flags & TO_PC == 0
            // Neither may be split into several accesses; whether hardware overlaps those is not settled.
            && access.sub_accesses == 0
            && !self.previous_unaligned
            && timing.address & self.previous_writes == 0
            // M3: only the first load of a chain can be pre- or post-indexed.
            && !(self.m3 && timing.flags & INDEXED != 0)
            // Loads from different memories never overlap; the ideal memory is a single one.
            && (self.profile == Profile::Ideal || access.flash == self.previous_flash)
    }

    /// The inferred rules of the STM32F407's data bus: a change of direction between neighbours costs a cycle, and in
    /// SRAM2 everything but plain stores and overlapping loads does unless it has paid already.
    fn f407_rules(&self, timing: &Timing, loads: bool, access: &mut Access) {
        use Kind::{Load, LoadMany, Store, StoreMany, StoreReg};
        let after_load = matches!(self.previous, Load | LoadMany);
        let after_store = matches!(self.previous, Store | StoreReg | StoreMany);
        // LDR;STR is 3 in total, which Arm documents and the ideal memory charges too.
        let documented = self.previous == Load && matches!(timing.kind, Store | StoreReg);
        let turns = if loads { after_store } else { after_load && !documented };
        let overlapped = timing.kind == Load && access.earliest < self.exec_end;
        let plain = matches!(timing.kind, Store | StoreReg);
        if turns {
            access.earliest += 1;
        } else if self.profile == Profile::F407Sram2 && !plain && !overlapped {
            access.extra += 1;
        }
    }
}

/// What a load or store costs beside its occupancy.
struct Access {
    /// The first cycle in which it can execute.
    earliest: u64,
    /// Cycles beyond its occupancy.
    extra: u8,
    /// Bus accesses beyond the first that an unaligned address takes.
    sub_accesses: u8,
    flash: bool,
}

/// A word at 2 mod 4 takes two accesses, at 1 mod 2 three; a halfword that crosses a word takes two.
fn sub_accesses(timing: &Timing, data: u32) -> u8 {
    match (timing.access(), data & 3) {
        (4, 2) => 1,
        (4, 1 | 3) => 2,
        (2, 1 | 3) => 1,
        _ => 0,
    }
}
