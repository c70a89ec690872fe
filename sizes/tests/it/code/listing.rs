//! Code written down in hexadecimal, and what is found in it.

use crate::fixture::{As, Fixture};
use object::Architecture;
use sizes::code::{Analysis, Function, How, analyse};
use sizes::image::{Image, Place};
use sizes::report::{Stack, Unknown};
use std::collections::BTreeMap;

/// A line names a function (`f:`), says what the bytes from there on are (`.t`, `.a`, `.d`), gives code in hexadecimal
/// (bytes, halfwords, words) with the instruction behind a `|`, or relocates what the line before it gave
/// (`-> kind symbol addend`). Symbols that are not defined here are external; `table` is in `.rodata`.
#[derive(Default)]
pub struct Listing<'a> {
    pub bytes: Vec<u8>,
    pub functions: Vec<(&'a str, u64)>,
    pub mapping: Vec<(String, u64)>,
    pub relocations: Vec<(u64, u32, &'a str, i64)>,
}

impl<'a> Listing<'a> {
    pub fn parse(text: &'a str) -> Listing<'a> {
        let mut listing = Listing::default();
        let mut last = 0;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let here = listing.bytes.len() as u64;
            if let Some(name) = line.strip_suffix(':') {
                listing.functions.push((name, here));
            } else if let Some(kind) = line.strip_prefix('.') {
                listing.mapping.push((format!("${kind}"), here));
            } else if let Some(relocation) = line.strip_prefix("->") {
                let parts: Vec<&str> = relocation.split_whitespace().collect();
                let addend = parts.get(2).map_or(0, |addend| addend.parse().unwrap());
                listing.relocations.push((last, parts[0].parse().unwrap(), parts[1], addend));
            } else {
                last = here;
                listing.add_bytes(line.split('|').next().unwrap());
            }
        }
        listing
    }

    fn add_bytes(&mut self, hex: &str) {
        for number in hex.split_whitespace() {
            let value = u32::from_str_radix(number, 16).unwrap();
            self.bytes.extend(&value.to_le_bytes()[..number.len() / 2]);
        }
    }

    fn object(&self, architecture: Architecture) -> Vec<u8> {
        let thumb = u64::from(architecture == Architecture::Arm && !self.mapping.iter().any(|(name, _)| name == "$a"));
        let mut f = Fixture::new(architecture);
        let text = f.text(".text", &self.bytes, 4);
        let rodata = f.rodata(".rodata", &[0; 16], 4);
        let mut symbols = BTreeMap::from([("table", f.symbol(rodata, "table", 0, 16, As::Data))]);
        for &(name, at) in &self.functions {
            symbols.insert(name, f.symbol(text, name, at + thumb, 0, As::Function));
        }
        for (name, at) in &self.mapping {
            f.symbol(text, name, *at, 0, As::Local);
        }
        for &(at, kind, name, addend) in &self.relocations {
            let symbol = *symbols.entry(name).or_insert_with(|| f.undefined(name));
            f.relocation(text, at, symbol, kind, addend);
        }
        f.write()
    }

    pub fn analyse(&self, architecture: Architecture) -> Analysis {
        let object = self.object(architecture);
        let image = Image::parse(&object).unwrap();
        let end = |n: usize| self.functions.get(n + 1).map_or(self.bytes.len() as u64, |next| next.1);
        let function = |(n, (name, start)): (usize, &(&str, u64))| Function {
            name: name.to_string(),
            entry: Place { section: 0, offset: *start },
            also_entered_at: Vec::new(),
            thumb: true,
            ranges: std::iter::once(*start..end(n)).collect(),
        };
        analyse(&image, &self.functions.iter().enumerate().map(function).collect::<Vec<_>>())
    }
}

/// `frame worst reason, reason`, with `?` for a frame that is not known.
fn shown(stack: &Stack) -> String {
    let frame = stack.frame_bytes.map_or("?".to_owned(), |bytes| bytes.to_string());
    let reason = |unknown: &Unknown| match unknown {
        Unknown::Indirect(name) => format!("indirect {name}"),
        Unknown::Recursion(name) => format!("recursion {name}"),
        Unknown::External(name) => format!("external {name}"),
        Unknown::Frame(name) => format!("frame {name}"),
    };
    let reasons: Vec<String> = stack.unknown.iter().map(reason).collect();
    format!("{frame} {} {}", stack.worst_bytes, reasons.join(", ")).trim_end().to_owned()
}

pub fn check_stacks(architecture: Architecture, text: &str, expected: &[&str]) {
    let listing = Listing::parse(text);
    let stacks = listing.analyse(architecture).stacks;
    let shown: Vec<String> = stacks
        .iter()
        .zip(&listing.functions)
        .map(|(stack, (name, _))| format!("{name} {}", shown(stack.as_ref().unwrap())))
        .collect();
    assert_eq!(shown, expected, "{text}");
}

pub fn check_references(architecture: Architecture, text: &str, expected: &[&str]) {
    let listing = Listing::parse(text);
    let references = listing.analyse(architecture).references;
    let shown = references.iter().map(|reference| {
        let (name, section) = (listing.functions[reference.from].0, [".text", ".rodata"][reference.to.section]);
        let how = match reference.how {
            How::Load(bytes) => format!("loads {bytes} at"),
            How::Address => "knows".to_owned(),
            How::Call => "calls".to_owned(),
        };
        format!("{name} {how} {section}+{:#x}", reference.to.offset)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
}
