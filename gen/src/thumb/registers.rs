//! Registers for straight code whose variables live in it alone.

use super::V;
use isa::thumb::{Access, Class, Inst, Op as Row, Reg};
use std::collections::BTreeMap;

/// Registers that are free at the beginning of the code and at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pool {
    /// In any order.
    pub free: Vec<Reg>,
    /// True if everything gets the lowest one, not only what is loaded or stored.
    pub low: bool,
}

impl Pool {
    /// These registers, the lowest for what is loaded or stored.
    pub fn new(free: Vec<Reg>) -> Pool {
        Pool { free, low: false }
    }
}

/// Gives a register to each variable from its definition to its last use, or `None` if there are too few. What is loaded or stored gets
/// the lowest free one, since 16-bit loads and stores name only those; everything else the highest, if short code is not all that counts.
pub fn allocate(code: &[Inst<V>], pool: &Pool) -> Option<Vec<Inst>> {
    let mut last = BTreeMap::new();
    let mut in_memory = Vec::new();
    for (i, inst) in code.iter().enumerate() {
        for (field, class, _) in inst.fields() {
            let v = inst.reg(field);
            if class == Class::Core && v.0 >= 16 {
                last.insert(v, i);
                if is_access(inst.op) {
                    in_memory.push(v);
                }
            }
        }
    }
    let mut free = pool.free.clone();
    free.sort_unstable();
    let mut at: BTreeMap<V, Reg> = BTreeMap::new();
    let mut placed = Vec::with_capacity(code.len());
    for (i, inst) in code.iter().enumerate() {
        let read = at.clone();
        // What is written as well keeps its register from other results.
        release(&mut at, &mut free, |v| {
            last[&v] <= i && touches(inst, v, Access::reads) && !touches(inst, v, Access::writes)
        });
        for (field, class, access) in inst.fields() {
            let v = inst.reg(field);
            if class == Class::Core && v.0 >= 16 && access.writes() && !read.contains_key(&v) {
                let low = pool.low || in_memory.contains(&v);
                let reg = if free.is_empty() { return None } else { free.remove(if low { 0 } else { free.len() - 1 }) };
                at.insert(v, reg);
            }
        }
        let register = |v: V| match v.0 {
            0..16 => Some(Reg(v.0 as u8)),
            _ => read.get(&v).or_else(|| at.get(&v)).copied(),
        };
        let complete =
            inst.fields().all(|(field, class, _)| class != Class::Core || register(inst.reg(field)).is_some());
        if !complete {
            return None;
        }
        placed.push(inst.map(|_, class, _, v| match class {
            Class::Core => register(v).unwrap_or_default(),
            Class::Single | Class::Double => Reg(v.0 as u8),
        }));
        release(&mut at, &mut free, |v| last[&v] <= i);
    }
    Some(placed)
}

fn is_access(op: Row) -> bool {
    op.row().access.is_some()
}

/// The registers of such variables are free again, of which the list is in ascending order.
fn release(at: &mut BTreeMap<V, Reg>, free: &mut Vec<Reg>, ended: impl Fn(V) -> bool) {
    for (_, reg) in at.extract_if(.., |v, _| ended(*v)) {
        let place = free.partition_point(|r| *r < reg);
        free.insert(place, reg);
    }
}

fn touches(inst: &Inst<V>, v: V, how: fn(Access) -> bool) -> bool {
    inst.fields().any(|(field, class, access)| class == Class::Core && how(access) && inst.reg(field) == v)
}
