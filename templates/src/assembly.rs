//! Assembly source files for GNU as and clang.

use askama::Template;

/// Column in which the remark of an instruction begins.
const REMARK_COLUMN: usize = 48;

/// One function for ARMv7-M as a source file.
#[derive(Template)]
#[template(path = "function.s")]
pub struct Assembly {
    /// Comment at the top of the file, one entry per line, without comment marks.
    pub about: Vec<String>,
    /// The function's name.
    pub symbol: String,
    /// Operand of `.cpu`.
    pub cpu: &'static str,
    /// Operand of `.fpu`, if there is one.
    pub fpu: Option<&'static str>,
    /// Name and value of each build attribute that the assembler does not set by itself.
    pub attributes: Vec<(&'static str, u8)>,
    /// Label of each word of constants before the entry, and the operand of its `.word`, in order.
    pub literals: Vec<(String, String)>,
    /// Label of what is behind the last of them, if it is wanted.
    pub literals_end: Option<String>,
    /// The function's body.
    pub rows: Vec<Row>,
    /// Operands of the `.byte` lines of its constants; if empty there is no section for them.
    pub constants: Vec<String>,
}

/// One function for Xtensa as a source file.
#[derive(Template)]
#[template(path = "function-xtensa.s")]
pub struct XtensaAssembly {
    /// Comment at the top of the file, one entry per line, without comment marks.
    pub about: Vec<String>,
    /// The function's name.
    pub symbol: String,
    /// Label of each literal, and the operand of its `.long`, in order.
    pub literals: Vec<(String, String)>,
    /// The function's body.
    pub rows: Vec<Row>,
    /// Operands of the `.byte` lines of its constants; if empty there is no section for them.
    pub constants: Vec<String>,
}

/// One line of a function's body.
pub enum Row {
    /// A complete label, without the colon.
    Label(String),
    /// A comment on its own line, without the comment mark.
    Comment(String),
    /// A directive with its operands.
    Directive(String),
    /// An instruction, with a remark that may be empty.
    Instruction {
        /// Mnemonic with condition and width.
        mnemonic: String,
        /// Operands, or empty.
        operands: String,
        /// Remark without the comment mark, or empty.
        remark: String,
    },
}

impl Row {
    /// The line, with this comment mark.
    fn line(&self, mark: char) -> String {
        match self {
            Row::Label(name) => format!("{name}:"),
            Row::Comment(text) => format!("        {mark} {text}"),
            Row::Directive(text) => format!("        {text}"),
            Row::Instruction { mnemonic, operands, remark } => {
                let code = format!("        {mnemonic:<8}{gap}{operands}", gap = gap_after(mnemonic));
                match remark.as_str() {
                    "" => code.trim_end().to_string(),
                    _ => format!("{code:<REMARK_COLUMN$}{mark} {remark}"),
                }
            }
        }
    }
}

/// A mnemonic that fills its column still needs a space before the operands.
fn gap_after(mnemonic: &str) -> &'static str {
    if mnemonic.len() < 8 { "" } else { " " }
}
