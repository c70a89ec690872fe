//! The memory image that QEMU runs, and the run itself.

use std::path::Path;
use std::process::Command;

use isa::thumb::State;
use object::{Object, ObjectSection};

/// Where a case's code ends: the driver's `done`.
pub const DONE: u32 = 0x40;
/// Memory that a case may write: address and bytes.
pub const SCRATCH: u32 = 0x2001_0000;
/// Bytes of the scratch memory.
pub const SCRATCH_LEN: usize = 512;
/// Where the first case's code stands.
pub const SLOTS: u32 = 0x1_0000;
/// Bytes between two cases' codes.
pub const SLOT_LEN: u32 = 64;

/// Cells of the driver that are filled in, and the copy of the scratch memory before a case.
const INPUT_CELL: usize = 0xc08;
const END_CELL: usize = 0xc0c;
const SCRATCH_COPY: usize = 0xc40;
/// Random bytes stand from here on, for literals.
const FILLED: usize = 0x2000;
/// Where the cases' states stand, 49 words each: r0-r12, sp, lr, APSR, FPSCR, s0-s30, start of the code.
const INPUTS: usize = 0x10_0000;
const INPUT_WORDS: usize = 49;
/// Words before the scratch memory in a result: as above, with the status in the last.
const RESULT_WORDS: usize = 49;
const RESULT_LEN: usize = RESULT_WORDS * 4 + SCRATCH_LEN;

/// What a case left behind on the other machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// r0-r12, sp, lr, APSR, FPSCR, s0-s30.
    pub words: [u32; 48],
    /// CFSR: 0, or why it faulted.
    pub status: u32,
    pub scratch: Vec<u8>,
}

/// The registers in the order of records.
pub fn words(state: &State) -> [u32; 48] {
    let mut words = [0; 48];
    words[..15].copy_from_slice(&state.r[..15]);
    let flags = [state.n, state.z, state.c, state.v, state.q];
    words[15] = flags.iter().fold(0, |bits, &flag| bits << 1 | u32::from(flag)) << 27 | u32::from(state.ge) << 16;
    words[16] = state.fpscr;
    words[17..].copy_from_slice(&state.s[..31]);
    words
}

/// The names of a record's words, for messages.
pub fn name(word: usize) -> String {
    match word {
        13 => "sp".into(),
        14 => "lr".into(),
        15 => "apsr".into(),
        16 => "fpscr".into(),
        17.. => format!("s{}", word - 17),
        _ => format!("r{word}"),
    }
}

/// Memory from address 0 on.
pub struct Image {
    pub bytes: Vec<u8>,
    cases: usize,
}

impl Image {
    /// The driver, with `filler` as literals and `scratch` as the scratch memory before each case.
    pub fn new(mut filler: impl FnMut() -> u8, scratch: &[u8]) -> Image {
        let mut bytes = assembled(include_str!("driver.s"));
        assert_eq!(bytes.len(), SCRATCH_COPY, "the driver's cells are not where image.rs expects them");
        bytes.extend_from_slice(scratch);
        bytes.resize(FILLED, 0);
        bytes.resize_with(INPUTS, &mut filler);
        Image { bytes, cases: 0 }
    }

    /// Where the next case's code begins: at a multiple of 4, or between two, by turns.
    pub fn next_start(&self) -> u32 {
        SLOTS + self.cases as u32 * SLOT_LEN + (self.cases as u32 % 2) * 2
    }

    /// Adds a case: its code, a branch to the driver after it, and its state.
    pub fn add(&mut self, code: &[u8], state: &State) {
        let start = self.next_start();
        let at = start as usize;
        let branch = branch_wide(start + code.len() as u32, DONE);
        assert!(code.len() + 6 <= SLOT_LEN as usize, "a case of {} bytes does not fit its slot", code.len());
        assert!(start + SLOT_LEN < INPUTS as u32 - 0x2000, "too many cases for one image");
        self.bytes[at..at + code.len()].copy_from_slice(code);
        self.bytes[at + code.len()..at + code.len() + 4].copy_from_slice(&branch);
        let input: Vec<u32> = words(state).into_iter().chain([start | 1]).collect();
        assert_eq!(input.len(), INPUT_WORDS);
        self.bytes.extend(input.iter().flat_map(|word| word.to_le_bytes()));
        self.cases += 1;
    }

    /// Makes a case do nothing.
    pub fn disable(&mut self, case: usize) {
        let at = INPUTS + (case + 1) * INPUT_WORDS * 4 - 4;
        self.bytes[at..at + 4].copy_from_slice(&(DONE | 1).to_le_bytes());
    }

    /// What QEMU's Cortex-M4 makes of the cases.
    pub fn run(&mut self) -> Vec<Record> {
        let end = INPUTS + self.cases * INPUT_WORDS * 4;
        self.bytes[INPUT_CELL..INPUT_CELL + 4].copy_from_slice(&(INPUTS as u32).to_le_bytes());
        self.bytes[END_CELL..END_CELL + 4].copy_from_slice(&(end as u32).to_le_bytes());
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("image.bin"), &self.bytes).unwrap();
        emulate(folder.path());
        let results = std::fs::read(folder.path().join("results")).expect("QEMU wrote no results");
        assert_eq!(results.len(), self.cases * RESULT_LEN, "QEMU did not finish all cases");
        results.chunks(RESULT_LEN).map(record).collect()
    }
}

fn record(bytes: &[u8]) -> Record {
    let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap());
    Record {
        words: std::array::from_fn(word),
        status: word(RESULT_WORDS - 1),
        scratch: bytes[RESULT_WORDS * 4..].to_vec(),
    }
}

fn emulate(folder: &Path) {
    let output = Command::new("timeout")
        .args(["60", "qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "null"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel", "image.bin"])
        .current_dir(folder)
        .output()
        .expect("qemu-system-arm is needed: run `cargo xtask setup`");
    assert!(output.status.success(), "QEMU failed: {}", String::from_utf8_lossy(&output.stderr));
}

/// The bytes of a source that needs no linking.
fn assembled(source: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("driver.s"), source).unwrap();
    let status = Command::new("arm-none-eabi-as")
        .args(["driver.s", "-o", "driver.o"])
        .current_dir(folder.path())
        .status()
        .expect("arm-none-eabi-as is needed: run `cargo xtask setup`");
    assert!(status.success());
    let file = std::fs::read(folder.path().join("driver.o")).unwrap();
    let object = object::File::parse(&*file).unwrap();
    let text = object.section_by_name(".text").unwrap();
    assert_eq!(text.relocations().count(), 0, "the driver must not need linking");
    text.data().unwrap().to_vec()
}

/// `b.w` (encoding T4).
fn branch_wide(from: u32, to: u32) -> [u8; 4] {
    let offset = to.wrapping_sub(from + 4);
    let (sign, bit23, bit22) = (offset >> 24 & 1, offset >> 23 & 1, offset >> 22 & 1);
    let first = 0xf000 | sign << 10 | offset >> 12 & 0x3ff;
    let second = 0x9000 | (bit23 ^ sign ^ 1) << 13 | (bit22 ^ sign ^ 1) << 11 | offset >> 1 & 0x7ff;
    let [a, b] = (first as u16).to_le_bytes();
    let [c, d] = (second as u16).to_le_bytes();
    [a, b, c, d]
}
