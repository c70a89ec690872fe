//! Random states in which an instruction does what it is for.

use isa::xtensa::random::{self, Rng};
use isa::xtensa::{Class, Extension, Inst, Op, State, ps, sr};

use crate::driver::SCRATCH;
use crate::target::Target;

pub fn one_in(rng: &mut Rng, n: u32) -> bool {
    rng.below(n) == 0
}

pub fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len() as u32) as usize]
}

/// A random instruction of the row, with a register that cases compare if it names a special or user register.
pub fn inst(rng: &mut Rng, target: &Target, op: Op) -> Inst {
    let mut inst = random::inst(op, rng).unwrap();
    match op {
        // WINDOWSTART has fewer bits there.
        Op::Rsr | Op::Wsr | Op::Xsr => {
            let others: Vec<usize> =
                target.specials.iter().copied().filter(|&number| number != sr::WINDOWSTART).collect();
            inst.imm = pick(rng, &others) as i64;
        }
        // Other constants are not defined.
        Op::ConstS => inst.imm &= 3,
        Op::Rur | Op::Wur => inst.imm = pick(rng, target.users),
        _ => {}
    }
    inst
}

/// Registers, special registers and PS at random, with the current window as the only one and without window exceptions
/// in the way. The code is from `start` to `end`; sometimes it is the body of a loop.
pub fn state(rng: &mut Rng, target: &Target, start: u32, end: u32) -> State {
    let mut state = State::new();
    state.ar.fill_with(|| value(rng));
    for &number in target.specials {
        state.special[number] = rng.bits();
    }
    // Far enough from both ends for all that a call can reach, in a file of 32.
    let base = 3 + rng.below(2);
    state.special[sr::WINDOWBASE] = base;
    state.special[sr::WINDOWSTART] = 1 << base;
    state.special[sr::SAR] = rng.below(64);
    state.special[sr::BR] &= 0xffff;
    state.special[sr::ACCHI] = state.special[sr::ACCHI] as i8 as u32;
    if one_in(rng, 4) {
        state.special[sr::LBEG] = start;
        state.special[sr::LEND] = end;
        state.special[sr::LCOUNT] = rng.below(3);
    }
    let excm = if one_in(rng, 16) { ps::EXCM } else { 0 };
    state.special[sr::PS] = rng.next_u32() & (ps::ALL & !ps::EXCM) | excm;
    if target.has(Extension::Float) {
        state.user[1] = rng.below(4);
        state.user[2] = if one_in(rng, 2) { 0 } else { rng.bits() & 0xf80 };
        state.f.fill_with(|| single(rng));
    }
    state
}

/// A word, often an extreme one or a small one.
fn value(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0 => pick(rng, &[0, 1, 2, u32::MAX, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff, 0x8000]),
        1 => rng.below(64),
        _ => rng.bits(),
    }
}

/// The bits of a single-precision number, often a special one.
fn single(rng: &mut Rng) -> u32 {
    let special =
        [0, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001, 1, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff, 0x3f80_0000, 0x4f00_0000];
    match rng.below(5) {
        0 => pick(rng, &[0x7fc0_0000, 0x7f80_0000, 0x7fc1_2345, 0x7f80_5432]) | rng.next_u32() & 0x8000_0000,
        1 => pick(rng, &special) | rng.next_u32() & 0x8000_0000,
        // Near each other, and near integers.
        2 => (0x3f80_0000 + (rng.below(34) << 23)) | rng.bits() & 0x807f_ffff,
        _ => rng.next_u32(),
    }
}

/// The state, with what the instruction needs: a base in the scratch memory, operands that are equal or near its constant.
pub fn fit(rng: &mut Rng, target: &Target, inst: &Inst, scratch: &[u8], state: &mut State) {
    if matches!(inst.op, Op::Wsr | Op::Xsr) {
        // A loop whose count is set in it might not end.
        state.special[sr::LEND] = 0;
    }
    if inst.op == Op::Sll {
        // Beyond 32 the manual leaves it undefined.
        state.special[sr::SAR] = rng.below(33);
    }
    if one_in(rng, 3) && inst.fields().filter(|field| field.1 == Class::Core).count() > 1 {
        state.set_a(inst.t.0, state.a(inst.s.0));
    }
    if inst.imm2 != 0 && one_in(rng, 2) {
        let near = pick(rng, &[0, 1, u32::MAX]);
        state.set_a(inst.s.0, (inst.imm2 as u32).wrapping_add(near));
    }
    if inst.op.row().extension == Extension::Div32 && one_in(rng, 8) {
        state.set_a(inst.t.0, 0);
    }
    let Some(access) = inst.effects().memory else { return };
    let Some(base) = access.base else { return };
    let at = target.at(SCRATCH) + 64 + rng.below(scratch.len() as u32 - 128);
    let at = at - at % access.bytes;
    let name = inst.op.row().mnemonic;
    let offset = match inst.op {
        _ if name.ends_with("ldinc") => 4,
        _ if name.ends_with("lddec") => u32::MAX - 3,
        Op::Lsip | Op::Ssip | Op::Lsxp | Op::Ssxp => 0,
        Op::Lsx | Op::Ssx => {
            let index = rng.below(16) * 4;
            if inst.t != inst.s {
                state.set_a(inst.t.0, index);
            }
            index
        }
        _ => inst.imm as u32,
    };
    let base_value =
        if inst.t == base && matches!(inst.op, Op::Lsx | Op::Ssx) { at / 8 * 4 } else { at.wrapping_sub(offset) };
    state.set_a(base.0, base_value);
    let word_at = |address: u32| {
        let start = (address - target.at(SCRATCH)) as usize;
        u32::from_le_bytes(scratch[start..start + 4].try_into().unwrap())
    };
    if inst.op == Op::S32c1i && one_in(rng, 2) {
        state.special[sr::SCOMPARE1] = word_at(at);
    }
}
