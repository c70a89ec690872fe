//! Text that LLVM and GNU as both assemble to our bytes; the vector extension only Espressif's versions of both.
//!
//! (GNU as takes a 16-bit form for a 24-bit one where it can, unless the section says `.begin no-transform`.)

use super::syntax::{Keyword, Syntax, Token};
use super::{Access, Class, Inst, Op, Reg, special_register, user_register};
use std::fmt::{self, Display};

impl Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(None))
    }
}

impl Inst {
    /// The text, with a label as the place of a branch, call or literal, or else with its distance from the instruction,
    /// which for calls and literals is right only where that lies at a multiple of 4.
    pub fn text(&self, label: Option<&str>) -> String {
        self.print(label, register_name)
    }
}

/// The usual name of a register.
pub fn register_name(class: Class, register: Reg) -> String {
    let letter = match class {
        Class::Core => 'a',
        Class::Float => 'f',
        Class::Bool => 'b',
        Class::Mac => 'm',
        Class::Vector => 'q',
    };
    format!("{letter}{}", register.0)
}

impl<R: Copy + Default> Inst<R> {
    /// The text over any kind of register: `name` gives the registers' names.
    pub fn print(&self, label: Option<&str>, name: impl Fn(Class, R) -> String) -> String {
        let operands = Syntax::of(self.op).tokens.iter().map(|&token| match token {
            Token::Register(field, class, _) => name(class, self.reg(field)),
            Token::Keyword(keyword) => self.keyword(keyword, label),
            Token::Unknown(text) => text.to_owned(),
        });
        let operands: Vec<String> = operands.collect();
        let space = if operands.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.op.row().mnemonic, operands.join(", "))
    }

    fn keyword(&self, keyword: Keyword, label: Option<&str>) -> String {
        let name = match keyword {
            Keyword::Imm => None,
            Keyword::Imm2 => return self.imm2.to_string(),
            Keyword::Imm3 => return self.imm3.to_string(),
            Keyword::Label | Keyword::Function => {
                return label.map_or_else(|| place(self.imm.saturating_add(4)), str::to_owned);
            }
            Keyword::Literal => return label.map_or_else(|| place(self.imm), str::to_owned),
            Keyword::Special => special_register(self.imm, self.special_access()),
            Keyword::User => user_register(self.imm),
        };
        name.map_or_else(|| self.imm.to_string(), |(name, _)| name.to_owned())
    }

    /// What RSR, WSR or XSR does with its special register.
    pub(super) fn special_access(&self) -> Access {
        match self.op {
            Op::Rsr | Op::Rur => Access::Read,
            Op::Xsr => Access::ReadWrite,
            _ => Access::Write,
        }
    }
}

/// `. + distance` or `. - distance`.
fn place(distance: i64) -> String {
    format!(". {} {}", if distance < 0 { '-' } else { '+' }, distance.unsigned_abs())
}
