//! From an image to rows: every byte of every section and segment goes to one row.
//!
//! The most precise source comes first: symbols with a size, symbols without one, what instructions refer to, and in
//! the end the sections and segments themselves.

mod claims;
mod fill;
mod references;
mod regions;
mod rows;
mod segments;
mod unwind;

use crate::code;
use crate::image::Image;
use crate::report::FileReport;
use claims::Claims;
use references::Usage;
use std::cmp::Reverse;

/// The functions of an image, each with the literals that only it loads if they are in its section.
pub(crate) fn functions(image: &Image<'_>) -> Vec<code::Function> {
    let mut claims = Claims::of_symbols(image);
    let (owners, functions) = claims.functions(image);
    let usage = Usage::new(image, &owners, &code::analyse(image, &functions).references);
    usage.give_to_only_user(image, &mut claims);
    claims.claim_behind(&usage);
    claims.functions(image).1
}

/// Attributes every byte of an image. `file` is only carried into the report.
pub fn attribute(file: &str, image: &Image<'_>) -> FileReport {
    let mut claims = Claims::of_symbols(image);
    let (owners, functions) = claims.functions(image);
    let analysis = code::analyse(image, &functions);
    let usage = Usage::new(image, &owners, &analysis.references);
    usage.give_to_only_user(image, &mut claims);
    claims.claim_behind(&usage);
    unwind::give_to_functions(image, &mut claims);
    let mut symbols = rows::rows(image, &claims, &usage);
    rows::add_stacks(&mut symbols, image, &owners, analysis.stacks);
    let mut sections = rows::section_totals(image);
    segments::add_what_no_section_has(image, &mut symbols, &mut sections);
    let mut symbols: Vec<_> = symbols.into_iter().map(|(_, row)| row).collect();
    symbols.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    let total_bytes = segments::loaded_bytes(image);
    let ram_bytes = image.sections.iter().map(|section| section.ram_bytes()).sum();
    FileReport {
        file: file.to_owned(),
        symbols,
        sections,
        regions: regions::totals(image, total_bytes, ram_bytes),
        total_bytes,
        ram_bytes,
        notes: notes(image),
        warnings: Vec::new(),
    }
}

fn sort_key(row: &crate::report::Row) -> impl Ord + '_ {
    (Reverse(row.total_bytes), Reverse(row.ram_bytes), &row.name, &row.section, row.address)
}

/// What could not be told.
fn notes(image: &Image<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let takes_space = image.sections.iter().any(|section| section.loaded || section.in_ram);
    if image.stripped && (takes_space || !image.segments.is_empty()) {
        notes.push("has no symbols, so that only sections can be told; measure the file before it is stripped".into());
    }
    if let crate::image::Machine::Unknown(number) = image.machine {
        notes.push(format!(
            "is for an unknown machine ({number}): code is not told from literals, and no stack is given"
        ));
    }
    notes
}
