//! The manifest: the one list of what was generated, from which everybody else learns it.

use crate::emit::{EXTENSIONS, about};
use crate::function::{Direction, Function, Param, ParamType, Returned};
use crate::target::Isa;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// One function in the manifest. The order of the fields is the order in the file.
#[derive(Serialize)]
pub struct Entry {
    /// Name of the function.
    pub symbol: String,
    /// Name of the kernel it computes.
    pub kernel: String,
    /// Name of the core.
    pub target: String,
    /// `unrolled`, `looped`, or `unroll` with its factor.
    pub shape: String,
    /// How it is called, if the core leaves a choice: `windowed` or `call0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abi: Option<&'static str>,
    /// Instructions executed in the measured call.
    pub instructions: u64,
    /// Bytes of machine code, with the literals before it.
    pub code_bytes: usize,
    /// Bytes of constants.
    pub rodata_bytes: usize,
    /// Bytes of stack below the entry sp.
    pub stack_bytes: u32,
    /// Cycles of the measured call, first instruction through return, memory without wait states.
    pub cycles: u64,
    /// Cases compared with the portable code.
    pub verified_cases: u64,
    /// Names in the output directory.
    pub files: Vec<String>,
    /// What the measured call is.
    pub cycles_of: &'static str,
    /// Kernel family.
    pub family: &'static str,
    /// How to call it.
    pub interface: Interface,
    /// Names of the registers that are not preserved, other than those of the function's own window.
    pub clobbers: Vec<String>,
    /// What secret words may be left behind on return.
    pub residue: &'static str,
    /// SHA-256 of the literals before the code, the code and the constants, in hexadecimal.
    pub sha256: String,
}

/// The interface of a function.
#[derive(Serialize)]
pub struct Interface {
    /// The C declaration.
    pub declaration: String,
    /// What it computes.
    pub summary: &'static str,
    /// Bounds, overlap rules, errors.
    pub notes: Vec<&'static str>,
    /// In the order of the registers.
    pub params: Vec<Parameter>,
    /// What the returned word means, or null for void.
    pub returns: Option<&'static str>,
}

/// One parameter.
#[derive(Serialize)]
pub struct Parameter {
    /// The register it arrives in.
    pub register: String,
    /// Its name.
    pub name: &'static str,
    /// `words`, `signed words`, `halfwords`, `bytes`, `chunks` or `value`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// For words and halfwords: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// For bytes and chunks: the parameter that holds their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<&'static str>,
    /// `in` or `out`.
    pub direction: &'static str,
    /// True if neither time nor addresses may depend on it.
    pub secret: bool,
    /// What it is.
    pub doc: &'static str,
}

impl Entry {
    /// The manifest's view of a function.
    pub fn new(function: &Function) -> Self {
        let interface = &function.interface;
        let isa = function.target.isa();
        Entry {
            symbol: function.symbol.clone(),
            kernel: function.kernel.clone(),
            target: function.target.to_string(),
            shape: function.shape.to_string(),
            abi: (function.target.abis().len() > 1).then(|| function.abi.name()),
            instructions: function.instructions,
            code_bytes: function.code_bytes(),
            rodata_bytes: function.rodata.len(),
            stack_bytes: function.stack_bytes,
            cycles: function.cycles,
            verified_cases: function.verified_cases,
            files: EXTENSIONS.iter().map(|extension| format!("{}.{extension}", function.symbol)).collect(),
            cycles_of: function.cycles_of,
            family: function.family,
            interface: Interface {
                declaration: about::prototype(function),
                summary: interface.summary,
                notes: about::notes(function),
                params: interface.params.iter().zip(0..).map(|(p, number)| parameter(isa, p, number)).collect(),
                returns: interface.returns.map(Returned::text),
            },
            clobbers: about::clobbers(function),
            residue: function.residue,
            sha256: digest(function),
        }
    }
}

fn parameter(isa: Isa, param: &Param, number: u8) -> Parameter {
    let (ty, words, length) = match param.ty {
        ParamType::Words(words) => ("words", Some(words), None),
        ParamType::SignedWords(words) => ("signed words", Some(words), None),
        ParamType::Halfwords(halfwords) => ("halfwords", Some(halfwords), None),
        ParamType::ByteArray(_) => ("byte array", None, None),
        ParamType::Bytes { length } => ("bytes", None, Some(length)),
        ParamType::Chunks { count, .. } => ("chunks", None, Some(count)),
        ParamType::Value => ("value", None, None),
    };
    let direction = match param.direction {
        Direction::In => "in",
        Direction::Out => "out",
        Direction::InOut => "inout",
    };
    let register = about::parameter_register(isa, number);
    Parameter { register, name: param.name, ty, words, length, direction, secret: param.secret, doc: param.doc }
}

fn digest(function: &Function) -> String {
    let mut digest = Sha256::new();
    digest.update(function.section());
    digest.update(&function.rodata);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
