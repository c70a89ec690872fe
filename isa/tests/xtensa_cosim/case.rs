//! Cases: a few instructions and a state; an image of many of them; what each leaves behind on either machine.

use isa::xtensa::testing::{Assembly, Image, Segment, run};
use isa::xtensa::{
    Access, Bus, BusFault, Extension, Fault, Inst, Op, Outcome, State, decode, ps, special_register, sr, user_register,
};

use crate::driver::{INPUTS, SCRATCH, SCRATCH_COPY, START, VECTORS, driver, float_words, input_words, result_words};
use crate::target::{EPC2, Target};

/// Where the first case's code stands.
const SLOTS: u32 = 0x8_0000;
/// Random bytes stand from here on, for literals.
const FILLED: u32 = 0x2_0000;
/// The causes of exceptions.
const ILLEGAL: u32 = 0;
const SYSCALL: u32 = 1;
const ALLOCA: u32 = 5;
const DIVISION: u32 = 6;
const UNALIGNED: u32 = 9;
const COPROCESSOR: u32 = 32;

/// A semantics under test.
pub type Semantics = fn(&mut State, &mut Memory, &Inst, u32) -> Result<Outcome, Fault>;

/// The semantics of the crate.
pub fn ours(state: &mut State, memory: &mut Memory, inst: &Inst, length: u32) -> Result<Outcome, Fault> {
    isa::xtensa::execute(state, memory, inst, length)
}

/// The image, which may be read, and the scratch memory.
pub struct Memory<'a> {
    pub target: Target,
    pub image: &'a [u8],
    pub scratch: Vec<u8>,
}

impl Memory<'_> {
    fn scratch(&self, address: u32, size: u32) -> Option<std::ops::Range<usize>> {
        let start = address.checked_sub(self.target.at(SCRATCH))? as usize;
        (start + size as usize <= self.scratch.len()).then_some(start..start + size as usize)
    }
}

impl Bus for Memory<'_> {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let start = address.wrapping_sub(self.target.at(VECTORS)) as usize;
        let bytes = match self.scratch(address, size) {
            Some(range) => self.scratch.get(range),
            None => self.image.get(start..start.wrapping_add(size as usize)),
        };
        let bytes = bytes.ok_or(BusFault::Unmapped)?;
        // These cores do not split accesses.
        if !address.is_multiple_of(size) {
            return Err(BusFault::Permission);
        }
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let range = self.scratch(address, size).ok_or(BusFault::Unmapped)?;
        if !address.is_multiple_of(size) {
            return Err(BusFault::Permission);
        }
        self.scratch[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}

/// A case in an image.
pub struct Case {
    /// The instructions in it, in the order of their addresses.
    pub instructions: Vec<Inst>,
    state: State,
}

impl Case {
    /// The code and the state before it, for messages.
    pub fn text(&self) -> String {
        let code: Vec<String> = self.instructions.iter().map(Inst::to_string).collect();
        let float: Vec<String> = self.state.f.iter().map(|bits| format!("{bits:x}")).collect();
        let window: Vec<String> = (0..16).map(|i| format!("{:x}", self.state.a(i))).collect();
        let special = |number: usize| self.state.special[number];
        format!(
            "{:#x}: {}\n  before: a {} f {}\n  sar {} ps {:x} windowbase {} windowstart {:x} loop {:x} {:x} {} br {:x}",
            self.state.pc,
            code.join("; "),
            window.join(" "),
            float.join(" "),
            special(sr::SAR),
            special(sr::PS),
            special(sr::WINDOWBASE),
            special(sr::WINDOWSTART),
            special(sr::LBEG),
            special(sr::LEND),
            special(sr::LCOUNT),
            special(sr::BR)
        )
    }
}

/// Cases of one target, with their code from [`VECTORS`] on.
pub struct Batch {
    pub target: Target,
    pub cases: Vec<Case>,
    slot: usize,
    scratch: Vec<u8>,
    bytes: Vec<u8>,
    results: Vec<Vec<u8>>,
}

impl Batch {
    /// No case yet; each will have `slot` bytes for its code.
    pub fn new(target: Target, slot: usize, scratch: Vec<u8>, mut filler: impl FnMut() -> u8) -> Batch {
        let mut bytes = vec![0; (SCRATCH_COPY - VECTORS) as usize];
        bytes.extend_from_slice(&scratch);
        assert!(bytes.len() <= (FILLED - VECTORS) as usize, "too much scratch memory");
        bytes.resize((FILLED - VECTORS) as usize, 0);
        bytes.resize_with((SLOTS - VECTORS) as usize, &mut filler);
        let mut batch = Batch { target, cases: Vec::new(), slot, scratch, bytes, results: Vec::new() };
        batch.place_driver();
        batch
    }

    /// Puts the driver for the cases so far, and the vectors, where they belong.
    fn place_driver(&mut self) {
        let driver = driver(&self.target, self.cases.len(), self.scratch.len());
        self.bytes[..driver.len()].copy_from_slice(&driver);
    }

    /// The scratch memory before each case.
    pub fn scratch(&self) -> &[u8] {
        &self.scratch
    }

    /// Where the next case's code begins: at each distance from a multiple of 4 by turns.
    pub fn next_start(&self) -> u32 {
        self.target.at(SLOTS) + (self.cases.len() * self.slot + self.cases.len() % 4) as u32
    }

    /// Adds a case, whose code begins at [`next_start`](Self::next_start); behind it comes SYSCALL.
    pub fn add(&mut self, mut code: Assembly, mut state: State) {
        let start = self.next_start();
        if self.target.registers == HALF {
            // The registers of the window, wherever they are in 64.
            let window: Vec<u32> = (0..16).map(|i| state.a(i)).collect();
            for (i, value) in (0..).zip(window) {
                state.ar[state.place(i) % HALF] = value;
            }
            state.ar.copy_within(..HALF, HALF);
        }
        state.pc = start;
        state.special[EPC2] = start;
        state.special[sr::EPS2] = state.special[sr::PS];
        state.special[sr::VECBASE] = self.target.at(VECTORS);
        state.special[sr::CPENABLE] = self.target.has(Extension::Float).into();
        let offset = (start - self.target.at(VECTORS)) as usize;
        self.bytes.resize(offset, 0);
        code.op(Op::Syscall, 0, 0, 0, 0);
        let instructions = code.instructions().to_vec();
        self.bytes.extend(code.finish());
        assert!(self.bytes.len() - offset + 4 <= self.slot, "a case of {} bytes", self.bytes.len() - offset);
        self.cases.push(Case { instructions, state });
    }

    /// What our semantics leave behind: a result's words, and the scratch memory. `None` if the case leaves its memory.
    fn after(&self, case: &Case, execute: Semantics) -> Option<(Vec<u32>, Vec<u8>)> {
        let mut memory = Memory { target: self.target, image: &self.bytes, scratch: self.scratch.clone() };
        let mut state = case.state.clone();
        let limit = 20_000;
        for _ in 0..limit {
            let start = state.pc.wrapping_sub(self.target.at(VECTORS)) as usize;
            let Ok((inst, length)) = decode(self.bytes.get(start..)?) else {
                panic!("{}\n  went to {:#x}, where no instruction is", case.text(), state.pc)
            };
            let before = state.clone();
            let result = in_file(self.target.registers, &mut state, |state| execute(state, &mut memory, &inst, length));
            let Err(fault) = result else { continue };
            assert_eq!(state, before, "a fault changed the state: {inst}");
            if in_file(self.target.registers, &mut state, |state| state.enter_window_handler(fault)) {
                continue;
            }
            let cause = match fault {
                Fault::Illegal => ILLEGAL,
                Fault::Syscall => SYSCALL,
                Fault::Alloca => ALLOCA,
                Fault::DivideByZero => DIVISION,
                Fault::CoprocessorDisabled(number) => COPROCESSOR + u32::from(number),
                Fault::Unaligned { .. } => UNALIGNED,
                Fault::Bus { .. } => return None,
                other => panic!("{}: {other:?}", case.text()),
            };
            let double = state.special[sr::PS] & ps::EXCM != 0;
            state.special[if double { sr::DEPC } else { sr::EPC1 }] = state.pc;
            state.special[sr::PS] |= ps::EXCM;
            state.special[sr::EXCCAUSE] = cause;
            return Some((self.words(&state, true), memory.scratch));
        }
        panic!("{}\n  did not end", case.text())
    }

    /// The words of an input or result.
    fn words(&self, state: &State, result: bool) -> Vec<u32> {
        let first = 4 * state.special[sr::WINDOWBASE] as usize;
        let mut words: Vec<u32> = (0..self.target.registers).map(|i| state.ar[(first + i) % 64]).collect();
        words.extend(self.target.specials.iter().map(|&number| state.special[number]));
        words.extend(self.target.users.iter().map(|&number| state.user[number as usize - 231]));
        if self.target.has(Extension::Float) {
            words.extend_from_slice(&state.f);
        }
        words.push(state.special[sr::WINDOWBASE]);
        if result {
            words.extend([state.special[sr::PS], state.special[sr::EXCCAUSE]]);
        }
        words
    }

    /// The names of a result's words.
    fn names(&self) -> Vec<String> {
        let special = |&number: &usize| special_register(number as i64, Access::Read).unwrap().0.into();
        let user = |&number: &i64| user_register(number).unwrap().0.into();
        let mut names: Vec<String> = (0..self.target.registers).map(|i| format!("a{i}")).collect();
        names.extend(self.target.specials.iter().map(special));
        names.extend(self.target.users.iter().map(user));
        names.extend((0..float_words(&self.target)).map(|i| format!("f{i}")));
        names.extend(["windowbase", "ps", "exccause"].map(String::from));
        names
    }

    /// Leaves out the cases that access memory beyond what they may, of which there are few, and runs the others on QEMU.
    pub fn run(&mut self) {
        let all = self.cases.len();
        let cases = std::mem::take(&mut self.cases);
        self.cases = cases.into_iter().filter(|case| self.after(case, ours).is_some()).collect();
        assert!(self.cases.len() * 20 > all * 19, "{} of {all} cases leave their memory", all - self.cases.len());
        self.place_driver();
        let inputs = self.cases.iter().flat_map(|case| self.words(&case.state, false));
        let inputs: Vec<u8> = inputs.flat_map(u32::to_le_bytes).collect();
        assert_eq!(inputs.len(), self.cases.len() * input_words(&self.target) * 4);
        let segments = vec![
            Segment { address: self.target.at(VECTORS), bytes: self.bytes.clone() },
            Segment { address: self.target.at(INPUTS), bytes: inputs },
        ];
        let folder = tempfile::tempdir().unwrap();
        let written = run(&Image { start: self.target.at(START), segments }, self.target.cpu, folder.path()).unwrap();
        let size = result_words(&self.target) * 4 + self.scratch.len();
        assert_eq!(written.len(), self.cases.len() * size, "QEMU did not finish all cases");
        self.results = written.chunks(size).map(<[u8]>::to_vec).collect();
    }

    /// What differs between QEMU and a semantics, of all cases.
    pub fn differences(&self, semantics: Semantics) -> Vec<String> {
        let check = |(case, result): (&Case, &Vec<u8>)| {
            let difference = match self.after(case, semantics) {
                None => vec!["leaves its memory".into()],
                Some((words, scratch)) => self.compare(case, &words, &scratch, result),
            };
            (!difference.is_empty()).then(|| format!("{}\n  {}", case.text(), difference.join(", ")))
        };
        self.cases.iter().zip(&self.results).filter_map(check).collect()
    }

    /// Whether the values differ in what is compared. Of FSR, after a conversion to an integer, that is only whether it was
    /// invalid: QEMU scales first, by a multiplication that has flags of its own.
    fn differ(&self, case: &Case, name: &str, ours: u32, theirs: u32) -> bool {
        use Op::{CeilS, FloorS, RoundS, TruncS, UtruncS};
        let converts = |inst: &Inst| matches!(inst.op, CeilS | FloorS | RoundS | TruncS | UtruncS);
        let compared = if name == "fsr" && case.instructions.iter().any(converts) { 0x800 } else { u32::MAX };
        (ours ^ theirs) & compared != 0
    }

    fn compare(&self, case: &Case, words: &[u32], scratch: &[u8], theirs: &[u8]) -> Vec<String> {
        let (registers, memory) = theirs.split_at(4 * words.len());
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let pairs = words.iter().zip(registers.chunks(4).map(word)).enumerate();
        let names = self.names();
        let different = pairs.filter(|(i, (ours, theirs))| self.differ(case, &names[*i], **ours, *theirs));
        let mut all: Vec<String> =
            different.map(|(i, (ours, theirs))| format!("{} {ours:#x}, theirs {theirs:#x}", names[i])).collect();
        if let Some(at) = (0..scratch.len()).find(|&at| scratch[at] != memory[at]) {
            all.push(format!("memory at {at:#x} {:#x}, theirs {:#x}", scratch[at], memory[at]));
        }
        all
    }
}

/// Registers of a small file.
const HALF: usize = 32;

/// Does something to a state as if the file had so many registers. A file of 32 is one of 64 whose halves are the same: each
/// change of one half, or of its bits of WINDOWSTART, is one of the other.
fn in_file<T>(registers: usize, state: &mut State, f: impl FnOnce(&mut State) -> T) -> T {
    if registers == 64 {
        return f(state);
    }
    let start = state.special[sr::WINDOWSTART] & 0xff;
    let both = start | start << 8;
    state.special[sr::WINDOWSTART] = both;
    state.ar.copy_within(..HALF, HALF);
    let before = state.ar;
    let result = f(state);
    let (low, high) = state.ar.split_at_mut(HALF);
    for ((low, high), before) in low.iter_mut().zip(high).zip(before) {
        if *low == before {
            *low = *high;
        }
        *high = *low;
    }
    let changed = state.special[sr::WINDOWSTART] ^ both;
    state.special[sr::WINDOWSTART] = start ^ (changed | changed >> 8) & 0xff;
    state.special[sr::WINDOWBASE] &= 7;
    result
}
