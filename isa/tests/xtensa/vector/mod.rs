//! What the vector extension's rows do: cases worked out by hand from the description of each instruction, and properties of
//! all rows.

mod lanes;
mod memory;
mod properties;

use super::executed::Machine;
use isa::xtensa::{Inst, Op, Outcome, Reg, sr};

impl Machine {
    /// Sets what `text` says: `q5.b=1,2,-3 qacc.h=0 accx=-1 a2=0x104 sar=31 sar_byte=5 ua=1 m0x100=ff,7f`. Numbers are separated
    /// by commas, lowest first; the last one is repeated up to the end of the register. `.b`, `.h` and `.w` are lanes of 8,
    /// 16 and 32 bits of vectors, and of the accumulators of that many; memory is bytes in hexadecimal.
    fn set(mut self, text: &str) -> Machine {
        text.split_whitespace().for_each(|assignment| self.assign(assignment));
        self
    }

    fn assign(&mut self, assignment: &str) {
        let (name, values) = assignment.split_once('=').unwrap();
        if let Some(address) = name.strip_prefix('m') {
            let bytes = values.split(',').map(|byte| u8::from_str_radix(byte, 16).unwrap());
            return self.memory.0.extend((number(address) as u32..).zip(bytes));
        }
        let numbers: Vec<i128> = values.split(',').map(number).collect();
        let (name, lane) = name.split_once('.').unwrap_or((name, ""));
        let state = &mut self.state;
        let index = || name[1..].parse::<u8>().unwrap();
        match (name, lane) {
            ("accx", _) => state.vector.accx = (numbers[0] & 0xff_ffff_ffff) as u64,
            ("qacc", "b") => (state.vector.qacc_l, state.vector.qacc_h) = accumulators(&numbers, 20),
            ("qacc", "h") => (state.vector.qacc_l, state.vector.qacc_h) = accumulators(&numbers, 40),
            ("sar", _) => state.special[sr::SAR] = numbers[0] as u32,
            ("sar_byte", _) => state.vector.sar_byte = numbers[0] as u32,
            ("ua", _) => state.vector.ua_state = numbers[0] as u128,
            ("out", _) => state.vector.gpio_out = numbers[0] as u32,
            ("in", _) => state.vector.gpio_in = numbers[0] as u32,
            (_, "b" | "h" | "w") => state.vector.q[usize::from(index())] = vector(&numbers, lane),
            _ if name.starts_with('q') => state.vector.q[usize::from(index())] = numbers[0] as u128,
            _ if name.starts_with('f') => state.f[usize::from(index())] = numbers[0] as u32,
            _ => state.set_a(index(), numbers[0] as u32),
        }
    }
}

fn number(text: &str) -> i128 {
    match text.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16).unwrap() as i128,
        None => text.parse().unwrap(),
    }
}

/// The bits of numbers of `width`, lowest first, of which there are `count`.
fn bits(numbers: &[i128], width: usize, count: usize) -> Vec<bool> {
    let lane = |i: usize| numbers[i.min(numbers.len() - 1)];
    (0..count).flat_map(|i| (0..width).map(move |k| lane(i) >> k & 1 != 0)).collect()
}

fn from_bits(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit))
}

fn vector(numbers: &[i128], lane: &str) -> u128 {
    let width = [("b", 8), ("h", 16), ("w", 32)].into_iter().find(|(letter, _)| *letter == lane).unwrap().1;
    from_bits(&bits(numbers, width, 128 / width))
}

/// QACC_L and QACC_H.
fn accumulators(numbers: &[i128], width: usize) -> ([u32; 5], [u32; 5]) {
    let bits = bits(numbers, width, 320 / width);
    let half = |from: usize| std::array::from_fn(|i| from_bits(&bits[from + 32 * i..][..32]) as u32);
    (half(0), half(160))
}

/// An instruction with the registers r = q1, s = a2, t = a3, w = q4, x = q5, y = q6, z = q7, as far as it has these fields.
fn inst(op: Op, imm: i64, imm2: i64) -> Inst {
    let [r, s, t, w, x, y, z] = [1, 2, 3, 4, 5, 6, 7].map(Reg);
    let all = Inst { r, s, t, w, x, y, z, imm, imm2, ..Inst::new(op) };
    all.map(|_, _, _, register| register)
}

/// What is wrong with the effect of an instruction: everything but the changes must stay, and PC must have moved on.
fn wrong(inst: &Inst, before: &str, changes: &str) -> Option<String> {
    let mut machine = Machine::new().set(before);
    let mut expected = machine.clone().set(changes);
    expected.state.pc += 3;
    let result = machine.run(inst);
    let right = result == Ok(Outcome::Next) && machine == expected;
    let found = || {
        let (found, expected) = (&machine.state.vector, &expected.state.vector);
        format!("{result:?}\n found   {found:x?}\n expected {expected:x?}\n{:x?}", machine.memory)
    };
    (!right).then(|| format!("{inst} on {before}, expected {changes}: {}", found()))
}

#[track_caller]
fn check_all(cases: &[(Inst, &str, &str)]) {
    let wrong = cases.iter().filter_map(|(inst, before, changes)| wrong(inst, before, changes));
    super::expect_none(&wrong.collect::<Vec<_>>());
}
