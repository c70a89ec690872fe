//! The table for the terminal.

use super::columns::{Column, Grid};
use super::select::View;
use crate::report::{FileReport, Unknown};

/// Longer section names are cut: with a section for each function its name repeats the symbol's.
const SECTION_CHARS_MAX: usize = 20;
/// So are longer names, and lists of aliases.
pub const TEXT_CHARS_MAX: usize = 240;
/// More sections than this are added up in the line of a file.
const SECTIONS_MAX: usize = 8;
/// With more files than this no sections are printed.
const FILES_MAX: usize = 20;
/// Reasons for an unknown worst case are printed if there are at most as many lines.
const REASONS_MAX: usize = 10;
/// More reasons for one stack are counted; JSON and CSV have them all.
const REASONS_OF_STACK: usize = 2;

/// One table of all files, what each file adds up to, and in a short table why a stack is not known.
pub fn table(files: &[FileReport], view: &View) -> String {
    let selection = view.select(files);
    let mut text = align(&Grid::new(files, &selection));
    text.push('\n');
    if files.len() > FILES_MAX {
        text.push_str(&format!("{} files; `--by file` adds up each, `--by section` each section\n", files.len()));
    } else {
        files.iter().for_each(|file| text.push_str(&format!("{}: {}{}\n", file.file, summary(file), memories(file))));
    }
    let stacks = selection.shown.iter().filter_map(|entry| Some((&entry.row.name, entry.row.stack.as_ref()?)));
    let unknown: Vec<_> = stacks.filter(|(_, stack)| !stack.unknown.is_empty()).collect();
    if unknown.len() <= REASONS_MAX {
        // Instances of a generic function have one name, and often one reason.
        let lines = unknown.iter().map(|(name, stack)| {
            format!("stack of {name} ≥{}: {}\n", stack.worst_bytes, first_reasons(&stack.unknown))
        });
        let mut lines: Vec<String> = lines.collect();
        lines.dedup();
        text.push_str(&lines.concat());
    }
    text
}

fn first_reasons(unknown: &[Unknown]) -> String {
    let (first, more) = unknown.split_at(unknown.len().min(REASONS_OF_STACK));
    let mut reasons: Vec<String> = first.iter().map(reason).collect();
    if !more.is_empty() {
        reasons.push(format!("{} more reason{}", more.len(), if more.len() == 1 { "" } else { "s" }));
    }
    reasons.join("; ")
}

/// Why a worst case is not known, in words.
pub fn reason(unknown: &Unknown) -> String {
    match unknown {
        Unknown::Indirect(function) => format!("{function} calls through a pointer"),
        Unknown::Recursion(function) => format!("{function} is recursive"),
        Unknown::External(function) => format!("{function} is not in the file"),
        Unknown::Frame(function) => format!("the frame of {function} cannot be followed"),
    }
}

/// What a file and its largest sections take.
fn summary(file: &FileReport) -> String {
    if file.sections.is_empty() {
        return "no sections that take ROM or RAM".to_owned();
    }
    let total = memory(file.total_bytes, file.ram_bytes);
    let mut sections: Vec<_> = file.sections.iter().collect();
    if sections.len() > SECTIONS_MAX {
        sections.sort_by_key(|section| std::cmp::Reverse(section.bytes.max(section.ram_bytes)));
    }
    let (shown, rest) = sections.split_at(sections.len().min(SECTIONS_MAX));
    let mut parts: Vec<String> = shown
        .iter()
        .map(|section| format!("{} {}", cut(&section.name), memory(section.bytes, section.ram_bytes)))
        .collect();
    if !rest.is_empty() {
        let sum = |of: fn(&crate::report::SectionTotal) -> u64| rest.iter().map(|section| of(section)).sum();
        parts.push(format!("{} more {}", rest.len(), memory(sum(|s| s.bytes), sum(|s| s.ram_bytes))));
    }
    format!("{total} = {}", parts.join(" + "))
}

/// What lies in each memory of the chip, if the file says which there are.
fn memories(file: &FileReport) -> String {
    let of_chip = file.regions.iter().filter(|region| !["ROM", "RAM"].contains(&region.name.as_str()));
    let used: Vec<String> = of_chip.map(|region| format!("{} {}", region.name, region.bytes)).collect();
    if used.is_empty() { String::new() } else { format!("; in {}", used.join(", ")) }
}

/// ROM, and RAM where there is any.
fn memory(rom: u64, ram: u64) -> String {
    match (rom, ram) {
        (_, 0) => rom.to_string(),
        (0, _) => format!("{ram} RAM"),
        _ => format!("{rom} ({ram} RAM)"),
    }
}

fn align(grid: &Grid) -> String {
    let heading: Vec<String> = grid.columns.iter().map(|column| column.heading.to_owned()).collect();
    let cells = |line: &Vec<String>| -> Vec<String> {
        let text = |(column, cell): (&Column, &str)| match column.heading {
            "Section" => cut(cell),
            "File" => without_folder(cell),
            _ => shortened(cell, TEXT_CHARS_MAX),
        };
        grid.cells(line).map(text).collect()
    };
    let lines: Vec<Vec<String>> =
        std::iter::once(heading).chain(grid.lines.iter().chain(&grid.sums).map(cells)).collect();
    let widths: Vec<usize> = (0..grid.columns.len())
        .map(|at| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        let padded =
            line.iter().zip(&widths).zip(&grid.columns).map(|((cell, width), column)| pad(cell, *width, column.number));
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A file's name without its folder; below the table stands all of it.
fn without_folder(file: &str) -> String {
    let path = &file[..file.find('(').unwrap_or(file.len())];
    file[path.rfind('/').map_or(0, |at| at + 1)..].to_owned()
}

fn cut(section: &str) -> String {
    shortened(section, SECTION_CHARS_MAX)
}

/// A text of at most so many characters, and `…` where there were more.
pub fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// A cell with blanks up to its column's width: before numbers, behind text.
pub fn pad(cell: &str, width: usize, number: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
    if number { blanks + cell } else { cell.to_owned() + &blanks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reasons_are_told_and_the_others_counted() {
        let all = ["f", "g", "h", "i"].map(|name| Unknown::External(name.to_owned()));
        for (count, expected) in [
            (1, "f is not in the file"),
            (2, "f is not in the file; g is not in the file"),
            (3, "f is not in the file; g is not in the file; 1 more reason"),
            (4, "f is not in the file; g is not in the file; 2 more reasons"),
        ] {
            assert_eq!(first_reasons(&all[..count]), expected);
        }
        let many: Vec<Unknown> = std::iter::repeat_n(&all[0], 23).cloned().collect();
        assert!(first_reasons(&many).ends_with("; 21 more reasons"));
    }
}
