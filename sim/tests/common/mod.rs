//! Code for the tests, put together from instruction rows.
#![allow(dead_code)]

use isa::thumb::{Cond, Inst, Mode, Op, Reg, Shift, Width, encode};
use sim::cycles::{Core, Memory};
use sim::{Arg, Buffer, Machine, Program, Report, SimError};

/// `op rd, rn, rm`.
pub fn reg(op: Op, d: u8, n: u8, m: u8) -> Inst {
    Inst { d: Reg(d), n: Reg(n), m: Reg(m), ..Inst::new(op) }
}

/// `op rd, rn, #imm`; of a load or store `op rd, [rn, #imm]`.
pub fn imm(op: Op, d: u8, n: u8, imm: i32) -> Inst {
    Inst { d: Reg(d), n: Reg(n), imm, ..Inst::new(op) }
}

/// `op rdlo, rdhi, rn, rm`, or `op rd, rn, rm, ra`.
pub fn four(op: Op, d: u8, a: u8, n: u8, m: u8) -> Inst {
    Inst { a: Reg(a), ..reg(op, d, n, m) }
}

/// `op {list}` or `op rn{!}, {list}`.
pub fn list(op: Op, n: u8, list: u32, mode: Mode) -> Inst {
    Inst { n: Reg(n), list, mode, ..Inst::new(op) }
}

/// `push {list}`.
pub fn push(registers: u32) -> Inst {
    list(Op::Push, 0, registers, Mode::Offset)
}

/// `pop {list}`.
pub fn pop(registers: u32) -> Inst {
    list(Op::Pop, 0, registers, Mode::Offset)
}

/// `bx lr`.
pub fn bx_lr() -> Inst {
    Inst { m: Reg::LR, ..Inst::new(Op::Bx) }
}

/// `b<cond> . + 4 + offset`.
pub fn branch(cond: Cond, offset: i32) -> Inst {
    Inst { cond, imm: offset, ..Inst::new(Op::B) }
}

/// The 32-bit encoding of an instruction.
pub fn wide(inst: Inst) -> Inst {
    Inst { width: Width::Wide, ..inst }
}

/// With the S suffix.
pub fn flags(inst: Inst) -> Inst {
    Inst { set_flags: true, ..inst }
}

/// With a condition, for an IT block.
pub fn when(cond: Cond, inst: Inst) -> Inst {
    Inst { cond, ..inst }
}

/// With the second operand rotated.
pub fn ror(inst: Inst, by: u32) -> Inst {
    Inst { shift: Shift::ror(by), ..inst }
}

/// In another addressing mode.
pub fn mode(mode: Mode, inst: Inst) -> Inst {
    Inst { mode, ..inst }
}

/// Instructions with their lengths.
pub fn lengths(code: &[Inst]) -> Vec<(Inst, u32)> {
    code.iter().map(|inst| (*inst, bytes_of(inst).len() as u32)).collect()
}

fn bytes_of(inst: &Inst) -> Vec<u8> {
    let in_it = inst.cond != Cond::Al && !matches!(inst.op, Op::B | Op::It);
    encode(inst, in_it).unwrap_or_else(|error| panic!("{inst}: {error}")).bytes().collect()
}

/// Machine code.
pub fn assemble(code: &[Inst]) -> Vec<u8> {
    code.iter().flat_map(bytes_of).collect()
}

/// A machine with this code.
pub fn machine(code: &[Inst], core: Core, memory: impl Into<Memory>) -> Machine {
    Machine::new(Program::from_code(&assemble(code), 0x0800_0000), core, memory).unwrap()
}

/// Calls the code with these arguments.
pub fn call(code: &[Inst], core: Core, args: &[Arg]) -> Result<Report, SimError> {
    let mut machine = machine(code, core, Memory::default());
    machine.set_limit(100_000);
    machine.call(args)
}

/// A buffer argument of so many zero bytes.
pub fn zeros(length: usize) -> Arg {
    Buffer::new(vec![0; length]).into()
}

/// A bare executable of these segments, without sections and symbols.
pub fn elf(segments: &[(u32, &[u8])]) -> Vec<u8> {
    let half = |value: u16| value.to_le_bytes();
    let word = |value: u32| value.to_le_bytes();
    let mut bytes = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // Executable, Arm; entry, program headers behind this header, no sections, EABI 5.
    bytes.extend([half(2), half(40)].concat());
    bytes.extend([word(1), word(9), word(52), word(0), word(0x0500_0000)].concat());
    bytes.extend([half(52), half(32), half(segments.len() as u16), half(40), half(0), half(0)].concat());
    let mut offset = 52 + 32 * segments.len() as u32;
    for (base, content) in segments {
        let size = content.len() as u32;
        bytes.extend(
            [word(1), word(offset), word(*base), word(*base), word(size), word(size), word(5), word(4)].concat(),
        );
        offset += size;
    }
    segments.iter().for_each(|(_, content)| bytes.extend(*content));
    bytes
}
