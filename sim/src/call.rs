//! Calls a function as a C caller would, with junk wherever the procedure call standard promises nothing.

use crate::effects;
use crate::error::{Rule, SimError, Violation};
use crate::machine::{Machine, RETURN, Stop};
use crate::memory::{Permissions, Region, SECRET};
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
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Residue {
    /// Core registers, bit i for ri.
    pub core: u16,
    /// FP registers, bit i for si.
    pub fp: u32,
    /// Bytes of stack.
    pub stack_bytes: u32,
}

impl fmt::Display for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = effects::registers(self.core, self.fp);
        let names: Vec<String> = (0..64).filter(|i| set >> i & 1 == 1).map(|i| effects::first_name(1 << i)).collect();
        write!(f, "{} bytes of stack; registers: {}", self.stack_bytes, names.join(", "))
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
    /// r0 after the return.
    pub returns: u32,
    /// Content of each buffer argument after the call, in their order; of [`Arg::Same`] too.
    pub buffers: Vec<Vec<u8>>,
    /// Where secrets are left.
    pub residue: Residue,
    /// Rules that it broke.
    pub violations: Vec<Violation>,
}

/// Stack of a called function.
const STACK_BYTES: u32 = 1 << 20;
/// Its base.
const STACK: u32 = 0x3000_0000;
/// The first buffer's place; each begins at a multiple of it further.
const BUFFERS: u32 = 0x3100_0000;
const SPACING: u32 = 0x10_0000;

/// Registers that a function leaves as they were: r4 to r11 and s16 to s31.
const SAVED: std::ops::Range<usize> = 4..12;
const SAVED_FP: std::ops::Range<usize> = 16..32;

impl Machine {
    /// Calls the program's function and checks what it does against the procedure call standard.
    ///
    /// Memory of the program is as loaded at each call. All registers that are not arguments, and the stack, hold junk.
    ///
    /// # Errors
    ///
    /// If it faults, does not return, reads an argument register that was not given, or if the arguments do not fit. Rules
    /// that it breaks otherwise are in the report.
    pub fn call(&mut self, args: &[Arg]) -> Result<Report, SimError> {
        if self.interrupts.is_some_and(|(_, irq)| irq.is_some()) {
            return Err(SimError::Layout("a called function has no interrupt controller: only firmware has".into()));
        }
        self.memory.system = None;
        self.reload();
        // What is junk differs from call to call, so that code which depends on it (on a flag, for example) shows.
        let mut junk = Junk::new(self.calls);
        self.calls += 1;
        self.prepare_stack(&mut junk)?;
        let (words, places) = self.map_arguments(args)?;
        let sp = STACK + STACK_BYTES - 4 * words.len().saturating_sub(4).next_multiple_of(2) as u32;
        self.start(self.program.entry, sp);
        self.fill_registers(&words, &mut junk, sp);
        let entry = self.state.clone();
        let stop = if self.interrupts.is_some() { self.execute::<true>()? } else { self.execute::<false>()? };
        let number = match stop {
            Stop::Returned(number) => number,
            Stop::Breakpoint(immediate) => return Err(self.here(format!("breakpoint {immediate:#x}"))),
            Stop::Reset | Stop::Asleep | Stop::Text => return Err(self.here("stopped without a system".into())),
        };
        self.check_restored(number, &entry);
        let buffers = places.iter().map(|index| self.memory.regions()[*index].bytes.clone()).collect();
        Ok(Report { buffers, ..self.so_far() })
    }

    /// What a call has done so far, for one that ended in an error; without its buffers.
    pub fn so_far(&mut self) -> Report {
        let low = self.sp_low.min(self.memory.log.stack_low);
        Report {
            cycles: self.cycles(),
            instructions: self.executed(),
            taken_branches: self.taken_branches,
            stack_bytes: self.sp_start.saturating_sub(low),
            returns: self.state.r[0],
            buffers: Vec::new(),
            residue: Residue {
                core: effects::core_registers(self.secret),
                fp: effects::fp_registers(self.secret),
                stack_bytes: self.memory.secret_stack_bytes(),
            },
            violations: std::mem::take(&mut self.violations),
        }
    }

    /// Brings the program's memory back to what was loaded.
    pub(crate) fn reload(&mut self) {
        for (index, segment) in self.program.segments.iter().enumerate() {
            if segment.permissions.write {
                self.memory.region_mut(index).renew(&segment.bytes);
            }
        }
    }

    fn prepare_stack(&mut self, junk: &mut Junk) -> Result<(), SimError> {
        let index = self.program.segments.len();
        if self.memory.regions().len() == index {
            let bytes = vec![0; STACK_BYTES as usize];
            let region = Region::new("the stack", STACK, bytes, Permissions::READ_WRITE);
            self.memory.map(region).map_err(SimError::Layout)?;
            self.memory.set_stack(index);
        }
        self.memory.truncate(index + 1);
        self.memory.renew_stack(|| junk.next());
        Ok(())
    }

    /// Maps the buffers. Returns the words to pass, and the region of each buffer argument.
    fn map_arguments(&mut self, args: &[Arg]) -> Result<(Vec<u32>, Vec<usize>), SimError> {
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
            regions[index] = Some(self.memory.map(region).map_err(refuse)?);
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
            words.push(self.memory.regions()[region].base);
        }
        Ok((words, places))
    }

    /// Arguments in r0 to r3 and on the stack, junk in all other registers.
    fn fill_registers(&mut self, words: &[u32], junk: &mut Junk, sp: u32) {
        self.given = words.len();
        self.undefined = u64::from(u32::MAX) << 32 | 0x1fff;
        for register in self.state.r[..13].iter_mut().chain(&mut self.state.s) {
            *register = junk.next();
        }
        for (register, word) in words.iter().take(4).enumerate() {
            self.state.r[register] = *word;
            self.undefined &= !effects::core(register as u8);
        }
        self.state.r[14] = RETURN | 1;
        let flags = junk.next();
        (self.state.n, self.state.z) = (flags & 1 != 0, flags & 2 != 0);
        (self.state.c, self.state.v) = (flags & 4 != 0, flags & 8 != 0);
        for (index, word) in words.iter().skip(4).enumerate() {
            self.memory.poke(sp + 4 * index as u32, *word);
        }
    }

    /// Callee-saved registers after the return.
    fn check_restored(&mut self, number: u32, entry: &isa::thumb::State) {
        let mut wrong = Vec::new();
        for register in SAVED.chain(13..14) {
            let (before, after) = (entry.r[register], self.state.r[register]);
            let name = if register == 13 { "sp".to_string() } else { format!("r{register}") };
            wrong.push((name, before, after));
        }
        for register in SAVED_FP {
            wrong.push((format!("s{register}"), entry.s[register], self.state.s[register]));
        }
        let wrong = wrong.into_iter().filter(|(_, before, after)| before != after);
        for (name, before, after) in wrong {
            let site = self.site(number);
            let detail = format!("{name} ({before:#010x} at entry, {after:#010x} now)");
            self.violations.push(Violation { rule: Rule::NotRestored, site, detail });
        }
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
