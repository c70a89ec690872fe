//! Measures how many instructions a second the simulator executes, cycle counting and all checks included:
//! `cargo run --release -p sim --example speed`.

use isa::thumb::{Cond, Inst, Op, Reg, Shift, encode};
use sim::cycles::{Core, Profile};
use sim::{Arg, Buffer, Machine, Program, Report, SimError, xtensa};
use std::time::Instant;

/// A loop like a cipher's: additions, rotations, exclusive ors, a load, a store, a multiplication.
fn kernel() -> Vec<Inst> {
    let reg = |op, d, n, m, by| Inst { d: Reg(d), n: Reg(n), m: Reg(m), shift: Shift::ror(by), ..Inst::new(op) };
    let imm = |op, d, n, imm| Inst { d: Reg(d), n: Reg(n), imm, ..Inst::new(op) };
    vec![
        reg(Op::AddReg, 3, 3, 1, 7),
        reg(Op::EorReg, 12, 3, 1, 12),
        imm(Op::LdrImm, 1, 0, 4),
        reg(Op::AddReg, 1, 1, 3, 0),
        imm(Op::StrImm, 1, 0, 8),
        reg(Op::EorReg, 3, 3, 12, 25),
        reg(Op::Mul, 12, 3, 1, 0),
        imm(Op::AddImm, 3, 3, 5),
        Inst { set_flags: true, ..imm(Op::SubImm, 2, 2, 1) },
    ]
}

/// The same for Cortex-M4.
fn thumb() -> Result<Machine, Box<dyn std::error::Error>> {
    let mut code = Vec::new();
    for inst in kernel() {
        code.extend(encode(&inst, false)?.bytes());
    }
    let back = Inst { cond: Cond::Ne, imm: -(code.len() as i32) - 4, ..Inst::new(Op::B) };
    for inst in [back, Inst { m: Reg::LR, ..Inst::new(Op::Bx) }] {
        code.extend(encode(&inst, false)?.bytes());
    }
    Ok(Machine::new(Program::from_code(&code, 0x0800_0000), Core::M4, Profile::Ideal)?)
}

/// Such a loop for LX6.
fn xtensa() -> Result<xtensa::Machine, Box<dyn std::error::Error>> {
    use isa::xtensa::{Inst, Op, Reg, encode};
    let reg = |op, r, s, t| Inst { r: Reg(r), s: Reg(s), t: Reg(t), ..Inst::new(op) };
    let imm = |op, s, t, imm| Inst { s: Reg(s), t: Reg(t), imm, ..Inst::new(op) };
    let code = [
        imm(Op::Entry, 1, 0, 32),
        imm(Op::Ssai, 0, 0, 25),
        imm(Op::Loop, 4, 0, 25),
        reg(Op::Add, 3, 3, 5),
        reg(Op::Src, 3, 3, 3),
        reg(Op::Xor, 5, 3, 5),
        imm(Op::L32i, 2, 6, 4),
        reg(Op::AddN, 6, 6, 3),
        imm(Op::S32i, 2, 6, 8),
        reg(Op::Mull, 7, 3, 6),
        imm(Op::Addi, 3, 3, 5),
        reg(Op::Xor, 3, 3, 7),
        Inst::new(Op::RetwN),
    ];
    let mut bytes = Vec::new();
    for inst in &code {
        bytes.extend(encode(inst)?.bytes());
    }
    Ok(xtensa::Machine::new(Program::from_code(&bytes, 0x4008_0000), xtensa::Core::Lx6, xtensa::Abi::Windowed)?)
}

/// Prints the rate of the fastest of many short calls: what other programs take of the machine's time does not count.
fn measure(name: &str, mut call: impl FnMut() -> Result<Report, SimError>) -> Result<(), SimError> {
    let mut best = 0.0f64;
    for _ in 0..500 {
        let start = Instant::now();
        let instructions = call()?.instructions;
        best = best.max(instructions as f64 / start.elapsed().as_secs_f64());
    }
    println!("{name}: {:.1} million instructions a second", best / 1e6);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let buffer = || Arg::from(Buffer::new(vec![0; 64]));
    let mut m4 = thumb()?;
    measure("Cortex-M4", || m4.call(&[buffer(), 3.into(), 10_000.into(), 1.into()]))?;
    let mut lx6 = xtensa()?;
    measure("Xtensa LX6", || lx6.call(&[buffer(), 3.into(), 10_000.into(), 1.into()]))?;
    Ok(())
}
