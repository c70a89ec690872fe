//! Products of lanes.

use super::super::super::{Inst, State};
use super::super::get;
use super::lanes::{BYTES, HALVES, Sign, each, join, split};
use super::shift::by_amount;
use super::{amount, q, x, y};

/// EE.VMUL: products, shifted right by SAR; the low bits of each, neither rounded nor saturated.
pub(super) fn mul<const N: usize>(state: &State, inst: &Inst, sign: Sign) -> u128 {
    each::<N>([x(state, inst), y(state, inst)], sign, |x, y| by_amount(x * y, amount(state)))
}

/// EE.CMUL.S16: two complex products, real parts in the even lanes. Bit 0 of the immediate selects the half of the lanes (the
/// other half of the result stays), bit 1 conjugates the first factor.
pub(super) fn complex(state: &State, inst: &Inst) -> u128 {
    let [x, y, mut z] =
        [x(state, inst), y(state, inst), q(state, inst.r)].map(|vector| split::<HALVES>(vector, Sign::Signed));
    let first = if inst.imm & 1 == 0 { 0 } else { HALVES / 2 };
    for re in [first, first + 2] {
        let im = re + 1;
        let b = if inst.imm & 2 == 0 { x[im] } else { -x[im] };
        z[re] = by_amount(x[re] * y[re] - b * y[im], amount(state));
        z[im] = by_amount(x[re] * y[im] + b * y[re], amount(state));
    }
    join(z)
}

/// `value * factor >> shift` where the value is not above 0, else the value.
fn rectified(value: i64, factor: i64, shift: u32) -> i64 {
    if value <= 0 { (value * factor) >> shift } else { value }
}

/// EE.VRELU.S8 and S16: one factor for all lanes, in the low bits of `ax`.
pub(super) fn relu<const N: usize>(state: &State, inst: &Inst) -> u128 {
    let factors = join([i64::from(get(state, inst.s)); N]);
    each::<N>([q(state, inst.r), factors], Sign::Signed, |x, factor| rectified(x, factor, distance::<N>(state, inst)))
}

/// EE.VPRELU.S8 and S16: a factor for each lane.
pub(super) fn prelu<const N: usize>(state: &State, inst: &Inst) -> u128 {
    let sources = [x(state, inst), y(state, inst)];
    each::<N>(sources, Sign::Signed, |x, y| rectified(x, y, distance::<N>(state, inst)))
}

/// The bits of `ay` that count: five for bytes, six for halfwords.
fn distance<const N: usize>(state: &State, inst: &Inst) -> u32 {
    get(state, inst.t) & if N == BYTES { 31 } else { 63 }
}
