//! What a called function is given, and what it did: arguments, memory, reports. How registers are filled is the business of
//! each machine.

use crate::error::{SimError, Violation};
use crate::memory::{Memory, Permissions, Region, SECRET};
use crate::program::Program;
use std::fmt;
use std::ops::Range;

/// An argument, in the order of the C declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A 32-bit value.
    U32(u32),
    /// The address of a buffer of its own.
    Buffer(Buffer),
    /// The address of the same buffer as this argument's, counted from 0.
    Same(usize),
}

/// Memory that is handed to a function: nothing around it is mapped, so that an access beyond it is a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Content before the call; its length is the buffer's.
    pub bytes: Vec<u8>,
    /// Its address is a multiple of this power of two ...
    pub align: u32,
    /// ... plus this.
    pub offset: u32,
    /// Its content is secret.
    pub secret: bool,
    /// Bytes of a secret buffer that are public all the same, such as a block counter.
    pub public: Range<usize>,
    /// The function may write to it.
    pub writable: bool,
}

impl Buffer {
    /// A public, writable buffer, 16-byte aligned.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Buffer {
        Buffer { bytes: bytes.into(), align: 16, offset: 0, secret: false, public: 0..0, writable: true }
    }

    /// Its content is secret.
    pub fn secret(self) -> Buffer {
        Buffer { secret: true, ..self }
    }

    /// The function must not write to it.
    pub fn read_only(self) -> Buffer {
        Buffer { writable: false, ..self }
    }

    /// At an address that is a multiple of `align`, a power of two, plus `offset`.
    pub fn at(self, align: u32, offset: u32) -> Buffer {
        Buffer { align, offset, ..self }
    }
}

impl From<u32> for Arg {
    fn from(value: u32) -> Arg {
        Arg::U32(value)
    }
}

impl From<Buffer> for Arg {
    fn from(buffer: Buffer) -> Arg {
        Arg::Buffer(buffer)
    }
}

/// Where secrets are after a call, apart from buffers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Residue {
    /// Names of registers, as the function itself would write them; those that it cannot name have one in the documentation.
    pub registers: Vec<String>,
    /// Bytes of stack.
    pub stack_bytes: u32,
}

impl fmt::Display for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of stack; registers: {}", self.stack_bytes, self.registers.join(", "))
    }
}

/// What a call did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Cycles from the first instruction through the return, its refill included.
    pub cycles: u64,
    /// Instructions, skipped ones included.
    pub instructions: u64,
    /// Jumps, the return included.
    pub taken_branches: u64,
    /// Bytes of stack below the sp at entry that it wrote to, or lowered sp over.
    pub stack_bytes: u32,
    /// The register that holds a result after the return: r0, or a2 of the function.
    pub returns: u32,
    /// Content of each buffer argument after the call, in their order; of [`Arg::Same`] too.
    pub buffers: Vec<Vec<u8>>,
    /// Where secrets are left.
    pub residue: Residue,
    /// Rules that it broke.
    pub violations: Vec<Violation>,
}

/// Stack of a called function.
pub(crate) const STACK_BYTES: u32 = 1 << 20;
/// Its base.
pub(crate) const STACK: u32 = 0x3000_0000;
/// The first buffer's place; each begins at a multiple of it further.
const BUFFERS: u32 = 0x3100_0000;
const SPACING: u32 = 0x10_0000;

impl Memory {
    /// Maps the program's memory.
    pub(crate) fn of(program: &Program) -> Result<Memory, SimError> {
        let mut memory = Memory::default();
        for segment in &program.segments {
            let region = Region::new(segment.name.as_str(), segment.base, segment.bytes.clone(), segment.permissions);
            memory.map(region).map_err(SimError::Layout)?;
        }
        Ok(memory)
    }

    /// Brings the program's memory back to what was loaded.
    pub(crate) fn reload(&mut self, program: &Program) {
        for (index, segment) in program.segments.iter().enumerate() {
            if segment.permissions.write {
                self.region_mut(index).renew(&segment.bytes);
            }
        }
    }

    /// Maps a stack full of junk behind the program's memory, which it leaves as the only other.
    pub(crate) fn prepare_stack(&mut self, program: &Program, junk: &mut Junk) -> Result<(), SimError> {
        let index = program.segments.len();
        if self.regions().len() == index {
            let bytes = vec![0; STACK_BYTES as usize];
            let region = Region::new("the stack", STACK, bytes, Permissions::READ_WRITE);
            self.map(region).map_err(SimError::Layout)?;
            self.set_stack(index);
        }
        self.truncate(index + 1);
        self.renew_stack(|| junk.next());
        Ok(())
    }

    /// Maps the buffers. Returns the words to pass, and the region of each buffer argument.
    pub(crate) fn map_arguments(&mut self, args: &[Arg]) -> Result<(Vec<u32>, Vec<usize>), SimError> {
        let mut next = BUFFERS;
        let mut regions = vec![None; args.len()];
        for (index, arg) in args.iter().enumerate() {
            let Arg::Buffer(buffer) = arg else { continue };
            let refuse = |why: String| SimError::Argument { index, why };
            if !buffer.align.is_power_of_two() || buffer.align > SPACING {
                return Err(refuse(format!("alignment {} is no power of two up to {SPACING}", buffer.align)));
            }
            if buffer.offset > SPACING {
                return Err(refuse(format!("offset {} is larger than {SPACING}", buffer.offset)));
            }
            let permissions = if buffer.writable { Permissions::READ_WRITE } else { Permissions::READ };
            let base = next + buffer.offset;
            let mut region = Region::new(format!("argument {index}"), base, buffer.bytes.clone(), permissions);
            if buffer.secret {
                region.shadow.fill(SECRET);
                let public = region.shadow.get_mut(buffer.public.clone());
                public.ok_or_else(|| refuse("its public bytes lie beyond its end".into()))?.fill(0);
            }
            let end = u64::from(base) + buffer.bytes.len() as u64 + u64::from(SPACING);
            next = u32::try_from(end.next_multiple_of(SPACING.into())).map_err(|_| refuse("is too large".into()))?;
            regions[index] = Some(self.map(region).map_err(refuse)?);
        }
        let mut places = Vec::new();
        let mut words = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            let same = match arg {
                Arg::U32(value) => {
                    words.push(*value);
                    continue;
                }
                Arg::Buffer(_) => index,
                Arg::Same(other) => *other,
            };
            let why = || SimError::Argument { index, why: format!("argument {same} is no buffer") };
            let region = regions.get(same).copied().flatten().ok_or_else(why)?;
            places.push(region);
            words.push(self.regions()[region].base);
        }
        Ok((words, places))
    }
}

/// Junk that is the same in every run (xorshift64*).
pub(crate) struct Junk(u64);

impl Junk {
    /// Other junk for each number.
    pub(crate) fn new(number: u64) -> Junk {
        Junk(0x243f_6a88_85a3_08d3 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
}
