//! From the numbers in an encoding to an instruction, and back.
//!
//! Only the way to the instruction checks anything. Encoding fills the numbers in without looking, decodes what came out,
//! and compares: what differs does not fit. So no range is written down twice.

use super::{Field, Inst, Pattern, Reg, Rule};
use crate::pattern::{Numbers, slot};

/// Letters of register fields, and the number of the first register that the letter can name. The upper-case letter has the
/// bits above those of its lower-case one.
pub(super) const REGISTERS: [(u8, Field, u8); 9] = [
    (b'r', Field::R, 0),
    (b's', Field::S, 0),
    (b't', Field::T, 0),
    (b'w', Field::W, 0),
    (b'x', Field::X, 0),
    (b'y', Field::Y, 0),
    (b'z', Field::Z, 0),
    (b'm', Field::R, 0),
    (b'n', Field::T, 2),
];

/// Constants of signed comparisons with an immediate, by number.
const SIGNED: [i64; 16] = [-1, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64, 128, 256];
/// Constants of unsigned comparisons with an immediate, by number.
const UNSIGNED: [i64; 16] = [32768, 65536, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64, 128, 256];

impl Pattern {
    /// The instruction, or `None` if these numbers are reserved.
    pub(super) fn to_inst(&self, numbers: &Numbers) -> Option<Inst> {
        let mut inst = Inst::new(self.op);
        for (letter, field, first) in REGISTERS {
            if self.has(letter) {
                let upper = numbers[slot(letter.to_ascii_uppercase())] << self.width(letter);
                *inst.reg_mut(field) = Reg((upper | numbers[slot(letter)]) as u8 + first);
            }
        }
        inst.imm = self.imm_out(numbers)?;
        inst.imm2 = self.imm2_out(numbers);
        inst.imm3 = numbers[slot(b'c')] as u8;
        Some(inst)
    }

    /// The numbers for an instruction, right only if it has this encoding.
    pub(super) fn to_numbers(&self, inst: &Inst) -> Numbers {
        let mut numbers: Numbers = [0; 64];
        for (letter, field, first) in REGISTERS {
            let number = u32::from(inst.reg(field).0.wrapping_sub(first));
            numbers[slot(letter)] = number;
            numbers[slot(letter.to_ascii_uppercase())] = number >> self.width(letter);
        }
        let number = self.imm_in(inst.imm);
        numbers[slot(b'i')] = number;
        numbers[slot(b'j')] = number >> self.width(b'i');
        let number = self.imm2_in(inst.imm2);
        numbers[slot(b'k')] = number;
        numbers[slot(b'l')] = number >> self.width(b'k');
        numbers[slot(b'c')] = inst.imm3.into();
        numbers
    }

    fn imm_out(&self, numbers: &Numbers) -> Option<i64> {
        let width = self.width(b'i') + self.width(b'j');
        let mut imm = i64::from(numbers[slot(b'j')] << self.width(b'i') | numbers[slot(b'i')]);
        for &rule in self.rules {
            match rule {
                Rule::Signed if imm >> (width - 1) == 1 => imm -= 1 << width,
                Rule::Below => imm -= 1 << width,
                Rule::Scale(power) => imm <<= power,
                Rule::Plus(more) => imm += i64::from(more),
                Rule::From32 if imm == 0 => return None,
                Rule::From32 => imm = 32 - imm,
                Rule::ZeroIsMinusOne if imm == 0 => imm = -1,
                Rule::LastQuarterNegative if imm >= 96 => imm -= 128,
                _ => {}
            }
        }
        Some(imm)
    }

    /// What stands in the letters; they cut off what they have no bits for.
    fn imm_in(&self, mut imm: i64) -> u32 {
        for &rule in self.rules {
            match rule {
                Rule::Scale(power) => imm >>= power,
                Rule::Plus(more) => imm = imm.wrapping_sub(more.into()),
                Rule::From32 => imm = 32i64.wrapping_sub(imm),
                Rule::ZeroIsMinusOne if imm == -1 => imm = 0,
                _ => {}
            }
        }
        imm as u32
    }

    fn imm2_out(&self, numbers: &Numbers) -> i64 {
        let number = numbers[slot(b'l')] << self.width(b'k') | numbers[slot(b'k')];
        self.rules.iter().fold(i64::from(number), |imm, &rule| match rule {
            Rule::PlusOne => imm + 1,
            Rule::Constant => SIGNED[number as usize & 15],
            Rule::ConstantUnsigned => UNSIGNED[number as usize & 15],
            _ => imm,
        })
    }

    fn imm2_in(&self, imm: i64) -> u32 {
        let find = |constants: [i64; 16]| constants.iter().position(|&c| c == imm).unwrap_or(0) as i64;
        self.rules.iter().fold(imm, |number, &rule| match rule {
            Rule::PlusOne => imm.wrapping_sub(1),
            Rule::Constant => find(SIGNED),
            Rule::ConstantUnsigned => find(UNSIGNED),
            _ => number,
        }) as u32
    }
}
