//! One line per row: what executes it.

use super::super::super::{Bus, Fault, Inst, Op, State};
use super::super::{Step, get, set};
use super::accumulate::*;
use super::alu::*;
use super::lanes::Sign::{Signed, Unsigned};
use super::lanes::{BYTES, HALVES, WORDS};
use super::memory::*;
use super::multiply::*;
use super::shift::*;
use super::{ad, imm, q, result, w, x, y};

/// What executes a row.
pub(super) type Semantics<B> = fn(&mut State, &mut B, &Inst) -> Step;

/// A `match` whose arms are functions of the three named parameters.
macro_rules! rows {
    ($op:ident($s:ident, $bus:ident, $i:ident) $($row:pat => $step:expr,)*) => {
        match $op { $($row => |$s, $bus, $i| $step,)* }
    };
}

/// What executes a row. The compiler makes one table of functions of it.
#[inline(always)]
#[allow(unused_variables)]
pub(super) fn semantics<B: Bus>(op: Op) -> Semantics<B> {
    rows! { op(s, bus, i)
        // Loads
        Op::LdQr => load_from_frame(s, bus, i),
        Op::EeVld128Ip => load_into(s, bus, i, [WHOLE, imm(i)], whole),
        Op::EeVld128Xp => load_into(s, bus, i, [WHOLE, ad(s, i)], whole),
        Op::EeVldL64Ip => load_into(s, bus, i, [HALF, imm(i)], low),
        Op::EeVldL64Xp => load_into(s, bus, i, [HALF, ad(s, i)], low),
        Op::EeVldH64Ip => load_into(s, bus, i, [HALF, imm(i)], high),
        Op::EeVldH64Xp => load_into(s, bus, i, [HALF, ad(s, i)], high),
        Op::EeVldbc8 => load_into(s, bus, i, [1, 0], all_bytes),
        Op::EeVldbc8Ip => load_into(s, bus, i, [1, imm(i)], all_bytes),
        Op::EeVldbc8Xp => load_into(s, bus, i, [1, ad(s, i)], all_bytes),
        Op::EeVldbc16 => load_into(s, bus, i, [2, 0], all_halves),
        Op::EeVldbc16Ip => load_into(s, bus, i, [2, imm(i)], all_halves),
        Op::EeVldbc16Xp => load_into(s, bus, i, [2, ad(s, i)], all_halves),
        Op::EeVldbc32 => load_into(s, bus, i, [4, 0], all_words),
        Op::EeVldbc32Ip => load_into(s, bus, i, [4, imm(i)], all_words),
        Op::EeVldbc32Xp => load_into(s, bus, i, [4, ad(s, i)], all_words),
        Op::EeVldhbc16Incp => load_twice(s, bus, i),
        Op::EeLd128UsarIp => load_unaligned(s, bus, i, imm(i)),
        Op::EeLd128UsarXp => load_unaligned(s, bus, i, ad(s, i)),
        Op::EeLdxq32 => load_indexed(s, bus, i),
        Op::EeLdf128Ip => load_floats(s, bus, i, [WHOLE, imm(i)]),
        Op::EeLdf128Xp => load_floats(s, bus, i, [WHOLE, ad(s, i)]),
        Op::EeLdf64Ip => load_floats(s, bus, i, [HALF, imm(i)]),
        Op::EeLdf64Xp => load_floats(s, bus, i, [HALF, ad(s, i)]),
        Op::EeLdqaS8128Ip => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| spread::<BYTES>(v, q, Signed)),
        Op::EeLdqaS8128Xp => load_state(s, bus, i, [WHOLE, ad(s, i)], |v, q| spread::<BYTES>(v, q, Signed)),
        Op::EeLdqaU8128Ip => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| spread::<BYTES>(v, q, Unsigned)),
        Op::EeLdqaU8128Xp => load_state(s, bus, i, [WHOLE, ad(s, i)], |v, q| spread::<BYTES>(v, q, Unsigned)),
        Op::EeLdqaS16128Ip => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| spread::<HALVES>(v, q, Signed)),
        Op::EeLdqaS16128Xp => load_state(s, bus, i, [WHOLE, ad(s, i)], |v, q| spread::<HALVES>(v, q, Signed)),
        Op::EeLdqaU16128Ip => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| spread::<HALVES>(v, q, Unsigned)),
        Op::EeLdqaU16128Xp => load_state(s, bus, i, [WHOLE, ad(s, i)], |v, q| spread::<HALVES>(v, q, Unsigned)),
        Op::EeLdQaccHL128Ip => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| set_words(&mut v.qacc_h, q)),
        Op::EeLdQaccHH32Ip => load_state(s, bus, i, [4, imm(i)], |v, q| v.qacc_h[4] = q as u32),
        Op::EeLdQaccLL128Ip => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| set_words(&mut v.qacc_l, q)),
        Op::EeLdQaccLH32Ip => load_state(s, bus, i, [4, imm(i)], |v, q| v.qacc_l[4] = q as u32),
        Op::EeLdAccxIp => load_state(s, bus, i, [HALF, imm(i)], |v, q| set_accx(v, q as i64)),
        Op::EeLdUaStateIp => load_state(s, bus, i, [WHOLE, imm(i)], |v, q| v.ua_state = q),

        // Stores; of the eight bytes for ACCX those above it are not described, taken as 0
        Op::StQr => store_to_frame(s, bus, i),
        Op::EeVst128Ip => store(s, bus, i, [WHOLE, imm(i)], w(s, i)),
        Op::EeVst128Xp => store(s, bus, i, [WHOLE, ad(s, i)], w(s, i)),
        Op::EeVstL64Ip => store(s, bus, i, [HALF, imm(i)], w(s, i)),
        Op::EeVstL64Xp => store(s, bus, i, [HALF, ad(s, i)], w(s, i)),
        Op::EeVstH64Ip => store(s, bus, i, [HALF, imm(i)], w(s, i) >> 64),
        Op::EeVstH64Xp => store(s, bus, i, [HALF, ad(s, i)], w(s, i) >> 64),
        Op::EeStxq32 => store_indexed(s, bus, i),
        Op::EeStf128Ip => store_floats(s, bus, i, [WHOLE, imm(i)]),
        Op::EeStf128Xp => store_floats(s, bus, i, [WHOLE, ad(s, i)]),
        Op::EeStf64Ip => store_floats(s, bus, i, [HALF, imm(i)]),
        Op::EeStf64Xp => store_floats(s, bus, i, [HALF, ad(s, i)]),
        Op::EeStQaccHL128Ip => store(s, bus, i, [WHOLE, imm(i)], words(&s.vector.qacc_h)),
        Op::EeStQaccHH32Ip => store(s, bus, i, [4, imm(i)], s.vector.qacc_h[4].into()),
        Op::EeStQaccLL128Ip => store(s, bus, i, [WHOLE, imm(i)], words(&s.vector.qacc_l)),
        Op::EeStQaccLH32Ip => store(s, bus, i, [4, imm(i)], s.vector.qacc_l[4].into()),
        Op::EeStAccxIp => store(s, bus, i, [HALF, imm(i)], s.vector.accx.into()),
        Op::EeStUaStateIp => store(s, bus, i, [WHOLE, imm(i)], s.vector.ua_state),

        // Moves and logic
        Op::MvQr => result(s, i, x(s, i)),
        Op::EeZeroQ => result(s, i, 0),
        Op::EeMovi32A => set(s, i.t, word(x(s, i), i)),
        Op::EeMovi32Q => result(s, i, with_word(q(s, i.r), i, get(s, i.s))),
        Op::EeAndq => result(s, i, x(s, i) & y(s, i)),
        Op::EeOrq => result(s, i, x(s, i) | y(s, i)),
        Op::EeXorq => result(s, i, x(s, i) ^ y(s, i)),
        Op::EeNotq => result(s, i, !x(s, i)),

        // Sums, extremes, comparisons
        Op::EeVaddsS8 | Op::EeVaddsS8LdIncp | Op::EeVaddsS8StIncp => beside(s, bus, i, adds::<BYTES>(s, i)),
        Op::EeVaddsS16 | Op::EeVaddsS16LdIncp | Op::EeVaddsS16StIncp => beside(s, bus, i, adds::<HALVES>(s, i)),
        Op::EeVaddsS32 | Op::EeVaddsS32LdIncp | Op::EeVaddsS32StIncp => beside(s, bus, i, adds::<WORDS>(s, i)),
        Op::EeVsubsS8 | Op::EeVsubsS8LdIncp | Op::EeVsubsS8StIncp => beside(s, bus, i, subs::<BYTES>(s, i)),
        Op::EeVsubsS16 | Op::EeVsubsS16LdIncp | Op::EeVsubsS16StIncp => beside(s, bus, i, subs::<HALVES>(s, i)),
        Op::EeVsubsS32 | Op::EeVsubsS32LdIncp | Op::EeVsubsS32StIncp => beside(s, bus, i, subs::<WORDS>(s, i)),
        Op::EeVmaxS8 | Op::EeVmaxS8LdIncp | Op::EeVmaxS8StIncp => beside(s, bus, i, max::<BYTES>(s, i)),
        Op::EeVmaxS16 | Op::EeVmaxS16LdIncp | Op::EeVmaxS16StIncp => beside(s, bus, i, max::<HALVES>(s, i)),
        Op::EeVmaxS32 | Op::EeVmaxS32LdIncp | Op::EeVmaxS32StIncp => beside(s, bus, i, max::<WORDS>(s, i)),
        Op::EeVminS8 | Op::EeVminS8LdIncp | Op::EeVminS8StIncp => beside(s, bus, i, min::<BYTES>(s, i)),
        Op::EeVminS16 | Op::EeVminS16LdIncp | Op::EeVminS16StIncp => beside(s, bus, i, min::<HALVES>(s, i)),
        Op::EeVminS32 | Op::EeVminS32LdIncp | Op::EeVminS32StIncp => beside(s, bus, i, min::<WORDS>(s, i)),
        Op::EeVcmpEqS8 => result(s, i, compared::<BYTES>(s, i, |x, y| x == y)),
        Op::EeVcmpEqS16 => result(s, i, compared::<HALVES>(s, i, |x, y| x == y)),
        Op::EeVcmpEqS32 => result(s, i, compared::<WORDS>(s, i, |x, y| x == y)),
        Op::EeVcmpGtS8 => result(s, i, compared::<BYTES>(s, i, |x, y| x > y)),
        Op::EeVcmpGtS16 => result(s, i, compared::<HALVES>(s, i, |x, y| x > y)),
        Op::EeVcmpGtS32 => result(s, i, compared::<WORDS>(s, i, |x, y| x > y)),
        Op::EeVcmpLtS8 => result(s, i, compared::<BYTES>(s, i, |x, y| x < y)),
        Op::EeVcmpLtS16 => result(s, i, compared::<HALVES>(s, i, |x, y| x < y)),
        Op::EeVcmpLtS32 => result(s, i, compared::<WORDS>(s, i, |x, y| x < y)),

        // Shifts and rearrangement
        Op::EeVsl32 => result(s, i, left(s, i)),
        Op::EeVsr32 => result(s, i, right(s, i)),
        Op::EeVzip8 => zip::<BYTES>(s, i),
        Op::EeVzip16 => zip::<HALVES>(s, i),
        Op::EeVzip32 => zip::<WORDS>(s, i),
        Op::EeVunzip8 => unzip::<BYTES>(s, i),
        Op::EeVunzip16 => unzip::<HALVES>(s, i),
        Op::EeVunzip32 => unzip::<WORDS>(s, i),
        Op::EeSlci2q => left_by_bytes(s, i, imm(i) % 16 + 1),
        Op::EeSrci2q => right_by_bytes(s, i, imm(i) % 16 + 1),
        Op::EeSlcxxp2q => moving(s, i, left_by_bytes),
        Op::EeSrcxxp2q => moving(s, i, right_by_bytes),
        Op::EeSrcQ => extract(s, i),
        Op::EeSrcQQup => extract_and_move_up(s, i),
        Op::EeSrcQLdIp => extract_and_load(s, bus, i, imm(i)),
        Op::EeSrcQLdXp => extract_and_load(s, bus, i, ad(s, i)),
        Op::EeSrcq128StIncp => extract_and_store(s, bus, i),

        // Products
        Op::EeVmulS8 | Op::EeVmulS8LdIncp | Op::EeVmulS8StIncp => beside(s, bus, i, mul::<BYTES>(s, i, Signed)),
        Op::EeVmulU8 | Op::EeVmulU8LdIncp | Op::EeVmulU8StIncp => beside(s, bus, i, mul::<BYTES>(s, i, Unsigned)),
        Op::EeVmulS16 | Op::EeVmulS16LdIncp | Op::EeVmulS16StIncp => beside(s, bus, i, mul::<HALVES>(s, i, Signed)),
        Op::EeVmulU16 | Op::EeVmulU16LdIncp | Op::EeVmulU16StIncp => beside(s, bus, i, mul::<HALVES>(s, i, Unsigned)),
        Op::EeCmulS16 | Op::EeCmulS16LdIncp | Op::EeCmulS16StIncp => beside(s, bus, i, complex(s, i)),
        Op::EeVreluS8 => result(s, i, relu::<BYTES>(s, i)),
        Op::EeVreluS16 => result(s, i, relu::<HALVES>(s, i)),
        Op::EeVpreluS8 => result(s, i, prelu::<BYTES>(s, i)),
        Op::EeVpreluS16 => result(s, i, prelu::<HALVES>(s, i)),

        // Sums of products
        Op::EeVmulasS8Accx => sum(s, i, ACCX_S8),
        Op::EeVmulasS8AccxLdIp => sum_load(s, bus, i, (ACCX_S8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS8AccxLdIpQup => sum_load_funnel(s, bus, i, (ACCX_S8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS8AccxLdXp => sum_load(s, bus, i, (ACCX_S8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS8AccxLdXpQup => sum_load_funnel(s, bus, i, (ACCX_S8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU8Accx => sum(s, i, ACCX_U8),
        Op::EeVmulasU8AccxLdIp => sum_load(s, bus, i, (ACCX_U8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU8AccxLdIpQup => sum_load_funnel(s, bus, i, (ACCX_U8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU8AccxLdXp => sum_load(s, bus, i, (ACCX_U8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU8AccxLdXpQup => sum_load_funnel(s, bus, i, (ACCX_U8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS16Accx => sum(s, i, ACCX_S16),
        Op::EeVmulasS16AccxLdIp => sum_load(s, bus, i, (ACCX_S16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS16AccxLdIpQup => sum_load_funnel(s, bus, i, (ACCX_S16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS16AccxLdXp => sum_load(s, bus, i, (ACCX_S16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS16AccxLdXpQup => sum_load_funnel(s, bus, i, (ACCX_S16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU16Accx => sum(s, i, ACCX_U16),
        Op::EeVmulasU16AccxLdIp => sum_load(s, bus, i, (ACCX_U16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU16AccxLdIpQup => sum_load_funnel(s, bus, i, (ACCX_U16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU16AccxLdXp => sum_load(s, bus, i, (ACCX_U16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU16AccxLdXpQup => sum_load_funnel(s, bus, i, (ACCX_U16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS8Qacc => sum(s, i, QACC_S8),
        Op::EeVmulasS8QaccLdIp => sum_load(s, bus, i, (QACC_S8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS8QaccLdIpQup => sum_load_funnel(s, bus, i, (QACC_S8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS8QaccLdXp => sum_load(s, bus, i, (QACC_S8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS8QaccLdXpQup => sum_load_funnel(s, bus, i, (QACC_S8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS8QaccLdbcIncp => sum_load(s, bus, i, (QACC_S8, [1, 1], all_bytes)),
        Op::EeVmulasS8QaccLdbcIncpQup => sum_load_funnel(s, bus, i, (QACC_S8, [1, 1], all_bytes)),
        Op::EeVmulasU8Qacc => sum(s, i, QACC_U8),
        Op::EeVmulasU8QaccLdIp => sum_load(s, bus, i, (QACC_U8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU8QaccLdIpQup => sum_load_funnel(s, bus, i, (QACC_U8, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU8QaccLdXp => sum_load(s, bus, i, (QACC_U8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU8QaccLdXpQup => sum_load_funnel(s, bus, i, (QACC_U8, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU8QaccLdbcIncp => sum_load(s, bus, i, (QACC_U8, [1, 1], all_bytes)),
        Op::EeVmulasU8QaccLdbcIncpQup => sum_load_funnel(s, bus, i, (QACC_U8, [1, 1], all_bytes)),
        Op::EeVmulasS16Qacc => sum(s, i, QACC_S16),
        Op::EeVmulasS16QaccLdIp => sum_load(s, bus, i, (QACC_S16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS16QaccLdIpQup => sum_load_funnel(s, bus, i, (QACC_S16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasS16QaccLdXp => sum_load(s, bus, i, (QACC_S16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS16QaccLdXpQup => sum_load_funnel(s, bus, i, (QACC_S16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasS16QaccLdbcIncp => sum_load(s, bus, i, (QACC_S16, [2, 2], all_halves)),
        Op::EeVmulasS16QaccLdbcIncpQup => sum_load_funnel(s, bus, i, (QACC_S16, [2, 2], all_halves)),
        Op::EeVmulasU16Qacc => sum(s, i, QACC_U16),
        Op::EeVmulasU16QaccLdIp => sum_load(s, bus, i, (QACC_U16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU16QaccLdIpQup => sum_load_funnel(s, bus, i, (QACC_U16, [WHOLE, imm(i)], whole)),
        Op::EeVmulasU16QaccLdXp => sum_load(s, bus, i, (QACC_U16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU16QaccLdXpQup => sum_load_funnel(s, bus, i, (QACC_U16, [WHOLE, ad(s, i)], whole)),
        Op::EeVmulasU16QaccLdbcIncp => sum_load(s, bus, i, (QACC_U16, [2, 2], all_halves)),
        Op::EeVmulasU16QaccLdbcIncpQup => sum_load_funnel(s, bus, i, (QACC_U16, [2, 2], all_halves)),
        Op::EeVsmulasS8Qacc => sum(s, i, SCALED_S8),
        Op::EeVsmulasS8QaccLdIncp => sum_load(s, bus, i, (SCALED_S8, [WHOLE, WHOLE], whole)),
        Op::EeVsmulasS16Qacc => sum(s, i, SCALED_S16),
        Op::EeVsmulasS16QaccLdIncp => sum_load(s, bus, i, (SCALED_S16, [WHOLE, WHOLE], whole)),

        // Accumulators
        Op::EeZeroAccx => put_state(s, |v| v.accx = 0),
        Op::EeZeroQacc => put_state(s, |v| (v.qacc_l, v.qacc_h) = ([0; 5], [0; 5])),
        Op::EeMovS8Qacc => spread_source::<BYTES>(s, i, Signed),
        Op::EeMovU8Qacc => spread_source::<BYTES>(s, i, Unsigned),
        Op::EeMovS16Qacc => spread_source::<HALVES>(s, i, Signed),
        Op::EeMovU16Qacc => spread_source::<HALVES>(s, i, Unsigned),
        Op::EeSrcmbS8Qacc => read_qacc::<BYTES>(s, i),
        Op::EeSrcmbS16Qacc => read_qacc::<HALVES>(s, i),
        Op::EeSrsAccx => read_accx(s, i),

        // Pins
        Op::EeWrMaskGpioOut => set_pins(s, get(s, i.t), get(s, i.s)),
        Op::EeSetBitGpioOut => set_pins(s, imm(i), u32::MAX),
        Op::EeClrBitGpioOut => set_pins(s, imm(i), 0),
        Op::EeGetGpioIn => set(s, i.t, s.vector.gpio_in & 0xff),

        // Steps of an FFT, which no source describes to the last bit; other rows are not of this extension
        _ => Err(Fault::NotModelled),
    }
}
