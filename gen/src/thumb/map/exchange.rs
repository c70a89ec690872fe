//! Bits that change places between two registers.

use super::code::{Emit, Lanes, UPPER};
use crate::compile::V;
use isa::thumb::{Inst, Op as Row, Shift, ShiftKind};

impl Emit<'_> {
    /// See [`Op::Exchange`](crate::map::Op::Exchange).
    pub fn exchange(&mut self, [a, b]: [V; 2], n: u32) -> [V; 2] {
        let by = 1u32 << n;
        let shift = |kind| Shift { kind, amount: by as u8 };
        if by == 16 {
            return self.exchange_halves([a, b]);
        }
        let mask = (0..32 / (2 * by)).fold(0u32, |mask, k| mask | ((1 << by) - 1) << (2 * by * k));
        let t = self.fresh();
        self.push(Inst { d: t, n: b, m: a, shift: shift(ShiftKind::Lsr), ..Inst::new(Row::EorReg) });
        let masked = self.fresh();
        self.push(Inst { d: masked, n: t, imm: mask.cast_signed(), ..Inst::new(Row::AndImm) });
        let lower = self.op(Row::EorReg, b, masked, V::default());
        let upper = self.fresh();
        self.push(Inst { d: upper, n: a, m: masked, shift: shift(ShiftKind::Lsl), ..Inst::new(Row::EorReg) });
        [upper, lower]
    }

    fn exchange_halves(&mut self, [a, b]: [V; 2]) -> [V; 2] {
        match self.body.lanes {
            Lanes::Two => {
                let [upper, lower] = [self.fresh(), self.fresh()];
                let shift = Shift { kind: ShiftKind::Lsl, amount: 16 };
                self.push(Inst { d: upper, n: a, m: b, shift, ..Inst::new(Row::Pkhbt) });
                self.push(Inst { d: lower, n: b, m: a, shift: UPPER, ..Inst::new(Row::Pkhtb) });
                [upper, lower]
            }
            Lanes::One => {
                let moved = self.fresh();
                let shift = Shift { kind: ShiftKind::Lsr, amount: 16 };
                self.push(Inst { d: moved, m: a, shift, ..Inst::new(Row::LsrImm) });
                self.push(Inst { d: a, n: b, imm: 16, imm2: 16, ..Inst::new(Row::Bfi) });
                self.push(Inst { d: b, n: moved, imm: 0, imm2: 16, ..Inst::new(Row::Bfi) });
                [a, b]
            }
        }
    }
}
