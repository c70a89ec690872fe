//! Code for the groups of a loop's body, with variables for registers.

use super::{change, fractions};
use crate::compile::{CompileError, V};
use crate::map::{Element, Map, Op, Value};
use crate::thumb::assign::Placed;
use crate::thumb::registers::{Pool, allocate};
use isa::thumb::{Inst, Op as Row, Reg, Shift, ShiftKind};
use std::collections::BTreeMap;

/// How many coefficients a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// One, with instructions of ARMv7-M.
    One,
    /// Two neighbours, with those of the DSP extension.
    Two,
}

/// Constants that stay in registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Constant {
    /// The modulus; for two lanes its negative is in the upper half.
    Modulus,
    /// What is added before a reduction's shift.
    Rounding,
    /// The inverse of the modulus, modulo 2^32.
    Inverse,
    /// What takes the factor out again that a reduction leaves.
    Correction,
    /// 2^32 divided by the modulus, rounded.
    Reciprocal,
    /// See [`super::fractions`].
    Fraction,
    /// What is added to fractions, so that what is cut off is rounded.
    Half,
    /// A coefficient.
    Number(i16),
    /// A word.
    Word(u32),
}

/// The constants that a map wants, in the order of their registers.
pub fn constants(map: &Map, lanes: Lanes) -> Vec<Constant> {
    let mut all: Vec<Constant> = Vec::new();
    for op in &map.ops {
        all.extend(match (op, lanes) {
            (Op::Reduce(..), Lanes::One) => [Constant::Modulus, Constant::Rounding, Constant::Inverse].as_slice(),
            (Op::Reduce(..), Lanes::Two) => &[Constant::Modulus, Constant::Inverse],
            (Op::Compress(..), _) => &[Constant::Fraction, Constant::Half],
            (Op::Canonical(..), _) => &[Constant::Fraction, Constant::Half, Constant::Modulus],
            (Op::Scale(..), _) => &[Constant::Modulus, Constant::Rounding],
            (Op::Remainder(..), Lanes::Two) => &[Constant::Modulus, Constant::Reciprocal],
            (Op::Remainder(..), Lanes::One) => {
                &[Constant::Modulus, Constant::Rounding, Constant::Inverse, Constant::Correction]
            }
            _ => &[],
        });
        match op {
            Op::Constant(_, number) => all.push(Constant::Number(*number)),
            Op::Change { by, .. } => all.extend(change::constants(by, lanes)),
            Op::Decompress(_, _, bits) => all.extend(fractions::expanding(map.modulus, *bits).map(Constant::Word)),
            _ => {}
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// When values are loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loads {
    /// Where they are wanted.
    Wanted,
    /// Where the description has them.
    Described,
    /// All of so many groups before anything is done with them.
    Ahead(usize),
}

/// How the groups of a body are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taste {
    /// When values are loaded.
    pub loads: Loads,
    /// What is written waits until the next values are loaded.
    pub late: bool,
    /// Addresses move with the last access through them, not in instructions of their own.
    pub post: bool,
    /// Values are in the lowest registers that are free.
    pub low: bool,
    /// Nothing is in registers that 16-bit pushes and pops do not name, and that have to be kept.
    pub few: bool,
}

/// What is done with an address that is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walk {
    /// Its register.
    pub reg: Reg,
    /// Bytes of a group.
    pub bytes: u32,
}

/// The body of a loop.
pub struct Body<'a> {
    /// What is done.
    pub map: &'a Map,
    /// With what.
    pub lanes: Lanes,
    /// How many groups.
    pub groups: usize,
    /// How.
    pub taste: Taste,
    /// The arrays' addresses, and that of the factors if there are any.
    pub walks: Vec<Walk>,
    /// Where constants are.
    pub constants: BTreeMap<Constant, Reg>,
    /// Free registers.
    pub pool: Pool,
}

/// Code, and how many bytes after the first group each address is when it begins.
pub struct Made {
    /// In order.
    pub code: Vec<Placed>,
    /// For each address.
    pub bias: Vec<u32>,
}

/// An operation of a group, or the load of a factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Item {
    Do(usize, usize),
    Factor(usize, usize),
}

impl Body<'_> {
    /// # Errors
    /// If there are too few registers.
    pub fn code(&self) -> Result<Made, CompileError> {
        let refuse = |what: &str| CompileError::Check { pass: "registers", what: what.to_owned() };
        let items = self.items();
        // Where each address is used for the last time becomes the place that it points to.
        let mut emit = Emit::new(self);
        emit.all(&items)?;
        let mut last = emit.accesses.clone();
        last.retain(|walk, _| self.taste.post && self.can_move(*walk));
        let mut emit = Emit { last, ..Emit::new(self) };
        emit.all(&items)?;
        for (walk, by) in self.walks.iter().enumerate() {
            if !emit.last.contains_key(&walk) {
                emit.advance(*by, self.groups);
            }
        }
        let bias = (0..self.walks.len()).map(|walk| emit.last.get(&walk).map_or(0, |(_, at)| *at));
        let bias = bias.collect();
        let code = allocate(&emit.code, &self.pool).ok_or_else(|| refuse("there are too few for the groups"))?;
        Ok(Made { code: code.into_iter().map(Placed::from).collect(), bias })
    }

    /// The order of everything.
    fn items(&self) -> Vec<Item> {
        // What is overwritten by the groups before must have been read.
        let order: Vec<usize> =
            if self.map.overlaps { (0..self.groups).collect() } else { (0..self.groups).rev().collect() };
        let mut items: Vec<Item> = match self.taste.loads {
            Loads::Wanted => order.iter().flat_map(|group| self.wanted(*group)).collect(),
            Loads::Described => order.iter().flat_map(|group| self.described(*group)).collect(),
            Loads::Ahead(batch) => order.chunks(batch).flat_map(|groups| self.ahead(groups)).collect(),
        };
        if self.taste.late {
            self.delay_stores(&mut items);
        }
        items
    }

    /// Everything of a group where the description has it; factors are loaded with what they multiply.
    fn described(&self, group: usize) -> Vec<Item> {
        let ops = self.map.ops.iter().enumerate().flat_map(|(i, op)| {
            let factors = self.map.ops.iter().filter_map(|user| match (op, user) {
                (Op::Load(value, ..), Op::Scale(_, scaled, k, _)) if scaled == value => Some(Item::Factor(group, *k)),
                _ => None,
            });
            [Item::Do(group, i)].into_iter().chain(factors).collect::<Vec<_>>()
        });
        let mut items: Vec<Item> = Vec::new();
        ops.for_each(|item| {
            if !items.contains(&item) {
                items.push(item);
            }
        });
        items
    }

    /// The same with each load right before what wants it first; factors are loaded each time.
    fn wanted(&self, group: usize) -> Vec<Item> {
        let mut items = Vec::new();
        for (i, op) in self.map.ops.iter().enumerate().filter(|(_, op)| !matches!(op, Op::Load(..))) {
            let sources = op.sources();
            let loads = self.map.ops.iter().enumerate().filter_map(|(k, load)| match load {
                Op::Load(value, ..) if sources.contains(value) => Some(Item::Do(group, k)),
                _ => None,
            });
            let factor = match op {
                Op::Scale(_, _, k, _) => Some(Item::Factor(group, *k)),
                _ => None,
            };
            for item in loads.chain(factor).chain([Item::Do(group, i)]) {
                if matches!(item, Item::Factor(..)) || !items.contains(&item) {
                    items.push(item);
                }
            }
        }
        items
    }

    /// The same with all loads of some groups first, one array after the other.
    fn ahead(&self, groups: &[usize]) -> Vec<Item> {
        let all: Vec<Item> = groups.iter().flat_map(|group| self.described(*group)).collect();
        let array = |item: &Item| match *item {
            Item::Factor(..) => self.map.arrays.len(),
            Item::Do(_, i) => match self.map.ops[i] {
                Op::Load(_, place) => place.array,
                _ => usize::MAX,
            },
        };
        let mut items = all;
        items.sort_by_key(array);
        items
    }

    fn is_load(&self, item: &Item) -> bool {
        match *item {
            Item::Factor(..) => true,
            Item::Do(_, i) => matches!(self.map.ops[i], Op::Load(..)),
        }
    }

    /// A load right after a store waits for it: where they meet, the loads come first.
    fn delay_stores(&self, items: &mut [Item]) {
        let is_store = |item: &Item| matches!(*item, Item::Do(_, i) if matches!(self.map.ops[i], Op::Store(..)));
        let mut at = 0;
        while at < items.len() {
            let stores = items[at..].iter().take_while(|item| is_store(item)).count();
            let loads = items[at + stores..].iter().take_while(|item| self.is_load(item)).count();
            if stores > 0 {
                items[at..at + stores + loads].rotate_left(stores);
            }
            at += (stores + loads).max(1);
        }
    }

    fn factors(&self) -> usize {
        self.map.factors.first().map_or(0, Vec::len)
    }

    /// True if an address may point to another group than the first of the body: not where two go through the same memory.
    fn can_move(&self, walk: usize) -> bool {
        let written = |array: usize| self.map.ops.iter().any(|op| matches!(op, Op::Store(to, _) if to.array == array));
        let sum = |array: usize| self.map.arrays[array].element == Element::Sum;
        walk >= self.map.arrays.len() || !self.map.overlaps || !written(walk) && !sum(walk)
    }
}

/// What stands for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// All of a register; a coefficient with its sign.
    All(V),
    /// The lower half of a register.
    Lower(V),
    /// The upper half.
    Upper(V),
}

impl Held {
    pub fn register(self) -> V {
        match self {
            Held::All(v) | Held::Lower(v) | Held::Upper(v) => v,
        }
    }

    pub fn is_upper(self) -> bool {
        matches!(self, Held::Upper(_))
    }
}

pub const UPPER: Shift = Shift { kind: ShiftKind::Asr, amount: 16 };

pub fn v(reg: Reg) -> V {
    V(reg.0.into())
}

/// Writes instructions.
pub struct Emit<'a> {
    pub body: &'a Body<'a>,
    code: Vec<Inst<V>>,
    next: u16,
    pub held: BTreeMap<(usize, Value), Held>,
    factors: BTreeMap<(usize, usize), V>,
    /// How many accesses went through each address so far, and where the last one was.
    pub accesses: BTreeMap<usize, (u32, u32)>,
    /// The accesses with which addresses move.
    pub last: BTreeMap<usize, (u32, u32)>,
}

impl<'a> Emit<'a> {
    fn new(body: &'a Body<'a>) -> Emit<'a> {
        let (held, factors, accesses, last) = Default::default();
        Emit { body, code: Vec::new(), next: 16, held, factors, accesses, last }
    }

    fn all(&mut self, items: &[Item]) -> Result<(), CompileError> {
        items.iter().try_for_each(|item| match *item {
            Item::Factor(group, k) => {
                let walk = self.body.walks.len() - 1;
                let d = self.fresh();
                self.access(Row::LdrImm, d, walk, 4 * (group * self.body.factors() + k) as u32);
                self.factors.insert((group, k), d);
                Ok(())
            }
            Item::Do(group, i) => self.operation(group, i),
        })
    }

    pub fn fresh(&mut self) -> V {
        self.next += 1;
        V(self.next - 1)
    }

    pub fn push(&mut self, inst: Inst<V>) -> V {
        self.code.push(inst);
        inst.d
    }

    pub fn op(&mut self, row: Row, n: V, m: V, a: V) -> V {
        let d = self.fresh();
        self.push(Inst { d, n, m, a, ..Inst::new(row) })
    }

    pub fn constant(&self, constant: Constant) -> V {
        self.body.constants.get(&constant).map_or(V::default(), |reg| v(*reg))
    }

    fn operation(&mut self, group: usize, i: usize) -> Result<(), CompileError> {
        let body = self.body;
        let held = |e: &Self, value: &Value| e.held[&(group, *value)];
        let (value, made) = match &body.map.ops[i] {
            Op::Load(value, place) => {
                self.load(group, *value, *place);
                return Ok(());
            }
            Op::Store(place, value) => {
                self.store(group, *place, *value);
                return Ok(());
            }
            Op::Constant(value, number) => {
                let number = self.constant(Constant::Number(*number));
                (value, if body.lanes == Lanes::One { Held::All(number) } else { Held::Lower(number) })
            }
            Op::Products(value, terms, plus) => {
                let terms: Vec<[Held; 2]> = terms.iter().map(|(a, b)| [held(self, a), held(self, b)]).collect();
                let plus = plus.map(|plus| held(self, &plus).register());
                (value, Held::All(self.products(&terms, plus)))
            }
            Op::Reduce(value, sum) => {
                let sum = held(self, sum).register();
                (value, self.reduced(sum))
            }
            Op::Remainder(value, sum) => {
                let sum = held(self, sum).register();
                (value, self.remainder(sum))
            }
            Op::Scale(value, a, k, negated) => {
                let (w, a) = (self.factors[&(group, *k)], held(self, a));
                (value, self.scaled(w, a, *negated))
            }
            Op::Compress(value, a, bits) => {
                let a = held(self, a);
                (value, Held::All(self.compressed(a, *bits)))
            }
            Op::Canonical(value, a) => {
                let a = held(self, a);
                (value, Held::All(self.canonical(a)))
            }
            Op::Insert { to, into, from, at, count } => {
                let [d, n] = [into, from].map(|x| held(self, x).register());
                let insert = Inst { d, n, imm: *at as i32, imm2: *count, ..Inst::new(Row::Bfi) };
                (to, Held::All(self.push(insert)))
            }
            Op::Drop(value, from, bits) => {
                let m = held(self, from).register();
                (value, Held::All(self.dropped(m, *bits)))
            }
            Op::Bits(value, from, at, count) => {
                let n = held(self, from).register();
                (value, Held::All(self.bits(Row::Ubfx, n, *at, *count)))
            }
            Op::Decompress(value, number, bits) => {
                let number = held(self, number).register();
                (value, self.decompressed(number, *bits))
            }
            Op::Change { to, from, by } => {
                let from: Vec<Held> = from.iter().map(|x| held(self, x)).collect();
                let made = self.changed(group, &from, by);
                to.iter().zip(made).for_each(|(to, made)| _ = self.held.insert((group, *to), made));
                return Ok(());
            }
            Op::Xor(value, a, b) => {
                let [a, b] = [a, b].map(|x| held(self, x).register());
                (value, Held::All(self.op(Row::EorReg, a, b, V::default())))
            }
            Op::Exchange(to, from, n) => {
                let made = self.exchange(from.map(|x| held(self, &x).register()), *n);
                to.iter().zip(made).for_each(|(to, made)| _ = self.held.insert((group, *to), Held::All(made)));
                return Ok(());
            }
        };
        self.held.insert((group, *value), made);
        Ok(())
    }

    /// Two halves in one register.
    pub fn joined(&mut self, lower: Held, upper: Held) -> V {
        let (low, high) = (lower.register(), upper.register());
        if low == high && !lower.is_upper() && upper.is_upper() {
            return low;
        }
        let d = self.fresh();
        let (row, n, m, shift) = match (lower.is_upper(), upper.is_upper()) {
            (true, true) => (Row::Pkhtb, high, low, UPPER),
            (false, true) => (Row::Pkhbt, low, high, Shift::NONE),
            (false, false) => (Row::Pkhbt, low, high, Shift { kind: ShiftKind::Lsl, amount: 16 }),
            (true, false) => {
                let low = self.with_sign(lower);
                (Row::Pkhbt, low, high, Shift { kind: ShiftKind::Lsl, amount: 16 })
            }
        };
        self.push(Inst { d, n, m, shift, ..Inst::new(row) })
    }

    /// A coefficient in all of a register; where it is in the lower half of two lanes nobody looks at the upper one.
    pub fn with_sign(&mut self, held: Held) -> V {
        if held.is_upper() { self.shifted(held.register()) } else { held.register() }
    }

    fn shifted(&mut self, m: V) -> V {
        let d = self.fresh();
        self.push(Inst { d, m, shift: UPPER, ..Inst::new(Row::AsrImm) })
    }

    fn products(&mut self, terms: &[[Held; 2]], mut sum: Option<V>) -> V {
        let mut rest = terms;
        while let [first, ..] = rest {
            let taken = match rest {
                [_, second, ..] if self.body.lanes == Lanes::Two => self.both_halves(first, second, sum),
                _ => None,
            };
            sum = Some(match taken {
                Some(taken) => taken,
                None => self.product(*first, sum),
            });
            rest = &rest[if taken.is_some() { 2 } else { 1 }..];
        }
        sum.unwrap_or_default()
    }

    /// Two products of both halves of two registers at once.
    fn both_halves(&mut self, first: &[Held; 2], second: &[Held; 2], sum: Option<V>) -> Option<V> {
        let same = |k: usize| {
            let [one, other] = [first[k], second[k]];
            let halves = !matches!(one, Held::All(_)) && !matches!(other, Held::All(_));
            halves && one.register() == other.register() && one.is_upper() != other.is_upper()
        };
        if !same(0) || !same(1) {
            return None;
        }
        let crossed = first[0].is_upper() != first[1].is_upper();
        let [n, m] = first.map(Held::register);
        Some(match (sum, crossed) {
            (None, false) => self.op(Row::Smuad, n, m, V::default()),
            (None, true) => self.op(Row::Smuadx, n, m, V::default()),
            (Some(sum), false) => self.op(Row::Smlad, n, m, sum),
            (Some(sum), true) => self.op(Row::Smladx, n, m, sum),
        })
    }

    fn product(&mut self, [a, b]: [Held; 2], sum: Option<V>) -> V {
        match (self.body.lanes, sum) {
            (Lanes::One, None) => {
                let [n, m] = [self.with_sign(a), self.with_sign(b)];
                self.op(Row::Mul, n, m, V::default())
            }
            (Lanes::One, Some(sum)) => {
                let [n, m] = [self.with_sign(a), self.with_sign(b)];
                self.op(Row::Mla, n, m, sum)
            }
            (Lanes::Two, sum) => {
                let row = match (sum.is_some(), a.is_upper(), b.is_upper()) {
                    (false, false, false) => Row::Smulbb,
                    (false, false, true) => Row::Smulbt,
                    (false, true, false) => Row::Smultb,
                    (false, true, true) => Row::Smultt,
                    (true, false, false) => Row::Smlabb,
                    (true, false, true) => Row::Smlabt,
                    (true, true, false) => Row::Smlatb,
                    (true, true, true) => Row::Smlatt,
                };
                self.op(row, a.register(), b.register(), sum.unwrap_or_default())
            }
        }
    }

    fn reduced(&mut self, sum: V) -> Held {
        let (q, c) = (self.constant(Constant::Modulus), self.constant(Constant::Rounding));
        let product = self.op(Row::Mul, sum, self.constant(Constant::Inverse), V::default());
        match self.body.lanes {
            Lanes::One => {
                let upper = self.shifted(product);
                Held::Upper(self.op(Row::Mla, upper, q, c))
            }
            Lanes::Two if self.body.map.negates() => Held::Upper(self.op(Row::Smlatb, product, q, c)),
            // With all of the product nothing is dropped, and what is added is added anyway.
            Lanes::Two => Held::Lower(self.op(Row::Smmulr, product, q, V::default())),
        }
    }

    fn remainder(&mut self, sum: V) -> Held {
        match self.body.lanes {
            Lanes::One => {
                let reduced = self.reduced(sum);
                self.scaled(self.constant(Constant::Correction), reduced, false)
            }
            Lanes::Two => {
                let quotient = self.op(Row::Smmulr, sum, self.constant(Constant::Reciprocal), V::default());
                Held::Lower(self.op(Row::Mls, quotient, self.constant(Constant::Modulus), sum))
            }
        }
    }

    fn scaled(&mut self, w: V, a: Held, negated: bool) -> Held {
        let (q, c) = (self.constant(Constant::Modulus), self.constant(Constant::Rounding));
        Held::Upper(match self.body.lanes {
            Lanes::One => {
                let a = self.with_sign(a);
                let product = self.op(Row::Mul, w, a, V::default());
                let upper = self.shifted(product);
                self.op(if negated { Row::Mls } else { Row::Mla }, upper, q, c)
            }
            Lanes::Two => {
                let row = if a.is_upper() { Row::Smulwt } else { Row::Smulwb };
                let upper = self.op(row, w, a.register(), V::default());
                self.op(if negated { Row::Smlabt } else { Row::Smlabb }, upper, q, c)
            }
        })
    }
}
