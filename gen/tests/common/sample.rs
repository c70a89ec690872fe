//! A function made by hand, for tests of what happens to finished functions. It is no kernel: it has one of everything that a
//! listing can have.

use generator::function::{Clobbers, Direction, Function, Interface, Line, Param, ParamType};
use generator::target::{Abi, Shape, Target};
use isa::thumb::{Cond, Inst, Op, Reg, Shift, Width};

fn line(inst: Inst, remark: &str) -> Line {
    Line::Inst { inst: inst.into(), target: None, remark: remark.into() }
}

fn transfer(op: Op, list: u32) -> Inst {
    Inst { width: Width::Narrow, list, ..Inst::new(op) }
}

fn memory(op: Op, d: u8, n: u8) -> Inst {
    Inst { width: Width::Narrow, d: Reg(d), n: Reg(n), ..Inst::new(op) }
}

/// The listing and the bytes that GNU as made of it.
fn body() -> (Vec<Line>, Vec<u8>) {
    let add =
        Inst { width: Width::Wide, d: Reg(4), n: Reg(4), m: Reg(4), shift: Shift::ror(25), ..Inst::new(Op::AddReg) };
    let subs = Inst { set_flags: true, width: Width::Narrow, d: Reg(2), n: Reg(2), imm: 1, ..Inst::new(Op::SubImm) };
    let branch = Inst { cond: Cond::Ne, width: Width::Narrow, imm: -10, ..Inst::new(Op::B) };
    let lines = vec![
        line(transfer(Op::Push, 1 << 4 | 1 << 14), ""),
        Line::CfaOffset(8),
        Line::SavedAt { reg: 4, below_cfa: 8 },
        Line::SavedAt { reg: 14, below_cfa: 4 },
        line(Inst { d: Reg(0), n: Reg(4), ..Inst::new(Op::VmovSR) }, "s0 keeps r4"),
        Line::SavedInFp { reg: 4, s: 0 },
        line(memory(Op::LdrImm, 4, 1), ""),
        Line::Label("again".into()),
        Line::Comment("step".into()),
        line(add, "double, turned"),
        line(subs, ""),
        Line::Inst { inst: branch.into(), target: Some("again".into()), remark: String::new() },
        line(memory(Op::StrImm, 4, 0), ""),
        line(Inst { d: Reg(4), n: Reg(0), ..Inst::new(Op::VmovRS) }, ""),
        Line::Restored(4),
        line(transfer(Op::Pop, 1 << 4 | 1 << 15), ""),
    ];
    let code = vec![
        0x10, 0xb5, 0x00, 0xee, 0x10, 0x4a, 0x0c, 0x68, 0x04, 0xeb, 0x74, 0x64, 0x01, 0x3a, 0xfb, 0xd1, 0x04, 0x60,
        0x10, 0xee, 0x10, 0x4a, 0x10, 0xbd,
    ];
    (lines, code)
}

/// `qr_<kernel>_looped_<target>` with words, bytes, a value, a result and constants at its interface.
pub fn sample(kernel: &str, target: Target) -> Function {
    let (lines, code) = body();
    let param = |name, ty, direction, secret, doc| Param { name, ty, direction, secret, doc };
    let bytes = ParamType::Bytes { length: "len" };
    Function {
        symbol: format!("qr_{kernel}_looped_{target}"),
        kernel: kernel.into(),
        family: "sample",
        target,
        abi: Abi::Aapcs,
        shape: Shape::Looped,
        interface: Interface {
            summary: "A sample for tests",
            notes: &["in and out may be the same array."],
            params: vec![
                param("out", ParamType::Words(16), Direction::Out, true, "the result"),
                param("in", bytes, Direction::In, true, "the message"),
                param("mask", bytes, Direction::In, true, "what is taken from it"),
                param("len", ParamType::Value, Direction::In, false, "bytes of message and mask"),
            ],
            returns: Some("0, or 1 if it did not work"),
        },
        lines,
        literals: Vec::new(),
        code,
        rodata: (0..20).collect(),
        stack_bytes: 8,
        clobbers: Clobbers { core: 0b0100_0000_0000_0100, fp: 1, ..Clobbers::default() },
        residue: "r4's old value stays in s0",
        instructions: 12,
        cycles: 20,
        cycles_of: "one call",
        verified_cases: 1000,
    }
}
