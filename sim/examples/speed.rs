//! Measures how many instructions a second the simulator executes, cycle counting and all checks included:
//! `cargo run --release -p sim --example speed`.

use isa::thumb::{Cond, Inst, Op, Reg, Shift, encode};
use sim::cycles::{Core, Profile};
use sim::{Arg, Buffer, Machine, Program};
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut code = Vec::new();
    for inst in kernel() {
        code.extend(encode(&inst, false)?.bytes());
    }
    let back = Inst { cond: Cond::Ne, imm: -(code.len() as i32) - 4, ..Inst::new(Op::B) };
    for inst in [back, Inst { m: Reg::LR, ..Inst::new(Op::Bx) }] {
        code.extend(encode(&inst, false)?.bytes());
    }
    let mut machine = Machine::new(Program::from_code(&code, 0x0800_0000), Core::M4, Profile::Ideal)?;
    let args: [Arg; 4] = [Buffer::new(vec![0; 64]).into(), 3.into(), 10_000.into(), 1.into()];
    // The best of many short calls: what other programs take of the machine's time does not count.
    let (mut best, mut instructions) = (f64::MAX, 0);
    for _ in 0..500 {
        let start = Instant::now();
        instructions = machine.call(&args)?.instructions;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{:.1} million instructions a second", instructions as f64 / best / 1e6);
    Ok(())
}
