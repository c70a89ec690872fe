//! Hand-worked cases of the semantics, from the operation that the ISA manual gives on each page.

mod alu;
mod control;
mod float;
mod memory;
mod multiply;
mod system;

use super::little_memory::{MEMORY, Memory};
use isa::xtensa::{Access, Direction, Fault, Inst, Op, Outcome, Reg, State, execute, special_register, user_register};

/// Where the instructions stand: at a multiple of 4 and 1, so that the word and the address differ.
const PC: u32 = 0x4000_8001;

/// A new state at [`PC`] with the named values: `a2=1 f3=0x7fc00000 ar20=5 sar=3 pc=0x40000000 ps=0x40000`, set in this order
/// (a register of the window means that of the WINDOWBASE so far).
fn state(text: &str) -> State {
    let mut state = State { pc: PC, ..State::new() };
    set(&mut state, text);
    state
}

fn set(state: &mut State, text: &str) {
    for assignment in text.split_whitespace() {
        let (name, value) = assignment.split_once('=').unwrap();
        let number = match value.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).unwrap(),
            None => value.parse::<i64>().unwrap() as u32,
        };
        let special =
            (0..256).find(|&i| special_register(i, Access::ReadWrite).is_some_and(|(named, _)| named == name));
        let user = (231..237).find(|&i| user_register(i).is_some_and(|(named, _)| named == name));
        let index = |letters: usize| name[letters..].parse::<usize>().unwrap();
        match (special, user) {
            (Some(special), _) => state.special[special as usize] = number,
            (_, Some(user)) => state.user[user as usize - 231] = number,
            _ if name == "pc" => state.pc = number,
            _ if name == "interrupt" => state.special[226] = number,
            _ if name.starts_with("ar") => state.ar[index(2)] = number,
            _ if name.starts_with('a') => state.set_a(index(1) as u8, number),
            _ if name.starts_with('f') => state.f[index(1)] = number,
            _ => panic!("{name} is no part of the state"),
        }
    }
}

/// What a 24-bit instruction makes of a state and new memory.
fn run(inst: Inst, before: &str) -> (State, Memory, Result<Outcome, Fault>) {
    let (mut state, mut memory) = (state(before), Memory::new());
    let result = execute(&mut state, &mut memory, &inst, 3);
    (state, memory, result)
}

/// What differs from: everything but the named changes stays, and PC moves on (unless a change names it).
fn difference(inst: Inst, before: &str, changes: &str) -> Option<String> {
    let mut expected = state(before);
    expected.pc += 3;
    set(&mut expected, changes);
    let (found, memory, result) = run(inst, before);
    let stores = inst.op.row().access.is_some_and(|(direction, _)| direction == Direction::Stores);
    let right = result.is_ok() && found == expected && (stores || memory == Memory::new());
    (!right).then(|| format!("{inst:?} on {before}: {result:?}\n{found:x?}\ninstead of\n{expected:x?}"))
}

fn check(inst: Inst, before: &str, changes: &str) {
    assert_eq!(difference(inst, before, changes), None);
}

/// a4 = a2 op a3, or a3 and a2 where the row has them the other way round, and `imm`.
fn three(op: Op) -> Inst {
    Inst { r: Reg(4), s: Reg(2), t: Reg(3), ..Inst::new(op) }
}

fn imm(op: Op, imm: i64) -> Inst {
    Inst { imm, ..three(op) }
}

#[test]
fn planted_faults_are_found() {
    for (inst, before, wrong) in [
        (three(Op::Add), "a2=1 a3=2", "a4=4"),
        (three(Op::Add), "a2=1 a3=2", "a4=3 sar=1"),
        (three(Op::Add), "a2=1 a3=2", "a4=3 ar63=1"),
        (three(Op::Ssl), "a2=31", "sar=31"),
        (imm(Op::L32i, 0), "a2=0x100", "a3=0x00010203"),
        (imm(Op::L32i, 0), "a2=0x80", "a3=0"),
        (Inst::new(Op::Nop), "lend=0x40008004 lcount=1", "lcount=1"),
        (three(Op::MulAaLl), "a2=-1 a3=1", "acclo=-1"),
    ] {
        assert!(difference(inst, before, wrong).is_some(), "{inst:?} on {before}: {wrong} was not refused");
    }
}
