//! Canonical UAL text, which GNU as and LLVM both assemble to our bytes.

use super::codec::{LONG_BIT, MINUS_ZERO_BIT, UNINDEXED_BIT};
use super::decode::has_narrow;
use super::encode::encode;
use super::syntax::{Keyword, Syntax, Token};
use super::{Class, Cond, Inst, Mode, Op, Reg, SetsWhen, ShiftKind, Width};
use std::fmt::{self, Display};

/// Rows whose two sources an assembler may exchange to get a 16-bit form.
const COMMUTATIVE: [Op; 6] = [Op::AdcReg, Op::AddReg, Op::AndReg, Op::EorReg, Op::Mul, Op::OrrReg];

impl Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(None))
    }
}

impl Inst {
    /// The text, with a label as the target of a branch or literal, or else with its offset. `.n` or `.w` is there where an
    /// assembler would otherwise take another length. (LLVM takes a conditional branch only with a label.)
    pub fn text(&self, label: Option<&str>) -> String {
        let in_it = self.cond != Cond::Al && !matches!(self.op, Op::B | Op::It);
        let wide = encode(self, in_it).is_ok_and(|encoding| encoding.len == 4);
        if self.op == Op::Adr && label.is_none() {
            return self.pc_plus(wide);
        }
        let swapped = Inst { n: self.m, m: self.n, width: Width::Any, ..*self };
        let changes = match self.op {
            Op::Udf => true,
            // Inside a block or not, `Any` is left to the assembler.
            Op::B => self.width == Width::Wide && (has_narrow(self, true) || has_narrow(self, false)),
            // LLVM would take MOVW.
            Op::MovImm => has_narrow(self, in_it) || (!self.set_flags && (0x100..0x1_0000).contains(&self.imm)),
            op => has_narrow(self, in_it) || (COMMUTATIVE.contains(&op) && has_narrow(&swapped, in_it)),
        };
        let suffix = match (self.width, wide && changes) {
            (Width::Narrow, _) => ".n",
            (_, true) => ".w",
            _ => "",
        };
        if !wide && self.is_second_choice_of_llvm() {
            let (mnemonic, register) = (self.mnemonic(suffix), register_name(Class::Core, self.d));
            return format!("{mnemonic} {register}, #{}", self.imm);
        }
        self.print(suffix, label, register_name)
    }

    /// ADDS and SUBS with equal registers and three bits: with both registers written, LLVM takes T1 and GNU as T2, so T2
    /// is written with one.
    fn is_second_choice_of_llvm(&self) -> bool {
        matches!(self.op, Op::AddImm | Op::SubImm)
            && self.d == self.n
            && self.d.is_low()
            && self.imm2 == 0
            && self.imm < 8
    }

    /// ADR without a label, as an addition to pc.
    fn pc_plus(&self, wide: bool) -> String {
        let mnemonic = match (wide, self.imm < 0 || self.imm2 == 1) {
            (false, _) => "add",
            (true, false) => "addw",
            (true, true) => "subw",
        };
        let register = register_name(Class::Core, self.d);
        format!("{mnemonic}{} {register}, pc, #{}", self.cond.suffix(), self.imm.unsigned_abs())
    }
}

/// The usual name of a register.
pub fn register_name(class: Class, register: Reg) -> String {
    match (class, register) {
        (Class::Core, Reg::SP) => "sp".to_owned(),
        (Class::Core, Reg::LR) => "lr".to_owned(),
        (Class::Core, Reg::PC) => "pc".to_owned(),
        (Class::Core, Reg(number)) => format!("r{number}"),
        (Class::Single, Reg(number)) => format!("s{number}"),
        (Class::Double, Reg(number)) => format!("d{number}"),
    }
}

impl<R: Copy + Default> Inst<R> {
    /// The text over any kind of register: `suffix` is `.n`, `.w` or empty, `name` gives the registers' names.
    pub fn print(&self, suffix: &str, label: Option<&str>, name: impl Fn(Class, R) -> String) -> String {
        let mut text = self.mnemonic(suffix);
        let operands = self.operands(label, name);
        if !operands.is_empty() {
            text.push(' ');
            text.push_str(&operands);
        }
        text
    }

    /// The mnemonic with all its suffixes.
    pub fn mnemonic(&self, suffix: &str) -> String {
        let row = self.op.row();
        let (stem, types) = row.mnemonic.split_at(row.mnemonic.find('.').unwrap_or(row.mnemonic.len()));
        let mut text = stem.to_owned();
        match self.op {
            Op::It => text.push_str(&self.it_letters()),
            Op::Cps => text.push_str(if self.imm == 0 { "ie" } else { "id" }),
            Op::Ldc | Op::Ldc2 | Op::Stc | Op::Stc2 if self.imm2 >> LONG_BIT & 1 == 1 => text.push('l'),
            _ => {}
        }
        if self.set_flags && row.flags.when == SetsWhen::Suffix {
            text.push('s');
        }
        if self.op != Op::It {
            text.push_str(self.cond.suffix());
        }
        text + suffix + types
    }

    /// The letters after `it`: one for each instruction but the first.
    fn it_letters(&self) -> String {
        let low = self.cond as u32 & 1;
        let count = 3 - (self.imm2 & 15).trailing_zeros().min(3);
        (0..count).map(|i| if self.imm2 >> (3 - i) & 1 == low { 't' } else { 'e' }).collect()
    }

    fn operands(&self, label: Option<&str>, name: impl Fn(Class, R) -> String) -> String {
        let mut out = String::new();
        let mut last = String::new();
        for &token in &Syntax::of(self.op).tokens {
            match token {
                Token::Text(text) => out.push_str(text),
                Token::Register(field, class) => {
                    last = name(class, self.reg(field));
                    let to_flags = matches!(self.op, Op::Mrc | Op::Mrc2) && last == "pc";
                    out.push_str(if to_flags { "APSR_nzcv" } else { &last });
                }
                Token::Keyword(Keyword::Pair) => out.push_str(&following(&last)),
                Token::Keyword(keyword) => self.keyword(keyword, label, &mut out),
            }
        }
        out
    }

    fn keyword(&self, keyword: Keyword, label: Option<&str>, out: &mut String) {
        let field = |shift: u32| self.imm2 >> shift & 15;
        let text = match keyword {
            Keyword::OptionalShift => self.shift_text(),
            Keyword::OptionalOffset => self.offset_text(),
            Keyword::WriteBack => if self.mode == Mode::PreIndex { "!" } else { "" }.to_owned(),
            Keyword::Imm => format!("#{}", number(self.imm as u32)),
            Keyword::Imm2 => format!("#{}", self.imm2),
            Keyword::Amount => format!("#{}", self.shift.amount),
            Keyword::Float => format!("#{:?}", f32::from_bits(self.imm as u32)),
            Keyword::Label => label.map_or_else(|| place(self.imm.wrapping_add(4)), str::to_owned),
            Keyword::Literal => label.map_or_else(|| format!("[pc, {}]", self.displacement()), str::to_owned),
            Keyword::Place => label.map_or_else(|| format!("pc, {}", self.displacement()), str::to_owned),
            Keyword::List => list(self.list, Class::Core),
            Keyword::FpList if self.op.row().access.is_some_and(|access| access.1 == 8) => {
                list(self.list, Class::Double)
            }
            Keyword::FpList => list(self.list, Class::Single),
            Keyword::Pair => String::new(),
            Keyword::Lane => format!("[{}]", self.imm),
            Keyword::Option if self.imm == 15 => "sy".to_owned(),
            Keyword::Option => format!("#{}", self.imm),
            Keyword::Condition => if self.cond == Cond::Al { "al" } else { self.cond.suffix() }.to_owned(),
            Keyword::Interrupts => ["", "f", "i", "if"][self.imm2 as usize & 3].to_owned(),
            Keyword::Special => self.special(),
            Keyword::Coprocessor => format!("p{}", field(0)),
            Keyword::Opc1 => format!("#{}", field(4)),
            Keyword::CRd => format!("c{}", field(8)),
            Keyword::CRn => format!("c{}", field(12)),
            Keyword::CRm => format!("c{}", field(16)),
            Keyword::Opc2 => format!("#{}", field(20)),
        };
        out.push_str(&text);
    }

    fn shift_text(&self) -> String {
        let kind = match self.shift.kind {
            ShiftKind::Rrx => return ", rrx".to_owned(),
            ShiftKind::Lsl if self.shift.amount == 0 => return String::new(),
            ShiftKind::Lsl => "lsl",
            ShiftKind::Lsr => "lsr",
            ShiftKind::Asr => "asr",
            ShiftKind::Ror => "ror",
        };
        format!(", {kind} #{}", self.shift.amount)
    }

    /// `#imm`, with the sign of a subtracted zero.
    fn displacement(&self) -> String {
        let zero_bit = if self.is_coprocessor() { MINUS_ZERO_BIT } else { 0 };
        let minus_zero = self.imm == 0 && self.imm2 >> zero_bit & 1 == 1;
        format!("#{}{}", if minus_zero { "-" } else { "" }, self.imm)
    }

    fn is_coprocessor(&self) -> bool {
        matches!(self.op, Op::Ldc | Op::Ldc2 | Op::Stc | Op::Stc2)
    }

    fn offset_text(&self) -> String {
        let displacement = self.displacement();
        if self.is_coprocessor() && self.imm2 >> UNINDEXED_BIT & 1 == 1 {
            return format!("], {{{}}}", self.imm);
        }
        match self.mode {
            Mode::Offset if displacement == "#0" => "]".to_owned(),
            Mode::Offset => format!(", {displacement}]"),
            Mode::PreIndex => format!(", {displacement}]!"),
            Mode::PostIndex => format!("], {displacement}"),
        }
    }

    fn special(&self) -> String {
        let name = match self.imm2 {
            0 => "apsr",
            1 => "iapsr",
            2 => "eapsr",
            3 => "xpsr",
            5 => "ipsr",
            6 => "epsr",
            7 => "iepsr",
            8 => "msp",
            9 => "psp",
            16 => "primask",
            17 => "basepri",
            18 => "basepri_max",
            19 => "faultmask",
            _ => "control",
        };
        let bits = match self.imm {
            _ if self.op == Op::Mrs || self.imm2 > 3 => "",
            1 => "_g",
            2 => "_nzcvq",
            _ => "_nzcvqg",
        };
        format!("{name}{bits}")
    }
}

/// The name of the register after this one.
fn following(name: &str) -> String {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number = digits.parse::<u32>().map_or(0, |number| number + 1);
    format!("{}{number}", &name[..name.len() - digits.len()])
}

/// `. + offset` or `. - offset`.
fn place(offset: i32) -> String {
    format!(". {} {}", if offset < 0 { '-' } else { '+' }, offset.unsigned_abs())
}

/// Decimal up to three digits, else hexadecimal.
fn number(value: u32) -> String {
    if value < 1000 { value.to_string() } else { format!("{value:#x}") }
}

/// A register list in braces, runs of three and more as ranges.
fn list(mask: u32, class: Class) -> String {
    let name = |i: u32| register_name(class, Reg(i as u8));
    let mut out = String::from("{");
    let mut i = 0;
    while i < 32 {
        let run = (mask >> i).trailing_ones().min(if class == Class::Core && i < 13 { 13 - i } else { 32 });
        let run = if class == Class::Core && i >= 13 { run.min(1) } else { run };
        if run > 0 && out.len() > 1 {
            out.push_str(", ");
        }
        match run {
            0 => {}
            1 => out.push_str(&name(i)),
            2 => out.push_str(&format!("{}, {}", name(i), name(i + 1))),
            _ => out.push_str(&format!("{}-{}", name(i), name(i + run - 1))),
        }
        i += run.max(1);
    }
    out + "}"
}
