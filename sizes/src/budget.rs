//! Limits from a TOML file, and what is over them.
//!
//! ```toml
//! [region.ROM]
//! bytes_max = 65536
//! [section.".text"]
//! bytes_max = 60000
//! [family.chacha]
//! bytes_max = 20000
//! [function."qr_chacha20_*"]
//! bytes_max = 3000
//! stack_bytes_max = 256
//! cycles_max = 20000
//! [growth]
//! bytes_max = 100
//! ```
//!
//! Names are patterns with `*` and `?`. A function's bytes are those of its row, and of its literals if they lie in a
//! section of their own; a section's are those in ROM, or in RAM if it takes no ROM. Members of an archive count
//! together. A limit that nothing is measured against is an error: it could never be exceeded.

use crate::report::{FileReport, Row, RowKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The limits of a file.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The file's name, for messages.
    file: String,
    tables: Tables,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    #[serde(default)]
    region: BTreeMap<String, Bytes>,
    #[serde(default)]
    section: BTreeMap<String, Bytes>,
    #[serde(default)]
    family: BTreeMap<String, Bytes>,
    #[serde(default)]
    function: BTreeMap<String, OfFunction>,
    growth: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bytes {
    bytes_max: u64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfFunction {
    bytes_max: Option<u64>,
    stack_bytes_max: Option<u64>,
    cycles_max: Option<u64>,
}

/// Why a file is no budget.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("{file}: cannot be read: {why}")]
    Read {
        /// Its name.
        file: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It is not TOML, or there is something in it that is no limit.
    #[error("{file}, line {line}: {why} (`{text}`)")]
    Toml {
        /// Its name.
        file: String,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
        /// The line.
        text: String,
    },
    /// A table without a limit.
    #[error("{file}: {key} has no limit; give bytes_max, stack_bytes_max or cycles_max")]
    NoLimit {
        /// Its name.
        file: String,
        /// The table.
        key: String,
    },
    /// A file without a table.
    #[error("{file}: there is no limit in it; add a table such as [region.ROM] with bytes_max = 65536")]
    Empty {
        /// Its name.
        file: String,
    },
}

/// What a check found, a sentence each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// What is over its limit.
    pub over: Vec<String>,
    /// Limits that nothing could be measured against.
    pub unmeasured: Vec<String>,
}

/// A file given on the command line, with all images in it.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    /// Its name, if messages must tell it from others.
    pub name: Option<String>,
    /// Its reports.
    pub reports: Vec<&'a FileReport>,
}

impl Budget {
    /// Reads a budget.
    ///
    /// # Errors
    /// If the file cannot be read, is not a budget, or has no limit in it.
    pub fn read(path: &Path) -> Result<Budget, Error> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|why| Error::Read { file: file.clone(), why })?;
        Budget::parse(file, &text)
    }

    fn parse(file: String, text: &str) -> Result<Budget, Error> {
        let tables: Tables = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
            let shown = text.lines().nth(line).unwrap_or("").trim().to_owned();
            Error::Toml { file: file.clone(), line: line + 1, why: error.message().replace('\n', " "), text: shown }
        })?;
        let limits = |limit: &OfFunction| limit.bytes_max.or(limit.stack_bytes_max).or(limit.cycles_max);
        if let Some((name, _)) = tables.function.iter().find(|(_, limit)| limits(limit).is_none()) {
            return Err(Error::NoLimit { file, key: key("function", name) });
        }
        let count = tables.region.len() + tables.section.len() + tables.family.len() + tables.function.len();
        if count == 0 && tables.growth.is_none() {
            return Err(Error::Empty { file });
        }
        Ok(Budget { file, tables })
    }

    /// How many bytes there may be in each region.
    pub fn regions(&self) -> BTreeMap<String, u64> {
        self.tables.region.iter().map(|(name, limit)| (name.clone(), limit.bytes_max)).collect()
    }

    /// Compares what was measured with the limits; `growth` is how many bytes of ROM more there are than in an older
    /// build, if there is one.
    pub fn check(&self, files: &[Measured<'_>], growth: Option<i128>) -> Outcome {
        let mut outcome = Outcome::default();
        self.check_sums(&mut outcome, files, "region", &self.tables.region, |report| {
            report.regions.iter().map(|region| (region.name.clone(), region.bytes)).collect()
        });
        self.check_sums(&mut outcome, files, "section", &self.tables.section, |report| {
            let bytes = |section: &crate::report::SectionTotal| match section.bytes {
                0 => section.ram_bytes,
                rom => rom,
            };
            report.sections.iter().map(|section| (section.name.clone(), bytes(section))).collect()
        });
        self.check_sums(&mut outcome, files, "family", &self.tables.family, |report| {
            let rows = report.symbols.iter();
            rows.filter_map(|row| Some((row.family.clone()?, row.total_bytes))).collect()
        });
        for (pattern, limit) in &self.tables.function {
            self.check_functions(&mut outcome, files, pattern, *limit);
        }
        self.check_growth(&mut outcome, growth);
        outcome
    }

    fn check_sums(
        &self,
        outcome: &mut Outcome,
        files: &[Measured<'_>],
        table: &str,
        limits: &BTreeMap<String, Bytes>,
        parts: fn(&FileReport) -> Vec<(String, u64)>,
    ) {
        for (pattern, limit) in limits {
            let mut matches = 0;
            for file in files {
                let mut sums: BTreeMap<String, u64> = BTreeMap::new();
                let parts = file.reports.iter().flat_map(|report| parts(report));
                for (name, bytes) in parts.filter(|(name, _)| glob(pattern, name)) {
                    let sum = sums.entry(name).or_default();
                    *sum = sum.saturating_add(bytes);
                }
                matches += sums.len();
                for (name, bytes) in sums.into_iter().filter(|(_, bytes)| *bytes > limit.bytes_max) {
                    let what = format!("{table} {name}{}", file.suffix());
                    outcome.over.push(self.over(&what, bytes, "bytes", limit.bytes_max, &key(table, pattern)));
                }
            }
            if matches == 0 {
                outcome.unmeasured.push(self.nothing(&key(table, pattern)));
            }
        }
    }

    fn check_functions(&self, outcome: &mut Outcome, files: &[Measured<'_>], pattern: &str, limit: OfFunction) {
        let key = key("function", pattern);
        let mut matches = 0;
        for file in files {
            for report in &file.reports {
                let functions = report.symbols.iter().filter(|row| row.kind == RowKind::Function);
                for row in functions.filter(|row| names(row).any(|name| glob(pattern, name))) {
                    matches += 1;
                    let what = format!("function {}{}", row.name, file.suffix());
                    let mut check = |value: u64, unit: &str, limit: Option<u64>| match limit {
                        Some(limit) if value > limit => outcome.over.push(self.over(&what, value, unit, limit, &key)),
                        _ => {}
                    };
                    check(bytes_of(row, report), "bytes", limit.bytes_max);
                    check(stack_of(row).unwrap_or(0), "bytes of stack", limit.stack_bytes_max);
                    check(cycles_of(row).unwrap_or(0), "cycles", limit.cycles_max);
                    let file = &self.file;
                    if limit.stack_bytes_max.is_some_and(|limit| !stack_is_within(row, limit)) {
                        outcome.unmeasured.push(format!("{file}: {key}: the stack of {} is not known", row.name));
                    }
                    if limit.cycles_max.is_some() && cycles_of(row).is_none() {
                        outcome.unmeasured.push(format!("{file}: {key}: no manifest tells the cycles of {}", row.name));
                    }
                }
            }
        }
        if matches == 0 {
            outcome.unmeasured.push(self.nothing(&key));
        }
    }

    fn check_growth(&self, outcome: &mut Outcome, growth: Option<i128>) {
        match (self.tables.growth, growth) {
            (Some(limit), Some(growth)) if growth > i128::from(limit.bytes_max) => {
                outcome.over.push(self.over("growth", growth, "bytes", limit.bytes_max, "growth"));
            }
            (Some(_), None) => {
                outcome.unmeasured.push(format!("{}: growth: give the older build with --diff", self.file));
            }
            _ => {}
        }
    }

    fn over(&self, what: &str, value: impl std::fmt::Display, unit: &str, limit: u64, key: &str) -> String {
        format!("{what}: {value} {unit}, limit {limit} ({}: {key})", self.file)
    }

    fn nothing(&self, key: &str) -> String {
        format!("{}: {key}: nothing has this name, so that the limit could never be exceeded", self.file)
    }
}

impl Measured<'_> {
    fn suffix(&self) -> String {
        self.name.as_ref().map_or(String::new(), |name| format!(" in {name}"))
    }
}

fn names(row: &Row) -> impl Iterator<Item = &String> {
    [&row.name].into_iter().chain(&row.symbol).chain(&row.aliases)
}

/// Bytes of a function, with its literals in other sections if it is clear whose they are.
fn bytes_of(row: &Row, report: &FileReport) -> u64 {
    let same: Vec<&Row> = report.symbols.iter().filter(|other| other.name == row.name).collect();
    if same.iter().filter(|other| other.kind == RowKind::Function).count() > 1 {
        return row.total_bytes;
    }
    let literals = same.iter().filter(|other| other.kind == RowKind::Data && other.literal_bytes > 0);
    row.total_bytes + literals.map(|other| other.total_bytes).sum::<u64>()
}

/// Stack as far as it is known, from the code or else from the manifest.
fn stack_of(row: &Row) -> Option<u64> {
    let by_manifest = row.kernel.as_ref().map(|kernel| kernel.stack_bytes);
    row.stack.as_ref().map(|stack| stack.worst_bytes).or(by_manifest)
}

/// False if more stack might be used than is known, and that is not already too much.
fn stack_is_within(row: &Row, limit: u64) -> bool {
    let all_known = row.stack.as_ref().is_none_or(|stack| stack.unknown.is_empty());
    stack_of(row).is_some_and(|bytes| all_known || bytes > limit)
}

fn cycles_of(row: &Row) -> Option<u64> {
    row.kernel.as_ref().map(|kernel| kernel.cycles)
}

/// `table.name` as it is written in TOML.
fn key(table: &str, name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if bare { format!("{table}.{name}") } else { format!("{table}.{name:?}") }
}

/// Whether a pattern with `*` (any text) and `?` (any character) matches the whole of a name.
fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on if what follows the last star does not match: it takes one character more.
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((after, taken)) => {
                    star = Some((after, taken + 1));
                    (p, n) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, matches) in [
            ("qr_*", "qr_chacha", true),
            ("qr_*", "my_qr_chacha", false),
            ("*_m4", "qr_m4_m4", true),
            ("*_m4", "qr_m4_m4f", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a?", "aé", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            (".text", ".text", true),
            (".text", "xtext", false),
        ] {
            assert_eq!(glob(pattern, name), matches, "{pattern} {name}");
        }
        // Many stars and a long name without a match: linear in each, not exponential.
        assert!(!glob(&"*a".repeat(50), &"a".repeat(49)));
        assert!(!glob(&("*a".repeat(50) + "b"), &"a".repeat(5000)));
    }

    #[test]
    fn what_is_no_budget_is_named_with_its_line() {
        for (text, message) in [
            ("", "b.toml: there is no limit in it"),
            (
                "[region.ROM]\nbytes_max = \"64k\"\n",
                "b.toml, line 2: invalid type: string \"64k\", expected u64 (`bytes_max = \"64k\"`)",
            ),
            (
                "\n[region.ROM]\nbytes = 1\n",
                "b.toml, line 3: unknown field `bytes`, expected `bytes_max` (`bytes = 1`)",
            ),
            ("[regions.ROM]\nbytes_max = 1\n", "b.toml, line 1: unknown field `regions`"),
            ("[region.ROM]\n", "b.toml, line 1: missing field `bytes_max` (`[region.ROM]`)"),
            ("[region.ROM]\nbytes_max = -1\n", "b.toml, line 2: invalid value: integer `-1`, expected u64"),
            ("[function.f]\n", "b.toml: function.f has no limit"),
            ("[function.f]\nbytes_max = 1\nbytes_max = 2\n", "b.toml, line 3: duplicate key"),
            ("[growth\n", "b.toml, line 1: "),
            ("region = 1\n", "b.toml, line 1: invalid type: integer `1`"),
        ] {
            let error = Budget::parse("b.toml".into(), text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
            assert_eq!(error.lines().count(), 1);
        }
    }
}
