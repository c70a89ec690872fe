//! Which layers are done together, and what is done in them.

use super::{Direction, Transform};

/// An operation on the values of a block. Values are numbered: first the rows, then each result in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// The sum of two values.
    Add(usize, usize),
    /// The first value minus the second.
    Sub(usize, usize),
    /// The sum of values times factors, reduced once: pairs of the number of a factor and that of a value.
    Mul(Vec<(usize, usize)>),
}

impl Op {
    /// The values that it reads.
    pub fn sources(&self) -> Vec<usize> {
        match self {
            Op::Add(a, b) | Op::Sub(a, b) => vec![*a, *b],
            Op::Mul(terms) => terms.iter().map(|(_, value)| *value).collect(),
        }
    }
}

/// What is done to the coefficients of a block that stand at the same place in each of its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// How many rows there are.
    pub rows: usize,
    /// In an order that keeps few values alive.
    pub ops: Vec<Op>,
    /// The value that each row becomes.
    pub results: Vec<usize>,
}

/// A number of layers, done in one pass over the polynomial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// For readers.
    pub title: String,
    /// Coefficients in a row: a block is `rows * stride` coefficients, one row after the other.
    pub stride: usize,
    /// What is done with each column of each block. A wide block has several forms of it, which take turns.
    pub columns: Vec<Block>,
    /// The factors of each block.
    pub factors: Vec<Vec<u32>>,
    /// Factors that are the same in all blocks; their numbers follow those of the others.
    pub fixed: Vec<u32>,
}

impl Pass {
    /// Rows of a block.
    pub fn rows(&self) -> usize {
        self.columns[0].rows
    }

    /// Factors of a block that are not the same in all.
    pub fn own_factors(&self) -> usize {
        self.factors[0].len()
    }

    /// Does the pass: `each` computes the results of operations. Columns are taken in halves of a block: with several forms, form k
    /// belongs to the k-th part of the columns.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn run<T: Copy, E>(
        &self,
        poly: &mut [T],
        mut each: impl FnMut(&Op, &dyn Fn(usize) -> T, &dyn Fn(usize) -> u32) -> Result<T, E>,
    ) -> Result<(), E> {
        let rows = self.rows();
        for (block, own) in poly.chunks_exact_mut(rows * self.stride).zip(&self.factors) {
            for column in 0..self.stride {
                let form = &self.columns[column * self.columns.len() / self.stride];
                let mut values: Vec<T> = (0..rows).map(|row| block[row * self.stride + column]).collect();
                for op in &form.ops {
                    let factor = |k: usize| own.get(k).copied().unwrap_or_else(|| self.fixed[k - own.len()]);
                    let value = each(op, &|v| values[v], &factor)?;
                    values.push(value);
                }
                for (row, &value) in form.results.iter().enumerate() {
                    block[row * self.stride + column] = values[value];
                }
            }
        }
        Ok(())
    }
}

/// Collects the operations of a block.
pub(super) struct Writer {
    pub(super) block: Block,
}

impl Writer {
    pub(super) fn new(rows: usize) -> Writer {
        Writer { block: Block { rows, ops: Vec::new(), results: (0..rows).collect() } }
    }

    pub(super) fn op(&mut self, op: Op) -> usize {
        self.block.ops.push(op);
        self.block.rows + self.block.ops.len() - 1
    }

    /// A forward butterfly between two rows.
    pub(super) fn two(&mut self, [a, b]: [usize; 2], factor: usize) {
        let [x, y] = [a, b].map(|row| self.block.results[row]);
        let turned = self.op(Op::Mul(vec![(factor, y)]));
        self.block.results[b] = self.op(Op::Sub(x, turned));
        self.block.results[a] = self.op(Op::Add(x, turned));
    }

    /// Two forward layers on four rows, with one reduction less than butterflies have: the second layer's products, whose factors multiply
    /// a sum with a product in it, are taken apart into sums of two products. Factors from `first` on: z, z', z z', z'', -z z''.
    fn four(&mut self, rows: [usize; 4], first: usize) {
        let [x0, x1, x2, x3] = rows.map(|row| self.block.results[row]);
        let turned = self.op(Op::Mul(vec![(first, x2)]));
        let lower = self.op(Op::Sub(x0, turned));
        let upper = self.op(Op::Add(x0, turned));
        let second_turned = self.op(Op::Mul(vec![(first + 3, x1), (first + 4, x3)]));
        let y3 = self.op(Op::Sub(lower, second_turned));
        let y2 = self.op(Op::Add(lower, second_turned));
        let first_turned = self.op(Op::Mul(vec![(first + 1, x1), (first + 2, x3)]));
        let y1 = self.op(Op::Sub(upper, first_turned));
        let y0 = self.op(Op::Add(upper, first_turned));
        for (row, y) in rows.into_iter().zip([y0, y1, y2, y3]) {
            self.block.results[row] = y;
        }
    }

    /// An inverse butterfly between two rows; the difference is multiplied.
    fn two_back(&mut self, [a, b]: [usize; 2], factor: usize) {
        let [x, y] = [a, b].map(|row| self.block.results[row]);
        let difference = self.op(Op::Sub(x, y));
        self.block.results[a] = self.op(Op::Add(x, y));
        self.block.results[b] = self.op(Op::Mul(vec![(factor, difference)]));
    }

    /// Two inverse layers on four rows, the reverse of [`four`](Self::four). Factors from `first` on: z, z', z'', z z', -z z''. The sum
    /// of all rows is the only one that is not reduced.
    fn four_back(&mut self, rows: [usize; 4], first: usize) {
        let [y0, y1, y2, y3] = rows.map(|row| self.block.results[row]);
        let d = self.op(Op::Sub(y0, y1));
        let a = self.op(Op::Add(y0, y1));
        let e = self.op(Op::Sub(y2, y3));
        let b = self.op(Op::Add(y2, y3));
        let x1 = self.op(Op::Mul(vec![(first + 1, d), (first + 2, e)]));
        let x3 = self.op(Op::Mul(vec![(first + 3, d), (first + 4, e)]));
        let difference = self.op(Op::Sub(a, b));
        let x2 = self.op(Op::Mul(vec![(first, difference)]));
        let x0 = self.op(Op::Add(a, b));
        for (row, x) in rows.into_iter().zip([x0, x1, x2, x3]) {
            self.block.results[row] = x;
        }
    }

    /// Rows become their sum and their difference.
    pub(super) fn differ(&mut self, [a, b]: [usize; 2]) {
        let [x, y] = [a, b].map(|row| self.block.results[row]);
        self.block.results[b] = self.op(Op::Sub(x, y));
        self.block.results[a] = self.op(Op::Add(x, y));
    }

    /// Multiplies a row.
    pub(super) fn scale(&mut self, row: usize, factor: usize) {
        self.block.results[row] = self.op(Op::Mul(vec![(factor, self.block.results[row])]));
    }
}

/// The factors of two layers on four rows, the first of them having `1 << layer` blocks, times `factor`.
fn of_four(t: &Transform, layer: u32, block: u32, factor: u32) -> [u32; 5] {
    let [z, left, right] = [t.zeta(layer, block), t.zeta(layer + 1, 2 * block), t.zeta(layer + 1, 2 * block + 1)];
    match t.direction {
        Direction::Forward => [z, left, t.times(z, left), right, t.negated(t.times(z, right))],
        // Lower minus upper is multiplied, so that all change their sign, and products of two keep it.
        Direction::Inverse => {
            [t.negated(z), t.negated(left), t.negated(right), t.times(z, left), t.negated(t.times(z, right))]
                .map(|z| t.times(z, factor))
        }
    }
}

/// The passes of a transform of seven layers: two, two and three of them forward, and back in the reverse order. More at a time do not fit
/// the registers of small cores; two with their factors in registers, for many columns one after the other, take less time than three.
pub fn passes(t: &Transform) -> Vec<Pass> {
    match t.direction {
        Direction::Forward => vec![pair(t, 0), pair(t, 2), three(t, 4)],
        Direction::Inverse => vec![three_back(t, 4), pair_back(t, 2), pair_back(t, 0)],
    }
}

pub(super) fn titled(first: u32, last: u32, t: &Transform) -> String {
    // The standards count neither way; here the first layer done is 1.
    let (from, to) = match t.direction {
        Direction::Forward => (first + 1, last + 1),
        Direction::Inverse => (t.layers - last, t.layers - first),
    };
    if from == to { format!("layer {from}") } else { format!("layers {from} to {to}") }
}

fn pair(t: &Transform, layer: u32) -> Pass {
    let mut w = Writer::new(4);
    w.four([0, 1, 2, 3], 0);
    let factors = (0..1 << layer).map(|block| of_four(t, layer, block, 1).to_vec()).collect();
    let title = titled(layer, layer + 1, t);
    Pass { title, stride: t.size as usize >> (layer + 2), columns: vec![w.block], factors, fixed: Vec::new() }
}

fn three(t: &Transform, layer: u32) -> Pass {
    let mut w = Writer::new(8);
    for row in [0, 1, 2, 3] {
        w.two([row, row + 4], 0);
    }
    // The last half first: the last row to be finished is then the first, from which the address moves on.
    for (half, first) in [(4, 1), (0, 4)] {
        w.two([half, half + 2], first);
        w.two([half + 1, half + 3], first);
        w.two([half + 2, half + 3], first + 1);
        w.two([half, half + 1], first + 2);
    }
    let factors = (0..1 << layer).map(|block| {
        let mut factors = vec![t.zeta(layer, block)];
        for half in [1, 0] {
            let upper = 2 * block + half;
            factors.extend([t.zeta(layer + 1, upper), t.zeta(layer + 2, 2 * upper + 1), t.zeta(layer + 2, 2 * upper)]);
        }
        factors
    });
    let (title, factors) = (titled(layer, layer + 2, t), factors.collect());
    Pass { title, stride: t.size as usize >> (layer + 3), columns: vec![w.block], factors, fixed: Vec::new() }
}

/// All of the final factor is multiplied in here: into the factors of rows that are multiplied anyway, and into the first row, which is the
/// sum of eight and has to be reduced.
fn three_back(t: &Transform, layer: u32) -> Pass {
    let mut w = Writer::new(8);
    w.four_back([0, 1, 2, 3], 0);
    // With the first half waiting, there are no registers for sums of products.
    w.two_back([4, 5], 5);
    w.two_back([6, 7], 6);
    w.two_back([4, 6], 7);
    w.two_back([5, 7], 8);
    for row in [1, 2, 3] {
        w.two_back([row, row + 4], 9);
    }
    w.two_back([0, 4], 10);
    w.scale(0, 11);
    let factors = (0..1 << layer).map(|block| {
        let back = |layer, block| t.negated(t.zeta(layer, block));
        let scaled = |factor| t.times(factor, t.factor);
        let [first, second] = [4 * block + 2, 4 * block + 3].map(|block| scaled(back(layer + 2, block)));
        let [right, last] = [back(layer + 1, 2 * block + 1), back(layer, block)];
        let mut factors = of_four(t, layer + 1, 2 * block, t.factor).to_vec();
        // What has been multiplied once is scaled.
        factors.extend([first, second, scaled(right), right, last, scaled(last)]);
        factors
    });
    let (title, factors) = (titled(layer, layer + 2, t), factors.collect());
    Pass { title, stride: t.size as usize >> (layer + 3), columns: vec![w.block], factors, fixed: vec![t.factor] }
}

fn pair_back(t: &Transform, layer: u32) -> Pass {
    let forms = if layer == 0 { vec![false] } else { vec![true, false] };
    let columns = forms.iter().map(|&reduced| {
        let mut w = Writer::new(4);
        w.four_back([0, 1, 2, 3], 0);
        if reduced {
            w.scale(0, 5);
        }
        w.block
    });
    let columns = columns.collect();
    let factors = (0..1 << layer).map(|block| of_four(t, layer, block, 1).to_vec()).collect();
    let fixed = if layer == 0 { Vec::new() } else { vec![1] };
    Pass { title: titled(layer, layer + 1, t), stride: t.size as usize >> (layer + 2), columns, factors, fixed }
}
