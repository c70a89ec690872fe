//! Code and data to run: from bytes, from an object or archive (which is linked as far as the function needs), or from an
//! executable.

mod elf;
mod link;
mod relocate;
pub(crate) mod xtensa;

use crate::error::Site;
use crate::memory::Permissions;
use crate::thumb::board::Board;
use std::fmt;

/// A piece of memory with its initial content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// What it is, for messages.
    pub name: String,
    /// Address of its first byte.
    pub base: u32,
    /// Its initial content.
    pub bytes: Vec<u8>,
    /// What it may be used for.
    pub permissions: Permissions,
}

/// The family of a program's core, which decides on the machine that runs it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// Thumb-2: Cortex-M3 and Cortex-M4.
    Thumb,
    /// Xtensa: LX6 and LX7.
    Xtensa,
}

impl Family {
    /// The bits of a function symbol that are its address: bit 0 says that code is Thumb.
    const fn code_mask(self) -> u32 {
        match self {
            Family::Thumb => !1,
            Family::Xtensa => !0,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Thumb => "Arm",
            Family::Xtensa => "Xtensa",
        })
    }
}

/// Something that can be called or booted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// All of its memory.
    pub segments: Vec<Segment>,
    /// Address of the function's first instruction (bit 0 clear if it is Thumb code).
    pub entry: u32,
    /// Functions by address, ascending, for messages.
    pub symbols: Vec<(u32, String)>,
}

/// Why a file cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// Not an ELF file or archive, or a damaged one.
    #[error("not a readable ELF object, archive or executable: {0}")]
    Damaged(String),
    /// An ELF file for something else.
    #[error("{0}; expected 32-bit little-endian Arm or Xtensa")]
    WrongMachine(String),
    /// The function is not there.
    #[error("no function named `{symbol}`{}", near(.nearest))]
    MissingSymbol {
        /// What was asked for.
        symbol: String,
        /// The defined name that resembles it most.
        nearest: Option<String>,
    },
    /// The function needs something that no member defines.
    #[error(
        "`{symbol}` is not defined, but {section}+{offset:#x} needs it; link it in, or give the archive that has it"
    )]
    Undefined {
        /// The missing symbol.
        symbol: String,
        /// Section that refers to it.
        section: String,
        /// Offset of the reference.
        offset: u64,
    },
    /// A relocation that this loader does not do.
    #[error("relocation {kind} at {section}+{offset:#x} is not supported; link the file first")]
    Relocation {
        /// Name or number of its type.
        kind: String,
        /// Section that it patches.
        section: String,
        /// Offset in it.
        offset: u64,
    },
    /// A relocation whose value does not fit its field.
    #[error("relocation {kind} at {section}+{offset:#x} is out of range of its target")]
    Range {
        /// Name of its type.
        kind: String,
        /// Section that it patches.
        section: String,
        /// Offset in it.
        offset: u64,
    },
    /// A segment that is in none of the board's memories, or not as a whole.
    #[error("{length} bytes at {address:#010x} are loaded where {board} has no memory: {why}")]
    NoMemory {
        /// Where it is loaded.
        address: u32,
        /// How long it is.
        length: usize,
        /// The board.
        board: String,
        /// Its memories, or the one that is too small and by how much.
        why: String,
    },
    /// A firmware image without vectors.
    #[error("no vector table: {0}")]
    NoVectors(String),
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

impl Program {
    /// Position-independent machine code, entered at its first byte. `base` is a multiple of 4.
    pub fn from_code(code: &[u8], base: u32) -> Program {
        Program {
            segments: vec![Segment {
                name: "code".into(),
                base,
                bytes: code.to_vec(),
                permissions: Permissions::READ_EXECUTE,
            }],
            entry: base,
            symbols: vec![(base, "code".into())],
        }
    }

    /// The family of cores that an object, archive or executable is for.
    ///
    /// # Errors
    ///
    /// If it is none, or for another machine.
    pub fn family(data: &[u8]) -> Result<Family, LoadError> {
        elf::family(data)
    }

    /// The function `symbol` out of an object, an archive or an executable, with the sections that it needs.
    ///
    /// # Errors
    ///
    /// See [`LoadError`].
    pub fn from_elf(data: &[u8], symbol: &str) -> Result<Program, LoadError> {
        elf::function(data, symbol)
    }

    /// A firmware image, entered by its vector table; for Xtensa where QEMU's machine `sim` starts, if the image loads
    /// something there, or else where the file says.
    ///
    /// # Errors
    ///
    /// See [`LoadError`].
    pub fn from_firmware(data: &[u8]) -> Result<Program, LoadError> {
        elf::firmware(data)
    }

    /// A firmware image in the memories of a board. RAM that the image does not load holds junk, as it does after power-on.
    ///
    /// # Errors
    ///
    /// See [`LoadError`].
    pub fn on_board(data: &[u8], board: &Board) -> Result<Program, LoadError> {
        elf::on_board(data, board)
    }

    /// The instruction at an address, for messages.
    pub(crate) fn site(&self, address: u32, text: String) -> Site {
        let function = self.locate(address).map(|(name, offset)| (name.to_string(), offset));
        Site { address, function, text }
    }

    /// The function that an address lies in, with the offset.
    pub fn locate(&self, address: u32) -> Option<(&str, u32)> {
        let index = self.symbols.partition_point(|(start, _)| *start <= address).checked_sub(1)?;
        let (start, name) = &self.symbols[index];
        let same = |s: &&Segment| address.wrapping_sub(s.base) < s.bytes.len() as u32 && *start >= s.base;
        self.segments.iter().find(same).map(|_| (name.as_str(), address - start))
    }
}

/// The candidate with the fewest edits from `name`, if it is at most half of it away.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    candidates
        .map(|candidate| (strsim::levenshtein(name, candidate), candidate))
        .min()
        .filter(|(distance, _)| *distance <= name.len() / 2)
        .map(|(_, candidate)| candidate.to_string())
}
