//! From the numbers in an encoding to an instruction, and back.
//!
//! Only the way to the instruction checks anything. Encoding fills the numbers in without looking, decodes what came out,
//! and compares: what differs does not fit. So no range is written down twice.

use super::immediate::{
    branch_t3, branch_t3_bits, branch_t4, branch_t4_bits, expand, expand_float, float_constant, modified_constant,
    sign_extend,
};
use super::rows::Rule;
use super::{Cond, Field, Inst, Mode, Op, Pattern, Reg, Shift, ShiftKind};
use crate::pattern::{Numbers, slot};

/// Letters of a register field: the number (or its upper bits), and the lowest bit of an S register's number.
const REGISTERS: [(u8, u8, Field); 4] =
    [(b'd', b'D', Field::D), (b'n', b'N', Field::N), (b'm', b'M', Field::M), (b'a', 0, Field::A)];

/// Letters that lie in `imm2` as they are: letter, lowest bit.
const COPROCESSOR: [(u8, u32); 7] =
    [(b'p', 0), (b'o', 4), (b'x', 8), (b'y', 12), (b'z', 16), (b'q', 20), (b'X', LONG_BIT)];

/// Bit of `imm2` that marks `#-0` in coprocessor loads and stores.
pub(super) const MINUS_ZERO_BIT: u32 = 24;
/// Bit of `imm2` for LDCL and STCL.
pub(super) const LONG_BIT: u32 = 25;
/// Bit of `imm2` for the unindexed form of LDC and STC.
pub(super) const UNINDEXED_BIT: u32 = 26;

impl Pattern {
    fn get(&self, numbers: &Numbers, letter: u8) -> u32 {
        numbers[slot(letter)]
    }

    /// The instruction, or `None` if these numbers are reserved. `it` is the condition inside an IT block.
    pub(super) fn to_inst(&self, numbers: &Numbers, it: Option<Cond>) -> Option<Inst> {
        let mut inst = Inst::new(self.op);
        self.registers_out(numbers, &mut inst)?;
        inst.cond = self.condition(numbers, it)?;
        inst.set_flags = self.get(numbers, b'S') == 1
            || self.rule(Rule::SetsFlags)
            || (self.rule(Rule::SetsFlagsOutsideIt) && it.is_none());
        self.imm_out(numbers, &mut inst)?;
        self.imm2_out(numbers, &mut inst, it.is_some());
        inst.shift = self.shift_out(numbers)?;
        inst.list = self.list_out(numbers);
        inst.mode = self.mode_out(numbers, &inst);
        Some(inst)
    }

    /// The numbers for an instruction, right only if it has this encoding.
    pub(super) fn to_numbers(&self, inst: &Inst) -> Numbers {
        let mut numbers: Numbers = [0; 64];
        for (letter, low, field) in REGISTERS {
            let register = u32::from(inst.reg(field).0);
            if low != 0 && self.has(low) {
                numbers[slot(letter)] = register >> 1;
                numbers[slot(low)] = register & 1;
            } else {
                numbers[slot(letter)] = register;
            }
        }
        numbers[slot(b'e')] = u32::from(inst.m.0);
        numbers[slot(b'c')] = inst.cond as u32;
        numbers[slot(b'S')] = u32::from(inst.set_flags);
        self.imm_in(inst, &mut numbers);
        self.imm2_in(inst, &mut numbers);
        self.shift_in(inst, &mut numbers);
        self.list_in(inst, &mut numbers);
        numbers[slot(b'W')] = u32::from(inst.mode == Mode::PreIndex);
        numbers[slot(b'P')] = u32::from(inst.mode == Mode::PreIndex);
        numbers
    }

    fn registers_out(&self, numbers: &Numbers, inst: &mut Inst) -> Option<()> {
        for (letter, low, field) in REGISTERS {
            let mut number = self.get(numbers, letter);
            if low != 0 && self.has(low) {
                number = number << 1 | self.get(numbers, low);
            }
            *inst.reg_mut(field) = Reg(number as u8);
        }
        for &rule in self.rules {
            match rule {
                Rule::Same(field, other) => *inst.reg_mut(field) = inst.reg(other),
                Rule::Is(field, number) => *inst.reg_mut(field) = Reg(number),
                _ => {}
            }
        }
        (!self.has(b'e') || self.get(numbers, b'e') == self.get(numbers, b'm')).then_some(())
    }

    fn condition(&self, numbers: &Numbers, it: Option<Cond>) -> Option<Cond> {
        if self.has(b'c') {
            let cond = *Cond::ALL.get(self.get(numbers, b'c') as usize)?;
            (cond != Cond::Al || self.op == Op::It).then_some(cond)
        } else if self.rule(Rule::Unconditional) {
            Some(Cond::Al)
        } else {
            Some(it.unwrap_or(Cond::Al))
        }
    }

    fn imm_out(&self, numbers: &Numbers, inst: &mut Inst) -> Option<()> {
        let width = self.width(b'i');
        let number = self.get(numbers, b'j') << width | self.get(numbers, b'i');
        let mut imm = number as i32;
        for &rule in self.rules {
            match rule {
                Rule::Scale(power) => imm <<= power,
                Rule::SignedHalfwords => imm = sign_extend(number, width) * 2,
                Rule::BranchT3 => imm = branch_t3(number),
                Rule::BranchT4 => imm = branch_t4(number),
                Rule::Modified => imm = expand(number)? as i32,
                Rule::FloatConstant => imm = expand_float(number) as i32,
                Rule::FractionOf(size) => imm = i32::from(size) - imm,
                _ => {}
            }
        }
        if imm < 0 && self.rules.iter().any(|rule| matches!(rule, Rule::FractionOf(_))) {
            return None;
        }
        let subtract = self.rule(Rule::Negative) || (self.has(b'U') && self.get(numbers, b'U') == 0);
        if subtract && imm == 0 {
            inst.imm2 = 1 << self.minus_zero_bit();
        }
        inst.imm = if subtract { -imm } else { imm };
        Some(())
    }

    fn minus_zero_bit(&self) -> u32 {
        if self.has(b'p') { MINUS_ZERO_BIT } else { 0 }
    }

    fn imm_in(&self, inst: &Inst, numbers: &mut Numbers) {
        let minus_zero = inst.imm2 >> self.minus_zero_bit() & 1 == 1;
        let adds = inst.imm >= 0 && !minus_zero;
        numbers[slot(b'U')] = u32::from(adds);
        let signed = self.has(b'U') || self.rule(Rule::Negative);
        let mut number = if signed { inst.imm.unsigned_abs() } else { inst.imm as u32 };
        for &rule in self.rules {
            match rule {
                Rule::Scale(power) => number >>= power,
                Rule::SignedHalfwords => number >>= 1,
                Rule::BranchT3 => number = branch_t3_bits(inst.imm),
                Rule::BranchT4 => number = branch_t4_bits(inst.imm),
                Rule::Modified => number = modified_constant(number).unwrap_or(0),
                Rule::FloatConstant => number = float_constant(number),
                Rule::FractionOf(size) => number = u32::from(size).wrapping_sub(number),
                _ => {}
            }
        }
        numbers[slot(b'i')] = number;
        numbers[slot(b'j')] = number >> self.width(b'i');
    }

    fn imm2_out(&self, numbers: &Numbers, inst: &mut Inst, in_it: bool) {
        inst.imm2 |= self.get(numbers, b'k') + u32::from(self.rule(Rule::PlusOne));
        for (letter, shift) in COPROCESSOR {
            inst.imm2 |= self.get(numbers, letter) << shift;
        }
        for &rule in self.rules {
            match rule {
                Rule::Width => inst.imm2 = self.get(numbers, b'w') + 1,
                Rule::TopBit => inst.imm2 = (self.get(numbers, b'w') + 1).wrapping_sub(inst.imm as u32),
                Rule::Unindexed => inst.imm2 |= 1 << UNINDEXED_BIT,
                Rule::SpareIfSame if inst.d == inst.n => inst.imm2 = 1,
                Rule::SpareIfLowInIt if in_it && inst.d.is_low() && inst.m.is_low() => inst.imm2 = 1,
                _ => {}
            }
        }
    }

    fn imm2_in(&self, inst: &Inst, numbers: &mut Numbers) {
        numbers[slot(b'k')] = inst.imm2.wrapping_sub(u32::from(self.rule(Rule::PlusOne)));
        for (letter, shift) in COPROCESSOR {
            numbers[slot(letter)] = inst.imm2 >> shift;
        }
        let top = if self.rule(Rule::TopBit) { inst.imm as u32 } else { 0 };
        numbers[slot(b'w')] = inst.imm2.wrapping_add(top).wrapping_sub(1);
    }

    fn shift_out(&self, numbers: &Numbers) -> Option<Shift> {
        if self.has(b'r') {
            return Some(Shift::ror(self.get(numbers, b'r') * 8));
        }
        let number = self.get(numbers, b't') as usize;
        let kind = match self.width(b't') {
            1 => [ShiftKind::Lsl, ShiftKind::Asr][number],
            2 => [ShiftKind::Lsl, ShiftKind::Lsr, ShiftKind::Asr, ShiftKind::Ror][number],
            _ => self.fixed_kind(),
        };
        let amount = self.get(numbers, b'h') as u8;
        Some(match (kind, amount) {
            // ASR #0 of SSAT and USAT is SSAT16 and USAT16.
            (ShiftKind::Asr, 0) if self.width(b't') == 1 => return None,
            (ShiftKind::Lsr | ShiftKind::Asr, 0) => Shift { kind, amount: 32 },
            (ShiftKind::Ror, 0) if self.has(b't') => Shift { kind: ShiftKind::Rrx, amount: 1 },
            (ShiftKind::Ror, 0) => Shift::NONE,
            _ => Shift { kind, amount },
        })
    }

    fn fixed_kind(&self) -> ShiftKind {
        let kind = |rule: &Rule| if let Rule::Kind(kind) = rule { Some(*kind) } else { None };
        self.rules.iter().find_map(kind).unwrap_or(ShiftKind::Lsl)
    }

    fn shift_in(&self, inst: &Inst, numbers: &mut Numbers) {
        let Shift { kind, amount } = inst.shift;
        let wide = self.width(b't') == 2;
        numbers[slot(b't')] = match kind {
            ShiftKind::Lsl => 0,
            ShiftKind::Lsr => 1,
            ShiftKind::Asr => 1 + u32::from(wide),
            ShiftKind::Ror | ShiftKind::Rrx => 3,
        };
        numbers[slot(b'h')] = if kind == ShiftKind::Rrx { 0 } else { u32::from(amount) & 31 };
        numbers[slot(b'r')] = u32::from(amount) / 8;
    }

    fn list_out(&self, numbers: &Numbers) -> u32 {
        if self.has(b'v') {
            let count = self.get(numbers, b'v');
            let first = self.get(numbers, b'f') << self.width(b'F') | self.get(numbers, b'F');
            let registers = if self.rule(Rule::Doubles) { 16 } else { 32 };
            // No list (refused later) if it reaches beyond the registers there are.
            return if first + count > registers { 0 } else { (((1u64 << count) - 1) << first) as u32 };
        }
        let single = if self.has(b'g') { 1 << self.get(numbers, b'g') } else { 0 };
        single | self.get(numbers, b'l') | self.get(numbers, b'L') << 14 | self.get(numbers, b'C') << 15
    }

    fn list_in(&self, inst: &Inst, numbers: &mut Numbers) {
        let first = inst.list.trailing_zeros();
        numbers[slot(b'l')] = inst.list;
        numbers[slot(b'L')] = inst.list >> 14;
        numbers[slot(b'C')] = inst.list >> 15;
        numbers[slot(b'g')] = first;
        numbers[slot(b'f')] = first >> self.width(b'F');
        numbers[slot(b'F')] = first;
        numbers[slot(b'v')] = inst.list.count_ones();
    }

    fn mode_out(&self, numbers: &Numbers, inst: &Inst) -> Mode {
        if self.has(b'W') {
            return if self.get(numbers, b'W') == 1 { Mode::PreIndex } else { Mode::Offset };
        }
        if self.has(b'P') {
            return if self.get(numbers, b'P') == 1 { Mode::PreIndex } else { Mode::PostIndex };
        }
        for &rule in self.rules {
            match rule {
                Rule::Always(mode) => return mode,
                Rule::WritesBackUnlessLoaded if inst.list >> inst.n.0 & 1 == 0 => return Mode::PreIndex,
                _ => {}
            }
        }
        Mode::Offset
    }
}
