//! Annotated listings of functions: address, bytes, cycles, instruction, and what it refers to.
//!
//! `items` reads instructions and data one after the other, `lines` gives them labels and comments.

mod items;
mod lines;

use crate::attribute;
use crate::code::Function;
use crate::code::places::Places;
use crate::image::{Image, Kind, Machine, Place};
use crate::manifest;
use crate::names;
use crate::view::Listing;
pub use sim::cycles::Core;
use std::collections::BTreeSet;

/// `Tag_CPU_arch` of ARMv7 (with the M profile: Cortex-M3) and ARMv7E-M (ABI addenda, 3.3.5.2).
const ARCH_V7: u64 = 10;
const ARCH_V7E_M: u64 = 13;
/// As many names are offered for one that is not there.
const NEAREST: usize = 3;

/// Why a function cannot be listed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// No function has this name.
    #[error("no function is called {symbol}{}", offer(.nearest))]
    Unknown {
        /// The name.
        symbol: String,
        /// Similar names, the most similar first.
        nearest: Vec<String>,
    },
    /// The instructions of the machine are not read here.
    #[error("{symbol}: instructions of this machine cannot be listed; of ARM and Xtensa they can")]
    Machine {
        /// The function.
        symbol: String,
    },
}

fn offer(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

/// Lists functions of one image.
pub struct Lister<'a, 'data> {
    image: &'a Image<'data>,
    functions: Vec<Function>,
    places: Places<'a, 'data>,
    labels: lines::Symbols<'a>,
    core: Option<Core>,
}

impl<'a, 'data> Lister<'a, 'data> {
    /// Finds the functions of an image. Cycles are those of `core`, or of the core that the file's build attributes
    /// name: Cortex-M3 for ARMv7-M, Cortex-M4F for ARMv7E-M, and none for others.
    pub fn new(image: &'a Image<'data>, core: Option<Core>) -> Self {
        let functions = attribute::functions(image);
        let core = core.or(match image.machine {
            Machine::Arm { architecture: Some(ARCH_V7), m_profile: true, .. } => Some(Core::M3),
            Machine::Arm { architecture: Some(ARCH_V7E_M), .. } => Some(Core::M4f),
            _ => None,
        });
        let places = Places::new(image, &functions);
        Lister { image, functions, places, labels: lines::Symbols::new(image), core }
    }

    /// The listings of all functions with this name: demangled or not, or that of an alias or a label inside.
    ///
    /// # Errors
    /// If there is none, or if the instructions of the machine are not read here.
    pub fn find(&self, symbol: &str) -> Result<Vec<Listing>, Error> {
        let found: Vec<&Function> =
            self.functions.iter().filter(|function| self.names(function).any(|name| name == symbol)).collect();
        if found.is_empty() {
            let all = self.functions.iter().flat_map(|function| self.names(function));
            return Err(Error::Unknown { symbol: symbol.to_owned(), nearest: nearest(symbol, all) });
        }
        let listing = |function| self.listing(function).ok_or_else(|| Error::Machine { symbol: symbol.to_owned() });
        found.into_iter().map(listing).collect()
    }

    /// The listings of all functions that are named as generated ones are.
    pub fn generated(&self) -> Vec<Listing> {
        let generated = self.functions.iter().filter(|function| function.name.starts_with(manifest::PREFIX));
        generated.filter_map(|function| self.listing(function)).collect()
    }

    /// Demangled and mangled names of all symbols that are in a function.
    fn names<'s>(&'s self, function: &'s Function) -> impl Iterator<Item = String> + 's {
        let section = &self.image.sections[function.entry.section];
        let entries = std::iter::once(function.entry.offset).chain(function.also_entered_at.iter().copied());
        entries.flat_map(move |offset| {
            let symbols = section.symbols[section.symbols_at(offset)].iter().filter(|symbol| symbol.kind != Kind::Data);
            symbols.flat_map(|symbol| [names::demangled(&symbol.name), symbol.name.clone()])
        })
    }

    /// The listing of a function; `None` if the instructions of the machine are not read here.
    fn listing(&self, function: &Function) -> Option<Listing> {
        let items = items::read(self, function)?;
        let section = &self.image.sections[function.entry.section];
        let bytes: u64 = function.ranges.iter().map(|range| range.end - range.start).sum();
        let address = section.address.wrapping_add(function.entry.offset);
        let mut lines = vec![format!("{bytes} bytes in {} at {address:#x}", section.name)];
        lines.push(self.about_cycles(&items));
        lines.extend(lines::lines(self, function, &items));
        Some(Listing { name: function.name.clone(), lines })
    }

    fn about_cycles(&self, items: &[items::Item]) -> String {
        match self.core {
            _ if !matches!(self.image.machine, Machine::Arm { .. }) => "cycles are known only of Cortex-M".to_owned(),
            None => "no cycles: the file does not say that it is for Cortex-M3 or M4 (--core does)".to_owned(),
            Some(_) if items.iter().all(|item| item.cycles.is_none()) => "no cycles: this is no Thumb code".to_owned(),
            Some(core) => format!(
                "cycles: model of Cortex-{}, memory without wait states, straight through: branches are not taken (the \
                 number behind / is for one that is), other conditions hold",
                format!("{core:?}").to_uppercase()
            ),
        }
    }

    fn address(&self, place: Place) -> u64 {
        self.image.sections[place.section].address.wrapping_add(place.offset)
    }
}

/// The names that are most like one that is not there.
fn nearest(symbol: &str, all: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = symbol.chars().count();
    let worst = (wanted / 3).max(2);
    let mut found = BTreeSet::new();
    for name in all {
        if wanted > 2 && name.contains(symbol) {
            found.insert((worst, name));
        } else if name.chars().count().abs_diff(wanted) <= worst {
            let distance = strsim::levenshtein(symbol, &name);
            if distance <= worst {
                found.insert((distance, name));
            }
        }
    }
    found.into_iter().map(|(_, name)| name).take(NEAREST).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn similar_names_are_offered() {
        let names = ["qr_chacha20_block", "qr_chacha8_block", "main", "_start", "memcpy"];
        for (symbol, expected) in [
            ("qr_chacha20_blok", &["qr_chacha20_block", "qr_chacha8_block"][..]),
            ("chacha8", &["qr_chacha8_block"]),
            ("mian", &["main"]),
            ("memcpy_", &["memcpy"]),
            ("x", &[]),
            ("", &[]),
        ] {
            assert_eq!(nearest(symbol, names.iter().map(|name| (*name).to_owned())), expected, "{symbol}");
        }
    }
}
