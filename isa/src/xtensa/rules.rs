//! Operands that the architecture leaves undefined.

use super::{Inst, Rule, special_register, user_register};

/// Why the rule refuses an instruction that has the rule's encoding; `None` if it does not.
pub(super) fn refusal(rule: Rule, inst: &Inst) -> Option<&'static str> {
    let (refused, why) = match rule {
        Rule::Group(field, size) => {
            (!inst.reg(field).0.is_multiple_of(size), "a group of booleans begins at a multiple of its size")
        }
        Rule::FieldInWord => (inst.imm + inst.imm2 > 32, "the bit field is not within the word"),
        Rule::Under(field, end) => (inst.reg(field).0 >= end, "only a0..a3 are allowed here"),
        Rule::Apart(one, other) => (inst.reg(one) == inst.reg(other), "two results in one register"),
        Rule::Special(access) => {
            (special_register(inst.imm, access).is_none(), "no special register that can be accessed like this")
        }
        Rule::User => (user_register(inst.imm).is_none(), "no such user register"),
        _ => return None,
    };
    refused.then_some(why)
}
