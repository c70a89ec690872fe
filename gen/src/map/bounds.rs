//! How large the values of a map get.

use super::{Change, Element, Map, Op, Value};
use std::collections::BTreeMap;
use thiserror::Error;

/// From the least to the largest value.
pub type Range = (i64, i64);

/// How far a backend's reductions go.
#[derive(Clone, Copy, Debug)]
pub struct Reductions {
    /// Sums that are reduced right.
    pub sums: Range,
    /// What [`Op::Reduce`] and [`Op::Scale`] leave: from minus this to this.
    pub product: i64,
    /// What [`Op::Remainder`] leaves of a sum whose magnitude is at most the argument.
    pub remainder: fn(modulus: u32, sum: i64) -> i64,
}

/// A value that does not fit.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{op:?} gets from {} to {}, which is more than from {} to {}", .reached.0, .reached.1, .allowed.0, .allowed.1)]
pub struct Excess {
    /// The operation.
    pub op: Op,
    /// What it is given, or makes.
    pub reached: Range,
    /// What fits there.
    pub allowed: Range,
}

const I16: Range = (i16::MIN as i64, i16::MAX as i64);
const I32: Range = (i32::MIN as i64, i32::MAX as i64);

/// Checks that every value fits where it is, and that what is written is within the bounds of its array.
///
/// # Errors
/// The first value that does not.
pub fn check(map: &Map, reductions: &Reductions) -> Result<(), Excess> {
    let mut ranges: BTreeMap<Value, Range> = BTreeMap::new();
    for op in &map.ops {
        let range = |value: &Value| ranges.get(value).copied().unwrap_or(I32);
        let fits = |reached: Range, allowed: Range| {
            let inside = allowed.0 <= reached.0 && reached.1 <= allowed.1;
            if inside { Ok(reached) } else { Err(Excess { op: op.clone(), reached, allowed }) }
        };
        let around = |most: i64| (-most, most);
        let of_array = |array: usize, (least, most): (i32, i32)| {
            let all = if map.arrays[array].element == Element::Coefficient { I16 } else { I32 };
            (all.0.max(least.into()), all.1.min(most.into()))
        };
        let (value, reached) = match op {
            Op::Load(value, place) if map.arrays[place.array].element == Element::Bytes => {
                (*value, bits(8 * place.bytes))
            }
            Op::Load(value, place) => (*value, of_array(place.array, map.arrays[place.array].read)),
            Op::Store(place, value) => {
                fits(range(value), of_array(place.array, map.arrays[place.array].written))?;
                continue;
            }
            Op::Constant(value, number) => (*value, ((*number).into(), (*number).into())),
            Op::Products(value, terms, plus) => {
                let first = plus.map_or((0, 0), |plus| range(&plus));
                let sum = terms.iter().try_fold(first, |sum, (a, b)| {
                    let product = product(fits(range(a), I16)?, fits(range(b), I16)?);
                    fits((sum.0 + product.0, sum.1 + product.1), I32)
                });
                (*value, sum?)
            }
            Op::Reduce(value, sum) => {
                fits(range(sum), reductions.sums)?;
                (*value, around(reductions.product))
            }
            Op::Remainder(value, sum) => {
                let (least, most) = fits(range(sum), reductions.sums)?;
                (*value, fits(around((reductions.remainder)(map.modulus, most.max(-least))), I16)?)
            }
            Op::Scale(value, coefficient, ..) => {
                fits(range(coefficient), I16)?;
                (*value, around(reductions.product))
            }
            Op::Compress(value, coefficient, _) => {
                fits(range(coefficient), I16)?;
                (*value, I32)
            }
            Op::Canonical(value, coefficient) => {
                fits(range(coefficient), I16)?;
                (*value, (0, i64::from(map.modulus) - 1))
            }
            Op::Bits(value, _, _, count) => (*value, bits(*count)),
            Op::Decompress(value, number, depth) => {
                let (_, most) = fits(range(number), bits(*depth))?;
                let half = 1 << (depth - 1);
                (*value, (0, (most * i64::from(map.modulus) + half) >> depth))
            }
            Op::Change { to, from, by } => {
                let added = |k: usize| match by {
                    Change::Noise(_, eta) => around(i64::from(*eta)),
                    Change::Bits(_, number) => (i64::from(*number).min(0), i64::from(*number).max(0)),
                    Change::Minus(others) => (-range(&others[k]).1, -range(&others[k]).0),
                };
                let sum = |(k, from)| {
                    let ((least, most), (less, more)) = (range(from), added(k));
                    fits((least + less, most + more), I16)
                };
                let reached: Vec<Range> = from.iter().enumerate().map(sum).collect::<Result<_, _>>()?;
                ranges.extend(to.iter().copied().zip(reached));
                continue;
            }
            Op::Insert { to, into, at, count, .. } => {
                let (least, most) = range(into);
                let used = 64 - most.leading_zeros();
                (*to, if least < 0 { I32 } else { bits(used.max(at + count)) })
            }
            Op::Drop(value, from, count) => {
                let (least, most) = range(from);
                let left = if least < 0 { bits(32 - count).1 } else { most >> count };
                (*value, (0, left))
            }
            Op::Xor(value, ..) => (*value, I32),
            Op::Exchange([first, second], ..) => {
                ranges.insert(*first, I32);
                (*second, I32)
            }
        };
        ranges.insert(value, reached);
    }
    Ok(())
}

/// Numbers of so many bits; those of 32 are no numbers.
fn bits(count: u32) -> Range {
    if count < 32 { (0, (1 << count) - 1) } else { I32 }
}

fn product(a: Range, b: Range) -> Range {
    let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    all.iter().fold((i64::MAX, i64::MIN), |range, &x| (range.0.min(x), range.1.max(x)))
}
