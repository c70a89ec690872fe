//! Rust bindings: the declarations, and a safe wrapper where the types can carry what the function demands.
//!
//! The emitted text contains `unsafe`, since it is for firmware; nothing here does.

use crate::emit::{EmitError, about};
use crate::function::{Direction, Function, Param, ParamType, Returned};
use crate::target::{Abi, Isa};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use templates::{Bindings, Template};

/// The module `name.rs` for these functions.
pub fn render(name: &str, functions: &[Function]) -> Result<String, EmitError> {
    let error = functions.iter().any(can_fail).then(call_error);
    let declarations = [Isa::Thumb, Isa::Xtensa].into_iter().filter_map(|isa| declarations(isa, functions));
    let wrappers = functions.iter().map(wrapper);
    let constants = functions.iter().flat_map(about::constants).map(constant);
    let tokens = quote! {
        #error
        #(#declarations)*
        #(#wrappers)*
        #(#constants)*
    };
    let file: syn::File = syn::parse2(tokens).map_err(|error| EmitError::text(name, error))?;
    let bindings = Bindings { about: about::set_head(name, functions), code: spaced(&prettyplease::unparse(&file)) };
    bindings.render().map_err(|error| EmitError::text(name, error))
}

/// An empty line before every item, as people write them.
fn spaced(code: &str) -> String {
    let mut text = String::new();
    let mut open = false;
    for line in code.lines() {
        let starts_item = ["///", "#[cfg(", "unsafe extern", "impl "].iter().any(|start| line.starts_with(start));
        if starts_item && !open && !text.is_empty() {
            text.push('\n');
        }
        open = line.starts_with("///") || line.starts_with("#[");
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn has_buffers(function: &Function) -> bool {
    function.interface.params.iter().any(|param| param.ty.counted_by().is_some())
}

/// True if a call may do nothing: for the lengths of its buffers, or because the function refuses.
fn can_fail(function: &Function) -> bool {
    matches!(function.interface.returns, Some(Returned::Refusal(_))) || has_buffers(function)
}

fn call_error() -> TokenStream {
    quote! {
        /// Why a function did nothing.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum CallError {
            /// Buffers that must be equally long are not, or are longer than the function takes.
            Length,
            /// The function returned something else than 0: what that means stands at its declaration.
            Refused(u32),
        }

        impl core::fmt::Display for CallError {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    CallError::Length => f.write_str("buffers differ in length or are too long"),
                    CallError::Refused(code) => write!(f, "refused with code {code}; nothing was written"),
                }
            }
        }

        impl core::error::Error for CallError {}
    }
}

/// The declarations for an instruction set, if there are any.
fn declarations(isa: Isa, functions: &[Function]) -> Option<TokenStream> {
    let of_isa: Vec<TokenStream> = functions.iter().filter(|f| f.target.isa() == isa).map(declaration).collect();
    let condition = condition(isa);
    // A set without functions has a block, too.
    let wanted = !of_isa.is_empty() || (functions.is_empty() && isa == Isa::Thumb);
    wanted.then(|| quote!(#condition unsafe extern "C" { #(#of_isa)* }))
}

/// Where a function is: those for Xtensa are nowhere else, so that a module may hold functions for both.
fn condition(isa: Isa) -> Option<TokenStream> {
    (isa == Isa::Xtensa).then(|| quote!(#[cfg(target_arch = "xtensa")]))
}

fn declaration(function: &Function) -> TokenStream {
    let symbol = ident(&function.symbol);
    let params = function.interface.params.iter().map(|param| {
        let name = ident(param.name);
        let ty = match (param.ty, param.direction) {
            (ParamType::Words(_), Direction::In) => quote!(*const u32),
            (ParamType::Words(_), Direction::Out | Direction::InOut) => quote!(*mut u32),
            (ParamType::SignedWords(_), Direction::In) => quote!(*const i32),
            (ParamType::SignedWords(_), Direction::Out | Direction::InOut) => quote!(*mut i32),
            (ParamType::Halfwords(_), Direction::In) => quote!(*const i16),
            (ParamType::Halfwords(_), Direction::Out | Direction::InOut) => quote!(*mut i16),
            (ParamType::Value, _) => quote!(u32),
            (ParamType::ByteArray(_) | ParamType::Bytes { .. } | ParamType::Chunks { .. }, direction) => {
                if direction == Direction::In { quote!(*const u8) } else { quote!(*mut u8) }
            }
        };
        quote!(#name: #ty)
    });
    let returned = function.interface.returns.map(|_| quote!(-> u32));
    let mut lines = vec![about::sentence(function.interface.summary)];
    lines.extend(about::notes(function).into_iter().map(about::sentence));
    lines.push(String::new());
    lines.push("# Safety".to_string());
    lines.push(String::new());
    lines.extend(function.interface.params.iter().filter_map(demand));
    lines.push("- they overlap only as is said above".to_string());
    lines.extend((function.abi == Abi::Call0).then(|| format!("- {CALL0}")));
    let doc = doc(&lines);
    quote! {
        #doc
        pub fn #symbol(#(#params),*) #returned;
    }
}

/// What the caller of the unsafe function vouches for.
fn demand(param: &Param) -> Option<String> {
    let access = match param.direction {
        Direction::In => "reading",
        Direction::Out => "writing",
        Direction::InOut => "reading and writing",
    };
    let name = ident(param.name);
    match param.ty {
        ParamType::Words(words) | ParamType::SignedWords(words) => {
            Some(format!("- `{name}` is valid for {access} {words} words, and 4-byte aligned"))
        }
        ParamType::Halfwords(halfwords) => {
            Some(format!("- `{name}` is valid for {access} {halfwords} halfwords, and 2-byte aligned"))
        }
        ParamType::ByteArray(bytes) => Some(format!("- `{name}` is valid for {access} {bytes} bytes")),
        ParamType::Bytes { length } => Some(format!("- `{name}` is valid for {access} `{length}` bytes")),
        ParamType::Chunks { bytes, count, most, .. } => {
            Some(format!("- `{name}` is valid for {access} {bytes} * `{count}` bytes, and `{count}` is at most {most}"))
        }
        ParamType::Value => None,
    }
}

/// The same function over references and slices, whose lengths it checks.
fn wrapper(function: &Function) -> TokenStream {
    let symbol = ident(&function.symbol);
    let name = ident(function.symbol.strip_prefix(super::PREFIX).unwrap_or(&function.symbol));
    let params = &function.interface.params;
    let lengths: Vec<&str> = params.iter().filter_map(|param| param.ty.counted_by()).collect();
    let declared = params.iter().filter(|param| !lengths.contains(&param.name)).map(safe_param);
    let checks = params.iter().enumerate().filter_map(|(index, param)| length_check(param, &params[..index]));
    let arguments = params.iter().map(argument);
    let call = quote!(unsafe { #symbol(#(#arguments),*) });
    let fails = can_fail(function);
    let number = matches!(function.interface.returns, Some(Returned::Number(_)));
    let value = if number { quote!(u32) } else { quote!(()) };
    let returned = if fails { Some(quote!(-> Result<#value, CallError>)) } else { number.then(|| quote!(-> u32)) };
    let body = match (function.interface.returns, fails) {
        (Some(Returned::Refusal(_)), _) => {
            quote!(#(#checks)* match #call { 0 => Ok(()), code => Err(CallError::Refused(code)) })
        }
        (Some(Returned::Number(_)), true) => quote!(#(#checks)* Ok(#call)),
        (Some(Returned::Number(_)), false) => call,
        (None, true) => quote!(#(#checks)* #call; Ok(())),
        (None, false) => call,
    };
    let doc = doc(&wrapper_doc(function, &lengths));
    let condition = condition(function.target.isa());
    let qualifier = (function.abi == Abi::Call0).then(|| quote!(unsafe));
    quote! {
        #doc
        #condition
        #[inline]
        pub #qualifier fn #name(#(#declared),*) #returned { #body }
    }
}

/// Nothing tells at compile time by which convention code for Xtensa calls.
const CALL0: &str = "the calling code is compiled for CALL0; for these chips compilers call with register windows if not told otherwise";

fn wrapper_doc(function: &Function, lengths: &[&str]) -> Vec<String> {
    let mut lines = vec![about::sentence(function.interface.summary)];
    lines.extend(about::notes(function).into_iter().map(about::sentence));
    lines.push(String::new());
    lines.extend(function.interface.params.iter().filter(|param| !lengths.contains(&param.name)).map(bullet));
    lines.push(String::new());
    lines.push(format!("For the {}.", about::core(function.target)));
    if function.abi == Abi::Call0 {
        lines.extend([String::new(), "# Safety".to_string(), String::new(), format!("- {CALL0}")]);
    }
    if let Some(Returned::Number(text)) = function.interface.returns {
        lines.extend([String::new(), about::sentence(&format!("Returns {text}"))]);
    }
    if can_fail(function) {
        lines.extend([
            String::new(),
            "# Errors".to_string(),
            "If the buffers differ in length or are too long.".to_string(),
        ]);
        if let Some(Returned::Refusal(text)) = function.interface.returns {
            lines.push(format!("Otherwise by the returned word: {text}."));
        }
    }
    lines
}

fn bullet(param: &Param) -> String {
    format!("- `{}`: {}", ident(param.name), about::param(param))
}

fn safe_param(param: &Param) -> TokenStream {
    let name = ident(param.name);
    let array = |element: TokenStream, length: u32| {
        let length = Literal::usize_unsuffixed(length as usize);
        let array = quote!([#element; #length]);
        if param.direction == Direction::In { quote!(&#array) } else { quote!(&mut #array) }
    };
    let ty = match (param.ty, param.direction) {
        (ParamType::Words(words), _) => array(quote!(u32), words),
        (ParamType::SignedWords(words), _) => array(quote!(i32), words),
        (ParamType::Halfwords(halfwords), _) => array(quote!(i16), halfwords),
        (ParamType::ByteArray(bytes), _) => array(quote!(u8), bytes),
        (ParamType::Chunks { bytes, .. }, direction) => {
            let bytes = Literal::usize_unsuffixed(bytes as usize);
            if direction == Direction::In { quote!(&[[u8; #bytes]]) } else { quote!(&mut [[u8; #bytes]]) }
        }
        (ParamType::Bytes { .. }, Direction::In) => quote!(&[u8]),
        (ParamType::Bytes { .. }, Direction::Out | Direction::InOut) => quote!(&mut [u8]),
        (ParamType::Value, _) => quote!(u32),
    };
    quote!(#name: #ty)
}

/// The first buffer of a length defines it; every other must have the same.
fn length_check(param: &Param, before: &[Param]) -> Option<TokenStream> {
    let length = param.ty.counted_by()?;
    let name = ident(param.name);
    Some(match before.iter().find(|other| other.ty.counted_by() == Some(length)) {
        None => {
            let length = ident(length);
            let limit = match param.ty {
                ParamType::Chunks { most, .. } => {
                    let most = Literal::u32_unsuffixed(most);
                    Some(quote!(if #length > #most { return Err(CallError::Length); }))
                }
                _ => None,
            };
            quote!(let #length = u32::try_from(#name.len()).map_err(|_| CallError::Length)?; #limit)
        }
        Some(first) => {
            let first = ident(first.name);
            quote!(if #name.len() != #first.len() { return Err(CallError::Length); })
        }
    })
}

fn argument(param: &Param) -> TokenStream {
    let name = ident(param.name);
    match (param.ty, param.direction) {
        (ParamType::Value, _) => quote!(#name),
        (ParamType::Chunks { .. }, Direction::In) => quote!(#name.as_ptr().cast()),
        (ParamType::Chunks { .. }, Direction::Out | Direction::InOut) => quote!(#name.as_mut_ptr().cast()),
        (_, Direction::In) => quote!(#name.as_ptr()),
        (_, Direction::Out | Direction::InOut) => quote!(#name.as_mut_ptr()),
    }
}

fn constant((name, value, doc_line): (String, u64, String)) -> TokenStream {
    let name = ident(&name);
    let value = Literal::u64_unsuffixed(value);
    let doc = doc(&[doc_line]);
    quote! {
        #doc
        pub const #name: u32 = #value;
    }
}

fn doc(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

/// A name as it is, or with an underscore after it if Rust keeps the word for itself, as it does `in`.
fn ident(name: &str) -> Ident {
    syn::parse_str(name).unwrap_or_else(|_| Ident::new(&format!("{name}_"), Span::call_site()))
}
