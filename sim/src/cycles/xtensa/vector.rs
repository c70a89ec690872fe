//! The classes of the vector extension: when operands are used and results are there.
//!
//! All is used and defined at stage E or, one cycle later, at M (ESP32-S3 Technical Reference Manual 1.8, tables 1.7-1 and
//! 1.7-2; the classes say what happens where). A result of M can be used at M by the next instruction, and at E by the next but
//! one; so only what is defined at M and used at E is waited for. That some multiplications contend for multipliers (1.7.2)
//! and steps of an FFT for other units is not modelled: which of them take which is not published.

use super::Costs;
use crate::xtensa::set::{self, Set};
use isa::xtensa::{Class, Effects, Field, Inst, States, Timing as Group};

/// Accumulators, which multiplications read and write at M.
const ACCUMULATORS: States = States::ACCX.with(States::QACC);

/// All registers and state that loads and multiplications define.
fn defined_late() -> Set {
    let states = set::states(ACCUMULATORS.with(States::UA_STATE));
    set::file(Class::Vector) | set::file(Class::Float) | states
}

/// What the field holds, if it is a vector.
fn vector(inst: &Inst, field: Field) -> Set {
    let named = inst.fields().any(|(f, class, _)| f == field && class == Class::Vector);
    if named { set::register(Class::Vector, inst.reg(field)) } else { 0 }
}

/// Results that are there only after the latency; `None` for all but vectors.
pub(super) fn late(inst: &Inst, effects: &Effects) -> Option<Set> {
    let written = set::of(&effects.writes) & defined_late();
    match inst.op.row().timing {
        Group::VectorAlu | Group::VectorAluStore | Group::VectorReadOut | Group::VectorStore => Some(0),
        Group::VectorAluLoad | Group::VectorMacLoad => Some(written & !vector(inst, Field::R)),
        Group::VectorMultiply | Group::VectorMultiplyLoad | Group::VectorMultiplyStore => Some(written),
        Group::VectorComplex | Group::VectorComplexLoad | Group::VectorComplexStore => Some(written),
        Group::VectorMac | Group::VectorLoad | Group::VectorFftLoad | Group::VectorFftStore => Some(written),
        _ => None,
    }
}

/// Operands that are not waited for, because they are used at M.
pub(super) fn unseen(inst: &Inst) -> Set {
    match inst.op.row().timing {
        Group::VectorMac | Group::VectorMacLoad | Group::VectorReadOut => set::states(ACCUMULATORS),
        Group::VectorComplexStore | Group::VectorFftStore => {
            let others = Field::ALL.into_iter().filter(|&field| field != Field::W);
            let others = others.map(|field| vector(inst, field)).fold(0, |all, one| all | one);
            vector(inst, Field::W) & !others
        }
        _ => 0,
    }
}

/// Cycles from issue to the use of a late result at E.
pub(super) fn latency(effects: &Effects, costs: &Costs) -> u8 {
    if effects.writes.float == 0 { costs.vector } else { costs.float_load }
}
