//! Hand-worked cases of the semantics, from the operation that the ISA manual gives on each page.

use isa::xtensa::{
    Access, Bus, BusFault, Fault, Inst, Op, Outcome, Reg, State, execute, special_register, user_register,
};

/// 64 bytes of memory at address 0x100; byte i holds i.
#[derive(PartialEq, Debug)]
struct Memory([u8; 64]);

const MEMORY: u32 = 0x100;
/// Where the instructions stand: at a multiple of 4 and 1, so that the word and the address differ.
const PC: u32 = 0x4000_8001;

impl Memory {
    fn new() -> Memory {
        Memory(std::array::from_fn(|i| i as u8))
    }

    fn range(&self, address: u32, size: u32) -> Result<std::ops::Range<usize>, BusFault> {
        let start = address.wrapping_sub(MEMORY) as usize;
        if start < 64 && start + size as usize <= 64 {
            Ok(start..start + size as usize)
        } else {
            Err(BusFault::Unmapped)
        }
    }
}

impl Bus for Memory {
    fn read(&mut self, address: u32, size: u32) -> Result<u32, BusFault> {
        let range = self.range(address, size)?;
        Ok(self.0[range].iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(&mut self, address: u32, size: u32, value: u32) -> Result<(), BusFault> {
        let range = self.range(address, size)?;
        self.0[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}

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

/// Everything but the named changes must stay, and PC must have moved on (unless a change names it).
fn check(inst: Inst, before: &str, changes: &str) {
    let mut expected = state(before);
    expected.pc += 3;
    set(&mut expected, changes);
    let (found, memory, result) = run(inst, before);
    assert!(result.is_ok(), "{inst:?} on {before}: {result:?}");
    assert_eq!(found, expected, "{inst:?} on {before}");
    assert!(inst.op.row().access.is_some() || memory == Memory::new(), "{inst:?} on {before}: memory");
}

/// a4 = a2 op a3, or a3 and a2 where the row has them the other way round, and `imm`.
fn three(op: Op) -> Inst {
    Inst { r: Reg(4), s: Reg(2), t: Reg(3), ..Inst::new(op) }
}

fn imm(op: Op, imm: i64) -> Inst {
    Inst { imm, ..three(op) }
}

#[test]
fn arithmetic_wraps_round() {
    for (op, before, changes) in [
        (Op::Add, "a2=0xffffffff a3=2", "a4=1"),
        (Op::AddN, "a2=0x7fffffff a3=1", "a4=0x80000000"),
        (Op::Addx2, "a2=0x80000001 a3=5", "a4=7"),
        (Op::Addx4, "a2=0x40000001 a3=5", "a4=9"),
        (Op::Addx8, "a2=0x20000001 a3=5", "a4=13"),
        (Op::Sub, "a2=0 a3=1", "a4=-1"),
        (Op::Subx2, "a2=3 a3=7", "a4=-1"),
        (Op::Subx4, "a2=3 a3=7", "a4=5"),
        (Op::Subx8, "a2=3 a3=7", "a4=17"),
        (Op::Neg, "a3=0x80000000", "a4=0x80000000"),
        (Op::Neg, "a3=1", "a4=-1"),
        (Op::Abs, "a3=0x80000000", "a4=0x80000000"),
        (Op::Abs, "a3=-5", "a4=5"),
        (Op::And, "a2=0xff00ff00 a3=0x0ff00ff0", "a4=0x0f000f00"),
        (Op::Or, "a2=0xff00ff00 a3=0x0ff00ff0", "a4=0xfff0fff0"),
        (Op::Xor, "a2=0xff00ff00 a3=0x0ff00ff0", "a4=0xf0f0f0f0"),
    ] {
        check(three(op), before, changes);
    }
    for (op, number, before, changes) in [
        (Op::Addi, -128, "a2=1", "a3=-127"),
        (Op::Addmi, -32768, "a2=1", "a3=-32767"),
        (Op::AddiN, -1, "a2=0", "a4=-1"),
        (Op::Movi, -2048, "", "a3=-2048"),
        (Op::MoviN, 95, "", "a2=95"),
        (Op::MovN, 0, "a2=7", "a3=7"),
    ] {
        check(imm(op, number), before, changes);
    }
}

#[test]
fn conditional_moves_look_at_the_second_operand() {
    for (op, moving, staying) in
        [(Op::Moveqz, "0", "-1"), (Op::Movnez, "-1", "0"), (Op::Movltz, "-1", "0"), (Op::Movgez, "0", "0x80000000")]
    {
        check(three(op), &format!("a2=7 a3={moving} a4=9"), "a4=7");
        check(three(op), &format!("a2=7 a3={staying} a4=9"), "");
    }
    for (op, moving) in [(Op::Movt, 8), (Op::Movf, 0xfff7)] {
        check(three(op), &format!("a2=7 a4=9 br={moving}"), "a4=7");
        check(three(op), &format!("a2=7 a4=9 br={}", 0xffff - moving), "");
    }
}

#[test]
fn shifts_go_through_sar() {
    for (op, before, changes) in [
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=0", "a4=0x9abcdef0"),
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=4", "a4=0x89abcdef"),
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=32", "a4=0x12345678"),
        (Op::Src, "a2=0x12345678 a3=0x9abcdef0 sar=63", "a4=0"),
        (Op::Sll, "a2=0x12345678 sar=28", "a4=0x23456780"),
        (Op::Sll, "a2=0x12345678 sar=32", "a4=0x12345678"),
        (Op::Sll, "a2=0x12345678 sar=0", "a4=0"),
        (Op::Sll, "a2=0x12345678 sar=1", "a4=0"),
        (Op::Sll, "a2=0x12345679 sar=1", "a4=0x80000000"),
        (Op::Srl, "a3=0x92345678 sar=4", "a4=0x09234567"),
        (Op::Srl, "a3=0x92345678 sar=32", "a4=0"),
        (Op::Sra, "a3=0x92345678 sar=4", "a4=0xf9234567"),
        (Op::Sra, "a3=0x92345678 sar=32", "a4=-1"),
        (Op::Sra, "a3=0x92345678 sar=63", "a4=-1"),
        (Op::Ssr, "a2=0xffffffe5 sar=9", "sar=5"),
        (Op::Ssl, "a2=0xffffffe0 sar=9", "sar=32"),
        (Op::Ssl, "a2=31", "sar=1"),
        (Op::Ssa8l, "a2=0xfffffff7", "sar=24"),
        (Op::Ssa8b, "a2=0xfffffff4", "sar=32"),
        (Op::Ssa8b, "a2=3", "sar=8"),
    ] {
        check(three(op), before, changes);
    }
    for (op, number, before, changes) in [
        (Op::Slli, 31, "a2=3", "a4=0x80000000"),
        (Op::Srai, 31, "a3=0x80000000", "a4=-1"),
        (Op::Srli, 15, "a3=0x80000000", "a4=0x10000"),
        (Op::Ssai, 31, "sar=3", "sar=31"),
    ] {
        check(imm(op, number), before, changes);
    }
    for (at, width, changes) in [(0, 16, "a4=0x5678"), (28, 4, "a4=9"), (31, 1, "a4=1"), (16, 16, "a4=0x9234")] {
        check(Inst { imm2: width, ..imm(Op::Extui, at) }, "a3=0x92345678", changes);
    }
}

#[test]
fn loops_go_back_until_the_count_is_used_up() {
    let end = PC + 4 + 20;
    let loops = |lcount: u32| format!("lbeg={} lend={end} lcount={lcount}", PC + 3);
    for (op, count, target) in [
        (Op::Loop, 5u32, PC + 3),
        (Op::Loop, 0, PC + 3),
        (Op::Loopnez, 1, PC + 3),
        (Op::Loopnez, 0, end),
        (Op::Loopnez, 0x8000_0000, PC + 3),
        (Op::Loopgtz, 1, PC + 3),
        (Op::Loopgtz, 0, end),
        (Op::Loopgtz, 0x8000_0000, end),
    ] {
        let changes = format!("{} pc={target}", loops(count.wrapping_sub(1)));
        check(imm(op, 20), &format!("a2={count}"), &changes);
    }
    let last = format!("lbeg=0x40001000 lend={} ", PC + 3);
    let nop = Inst::new(Op::Nop);
    check(nop, &format!("{last} lcount=2"), "lcount=1 pc=0x40001000");
    check(nop, &format!("{last} lcount=0"), "");
    check(nop, &format!("{last} lcount=2 ps=0x40010"), "");
    check(imm(Op::Beqz, 0x40), &format!("{last} lcount=2 a2=0"), &format!("pc={}", PC + 0x44));
    check(imm(Op::Beqz, 0x40), &format!("{last} lcount=2 a2=1"), "lcount=1 pc=0x40001000");
    assert_eq!(run(nop, &format!("{last} lcount=2")).2, Ok(Outcome::LoopedBack));
    assert_eq!(run(imm(Op::J, -1), &format!("{last} lcount=2")).2, Ok(Outcome::Jumped));
}

#[test]
fn windows_rotate() {
    let next = PC + 3;
    let returns = |fours: u32| fours << 30 | next & 0x3fff_ffff;
    let target = (PC & !3) + 4 + 0x100;
    for (op, fours) in [(Op::Call4, 1), (Op::Call8, 2), (Op::Call12, 3)] {
        let changes = format!("a{}={} ps={} pc={target}", 4 * fours, returns(fours), 0x40000 | fours << 16);
        check(imm(op, 0x100), "ps=0x60000", &changes);
    }
    check(three(Op::Callx8), "a2=0x40009000", &format!("a10=0 a8={} ps=0x60000 pc=0x40009000", returns(2)));
    check(imm(Op::Call0, 0x100), "", &format!("a0={next} pc={target}"));
    check(Inst { s: Reg(0), ..three(Op::Callx0) }, "a0=0x40009000", &format!("a0={next} pc=0x40009000"));

    let entry = Inst { s: Reg(1), ..imm(Op::Entry, 48) };
    check(entry, "a1=0x1000 ps=0x60000", "windowbase=2 windowstart=5 a1=0xfd0");
    check(entry, "windowbase=15 windowstart=0x8000 a1=0x1000 ps=0x70000", "windowbase=2 windowstart=0x8004 a1=0xfd0");

    let retw = Inst::new(Op::Retw);
    let back = format!("a0={} windowbase=0 windowstart=1 pc={}", returns(2), 0x4000_0000 | next);
    check(retw, &format!("windowbase=2 windowstart=5 a0={}", returns(2)), &back.replace("a0=", "ar8="));
    check(imm(Op::Rotw, -8), "windowbase=2", "windowbase=10");
    check(three(Op::Movsp), "windowbase=1 windowstart=3 a2=9", "a3=9");
}
