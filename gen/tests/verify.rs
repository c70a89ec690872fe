//! The verifier accepts a plain hand-assembled ChaCha permutation and refuses it with any of the planted faults.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in its helpers")]

use generator::function::{Clobbers, Direction, Function, Interface, Param, ParamType};
use generator::target::{Abi, Shape, Target};
use generator::verify::{VerifyError, verify};
use isa::thumb::{Inst, Op, Reg, Shift, encode};
use kernels::params::chacha::{QUARTER_ROUNDS, ROTATIONS};

/// What is wrong with the function.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// The first rotation is one bit off.
    Rotation,
    /// r4 is not restored.
    ClobbersR4,
    /// s16 is written and not restored.
    ClobbersS16,
    /// A word is fetched from another stack slot than it was put into.
    WrongSlot,
    /// The stack slot is fetched before anything was put there.
    UninitialisedSlot,
    /// The stack slot is put below the stack pointer.
    BelowStack,
    /// The stack pointer is left 8 too low before the registers are restored.
    StackPointer,
    /// A word past the end of `out` is written.
    WritesPastEnd,
    /// `in` is written.
    WritesInput,
    /// A word of `in` is an address.
    SecretAddress,
    /// A word of `in` decides a branch.
    SecretBranch,
    /// A word of `in` is read after it was overwritten, if `out` is the same array.
    NotInPlace,
    /// The function does not end.
    EndlessLoop,
}

/// Writes instructions one after the other.
#[derive(Default)]
struct Assembler(Vec<u8>);

impl Assembler {
    fn push(&mut self, inst: Inst) {
        self.0.extend(encode(&inst, false).unwrap().bytes());
    }

    fn memory(&mut self, op: Op, d: u8, n: Reg, offset: i32) {
        self.push(Inst { d: Reg(d), n, imm: offset, ..Inst::new(op) });
    }

    fn load(&mut self, d: u8, n: u8, word: usize) {
        self.memory(Op::LdrImm, d, Reg(n), 4 * word as i32);
    }

    fn store(&mut self, d: u8, n: u8, word: usize) {
        self.memory(Op::StrImm, d, Reg(n), 4 * word as i32);
    }

    fn alu(&mut self, op: Op, d: u8, n: u8, m: u8) {
        self.push(Inst { d: Reg(d), n: Reg(n), m: Reg(m), ..Inst::new(op) });
    }

    fn stack_pointer(&mut self, op: Op) {
        self.push(Inst { d: Reg::SP, n: Reg::SP, imm: 8, ..Inst::new(op) });
    }

    fn list(&mut self, op: Op, list: u32) {
        self.push(Inst { list, ..Inst::new(op) });
    }
}

/// `out` is r0, `in` is r1; the state is in `out` between the steps of the quarter rounds.
fn code(rounds: u32, fault: Fault) -> Vec<u8> {
    let mut asm = Assembler::default();
    asm.list(Op::Push, 1 << 4 | 1 << 14);
    asm.stack_pointer(Op::SubImm);
    // The first two words go through two slots of the stack.
    asm.load(2, 1, 0);
    asm.load(3, 1, 1);
    asm.memory(Op::StrImm, 2, Reg::SP, if fault == Fault::BelowStack { -8 } else { 0 });
    if fault != Fault::UninitialisedSlot {
        asm.memory(Op::StrImm, 3, Reg::SP, 4);
    }
    plant(&mut asm, fault);
    asm.memory(Op::LdrImm, 2, Reg::SP, if fault == Fault::BelowStack { -8 } else { 0 });
    asm.memory(Op::LdrImm, 3, Reg::SP, if fault == Fault::WrongSlot { 0 } else { 4 });
    if fault == Fault::NotInPlace {
        asm.store(2, 0, 15);
    }
    asm.store(2, 0, 0);
    asm.store(3, 0, 1);
    for word in 2..16 {
        asm.load(2, 1, word);
        asm.store(2, 0, word);
    }
    for [a, b, c, d] in (0..rounds / 2).flat_map(|_| QUARTER_ROUNDS) {
        for ([sum, add, turned], left) in [[a, b, d], [c, d, b], [a, b, d], [c, d, b]].into_iter().zip(ROTATIONS) {
            asm.load(2, 0, sum);
            asm.load(3, 0, add);
            asm.alu(Op::AddReg, 2, 2, 3);
            asm.store(2, 0, sum);
            asm.load(4, 0, turned);
            asm.alu(Op::EorReg, 4, 4, 2);
            let right = if fault == Fault::Rotation && left == 16 { 15 } else { 32 - left };
            asm.push(Inst { d: Reg(4), m: Reg(4), shift: Shift::ror(right), ..Inst::new(Op::RorImm) });
            asm.store(4, 0, turned);
        }
    }
    if fault != Fault::StackPointer {
        asm.stack_pointer(Op::AddImm);
    }
    if fault == Fault::ClobbersR4 {
        asm.list(Op::Pop, 1 << 3 | 1 << 15);
    } else {
        asm.list(Op::Pop, 1 << 4 | 1 << 15);
    }
    asm.0
}

/// The faults that are an instruction more.
fn plant(asm: &mut Assembler, fault: Fault) {
    match fault {
        Fault::ClobbersS16 => asm.push(Inst { d: Reg(16), n: Reg(2), ..Inst::new(Op::VmovSR) }),
        Fault::WritesPastEnd => asm.store(2, 0, 16),
        Fault::WritesInput => asm.store(0, 1, 5),
        Fault::SecretAddress => asm.push(Inst { d: Reg(3), n: Reg(1), m: Reg(2), ..Inst::new(Op::LdrReg) }),
        Fault::SecretBranch => asm.push(Inst { n: Reg(2), imm: 0, ..Inst::new(Op::Cbz) }),
        Fault::EndlessLoop => asm.push(Inst { imm: -4, ..Inst::new(Op::B) }),
        _ => {}
    }
}

fn function(rounds: u32, target: Target, fault: Fault) -> Function {
    let param = |name, direction| Param { name, ty: ParamType::Words(16), direction, secret: true, doc: "" };
    Function {
        symbol: format!("qr_chacha{rounds}_permute_unrolled_{target}"),
        kernel: format!("chacha{rounds}_permute"),
        family: "chacha",
        target,
        abi: Abi::Aapcs,
        shape: Shape::Unrolled,
        interface: Interface {
            summary: "",
            notes: &[],
            params: vec![param("out", Direction::Out), param("in", Direction::In)],
            returns: None,
        },
        lines: Vec::new(),
        literals: Vec::new(),
        code: code(rounds, fault),
        rodata: Vec::new(),
        stack_bytes: 0,
        clobbers: Clobbers::default(),
        residue: "",
        instructions: 0,
        cycles: 0,
        cycles_of: "",
        verified_cases: 0,
    }
}

#[test]
fn a_right_function_is_measured() {
    for target in Target::THUMB {
        for rounds in [2, 8, 20] {
            let verified = verify(&function(rounds, target, Fault::None)).unwrap();
            assert!(verified.cases >= 1000, "{verified:?}");
            assert_eq!(verified.stack_bytes, 16, "two registers and two slots");
            assert_eq!(verified.clobbers.core, 0b1100, "r2 and r3");
            assert_eq!(verified.clobbers.fp, 0);
            let executed = 2 + 8 + 28 + u64::from(rounds) / 2 * 8 * 4 * 8 + 2;
            assert_eq!(verified.instructions, executed);
            assert!(verified.cycles > executed);
        }
    }
}

#[test]
fn every_planted_fault_is_refused() {
    for (fault, expected) in [
        (Fault::Rotation, "out separate from in, state ffffffff"),
        (Fault::ClobbersR4, "r4 (0x"),
        (Fault::ClobbersS16, "s16 (0x"),
        (Fault::WrongSlot, "expected"),
        (Fault::UninitialisedSlot, "reads stack that was never written"),
        (Fault::BelowStack, "reads below the stack pointer"),
        (Fault::StackPointer, "`pop {r4, pc}`"),
        (Fault::WritesPastEnd, "0 bytes past the end of argument 0"),
        (Fault::WritesInput, "which is read-only"),
        (Fault::SecretAddress, "uses a secret as an address: r2"),
        (Fault::SecretBranch, "branches on a secret: r2"),
        (Fault::NotInPlace, "out == in, state"),
        (Fault::EndlessLoop, "endless loop"),
    ] {
        let error = verify(&function(8, Target::M4f, fault)).expect_err(&format!("{fault:?} was accepted"));
        let text = error.to_string();
        assert!(text.starts_with("qr_chacha8_permute_unrolled_m4f: "), "{text}");
        assert!(text.contains(expected), "{fault:?}: {text}");
    }
    // There are no S registers without an FPU.
    let error = verify(&function(8, Target::M4, Fault::ClobbersS16)).expect_err("an FPU instruction was accepted");
    assert!(error.to_string().contains("which M4 does not have"), "{error}");
}

#[test]
fn an_unknown_kernel_is_refused_by_name() {
    for name in ["chacha20", "chacha7_permute", "chacha_permute", "chacha20_mac", "salsa20_permute", "chacha0_block"] {
        let unknown = Function { kernel: name.into(), ..function(2, Target::M3, Fault::None) };
        assert!(matches!(verify(&unknown), Err(VerifyError::UnknownKernel { kernel, .. }) if kernel == name));
    }
}
