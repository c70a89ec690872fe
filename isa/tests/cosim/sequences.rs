//! Made cases: jumps in a small window, IT blocks, special registers, exclusive accesses, undefined instructions.

use isa::thumb::random::{self, Rng};
use isa::thumb::{Cond, Inst, Mode, Op, Reg, State, Width};

use crate::case::Piece;
use crate::generate::{self, one_in, pick};
use crate::image::SCRATCH;

/// Pieces, and what they need in the state that begins at an address.
pub struct Sequence {
    pub pieces: Vec<Piece>,
    /// Register and how its value follows from the address of the code.
    needs: Vec<(u8, Need)>,
}

#[derive(Clone, Copy)]
enum Need {
    /// This value.
    Value(u32),
    /// The address of the code plus this.
    Address(u32),
}

impl Sequence {
    fn new(pieces: Vec<Piece>) -> Sequence {
        Sequence { pieces, needs: Vec::new() }
    }

    fn with(mut self, register: u8, need: Need) -> Sequence {
        self.needs.push((register, need));
        self
    }

    /// A random state in which it does what it is made for.
    pub fn state(&self, rng: &mut Rng, start: u32) -> State {
        let mut state = generate::state(rng, &Inst::new(Op::Nop), start);
        for &(register, need) in &self.needs {
            state.r[usize::from(register)] = match need {
                Need::Value(value) => value,
                Need::Address(offset) => with_thumb_bit(start + offset),
            };
        }
        state
    }
}

/// QEMU names another fault for an address of ARM code that is no multiple of 4.
fn with_thumb_bit(address: u32) -> u32 {
    if address % 4 == 2 { address | 1 } else { address }
}

fn inst(op: Op) -> Inst {
    Inst::new(op)
}

fn wide(inst: Inst) -> Inst {
    Inst { width: Width::Wide, ..inst }
}

/// An instruction of 4 bytes that adds one to a register, to see where execution went.
fn marker(register: u8) -> Piece {
    Piece::Inst(Inst { d: Reg(register), n: Reg(register), imm: 1, ..inst(Op::AddwImm) })
}

/// Puts two markers behind.
fn marked(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.extend([marker(8), marker(9)]);
    pieces
}

/// B, BL, CBZ, CBNZ forward, over 0, 1 or 2 markers.
pub fn forward(rng: &mut Rng) -> Sequence {
    let over = 4 * rng.below(3) as i32;
    let condition = if one_in(rng, 4) { Cond::Al } else { pick(rng, &Cond::ALL) };
    let n = Reg(rng.below(8) as u8);
    let (jump, length) = match rng.below(4) {
        0 => (Inst { cond: condition, width: Width::Narrow, ..inst(Op::B) }, 2),
        1 => (wide(Inst { cond: condition, ..inst(Op::B) }), 4),
        2 => (inst(Op::Bl), 4),
        _ => (Inst { n, ..inst(pick(rng, &[Op::Cbz, Op::Cbnz])) }, 2),
    };
    let over = if matches!(jump.op, Op::Cbz | Op::Cbnz) { over.max(4) } else { over };
    let jump = Inst { imm: length - 4 + over, ..jump };
    let sequence = Sequence::new(marked(vec![Piece::Inst(jump)]));
    if one_in(rng, 2) { sequence.with(n.0, Need::Value(0)) } else { sequence }
}

/// B backward to a marker, from behind a branch that ends the case.
pub fn backward(rng: &mut Rng) -> Sequence {
    let narrow = |imm| Inst { imm, width: Width::Narrow, ..inst(Op::B) };
    let condition = pick(rng, &Cond::ALL);
    let (jump, length) = match rng.below(3) {
        0 => (Inst { width: Width::Narrow, ..narrow(-10) }, 2),
        1 => (wide(narrow(-10)), 4),
        _ => (Inst { imm: -10, ..inst(Op::Bl) }, 4),
    };
    let jump = if jump.op == Op::B { Inst { cond: condition, ..jump } } else { jump };
    let pieces = vec![Piece::Inst(narrow(4)), marker(8), Piece::Inst(narrow(length - 2)), Piece::Inst(jump)];
    Sequence::new(pieces)
}

/// Jumps to a register's or memory's value, now and then without its Thumb bit.
pub fn indirect(rng: &mut Rng) -> Sequence {
    let over = 4 * rng.below(3);
    let thumb = u32::from(!one_in(rng, 8));
    let at = SCRATCH + 4 * rng.below(64);
    let (d, n, m) = (Reg::PC, Reg(4), Reg(3));
    let to = |length: u32| Need::Address((length + over) | thumb);
    let memory = |op, d: Reg, mode| wide(Inst { d, n, mode, ..inst(op) });
    match rng.below(7) {
        0 => Sequence::new(marked(vec![Piece::Inst(Inst { m, ..inst(Op::Bx) })])).with(3, to(2)),
        1 => Sequence::new(marked(vec![Piece::Inst(Inst { m, ..inst(Op::BlxReg) })])).with(3, to(2)),
        2 => Sequence::new(marked(vec![Piece::Inst(Inst { d, m, ..inst(Op::MovReg) })])).with(3, to(2)),
        3 => {
            let add = Inst { d, n: d, m, ..inst(Op::AddReg) };
            let distance = (over + thumb).wrapping_sub(2);
            Sequence::new(marked(vec![Piece::Inst(add)])).with(3, Need::Value(distance))
        }
        4 => {
            let load = memory(Op::LdrImm, d, Mode::PostIndex);
            let pieces = vec![Piece::Inst(memory(Op::StrImm, m, Mode::Offset)), Piece::Inst(Inst { imm: 4, ..load })];
            Sequence::new(marked(pieces)).with(3, to(8)).with(4, Need::Value(at))
        }
        5 => {
            let list = |op, list, mode| Piece::Inst(wide(Inst { n, list, mode, ..inst(op) }));
            let pieces = vec![list(Op::Stm, 0b1100, Mode::Offset), list(Op::Ldm, 1 << 15 | 1 << 5, Mode::PreIndex)];
            Sequence::new(marked(pieces)).with(3, to(8)).with(4, Need::Value(at))
        }
        _ => {
            let list = |op, list| Piece::Inst(Inst { list, ..inst(op) });
            let pieces = vec![list(Op::Push, 0b1011), list(Op::Pop, 1 << 15 | 0b110000)];
            Sequence::new(marked(pieces)).with(3, to(4)).with(13, Need::Value(at + 64))
        }
    }
}

/// TBB and TBH with a table behind them.
pub fn table(rng: &mut Rng) -> Sequence {
    let index = Need::Value(rng.below(4));
    let m = Reg(5);
    let (op, table) =
        if one_in(rng, 2) { (Op::Tbb, vec![2, 4, 6, 2]) } else { (Op::Tbh, vec![4, 0, 6, 0, 8, 0, 4, 0]) };
    let jump = Inst { n: Reg::PC, m, ..inst(op) };
    Sequence::new(marked(vec![Piece::Inst(jump), Piece::Data(table)])).with(5, index)
}

/// An IT block of instructions of these rows; only the first may access memory, the last may be a branch.
pub fn block(rng: &mut Rng, rows: &[Op], staying: impl Fn(Op, &mut Rng, u8) -> Option<Inst>) -> (Sequence, Inst) {
    let head = (0..).find_map(|_| random::inst(Op::It, rng, 0)).unwrap();
    let length = 4 - head.imm2.trailing_zeros();
    let mut it = (head.cond as u8) << 4 | head.imm2 as u8;
    let mut pieces = vec![Piece::Inst(head)];
    let mut first = head;
    for i in 0..length {
        let inst = if i + 1 == length && one_in(rng, 4) {
            let cond = Cond::ALL[usize::from(it >> 4)];
            wide(Inst { cond, imm: 4 * rng.below(2) as i32, ..inst(Op::B) })
        } else {
            (0..)
                .find_map(|_| staying(pick(rng, rows), rng, it).filter(|inst| i == 0 || inst.op.row().access.is_none()))
                .unwrap()
        };
        first = if i == 0 { inst } else { first };
        pieces.push(Piece::Inst(inst));
        it = if it & 7 == 0 { 0 } else { it & 0xe0 | it << 1 & 0x1f };
    }
    (Sequence::new(marked(pieces)), first)
}

/// MSR, then MRS, then a harmless value again.
pub fn special(rng: &mut Rng) -> Sequence {
    let (sysm, mask) = pick(rng, &[(0, 1), (0, 2), (0, 3), (3, 2), (8, 2), (9, 2), (16, 2), (17, 2), (18, 2), (19, 2)]);
    let back = pick(rng, if sysm < 8 { &[0, 1, 3, 5, 6, 7] } else { &[0] });
    let read = if sysm < 8 {
        back
    } else if sysm == 18 {
        17
    } else {
        sysm
    };
    let msr = |n, imm2| Piece::Inst(Inst { n: Reg(n), imm2, imm: mask, ..inst(Op::Msr) });
    let mut pieces = vec![msr(1, sysm), Piece::Inst(Inst { d: Reg(2), imm2: read, ..inst(Op::Mrs) })];
    if matches!(sysm, 16..=19) {
        pieces.push(msr(4, if sysm == 18 { 17 } else { sysm }));
    }
    Sequence::new(pieces).with(4, Need::Value(0))
}

/// The stack pointers exchanged by CONTROL, and back.
pub fn stacks(rng: &mut Rng) -> Sequence {
    let msr = |n, imm2| Piece::Inst(Inst { n: Reg(n), imm2, imm: 2, ..inst(Op::Msr) });
    let mrs = |d, imm2| Piece::Inst(Inst { d: Reg(d), imm2, ..inst(Op::Mrs) });
    let isb = || Piece::Inst(Inst { imm: 15, ..inst(Op::Isb) });
    let copy = Piece::Inst(Inst { d: Reg(2), m: Reg::SP, ..inst(Op::MovReg) });
    let pieces = vec![msr(1, 9), msr(3, 20), isb(), copy, mrs(5, 8), mrs(6, 9), msr(4, 20), isb()];
    Sequence::new(pieces)
        .with(1, Need::Value(SCRATCH + 4 * rng.below(64)))
        .with(3, Need::Value(2))
        .with(4, Need::Value(0))
}

/// CPSID and CPSIE with the masks read between.
pub fn masks(rng: &mut Rng) -> Sequence {
    let which = 1 + rng.below(3);
    let cps = |imm| Piece::Inst(Inst { imm, imm2: which, ..inst(Op::Cps) });
    let mrs = |d, imm2| Piece::Inst(Inst { d: Reg(d), imm2, ..inst(Op::Mrs) });
    Sequence::new(vec![cps(1), mrs(1, 16), mrs(2, 19), cps(0), mrs(3, 16), mrs(4, 19)])
}

/// A pair of exclusive accesses, now and then with CLREX between or another address.
pub fn exclusive(rng: &mut Rng) -> Sequence {
    let (load, store) = pick(rng, &[(Op::Ldrex, Op::Strex), (Op::Ldrexb, Op::Strexb), (Op::Ldrexh, Op::Strexh)]);
    let mut pieces = vec![Piece::Inst(Inst { d: Reg(1), n: Reg(4), ..inst(load) })];
    if one_in(rng, 4) {
        pieces.push(Piece::Inst(inst(Op::Clrex)));
    }
    let base = Reg(if one_in(rng, 4) { 5 } else { 4 });
    pieces.push(Piece::Inst(Inst { d: Reg(2), m: Reg(3), n: base, ..inst(store) }));
    pieces.push(Piece::Inst(Inst { d: Reg(6), m: Reg(7), n: base, ..inst(store) }));
    let at = SCRATCH + 4 * rng.below(64);
    Sequence::new(pieces).with(4, Need::Value(at)).with(5, Need::Value(at + 8))
}

/// What no core here has.
pub fn undefined(rng: &mut Rng) -> Sequence {
    use Op::{Cdp, Ldc, Mcr, Mcrr, Mrc, Mrrc, Stc, Udf};
    let op = pick(rng, &[Udf, Cdp, Ldc, Mcr, Mcrr, Mrc, Mrrc, Stc]);
    let no_extension = |inst: &Inst| op == Udf || inst.imm2 & 15 < 8;
    let inst = (0..).find_map(|_| random::inst(op, rng, 0).filter(no_extension)).unwrap();
    Sequence::new(vec![Piece::Inst(inst)])
}
