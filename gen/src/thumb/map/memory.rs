//! What is loaded and stored, and addresses that move.

use super::code::{Emit, Held, Lanes, Walk, v};
use crate::compile::V;
use crate::map::{Element, Op, Place, Value};
use isa::thumb::{Inst, Mode, Op as Row};

impl Emit<'_> {
    /// A load or store through an address, which moves if it is the last one.
    pub fn access(&mut self, row: Row, d: V, walk: usize, at: u32) {
        let Walk { reg, bytes } = self.body.walks[walk];
        let entry = self.accesses.entry(walk).or_default();
        *entry = (entry.0 + 1, at);
        let (now, bias) = (*entry, self.last.get(&walk).map_or(0, |(_, at)| *at));
        let (imm, mode) = if self.last.get(&walk) == Some(&now) {
            ((bytes as usize * self.body.groups) as i32, Mode::PostIndex)
        } else {
            (at as i32 - bias as i32, Mode::Offset)
        };
        self.push(Inst { d, n: v(reg), imm, mode, ..Inst::new(row) });
    }

    pub fn advance(&mut self, walk: Walk, groups: usize) {
        let imm = (walk.bytes as usize * groups) as i32;
        self.push(Inst { d: v(walk.reg), n: v(walk.reg), imm, ..Inst::new(Row::AddImm) });
    }

    /// The load of the coefficient's neighbour in the same word, if there are two lanes.
    fn neighbour(&self, place: Place) -> Option<Value> {
        self.body.map.ops.iter().find_map(|op| match op {
            Op::Load(value, other) if other.array == place.array && other.at == place.at ^ 2 => Some(*value),
            _ => None,
        })
    }

    pub fn load(&mut self, group: usize, value: Value, place: Place) {
        if self.held.contains_key(&(group, value)) {
            return;
        }
        let Place { array, at, bytes } = place;
        let offset = group as u32 * self.body.walks[array].bytes + at;
        let d = self.fresh();
        let element = self.body.map.arrays[array].element;
        let coefficient = element == Element::Coefficient;
        let neighbour = self.neighbour(place).filter(|_| coefficient && self.body.lanes == Lanes::Two);
        match neighbour {
            Some(neighbour) => {
                self.access(Row::LdrImm, d, array, offset & !2);
                let [lower, upper] = if at & 2 == 0 { [value, neighbour] } else { [neighbour, value] };
                self.held.insert((group, lower), Held::Lower(d));
                self.held.insert((group, upper), Held::Upper(d));
            }
            None => {
                let row = match bytes {
                    1 => Row::LdrbImm,
                    2 if coefficient && self.sign_counts(value) => Row::LdrshImm,
                    2 => Row::LdrhImm,
                    _ => Row::LdrImm,
                };
                self.access(row, d, array, offset);
                self.held.insert((group, value), Held::All(d));
            }
        }
    }

    /// False if only the lower half of what is made of a coefficient is looked at.
    fn sign_counts(&self, value: Value) -> bool {
        let mut users = self.body.map.ops.iter().filter(|op| op.sources().contains(&value));
        !users.all(|op| matches!(op, Op::Change { .. }))
    }

    pub fn store(&mut self, group: usize, place: Place, value: Value) {
        let Place { array, at, bytes } = place;
        let offset = group as u32 * self.body.walks[array].bytes + at;
        let held = self.held[&(group, value)];
        if self.body.map.arrays[array].element != Element::Coefficient {
            let row = match bytes {
                1 => Row::StrbImm,
                2 => Row::StrhImm,
                _ => Row::StrImm,
            };
            return self.access(row, held.register(), array, offset);
        }
        let neighbour = self.body.map.ops.iter().find_map(|op| match op {
            Op::Store(other, value) if other.array == array && other.at == at ^ 2 => Some(*value),
            _ => None,
        });
        match neighbour.filter(|_| self.body.lanes == Lanes::Two) {
            // The word is stored with its upper half.
            Some(_) if at & 2 == 0 => {}
            Some(lower) => {
                let both = self.joined(self.held[&(group, lower)], held);
                self.access(Row::StrImm, both, array, offset & !2);
            }
            None => {
                let all = self.with_sign(held);
                self.access(Row::StrhImm, all, array, offset);
            }
        }
    }
}
