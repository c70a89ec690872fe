//! Code for the columns of a pass, with variables for registers.

use super::V;

use crate::compile::CompileError;
use crate::thumb::assign::{Placed, Slot, Slots};
use crate::thumb::registers::{Pool, allocate};
use crate::transform::{Block, Op};
use isa::thumb::{Inst, Mode, Op as Row, Reg, Shift, ShiftKind};
use std::collections::BTreeMap;

/// How many coefficients an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// One in each register, with instructions of ARMv7-M. A product is wanted in the upper half, from where the flexible operand of the
    /// next addition takes it.
    One,
    /// Two neighbours in each register, with those of the DSP extension.
    Two,
}

impl Lanes {
    /// Bytes in memory that are loaded at once.
    pub fn bytes(self) -> usize {
        2 * self.coefficients()
    }

    /// Coefficients in a register.
    pub fn coefficients(self) -> usize {
        match self {
            Lanes::One => 1,
            Lanes::Two => 2,
        }
    }
}

/// Where the word of a factor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// In a register during the whole pass.
    Register(Reg),
    /// So many bytes after where the table's register points.
    Table(i32),
    /// In a slot.
    Slot(Slot),
}

/// Registers with a fixed meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixed {
    /// Where in the table of factors, if that is wanted in a register.
    pub table: Reg,
    /// The modulus in the lower half; the upper half counts loops.
    pub modulus: Reg,
    /// What is added before a reduction's shift.
    pub rounding: Reg,
}

/// Where a row is: so many bytes from where a register points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The register.
    pub base: Reg,
    /// Bytes.
    pub offset: i32,
}

/// A column: what is done, and where.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// What is done.
    pub block: &'a Block,
    /// Where each row is.
    pub rows: Vec<Place>,
    /// Where its factors are.
    pub factors: Vec<Factor>,
}

/// How loads are moved up from where what they bring is wanted. A load that follows another one overlaps with it; one that follows a store waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hoist {
    /// To the load before it if there are registers, else not.
    Near,
    /// As far as there are registers.
    Far,
}

/// A step of the code of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Item {
    /// A row is loaded.
    Row(usize, usize),
    /// A factor is loaded.
    Factor(usize, usize),
    /// An operation is done.
    Do(usize, usize),
    /// A row is stored.
    Store(usize, usize),
}

impl Item {
    fn loads(self) -> bool {
        matches!(self, Item::Row(..) | Item::Factor(..))
    }
}

/// The code of some columns, one after the other. With the last store through each register that points to rows it moves by `step.0` bytes, with
/// the last load of a factor that of the table by `step.1`.
pub struct Body<'a> {
    pub lanes: Lanes,
    pub fixed: Fixed,
    pub columns: Vec<Column<'a>>,
    pub step: (i32, i32),
    /// If the table holds halfwords: the register that makes words of them, by multiplication.
    pub reciprocal: Option<Reg>,
    pub slots: &'a Slots,
    pub pool: Pool,
}

impl Body<'_> {
    /// # Errors
    /// If there are too few registers, or the first row is not the last that is stored.
    pub fn code(&self, hoist: Hoist) -> Result<Vec<Placed>, CompileError> {
        let refuse = |what: &str| CompileError::Check { pass: "registers", what: what.to_owned() };
        let mut items: Vec<Item> = (0..self.columns.len()).flat_map(|c| self.lazy(c)).collect();
        self.hoist(&mut items, hoist);
        if !self.ends_where_it_moves(&items) {
            return Err(refuse("a last row that is stored, or the last factor, is not where its register points"));
        }
        let code = allocate(&self.emit(&items), &self.pool)
            .ok_or_else(|| refuse("there are too few registers for a column"))?;
        let code = code.into_iter().map(|inst| if self.reciprocal.is_some() { narrow(inst) } else { inst });
        Ok(code.map(Placed::from).collect())
    }

    /// Moves loads up where there are registers for what they bring.
    fn hoist(&self, items: &mut Vec<Item>, hoist: Hoist) {
        let fits = |items: &[Item]| allocate(&self.emit(items), &self.pool).is_some();
        let mut earliest = 0;
        for at in 0..items.len() {
            if !items[at].loads() {
                continue;
            }
            let places = earliest..if hoist == Hoist::Far { at } else { at.min(earliest + 1) };
            let hoisted = places.into_iter().find_map(|to| {
                let mut trial = items.clone();
                trial[to..=at].rotate_right(1);
                fits(&trial).then_some((to, trial))
            });
            earliest = at + 1;
            if let Some((to, trial)) = hoisted {
                *items = trial;
                earliest = to + 1;
            }
        }
        let mut at = 0;
        while at < items.len() {
            let run = items[at..].iter().take_while(|item| item.loads()).count();
            let to = (0..at).rev().find(|&to| to == 0 || !matches!(items[to - 1], Item::Store(..)));
            if let Some(to) = to.filter(|_| run > 0 && at > 0 && matches!(items[at - 1], Item::Store(..))) {
                let mut trial = items.clone();
                trial[to..at + run].rotate_right(run);
                if fits(&trial) {
                    *items = trial;
                }
            }
            at += run.max(1);
        }
    }

    /// True if with the last store and the last load of a factor the registers move on from right there.
    fn ends_where_it_moves(&self, items: &[Item]) -> bool {
        let stored = (0..items.len()).filter(|&i| self.stores_last(items, i)).filter_map(|i| self.stored(items[i]));
        let mut stored = stored.map(|place| place.offset);
        let loaded = items.iter().rev().find_map(|item| match *item {
            Item::Factor(c, k) => Some(self.columns[c].factors[k]),
            _ => None,
        });
        stored.all(|offset| offset == 0) && matches!(loaded, None | Some(Factor::Table(0)))
    }

    /// Where an item stores.
    fn stored(&self, item: Item) -> Option<Place> {
        match item {
            Item::Store(c, row) => Some(self.columns[c].rows[row]),
            _ => None,
        }
    }

    /// True if an item is the last that stores through its register.
    fn stores_last(&self, items: &[Item], at: usize) -> bool {
        let base = |item: &Item| self.stored(*item).map(|place| place.base);
        base(&items[at]).is_some() && items[at + 1..].iter().all(|item| base(item) != base(&items[at]))
    }

    /// Everything as late as possible.
    fn lazy(&self, c: usize) -> Vec<Item> {
        let Column { block, factors, .. } = &self.columns[c];
        let (mut items, mut fetched) = (Vec::new(), Vec::new());
        let mut fetch = |items: &mut Vec<Item>, item| {
            if !fetched.contains(&item) {
                fetched.push(item);
                items.push(item);
            }
        };
        for (i, op) in block.ops.iter().enumerate() {
            if let Op::Mul(terms) = op {
                let in_table = terms.iter().filter(|(k, _)| matches!(factors[*k], Factor::Table(_)));
                in_table.for_each(|(k, _)| fetch(&mut items, Item::Factor(c, *k)));
            }
            op.sources().iter().filter(|v| **v < block.rows).for_each(|v| fetch(&mut items, Item::Row(c, *v)));
            items.push(Item::Do(c, i));
            let finished = |row: &usize| block.results[*row] == block.rows + i;
            items.extend((0..block.rows).filter(finished).map(|row| Item::Store(c, row)));
        }
        items
    }

    fn emit(&self, items: &[Item]) -> Vec<Inst<V>> {
        let mut e = Emit { body: self, code: Vec::new(), next: 16, at: BTreeMap::new() };
        let last_factor = items.iter().rposition(|item| matches!(item, Item::Factor(..)));
        for (i, item) in items.iter().enumerate() {
            match *item {
                Item::Row(c, row) => e.row(c, row),
                Item::Factor(c, k) => e.factor(c, k, last_factor == Some(i)),
                Item::Do(c, op) => e.operation(c, op),
                Item::Store(c, row) => e.store(c, row, self.stores_last(items, i)),
            }
        }
        e.code
    }
}

/// The 16-bit form of a multiplication, which sets flags: nobody wants those from before.
fn narrow(inst: Inst) -> Inst {
    let fits = inst.op == Row::Mul && inst.d == inst.m && inst.d.is_low() && inst.n.is_low();
    Inst { set_flags: inst.set_flags || fits, ..inst }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Value(usize, usize),
    Factor(usize, usize),
    Word(usize, usize),
}

/// Writes instructions.
struct Emit<'a> {
    body: &'a Body<'a>,
    code: Vec<Inst<V>>,
    next: u16,
    at: BTreeMap<Key, V>,
}

const UPPER: Shift = Shift { kind: ShiftKind::Asr, amount: 16 };

fn v(reg: Reg) -> V {
    V(reg.0.into())
}

impl Emit<'_> {
    fn fresh(&mut self) -> V {
        self.next += 1;
        V(self.next - 1)
    }

    fn push(&mut self, inst: Inst<V>) -> V {
        self.code.push(inst);
        inst.d
    }

    fn op(&mut self, row: Row, n: V, m: V, a: V) -> V {
        let d = self.fresh();
        self.push(Inst { d, n, m, a, ..Inst::new(row) })
    }

    fn row(&mut self, c: usize, row: usize) {
        let op = if self.body.lanes == Lanes::One { Row::LdrshImm } else { Row::LdrImm };
        let d = self.fresh();
        let Place { base, offset: imm } = self.body.columns[c].rows[row];
        self.push(Inst { d, n: v(base), imm, ..Inst::new(op) });
        self.at.insert(Key::Value(c, row), d);
    }

    fn factor(&mut self, c: usize, k: usize, last: bool) {
        let Factor::Table(offset) = self.body.columns[c].factors[k] else { return };
        let d = self.fresh();
        let (imm, mode) = if last { (self.body.step.1, Mode::PostIndex) } else { (offset, Mode::Offset) };
        let load = if self.body.reciprocal.is_some() { Row::LdrshImm } else { Row::LdrImm };
        self.push(Inst { d, n: v(self.body.fixed.table), imm, mode, ..Inst::new(load) });
        self.at.insert(Key::Factor(c, k), d);
    }

    fn store(&mut self, c: usize, row: usize, last: bool) {
        let op = if self.body.lanes == Lanes::One { Row::StrhImm } else { Row::StrImm };
        let column = &self.body.columns[c];
        let d = self.at[&Key::Value(c, column.block.results[row])];
        let Place { base, offset } = column.rows[row];
        let (imm, mode) = if last { (self.body.step.0, Mode::PostIndex) } else { (offset, Mode::Offset) };
        self.push(Inst { d, n: v(base), imm, mode, ..Inst::new(op) });
    }

    fn operation(&mut self, c: usize, i: usize) {
        let block = self.body.columns[c].block;
        let value = |e: &Self, n: usize| e.at[&Key::Value(c, n)];
        let d = match &block.ops[i] {
            Op::Add(a, b) | Op::Sub(a, b) => {
                let adds = matches!(block.ops[i], Op::Add(..));
                let (n, m) = (value(self, *a), value(self, *b));
                match self.body.lanes {
                    Lanes::Two => self.op(if adds { Row::Uadd16 } else { Row::Usub16 }, n, m, V::default()),
                    Lanes::One => {
                        let shift = if in_upper_half(block, *b) { UPPER } else { Shift::NONE };
                        let d = self.fresh();
                        let row = if adds { Row::AddReg } else { Row::SubReg };
                        self.push(Inst { d, n, m, shift, ..Inst::new(row) })
                    }
                }
            }
            Op::Mul(terms) => {
                let terms: Vec<(V, V)> =
                    terms.iter().map(|(k, n)| (self.factor_register(c, *k), value(self, *n))).collect();
                match self.body.lanes {
                    Lanes::Two => self.two_products(&terms),
                    Lanes::One => {
                        let product = self.product(&terms);
                        if in_upper_half(block, block.rows + i) { product } else { self.shifted(product) }
                    }
                }
            }
        };
        self.at.insert(Key::Value(c, block.rows + i), d);
    }

    fn factor_register(&mut self, c: usize, k: usize) -> V {
        match self.body.columns[c].factors[k] {
            Factor::Register(reg) => v(reg),
            Factor::Table(_) => self.word(c, k),
            Factor::Slot(slot) => {
                let d = self.fresh();
                let load = self.body.slots.load(slot, Reg(0)).map(|_, class, _, reg| match (class, slot) {
                    (isa::thumb::Class::Single, _) => V(reg.0.into()),
                    _ if reg == Reg::SP => V(13),
                    _ => d,
                });
                self.push(load)
            }
        }
    }

    /// The word of a factor that has been loaded, made of its halfword when it is first wanted.
    fn word(&mut self, c: usize, k: usize) -> V {
        let loaded = self.at[&Key::Factor(c, k)];
        match (self.at.get(&Key::Word(c, k)), self.body.reciprocal) {
            (Some(&word), _) => word,
            (None, None) => loaded,
            (None, Some(reciprocal)) => {
                // In its own register: that takes 16 bits if the register is a low one.
                self.push(Inst { d: loaded, n: v(reciprocal), m: loaded, ..Inst::new(Row::Mul) });
                self.at.insert(Key::Word(c, k), loaded);
                loaded
            }
        }
    }

    /// Products of both halves with the factors, reduced and put together again.
    fn two_products(&mut self, terms: &[(V, V)]) -> V {
        let (q, c) = (v(self.body.fixed.modulus), v(self.body.fixed.rounding));
        let mut halves: Option<[V; 2]> = None;
        for &(w, x) in terms {
            halves = Some(match halves {
                None => [self.op(Row::Smulwb, w, x, V::default()), self.op(Row::Smulwt, w, x, V::default())],
                Some([low, high]) => [self.op(Row::Smlawb, w, x, low), self.op(Row::Smlawt, w, x, high)],
            });
        }
        let [low, high] = halves.unwrap_or_default().map(|half| self.op(Row::Smlabb, half, q, c));
        let d = self.fresh();
        self.push(Inst { d, n: high, m: low, shift: UPPER, ..Inst::new(Row::Pkhtb) })
    }

    /// A product in the upper half.
    fn product(&mut self, terms: &[(V, V)]) -> V {
        let (q, c) = (v(self.body.fixed.modulus), v(self.body.fixed.rounding));
        let mut sum: Option<V> = None;
        for &(w, x) in terms {
            sum = Some(match sum {
                None => self.op(Row::Mul, w, x, V::default()),
                Some(sum) => self.op(Row::Mla, w, x, sum),
            });
        }
        let upper = self.shifted(sum.unwrap_or_default());
        self.op(Row::Mla, upper, q, c)
    }

    fn shifted(&mut self, m: V) -> V {
        let d = self.fresh();
        self.push(Inst { d, m, shift: UPPER, ..Inst::new(Row::AsrImm) })
    }
}

/// True if a product is only added and subtracted, so that its shift costs nothing.
fn in_upper_half(block: &Block, value: usize) -> bool {
    let product = value.checked_sub(block.rows).is_some_and(|i| matches!(block.ops[i], Op::Mul(_)));
    product
        && !block.results.contains(&value)
        && block.ops.iter().all(|op| match op {
            Op::Add(a, _) | Op::Sub(a, _) => *a != value,
            Op::Mul(terms) => terms.iter().all(|(_, v)| *v != value),
        })
}
