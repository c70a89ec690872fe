//! The verifier accepts a plain hand-assembled ChaCha permutation for Xtensa and refuses it with any of the planted faults.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in its helpers")]

use generator::function::{Clobbers, Direction, Function, Interface, NOTHING_STAYS, Param, ParamType, symbol};
use generator::target::{Abi, Shape, Target};
use generator::verify::{verify, verify_interrupted};
use isa::xtensa::{Inst, Op, Reg, States, encode};
use kernels::params::chacha::{QUARTER_ROUNDS, ROTATIONS};

/// What is wrong with the function.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// SAR is not set for the first rotation.
    ShiftAmount,
    /// The first rotation is one bit off.
    Rotation,
    /// The loop is left with repetitions to come.
    LoopLeft,
    /// The literal is one word below the section.
    Literal,
    /// A word is fetched from another stack slot than it was put into.
    WrongSlot,
    /// The stack slot is fetched before anything was put there.
    UninitialisedSlot,
    /// A word is put below the stack pointer, where handlers of window exceptions or interrupts put theirs.
    BelowStack,
    /// a12 is not restored; with windows it is a register like any other.
    SavedRegister,
    /// The stack pointer is not restored; with windows it is the window that is not moved.
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
    /// A word of `in` stays in m0, which is no fault of a function that does not promise otherwise.
    SecretInMac,
}

/// What the loop runs so often.
const COPIED: u32 = 14;
const SP: u8 = 1;
const OUT: u8 = 2;
const IN: u8 = 3;

/// Writes instructions one after the other.
struct Assembler(Vec<u8>);

impl Assembler {
    fn push(&mut self, op: Op, [r, s, t]: [u8; 3], imm: i64) {
        let inst = Inst { r: Reg(r), s: Reg(s), t: Reg(t), imm, ..Inst::new(op) };
        self.0.extend(encode(&inst).unwrap().bytes());
    }

    fn load(&mut self, t: u8, base: u8, word: usize) {
        self.push(Op::L32i, [0, base, t], 4 * word as i64);
    }

    fn store(&mut self, t: u8, base: u8, word: usize) {
        self.push(Op::S32i, [0, base, t], 4 * word as i64);
    }

    fn add(&mut self, t: u8, s: u8, imm: i64) {
        self.push(Op::Addi, [0, s, t], imm);
    }

    /// A literal's place counts from the next word.
    fn literal(&mut self, t: u8, fault: Fault) {
        let place = if fault == Fault::Literal { -8 } else { -4 };
        let origin = self.0.len().next_multiple_of(4) as i64;
        self.push(Op::L32r, [0, 0, t], place - origin);
    }
}

/// The state is in `out` between the steps of the quarter rounds.
fn code(rounds: u32, abi: Abi, fault: Fault) -> Vec<u8> {
    let mut asm = Assembler(Vec::new());
    if abi == Abi::Windowed {
        asm.push(Op::Entry, [0, SP, 0], 48);
    } else {
        asm.add(SP, SP, -32);
        asm.store(12, SP, 4);
    }
    // The first two words go through two slots of the stack.
    asm.load(4, IN, 0);
    asm.load(5, IN, 1);
    asm.store(4, SP, 0);
    if fault != Fault::UninitialisedSlot {
        asm.store(5, SP, 1);
    }
    plant(&mut asm, fault);
    asm.load(4, SP, 0);
    asm.load(5, SP, if fault == Fault::WrongSlot { 0 } else { 1 });
    if fault == Fault::NotInPlace {
        asm.store(4, OUT, 15);
    }
    asm.store(4, OUT, 0);
    asm.store(5, OUT, 1);
    asm.literal(6, fault);
    asm.add(7, IN, 8);
    asm.add(8, OUT, 8);
    // The loop ends 4 instructions after its own 3 bytes.
    asm.push(Op::Loop, [0, 6, 0], 12 - 1);
    asm.load(4, 7, 0);
    asm.store(4, 8, 0);
    asm.add(7, 7, 4);
    asm.add(8, 8, 4);
    for [a, b, c, d] in (0..rounds / 2).flat_map(|_| QUARTER_ROUNDS) {
        for ([sum, add, turned], left) in [[a, b, d], [c, d, b], [a, b, d], [c, d, b]].into_iter().zip(ROTATIONS) {
            asm.load(4, OUT, sum);
            asm.load(5, OUT, add);
            asm.push(Op::Add, [4, 4, 5], 0);
            asm.store(4, OUT, sum);
            asm.load(12, OUT, turned);
            asm.push(Op::Xor, [12, 12, 4], 0);
            let right = if fault == Fault::Rotation && left == 16 { 15 } else { 32 - left };
            if fault != Fault::ShiftAmount || left != 16 {
                asm.push(Op::Ssai, [0; 3], right.into());
            }
            asm.push(Op::Src, [12, 12, 12], 0);
            asm.store(12, OUT, turned);
        }
    }
    if fault == Fault::LoopLeft {
        asm.push(Op::Wsr, [0, 0, 6], 2);
    }
    if abi == Abi::Windowed {
        asm.push(if fault == Fault::StackPointer { Op::Ret } else { Op::Retw }, [0; 3], 0);
    } else {
        asm.load(12, SP, if fault == Fault::SavedRegister { 0 } else { 4 });
        asm.add(SP, SP, if fault == Fault::StackPointer { 16 } else { 32 });
        asm.push(Op::Ret, [0; 3], 0);
    }
    asm.0
}

/// The faults that are an instruction or two more.
fn plant(asm: &mut Assembler, fault: Fault) {
    match fault {
        Fault::BelowStack => {
            asm.add(6, SP, -16);
            asm.store(4, 6, 0);
            asm.load(4, 6, 0);
            asm.store(4, SP, 0);
        }
        Fault::WritesPastEnd => asm.store(4, OUT, 16),
        Fault::WritesInput => asm.store(OUT, IN, 5),
        Fault::SecretAddress => {
            asm.push(Op::Add, [6, IN, 4], 0);
            asm.load(6, 6, 0);
        }
        Fault::SecretBranch => asm.push(Op::Beqz, [0, 4, 0], -1),
        Fault::SecretInMac => asm.push(Op::Wsr, [0, 0, 4], 32),
        Fault::EndlessLoop => asm.push(Op::J, [0; 3], -4),
        _ => {}
    }
}

fn function(rounds: u32, target: Target, abi: Abi, fault: Fault) -> Function {
    let param = |name, direction| Param { name, ty: ParamType::Words(16), direction, secret: true, doc: "" };
    let kernel = format!("chacha{rounds}_permute");
    Function {
        symbol: symbol(&kernel, Shape::Unrolled, target, abi),
        kernel,
        family: "chacha",
        target,
        abi,
        shape: Shape::Unrolled,
        interface: Interface {
            summary: "",
            notes: &[],
            params: vec![param("out", Direction::Out), param("in", Direction::In)],
            returns: None,
        },
        lines: Vec::new(),
        literals: vec![COPIED],
        code: code(rounds, abi, fault),
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

fn cores() -> impl Iterator<Item = (Target, Abi)> {
    Target::XTENSA.into_iter().flat_map(|target| target.abis().iter().map(move |&abi| (target, abi)))
}

#[test]
fn a_right_function_is_measured() {
    for (target, abi) in cores() {
        for rounds in [2, 8] {
            let right = function(rounds, target, abi, Fault::None);
            let verified = verify(&right).unwrap();
            assert!(verified.cases >= 1000, "{verified:?}");
            let (stack, core, around) = match abi {
                Abi::Call0 => (32, 0b0001_1111_0000, 5),
                _ => (48, 0, 2),
            };
            assert_eq!((verified.stack_bytes, verified.clobbers.core), (stack, core), "{target} {abi}");
            assert_eq!(verified.clobbers.states, States::SAR | States::LOOP);
            assert_eq!((verified.clobbers.fp, verified.clobbers.mac), (0, 0));
            let executed = around + 8 + 4 + 4 * u64::from(COPIED) + u64::from(rounds) / 2 * 8 * 4 * 9;
            assert_eq!(verified.instructions, executed);
            assert!(verified.cycles > executed);
            let interrupted = verify_interrupted(&right, 50, 1).unwrap();
            assert_eq!((interrupted.cases, interrupted.stack_bytes), (verified.cases, verified.stack_bytes));
        }
    }
}

fn check(abi: Abi, fault: Fault, expected: &str) {
    let error = verify(&function(8, Target::Esp32, abi, fault)).expect_err(&format!("{abi}: {fault:?} was accepted"));
    let text = error.to_string();
    assert!(text.starts_with(&symbol("chacha8_permute", Shape::Unrolled, Target::Esp32, abi)), "{text}");
    assert!(text.contains(expected), "{abi}, {fault:?}: {text}");
}

#[test]
fn every_planted_fault_is_refused() {
    for abi in [Abi::Windowed, Abi::Call0] {
        check(abi, Fault::ShiftAmount, "uses a register that was never written: SAR");
        check(abi, Fault::Rotation, "out separate from in, state ffffffff");
        check(abi, Fault::LoopLeft, "LCOUNT is 0xe");
        check(abi, Fault::Literal, "4 bytes before code");
        check(abi, Fault::WrongSlot, "expected");
        check(abi, Fault::UninitialisedSlot, "reads stack that was never written");
        check(abi, Fault::WritesPastEnd, "0 bytes past the end of argument 0");
        check(abi, Fault::WritesInput, "which is read-only");
        check(abi, Fault::SecretAddress, "uses a secret as an address: a6");
        check(abi, Fault::SecretBranch, "branches on a secret: a4");
        check(abi, Fault::NotInPlace, "out == in, state");
        check(abi, Fault::EndlessLoop, "endless loop");
    }
    check(Abi::Windowed, Fault::BelowStack, "writes to where registers of a window are saved");
    check(Abi::Windowed, Fault::StackPointer, "is no place for code");
    check(Abi::Call0, Fault::BelowStack, "reads below the stack pointer");
    check(Abi::Call0, Fault::StackPointer, "sp (0x");
    check(Abi::Call0, Fault::SavedRegister, "a12 (0x");
}

#[test]
fn secrets_left_behind_are_refused_and_named() {
    for (target, abi) in cores() {
        let leaves = function(2, target, abi, Fault::SecretInMac);
        verify(&leaves).unwrap();
        let promising = Function { residue: NOTHING_STAYS, ..leaves };
        let text = verify(&promising).unwrap_err().to_string();
        // The words that the code computes with, and m0. The first state is secret, though it is zero.
        let (stack, registers) = text.rsplit_once("bytes of stack; registers: ").unwrap();
        assert!(stack.ends_with("leaves secrets behind: 8 "), "{text}");
        let named: Vec<&str> = registers.split(", ").collect();
        assert!(named.contains(&"a4") && named.contains(&"m0") && !named.contains(&"a2"), "{text}");
    }
}
