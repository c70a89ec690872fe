//! The order of a block's instructions, and what is in registers meanwhile: simulated annealing by a simple model of the core.
//!
//! Nothing has a register yet: it is enough that at no time more values are in registers than there are registers (the stretches in which
//! values are in registers are intervals, which so many registers can always be given to). A value may be loaded again instead of being kept.

use crate::made::Made;

/// A value, by its number in the block.
pub type Name = u16;

/// Values at most, as bits of a [`Set`].
pub const NAMES_MAX: usize = 64 * SET_WORDS;
const SET_WORDS: usize = 5;

/// One thing that is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// Computes a value from two values that are in registers.
    Run(Name, [Name; 2]),
    /// Loads a constant; the second value is the address of the table.
    Constant(Name, Name),
    /// Loads a value from where it is in memory, or from its slot.
    Load(Name),
    /// Puts a value into its slot.
    Save(Name),
    /// Stores a word of the array where the second value has been.
    Store(Name, Name),
}

/// A block to find an order for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    /// A right order, however slow.
    pub items: Vec<Item>,
    /// Values that are in registers at first.
    pub before: Vec<Name>,
    /// Values that are in slots at first.
    pub waiting: Vec<Name>,
    /// Values that have to be in registers at last.
    pub after: Vec<Name>,
    /// Values that have to be in slots at last.
    pub kept: Vec<Name>,
    /// Slots are floating-point registers.
    pub fast_slots: bool,
    /// How many values can be in registers at once.
    pub registers: u32,
    /// Few instructions are wanted, rather than few cycles.
    pub short: bool,
}

/// Values in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Set([u64; SET_WORDS]);

impl Set {
    fn of(names: &[Name]) -> Set {
        let mut set = Set::default();
        names.iter().for_each(|&name| _ = set.insert(name));
        set
    }

    /// True if it was not there.
    fn insert(&mut self, name: Name) -> bool {
        let (word, bit) = (&mut self.0[name as usize / 64], 1 << (name % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// True if it was there.
    fn remove(&mut self, name: Name) -> bool {
        let (word, bit) = (&mut self.0[name as usize / 64], 1 << (name % 64));
        let old = *word & bit != 0;
        *word &= !bit;
        old
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn has(&self, name: Name) -> bool {
        self.0[name as usize / 64] >> (name % 64) & 1 == 1
    }

    /// What has to be in registers before an item if this is afterwards; `None` if the item is of no use.
    fn before(mut self, item: Item) -> Option<Set> {
        match item {
            Item::Run(d, operands) => {
                if !self.remove(d) {
                    return None;
                }
                operands.iter().for_each(|&v| _ = self.insert(v));
            }
            Item::Constant(d, address) => {
                if !self.remove(d) {
                    return None;
                }
                self.insert(address);
            }
            Item::Load(d) => {
                if !self.remove(d) {
                    return None;
                }
            }
            Item::Save(s) | Item::Store(s, _) => _ = self.insert(s),
        }
        Some(self)
    }
}

impl Item {
    fn reads(self, name: Name) -> bool {
        match self {
            Item::Run(_, operands) => operands.contains(&name),
            Item::Constant(_, address) => address == name,
            Item::Load(_) => false,
            Item::Save(s) | Item::Store(s, _) => s == name,
        }
    }

    /// True if the two must keep their order, whatever is in registers.
    fn conflicts(self, other: Item) -> bool {
        let one = |a: Item, b: Item| match a {
            Item::Run(d, _) => b.reads(d),
            Item::Constant(d, _) => b.reads(d),
            Item::Load(v) => matches!(b, Item::Store(_, old) if old == v) || b == Item::Save(v),
            _ => false,
        };
        one(self, other) || one(other, self)
    }
}

/// Trials for each item.
const TRIALS: usize = 5000;
/// Cycles that a trial may cost, at first and at last.
const HEAT: [f64; 2] = [0.25, 0.08];
/// What a value too many in registers costs, at each instruction, at first and at last.
const PRESSURE: [f64; 2] = [0.3, 0.6];
/// How far something is moved, mostly and at most.
const REACH: [usize; 2] = [8, 60];

/// Orders found so far: cores share them.
static MADE: Made<Problem, Option<Found>> = Made::new();

/// Xorshift, so that the same block has the same order on every host.
struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x2545_f491_4f6c_dd1d)
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, n: usize) -> usize {
        (((self.next() & 0xffff_ffff) * n as u64) >> 32) as usize
    }

    /// In (0, 1].
    fn unit(&mut self) -> f64 {
        ((self.next() & 0xf_ffff) + 1) as f64 / 1_048_576.0
    }
}

/// An order and what it costs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    items: Vec<Item>,
    cycles: i32,
}

struct Search<'a> {
    problem: &'a Problem,
    /// Values that are in slots at any time; all others that can be loaded are words of the array.
    slotted: Set,
    waiting: Set,
    kept: Set,
    before: Set,
    items: Vec<Item>,
    /// In registers before each item, and after the last one.
    live: Vec<Set>,
    cycles: i32,
    /// Values too many, summed up over all items.
    excess: i32,
    random: Random,
    /// A changed stretch, last item first, and what is in registers after each of its items and of those before it as far as that changes.
    new: Vec<Item>,
    new_live: Vec<Set>,
}

/// A replacement of the items from `from` to `to` by those of `Search::new`.
struct Change {
    from: usize,
    to: usize,
    cycles: i32,
    excess: i32,
}

/// The best order found; `None` if none was found for so few registers.
pub fn order(problem: &Problem) -> Option<Vec<Item>> {
    MADE.get(problem.clone(), |problem| Search::new(problem)?.run()).map(|found| found.items)
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem) -> Option<Search<'a>> {
        let saved = problem.items.iter().filter_map(|i| if let Item::Save(v) = i { Some(*v) } else { None });
        let slotted: Vec<Name> = saved.chain(problem.waiting.iter().copied()).collect();
        let mut search = Search {
            problem,
            slotted: Set::of(&slotted),
            waiting: Set::of(&problem.waiting),
            kept: Set::of(&problem.kept),
            before: Set::of(&problem.before),
            items: Vec::new(),
            live: vec![Set::of(&problem.after)],
            cycles: 0,
            excess: 0,
            random: Random::default(),
            new: problem.items.iter().rev().copied().collect(),
            new_live: Vec::new(),
        };
        // An empty order becomes the given one. What is in registers after nothing is what is wanted at the end.
        let change = search.rate(0, 0)?;
        search.apply(&change);
        Some(search)
    }

    /// Simulated annealing.
    fn run(mut self) -> Option<Found> {
        let found = |search: &Self| Found { items: search.items.clone(), cycles: search.cycles };
        let mut best = (self.excess == 0).then(|| found(&self));
        let trials = TRIALS * self.items.len();
        for trial in 0..trials {
            let done = trial as f64 / trials as f64;
            let heat = HEAT[0] * (HEAT[1] / HEAT[0]).powf(done);
            let pressure = PRESSURE[0] + (PRESSURE[1] - PRESSURE[0]) * done;
            let Some(change) = self.propose() else { continue };
            let worse = f64::from(change.cycles) + pressure * f64::from(change.excess);
            if worse <= 0.0 || worse < -heat * self.random.unit().ln() {
                self.apply(&change);
                if self.excess == 0 && best.as_ref().is_none_or(|b| self.cycles < b.cycles) {
                    best = Some(found(&self));
                }
            }
        }
        best
    }

    /// Cycles of an item after another, as in `Pipeline`: loads overlap with loads that follow, and wait for stores before them.
    fn cost(&self, previous: Option<Item>, item: Item) -> i32 {
        if self.problem.short {
            return 1;
        }
        let is_load = |item: Item| match item {
            Item::Load(v) => !self.fast(v),
            Item::Constant(..) => true,
            _ => false,
        };
        let is_store = |item: Item| match item {
            Item::Store(..) => true,
            Item::Save(v) => !self.fast(v),
            _ => false,
        };
        let Some(previous) = previous else { return 1 };
        let late = match (previous, item) {
            (Item::Load(v), Item::Constant(_, address)) => v == address && is_load(previous),
            _ => false,
        };
        let ends = is_load(previous) && !is_load(item);
        let waits = is_store(previous) && is_load(item);
        1 + i32::from(late) + i32::from(ends) + i32::from(waits)
    }

    fn fast(&self, v: Name) -> bool {
        self.problem.fast_slots && self.slotted.has(v)
    }

    fn over(&self, set: &Set) -> i32 {
        (set.len() as i32 - self.problem.registers as i32).max(0)
    }

    /// What it would change if the items from `from` to `to` were those of `new`; `None` if that is not right.
    fn rate(&mut self, from: usize, to: usize) -> Option<Change> {
        let mut live = self.live[to];
        let mut excess = 0;
        self.new_live.clear();
        for &item in &self.new {
            live = live.before(item)?;
            self.new_live.push(live);
            excess += self.over(&live);
        }
        for i in from..to {
            excess -= self.over(&self.live[i]);
        }
        let mut at = from;
        while at > 0 && live != self.live[at] {
            at -= 1;
            live = live.before(self.items[at])?;
            excess += self.over(&live) - self.over(&self.live[at]);
            self.new_live.push(live);
        }
        if at == 0 && live != self.before {
            return None;
        }
        let mut cycles = 0;
        let mut previous = from.checked_sub(1).map(|i| self.items[i]);
        for &item in self.new.iter().rev() {
            cycles += self.cost(previous, item);
            previous = Some(item);
        }
        if let Some(&next) = self.items.get(to) {
            cycles += self.cost(previous, next);
        }
        let mut previous = from.checked_sub(1).map(|i| self.items[i]);
        for &item in self.items[from..(to + 1).min(self.items.len())].iter() {
            cycles -= self.cost(previous, item);
            previous = Some(item);
        }
        Some(Change { from, to, cycles, excess })
    }

    fn apply(&mut self, change: &Change) {
        let below = self.new_live.len() - self.new.len();
        let start = change.from - below;
        self.live.splice(start..change.to, self.new_live.iter().rev().copied());
        self.items.splice(change.from..change.to, self.new.iter().rev().copied());
        self.cycles += change.cycles;
        self.excess += change.excess;
    }

    fn propose(&mut self) -> Option<Change> {
        let n = self.items.len();
        let at = self.random.below(n);
        match self.random.below(100) {
            0..=69 => {
                let reach = if self.random.below(4) == 0 { REACH[1] } else { REACH[0] };
                let to = (at + self.random.below(2 * reach + 1)).saturating_sub(reach).min(n - 1);
                self.moved(at, to)
            }
            70..=79 => {
                if !matches!(self.items[at], Item::Load(_) | Item::Constant(..)) {
                    return None;
                }
                let to = (at + self.random.below(2 * REACH[1] + 1)).saturating_sub(REACH[1]).min(n - 1);
                let is_load = |&i: &usize| i != at && matches!(self.items[i], Item::Load(_) | Item::Constant(..));
                let to = (to..n.min(to + 20)).find(is_load)?;
                self.moved(at, to)
            }
            80..=86 => {
                let before = &self.items[..at];
                let keep = match self.items[at] {
                    Item::Load(v) => !self.slotted.has(v),
                    Item::Constant(v, _) => !before.iter().any(|i| matches!(i, Item::Constant(w, _) if *w == v)),
                    Item::Save(v) => self.kept.has(v) || self.items.contains(&Item::Load(v)),
                    _ => true,
                };
                if keep {
                    return None;
                }
                self.new.clear();
                self.rate(at, at + 1)
            }
            87..=93 => {
                let Item::Run(_, operands) = self.items[at] else { return None };
                let v = operands[self.random.below(2)];
                let to = at.saturating_sub(self.random.below(6));
                if !self.waiting.has(v) && !self.items[..to].contains(&Item::Save(v)) {
                    return None;
                }
                self.new.clear();
                self.new.push(Item::Load(v));
                self.rate(to, to)
            }
            _ => {
                let load = |i: &usize| matches!(self.items[*i], Item::Load(_) | Item::Constant(..));
                let run = (at..n).take_while(load).count();
                let by = 1 + self.random.below(2 * REACH[0]);
                if run == 0 {
                    return None;
                }
                if self.random.below(2) == 0 {
                    self.exchanged(at.checked_sub(by)?, at, at + run)
                } else {
                    self.exchanged(at, at + run, (at + run + by).min(n))
                }
            }
        }
    }

    /// One item moved to another place.
    fn moved(&mut self, from: usize, to: usize) -> Option<Change> {
        if from < to { self.exchanged(from, from + 1, to + 1) } else { self.exchanged(to, from, from + 1) }
    }

    /// Two stretches, from `a` to `b` and from `b` to `c`, in exchanged order.
    fn exchanged(&mut self, a: usize, b: usize, c: usize) -> Option<Change> {
        for &first in &self.items[a..b] {
            if self.items[b..c].iter().any(|&second| first.conflicts(second)) {
                return None;
            }
        }
        self.new.clear();
        self.new.extend(self.items[a..b].iter().rev());
        self.new.extend(self.items[b..c].iter().rev());
        self.rate(a, c)
    }
}
