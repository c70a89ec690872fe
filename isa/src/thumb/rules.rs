//! Operands that the architecture calls unpredictable, or that belong to another row.

use super::rows::Rule;
use super::{Cond, Field, Inst, Mode, Op, Reg, Shift, ShiftKind};

const SP_OR_PC: u32 = 1 << 13 | 1 << 15;

/// Why the rule refuses an instruction that has the rule's encoding; `None` if it does not.
pub(super) fn refusal(rule: Rule, inst: &Inst, in_it: bool) -> Option<&'static str> {
    let written = inst.mode != Mode::Offset;
    let base_listed = inst.list >> (inst.n.0 & 15) & 1 == 1;
    let (refused, why) = match rule {
        Rule::NotInIt => (in_it, "not allowed inside an IT block"),
        Rule::NoPc(fields) => (any(inst, fields, 1 << 15), "pc is not allowed here"),
        Rule::NoSp(fields) => (any(inst, fields, 1 << 13), "sp is not allowed here"),
        Rule::NoSpPc(fields) => (any(inst, fields, SP_OR_PC), "sp and pc are not allowed here"),
        Rule::Differ(fields) => (repeated(inst, fields), "registers that must differ are the same"),
        Rule::NotBothLow(x, y) => (inst.reg(x).is_low() && inst.reg(y).is_low(), "needs a high register"),
        Rule::NotBoth(x, y, r) => (inst.reg(x).0 == r && inst.reg(y).0 == r, "not both registers may be pc"),
        Rule::SpFromSp => (inst.d == Reg::SP && inst.n != Reg::SP, "sp can only be computed from sp"),
        Rule::SpFromSpShift => (sp_shift(inst), "sp can only be computed from sp, with lsl #0..3"),
        Rule::WideMove => (wide_move(inst), "sp and pc are not allowed here"),
        Rule::Shifted => (inst.shift == Shift::NONE, "the shift amount must not be 0"),
        Rule::WriteBackNot(fields) => {
            (written && any(inst, fields, 1 << inst.n.0), "with write-back the base must not be transferred")
        }
        Rule::AtLeast(count) => (inst.list.count_ones() < count, "too few registers in the list"),
        Rule::NotLrAndPc => (inst.list >> 14 == 3, "lr and pc must not both be in the list"),
        Rule::BaseNotInList => (written && base_listed, "with write-back the base must not be in the list"),
        Rule::BaseLowest => (
            base_listed && inst.list.trailing_zeros() != u32::from(inst.n.0),
            "the base may only be the lowest register in the list",
        ),
        Rule::NotListed(r) => (inst.list >> r & 1 == 1, "sp (and for push, pc) must not be in the list"),
        Rule::BaseNotPcIfWritten => (written && inst.n == Reg::PC, "pc cannot be written back"),
        Rule::SeeStack => (is_stack(inst), "this is a push or pop: use that row"),
        Rule::NonZero => (inst.imm2 == 0, "names no mask to change"),
        Rule::ItMask => (bad_it(inst), "no such IT block"),
        Rule::SpecialRegister => (bad_special(inst), "no such special register or mask"),
        Rule::NotFpu => (matches!(inst.imm2 & 15, 10 | 11), "coprocessors 10 and 11 are the FPU"),
        Rule::PairBelow(field) => (inst.reg(field).0 == 31, "s31 cannot begin a pair"),
        Rule::FpList => (inst.list == 0, "no such list of registers"),
        Rule::PcFromAligned => (inst.d == Reg::PC && inst.imm & 3 != 0, "pc is only loaded from a multiple of 4"),
        Rule::FieldInWord => (!(1..=32 - inst.imm as u32).contains(&inst.imm2), "the bit field is not within the word"),
        _ => return None,
    };
    refused.then_some(why)
}

/// True if one of the fields is a register of the mask.
fn any(inst: &Inst, fields: &str, mask: u32) -> bool {
    fields.bytes().any(|letter| mask >> (field(inst, letter).0 & 31) & 1 == 1)
}

fn field(inst: &Inst, letter: u8) -> Reg {
    match letter {
        b'd' => inst.d,
        b'n' => inst.n,
        b'm' => inst.m,
        _ => inst.reg(Field::A),
    }
}

fn repeated(inst: &Inst, fields: &str) -> bool {
    let fields = fields.as_bytes();
    (1..fields.len()).any(|i| fields[..i].iter().any(|&letter| field(inst, letter) == field(inst, fields[i])))
}

fn sp_shift(inst: &Inst) -> bool {
    let small = inst.shift.kind == ShiftKind::Lsl && inst.shift.amount <= 3;
    inst.d == Reg::SP && (inst.n != Reg::SP || !small)
}

fn wide_move(inst: &Inst) -> bool {
    let pc = any(inst, "dm", 1 << 15);
    let sp = [inst.d, inst.m].iter().filter(|&&r| r == Reg::SP).count();
    pc || sp == 2 || (inst.set_flags && sp != 0)
}

/// The operands with which a load, store or transfer of a list is the manual's PUSH, POP, VPUSH or VPOP.
fn is_stack(inst: &Inst) -> bool {
    let matches = match inst.op {
        Op::LdrImm => inst.mode == Mode::PostIndex && inst.imm == 4,
        Op::StrImm => inst.mode == Mode::PreIndex && inst.imm == -4,
        _ => inst.mode == Mode::PreIndex,
    };
    inst.n == Reg::SP && matches
}

fn bad_it(inst: &Inst) -> bool {
    inst.imm2 == 0 || inst.imm2 > 15 || (inst.cond == Cond::Al && inst.imm2.count_ones() != 1)
}

/// DDI 0403, B5.1.1: APSR and its combinations 0..=3, IPSR and EPSR 5..=7, stack pointers 8 and 9, masks and CONTROL 16..=20.
fn bad_special(inst: &Inst) -> bool {
    let known = matches!(inst.imm2, 0..=3 | 5..=9 | 16..=20);
    let mask_fits = inst.op == Op::Mrs || inst.imm == 2 || (inst.imm2 < 4 && inst.imm != 0);
    !known || !mask_fits
}
