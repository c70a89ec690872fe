//! The syntax column of the table, parsed once.

use super::{Access, Class, Field, Op};
use std::sync::OnceLock;

/// What a keyword of the syntax column prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    Imm,
    Imm2,
    Imm3,
    /// A target that counts from the address of the instruction plus 4.
    Label,
    /// A target that counts from the word of the instruction plus 4.
    Function,
    /// A place in memory that counts from the first word that begins at the instruction or behind it.
    Literal,
    /// A special register.
    Special,
    /// A user register.
    User,
}

/// The operands of the syntax column that are no registers.
const KEYWORDS: [(&str, Keyword); 8] = [
    ("imm", Keyword::Imm),
    ("imm2", Keyword::Imm2),
    ("imm3", Keyword::Imm3),
    ("label", Keyword::Label),
    ("function", Keyword::Function),
    ("literal", Keyword::Literal),
    ("special", Keyword::Special),
    ("user", Keyword::User),
];

/// The letters of register files.
const CLASSES: [(char, Class); 5] =
    [('a', Class::Core), ('f', Class::Float), ('b', Class::Bool), ('m', Class::Mac), ('q', Class::Vector)];

/// The letters of fields, after that of the file.
const FIELDS: [(&str, Field); Field::COUNT] = [
    ("r", Field::R),
    ("s", Field::S),
    ("t", Field::T),
    ("w", Field::W),
    ("x", Field::X),
    ("y", Field::Y),
    ("z", Field::Z),
];

/// Those of MAC16's own registers.
const MAC_FIELDS: [(&str, Field); 3] = [("x", Field::R), ("y", Field::T), ("w", Field::W)];

/// A register operand.
pub(super) type Operand = (Field, Class, Access);

/// One operand of the syntax.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token {
    Register(Field, Class, Access),
    Keyword(Keyword),
    /// None of the above; the table's tests find it.
    Unknown(&'static str),
}

/// A parsed syntax column.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) tokens: Vec<Token>,
}

impl Syntax {
    /// The syntax of a row.
    pub(super) fn of(op: Op) -> &'static Syntax {
        static ALL: OnceLock<Vec<Syntax>> = OnceLock::new();
        &ALL.get_or_init(|| Op::ALL.iter().map(|op| Syntax::parse(op.row().syntax)).collect())[op as usize]
    }

    /// The register operands.
    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        // Copied, so that the iterator borrows nothing.
        let mut all = [None; Field::COUNT];
        let registers = self.tokens.iter().filter_map(|token| match *token {
            Token::Register(field, class, access) => Some((field, class, access)),
            _ => None,
        });
        for (place, operand) in all.iter_mut().zip(registers) {
            *place = Some(operand);
        }
        all.into_iter().flatten()
    }

    /// True if the keyword is in the syntax.
    pub(super) fn has(&self, keyword: Keyword) -> bool {
        self.tokens.contains(&Token::Keyword(keyword))
    }

    pub(super) fn parse(text: &'static str) -> Syntax {
        let words = text.split(", ").filter(|word| !word.is_empty());
        let token = |word| {
            let keyword = KEYWORDS.iter().find(|(name, _)| *name == word).map(|&(_, keyword)| Token::Keyword(keyword));
            keyword.or_else(|| register(word)).unwrap_or(Token::Unknown(word))
        };
        Syntax { tokens: words.map(token).collect() }
    }
}

/// A register operand: `=` or `+`, a file, a field.
fn register(word: &str) -> Option<Token> {
    let (access, name) = match word.split_at_checked(1)? {
        ("=", name) => (Access::Write, name),
        ("+", name) => (Access::ReadWrite, name),
        _ => (Access::Read, word),
    };
    let (file, name) = (name.chars().next()?, name.get(1..)?);
    let class = CLASSES.iter().find(|(letter, _)| *letter == file)?.1;
    let fields: &[_] = if class == Class::Mac { &MAC_FIELDS } else { &FIELDS };
    let field = fields.iter().find(|(letter, _)| *letter == name)?.1;
    Some(Token::Register(field, class, access))
}
