//! One instruction as a value: the row it belongs to and what stands in its operand fields.

use crate::access::Access;

/// A core register r0..r15, or a floating-point register s0..s31 (or d0..d15) where the row says so.
///
/// Which file a field names is the row's business ([`Class`]); the number alone is kept here so that code
/// over virtual registers can use the same [`Inst`] with another register type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Reg(pub u8);

impl Reg {
    /// The stack pointer, r13.
    pub const SP: Reg = Reg(13);
    /// The link register, r14.
    pub const LR: Reg = Reg(14);
    /// The program counter, r15.
    pub const PC: Reg = Reg(15);

    /// True for r0..r7, which 16-bit encodings can name.
    pub const fn is_low(self) -> bool {
        self.0 < 8
    }
}

/// A condition, numbered as in its encoding (DDI 0403, A7.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Cond {
    Eq,
    Ne,
    Cs,
    Cc,
    Mi,
    Pl,
    Vs,
    Vc,
    Hi,
    Ls,
    Ge,
    Lt,
    Gt,
    Le,
    #[default]
    Al,
}

impl Cond {
    /// All fifteen, in the order of their encodings.
    pub const ALL: [Cond; 15] = [
        Cond::Eq,
        Cond::Ne,
        Cond::Cs,
        Cond::Cc,
        Cond::Mi,
        Cond::Pl,
        Cond::Vs,
        Cond::Vc,
        Cond::Hi,
        Cond::Ls,
        Cond::Ge,
        Cond::Lt,
        Cond::Gt,
        Cond::Le,
        Cond::Al,
    ];

    /// The condition that holds exactly when this one does not; `Al` has none and is returned as it is.
    pub const fn inverted(self) -> Cond {
        match self {
            Cond::Al => Cond::Al,
            other => Cond::ALL[other as usize ^ 1],
        }
    }

    /// The suffix as written: `""` for `Al`.
    pub const fn suffix(self) -> &'static str {
        ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", ""][self as usize]
    }
}

/// Which encoding length is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Width {
    /// The shortest legal form; printed without qualifier only when an assembler picks the same one.
    #[default]
    Any,
    /// 16 bits (`.n`), or an error when there is no such form.
    Narrow,
    /// 32 bits (`.w`), or an error when there is no such form.
    Wide,
}

/// The kind of a constant shift on the second operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ShiftKind {
    #[default]
    Lsl,
    Lsr,
    Asr,
    Ror,
    Rrx,
}

/// A constant shift: `amount` is 0..=31 for LSL, 1..=32 for LSR and ASR, 1..=31 for ROR, 1 for RRX. LSL #0 is no shift.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(missing_docs)]
pub struct Shift {
    pub kind: ShiftKind,
    pub amount: u8,
}

impl Shift {
    /// No shift.
    pub const NONE: Shift = Shift { kind: ShiftKind::Lsl, amount: 0 };

    /// Rotation right by `amount` mod 32; by 0 it is no shift.
    pub const fn ror(amount: u32) -> Shift {
        if amount.is_multiple_of(32) {
            Shift::NONE
        } else {
            Shift { kind: ShiftKind::Ror, amount: (amount % 32) as u8 }
        }
    }
}

/// A register field of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Field {
    D,
    N,
    M,
    A,
}

/// Which registers a field names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// r0..r15.
    Core,
    /// s0..s31.
    Single,
    /// d0..d15, each two of the above.
    Double,
}

/// How a load or store uses its offset; for LDM and STM, `PreIndex` means write-back (`!`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Mode {
    /// `[rn, #imm]`: the base stays.
    #[default]
    Offset,
    /// `[rn, #imm]!`: the base becomes the address.
    PreIndex,
    /// `[rn], #imm`: the address is the base, then the base moves.
    PostIndex,
}

/// An instruction. Fields that its row does not use hold their default, so that equality means equality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst<R = Reg> {
    /// The row.
    pub op: super::Op,
    /// `Al`, or the condition of a `b<cond>` or of an instruction inside an IT block (for `It`: its first condition).
    pub cond: Cond,
    /// The S suffix: sets N, Z, C, V as the row says. False for rows that always set flags (CMP, TST, ...).
    pub set_flags: bool,
    /// Which encoding length is wanted.
    pub width: Width,
    /// First register of the manual's syntax: Rd, Rt, RdLo, Sd.
    pub d: R,
    /// Rn (base or first source), or Sn.
    pub n: R,
    /// Rm (second source or offset), or Sm.
    pub m: R,
    /// Fourth register: Ra, Rt2, RdHi.
    pub a: R,
    /// The immediate; byte offset of a load or store (negative allowed); branch or literal offset from this
    /// instruction's address + 4 (for literals and ADR: from `Align(address + 4, 4)`); lsb of a bit field; barrier option.
    pub imm: i32,
    /// The second immediate: width of a bit field, saturation bit, IT mask, SYSm, coprocessor opcode.
    pub imm2: u32,
    /// Shift of `m`, or of the source of SSAT, USAT, PKH; rotation of SXTB and friends (`Ror` 0, 8, 16, 24).
    pub shift: Shift,
    /// Register list: bit i = ri for core rows; bit i = si for FP lists of single registers, di for double.
    pub list: u32,
    /// Addressing mode.
    pub mode: Mode,
}

impl<R: Copy + Default> Inst<R> {
    /// An instruction of this row with every other field at its default.
    pub fn new(op: super::Op) -> Self {
        Inst {
            op,
            cond: Cond::Al,
            set_flags: false,
            width: Width::Any,
            d: R::default(),
            n: R::default(),
            m: R::default(),
            a: R::default(),
            imm: 0,
            imm2: 0,
            shift: Shift::NONE,
            list: 0,
            mode: Mode::Offset,
        }
    }

    /// What stands in a field.
    pub fn reg(&self, field: Field) -> R {
        match field {
            Field::D => self.d,
            Field::N => self.n,
            Field::M => self.m,
            Field::A => self.a,
        }
    }

    /// The place of a field.
    pub fn reg_mut(&mut self, field: Field) -> &mut R {
        match field {
            Field::D => &mut self.d,
            Field::N => &mut self.n,
            Field::M => &mut self.m,
            Field::A => &mut self.a,
        }
    }

    /// The register fields that the row uses, in the order of its syntax, with what it does to each. The base of a load,
    /// store or register list is read and written if the mode writes it back. Lists and implied registers (sp of a push,
    /// lr of a call) are not fields.
    pub fn fields(&self) -> impl Iterator<Item = (Field, Class, Access)> + use<R> {
        let writes_back = self.mode != Mode::Offset;
        super::syntax::Syntax::of(self.op).operands().map(move |operand| {
            let moved = writes_back && operand.0 == Field::N;
            if moved { (operand.0, operand.1, Access::ReadWrite) } else { operand }
        })
    }

    /// The same instruction with each register that its row uses replaced, in the order of [`fields`](Self::fields);
    /// unused fields become the new type's default.
    pub fn map<S: Copy + Default>(&self, mut f: impl FnMut(Field, Class, Access, R) -> S) -> Inst<S> {
        let mut mapped = Inst {
            op: self.op,
            cond: self.cond,
            set_flags: self.set_flags,
            width: self.width,
            d: S::default(),
            n: S::default(),
            m: S::default(),
            a: S::default(),
            imm: self.imm,
            imm2: self.imm2,
            shift: self.shift,
            list: self.list,
            mode: self.mode,
        };
        for (field, class, access) in self.fields() {
            *mapped.reg_mut(field) = f(field, class, access, self.reg(field));
        }
        mapped
    }
}
