//! The same layers in passes that have as much in common as can be: for short code.

use super::passes::{Op, Pass, Writer, titled};
use super::{Direction, Transform};

/// Pairs of layers that differ in nothing but how far their rows are apart, and one layer in a pass of its own, in which each block has one column
/// of `column` coefficients in a row: forward the last one, inverse the first.
///
/// Of an inverse transform each pair multiplies all coefficients by the third root of the final factor, with which the sum of all rows is
/// reduced. There must be one.
pub fn passes(t: &Transform, column: usize) -> Vec<Pass> {
    let pairs = (0..t.layers / 2).map(|pair| 2 * pair);
    match t.direction {
        Direction::Forward => pairs.map(|layer| pair(t, layer)).chain([single(t, column)]).collect(),
        Direction::Inverse => {
            [single(t, column)].into_iter().chain(pairs.rev().map(|layer| pair_back(t, layer))).collect()
        }
    }
}

/// The third root of the final factor: its power whose exponent is a third of 1 modulo q - 1.
fn root_of_factor(t: &Transform) -> u32 {
    t.power(t.factor, (2 * t.modulus - 1) / 3)
}

/// True if the third root of the final factor is one.
pub fn fits(t: &Transform) -> bool {
    t.layers == 7 && t.power(root_of_factor(t), 3) == t.factor % t.modulus
}

fn pair(t: &Transform, layer: u32) -> Pass {
    let mut w = Writer::new(4);
    w.two([0, 2], 0);
    w.two([1, 3], 0);
    w.two([2, 3], 2);
    w.two([0, 1], 1);
    let factors = |block| vec![t.zeta(layer, block), t.zeta(layer + 1, 2 * block), t.zeta(layer + 1, 2 * block + 1)];
    wide(t, layer, w, factors, Vec::new())
}

/// Rows are added and subtracted first, so that few values are alive.
fn pair_back(t: &Transform, layer: u32) -> Pass {
    let mut w = Writer::new(4);
    w.differ([0, 1]);
    w.differ([2, 3]);
    w.differ([0, 2]);
    w.scale(2, 2);
    w.scale(0, 4);
    w.scale(1, 0);
    w.scale(3, 1);
    w.differ([1, 3]);
    w.scale(3, 3);
    let root = root_of_factor(t);
    let factors = |block| {
        let [left, right, both] = [(layer + 1, 2 * block), (layer + 1, 2 * block + 1), (layer, block)]
            .map(|(layer, block)| t.negated(t.zeta(layer, block)));
        vec![t.times(left, root), t.times(right, root), t.times(both, root), both]
    };
    wide(t, layer, w, factors, vec![root])
}

fn wide(t: &Transform, layer: u32, w: Writer, factors: impl Fn(u32) -> Vec<u32>, fixed: Vec<u32>) -> Pass {
    let stride = t.size as usize >> (layer + 2);
    let factors = (0..1 << layer).map(factors).collect();
    Pass { title: titled(layer, layer + 1, t), stride, columns: vec![w.block], factors, fixed }
}

fn single(t: &Transform, column: usize) -> Pass {
    let layer = t.layers - 1;
    let half = (t.size as usize >> t.layers) / column;
    let mut w = Writer::new(2 * half);
    for row in (0..half).rev() {
        match t.direction {
            Direction::Forward => w.two([row, row + half], 0),
            Direction::Inverse => {
                let difference = w.op(Op::Sub(row, row + half));
                w.block.results[row + half] = w.op(Op::Mul(vec![(0, difference)]));
                w.block.results[row] = w.op(Op::Add(row, row + half));
            }
        }
    }
    let factor = |zeta| if t.direction == Direction::Forward { zeta } else { t.negated(zeta) };
    let factors = (0..1 << layer).map(|block| vec![factor(t.zeta(layer, block))]).collect();
    Pass { title: titled(layer, layer, t), stride: column, columns: vec![w.block], factors, fixed: Vec::new() }
}
