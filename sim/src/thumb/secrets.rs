//! Secrets of a booted image: what its memory holds is secret, or public again, because the firmware says so, and a secret
//! that decides a branch, an address or an instruction's time ends the run.

use super::effects::{self, FLAGS, IN_BLOCK, Set};
use super::machine::Machine;
use crate::error::{Leak, SimError, Source};
use crate::exit::{Mark, Marked};
use crate::memory::SECRET;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Semihosting operations, in the range that is left to users (0x100 to 0x1ff). r1 is the address of four words: an address, a
/// number of bytes, and address and length of a name. r0 is 0 afterwards, or what was asked for.
pub(super) mod op {
    /// The bytes are public from now on.
    pub const PUBLIC: u32 = 0x150;
    /// The bytes are secret from now on.
    pub const SECRET: u32 = 0x151;
    /// How many of the bytes are secret.
    pub const ASK: u32 = 0x152;
}

/// The longest name.
const MAX_NAME: u32 = 256;

/// Registers that a frame holds, in the order of its words; the address of the next instruction is no secret.
const FRAME: [Set; 8] = [1, 1 << 1, 1 << 2, 1 << 3, 1 << 12, 1 << 14, 0, FLAGS & !IN_BLOCK];

/// What a booted image has said so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// What was made secret, in the order of time.
    sources: Vec<Source>,
    /// Those of the sources that count; all of them if not given.
    only: Option<Range<usize>>,
    /// Calls and bytes of each kind and name.
    tallies: BTreeMap<(Mark, String), (u64, u64)>,
    /// Names of what stays secret though the firmware says that it is public.
    kept: BTreeSet<String>,
}

impl Marks {
    /// Forgets what an earlier run has said.
    pub(crate) fn restart(&mut self) {
        self.sources.clear();
        self.tallies.clear();
    }

    /// All that was said, by kind and name.
    pub(crate) fn said(&self) -> Vec<Marked> {
        let marked = |((mark, name), (calls, bytes)): (&(Mark, String), &(u64, u64))| Marked {
            mark: *mark,
            name: name.clone(),
            calls: *calls,
            bytes: *bytes,
        };
        self.tallies.iter().map(marked).collect()
    }
}

impl Machine {
    /// From now on, what firmware declares public under this name stays secret: that shows who needs it.
    pub fn keep_secret(&mut self, name: impl Into<String>) {
        self.marks.kept.insert(name.into());
    }

    /// Does what a semihosting call about secrets asks for. Gives the answer.
    pub(super) fn semihost_secrets(&mut self, operation: u32, block: u32) -> Result<u32, SimError> {
        let mut words = [0; 4];
        for (index, word) in (0..).zip(&mut words) {
            *word = self.word(block.wrapping_add(4 * index))?;
        }
        let [address, length, name, name_length] = words;
        let name = self.text(name, name_length.min(MAX_NAME))?;
        let name = String::from_utf8_lossy(&name).into_owned();
        if length > 0 && self.memory.find(address, length).is_none() {
            let place = self.memory.describe(address, length);
            return Err(self.here(format!("semihosting: no {length} bytes of `{name}` at {address:#010x}: {place}")));
        }
        if operation == op::ASK {
            return Ok((0..length).filter(|at| self.memory.shadow(address + at, 1) & SECRET != 0).count() as u32);
        }
        let mark = if operation == op::SECRET { Mark::Secret } else { Mark::Public };
        let (calls, bytes) = self.marks.tallies.entry((mark, name.clone())).or_default();
        (*calls, *bytes) = (*calls + 1, *bytes + u64::from(length));
        match mark {
            Mark::Public if self.marks.kept.contains(&name) => {}
            Mark::Public => self.memory.set_shadow(address, length, 0),
            Mark::Secret => {
                let number = self.marks.sources.len();
                let cycle = self.cycles();
                self.marks.sources.push(Source { name, address, length, cycle });
                if self.marks.only.as_ref().is_none_or(|only| only.contains(&number)) {
                    self.memory.set_shadow(address, length, SECRET);
                }
            }
        }
        Ok(0)
    }

    /// A booted image ends where it breaks a rule.
    pub(super) fn leaked(&mut self) -> Result<(), SimError> {
        if self.memory.system.is_none() {
            return Ok(());
        }
        let (cycle, instructions) = (self.cycles(), self.executed());
        let first = self.violations.take().into_iter().next();
        first.map_or(Ok(()), |violation| Err(Leak { violation, cycle, instructions, source: None }.into()))
    }

    /// Finds which of the secrets it was that leaked: each run is like the one before, but for what counts as secret. What
    /// several secrets give, each of them alone would have given.
    pub(super) fn with_source(&mut self, mut leak: Box<Leak>) -> Box<Leak> {
        let sources = std::mem::take(&mut self.marks.sources);
        let mut suspects = 0..sources.len();
        while suspects.len() > 1 {
            let half = suspects.start..suspects.start + suspects.len() / 2;
            self.marks.only = Some(half.clone());
            let again = self.boot_quietly(leak.instructions + 1);
            let same = matches!(again, Err(SimError::Leak(found)) if found.cycle == leak.cycle);
            suspects = if same { half } else { half.end..suspects.end };
        }
        self.marks.only = None;
        leak.source = sources.get(suspects.start).cloned();
        leak
    }

    /// Secrets of registers that were saved in an exception's frame.
    pub(crate) fn mark_frame(&mut self, frame: u32) {
        self.mark_words(frame, &FRAME);
    }

    /// The same for FP registers.
    pub(crate) fn mark_fp_frame(&mut self, place: u32) {
        self.mark_words(place, &fp_frame());
    }

    fn mark_words(&mut self, from: u32, sets: &[Set]) {
        for (index, set) in (0..).zip(sets) {
            if set & self.secret != 0 {
                self.memory.set_shadow(from.wrapping_add(4 * index), 4, SECRET);
            }
        }
    }

    /// What was restored from a frame is as secret as the frame.
    pub(crate) fn unmark_frame(&mut self, frame: u32) {
        self.unmark_words(frame, &FRAME);
    }

    /// The same for FP registers.
    pub(crate) fn unmark_fp_frame(&mut self, place: u32) {
        self.unmark_words(place, &fp_frame());
    }

    fn unmark_words(&mut self, from: u32, sets: &[Set]) {
        for (index, set) in (0..).zip(sets) {
            let secret = self.memory.shadow(from.wrapping_add(4 * index), 4) & SECRET != 0;
            self.secret = self.secret & !set | if secret { *set } else { 0 };
            self.mixed.forget(*set);
        }
    }

    /// The answer to a semihosting call is in r0, and no secret.
    pub(super) fn answer(&mut self, word: u32) {
        self.state.r[0] = word;
        self.secret &= !effects::core(0);
        self.mixed.forget(effects::core(0));
    }

    /// A handler's first instruction finds a link that is no secret.
    pub(crate) fn link_is_public(&mut self) {
        self.secret &= !effects::core(14);
        self.mixed.forget(effects::core(14));
    }
}

/// s0 to s15, and FPSCR.
fn fp_frame() -> [Set; 17] {
    std::array::from_fn(
        |index| if index < 16 { effects::fp(index as u8) } else { effects::flags(isa::thumb::Flags::FP) },
    )
}
