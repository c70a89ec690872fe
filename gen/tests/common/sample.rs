//! A function made by hand, for tests of what happens to finished functions. It is no kernel: it has one of everything that a
//! listing can have.

use generator::function::{Clobbers, Direction, Function, Interface, Line, Param, ParamType, Returned, symbol};
use generator::target::{Abi, Shape, Target};
use isa::thumb::{Cond, Inst, Op, Reg, Shift, Width};
use isa::xtensa::States;

fn line(inst: impl Into<generator::function::Inst>, remark: &str) -> Line {
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

/// Instructions of the sample for Xtensa.
mod xtensa {
    use super::*;
    use isa::xtensa::{Inst, Op, Reg};

    /// What L32R loads.
    pub const LITERALS: [u32; 2] = [0x1234_5678, 0xfedc_ba98];

    fn of(op: Op, [r, s, t]: [u8; 3], imm: i64) -> Line {
        line(Inst { r: Reg(r), s: Reg(s), t: Reg(t), imm, ..Inst::new(op) }, "")
    }

    fn remarked(mut line: Line, text: &str) -> Line {
        if let Line::Inst { remark, .. } = &mut line {
            *remark = text.into();
        }
        line
    }

    fn to(mut line: Line, label: &str) -> Line {
        if let Line::Inst { target, .. } = &mut line {
            *target = Some(label.into());
        }
        line
    }

    /// Both literals, a loop, an exchange with MAC16, and long forms where short ones would do. The bytes are LLVM's.
    pub fn windowed() -> (Vec<Line>, Vec<u8>) {
        let lines = vec![
            of(Op::Entry, [0, 1, 0], 48),
            of(Op::L32r, [0, 0, 8], -12),
            of(Op::L32r, [0, 0, 6], -12),
            of(Op::Ssai, [0; 3], 16),
            of(Op::L32iN, [0, 3, 7], 0),
            of(Op::S32iN, [0, 1, 7], 0),
            to(of(Op::Loop, [0, 5, 0], 11), "end"),
            Line::Comment("step".into()),
            of(Op::Add, [7, 7, 8], 0),
            remarked(of(Op::Src, [7, 7, 7], 0), "turned by 16"),
            of(Op::Xsr, [0, 0, 7], 32),
            of(Op::Xor, [7, 7, 6], 0),
            Line::Label("end".into()),
            of(Op::L32i, [0, 1, 8], 0),
            of(Op::S32iN, [0, 2, 7], 0),
            of(Op::Wfr, [0, 8, 0], 0),
            of(Op::MoviN, [0, 2, 0], 0),
            of(Op::RetwN, [0; 3], 0),
        ];
        let code = vec![
            0x36, 0x61, 0x00, 0x81, 0xfd, 0xff, 0x61, 0xfd, 0xff, 0x10, 0x40, 0x40, 0x78, 0x03, 0x79, 0x01, 0x76, 0x85,
            0x0b, 0x80, 0x77, 0x80, 0x70, 0x77, 0x81, 0x70, 0x20, 0x61, 0x60, 0x77, 0x30, 0x82, 0x21, 0x00, 0x79, 0x02,
            0x50, 0x08, 0xfa, 0x0c, 0x02, 0x1d, 0xf0,
        ];
        (lines, code)
    }

    /// A frame with a saved register, a literal, a branch, and long forms where short ones would do; nothing that the cores of
    /// other makers lack. The bytes are LLVM's.
    pub fn call0() -> (Vec<Line>, Vec<u8>) {
        let lines = vec![
            of(Op::Addi, [0, 1, 1], -16),
            Line::CfaOffset(16),
            of(Op::S32iN, [0, 1, 12], 12),
            Line::SavedAt { reg: 12, below_cfa: 4 },
            of(Op::L32r, [0, 0, 12], -12),
            of(Op::Ssai, [0; 3], 16),
            Line::Label("again".into()),
            Line::Comment("step".into()),
            of(Op::L32iN, [0, 3, 6], 0),
            of(Op::Add, [6, 6, 12], 0),
            remarked(of(Op::Src, [6, 6, 6], 0), "turned by 16"),
            of(Op::AddiN, [5, 5, 0], -1),
            to(of(Op::Bnez, [0, 5, 0], -14), "again"),
            of(Op::S32iN, [0, 2, 6], 0),
            of(Op::L32iN, [0, 1, 12], 12),
            Line::Restored(12),
            of(Op::Addi, [0, 1, 1], 16),
            Line::CfaOffset(0),
            of(Op::MoviN, [0, 2, 0], 0),
            of(Op::RetN, [0; 3], 0),
        ];
        let code = vec![
            0x12, 0xc1, 0xf0, 0xc9, 0x31, 0xc1, 0xfd, 0xff, 0x10, 0x40, 0x40, 0x68, 0x03, 0xc0, 0x66, 0x80, 0x60, 0x66,
            0x81, 0x0b, 0x55, 0x56, 0x25, 0xff, 0x69, 0x02, 0xc8, 0x31, 0x12, 0xc1, 0x10, 0x0c, 0x02, 0x0d, 0xf0,
        ];
        (lines, code)
    }
}

/// `qr_<kernel>_looped_<target>` with words, bytes, a value, a result and constants at its interface.
pub fn sample(kernel: &str, target: Target, abi: Abi) -> Function {
    let (lines, code) = match abi {
        Abi::Aapcs => body(),
        Abi::Windowed => xtensa::windowed(),
        Abi::Call0 => xtensa::call0(),
    };
    let (stack_bytes, residue) = match abi {
        Abi::Aapcs => (8, "r4's old value stays in s0"),
        Abi::Windowed => (48, "a word of the message stays in m0"),
        Abi::Call0 => (16, "a word of the message stays in a6"),
    };
    let clobbers = match abi {
        Abi::Aapcs => Clobbers { core: 0b0100_0000_0000_0100, fp: 1, ..Clobbers::default() },
        Abi::Windowed => Clobbers { fp: 1, mac: 1, states: States::SAR | States::LOOP, ..Clobbers::default() },
        Abi::Call0 => Clobbers { core: 0b0110_0100, states: States::SAR, ..Clobbers::default() },
    };
    let param = |name, ty, direction, secret, doc| Param { name, ty, direction, secret, doc };
    let bytes = ParamType::Bytes { length: "len" };
    Function {
        symbol: symbol(kernel, Shape::Looped, target, abi),
        kernel: kernel.into(),
        family: "sample",
        target,
        abi,
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
            returns: Some(Returned::Refusal("0, or 1 if it did not work")),
        },
        lines,
        literals: if abi == Abi::Aapcs { Vec::new() } else { xtensa::LITERALS.into() },
        code,
        rodata: (0..20).collect(),
        stack_bytes,
        clobbers,
        residue,
        instructions: 12,
        cycles: 20,
        cycles_of: "one call",
        verified_cases: 1000,
    }
}
