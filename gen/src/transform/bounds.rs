//! How large coefficients get.

use super::{Op, Pass};
use thiserror::Error;

/// The largest value that a coefficient may have, and the smallest is its negative.
pub const MOST: u32 = i16::MAX as u32;

/// A coefficient does not fit.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{pass}: a coefficient can reach {reached}, which is more than 16 bits hold")]
pub struct Overflow {
    /// The title of the pass.
    pub pass: String,
    /// The largest magnitude that was computed.
    pub reached: u32,
}

/// Follows the bounds of all coefficients through the passes; `product` says how large a reduced sum of products of values within these
/// bounds with factors can be. Returns the bound of each coefficient at the end.
///
/// # Errors
/// [`Overflow`] if a value on the way can be larger than [`MOST`].
pub fn follow(passes: &[Pass], before: &[u32], product: impl Fn(&[u32]) -> u32) -> Result<Vec<u32>, Overflow> {
    let mut bounds = before.to_vec();
    for pass in passes {
        pass.run(&mut bounds, |op, value, _| {
            let reached = match op {
                Op::Add(a, b) | Op::Sub(a, b) => value(*a) + value(*b),
                Op::Mul(terms) => product(&terms.iter().map(|(_, v)| value(*v)).collect::<Vec<_>>()),
            };
            if reached > MOST { Err(Overflow { pass: pass.title.clone(), reached }) } else { Ok(reached) }
        })?;
    }
    Ok(bounds)
}

#[cfg(test)]
mod tests {
    use super::super::{Direction, Transform, passes, short};
    use super::*;
    use crate::kernels::kyber;
    use crate::verify::kyber as oracle;
    use std::convert::Infallible;

    const Q: u32 = 3329;

    fn transform(direction: Direction, bound: u32) -> Transform {
        let kernel = if direction == Direction::Forward { kyber::ntt() } else { kyber::invntt() };
        Transform { bound, bound_after: MOST, ..kernel.transform.unwrap() }
    }

    fn by_the_standard(direction: Direction, f: &[u32; 256]) -> [u32; 256] {
        let mut f = f.map(|x| x as i32);
        match direction {
            Direction::Forward => oracle::ntt(&mut f),
            Direction::Inverse => oracle::inverse_ntt(&mut f),
        }
        f.map(|x| x as u32)
    }

    fn by_passes(t: &Transform, passes: &[Pass], f: &mut [u32]) {
        for pass in passes {
            let ran: Result<(), Infallible> = pass.run(f, |op, value, factor| {
                Ok(match op {
                    Op::Add(a, b) => (value(*a) + value(*b)) % Q,
                    Op::Sub(a, b) => (value(*a) + Q - value(*b)) % Q,
                    Op::Mul(terms) => terms.iter().map(|(k, v)| t.times(factor(*k), value(*v))).sum::<u32>() % Q,
                })
            });
            ran.unwrap();
        }
    }

    #[test]
    fn the_passes_compute_what_the_standard_says() {
        for direction in [Direction::Forward, Direction::Inverse] {
            let t = transform(direction, Q);
            for passes in [passes(&t), short::passes(&t, 1), short::passes(&t, 2)] {
                for basis in (0..256).step_by(3) {
                    let before = std::array::from_fn(|i| if i == basis { 1 } else { (i * basis) as u32 % Q });
                    let mut computed: [u32; 256] = before;
                    by_passes(&t, &passes, &mut computed);
                    assert_eq!(computed, by_the_standard(direction, &before), "{direction:?}, {basis}");
                }
            }
        }
    }

    #[test]
    fn what_could_overflow_is_refused() {
        let half = |_: &[u32]| Q / 2;
        for (direction, fits, reaches) in [(Direction::Forward, 6 * Q, 5 * Q), (Direction::Inverse, Q, 8 * Q)] {
            let follow_all = |bound: u32| follow(&passes(&transform(direction, bound)), &[bound; 256], half);
            let bounds = follow_all(fits).unwrap();
            assert!(bounds.iter().all(|&bound| bound <= MOST), "{direction:?}");
            assert!(*follow_all(Q).unwrap().iter().max().unwrap() <= reaches, "{direction:?}");
            let error = follow_all(7 * Q).unwrap_err();
            assert!(error.reached > MOST && error.to_string().contains("layers"), "{direction:?}: {error}");
        }
    }
}
