//! Random states, made so that memory accesses hit the scratch memory and arithmetic meets its borders.

use isa::thumb::random::Rng;
use isa::thumb::{Inst, Mode, Op, Reg, State, Timing};

use crate::image::{SCRATCH, SCRATCH_LEN};

/// One of the elements.
pub fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u32) as usize]
}

/// True once in `n` times.
pub fn one_in(rng: &mut Rng, n: u32) -> bool {
    rng.below(n) == 0
}

/// An integer, often one at a border.
pub fn integer(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0 => pick(rng, &[0, 1, u32::MAX, i32::MAX as u32, i32::MIN as u32, 0x7fff, 0x8000, 0xffff, 0x8000_8000]),
        1 => rng.below(64),
        2 => (1u32 << rng.below(32)).wrapping_add(rng.below(3)).wrapping_sub(1),
        3 => u32::from_le_bytes(std::array::from_fn(|_| {
            let any = rng.next_u32() as u8;
            pick(rng, &[0, 1, 0x7f, 0x80, 0xff, any])
        })),
        4 => pick(rng, &[0, 1, 0x7fff, 0x8000, 0xffff]) << 16 | rng.next_u32() & 0xffff,
        _ => rng.next_u32(),
    }
}

/// The bits of a single-precision number: often near 1, a border, or a NaN.
pub fn float(rng: &mut Rng) -> u32 {
    let sign = rng.next_u32() & 0x8000_0000;
    let fraction = rng.next_u32() & 0x7f_ffff;
    sign | match rng.below(10) {
        0 => pick(rng, &[0, 0x7f80_0000, 0x7f7f_ffff, 0x0080_0000, 0x007f_ffff, 1, 0x3f80_0000, 0x4b00_0000]),
        1 => 0x7f80_0000 | fraction,
        2 => fraction,
        3 => rng.next_u32() & 0x7fff_ffff,
        4 => (rng.below(24) + 126) << 23 | fraction & !(u32::MAX >> rng.below(32)),
        _ => (rng.below(48) + 103) << 23 | fraction,
    }
}

/// A state in which code that begins at `start` runs; `inst` is the instruction whose addresses are to be good.
pub fn state(rng: &mut Rng, inst: &Inst, start: u32) -> State {
    let mut r: [u32; 16] = std::array::from_fn(|_| integer(rng));
    r[13] = target(rng, true);
    r[15] = start;
    let flags = rng.next_u32();
    let mut s = std::array::from_fn(|_| float(rng));
    s[31] = 0;
    let mut state = State {
        r,
        n: flags & 1 != 0,
        z: flags & 2 != 0,
        c: flags & 4 != 0,
        v: flags & 8 != 0,
        q: one_in(rng, 4),
        ge: rng.below(16) as u8,
        it: 0,
        s,
        fpscr: fpscr(rng),
        special: [0; 24],
        exclusive: None,
    };
    if one_in(rng, 4) && inst.imm != 0 && inst.n != Reg::SP {
        // Near the constant, or on the other side of the overflow.
        let distance = pick(rng, &[0, 1, u32::MAX, 0x7fff_ffff, 0x8000_0000, 0x8000_0001]);
        state.r[usize::from(inst.n.0 & 15)] = (inst.imm as u32).wrapping_add(distance);
    }
    state.r[15] = start;
    aim(rng, inst, &mut state);
    state
}

/// Half of the time the default modes; flags may be set before.
fn fpscr(rng: &mut Rng) -> u32 {
    let modes = if one_in(rng, 2) { 0 } else { rng.below(32) << 22 };
    let flags = if one_in(rng, 2) { 0 } else { rng.next_u32() & 0xf000_009f };
    modes | flags
}

/// An address in the scratch memory with room on both sides for the longest list.
fn target(rng: &mut Rng, aligned: bool) -> u32 {
    let address = SCRATCH + 128 + rng.below(SCRATCH_LEN as u32 - 256);
    if aligned { address & !3 } else { address }
}

/// Sets the base of a load or store so that it reaches the scratch memory.
fn aim(rng: &mut Rng, inst: &Inst, state: &mut State) {
    let Some(access) = inst.effects().memory else { return };
    if access.base == Reg::PC || matches!(inst.op.row().mnemonic, "push" | "pop" | "vpush" | "vpop") {
        return;
    }
    let listed =
        access.bytes > 4 || !matches!(inst.op.row().timing, Timing::Load | Timing::Store | Timing::StoreIndexed);
    // QEMU lets a store-exclusive fail without looking at its alignment.
    let exclusive = inst.op.row().timing == Timing::StoreExclusive;
    let aligned = exclusive || access.base == Reg::SP || if listed { !one_in(rng, 16) } else { one_in(rng, 2) };
    let target = target(rng, aligned);
    let shift = u32::from(inst.shift.amount);
    let value = match (is_indexed(inst.op), inst.mode) {
        (true, _) if inst.m == inst.n => target / (1 + (1 << shift)),
        (true, _) => target.wrapping_sub(state.r[usize::from(inst.m.0)] << shift),
        (false, Mode::PostIndex) => target,
        (false, _) => target.wrapping_sub(inst.imm as u32),
    };
    state.r[usize::from(access.base.0)] = if access.base == Reg::SP { value & !3 } else { value };
}

/// Whether the address is the sum of two registers.
fn is_indexed(op: Op) -> bool {
    use Op::{LdrReg, LdrbReg, LdrhReg, LdrsbReg, LdrshReg, StrReg, StrbReg, StrhReg};
    matches!(op, LdrReg | LdrbReg | LdrhReg | LdrsbReg | LdrshReg | StrReg | StrbReg | StrhReg)
}
