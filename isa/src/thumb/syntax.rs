//! The syntax column of the table, parsed once.

use super::{Access, Class, Field, Op};
use std::sync::OnceLock;

/// What a keyword of the syntax column prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    /// A comma and the shift or rotation, unless there is none.
    OptionalShift,
    /// What follows a base register up to and with the closing bracket: the offset in its mode.
    OptionalOffset,
    /// `!` if the base is written back.
    WriteBack,
    Imm,
    Imm2,
    /// The constant amount of a shift row.
    Amount,
    /// An `f32`.
    Float,
    /// A branch target.
    Label,
    /// A place relative to PC in memory.
    Literal,
    /// A place relative to PC as a value.
    Place,
    List,
    FpList,
    /// The S register after the one before.
    Pair,
    /// A lane in brackets.
    Lane,
    /// Barrier option.
    Option,
    /// The condition of IT.
    Condition,
    /// i, f, or if.
    Interrupts,
    /// A special register.
    Special,
    Coprocessor,
    Opc1,
    Opc2,
    CRd,
    CRn,
    CRm,
}

/// The words of the syntax column that are not printed as they stand. A word comes before those that it begins with.
const KEYWORDS: [(&str, Keyword); 24] = [
    ("{, shift}", Keyword::OptionalShift),
    ("{, #imm}]", Keyword::OptionalOffset),
    ("{!}", Keyword::WriteBack),
    ("#imm2", Keyword::Imm2),
    ("#imm", Keyword::Imm),
    ("#shift", Keyword::Amount),
    ("#float", Keyword::Float),
    ("label", Keyword::Label),
    ("literal", Keyword::Literal),
    ("adr", Keyword::Place),
    ("fplist", Keyword::FpList),
    ("list", Keyword::List),
    ("pair", Keyword::Pair),
    ("[imm]", Keyword::Lane),
    ("option", Keyword::Option),
    ("condition", Keyword::Condition),
    ("interrupts", Keyword::Interrupts),
    ("special", Keyword::Special),
    ("coprocessor", Keyword::Coprocessor),
    ("#opc1", Keyword::Opc1),
    ("#opc2", Keyword::Opc2),
    ("CRd", Keyword::CRd),
    ("CRn", Keyword::CRn),
    ("CRm", Keyword::CRm),
];

/// The manual's names of register operands after the class letter. A name comes before those that it begins with.
const NAMES: [(&str, Field); 8] = [
    ("dLo", Field::D),
    ("dHi", Field::A),
    ("t2", Field::A),
    ("t", Field::D),
    ("d", Field::D),
    ("n", Field::N),
    ("m", Field::M),
    ("a", Field::A),
];

/// A register operand.
pub(super) type Operand = (Field, Class, Access);

/// A piece of the syntax.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token {
    /// Printed as it is.
    Text(&'static str),
    Register(Field, Class),
    Keyword(Keyword),
}

/// A parsed syntax column.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) tokens: Vec<Token>,
    operands: Vec<Operand>,
}

impl Syntax {
    /// The syntax of a row.
    pub(super) fn of(op: Op) -> &'static Syntax {
        static ALL: OnceLock<Vec<Syntax>> = OnceLock::new();
        &ALL.get_or_init(|| Op::ALL.iter().map(|op| Syntax::parse(op.row().syntax)).collect())[op as usize]
    }

    /// The register operands, each field once.
    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        // Copied, at most four, so that the iterator borrows nothing.
        let mut four = [None; 4];
        for (place, &operand) in four.iter_mut().zip(&self.operands) {
            *place = Some(operand);
        }
        four.into_iter().flatten()
    }

    /// True if the keyword is in the syntax.
    pub(super) fn has(&self, keyword: Keyword) -> bool {
        self.tokens.contains(&Token::Keyword(keyword))
    }

    fn parse(mut text: &'static str) -> Syntax {
        let mut syntax = Syntax { tokens: Vec::new(), operands: Vec::new() };
        while !text.is_empty() {
            let keyword = KEYWORDS.iter().find(|(word, _)| text.starts_with(word));
            let length = if let Some(&(word, keyword)) = keyword {
                syntax.tokens.push(Token::Keyword(keyword));
                word.len()
            } else if let Some((operand, length)) = register(text) {
                syntax.tokens.push(Token::Register(operand.0, operand.1));
                if syntax.operands.iter().all(|other| other.0 != operand.0) {
                    syntax.operands.push(operand);
                }
                length
            } else {
                syntax.tokens.push(Token::Text(&text[..1]));
                1
            };
            text = &text[length..];
        }
        syntax
    }
}

/// The register operand that the text begins with, and its length.
fn register(text: &str) -> Option<(Operand, usize)> {
    let access = match text.as_bytes()[0] {
        b'=' => Access::Write,
        b'+' => Access::ReadWrite,
        _ => Access::Read,
    };
    let mark = usize::from(access != Access::Read);
    let class = match text.as_bytes().get(mark)? {
        b'R' => Class::Core,
        b'S' => Class::Single,
        b'D' => Class::Double,
        _ => return None,
    };
    let rest = &text[mark + 1..];
    let (name, field) = NAMES.iter().find(|(name, _)| rest.starts_with(name))?;
    Some(((*field, class, access), mark + 1 + name.len()))
}
